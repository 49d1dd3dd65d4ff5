// Package tlatest makes models in TLA+, for tests.
//
// In: a seed. Out: a small model over three variables, with actions of all forms, fairness, an
// instance, and one claim.
package tlatest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Generated is the model of a seed.
func Generated(seed uint64) Model {
	return generator{rand.New(rand.NewPCG(seed, 7)), new(int)}.model()
}

// Model is a generated model: the module S with its configuration, and the module T beside it.
type Model struct{ Module, Inner, Config string }

// generator writes models over the variables x (0..3), s (a subset of 0..2) and p ("a" or "b").
type generator struct {
	*rand.Rand
	named *int
}

// fresh writes a text with a new name in the place of each V.
func (g generator) fresh(text string) string {
	*g.named++
	return strings.ReplaceAll(text, "V", fmt.Sprint("v", *g.named))
}

// stepping ends a module whose initial states are written: with three steps that have the
// parameters p and n, and a claim.
func stepping(b *strings.Builder, variables string, step, claim func() string) Model {
	var next []string
	for i := range 3 {
		fmt.Fprintf(b, "A%d(p, n) == %s\n", i, step())
		next = append(next, fmt.Sprintf("(\\E p \\in P, n \\in 0..1 : A%d(p, n))", i))
	}
	fmt.Fprintf(b, "Next == %s\nSpec == Init /\\ [][Next]_<<%s>>\nClaim == %s\n====\n",
		strings.Join(next, " \\/ "), variables, claim())
	return Model{Module: b.String(), Inner: "---- MODULE T ----\n====\n",
		Config: "SPECIFICATION Spec\nINVARIANT Claim\nCHECK_DEADLOCK FALSE\n" +
			"CONSTANT P = {p1, p2}\n"}
}

func (g generator) oneOf(xs ...string) string { return g.fresh(xs[g.IntN(len(xs))]) }

func (g generator) number(d int) string {
	if d <= 0 {
		return g.oneOf("x", "0", "1", "2", "3")
	}
	return g.oneOf("x", "((x + 1) % 4)", "Cardinality(s)", "((x * 2) % 4)", "f[x]", "(Sum(s) % 4)",
		"(IF "+g.test(d-1)+" THEN "+g.number(d-1)+" ELSE "+g.number(d-1)+")",
		"(CHOOSE V \\in 0..3 : V >= "+g.number(d-1)+")", "(LET V == "+g.number(d-1)+
			" IN (V + 1) % 4)")
}

func (g generator) numbers(d int) string {
	return g.oneOf("s", "{}", "{1, 2}", "0..1", "(s \\cup {"+g.number(d-1)+" % 3})",
		"(s \\ {"+g.number(d-1)+"})", "{V \\in 0..2 : V # "+g.number(d-1)+"}",
		"{V % 3 : V \\in s}")
}

// test is a formula about a state.
func (g generator) test(d int) string {
	if d <= 0 {
		return g.oneOf("x < 2", "x = 0", "s = {}", "x \\in s", `p = "a"`, "x # 3")
	}
	a, b := g.test(d-1), g.test(d-1)
	return "(" + g.oneOf(a+" /\\ "+b, a+" \\/ "+b, a+" => "+b, "~"+a, a+" <=> "+b,
		g.number(d-1)+" <= "+g.number(d-1), g.numbers(d)+" \\subseteq "+g.numbers(d),
		"\\A V \\in "+g.numbers(d)+" : V # x \\/ "+a, "\\E V \\in "+g.numbers(d)+" : V < x /\\ "+a,
		"CASE "+a+" -> "+b+" [] OTHER -> x > 1", "C!Small") + ")"
}

// update gives variables their values after the step.
func (g generator) update(variables string, d int) string {
	var parts []string
	for _, v := range strings.Split(variables, "") {
		if g.IntN(4) == 0 {
			parts = append(parts, "UNCHANGED "+v)
			continue
		}
		switch v {
		case "x":
			parts = append(parts, g.oneOf("x' = "+g.number(d), "x' \\in "+g.numbers(d),
				"(\\E V \\in "+g.numbers(d)+" : x' = V)",
				"x' \\in {"+g.number(d)+", "+g.number(d)+"}",
				"C!Step", "(x' = 1 \\/ x' = "+g.number(d)+")"))
		case "s":
			parts = append(parts, g.oneOf("s' = "+g.numbers(d), "s' \\in SUBSET {0, 1}",
				"s' \\subseteq {0, 2}", "(\\E V \\in 0..2 : s' = s \\cup {V})"))
		case "p":
			parts = append(parts, g.oneOf(`p' = (IF `+g.test(d)+` THEN "a" ELSE "b")`,
				`p' \in {"a", "b"}`, `p' = p`))
		}
	}
	return "(" + strings.Join(parts, ` /\ `) + ")"
}

func (g generator) action(d int) string {
	all := g.oneOf("xsp", "xps") // what reads s' stands after what gives it its value
	if g.IntN(3) == 0 {
		all = g.oneOf("spx", "psx")
	}
	i := 1 + g.IntN(2)
	switch g.IntN(8) {
	case 0:
		return g.test(d) + ` /\ ` + g.update(all, d)
	case 1:
		return g.update(all, d) + ` /\ ` + g.oneOf("x' # x", "s' # s", "x' \\in s'", g.test(d))
	case 2:
		return "(" + g.update(all[:i], d) + ` \/ ` + g.update(all[:i], d) + `) /\ ` +
			g.update(all[i:], d)
	case 3:
		return "IF " + g.test(d) + " THEN " + g.update(all, d) + " ELSE " + g.update(all, d)
	case 4:
		return "CASE " + g.test(d) + " -> " + g.update(all, d) + " [] OTHER -> " + g.update(all, d)
	case 5:
		return "(" + g.test(d) + " => x' = 0) /\\ (" + g.test(d) + " \\/ x < 3) /\\ x' = " +
			g.oneOf("0", g.number(d)) + ` /\ ` + g.update("sp", d)
	case 6:
		return g.fresh("\\E V \\in " + g.numbers(d) + " : (V # x \\/ " + g.test(d) +
			") /\\ x' = V /\\ " +
			g.update("sp", d))
	}
	return g.fresh(g.update(all, d) + ` /\ (` + g.test(d) + ` \/ ` + g.test(d) +
		`) /\ (\A V \in s' : V <= x' \/ ` + g.test(d) + ")")
}

func (g generator) temporal() string {
	a, b := g.test(1), g.test(1)
	return g.oneOf("[]<>"+a, "<>[]"+a, a+" ~> "+b, "<>"+a, "[]("+a+" => <>"+b+")",
		"[]["+g.oneOf("x' # x", "x' >= x \\/ s' # s", "C!Step")+"]_"+g.oneOf("x", "vars"),
		"([]<>"+a+") => ([]<>"+b+")", "<>[]"+a+` \/ []<>`+b)
}

// model is a model with one property, of which TLC's exit code is the verdict.
func (g generator) model() Model {
	var b, c strings.Builder
	b.WriteString(`---- MODULE S ----
EXTENDS Integers, FiniteSets
VARIABLES x, s, p
vars == <<x, s, p>>
f == [v \in 0..3 |-> (v * v + 1) % 4]
RECURSIVE Sum(_)
Sum(S) == IF S = {} THEN 0 ELSE LET v == CHOOSE v \in S : TRUE IN v + Sum(S \ {v})
C == INSTANCE T WITH n <- x, limit <- f[2] + 1
`)
	fmt.Fprintf(&b, "Init == %s /\\ %s /\\ %s\n", g.oneOf("x = 0", "x \\in 0..2",
		"(\\E v \\in 0..1 : x = v)", "(x = 0 \\/ x = 1)"),
		g.oneOf("s = {}", "s \\in SUBSET {1, 2}"),
		g.oneOf(`p = "a"`, `p \in {"a", "b"}`, `p = "b" /\ (x = 0 \/ s = {})`))
	actions := []string{"A", "B", "D"}[:1+g.IntN(3)]
	var next []string
	for _, a := range actions {
		fmt.Fprintf(&b, "%s == %s\n", a, g.action(1))
		next = append(next, a)
	}
	fmt.Fprintf(&b, "Next == %s\n", strings.Join(next, ` \/ `))
	fair := ""
	for _, a := range actions {
		fair += g.oneOf("", "", ` /\ WF_vars(`+a+")", ` /\ SF_vars(`+a+")", ` /\ WF_x(`+a+")")
	}
	fair += g.oneOf("", "", ` /\ WF_vars(Next)`, ` /\ SF_vars(Next)`, ` /\ WF_s(Next)`)
	fmt.Fprintf(&b, "Spec == Init /\\ [][Next]_vars%s\n", fair)
	fmt.Fprintf(&b, "Always == x \\in 0..3\nInv == %s\nTemporal == %s\nBound == %s\n"+
		"StepBound == %s\nView == %s\n====\n",
		g.test(2), g.temporal(), g.test(1), g.oneOf("x' # x", "s' # s", g.test(1)),
		g.oneOf("<<x, s>>", "<<x, p>>", "x + Cardinality(s)"))
	c.WriteString("SPECIFICATION Spec\nINVARIANT Always\n")
	c.WriteString(g.oneOf("CHECK_DEADLOCK FALSE\n", "CHECK_DEADLOCK FALSE\n", ""))
	switch g.IntN(8) {
	case 0:
		c.WriteString("CONSTRAINT Bound\n")
	case 1:
		c.WriteString("ACTION_CONSTRAINT StepBound\n")
	case 2:
		c.WriteString("VIEW View\nINVARIANT Inv\n")
		return Model{b.String(), inner, c.String()}
	}
	c.WriteString([]string{"INVARIANT Inv\n", "PROPERTY Temporal\n", "PROPERTY Temporal\n",
		""}[g.IntN(4)]) // no name is fresh
	return Model{b.String(), inner, c.String()}
}

const inner = `---- MODULE T ----
EXTENDS Integers
CONSTANT limit
VARIABLE n
Small == n < limit
Step == n < limit /\ n' = n + 1
====
`
