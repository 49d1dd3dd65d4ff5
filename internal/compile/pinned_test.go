package compile

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/interp"
)

// Integers to which a body gives a value need no range. A formula about them says what it says of a
// range that has all values, to the interpreter and in a program.
func TestPinned(t *testing.T) {
	const declarations = `sort n
		mutable function a(n): 0..2
		mutable constant b: 0..2
		mutable relation p(n)
		action go(c: n, v: 0..2) { require %[1]s; a(c) := v; b := 2 - v; p(c) := !p(c); }
		safety [same] (%[2]s) <-> (%[3]s)
		instance test { n = 2 }`
	r := rand.New(rand.NewSource(1))
	pick := func(xs ...string) string { return xs[r.Intn(len(xs))] }
	atom := func() string {
		x, y := pick("T", "U"), pick("a(C)", "a(D)", "b", "1", "T", "U")
		return pick(x+" = "+y, y+" = "+x, x+" = "+y, x+" < "+y, "p(C)", "!("+x+" = "+y+")",
			x+" + 1 = "+y)
	}
	list := func(by string) string {
		out := []string{pick("T = a(C)", "b = T", "T = U"), pick("U = a(D)", "U = b", "a(C) = U")}
		for range r.Intn(3) {
			out = append(out, atom())
		}
		r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		return "(" + strings.Join(out, by) + ")"
	}
	said := 0
	for range 60 {
		quantifier, body := "forall", list(" & ")+" -> "+atom()
		switch r.Intn(3) {
		case 0:
			quantifier, body = "exists", list(" & ")
		case 1:
			body = "!" + list(" & ") + " | " + atom()
		}
		of := func(sort string) string {
			return fmt.Sprintf("%s C: n, T: %s, D: n, U: %[2]s. %s", quantifier, sort, body)
		}
		m := parse(t, fmt.Sprintf(declarations, "("+of("int")+")", of("int"), of("0..2")))
		same := m.System.Property("same")
		failed := false
		err := m.Initial(t.Context(), func(s interp.State) error {
			holds, err := m.Holds(same.Term, s)
			if err != nil {
				failed = true // some integer has no value
				return interp.ErrStop
			}
			if !holds {
				t.Errorf("in %v: %s", m.Bindings(s, true), of("int"))
			}
			return nil
		})
		if err != nil && !failed {
			t.Fatal(err)
		}
		if failed {
			continue
		}
		said++
		if seen := compare(t, m, Options{}, 30); seen.states == 0 {
			t.Errorf("%s: no states", body)
		}
	}
	if said < 30 {
		t.Errorf("only %d formulas have a value", said)
	}
}
