package temporal

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// report replays a violation and writes it down.
func (c *checker) report(
	ctx context.Context, g *graph, p *system.Property, l *lasso, r *result.Result,
) error {
	ctx = context.WithoutCancel(ctx)
	t, err := g.trace(ctx, l)
	if err != nil {
		return err
	}
	t.Violates, t.Line = p.Name, p.Span.Line()
	if t.Fairness, err = c.m.LoopFairness(ctx, t); err == nil {
		err = interp.Replay(ctx, c.m.System, t, p)
	}
	if err != nil {
		return fmt.Errorf("internal error: the counterexample to %s does not hold: %w", p.Name, err)
	}
	t.Why = c.witness(g, p, l)
	r.Verdict, r.Trace, r.Depth = result.Violated, t, int64(len(t.Steps))
	c.opts.Sink.Tell(engine.Violation(p.Name, r.Scope, r.Depth))
	return nil
}

// witness finds values of the variables of a universal property for which a run violates it. It
// gives nil if there are none, or they cannot be enumerated.
func (c *checker) witness(g *graph, p *system.Property, l *lasso) *result.Why {
	states := make([]interp.State, len(l.states))
	for i, n := range l.states {
		states[i] = g.state(n)
	}
	term := p.Term
	var args []interp.Arg
	for term.Op == logic.OpForall {
		v := term.Vars[0]
		values, err := c.m.Literals(v.Sort, v.Name)
		if err != nil {
			return nil
		}
		found := false
		for _, value := range values {
			rest := logic.Subst(logic.Forall(term.Vars[1:], term.Args[0]),
				map[*logic.Var]*logic.Term{v: value})
			holds, err := c.m.HoldsOnLasso(rest, states, l.loop)
			if err != nil || holds {
				continue
			}
			n, err := c.m.Eval(value, states[0])
			if err != nil {
				return nil
			}
			args, term, found = append(args, interp.Arg{Var: v, Value: n}), rest, true
			break
		}
		if !found {
			return nil
		}
	}
	if len(args) == 0 {
		return nil
	}
	text := logic.Printer{Style: logic.Stateless}.Term(p.Term)
	return &result.Why{Text: text, Value: result.Bool(false), Witness: c.m.ArgBindings(args)}
}

// trace gives a lasso in the user's names. With loop -1 it is a finite run, and its labels do not
// count.
func (g *graph) trace(ctx context.Context, l *lasso) (*result.Trace, error) {
	var steps []interp.Step
	last := len(l.states) - 1
	for i := range last {
		step, err := g.step(ctx, l.states[i], l.labels[i], l.states[i+1])
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	t := g.model.TraceOf(g.state(l.states[0]), steps...)
	if t.Loop = l.loop; t.Loop >= 0 {
		interp.Describe(g.model, t, last, g.state(l.states[last]), g.state(l.states[l.loop]))
	}
	switch {
	case t.Loop < 0, l.labels[last] == repetition && g.computed == nil:
		return t, nil
	case g.stays(l.labels[last]) && !g.computed.system.Computed.Stutters: // it has no other step
		return t, nil
	case g.stays(l.labels[last]):
		t.Back = result.Step{Action: result.Stutter}
		return t, nil
	}
	back, err := g.step(ctx, l.states[last], l.labels[last], l.states[l.loop])
	if err != nil {
		return nil, err
	}
	t.Back = result.Step{Action: back.Action.Name, Args: g.model.ArgBindings(back.Args)}
	return t, nil
}

// stays reports whether an edge with a mark only says that the run stays in a state.
func (g *graph) stays(mark uint32) bool { return g.computed != nil && g.computed.marks[mark].stays }

// computedStep finds a step between two states of a computed system.
func (g *graph) computedStep(ctx context.Context, from, mark, to uint32) (interp.Step, error) {
	out, goal := interp.Step{}, g.state(to)
	if g.stays(mark) {
		return interp.Step{Action: &system.Action{Name: result.Stutter}, State: goal}, nil
	}
	err := g.model.EachStep(ctx, g.state(from), func(s interp.Step) error {
		if s.Outside || !slices.Equal(s.State, goal) {
			return nil
		}
		out = s
		return interp.ErrStop
	})
	if err == nil && out.Action == nil {
		err = errLost
	}
	return out, err
}

var errLost = errors.New("internal error: a transition was lost")

// step finds the step that an edge with a mark stands for.
func (g *graph) step(ctx context.Context, from, mark, to uint32) (interp.Step, error) {
	if g.computed != nil {
		return g.computedStep(ctx, from, mark, to)
	}
	var out interp.Step
	goal, want := g.state(to), g.labels[mark]
	for _, a := range g.model.System.Actions {
		always := a.Fairness != system.Unfair && a.FairIf == nil
		if want.action != nil && want.action != a || mark == unfair && always {
			continue
		}
		err := g.model.Steps(ctx, g.state(from), a, func(s interp.Step) error {
			params := s.Args[:len(a.Params)]
			if !slices.Equal(s.State, goal) ||
				want.action != nil && !slices.Equal(params, want.params) {
				return nil
			}
			if mark == unfair {
				if fair, err := g.model.FairIn(g.state(from), a, params); fair || err != nil {
					return err
				}
			}
			out = s
			return interp.ErrStop
		})
		if out.Action != nil {
			return out, nil
		}
		if err != nil {
			return out, err
		}
	}
	return out, errLost
}
