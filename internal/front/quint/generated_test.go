package quint_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator writes files with runs. About half of what they assert is false.
type generator struct{ *rand.Rand }

func (g *generator) pick(of ...func() string) string { return of[g.IntN(len(of))]() }

// file is a machine with two variables, and runs of it and of expressions.
func (g *generator) file() string {
	var b strings.Builder
	b.WriteString("module generated {\n  var x: int\n  var f: int -> int\n")
	b.WriteString("  action init = all { x' = 0, f' = Set(0, 1, 2).mapBy(k => k) }\n")
	fmt.Fprintf(&b, "  action a = all { %s, x' = %s, f' = f.setBy(%d, old => (old + x) %% 3) }\n",
		g.condition(1), g.digit(g.number(1)), g.IntN(3))
	fmt.Fprintf(&b, "  action b = { nondet k = Set(0, 1, 2).oneOf() all { f.get(k) >= %d, x' = %s, "+
		"f' = f.set(k, %s) } }\n", g.IntN(2), "(x + k) % 4", g.digit(g.number(1)))
	b.WriteString("  action step = any { a, b }\n")
	for i := range 12 {
		fmt.Fprintf(&b, "  run e%dTest = init.then(all { assert(%s), x' = x, f' = f })\n", i,
			g.condition(3))
	}
	// Few steps, so that samples meet each choice, and at least one: after none, quint test has
	// variables without values.
	for i := range 4 {
		fmt.Fprintf(&b, "  run r%dTest = init.then(%d.reps(_ => %s)).expect(%s)\n", i, 1+g.IntN(2),
			[]string{"a", "b", "step"}[g.IntN(3)], g.condition(1))
	}
	b.WriteString("}\n")
	return b.String()
}

func (g *generator) digit(n string) string { return "if (" + n + " % 3 < 0) 1 else " + n + " % 3" }

// number is an expression of type int.
func (g *generator) number(depth int) string {
	if depth == 0 {
		return g.pick(func() string { return "x" }, func() string { return fmt.Sprint(g.IntN(4)) },
			func() string { return fmt.Sprintf("f.get(%d)", g.IntN(3)) })
	}
	n := func() string { return g.number(depth - 1) }
	s := func() string { return g.set(depth - 1) }
	l := func() string { return g.list(depth - 1) }
	return g.pick(func() string { return "(" + n() + " - " + n() + ")" },
		func() string { return "(" + n() + " * " + n() + ")" },
		func() string { return "(" + n() + " / 2)" },
		func() string { return "(" + n() + " * 36893488147419103233)" },
		func() string { return "(" + n() + " + 9223372036854775807)" },
		func() string { return "(" + n() + " / 4294967297)" },
		func() string { return "(" + n() + " % 3)" },
		func() string { return s() + ".size()" },
		func() string { return s() + ".fold(0, (acc, v) => acc + v)" },
		func() string { return l() + ".length()" },
		func() string { return l() + ".foldl(1, (acc, v) => 2 * acc - v)" },
		func() string { return l() + ".foldr(1, (v, acc) => 2 * acc - v)" },
		func() string { return "if (" + g.condition(depth-1) + ") " + n() + " else " + n() })
}

// set is an expression of type Set[int].
func (g *generator) set(depth int) string {
	if depth == 0 {
		return g.pick(func() string { return "Set(0, 2)" }, func() string { return "f.keys()" },
			func() string { return "1.to(3)" }, func() string { return "Set()" })
	}
	s := func() string { return g.set(depth - 1) }
	n := func() string { return g.number(depth - 1) }
	return g.pick(func() string { return s() + ".union(" + s() + ")" },
		func() string { return s() + ".exclude(" + s() + ")" },
		func() string { return s() + ".map(v => v * v - " + n() + ")" },
		func() string { return s() + ".filter(v => v > " + n() + ")" },
		func() string { return "Set(" + n() + ", " + n() + ")" },
		func() string { return s() + ".powerset().map(t => t.size())" },
		func() string { return g.list(depth-1) + ".indices()" },
		func() string { return "Map(1 -> 2).put(" + n() + ", 3).keys()" })
}

// list is an expression of type List[int].
func (g *generator) list(depth int) string {
	if depth == 0 {
		return g.pick(func() string { return "[1, 2]" }, func() string { return "[x]" },
			func() string { return "range(0, 3)" })
	}
	l := func() string { return g.list(depth - 1) }
	return g.pick(func() string { return l() + ".append(" + g.number(depth-1) + ")" },
		func() string { return l() + ".concat(" + l() + ")" },
		func() string { return l() + ".tail()" },
		func() string { return l() + ".select(v => v != " + g.number(depth-1) + ")" },
		func() string { return l() + ".replaceAt(0, " + g.number(depth-1) + ")" })
}

// condition is an expression of type bool.
func (g *generator) condition(depth int) string {
	if depth == 0 {
		return fmt.Sprintf("x < %d", g.IntN(4))
	}
	d := depth - 1
	return g.pick(func() string { return g.number(d) + " <= " + g.number(d) },
		func() string { return g.set(d) + " == " + g.set(d) },
		func() string { return g.list(d) + " != " + g.list(d) },
		func() string { return g.set(d) + ".contains(" + g.number(d) + ")" },
		func() string { return g.set(d) + ".exists(v => v > " + g.number(d) + ")" },
		func() string { return g.set(d) + ".forall(v => v <= " + g.number(d) + ")" },
		func() string { return g.set(d) + ".subseteq(" + g.set(d) + ")" },
		func() string { return "(" + g.condition(d) + " implies " + g.condition(d) + ")" },
		func() string { return "not(" + g.condition(d) + ")" })
}
