package tla

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// TestGuarded has quantifiers without a set, and compares them with the same ones over a set of all
// values. A formula that is read is true in the same states; where it does not say where it counts
// in which set a value is, it is refused.
func TestGuarded(t *testing.T) {
	same, refused := 0, 0
	for seed := range uint64(testkit.Size(150, 1500)) {
		g := guards{rand.New(rand.NewPCG(seed, 42))}
		formula := g.quantified([]string{"v", "w"}, 2)
		bounded := strings.NewReplacer("QA", `\A`, "QE", `\E`, "v, w :", `v, w \in 0..4 :`, "u :",
			`u \in 0..4 :`).Replace(formula)
		free := strings.NewReplacer("QA", `\A`, "QE", `\E`).Replace(formula)
		module := fmt.Sprintf(`---- MODULE S ----
EXTENDS Integers
VARIABLES s, t
Init == s \in SUBSET (1..3) /\ t \in {{}, {2}, {1, 3}}
Next == UNCHANGED <<s, t>>
Free == %s
Bounded == %s
====
`, free, bounded)
		spec, err := read(t, "-- S.tla --\n"+module+"-- S.cfg --\nINIT Init\nNEXT Next\n"+
			"INVARIANTS Free Bounded\n")
		if err != nil {
			if !strings.Contains(err.Error(), "the quantifier has no set") {
				t.Fatalf("%v\n%s", err, module)
			}
			refused++
			continue
		}
		same++
		c := spec.System.Computed.Computer(t.Context())
		initial := spec.System.Computed.Computer(t.Context()).Initial
		err = initial(t.Context(), func(s []int64) error {
			var truths []bool
			for _, d := range spec.System.Derived {
				truth, err := c.Holds(d.Predicate.Number, s, nil)
				if err != nil {
					return err
				}
				truths = append(truths, truth)
			}
			if len(truths) != 2 || truths[0] != truths[1] {
				return fmt.Errorf("%v in %v", truths, s)
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%d: %v\n%s", seed, err, module)
		}
	}
	if t.Logf("%d compared, %d refused", same, refused); same < 30 || refused < 30 {
		t.Errorf("%d compared, %d refused", same, refused)
	}
}

// guards writes formulas with quantifiers whose sets are to be found.
type guards struct{ *rand.Rand }

func (g guards) one(of ...string) string { return of[g.IntN(len(of))] }

// quantified is a quantifier over some names.
func (g guards) quantified(names []string, depth int) string {
	word := g.one("QA ", "QE ")
	body := g.formula(names, word == "QA ", depth+1)
	return word + strings.Join(names, ", ") + " : (" + body + ")"
}

// formula is a formula about names, whose sets it mostly says where they count: where it is true,
// or with refuted, where it is false.
func (g guards) formula(names []string, refuted bool, depth int) string {
	if depth == 0 {
		return g.atom(names)
	}
	var members []string
	for _, n := range names {
		members = append(members, n+` \in `+g.one("s", "s", "t", `(s \cup t)`, `{x \in s : x > 1}`,
			`{w, 1}`, `{v}`))
	}
	if g.IntN(4) == 0 {
		members = members[:1]
	}
	bullet := "\n" + strings.Repeat("  ", 3-len(names)) + `/\ ` // inner lists stand further right
	in := strings.Join(members, ` /\ `)
	rest := g.atom(names)
	if g.IntN(3) == 0 && len(names) == 2 {
		rest = "(" + g.quantified([]string{"u"}, 0) + ")"
	}
	if g.IntN(5) == 0 {
		return g.formula(names, !refuted, depth-1) // mostly the wrong place
	}
	if refuted {
		return g.one("("+in+") => "+rest, rest+` \/ ~(`+in+")", "("+in+") => ("+rest+" => "+
			g.atom(names)+")", "("+g.atom(names)+`) /\ `+in+" => "+rest)
	}
	return g.one(in+` /\ `+rest, "~(("+in+") => ~("+rest+"))", rest+` /\ (`+in+")",
		bullet+in+bullet+rest)
}

func (g guards) atom(names []string) string {
	a, b := g.one(names...), g.one(names...)
	return g.one(a+" = "+b, a+" > "+b, a+` \in t`, a+" = 2", "TRUE", a+` \notin s`,
		"~("+a+` \in s)`, "(\n     \\/ "+a+" \\in s\n     \\/ "+b+" = 2)")
}
