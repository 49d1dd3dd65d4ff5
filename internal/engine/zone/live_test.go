package zone

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// orbit has two nearly independent loops with large numbers: with a clock that ticks, their zones
// would multiply.
const orbit = `bool seen, data;
process Ship() {
  clock x;
  state free { x <= 200 }, turn { x <= 30 }, work { x <= 60 }, send { x <= 50 };
  init free;
  trans
    free -> turn { guard !data; assign x = 0; },
    free -> send { guard data && seen; assign x = 0; },
    turn -> work { guard x >= 30 && !data; assign x = 0; },
    turn -> free { guard x >= 30 && data; assign x = 0; },
    work -> turn { guard x >= 40; assign x = 0, data = true; },
    send -> free { guard x >= 30; assign x = 0, data = false; };
}
process Ground() {
  clock y;
  state off { y <= 80 }, on { y <= 100 };
  init off;
  trans
    off -> on { guard y >= 50; assign y = 0, seen = true; },
    on -> off { guard y >= 70; assign y = 0, seen = false; };
}
system Ship, Ground;`

// crowd has processes that do not matter to the query.
const crowd = `process Idler() { state a, b, c; init a; trans a -> b { }, b -> a { }, b -> c { }; }
process Worker() {
  clock x;
  state fault { x <= 20 }, mended, busy;
  init busy;
  trans busy -> fault { assign x = 0; }, fault -> mended { guard x >= 10; assign x = 0; }, mended -> busy { };
}
process Bounded() { clock z; state a { z <= 10 }, b; init a; trans a -> b { }; }
A = Idler(); B = Idler(); C = Idler();
system A, B, C, Worker, Bounded;`

// TestWorkOfLiveness fixes the numbers of zones and steps for some queries, so that an increase is
// noticed.
func TestWorkOfLiveness(t *testing.T) {
	for _, c := range []struct {
		name, text, query string
		answer            Answer
		visited, steps    int64
	}{
		{"orbit", orbit, "Ship.send --> Ship.free", Satisfied, 30, 50},
		{"orbit", orbit, "A<> Ship.work", Satisfied, 6, 10},
		{"orbit", orbit, "Ship.work --> Ship.send", NotSatisfied, 28, 42},
		{"orbit", orbit, "E[] not Ship.send", Satisfied, 57, 91},
		{"crowd", crowd, "Worker.fault --> Worker.mended", Satisfied, 172, 770},
		{"crowd", crowd, "A<> Bounded.b", Satisfied, 81, 405},
		{"crowd", crowd, "A<> A.c", NotSatisfied, 6, 28},
		{"crowd", crowd, "E[] Worker.busy or A.b", Satisfied, 5, 23},
		{"fischer", example(t, "fischer", 4), "P(1).req --> P(1).wait", Satisfied, 283, 567},
		{"fischer", example(t, "fischer", 4), "P(1).req --> P(1).cs", NotSatisfied, 3, 8},
	} {
		r := check(t, c.text, c.query, Options{})[0]
		got := fmt.Sprintf("answer %d, %d visited, %d steps", r.Answer, r.Visited, r.Steps)
		if want := fmt.Sprintf("answer %d, %d visited, %d steps", c.answer, c.visited,
			c.steps); got != want {
			t.Errorf("%s, %s: %s %q, want %s", c.name, c.query, got, r.Reason, want)
		}
		if (r.Run == nil) != (c.answer == Satisfied) && c.query[0] != 'E' {
			t.Errorf("%s, %s: run %v", c.name, c.query, r.Run)
		}
	}
}

// TestDivergence: time diverges on a cycle only where it can pass, and where each clock that stays
// bounded is set again.
func TestDivergence(t *testing.T) {
	for _, c := range []struct {
		states, edges string
		answer        Answer // of A<> P.z
	}{
		{"a { x <= 1 }, z", "a -> a { assign x = 0; }", NotSatisfied},
		{"a { x <= 1 }, z", "a -> a { assign y = 0; }", Satisfied},
		{"a { x <= 1 && y <= 1 }, z", "a -> a { assign y = 0; }, a -> a { assign x = 0; }",
			NotSatisfied},
		{"a { x <= 0 }, z", "a -> a { assign x = 0; }", Satisfied},
		{"a { x <= 0 }, b { y <= 3 }, z", "a -> b { }, b -> a { assign x = 0, y = 0; }",
			NotSatisfied},
		{"a { x <= 0 }, b { y <= 3 }, z", "a -> b { assign x = 0; }, b -> a { guard x == 0; assign y = 0; }, b -> z { }", Satisfied},
		{"a { x <= 2 }, b { y <= 2 }, z", "a -> b { guard x == 0; assign y = 0; }, b -> a { guard y == 0; assign x = 0; }, b -> z { }", Satisfied},
		{"a { x <= 2 }, b { y <= 2 }, z", "a -> b { assign x = 0, y = 0; }, b -> a { guard y == 0; }", NotSatisfied},
		{"a { x < 1 }, b { x < 1 }, z", "a -> b { guard x > 0; assign x = 0; }, b -> a { guard x > 0; assign x = 0; }", NotSatisfied},
		{"a { x <= 3 }, z", "a -> a { guard x == 3; assign x = 3; }", Satisfied},
		{"a { x <= 3 }, z", "a -> a { guard x == 3; assign x = 2; }", NotSatisfied},
		{"a { x <= 1 }, b { x <= 1 }, z", "a -> b { assign y = 0; }, b -> a { guard y <= 1; }, b -> b { assign x = 0; }", NotSatisfied},
	} {
		text := fmt.Sprintf("clock x, y; process P() { state %s; init a; trans %s, a -> z { }; } system P;", c.states, c.edges)
		r := check(t, text, "A<> P.z", Options{})[0]
		if r.Answer != c.answer {
			t.Errorf("%s, %s: %d %s, want %d", c.states, c.edges, r.Answer, r.Reason, c.answer)
		}
		if (r.Reason == "") != (c.answer == NotSatisfied) {
			t.Errorf("%s, %s: the remark is %q", c.states, c.edges, r.Reason)
		}
	}
}

// TestCoveredCycle: the one process comes every three units, the other one every four. They
// alternate a few times only; each time the zone is a part of the one before, so covering alone
// would see a cycle.
func TestCoveredCycle(t *testing.T) {
	text := `clock x, y; process P() { state a { x <= 3 }, p { x <= 3 }, q { y <= 4 }, z; init a; trans
  a -> p { assign y = 0; }, p -> q { guard x == 3; assign x = 0; }, q -> p { guard y == 4; assign y = 0; }, p -> z { }, q -> z { }; } system P;`
	if r := check(t, text, "A<> P.z", Options{})[0]; r.Answer != Satisfied || r.Reason != "" {
		t.Errorf("answer %d %s", r.Answer, r.Reason)
	}
}

// TestSettledRemark: the other process comes at most four times while the goal is missed, so there
// is nothing to remark; if it need not wait, there is.
func TestSettledRemark(t *testing.T) {
	for guard, want := range map[string]bool{"guard y >= 5;": false, "guard y > 0;": true,
		"": true} {
		text := `process P() { clock x; state a { x <= 20 }, z; init a; trans a -> z { }; }
process Q() { clock y; state a, b; init a; trans a -> b { ` + guard + ` assign y = 0; }, b -> a { }; } system P, Q;`
		r := check(t, text, "A<> P.z", Options{})[0]
		if r.Answer != Satisfied || (r.Reason != "") != want {
			t.Errorf("%q: answer %d %s", guard, r.Answer, r.Reason)
		}
	}
}

// A run for ever is found whatever the order of the edges: one loop bounds a clock, which another
// one sets again.
func TestLoopsInAnyOrder(t *testing.T) {
	var permute func(done, left []string)
	permute = func(done, left []string) {
		if len(left) > 0 {
			for i, e := range left {
				permute(append(slices.Clone(done), e), slices.Delete(slices.Clone(left), i, i+1))
			}
			return
		}
		text := "process P() { clock x, y; state a { x <= 9 }, b { x <= 9 }, c; init a; trans " +
			strings.Join(done, ", ") + "; } system P;"
		for query, want := range map[string]Answer{"A<> P.c": NotSatisfied,
			"P.b --> P.c": NotSatisfied, "E[] not P.c": Satisfied} {
			if r := check(t, text, query, Options{})[0]; r.Answer != want {
				t.Errorf("%s, %s: answer %d, want %d", text, query, r.Answer, want)
			}
		}
	}
	for _, edges := range [][]string{
		{"a -> a { guard x <= 5; }", "a -> b { guard y >= 1; }", "b -> a { assign x = 0; }",
			"a -> a { guard y <= 20; assign x = 0, y = 0; }"},
		{"a -> a { guard x <= 5; }", "a -> b { }", "b -> a { assign x = 0; }"},
		{"a -> a { guard y <= 5; }", "a -> b { }", "b -> a { assign x = 0, y = 0; }"},
	} {
		permute(nil, edges)
	}
}
