package explore

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// census is an observer that counts how often each state counts, and remembers the false terms.
type census struct {
	times    map[int]int
	truth    map[int]uint64
	expanded map[int]bool
}

func (c *census) Observe(t *Task, end int) error {
	if t.Checked {
		end = t.To
	}
	for n := t.From; n < end; n++ {
		c.times[n]++
		c.truth[n] = t.Truth[n-t.From]
		c.expanded[n] = !t.Checked
	}
	return nil
}

// whole is the plan that expands all states.
type whole struct{ *Search }

func (w whole) Begin(context.Context, bool) (bool, error) { return false, nil }
func (w whole) Step(ctx context.Context) error            { return w.Round(ctx) }
func (w whole) End(context.Context) (bool, error)         { return false, nil }

// compare compares what the observer of a search was told with the interpreter.
func (c *census) compare(t *testing.T, what string, s *Search) {
	t.Helper()
	found := map[string]bool{}
	all := make([]interp.State, s.Store.Len())
	for n := range all {
		var buf []uint64
		packed, err := s.Store.States(n, n+1, &buf)
		if err != nil {
			t.Fatal(err)
		}
		all[n] = s.Program.Unpack(packed)
		found[s.Key(all[n])] = true
	}
	for n, state := range all {
		if c.times[n] != 1 {
			t.Fatalf("%s: state %d of %d counts %d times\n%s", what, n,
				s.Store.Len(), c.times[n], s.System)
		}
		for k, term := range s.Terms {
			holds, err := s.Holds(term, state)
			if err == nil && holds != (c.truth[n]>>k&1 == 0) {
				t.Fatalf("%s: %s is %t in state %d\n%s", what, term, holds, n, s.System)
			}
		}
		if !c.expanded[n] || c.truth[n]&(1<<s.Ranges-1) != 0 {
			continue
		}
		for _, a := range s.System.Actions {
			err := s.Steps(t.Context(), state, a, func(step interp.Step) error {
				if !found[s.Key(step.State)] {
					t.Fatalf("%s: a successor of state %d is lost\n%s", what, n, s.System)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Each state counts once for an observer, whatever ends the search, and with the truth that the
// interpreter finds there. All successors of an expanded state are found.
func TestStatesCountOnce(t *testing.T) {
	limited, states := 0, 0
	for seed := range testkit.Size(60, 300) {
		r := rand.New(rand.NewSource(seed))
		sys, err := systemtest.Generate(r, systemtest.Options{Bits: 7})
		if err != nil {
			t.Fatal(err)
		}
		m, err := interp.NewModel(sys, sys.Instances[0])
		if err != nil {
			t.Fatal(err)
		}
		sp := &Space{Model: m, Truth: true}
		for _, p := range sys.Ending() {
			sp.Terms = append(sp.Terms, p.Term)
		}
		sp.Ranges = len(sp.Terms)
		for _, p := range sys.Properties {
			if p.IsInvariant() && len(sp.Terms) < 64 {
				sp.Terms = append(sp.Terms, p.Term)
			}
		}
		makes := []program.Make{program.Compiled, program.Interpreted}[seed%2]
		if sp.Program, err = makes(t.Context(), m, sp.Terms, nil); err != nil {
			t.Fatal(err)
		}
		c := &census{times: map[int]int{}, truth: map[int]uint64{}, expanded: map[int]bool{}}
		s, err := New(sp, store.New(sp.Program.Words()), 1+int(seed%3))
		if err != nil {
			t.Fatal(err)
		}
		s.Observers, s.MostInRound = []Observer{c}, 1+r.Intn(9)
		if seed%3 == 0 {
			s.MaxStates = int64(1 + r.Intn(40))
		}
		err = s.Start(store.TaskSize, func(yield func([]uint64) error) error {
			return m.Initial(t.Context(), func(state interp.State) error {
				packed, err := sp.Program.Pack(state)
				if err != nil {
					return err
				}
				return yield(packed)
			})
		}, func(bool) error { return nil })
		if err == nil {
			err = s.Levels(t.Context(), whole{s})
		}
		switch {
		case errors.Is(err, store.ErrLimit):
			limited++
		case err != nil && !errors.As(err, new(*Failure)):
			continue // a state that is too wide, or an initial state without a value
		}
		if err := s.CheckTo(t.Context(), s.Store.Len()); err != nil {
			t.Fatal(err)
		}
		c.compare(t, fmt.Sprint("seed ", seed), s)
		states += s.Store.Len()
		if err := errors.Join(s.Close(), sp.Program.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if states < 1000 || limited < 10 {
		t.Errorf("%d states, %d searches at a limit", states, limited)
	}
}
