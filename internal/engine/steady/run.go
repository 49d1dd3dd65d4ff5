package steady

import (
	"context"
	"errors"
	"fmt"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// mostSteps bounds the steps of a run that is shown.
const mostSteps = 10_000

// shortest looks for a run that violates a claim, with as few steps as solvers find: it begins with
// the run of a model, and closes that.
func (d *decision) shortest(
	ctx context.Context, q *question, p *system.Property, found *model,
) (best *result.Trace, err error) {
	total := logic.IntLit(0)
	for _, x := range q.pieces {
		total = logic.Add(append([]*logic.Term{total}, x.times...)...)
	}
	for least := 0; ; {
		trace, e := d.realise(ctx, q, found)
		found.Close()
		if e == nil {
			trace.Violates = p.Name
			e = interp.Replay(ctx, d.sys, trace, p)
		}
		switch {
		case e != nil && best == nil:
			return nil, e
		case e != nil: // a longer run is one, too
			return best, nil
		}
		best = trace
		for found = nil; found == nil; {
			steps := len(best.Steps) - 1
			if least >= steps || ctx.Err() != nil {
				return best, nil
			}
			most := (least + steps - 1) / 2
			shorter := q.Obligation
			shorter.Theory = q.Theory.Clone()
			shorter.Theory.Assume(logic.Le(total, logic.IntLit(int64(most))))
			if _, found, err = d.ask.decide(ctx, shorter, 1); err != nil {
				return nil, err
			}
			if found == nil {
				least = most + 1 // or nobody knows
			}
		}
	}
}

// realise puts the actions of the pieces that a solver found in an order.
func (d *decision) realise(
	ctx context.Context, q *question, found *model,
) (*result.Trace, error) {
	counts, first, err := d.solution(ctx, q, found)
	if err != nil {
		return nil, err
	}
	m, state, err := interp.First(d.sys, first)
	if err != nil {
		return nil, err
	}
	start := state
	var steps []interp.Step
	take := func(k int) (bool, error) {
		found := false
		err := m.Steps(ctx, state, d.moves[k].Action, func(x interp.Step) error {
			if !found {
				found, state = true, x.State
				steps = append(steps, x)
			}
			return nil
		})
		return found, err
	}
	for _, c := range counts {
		for k, last := range c.last {
			c.times[k] -= last
		}
		for again := true; again; {
			again = false
			for k := range c.times {
				for c.times[k] > 0 {
					found, err := take(k)
					if err != nil {
						return nil, err
					}
					if !found {
						break
					}
					c.times[k]--
					again = true
				}
			}
		}
		for k, left := range c.times {
			if left > 0 {
				return nil, fmt.Errorf("%s cannot be taken as often as that", d.moves[k].Name)
			}
		}
		for k, last := range c.last {
			if last == 0 {
				continue
			}
			if found, err := take(k); err != nil || !found {
				return nil, errors.Join(err, fmt.Errorf("%s cannot be taken at the end of a piece",
					d.moves[k].Name))
			}
		}
	}
	trace := m.TraceOf(start, steps...)
	trace.Kind, trace.Loop = result.Counterexample, -1
	return trace, nil
}

// counted are the numbers of a piece.
type counted struct{ times, last []int64 }

// solution reads the numbers of a solution: the pieces, and the first state as a trace.
func (d *decision) solution(
	ctx context.Context, q *question, found *model,
) (out []counted, first *result.Trace, err error) {
	var terms []*logic.Term
	for _, sym := range d.sys.Symbols {
		terms = append(terms, logic.App(sym, logic.Pre))
	}
	for _, p := range q.pieces {
		for i := range p.times {
			terms = append(terms, p.times[i], p.last[i])
		}
	}
	numbers, err := found.values(ctx, terms)
	if err != nil {
		return nil, nil, err
	}
	first = &result.Trace{Kind: result.Counterexample, Loop: -1, Steps: []result.Step{{}}}
	for i, sym := range d.sys.Symbols {
		b := result.Binding{Name: sym.Name, Value: result.Int(fmt.Sprint(numbers[i]))}
		if sym.Result == logic.Bool {
			b.Value = result.Bool(numbers[i] != 0)
		}
		if sym.Mutable {
			first.Steps[0].State = append(first.Steps[0].State, b)
		} else {
			first.Params = append(first.Params, b)
		}
	}
	numbers = numbers[len(d.sys.Symbols):]
	var steps int64
	for range q.pieces {
		var c counted
		for range d.moves {
			c.times, c.last = append(c.times, numbers[0]), append(c.last, numbers[1])
			steps += numbers[0]
			numbers = numbers[2:]
		}
		out = append(out, c)
	}
	if steps > mostSteps {
		return nil, nil, fmt.Errorf("it has %d steps, where %d are shown", steps, mostSteps)
	}
	return out, first, nil
}
