package tlatest

import (
	"math/rand/v2"
	"strings"
)

// folded writes models over the function f, the sequence q, the set s and the number x, with folds.
type folded struct{ generator }

// Folded is the model of a seed with folds over sets and sequences.
func Folded(seed uint64) Model {
	g := folded{generator{rand.New(rand.NewPCG(seed, 43)), new(int)}}
	var b strings.Builder
	b.WriteString("---- MODULE S ----\nEXTENDS Integers, Sequences, FiniteSets, SequencesExt, " +
		"FiniteSetsExt\nCONSTANT P\nVARIABLES f, q, s, x\n" +
		"Init == f = [v \\in P |-> 0] /\\ q = <<>> /\\ s = {} /\\ x = 0\n")
	return stepping(&b, "f, q, s, x", g.step, g.claim)
}

// step is a step with the parameters p and n.
func (g folded) step() string {
	return g.oneOf("", "", "", g.truth()+" /\\ ", "x # "+g.number()+" /\\ ") + g.oneOf(
		"x' = ("+g.number()+") % 3 /\\ UNCHANGED <<f, q, s>>",
		"f' = "+g.function()+" /\\ UNCHANGED <<q, s, x>>",
		"f' = [f EXCEPT ![p] = (1 + @) % 3] /\\ UNCHANGED <<q, s, x>>",
		"s' = "+g.set()+" /\\ UNCHANGED <<f, q, x>>",
		"Len(q) < 2 /\\ q' = Append(q, p) /\\ UNCHANGED <<f, s, x>>",
		"q # <<>> /\\ q' = Tail(q) /\\ s' = "+g.set()+" /\\ UNCHANGED <<f, x>>")
}

// number is a number, which may be negative.
func (g folded) number() string {
	return g.oneOf("x", "FoldSet(LAMBDA v, a : a + f[v], n, s)",
		"FoldSet(LAMBDA v, a : IF f[v] = n THEN a ELSE 1 + a, 0, P)",
		"FoldSet(LAMBDA v, a : LET w == f[v] IN IF w > 1 THEN a - w ELSE a + w, 2, "+g.set()+")",
		"FoldLeft(LAMBDA a, v : f[v] + (a + 1), n, q)",
		"FoldLeft(LAMBDA a, v : CASE v = p -> a [] v \\in s -> a - 1 [] OTHER -> a + x, 0, q)",
		"MapThenSumSet(LAMBDA v : 2 * f[v], s)")
}

func (g folded) set() string {
	return g.oneOf("s \\cup {p}", "{q[i + 1] : i \\in 0..Len(q) - 1}",
		"FoldSet(LAMBDA v, a : IF f[v] = n THEN a \\cup {v} ELSE a, {p}, P)",
		"FoldSet(LAMBDA v, a : CASE f[v] = 0 -> a [] f[v] = n -> {p} \\cup a "+
			"[] OTHER -> a \\cup {v}, {}, s)",
		"FoldLeft(LAMBDA a, v : a \\cup (s \\ {v}), {}, q)", "FoldLeft(LAMBDA a, v : a, s, q)")
}

func (g folded) truth() string {
	return g.oneOf("FoldSet(LAMBDA v, a : a \\/ f[v] = n, FALSE, s)",
		"FoldSet(LAMBDA v, a : IF v = p THEN a ELSE f[v] > 0 /\\ a, x = n, P)",
		"FoldLeft(LAMBDA a, v : v \\in s /\\ a, TRUE, q)",
		"FoldLeft(LAMBDA a, v : v = p \\/ a \\/ f[v] = 2, p \\in s, q)")
}

func (g folded) function() string {
	return g.oneOf("FoldSet(LAMBDA v, a : [a EXCEPT ![v] = n], f, s)",
		"FoldSet(LAMBDA v, a : IF v = p THEN a ELSE [a EXCEPT ![v] = 2 - @], f, s)",
		"FoldSet(LAMBDA v, a : LET w == (f[v] + x) % 3 IN [a EXCEPT ![v] = w], f, "+g.set()+")")
}

func (g folded) claim() string {
	return g.oneOf("x < 2", "\\A p \\in P, n \\in 0..1 : "+g.truth()+" => x > 0",
		"\\A p \\in P, n \\in 0..1 : "+g.number()+" < 4", "\\A p \\in P : f[p] = 2 => p \\in s",
		"\\A p \\in P, n \\in 0..1 : Cardinality("+g.set()+") < 2",
		"\\A p \\in P, n \\in 0..1 : "+g.function()+" # [v \\in P |-> 2]", "TRUE",
		"\\A W \\in SUBSET {0, 2, 2}, p \\in P : x \\in W => f[p] \\in W \\cup {1, 0}",
		"\\E W \\in SUBSET ({1} \\cup {2, 1}) : Cardinality(W) = x /\\ Cardinality({x}) = 1")
}
