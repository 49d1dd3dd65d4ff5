package zone

import (
	"fmt"
	"testing"
)

// TestStuck: clocks are set again when b is left, so only the numbers of the ways out concern it.
// The first zone of b simulates the other zones, which have no step. The numbers of the deadlock
// distinguish them, or region equivalence does where differences matter.
func TestStuck(t *testing.T) {
	for _, c := range []struct{ late, leave string }{
		{"guard x >= 5;", "b -> a { guard x <= 3; assign x = 0, y = 0; }"},
		{"guard x > 3;", "b -> a { guard x <= 3; assign x = 0, y = 0; }"},
		{"guard x >= 5 && y >= 2; assign y = 0;", "b -> a { guard x <= 3; assign x = 0, y = 0; }, b -> a { guard y >= 4; assign x = 0, y = 0; }"},
		{"guard y >= 3 && x <= 1;", "b -> a { guard y <= 2; assign x = 0, y = 0; }"},
	} {
		text := fmt.Sprintf(`clock x, y; process P() { state a, b, z; urgent b; init a;
  trans a -> b { assign x = 0, y = 0; }, a -> a { assign x = 0; }, a -> b { %s }, %s, a -> z { }, z -> z { }; } system P;`, c.late, c.leave)
		for query, want := range map[string]Answer{
			"A[] not deadlock":             NotSatisfied,
			"E<> deadlock and P.b":         Satisfied,
			"E<> deadlock and P.a":         NotSatisfied,
			"P.b --> not P.b":              NotSatisfied,
			"E[] not P.z":                  Satisfied,
			"A[] (P.b imply not deadlock)": NotSatisfied,
		} {
			if r := check(t, text, query, Options{})[0]; r.Answer != want {
				t.Errorf("%s, %s, %s: answer %d, want %d", c.late, c.leave, query, r.Answer, want)
			}
		}
	}
}

// TestStuckWork: where a step is possible whatever clocks show, a deadlock query needs no more
// zones than one that does not speak of it.
func TestStuckWork(t *testing.T) {
	r := check(t, example(t, "fischer", 5), "A[] not deadlock\nA[] not (P(1).cs and P(2).cs)",
		Options{})
	if r[0].Answer != Satisfied || r[0].Visited != r[1].Visited || r[0].Stored != r[1].Stored {
		t.Errorf("%+v, %+v", r[0], r[1])
	}
	// x <= 3 in b is a doubt for a moment only: with its number nothing is covered that has it.
	text := `clock x; process P() { state a, b { x <= 3 }; init a; trans a -> b { guard x >= 1; assign x = 0; }, b -> a { guard x <= 2; assign x = 0; }; } system P;`
	if r := check(t, text, "A[] not deadlock", Options{})[0]; r.Answer != NotSatisfied {
		t.Errorf("%+v", r)
	}
}
