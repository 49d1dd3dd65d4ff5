// Package testgen makes tests of a program from a specification: runs that cover its actions.
//
// In: a finite instance. Out: runs that together take every action, and every pair of actions one
// after the other, that a breadth-first search finds; each by a shortest run to it. Runs that
// others make superfluous are left out, and the shortest run comes first.
package testgen

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Options of Runs. Limits that are 0 have the default.
type Options struct {
	Most      int // runs; the ones that cover most are kept
	MaxStates int // pairs of a state and the last action that are examined
}

const defaultMaxStates = 50_000

// Suite is a set of runs.
type Suite struct {
	Runs    []*result.Trace
	Covered int      // actions and pairs of actions that the runs take
	Found   int      // the same, of all runs within the limit
	Never   []string // actions that no run takes
	Whole   bool     // the search was not ended by a limit
	// Examples says that values of parameters without a range were examples.
	Examples bool
}

// goal is an action, or a pair of actions one after the other; from is -1 for an action alone.
type goal struct{ from, action int }

// node is a state with the action that led to it.
type node struct {
	state  interp.State
	parent int // index, -1 for an initial state
	step   interp.Step
	last   int // index of the action, -1 for an initial state
}

type search struct {
	m     *interp.Model
	limit int
	nodes []node
	known map[string]bool
	goals map[goal]int // the first node that reaches it
	over  bool
	open  map[*system.Action][]*logic.Var // parameters that may be any integers
}

// Runs finds runs.
func Runs(ctx context.Context, m *interp.Model, o Options) (*Suite, error) {
	s := &search{m: m, limit: o.MaxStates, known: map[string]bool{}, goals: map[goal]int{},
		open: openOf(m.System)}
	if s.limit <= 0 {
		s.limit = defaultMaxStates
	}
	if err := m.Initial(ctx, func(x interp.State) error {
		return s.add(node{state: x, parent: -1, last: -1})
	}); err != nil {
		return nil, err
	}
	if len(s.nodes) == 0 {
		return nil, errors.New("the instance has no initial state")
	}
	for i := 0; i < len(s.nodes) && !s.over; i++ {
		if err := s.expand(ctx, i); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil { // a state with few steps asks nobody else
			return nil, fmt.Errorf("looking for runs after %d states: %w", len(s.nodes), err)
		}
	}
	return s.suite(o.Most), nil
}

func (s *search) add(n node) error {
	if s.known[s.key(n)] {
		return nil
	}
	if len(s.nodes) >= s.limit {
		s.over = true
		return interp.ErrStop
	}
	s.keep(n)
	return nil
}

func (s *search) keep(n node) {
	s.known[s.key(n)] = true
	s.nodes = append(s.nodes, n)
}

func (s *search) key(n node) string {
	return string(s.m.AppendKey([]byte{byte(n.last + 1), byte((n.last + 1) >> 8)}, n.state))
}

func (s *search) expand(ctx context.Context, i int) error {
	from := s.nodes[i]
	return s.steps(ctx, from.state, func(x interp.Step) error {
		if x.Outside {
			return nil
		}
		k := slices.Index(s.m.System.Actions, x.Action)
		n := node{state: x.State, parent: i, step: x, last: k}
		if _, ok := s.goals[goal{from.last, k}]; ok {
			return s.add(n)
		}
		// A pair may end in a state that is known with its last action.
		s.keep(n)
		for _, g := range []goal{{from.last, k}, {-1, k}} {
			if _, ok := s.goals[g]; !ok {
				s.goals[g] = len(s.nodes) - 1
			}
		}
		return nil
	})
}

// path lists the nodes that lead to one.
func (s *search) path(to int) (out []int) {
	for ; to >= 0; to = s.nodes[to].parent {
		out = append(out, to)
	}
	slices.Reverse(out)
	return out
}

// covers lists the goals on a path.
func (s *search) covers(path []int) map[goal]bool {
	out := map[goal]bool{}
	for i, at := range path[1:] {
		n := s.nodes[at]
		out[goal{-1, n.last}] = true
		if before := s.nodes[path[i]].last; before >= 0 {
			out[goal{before, n.last}] = true
		}
	}
	return out
}

// suite chooses runs: always the one that covers most of what is left, a shorter one first.
func (s *search) suite(most int) *Suite {
	out := &Suite{Found: len(s.goals), Whole: !s.over, Examples: len(s.open) > 0}
	var ends []int
	for _, at := range s.goals {
		ends = append(ends, at)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	paths := make([][]int, len(ends))
	covers := make([]map[goal]bool, len(ends))
	for i, end := range ends {
		paths[i] = s.path(end)
		covers[i] = s.covers(paths[i])
	}
	done := map[goal]bool{}
	var chosen [][]int
	for most <= 0 || len(chosen) < most {
		best, gain := -1, 0
		for i := range paths {
			n := 0
			for g := range covers[i] {
				if !done[g] {
					n++
				}
			}
			if n > gain {
				best, gain = i, n
			}
		}
		if best < 0 {
			break
		}
		for g := range covers[best] {
			done[g] = true
		}
		chosen = append(chosen, paths[best])
	}
	slices.SortStableFunc(chosen, func(a, b []int) int { return len(a) - len(b) })
	for _, p := range chosen {
		out.Runs = append(out.Runs, s.trace(p))
	}
	out.Covered = len(done)
	for k, a := range s.m.System.Actions {
		if _, ok := s.goals[goal{-1, k}]; !ok {
			out.Never = append(out.Never, a.Name)
		}
	}
	return out
}

func (s *search) trace(path []int) *result.Trace {
	var steps []interp.Step
	for _, at := range path[1:] {
		steps = append(steps, s.nodes[at].step)
	}
	t := s.m.TraceOf(s.nodes[path[0]].state, steps...)
	t.Kind = result.Witness
	return t
}
