package tlatest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// keyed writes models over the functions k and m, whose domains change, e of such functions, and h,
// whose domain is P.
type keyed struct{ generator }

// Kept begins a choice in Init, which the states of the translation keep.
const Kept = "\\E c \\in [P -> 0..1]"

// Keyed is the model of a seed whose functions have domains that depend on the state, and whose
// steps choose functions.
func Keyed(seed uint64) Model {
	g := keyed{generator{rand.New(rand.NewPCG(seed, 17)), new(int)}}
	var b strings.Builder
	b.WriteString("---- MODULE S ----\nEXTENDS Integers, FiniteSets, TLC\n" +
		"CONSTANT P\nVARIABLES e, h, k, m\n")
	fmt.Fprintf(&b, "Init == /\\ k = [v \\in %s |-> 0]\n        /\\ m = %s\n"+
		"        /\\ e = [v \\in {} |-> k]\n        /\\ %s\n",
		g.oneOf("{}", "{}", "P"), g.oneOf("k", "[V \\in {} |-> 0]", "[V \\in P |-> 1]"),
		g.oneOf("h = [V \\in P |-> TRUE]", "h \\in [P -> {TRUE, FALSE}]",
			Kept+" : h = [V \\in P |-> c[V] = 1]"))
	return stepping(&b, "e, h, k, m", g.step, g.claim)
}

// step is a step with the parameters p and n.
func (g keyed) step() string {
	f := g.oneOf("m", "m", "k")
	rest := map[string]string{"m": "k' = k", "k": "m' = m"}[f]
	return g.oneOf("", "p \\in DOMAIN k /\\ ", "m # k /\\ ") + g.oneOf(
		f+"' = "+g.function()+" /\\ "+rest+" /\\ UNCHANGED <<e, h>>",
		f+"' = "+g.function()+" /\\ "+rest+" /\\ e' = [e EXCEPT ![p] = "+f+"'] /\\ h' = h",
		"e' = (p :> ("+g.function()+")) @@ e /\\ UNCHANGED <<h, k, m>>",
		"e' = [V \\in DOMAIN e \\ {p} |-> e[V]] /\\ UNCHANGED <<h, k, m>>",
		"p \\in DOMAIN e /\\ m' = e[p] /\\ UNCHANGED <<e, h, k>>",
		"h' \\in [P -> {n = 0, h[p]}] /\\ UNCHANGED <<e, k, m>>",
		"(\\E d \\in [P -> 0..1] : h' = [V \\in P |-> h[V] \\/ d[V] = n] /\\ d[p] = 1) /\\ "+
			"UNCHANGED <<e, k, m>>")
}

// function is a function of the kind of m and k.
func (g keyed) function() string {
	f := g.oneOf("m", "k")
	return g.oneOf("m", "k", "(p :> n) @@ "+f, f+" @@ (p :> n)", "m @@ k",
		"[V \\in DOMAIN "+f+" \\cup {p} |-> IF V = p THEN n ELSE "+f+"[V]]",
		"[V \\in DOMAIN "+f+" \\ {p} |-> "+f+"[V]]",
		"["+f+" EXCEPT ![p] = n]", "[V \\in DOMAIN "+f+" |-> 1 - "+f+"[V]]",
		"[V \\in DOMAIN k \\cap DOMAIN m |-> k[V]]",
		"(IF p \\in DOMAIN k THEN k ELSE m)",
		"(IF p \\in DOMAIN m /\\ m[p] = n THEN [V \\in DOMAIN m \\ {p} |-> n] ELSE p :> n)")
}

func (g keyed) claim() string {
	return g.oneOf("\\A V \\in DOMAIN m : m[V] = 0", "m = k", "DOMAIN m \\subseteq DOMAIN k",
		"\\A V \\in DOMAIN e : e[V] # m \\/ m = k", "Cardinality(DOMAIN m) < 2",
		"\\A V \\in P : h[V] \\/ V \\in DOMAIN k", "m \\in [P -> 0..1] => k \\in [P -> 0..1]",
		"\\A V \\in DOMAIN e : DOMAIN e[V] \\subseteq DOMAIN m", "m \\in [DOMAIN k -> {0}]",
		"[V \\in DOMAIN m |-> 0] # k \\/ m = k", "TRUE")
}
