package discharge

import (
	"context"
	"errors"
	"fmt"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// Laws do not say all that is true of a sum or a size, so a model of them may be none of the
// system. Where the elements are known, a fold is a sum of terms, and a model is a state with its
// step: a counterexample as good as any other one.

// Sizes of the structures in which a counterexample next to folds is looked for.
const (
	exactSize  = 3 // elements of each sort
	exactBound = 8 // on the absolute value of integers
)

// exactFrame asks for models with some elements, in which folds have their values.
type exactFrame struct {
	ground *grounder
	models *processes
}

var errUnlisted = errors.New("the values cannot be listed")

// exactFrames are the frames for the theory of a group, none where a fold is over values that the
// file alone does not list, where hypotheses say too little of a recursive relation or of codes, or
// where nothing is to be pictured.
func (a *asker) exactFrames() (out []exactFrame) {
	sys := a.in.sys
	if len(sys.Recursive())+len(sys.Coded) > 0 || len(a.group.Path.States) == 0 {
		return nil
	}
	plain := a.group.Theory.Only(func(h vc.Hypothesis) bool { return h.Law == nil })
	for size := 1; size <= exactSize; size++ {
		ground := newGrounder(sys, size, exactBound)
		ground.exact = true
		known, err := ground.folds(sys, a.group.Path.States)
		if err != nil {
			return nil
		}
		theory := ground.theory(plain)
		theory.Assume(known...)
		out = append(out, exactFrame{ground,
			newProcesses(a.in, &Group{Theory: theory, Path: a.group.Path})})
		if len(ground.sorts) == 0 {
			break
		}
	}
	return out
}

// folds are what is true of the sums and greatest values of some states, and of the elements, which
// are distinct.
func (g *grounder) folds(sys *system.System, states []vc.Versions) (out []*logic.Term, err error) {
	for _, s := range g.sorts {
		es := logic.Refs(g.elements[s])
		for i := range es {
			for _, other := range es[:i] {
				out = append(out, logic.Not(logic.Eq(es[i], other)))
			}
		}
	}
	for _, d := range sys.Folds() {
		value, err := d.Listed(func(i int) ([]*logic.Term, error) {
			values := g.values(d.Fold.Over[i].Sort)
			if len(values) == 0 {
				return nil, fmt.Errorf("the values of %s: %w", d.Symbol, errUnlisted)
			}
			return values, nil
		})
		if err != nil {
			return nil, err
		}
		is := g.term(logic.Forall(d.Vars,
			logic.Eq(logic.App(d.Symbol, logic.Pre, logic.Refs(d.Vars)...), value)))
		for i, state := range states {
			if i == 0 || state[d.Symbol] != states[i-1][d.Symbol] {
				out = append(out, vc.In(is, state))
			}
		}
	}
	return out, nil
}

// exactly decides an obligation next to folds by a counterexample with few elements, if there is
// one.
func (a *asker) exactly(ctx context.Context, o *Obligation, limit int64) bool {
	if a.exact == nil {
		a.exact = append([]exactFrame{}, a.exactFrames()...)
	}
	for _, f := range a.exact {
		r := restriction{elements: f.ground.elements, bound: exactBound, limit: limit}
		small := *o
		small.Goal = f.ground.term(o.Goal)
		for driver := range a.in.drivers {
			m, err := modeller{f.models}.modelWith(ctx, &small, driver, r)
			o.Rlimit, o.Queries = small.Rlimit, small.Queries
			if err == nil && m != nil {
				o.Verdict, o.Reason, o.Trace = result.NotInductive, result.Reason{}, m.trace
				return true
			}
			if errors.Is(err, errNoModel) || ctx.Err() != nil {
				break
			}
		}
	}
	return false
}
