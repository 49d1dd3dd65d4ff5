package timed_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/front/uppaal"
	"erelong.dev/erelong/internal/timed"
)

func read(t *testing.T, text string) *timed.Network {
	t.Helper()
	net, err := uppaal.Read("m.xta", text, "m.q", "E<> P.b")
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// steps lists the steps of the initial state by processes and targets, and the value of v after
// each.
func steps(net *timed.Network) (out []string) {
	s := timed.NewStepper(net, nil)
	start := s.State(nil)
	s.Each(func(parts []timed.Participant) {
		text := ""
		for _, p := range parts {
			text += fmt.Sprintf("%s%v->%d ", net.Processes[p.Process].Name, p.Values, p.Edge.Target)
		}
		s.Apply(parts)
		state := s.State(nil)
		out = append(out, fmt.Sprintf("%sv=%d", text, state[len(state)-1]))
		s.Load(start)
	})
	return out
}

func TestSteps(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"sender first", `chan c; int v = 1;
process P() { state a, b; init a; trans a -> b { sync c!; assign v = v + 1; }; }
process Q() { state a, b; init a; trans a -> b { sync c?; assign v = v * 10; }; } system Q, P;`,
			[]string{"P[]->1 Q[]->1 v=20"}},
		{"guards look at the state before", `chan c; int v;
process P() { state a, b; init a; trans a -> b { sync c!; assign v = 1; }; }
process Q() { state a, b; init a; trans a -> b { guard v == 1; sync c?; }; } system P, Q;`, nil},
		{"all receive a broadcast, in the order of the system line", `broadcast chan c; int v = 1;
process P() { state a, b; init a; trans a -> b { sync c!; }; }
process Q(const int k) { state a, b; init a; trans a -> b { sync c?; assign v = v * k + 1; }; }
R = Q(2); S = Q(3); system S, P, R;`, []string{"P[]->1 S[]->1 R[]->1 v=9"}},
		{"a broadcast needs no receiver", `broadcast chan c; int v;
process P() { state a, b; init a; trans a -> b { sync c!; }; }
process Q() { state a, b; init a; trans a -> b { guard v == 1; sync c?; }; } system P, Q;`,
			[]string{"P[]->1 v=0"}},
		{"clocks may keep one from receiving a broadcast", `broadcast chan c; clock x; int v;
process P() { state a, b; init a; trans a -> b { sync c!; }; }
process Q() { state a, b; init a; trans a -> b { guard x > 1; sync c?; assign v = 1; }; }
process R() { state a, b, d; init a; trans a -> b { guard x > 1; sync c?; }, a -> d { sync c?; assign v = v + 2; }; } system P, Q, R;`,
			[]string{"P[]->1 Q[]->1 R[]->1 v=1", "P[]->1 Q[]->1 R[]->2 v=3", "P[]->1 R[]->1 v=0", "P[]->1 R[]->2 v=2"}},
		{"committed goes first", `int v;
process P() { state a, b; commit a; init a; trans a -> b { }; }
process Q() { state a, b; init a; trans a -> b { assign v = 1; }; } system P, Q;`, []string{"P[]->1 v=0"}},
		{"who receives may be the committed one", `chan c; int v;
process P() { state a, b; init a; trans a -> b { sync c!; }; }
process Q() { state a, b; commit a; init a; trans a -> b { sync c?; }; } system P, Q;`, []string{"P[]->1 Q[]->1 v=0"}},
		{"select", `int v; process P() { state a, b; init a; trans a -> b { select i : int[2,4]; guard i != 3; assign v = i; }; } system P;`,
			[]string{"P[2]->1 v=2", "P[4]->1 v=4"}},
		{"select on both sides", `chan c[3]; int v; process P() { state a, b; init a; trans a -> b { select i : int[0,1]; sync c[i]!; }; }
process Q() { state a, b; init a; trans a -> b { select j : int[1,2]; sync c[j]?; assign v = j; }; } system P, Q;`,
			[]string{"P[1]->1 Q[1]->1 v=1"}},
	} {
		if got := steps(read(t, c.text)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestFault(t *testing.T) {
	net := read(t, `int[0,1] v; process P() { state a, b; init a; trans a -> b { assign v = v + 2; }; } system P;`)
	s := timed.NewStepper(net, nil)
	s.Each(func(parts []timed.Participant) { s.Apply(parts) })
	if s.Memory.Fault == nil || s.Memory.Fault.Span.Text() != "v = v + 2" {
		t.Errorf("fault %v", s.Memory.Fault)
	}
}

// TestReplay: a run is accepted exactly if its delays are right.
func TestReplay(t *testing.T) {
	net := read(t, `clock x, y; process P() { state a { x <= 3 }, b { y < 2 }; init a; trans a -> b { guard x > 2 && x - y == 0; assign x = 0, y = 1; }; } system P;`)
	step := []timed.Participant{{Process: 0, Edge: net.Processes[0].Locations[0].Out[0]}}
	for _, c := range []struct {
		first, last *big.Rat
		ok          bool
	}{
		{big.NewRat(5, 2), big.NewRat(9, 10), true},
		{big.NewRat(3, 1), big.NewRat(0, 1), true},
		{big.NewRat(2, 1), big.NewRat(0, 1), false},
		{big.NewRat(7, 2), big.NewRat(0, 1), false},
		{big.NewRat(5, 2), big.NewRat(1, 1), false},
		{big.NewRat(5, 2), big.NewRat(-1, 10), false},
	} {
		err := timed.Replay(net,
			&timed.Run{Steps: [][]timed.Participant{step}, Delays: []*big.Rat{c.first, c.last}},
			net.Queries[0].Formula)
		if (err == nil) != c.ok {
			t.Errorf("delays %s, %s: %v", c.first, c.last, err)
		}
	}
}

// TestReplayReceivers: a process that can receive a broadcast cannot be left out, and clocks decide
// whether it can.
func TestReplayReceivers(t *testing.T) {
	net := read(t, `clock x; broadcast chan c; process P() { state a, b; init a; trans a -> b { sync c!; }; }
process Q() { state a; init a; trans a -> a { select i : int[1,2]; guard x > i; sync c?; }; } system P, Q;`)
	step := []timed.Participant{{Process: 0, Edge: net.Processes[0].Locations[0].Out[0]}}
	for delay, ok := range map[int64]bool{0: true, 1: true, 2: false, 3: false} {
		run := &timed.Run{Steps: [][]timed.Participant{step},
			Delays: []*big.Rat{big.NewRat(delay, 1), new(big.Rat)}}
		if err := timed.Replay(net, run, nil); (err == nil) != ok {
			t.Errorf("after %d: %v", delay, err)
		}
	}
}

// TestReplayPriorities: a step is refused where a step of a higher priority is possible.
func TestReplayPriorities(t *testing.T) {
	for _, c := range []struct {
		name, text string
		delay      int64
		ok         bool
	}{
		{"by channel", `clock x; broadcast chan c; chan priority default < c;
process P() { state a, b; init a; trans a -> b { }, a -> a { guard x <= 2; sync c!; }; } system P;`,
			2, false},
		{"not possible then", `clock x; broadcast chan c; chan priority default < c;
process P() { state a, b; init a; trans a -> b { }, a -> a { guard x <= 2; sync c!; }; } system P;`,
			3, true},
		{"not possible because of the target", `clock x; broadcast chan c; chan priority default < c;
process P() { state a, b, d { x <= 1 }; init a; trans a -> b { }, a -> d { sync c!; }; } system P;`,
			2, true},
		{"a lower one", `broadcast chan c; chan priority c < default;
process P() { state a, b; init a; trans a -> b { }, a -> a { sync c!; }; } system P;`, 2, true},
		{"by process", `process P() { state a, b; init a; trans a -> b { }; } process Q() { state a; init a; trans a -> a { }; } system P < Q;`, 0, false},
		{"by the highest process", `broadcast chan c; process P() { state a, b; init a; trans a -> b { sync c!; }; }
process Q() { state a; init a; trans a -> a { }, a -> a { sync c?; }; } system P < Q;`, 0, true},
		{"channels first", `broadcast chan c; chan priority default < c; process P() { state a, b; init a; trans a -> b { sync c!; }; }
process Q() { state a; init a; trans a -> a { }; } system P < Q;`, 0, true},
	} {
		net := read(t, c.text)
		var step []timed.Participant
		timed.NewStepper(net, nil).Each(func(parts []timed.Participant) {
			if step == nil {
				step = slices.Clone(parts)
			}
		})
		run := &timed.Run{Steps: [][]timed.Participant{step},
			Delays: []*big.Rat{big.NewRat(c.delay, 1), new(big.Rat)}}
		if err := timed.Replay(net, run, nil); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// The value of a select that alone decides the channel is not searched for, and the steps are the
// same as where it is.
func TestSelectedChannel(t *testing.T) {
	const text = `const int n = 3; typedef int[0,n-1] id; chan go[n], far[5]; int v;
process P(const id i) { state a, b; init a; trans a -> b { sync %s!; }; }
process Q() { state a; init a; trans
  a -> a { select e : id, k : int[1,2]; guard e + k != 3; sync %s?; assign v = 10 * e + k; }; }
system P, Q;`
	steps := func(send, receive string, key bool) (out []string) {
		net, err := uppaal.Read("m.xta", fmt.Sprintf(text, send, receive), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if e := net.Processes[3].Locations[0].Out[0]; (e.Key != nil) != key {
			t.Errorf("%s: key %v", receive, e.Key)
		}
		s := timed.NewStepper(net, nil)
		s.Each(func(parts []timed.Participant) {
			out = append(out, fmt.Sprint(parts[0].Process, parts[1].Process, parts[1].Values))
		})
		if s.Memory.Fault != nil {
			t.Error(s.Memory.Fault)
		}
		return out
	}
	for _, c := range []struct{ send, receive, same string }{
		{"go[i]", "go[e]", "go[e + 0]"}, {"far[i]", "far[e]", "far[1 * e]"},
	} {
		got, want := steps(c.send, c.receive, true), steps(c.send, c.same, false)
		if len(want) != 4 || !slices.Equal(got, want) {
			t.Errorf("%s: %v instead of %v", c.receive, got, want)
		}
	}
}
