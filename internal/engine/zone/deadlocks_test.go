package zone

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/uppaal"
	"erelong.dev/erelong/internal/timed"
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

// TestDeadlocksOfManyInvariants: seven processes each may move from a moment on, and must before
// another one. The values without a step are computed, and hold a point exactly if no process may
// move when the first invariant ends. Cut in the order of the steps, there are hundreds of pieces
// on the way.
func TestDeadlocksOfManyInvariants(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, late := range []int{0, 1, 3} {
		const n = 7
		var from, to [n]int
		text, names := "", ""
		for i := range n {
			to[i] = 20 + 10*i
			from[i] = to[i] - random.IntN(15)
			if i < late {
				from[i] = to[i] + 2
			}
			names = strings.TrimPrefix(fmt.Sprintf("%s, P%d", names, i), ", ")
			text += fmt.Sprintf("process P%d() { clock t; state a { t <= %d }; init a; "+
				"trans a -> a { guard t >= %d; }; }\n", i, to[i], from[i])
		}
		net, err := uppaal.Read("m.xta", text+"system "+names+";", "m.q", "A[] not deadlock")
		if err != nil {
			t.Fatal(err)
		}
		a, err := analyse(context.Background(), net, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := newExplorer(net, a).deadlocks()
		if d.many || (len(d.parts) > 0) != (late > 0) {
			t.Errorf("%d late: too many %v, %d parts", late, d.many, len(d.parts))
		}
		var doubled []zone // as points are in halves
		for _, part := range d.parts {
			part = part.clone()
			for k, b := range part.m {
				if b != infinity {
					part.m[k] = atMost(2*int64(b>>1), b&1 == 0)
				}
			}
			doubled = append(doubled, part)
		}
		dead := 0
		for range 1000 {
			var halves [n]int // of a unit
			point := zero(n + 1)
			left := 2 * to[n-1]
			for i := range n {
				halves[i] = random.IntN(2*to[i] + 1)
				left = min(left, 2*to[i]-halves[i])
			}
			want := true
			for i := range n {
				want = want && halves[i]+left < 2*from[i]
				point.reset(i+1, int64(halves[i]))
			}
			got := false
			for _, part := range doubled {
				got = got || point.clone().intersect(part)
			}
			if got != want {
				t.Fatalf("%d late, %v halves: deadlock %v, want %v", late, halves, got, want)
			}
			if want {
				dead++
			}
		}
		if (dead > 0) != (late > 0) {
			t.Errorf("%d late: %d deadlocks seen", late, dead)
		}
	}
}

// A zone that may hide a deadlock asks for the numbers that reveal it. Where differences of clocks
// decide, or there are too many parts to know them, no numbers do, and the search ends at once.
func TestDoubts(t *testing.T) {
	net, err := uppaal.Read("m.xta", "clock x, y; process P() { state a; init a; } system P;", "", "")
	if err != nil {
		t.Fatal(err)
	}
	a, err := analyse(t.Context(), net, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := newExplorer(net, a)
	always := &timed.Formula{Op: timed.Data, Eval: func(*timed.Memory) int32 { return 1 }}
	never := &timed.Formula{Op: timed.Data, Eval: func(*timed.Memory) int32 { return 0 }}
	part := func(limits ...limitOf) zone {
		z := whole(x.n)
		if !z.constrainAll(limits) {
			t.Fatal("the part is empty")
		}
		return z
	}
	late := part(limitOf{0, 1, atMost(-7, false)})
	apart := part(limitOf{1, 2, atMost(3, false)})
	for _, c := range []struct {
		name       string
		f          *timed.Formula
		known      deadlocks
		some, lost bool
		lower      int32
	}{
		{"no deadlock", always, deadlocks{}, false, false, none},
		{"a number", always, deadlocks{parts: []zone{late}}, true, false, 7},
		{"a difference", always, deadlocks{parts: []zone{apart}}, true, true, none},
		{"both", always, deadlocks{parts: []zone{apart, late}}, true, true, 7},
		{"too many", always, deadlocks{many: true}, true, true, none},
		{"it does not matter", never, deadlocks{parts: []zone{late}, many: true}, false, false, none},
	} {
		var d doubts
		d.consider(x, zero(x.n), newTable(x.n), c.f, &c.known, 10)
		if d.some != c.some || d.lost != c.lost || c.some && d.lower[1] != c.lower {
			t.Errorf("%s: %+v", c.name, d)
		}
		if d.enough(10) != c.lost || d.enough(21) != c.some {
			t.Errorf("%s: the search ends after 10 zones %v, after 21 %v", c.name, d.enough(10),
				d.enough(21))
		}
	}
}
