package tlatest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// indexed writes models over the number x, the functions i, whose arguments are numbers, t, whose
// arguments are pairs, and d, whose arguments are some pairs.
type indexed struct{ generator }

// Indexed is the model of a seed with numbers and pairs as arguments of functions, and with powers
// that are written. One of them may be 0^0, which has no value.
func Indexed(seed uint64) Model {
	g := indexed{generator{rand.New(rand.NewPCG(seed, 41)), new(int)}}
	var b strings.Builder
	b.WriteString("---- MODULE S ----\nEXTENDS Integers, FiniteSets, TLC\n" +
		"CONSTANT P\nVARIABLES d, i, t, x\nK(n) == IF n = 0 THEN \"a\" ELSE \"b\"\n")
	fmt.Fprintf(&b, "Init == /\\ x = %s /\\ i = [v \\in 0..2 |-> %s]\n"+
		"        /\\ t = [v \\in P, n \\in 0..1 |-> %s]\n        /\\ d = %s\n",
		g.oneOf("0", "1", "3^0", "0^1"), g.oneOf("0", "v", "v^2 % 3"), g.oneOf("n", "0", "n^1"),
		g.oneOf("[v \\in {} |-> 0]", "[V \\in P \\X {\"a\"} |-> 1]"))
	return stepping(&b, "d, i, t, x", g.step, g.claim)
}

// number is a number from 0 to 2.
func (g indexed) number() string {
	return g.oneOf("x", "n", "i[x]", "t[p, n]", "t[<<p, 1>>]", "(x^2 % 3)", "((x + 1)^3 % 3)",
		"i[(x + 1) % 3]", "(IF <<p, K(n)>> \\in DOMAIN d THEN d[p, K(n)] ELSE 0)",
		"((x + n)^0)", "((x + 1)^0)", "(IF x # 0 THEN x^0 ELSE 2)", "(-1)^2")
}

// step is a step with the parameters p and n.
func (g indexed) step() string {
	return g.oneOf("", "", "", "", "x # n /\\ ", "<<p, K(n)>> \\in DOMAIN d /\\ ") + g.oneOf(
		"x' = "+g.number()+" /\\ UNCHANGED <<d, i, t>>",
		"i' = [i EXCEPT ![x] = "+g.number()+", ![n] = "+g.number()+"] /\\ UNCHANGED <<d, t, x>>",
		"i' = [V \\in 0..2 |-> IF V = x THEN "+g.number()+" ELSE i[V]^1] /\\ UNCHANGED <<d, t, x>>",
		"t' = [t EXCEPT ![p, n] = "+g.number()+"] /\\ UNCHANGED <<d, i, x>>",
		"t' = [V \\in P, W \\in 0..1 |-> IF W = n THEN t[V, 1 - W] ELSE t[<<V, W>>]]"+
			" /\\ UNCHANGED <<d, i, x>>",
		"d' = (<<p, K(n)>> :> "+g.number()+") @@ d /\\ UNCHANGED <<i, t, x>>",
		"d' = [V \\in DOMAIN d \\ {<<p, K(n)>>} |-> d[V]] /\\ UNCHANGED <<i, t, x>>",
		"<<p, K(n)>> \\in DOMAIN d /\\ x' = d[<<p, K(n)>>] /\\ UNCHANGED <<d, i, t>>")
}

func (g indexed) claim() string {
	return g.oneOf("x < 2", "x = 0", "i[0] <= i[1]", "\\A V \\in 0..2 : i[V] # x \\/ x = V",
		"\\A V \\in P : t[V, 0] = 0", "\\A V \\in DOMAIN d : d[V] = 0", "x^2 + i[0]^3 < 2",
		"Cardinality(DOMAIN d) < 3", "\\A V \\in P : <<V, \"b\">> \\in DOMAIN d => d[V, \"b\"] < x",
		"TRUE")
}
