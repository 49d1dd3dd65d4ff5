package derive_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/derive/oracletest"
	"erelong.dev/erelong/internal/engine/temporal"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

var errLarge = errors.New("too many states")

// patience is a context that ends after it was asked a number of times. The interpreter asks at
// each value that it tries, so an action with too many choices ends, at the same choice in every
// run.
type patience struct {
	context.Context
	left int
}

func (p *patience) Err() error {
	if p.left--; p.left < 0 {
		return errLarge
	}
	return p.Context.Err()
}

// walk visits all states of an instance with the interpreter, and checks the bounds of their
// values. A state without successor is an error: time never ends in an algorithm.
func walk(
	ctx context.Context, most int, sys *system.System, inst *system.Instance,
) (m *interp.Model, states []interp.State, initial []int32, next [][]int32, err error) {
	if m, err = interp.NewModel(sys, inst); err != nil {
		return
	}
	ctx = &patience{ctx, 2_000_000}
	var bounds []*system.Property
	for _, p := range sys.Properties {
		if p.Kind == system.Range || strings.HasSuffix(p.Name, "_is_exact") {
			bounds = append(bounds, p)
		}
	}
	number := map[string]int32{}
	add := func(s interp.State) (int32, error) {
		key := m.Key(s)
		n, known := number[key]
		if !known {
			n = int32(len(states))
			number[key] = n
			states = append(states, slices.Clone(s))
			for _, p := range bounds {
				if ok, err := m.Holds(p.Term, s); err != nil {
					return 0, err
				} else if !ok {
					return 0, fmt.Errorf("%s is violated", p.Name)
				}
			}
			if len(states) > most {
				return 0, errLarge
			}
		}
		return n, nil
	}
	err = m.Initial(ctx, func(s interp.State) error {
		n, err := add(s)
		initial = append(initial, n)
		return err
	})
	for i := 0; i < len(states) && err == nil; i++ {
		var to []int32
		for _, a := range sys.Actions {
			if err = m.Steps(ctx, states[i], a, func(step interp.Step) error {
				n, err := add(step.State)
				to = append(to, n)
				return err
			}); err != nil {
				return
			}
		}
		if len(to) == 0 {
			err = fmt.Errorf("there is a state without successor: %v", m.Bindings(states[i], true))
		}
		next = append(next, to)
	}
	return
}

// observe gives the observation of properties of P and Q on a derived system; with all processes, P
// and Q are the first and the last.
func observe(
	ctx context.Context, most int, sys *system.System, inst *system.Instance, c *oracletest.Case,
	processes bool,
) (*oracletest.Observed, error) {
	m, states, initial, next, err := walk(ctx, most, sys, inst)
	if err != nil {
		return nil, err
	}
	cell := map[string]int{}
	last := int64(0)
	for i, s := range m.SlotSymbols() {
		args := m.SlotArguments()[i]
		cell[fmt.Sprint(s.Name, args)] = i
		if s.Name == "crashed" && processes {
			last = max(last, args[0])
		}
	}
	who := []int64{0, last}
	out := &oracletest.Observed{Initial: initial, Next: next}
	for _, state := range states {
		var b strings.Builder
		value := func(name string, args ...int64) int64 {
			if args == nil {
				args = []int64{}
			}
			i, ok := cell[fmt.Sprint(name, args)]
			if !ok {
				err = fmt.Errorf("there is no %s%v", name, args)
				return 0
			}
			return state[i]
		}
		see := func(i, j int) {
			for _, v := range c.Variables {
				x := int64(0)
				if processes {
					x = value(v.Name, who[i], who[j])
				} else {
					x = value(v.Name)
				}
				fmt.Fprintf(&b, "%s(%s,%s)=%d ", v.Name, "PQ"[i:i+1], "PQ"[j:j+1], x)
			}
		}
		see(0, 1)
		if processes {
			see(1, 0)
			see(0, 0)
			see(1, 1)
		}
		for i, name := range []string{"receiver_crashed", "sender_crashed"} {
			switch {
			case processes && value("crashed", who[i]) != 0,
				!processes && has(sys, name) && value(name) != 0:
				fmt.Fprintf(&b, "crashed(%s) ", "PQ"[i:i+1])
			}
		}
		out.Seen = append(out.Seen, b.String())
	}
	return out, err
}

// decide reports which properties of an instance hold: properties of states are evaluated in all of
// them.
func decide(
	ctx context.Context, most int, sys *system.System, inst *system.Instance, names []string,
) (map[string]bool, error) {
	m, states, _, _, err := walk(ctx, most, sys, inst)
	if err != nil {
		return nil, err
	}
	holds := map[string]bool{}
	var lasting []string
	for _, p := range sys.Properties {
		if !slices.Contains(names, p.Name) {
			continue
		}
		if p.IsTemporal() {
			lasting = append(lasting, p.Name)
			continue
		}
		holds[p.Name] = true
		for _, s := range states {
			ok, err := m.Holds(p.Term, s)
			if err != nil {
				return nil, err
			}
			holds[p.Name] = holds[p.Name] && ok
		}
	}
	if len(lasting) == 0 {
		return holds, nil
	}
	results, err := temporal.Check(ctx, sys, inst, temporal.Options{Only: lasting})
	for _, r := range results {
		if r.Verdict != result.Holds && r.Verdict != result.Violated {
			return nil, fmt.Errorf("%s is %s: %s", r.Property, r.Verdict, r.Reason)
		}
		holds[r.Property] = r.Verdict == result.Holds
	}
	return holds, err
}
