package sim

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system/systemtest/computed"
)

// A computed system can be stepped through, by commands and along a trace. Only expressions need
// another front end.
func TestComputed(t *testing.T) {
	plain := read(t, `type count = 0..3
mutable constant n: count
mutable relation even(count)
init n = 0 & (even(K) <-> K = 0)
action up(k: 1..2) { require n + k <= 3; n := n + k; even(n) := !even(n - k); }
safety [small] n < 3
instance whole {}
`)
	sys, err := computed.Of(plain.System, plain.System.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	spec := &ere.Specification{System: sys}
	s, err := New(t.Context(), spec, sys.Instances[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line string
		want []string
	}{
		{"list", []string{"2 steps are possible", "1  up(k = [1])", "n: [0] -> [1]"}},
		{"2", []string{"state 1: up(k = [2])"}},
		{"1", []string{"state 2: up(k = [1])"}},
		{"list", []string{"deadlock"}},
		{"show", []string{"n = [3]"}},
		{"eval n", []string{"a computed model cannot have expressions evaluated"}},
		{"goto 1", []string{"state 1"}},
		{"random 5", []string{"state 2"}},
	} {
		text, err := s.Do(t.Context(), c.line)
		if err != nil {
			text += "error: " + err.Error()
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", c.line, want, text)
			}
		}
	}
	m, err := interp.NewModel(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	found, err := m.Nearest(t.Context(), nil, func([]interp.Reached) error { return nil })
	if err != nil || len(found) < 4 {
		t.Fatalf("%d states, %v", len(found), err)
	}
	path := interp.Path(found, len(found)-1)
	var steps []interp.Step
	for _, r := range path[1:] {
		steps = append(steps, interp.Step{Action: r.Action, Args: r.Args, State: r.State})
	}
	trace := m.TraceOf(path[0].State, steps...)
	again, err := NewOfTrace(t.Context(), spec, trace, -1, Options{})
	if err != nil || again.at != len(path)-1 {
		t.Errorf("the trace again: %v", err)
	}
	trace.Steps[1].State, trace.Steps[2].State = trace.Steps[2].State, trace.Steps[1].State
	if _, err = NewOfTrace(t.Context(), spec, trace, -1, Options{}); err == nil {
		t.Error("a trace that is no run is stepped through")
	}
}
