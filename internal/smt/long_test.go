//go:build unix

package smt

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// often gives the number of rounds: few, except in long tests.
func often(few, many int) int {
	if os.Getenv("ERELONG_TEST") == "long" {
		return many
	}
	return few
}

// ours gives the z3 inside.
func ours(t *testing.T) Driver {
	t.Helper()
	for _, d := range installed(t) {
		if d.Name() == wasmName {
			return d
		}
	}
	t.Skip("z3 has not been fetched: make embed")
	return nil
}

var symbols = []string{"(declare-sort S 0)", "(declare-fun a () S)", "(declare-fun b () S)", "(declare-fun p (S) Bool)",
	"(declare-fun r (S S) Bool)", "(declare-fun f (S) Int)", "(declare-fun m () Int)", "(declare-fun n () Int)"}

// formula draws a formula over the symbols and the bound variables of sort S.
func formula(g *rand.Rand, depth int, bound []string) string {
	element := func() string { return append([]string{"a", "b"}, bound...)[g.IntN(2+len(bound))] }
	integer := func() string {
		switch g.IntN(5) {
		case 0:
			return fmt.Sprint(g.IntN(4))
		case 1:
			return "m"
		case 2:
			return "n"
		case 3:
			return "(f " + element() + ")"
		default:
			return "(+ n (f " + element() + "))"
		}
	}
	if depth == 0 {
		switch g.IntN(5) {
		case 0:
			return "(p " + element() + ")"
		case 1:
			return "(= " + element() + " " + element() + ")"
		case 2:
			return "(<= " + integer() + " " + integer() + ")"
		case 3:
			return "(= " + integer() + " " + integer() + ")"
		default:
			return "(r " + element() + " " + element() + ")"
		}
	}
	sub := func() string { return formula(g, depth-1, bound) }
	switch g.IntN(6) {
	case 0:
		return "(not " + sub() + ")"
	case 1:
		return "(and " + sub() + " " + sub() + ")"
	case 2:
		return "(or " + sub() + " " + sub() + ")"
	case 3:
		return "(=> " + sub() + " " + sub() + ")"
	default:
		x := fmt.Sprintf("x%d", len(bound))
		return fmt.Sprintf("(%s ((%s S)) %s)", []string{"forall", "exists"}[g.IntN(2)], x,
			formula(g, depth-1, append(bound[:len(bound):len(bound)], x)))
	}
}

// Two solvers, one of them not inside, never give opposite answers.
func TestLongSameAnswers(t *testing.T) {
	inside := NewSession(ours(t), Config{})
	defer inside.Close()
	ds, err := Find(t.Context(), []string{"z3"})
	if err != nil {
		t.Skip(err)
	}
	native := NewSession(ds[0], Config{})
	defer native.Close()
	g := rand.New(rand.NewPCG(1, 2))
	same := map[Status]int{}
	total := often(100, 10_000)
	for range total {
		var body []string
		for range 2 + g.IntN(5) {
			body = append(body, "(assert "+formula(g, 1+g.IntN(4), nil)+")")
		}
		q := Query{Base: symbols, Body: body, Rlimit: 500_000}
		a, err := inside.Check(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		b, err := native.Check(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case a.Status == b.Status:
			same[a.Status]++
		case a.Status != Unknown && b.Status != Unknown:
			t.Errorf("inside %s, native %s:\n%s", a.Status, b.Status, strings.Join(body, "\n"))
		}
	}
	t.Logf("of %d queries the same answer to: %v", total, same)
	if same[Sat] < total/10 || same[Unsat] < total/10 {
		t.Errorf("too few queries have the same answer: %v", same)
	}
}

// A session does not grow with the number of its queries.
func TestLongMemory(t *testing.T) {
	s := NewSession(ours(t), Config{})
	defer s.Close()
	g := rand.New(rand.NewPCG(3, 4))
	total := often(300, 100_000)
	early := 0
	for i := range total {
		q := Query{Base: symbols,
			Body: []string{"(assert " + formula(g, 3, nil) + ")",
				"(assert " + formula(g, 2, nil) + ")"}, Rlimit: 100_000}
		if _, err := s.Check(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		if i == total/20 {
			early = s.proc.(wasmInstance).z.Memory()
		}
	}
	late := s.proc.(wasmInstance).z.Memory()
	t.Logf("%d MiB after %d queries, %d MiB after %d", early>>20, total/20, late>>20, total)
	if late > 2*early {
		t.Errorf("the memory grows: %d bytes early, %d late", early, late)
	}
}
