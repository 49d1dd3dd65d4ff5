package tlatest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// embedded writes models over a record r with two functions and a number, and a sequence q of
// functions.
type embedded struct{ generator }

// Embedded is the model of a seed whose functions are parts of other data.
func Embedded(seed uint64) Model {
	g := embedded{generator{rand.New(rand.NewPCG(seed, 23)), new(int)}}
	var b strings.Builder
	b.WriteString("---- MODULE S ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\n" +
		"CONSTANT P\nVARIABLES q, r\n")
	fmt.Fprintf(&b, "Init == /\\ r = [c |-> 0, f |-> [v \\in P |-> 0], g |-> [v \\in %s |-> 0]]\n"+
		"        /\\ q = <<>>\n", g.oneOf("{}", "P"))
	return stepping(&b, "q, r", g.step, g.claim)
}

// step is a step with the parameters p and n.
func (g embedded) step() string {
	return g.oneOf("", "p \\in DOMAIN r.f /\\ ", "r.f # r.g /\\ ") + g.oneOf(
		"r' = [r EXCEPT !.f = "+g.function()+"] /\\ q' = q",
		"r' = [r EXCEPT !.g = "+g.function()+", !.c = 1 - @] /\\ q' = q",
		"r' = [r EXCEPT !.f[p] = n] /\\ q' = q",
		"r' = [c |-> n, f |-> "+g.function()+", g |-> r.f] /\\ q' = q",
		"r' = (LET s == [r EXCEPT !.f = "+g.function()+"] IN [s EXCEPT !.g = s.f]) /\\ q' = q",
		"r' = (IF n = r.c THEN r ELSE [r EXCEPT !.c = n, !.g = "+g.function()+"]) /\\ q' = q",
		"Len(q) < 2 /\\ q' = Append(q, "+g.function()+") /\\ r' = r",
		"q # <<>> /\\ r' = [r EXCEPT !.g = Head(q)] /\\ q' = Tail(q)",
		"q # <<>> /\\ p \\in DOMAIN q[1] /\\ r' = [r EXCEPT !.c = q[1][p]] /\\ q' = <<>>")
}

// function is a function of the kind of the fields.
func (g embedded) function() string {
	f := "r." + g.oneOf("f", "g")
	return g.oneOf("r.f", "r.g", "(p :> n) @@ "+f, f+" @@ (p :> n)", "r.f @@ r.g",
		"[V \\in DOMAIN "+f+" \\cup {p} |-> IF V = p THEN n ELSE "+f+"[V]]",
		"[V \\in DOMAIN "+f+" \\ {p} |-> "+f+"[V]]", "[V \\in P |-> n]",
		"["+f+" EXCEPT ![p] = n]", "[V \\in DOMAIN "+f+" |-> 1 - "+f+"[V]]",
		"(IF p \\in DOMAIN r.f THEN r.f ELSE r.g)",
		"(IF p \\in DOMAIN r.g /\\ r.g[p] = n THEN r.f ELSE p :> n)")
}

func (g embedded) claim() string {
	return g.oneOf("\\A V \\in DOMAIN r.f : r.f[V] = 0", "r.f = r.g \\/ r.c = 0",
		"DOMAIN r.g \\subseteq DOMAIN r.f", "Cardinality(DOMAIN r.g) < 2",
		"q = <<>> \\/ Head(q) # r.f", "\\A i \\in DOMAIN q : \\A V \\in DOMAIN q[i] : q[i][V] < 1",
		"r.c = 0 \\/ r.g # r.f", "[V \\in DOMAIN r.f |-> 0] = r.f \\/ Len(q) < 2",
		"r # [c |-> 1, f |-> r.g, g |-> r.f]", "TRUE", "TRUE")
}
