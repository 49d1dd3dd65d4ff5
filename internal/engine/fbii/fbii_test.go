package fbii_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/fbii"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

func options(t *testing.T) discharge.Options {
	t.Helper()
	drivers := testkit.Solvers(t)
	return discharge.Options{Drivers: drivers, Jobs: 2}
}

// dealers is a protocol without an invariant that a prophecy does not simplify: some team is never
// active, so it keeps its tokens.
const dealers = `
sort team
immutable relation active(team)
mutable relation token(team, team)
init [some] exists X. !active(X)
init forall X, Y. token(X, Y)
action deal(x: team, y: team) { require active(x); token(x, y) := false; }
safety [kept] exists X. forall Y. token(X, Y)
`

// Every form of proof succeeds, and each mistake in one is found at its position.
func TestProofs(t *testing.T) {
	opts := options(t)
	for _, c := range []struct {
		name, proof, reason string
		want                result.Verdict
	}{
		{"by default", `forward prophecy w: team { invariant !active(w) } backward { invariant exists Y. !token(w, Y) }`, "", result.Holds},
		{"said so", `forward [who] prophecy w: team { invariant [idle] !active(w) } by { proph_default }
			backward { invariant exists Y. !token(w, Y) }`, "", result.Holds},
		{"by an invariant", `forward prophecy w: team { invariant !active(w) }
			by { invariant exists W. __M_P(W) & __INV_P(W) } backward { invariant exists Y. !token(w, Y) }`, "", result.Holds},
		{"forward alone", `forward { invariant exists X. !active(X) & forall Y. token(X, Y) }`, "",
			result.Holds},
		{"selected", `forward prophecy w: team { invariant !active(w) } by { proph_select true }
			backward { invariant exists Y. !token(w, Y) }`, "", result.Holds},
		{"backward, with a prophecy", `forward prophecy w: team { invariant !active(w) }
			backward prophecy y: team { invariant !token(w, y) }`, "", result.Holds},
		{"nothing said", `forward { }`, "violations, and initial states", result.NotInductive},
		{"no such value", `forward prophecy w: team { invariant active(w) }`, "step 1: initiation",
			result.NotInductive},
		{"not preserved", `forward prophecy w: team { invariant forall Y. token(w, Y) }`, "step 1: deal preserves it", result.NotInductive},
		{"not kept by the invariant", `forward prophecy w: team { invariant !active(w) } by { invariant true }`,
			"step 1: there are values", result.NotInductive},
		{"not true of violations", `backward [second] { invariant forall X, Y. !token(X, Y) }`, "step 1 [second]: initiation", result.NotInductive},
		{"not preserved backward", `backward { invariant forall X. exists Y. !token(X, Y) }`, "step 1: deal preserves it", result.NotInductive},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, dealers+"fbii { "+c.proof+" }")
			rs, err := fbii.Prove(t.Context(), sys, nil, opts)
			if err != nil {
				t.Fatal(err)
			}
			if rs[0].Verdict != c.want || !strings.Contains(rs[0].Reason.Text, c.reason) {
				t.Errorf("%s (%s)", rs[0].Verdict, rs[0].Reason.Text)
			}
			if (len(rs) == 2) != (c.want == result.Holds) {
				t.Errorf("%d results", len(rs))
			}
		})
	}
}

// Without an initial state nothing is proved.
func TestNoInitialState(t *testing.T) {
	sys := testkit.Compile(t, dealers+"axiom active(X)\nfbii { forward { invariant false } }")
	rs, err := fbii.Prove(t.Context(), sys, nil, options(t))
	if err != nil || len(rs) != 1 || rs[0].Verdict != result.NothingChecked {
		t.Errorf("%v, %v", rs, err)
	}
}

// A generated proof is right: no instance has a run to a violation.
func TestGeneratedProofs(t *testing.T) {
	opts := options(t)
	systems := testkit.Size(30, 60)
	if testkit.Long() {
		systems = 4000
	}
	held := map[string]int{}
	for seed := range systems {
		g := generator{Rand: rand.New(rand.NewSource(seed))}
		text, kind := g.specification()
		sys := testkit.Compile(t, text)
		rs, err := fbii.Prove(t.Context(), sys, nil, opts)
		if err != nil {
			t.Fatal(err)
		}
		if rs[0].Verdict != result.Holds {
			continue
		}
		held[kind]++
		for n := 1; n <= 3; n++ {
			instances, err := ere.Instances(sys, fmt.Sprintf("node = %d", n))
			if err != nil {
				t.Fatal(err)
			}
			explored, err := explicit.Check(t.Context(), sys, instances[0],
				explicit.Options{Only: []string{"p"}, Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			if explored[0].Verdict == result.Violated {
				t.Fatalf("proved, and violated with %d nodes:\n%s", n, text)
			}
		}
	}
	t.Logf("proved: %v", held)
	if len(held) < 2 {
		t.Errorf("hardly anything was proved: %v", held)
	}
}

// generator makes specifications whose formulas are mostly about the same two literals, so that
// some of them fit.
type generator struct {
	*rand.Rand
	literals []string // without their argument
}

func (g *generator) pick(from ...string) string { return from[g.Intn(len(from))] }

// literal speaks of one node.
func (g *generator) literal(of string) string {
	if len(g.literals) < 2 || g.Intn(8) == 0 {
		g.literals = append(g.literals, g.pick("", "!")+g.pick("a", "b", "c"))
	}
	return g.literals[g.Intn(len(g.literals))] + "(" + of + ")"
}

// formula speaks of all nodes, of some, and of a constant if there is one.
func (g *generator) formula(constant string) string {
	of := "X"
	if constant != "" && g.Intn(2) == 0 {
		return g.pick("", "forall X. "+g.literal("X")+" | ", "(exists X. "+g.literal("X")+") -> ", "!") + g.literal(constant)
	}
	body := g.literal(of)
	if g.Intn(4) == 0 {
		body += g.pick(" | ", " & ") + g.literal(of)
	}
	return g.pick("forall X. ", "exists X. ", "exists X. ") + body
}

// specification makes a protocol over three relations with a proof of some kind. What is claimed is
// true at the beginning in most cases, and most actions keep it.
func (g *generator) specification() (text, kind string) {
	var b strings.Builder
	b.WriteString("sort node\nimmutable relation c(node)\nmutable relation a(node), b(node)\n")
	first := g.pick("forall X. ", "exists X. ") + g.literal("X")
	fmt.Fprintf(&b, "init %s\ninit %s\n", first, g.formula(""))
	for i := range 1 + g.Intn(2) {
		relation, value := g.pick("a", "b"), g.pick("true", "false")
		if l := g.literals[0]; g.Intn(4) > 0 && !strings.HasSuffix(l, "c") {
			relation, value = strings.TrimPrefix(l, "!"), fmt.Sprint(!strings.HasPrefix(l, "!"))
		}
		fmt.Fprintf(&b, "action t%d(x: node) { require %s; %s(x) := %s; }\n", i, g.literal("x"),
			relation, value)
	}
	claim := first
	if g.Intn(4) == 0 {
		claim = g.formula("")
	}
	fmt.Fprintf(&b, "safety [p] %s\nfbii {\n", claim)
	constant := ""
	kinds := map[string]bool{}
	for i := range 1 + g.Intn(2) {
		way := g.pick("forward", "backward")
		kinds[way] = true
		if g.Intn(3) > 0 {
			constant = fmt.Sprintf("w%d", i)
			kinds["prophecy"] = true
			literal := g.literals[0] + "(" + constant + ")"
			switch {
			case g.Intn(4) == 0:
				literal = g.literal(constant)
			case way == "backward":
				literal = "!" + literal
			}
			fmt.Fprintf(&b, "  %s prophecy %s: node { invariant %s }", way, constant, literal)
			if g.Intn(3) == 0 {
				fmt.Fprintf(&b, " by { %s }",
					g.pick("proph_default", "proph_select "+g.formula(""), "invariant "+g.pick("true", "exists W. __M_P(W)",
						"exists W. !__M_P(W)", "forall W. __M_P(W) | __INV_P(W)", "exists W. __INV_P(W) & __M_P(W)", "exists W. __INV_P(W) & !__M_P(W)")))
			}
			b.WriteString("\n")
			continue
		}
		body := g.formula(constant)
		if g.Intn(2) == 0 {
			body = claim
		}
		fmt.Fprintf(&b, "  %s { invariant %s }\n", way, body)
	}
	b.WriteString("}\n")
	for _, k := range []string{"forward", "backward", "prophecy"} {
		if kinds[k] {
			kind += " " + k
		}
	}
	return b.String(), kind
}
