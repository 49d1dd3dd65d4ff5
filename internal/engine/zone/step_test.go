package zone

import (
	"fmt"
	"strings"
	"testing"
)

// TestEveryStep: before_update and after_update run once with each step, around the updates of its
// edges.
func TestEveryStep(t *testing.T) {
	text := `int[0,9] v, before, after, steps; clock x; chan c; bool wrong;
void count() { steps++; if (after != v) wrong = true; }
before_update { before = v, count(), x = 0 }
after_update { after = v }
process P() { state a, b, d, e; init a; trans a -> b { sync c!; assign v = v + 1; }, b -> d { guard x >= 2; assign v = before + 3; }, d -> e { guard x <= 1; }; }
process Q() { state a; init a; trans a -> a { sync c?; assign v = 2 * v; }; } system P, Q;`
	queries := "E<> P.b and v == 2 and before == 0 and after == 2 and steps == 1\nE<> P.d and v == 5 and before == 2 and after == 5 and steps == 2\nA[] not wrong\n" +
		"E<> P.e and steps == 3\nE<> P.e and steps != 3\nA[] P.d imply steps == 2\nE<> P.d and x < 1\nE<> P.b and x > 5"
	for i, r := range check(t, text, queries, Options{}) {
		if want := []Answer{Satisfied, Satisfied, Satisfied, Satisfied, NotSatisfied, Satisfied,
			Satisfied, Satisfied}[i]; r.Answer != want {
			t.Errorf("query %d: %d %s, want %d", i, r.Answer, r.Reason, want)
		}
	}
}

// TestPrioritiesWithoutDefault: an unnamed channel has the lowest priority, with the first channels
// of the list.
func TestPrioritiesWithoutDefault(t *testing.T) {
	text := `broadcast chan low, high, other; chan priority low < high;
process P() { state a, b, c, d, e; init a; trans a -> a { guard false; }, a -> b { sync low!; }, a -> c { sync other!; }, a -> d { }, %s a -> a { guard false; }; } system P;`
	queries := "E<> P.b\nE<> P.c\nE<> P.d\nE<> P.e"
	for edge, want := range map[string]Answer{"": Satisfied,
		"a -> e { sync high!; },": NotSatisfied} {
		r := check(t, fmt.Sprintf(text, edge), queries, Options{})
		if r[0].Answer != want || r[1].Answer != want || r[2].Answer != want ||
			(r[3].Answer == Satisfied) != (edge != "") {
			t.Errorf("%q: %d %d %d %d", edge, r[0].Answer, r[1].Answer, r[2].Answer, r[3].Answer)
		}
	}
}

// TestPriorities: a step waits for steps of higher priority, and for their errors, only where the
// clocks allow them.
func TestPriorities(t *testing.T) {
	text := `clock x; int[0,1] v; chan low, high, none; chan priority low < default < high;
process P() { state a, b, c, d; init a; trans a -> b { guard x <= 3; sync low!; }, a -> c { guard x >= 1 && x < 2; sync high!; },
  a -> d { guard x > 5; assign v = 2; }, a -> d { sync none!; }; }
process Q() { clock y; state a { y <= 4 }; init a; trans a -> a { sync low?; assign y = 0; }, a -> a { sync high?; }; }
system P, Q;`
	queries := "E<> P.b and x < 1\nE<> P.b and x == 1 and Q.y == 0\nsup{P.b and Q.y == 0}: x\nE<> P.d\nA[] not deadlock\nE<> P.b and x >= 2 and Q.y == 0\nA<> P.b"
	for i, r := range check(t, text, queries, Options{}) {
		want := []Answer{Satisfied, NotSatisfied, Satisfied, NotSatisfied, NotSatisfied, Satisfied,
			NotSatisfied}[i]
		if r.Answer != want || i == 2 && r.Value != "3" {
			t.Errorf("query %d: %d %s %s, want %d", i, r.Answer, r.Value, r.Reason, want)
		}
	}
}

// TestReceivers: a process takes part in a broadcast exactly where the clocks allow it.
func TestReceivers(t *testing.T) {
	text := `clock x; broadcast chan c; process P() { state a, b; urgent b; init a; trans a -> b { sync c!; }; }
process Q() { state a, d; init a; trans a -> d { guard x >= 2 && x <= 4; sync c?; }; } system P, Q;`
	queries := "E<> P.b and Q.a and x < 2\nE<> P.b and Q.a and x > 4\nE<> P.b and Q.d and x == 3\nE<> P.b and Q.a and x == 3\nE<> P.b and Q.d and x < 2"
	for i, r := range check(t, text, queries, Options{}) {
		if want := []Answer{Satisfied, Satisfied, Satisfied, NotSatisfied,
			NotSatisfied}[i]; r.Answer != want {
			t.Errorf("query %d: %d %s, want %d", i, r.Answer, r.Reason, want)
		}
	}
	// A process that must take part and cannot arrive makes the step impossible.
	text = strings.NewReplacer("d;", "d { 1 == 2 };", "x >= 2 && x <= 4", "x <= 3").Replace(text)
	for i, r := range check(t, text, "A[] deadlock\nE<> P.b and x <= 3\nE<> P.a and deadlock",
		Options{}) {
		if r.Answer != NotSatisfied {
			t.Errorf("query %d: %d %s", i, r.Answer, r.Reason)
		}
	}
	text = strings.Replace(text, "x <= 3", "x >= 3", 1)
	if r := check(t, text, "E<> P.a and deadlock", Options{})[0]; r.Answer != Satisfied {
		t.Errorf("%d %s", r.Answer, r.Reason)
	}
	// A larger value with another receiver does not stand for a smaller one.
	text = `clock x; broadcast chan c; process P() { state a, m, b; init a; trans a -> m { guard x >= 5; }, a -> m { guard x <= 1; }, m -> b { sync c!; }; }
process Q() { state a, d; init a; trans a -> d { guard x >= 5; sync c?; }; } system P, Q;`
	if r := check(t, text, "E<> P.b and Q.a", Options{})[0]; r.Answer != Satisfied {
		t.Errorf("%d %s", r.Answer, r.Reason)
	}
}

// TestImpossibleRivals: a step does not wait for a step that its own target forbids.
func TestImpossibleRivals(t *testing.T) {
	text := `int v; broadcast chan c; chan priority default < c; process P() { state a, b, d { v == 1 }; init a; trans
  a -> b { }, a -> d { sync c!; }; } system P;`
	if r := check(t, text, "E<> P.b", Options{})[0]; r.Answer != Satisfied {
		t.Errorf("%d %s", r.Answer, r.Reason)
	}
}

// TestErrorsOfSteps: a step with an error of the model is no reason for a deadlock, and the error
// is reported.
func TestErrorsOfSteps(t *testing.T) {
	text := `clock x; int[0,1] v; process P() { state a { x <= 2 }; init a; trans a -> a { guard x >= 2; assign v = 2; }; } system P;`
	for _, q := range []string{"E<> deadlock", "A<> not P.a"} {
		if r := check(t, text, q, Options{})[0]; r.Answer != Unknown ||
			!strings.Contains(r.Reason, "not between") {
			t.Errorf("%s: %d %s", q, r.Answer, r.Reason)
		}
	}
}

// TestPrioritiesLookBothWays: where a step of a higher priority waits for a clock, larger values do
// not simulate smaller ones.
func TestPrioritiesLookBothWays(t *testing.T) {
	text := `clock x; broadcast chan c; chan priority default < c; process P() { state a, m, low, high; init a; trans
  a -> m { guard x >= 5; }, a -> m { guard x <= 1; }, m -> low { }, m -> high { guard x >= 5; sync c!; }; } system P;`
	for _, depthFirst := range []bool{false, true} {
		if r := check(t, text, "E<> P.low", Options{DepthFirst: depthFirst})[0]; r.Answer !=
			Satisfied {
			t.Errorf("depth first %v: %d", depthFirst, r.Answer)
		}
	}
}
