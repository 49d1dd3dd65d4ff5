package interp_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

func TestBindingsRoundTrip(t *testing.T) {
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			m := model(t, text)
			for _, s := range reachable(t, m, 200) {
				back, err := m.StateOf(slices.Concat(m.Bindings(s, false), m.Bindings(s, true))...)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(s, back) || !slices.Equal(s, m.StateOfKey(m.Key(s))) {
					t.Fatalf("%v became %v and %v", s, back, m.StateOfKey(m.Key(s)))
				}
			}
		})
	}
}

func TestBindingsAreInTheUsersNames(t *testing.T) {
	m := model(t, `
		sort client
		enum mode { idle, busy }
		immutable constant k: int
		mutable relation r(client, 0..k)
		mutable function f(client): mode
		mutable constant c: client
		mutable relation p
		derived relation d(client): d(X) <-> X = c | r(X, 0)
		init (r(X, N) <-> X = c & N > 0) & (f(X) = busy <-> X = c) & p
		instance i { client = 2, k = 2 }`)
	s := initial(t, m)[0]
	var got []string
	for _, b := range slices.Concat(m.Bindings(s, false), m.Bindings(s, true)) {
		got = append(got, b.Name+" = "+b.Value.String())
	}
	want := []string{"k = 2", "r = {(client1, 1), (client1, 2)}", "f = {client0: idle, client1: busy}", "c = client1", "p = true", "d = {client1}"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// walk makes a trace of a run. At each state it takes the last step of the first possible action,
// beginning at a different action each time.
func walk(t *testing.T, m *interp.Model, length int) *result.Trace {
	t.Helper()
	s := initial(t, m)[0]
	first, steps := s, []interp.Step{}
	for i := 0; i < length; i++ {
		for j := range m.System.Actions {
			a := m.System.Actions[(i+j)%len(m.System.Actions)]
			var last *interp.Step
			err := m.Steps(context.Background(), s, a, func(s interp.Step) error {
				if inRange(t, m, s.State) {
					last = &s
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if last != nil {
				steps = append(steps, *last)
				s = last.State
				break
			}
		}
	}
	return m.TraceOf(first, steps...)
}

func TestReplayAcceptsRunsAndRefusesOthers(t *testing.T) {
	ctx := context.Background()
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			m := model(t, text)
			trace := walk(t, m, 8)
			if len(trace.Steps) < 4 {
				t.Fatalf("the run has only %d states", len(trace.Steps))
			}
			if err := interp.Replay(ctx, m.System, trace, nil); err != nil {
				t.Fatal(err)
			}
			// A wrong state after a step must not be accepted, nor a run that begins in the middle.
			refused := 0
			for i := range trace.Steps {
				bad := *trace
				bad.Steps = slices.Clone(trace.Steps)
				if i > 0 {
					bad.Steps[i].Action = "nothing"
				} else {
					bad.Steps[0].State = trace.Steps[len(trace.Steps)-1].State
				}
				err := interp.Replay(ctx, m.System, &bad, nil)
				if err == nil && i > 0 {
					t.Errorf("a step by an unknown action to state %d was accepted", i+1)
				}
				if err != nil {
					refused++
				}
			}
			if refused < len(trace.Steps)-1 {
				t.Errorf("only %d of %d wrong runs were refused", refused, len(trace.Steps))
			}
			skipped := *trace
			skipped.Steps = slices.Concat(trace.Steps[:1], trace.Steps[3:])
			if err := interp.Replay(ctx, m.System, &skipped, nil); err == nil && name != "derived" {
				t.Error("a run with two states left out was accepted")
			}
		})
	}
}

func TestReplayLooksAtEverything(t *testing.T) {
	ctx := context.Background()
	m := model(t, texts["lock server"])
	sys := m.System
	good := walk(t, m, 5)
	mutex := sys.Property("mutex")
	state := func(trace *result.Trace, step int, name string) *result.Value {
		for i := range trace.Steps[step].State {
			if trace.Steps[step].State[i].Name == name {
				return &trace.Steps[step].State[i].Value
			}
		}
		t.Fatalf("no %s", name)
		return nil
	}
	for _, c := range []struct {
		name     string
		change   func(*result.Trace)
		property *system.Property
		want     string
	}{
		{"good", func(*result.Trace) {}, nil, ""},
		{"satisfies the property", func(*result.Trace) {}, mutex, "the last state satisfies mutex"},
		{"no deadlock", func(tr *result.Trace) { tr.Violates = result.Deadlock }, nil, "is no deadlock"},
		{"not initial", func(tr *result.Trace) {
			*state(tr, 0, "server_holds_lock") = result.Bool(false)
		}, nil, "state 1 is not possible"},
		{"not initial, to induction", func(tr *result.Trace) {
			tr.Kind = result.ToInduction
			tr.Steps = tr.Steps[1:3]
		}, nil, ""},
		{"other argument", func(tr *result.Trace) { tr.Steps[1].Args[0].Value.Text = "node0" }, nil,
			"state 2 does not follow from state 1"},
		{"unknown argument", func(tr *result.Trace) {
			tr.Steps[1].Args = append(tr.Steps[1].Args,
				result.Binding{Name: "extra", Value: result.Bool(true)})
		}, nil, "state 2 does not follow from state 1"},
		{"no such element", func(tr *result.Trace) { tr.Steps[1].Args[0].Value.Text = "node7" },
			nil, "state 2 does not follow"},
		{"frame", func(tr *result.Trace) {
			*state(tr, 1, "server_holds_lock") = result.Bool(false)
		}, nil, "state 2 does not follow"},
		{"missing symbol", func(tr *result.Trace) { tr.Steps[2].State = tr.Steps[2].State[1:] },
			nil, "no value is given for lock_msg"},
		{"wrong size", func(tr *result.Trace) {
			tr.Universe[0].Elements = append(tr.Universe[0].Elements, "node2")
		}, nil, "2 in instance i"},
		{"no states", func(tr *result.Trace) { tr.Steps = nil }, nil, "no states"},
		{"loop", func(tr *result.Trace) { tr.Loop = 0 }, nil, "loop"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := *good
			tr.Universe = []result.Universe{{Sort: "node", Elements: []string{"node0", "node1"}}}
			tr.Steps = nil
			for _, s := range good.Steps {
				tr.Steps = append(tr.Steps,
					result.Step{Action: s.Action, Args: slices.Clone(s.Args),
						State: slices.Clone(s.State)})
			}
			c.change(&tr)
			err := interp.Replay(ctx, sys, &tr, c.property)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}
