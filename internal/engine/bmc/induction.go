package bmc

import (
	"context"
	"errors"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
)

// Induction asks, on one instance, whether a step leads from a state in which some formulas hold to
// a state in which another formula does not. Its answers are about this instance alone. Only one
// goroutine at a time may use it.
type Induction struct {
	u       *unrolling
	solvers *solvers
	stuck   bool // no step can be taken at all
	before  map[*logic.Term]lit
	after   map[*logic.Term]lit
	Queries int64
}

// NewInduction unrolls one step from any state of an instance. The error says why the formulas
// cannot be grounded, or that there is no solver.
func NewInduction(ctx context.Context, sys *system.System, inst *system.Instance, opts Options) (ind *Induction, err error) {
	defer refused(&err)
	m, err := interp.NewModel(sys, inst)
	if err != nil {
		return nil, err
	}
	ind = &Induction{u: unrollingFrom(m, nil, opts.Integers, nil), before: map[*logic.Term]lit{}, after: map[*logic.Term]lit{}}
	if ind.stuck = !ind.u.step(); ind.stuck {
		return ind, nil
	}
	ind.solvers, err = newSolvers(ctx, opts)
	return ind, err
}

// Close ends the solvers.
func (ind *Induction) Close() {
	if ind.solvers != nil {
		ind.solvers.close()
	}
}

// Model is the instance as the interpreter has it.
func (ind *Induction) Model() *interp.Model { return ind.u.model }

// Counterexample finds a state, outside the states to avoid, in which the assumed formulas hold,
// and a step from it to a state in which the goal does not. Found is false when there is none; an
// error means that this is unknown.
func (ind *Induction) Counterexample(ctx context.Context, assumed []*logic.Term, goal *logic.Term, avoid []interp.State) (
	pre interp.State, step interp.Step, found bool, err error) {
	defer refused(&err)
	if ind.stuck {
		return nil, step, false, nil
	}
	u := ind.u
	l := ind.truth(ind.after, goal, u.states[1]).not()
	for _, t := range assumed {
		l = u.and(l, ind.truth(ind.before, t, u.states[0]))
	}
	for _, s := range avoid {
		other := no
		for slot, x := range u.states[0] {
			is := u.element(u.slots[slot].symbol.Result, s[slot])
			other = u.or(other, u.equal(x, is, u.slots[slot].symbol.Result).not())
		}
		l = u.and(l, other)
	}
	if l == no {
		return nil, step, false, nil
	}
	ind.Queries++
	answer := ind.solvers.ask(ctx, "counterexample to induction", u.circuit, l)
	switch answer.status {
	case smt.Unsat:
		return nil, step, false, nil
	case smt.Unknown:
		return nil, step, false, errors.New(answer.reason.Text)
	}
	first, steps := u.run(answer.nodes)
	return first, steps[0], true, nil
}

func (ind *Induction) truth(cache map[*logic.Term]lit, t *logic.Term, state []value) lit {
	l, ok := cache[t]
	if !ok {
		l = ind.u.truth(t, scope{states: [2][]value{state}})
		cache[t] = l
	}
	return l
}

// refused turns the panic of a grounder into an error.
func refused(err *error) {
	switch r := recover().(type) {
	case nil:
	case *refusalError:
		*err = r
	default:
		panic(r)
	}
}
