package explicit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/vacuity"
)

// naive is the slow and obvious search that the others are compared with: a map, a queue, and the
// interpreter.
type naive struct {
	*interp.Model
	*claims
	seen    map[string]int
	nodes   []node
	closed  []bool
	enabled []bool
	outside string
	stats   Stats
	limit   int64
}

// node is a state that was found, and the step that led to it.
type node struct {
	parent int // -1 for an initial state
	step   interp.Step
}

var errFull = errors.New("full")

// naively does the work of Check, but cannot be interrupted.
func naively(m *interp.Model, opts Options) ([]result.Result, Stats, error) {
	cs, err := selectClaims(m, opts)
	if err != nil {
		return nil, Stats{}, err
	}
	n := &naive{Model: m, claims: cs, seen: map[string]int{},
		enabled: make([]bool, len(m.System.Actions)), limit: opts.Limits.States}
	stopped := n.levels(opts)
	n.cut = stopped != ""
	n.stats.Complete = stopped == ""
	if n.stats.Complete {
		n.stats.NeverEnabled = neverEnabled(m.System, n.enabled)
		n.stats.Vacuous = n.vacuous()
	}
	if stopped == "" && n.outside != "" {
		stopped = fmt.Sprintf("states that violate %s were not explored further", n.outside)
	}
	limited := result.Reason{}
	if stopped != "" {
		limited = result.Because(result.Bounded, stopped)
	}
	cs.finish(&n.stats, limited, 0, time.Now())
	results, err := cs.results(context.Background(), m, func(state int) (*run, error) {
		return n.runTo(state), nil
	})
	return results, n.stats, err
}

// vacuous evaluates every antecedent in every state.
func (n *naive) vacuous() (out []vacuity.Sign) {
	for _, sign := range vacuity.Signs(n.System) {
		claimed := slices.ContainsFunc(n.list, func(c *claim) bool {
			return c.property != nil && c.property.Name == sign.Property
		})
		seen := slices.ContainsFunc(n.nodes, func(x node) bool {
			holds, err := n.Holds(sign.Term, x.step.State)
			return holds || err != nil
		})
		if claimed && !seen {
			out = append(out, sign)
		}
	}
	return out
}

func (n *naive) runTo(state int) *run {
	r := &run{}
	for ; n.nodes[state].parent >= 0; state = n.nodes[state].parent {
		r.steps = append(r.steps, n.nodes[state].step)
	}
	slices.Reverse(r.steps)
	r.first = n.nodes[state].step.State
	return r
}

// visit records a state.
func (n *naive) visit(parent int, step interp.Step) error {
	key := n.Key(step.State)
	if _, ok := n.seen[key]; ok {
		return nil
	}
	if n.limit > 0 && int64(len(n.nodes)) >= n.limit {
		return errFull
	}
	n.seen[key] = len(n.nodes)
	n.nodes = append(n.nodes, node{parent, step})
	n.closed = append(n.closed, false)
	return nil
}

// check looks for violations in some states.
func (n *naive) check(from, to int, depth, states, transitions int64) {
	for i := from; i < to; i++ {
		state := n.nodes[i].step.State
		for _, p := range n.ranges {
			if holds, err := n.Holds(p.Term, state); err == nil && !holds {
				n.closed[i] = true
				if n.outside == "" {
					n.outside = p.Name
				}
			}
		}
		for _, c := range n.list {
			if c.property == nil || c.decided() {
				continue
			}
			holds, err := n.Holds(c.property.Term, state)
			switch {
			case err == nil && !holds:
				c.decide(result.Violated, result.Reason{}, i, depth, states, transitions)
			case err != nil && !n.closed[i]:
				c.decide(result.Unknown,
					result.Because(result.Unsupported,
						fmt.Sprintf("%s cannot be evaluated in a reachable state: %v", c.property.Name, err)), i, depth, states, transitions)
			}
		}
	}
}

// levels explores, and says why it stopped early.
func (n *naive) levels(opts Options) string {
	ctx := context.Background()
	err := n.Initial(ctx, func(s interp.State) error { return n.visit(-1, interp.Step{State: s}) })
	n.stats.Initial = int64(len(n.nodes))
	to := 0
	stuck := -1
	for err == nil && to < len(n.nodes) {
		from := to
		to = len(n.nodes)
		n.stats.Levels = append(n.stats.Levels, int64(to-from))
		before := n.stats
		n.stats.Depth++
		n.check(from, to, n.stats.Depth, int64(to), before.Transitions)
		if !n.enough().Given() && opts.Limits.Depth > 0 && n.stats.Depth >= opts.Limits.Depth {
			n.stats.States = int64(to)
			return fmt.Sprintf("stopped at the limit of %d states a run", opts.Limits.Depth)
		}
		i := from
		for ; i < to && err == nil; i++ {
			if err = n.expand(ctx, i); err == errStuck {
				err = nil
				n.stats.Deadlocks++
				if stuck < 0 {
					stuck = i
				}
			}
		}
		if d := n.deadlock; stuck >= 0 && d != nil && !d.decided() {
			d.decide(result.Violated, result.Reason{}, stuck, n.stats.Depth, int64(to),
				before.Transitions)
		}
		if why := n.enough(); why.Given() {
			depth := n.stats.Depth
			n.stats = before
			n.stats.Depth, n.stats.States = depth, int64(to)
			return why.Text
		}
		if err == nil {
			continue
		}
		n.check(to, len(n.nodes), n.stats.Depth+1, int64(len(n.nodes)), n.stats.Transitions)
		var action *interp.ActionError
		if errors.As(err, &action) {
			for _, c := range n.list {
				if !c.decided() {
					c.decide(result.Unknown, result.Because(result.Unsupported, err.Error()), i-1,
						n.stats.Depth, int64(len(n.nodes)), n.stats.Transitions)
				}
			}
		}
	}
	n.stats.States = int64(len(n.nodes))
	switch {
	case err == nil:
		return ""
	case to == 0:
		n.check(0, len(n.nodes), 1, int64(len(n.nodes)), 0)
	}
	if errors.Is(err, errFull) {
		return fmt.Sprintf("stopped at the limit of %d states", n.limit)
	}
	for _, c := range n.list {
		if !c.decided() {
			c.decide(result.Unknown, result.Because(result.Unsupported, err.Error()), 0, 0,
				int64(len(n.nodes)), 0)
			c.shown = false
		}
	}
	return err.Error()
}

var errStuck = errors.New("deadlock")

// expand finds the successors of a state.
func (n *naive) expand(ctx context.Context, number int) error {
	if n.closed[number] {
		return nil
	}
	taken := map[string]bool{}
	defer func() { n.stats.Transitions += int64(len(taken)) }()
	for i, a := range n.System.Actions {
		err := n.Steps(ctx, n.nodes[number].step.State, a, func(step interp.Step) error {
			n.enabled[i] = true
			if err := n.visit(number, step); err != nil {
				return err
			}
			taken[fmt.Sprint(i, " ", n.Key(step.State))] = true
			return nil
		})
		if err != nil {
			return err
		}
	}
	if len(taken) == 0 {
		return errStuck
	}
	return nil
}
