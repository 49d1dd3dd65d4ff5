package infer

import (
	"context"
	"errors"
	"slices"

	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// questionConflicts bounds a question about an instance. One that is harder counts as one without a
// counterexample, until a proof for all instances is asked for.
const questionConflicts = 10_000

// induction gives the questions about an instance.
func (s *search) induction(inst *system.Instance) (*bmc.Induction, error) {
	ind := s.ground[inst]
	if ind == nil {
		var err error
		if ind, err = s.newInduction(inst); err != nil {
			return nil, err
		}
		ind.Limit = questionConflicts
		s.ground[inst] = ind
	}
	return ind, nil
}

func (s *search) newInduction(inst *system.Instance) (*bmc.Induction, error) {
	m, err := interp.NewModel(s.finite, inst)
	if err != nil {
		return nil, err
	}
	start := bmc.Start{Values: s.inOrder(newStructure(m))}
	if w := s.worldOf(inst); w != nil {
		start.Integers = w.integers()
	}
	return bmc.NewInduction(s.finite, inst, start)
}

// close ends the compiled programs.
func (s *search) close() {
	for _, x := range s.expanders {
		x.close()
	}
	for _, ind := range s.ground {
		s.out.Queries += ind.Queries
	}
}

// transition is a step of a counterexample to induction, with memoised values of formulas in its
// states.
type transition struct {
	pre, post     sample
	before, after map[*logic.Term]bool
}

func (t *transition) holds(known map[*logic.Term]bool, at sample, f *logic.Term) bool {
	is, ok := known[f]
	if !ok {
		is = at.holds(f)
		known[f] = is
	}
	return is
}

// holds reports whether a closed formula is true in a state; a formula without a value is not.
func (s sample) holds(f *logic.Term) (is bool) {
	return hasValue(func() { is = s.eval(f, nil) == 1 }) && is
}

// counterexamples gives a few states in which all goals hold and from which a step leads to a state
// in which this goal does not. States found for other goals come first.
func (s *search) counterexamples(
	ctx context.Context, ind *bmc.Induction, inst *system.Instance, g *goal,
) (ctis []*transition, err error) {
	var avoid []interp.State
	for _, t := range s.known[inst] {
		if len(ctis) < s.batch() && !t.holds(t.after, t.post, g.term) &&
			!slices.ContainsFunc(s.goals, func(g *goal) bool {
				return !t.holds(t.before, t.pre, g.term)
			}) {
			ctis = append(ctis, t)
		}
	}
	if len(ctis) > 0 {
		return ctis, nil
	}
	assumed := formulas(s.goals)
	of := s.structureOf(inst, ind)
	for len(ctis) < s.batch() {
		pre, step, found, err := ind.Counterexample(ctx, assumed, g.term, avoid, len(ctis))
		if errors.Is(err, bmc.ErrHard) || bmc.Refused(err) {
			break // the proof for all instances says whether there is one
		}
		if err != nil {
			return nil, err
		}
		s.questions++
		if !found {
			break
		}
		t := &transition{sample{of, pre}, sample{of, step.State}, map[*logic.Term]bool{},
			map[*logic.Term]bool{}}
		s.known[inst] = append(s.known[inst], t)
		ctis = append(ctis, t)
		avoid = append(avoid, pre)
	}
	return ctis, nil
}

// structureOf gives the structure of the world with an instance.
func (s *search) structureOf(inst *system.Instance, ind *bmc.Induction) *structure {
	if w := s.worldOf(inst); w != nil {
		return w.structure
	}
	return newStructure(ind.Model())
}

// worldOf is the world with an instance, nil if it was not explored.
func (s *search) worldOf(inst *system.Instance) *world {
	for _, w := range s.worlds {
		if w.model.Instance == inst {
			return w
		}
	}
	return nil
}
