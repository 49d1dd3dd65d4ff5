package system_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// manyBranches are actions whose values are exponentially large as trees.
func manyBranches(n int) map[string]string {
	repeat := func(f func(i int) string) string {
		var out strings.Builder
		for i := range n {
			out.WriteString(f(i) + "\n")
		}
		return out.String()
	}
	const numbers = "mutable constant x: 0..7\nmutable constant y: 0..7\ninit x = 0 & y = 1\n"
	const functions = "sort c\nmutable relation f(c)\nmutable relation g(c)\ninit !f(X) & !g(X)\n"
	return map[string]string{
		"conditions": numbers + "action a() {\n" + repeat(func(int) string {
			return "if x = y { x := if x < 7 then x + 1 else 0; } else { y := if y < 7 then y + 1 else 0; }"
		}) + "}\n",
		"requirements": numbers + "action a() {\n" + repeat(func(int) string {
			return "if x = y { require x < 7; x := x + 1; } else { y := x; }"
		}) + "}\n",
		"functions": functions + "action a(p: c, q: c) {\n" + repeat(func(int) string {
			return "if f(p) = g(q) { f(p) := !f(q); } else { g(q) := !g(p); f(X) := g(X); }"
		}) + "}\n",
		"branches on quantifiers": functions + "action a(p: c) {\n" + repeat(func(int) string {
			return "if forall X:c. f(X) | g(p) { f(p) := g(p); } else { g(p) := !f(p); }"
		}) + "}\n",
		"doublings": "mutable constant x: int\ninit x = 0\naction a() {\n" + repeat(func(
			int,
		) string {
			return "x := x + x;"
		}) + "}\n",
		"lets": "mutable constant x: int\ninit x = 0\naction a() {\nlet l0 = x;\n" + repeat(func(
			i int,
		) string {
			return fmt.Sprintf("let l%d = l%d + l%d;", i+1, i, i)
		}) + fmt.Sprintf("x := l%d;\n}\n", n),
		"definitions": functions + "definition d0(e: c) = f(e)\n" + repeat(func(i int) string {
			return fmt.Sprintf("definition d%d(e: c) = d%d(e) & (exists X:c. d%d(e) | X != e)", i+1,
				i, i)
		}) + fmt.Sprintf("action a(p: c) {\nrequire d%d(p);\nf(X) := d%d(X);\n}\nsafety d%d(Y)\n",
			n, n, n),
		"a transition": functions + "definition d0(e: c) = f(e)\n" + repeat(func(i int) string {
			return fmt.Sprintf("definition d%d(e: c) = d%d(e) & !d%d(e)", i+1, i, i)
		}) + fmt.Sprintf("transition a(p: c)\n  modifies f\n  d%d(p) & (forall X. f'(X) <-> d%d(X))\n", n, n),
	}
}

// TestLargeActions counts the nodes, as trees, of both renderings of such actions. They must be
// about as many as the text has.
func TestLargeActions(t *testing.T) {
	const n = 60
	for name, text := range manyBranches(n) {
		t.Run(name, func(t *testing.T) {
			sys, list, err := ere.Compile("x.ere", text)
			if err != nil {
				t.Fatal(err, list)
			}
			a := sys.Actions[0]
			for _, u := range a.Relation.Updates {
				if nodes := logic.Size(u.Value); nodes > 200*n+10*n*n {
					t.Errorf("the new value of %s has %d nodes", u.Symbol, nodes)
				}
			}
			total := 0
			for _, g := range a.Relation.Guard {
				total += logic.Size(g)
			}
			for _, p := range sys.Properties {
				total += logic.Size(p.Term)
			}
			if total > 200*n {
				t.Errorf("guards and properties have %d nodes", total)
			}
			if text := sys.String(); len(text) > 20_000*n {
				t.Errorf("the dump has %d bytes", len(text))
			}
		})
	}
}

// TestTooLarge refuses values that are exponentially large even when sub-terms have names.
func TestTooLarge(t *testing.T) {
	text := "sort c\nmutable relation f(c)\ninit !f(X)\naction a(p: c) {\n" +
		strings.Repeat("f(X) := (exists Y:c. f(Y) & X != Y) | f(X);\n", 60) + "}\n"
	_, _, err := ere.Compile("x.ere", text)
	if err == nil || !strings.Contains(err.Error(), "the new value of f is too large") {
		t.Errorf("error: %v", err)
	}
}

// TestInterrupted interrupts the work on a large action at many places.
func TestInterrupted(t *testing.T) {
	text := manyBranches(200)["functions"]
	for left := 0; ; left = 2*left + 1 {
		errs := &diag.List{}
		_, err := ere.Build(&testkit.Late{Context: t.Context(), Left: left},
			syntax.Parse(diag.NewSource("x.ere", text), errs), errs)
		if err == nil {
			if left < 400 {
				t.Errorf("asked only %d times whether to go on", left)
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}

func BenchmarkLargeActions(b *testing.B) {
	for name, text := range manyBranches(200) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := ere.Compile("x.ere", text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestManyActions compiles and dumps files of many actions. The memory that this takes is in
// proportion to their number: it measures work, not time.
func TestManyActions(t *testing.T) {
	allocated := func(n int) uint64 {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "mutable constant b%d: bool\ninit !b%d\n", i, i)
			fmt.Fprintf(&text, "action a%d() { require !b%d; b%d := *; }\n", i, i, i)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		sys := testkit.Compile(t, text.String()+"safety b0 | !b0\n")
		if err := system.Validate(sys); err != nil || len(sys.String()) < 50*n {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	allocated(10)
	few, many := allocated(500), allocated(1500)
	t.Logf("%d kB for 500 actions, %d kB for 1,500", few/1024, many/1024)
	if many > 5*few {
		t.Errorf("1,500 actions take %.1f times as much as 500", float64(many)/float64(few))
	}
}
