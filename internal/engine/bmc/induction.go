package bmc

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/sat"
	"erelong.dev/erelong/internal/system"
)

// Induction asks, on one instance, whether a step leads from a state in which some formulas hold to
// a state in which another formula does not. Its answers are about this instance alone. Only one
// goroutine at a time may use it. It needs no solver outside of the program.
type Induction struct {
	u       *unrolling
	clauses *clauses
	noStep  bool // no step can be taken at all
	before  map[*logic.Term]lit
	after   map[kept]lit
	// cores are the assumed formulas that preserve a goal in the steps of an action.
	cores   map[kept][]*logic.Term
	alike   symmetry
	Queries int64
	Limit   int64 // bounds the conflicts of the solver in one question
}

// NewInduction unrolls one step from any state of an instance that is as the start says. The error
// says why the formulas cannot be grounded.
func NewInduction(
	sys *system.System, inst *system.Instance, start Start,
) (ind *Induction, err error) {
	defer refused(&err)
	m, err := interp.NewModel(sys, inst)
	if err != nil {
		return nil, err
	}
	ind = &Induction{
		u: unrollingFrom(m, nil, start, nil), before: map[*logic.Term]lit{}, after: map[kept]lit{},
		cores: map[kept][]*logic.Term{}, alike: symmetryOf(m, start), Limit: UsualConflicts,
	}
	if ind.noStep = !ind.u.step(); ind.noStep {
		return ind, nil
	}
	ind.clauses = newClauses(ind.u.circuit)
	return ind, nil
}

// Model is the instance as the interpreter has it.
func (ind *Induction) Model() *interp.Model { return ind.u.model }

// Counterexample finds a state, outside the states to avoid, in which the assumed formulas hold,
// and a step from it to a state in which the goal does not. Found is false when there is none; an
// error means that this is unknown. Turn chooses the action that is tried first.
func (ind *Induction) Counterexample(
	ctx context.Context, assumed []*logic.Term, goal *logic.Term, avoid []interp.State, turn int,
) (
	pre interp.State, step interp.Step, found bool, err error) {
	defer refused(&err)
	if ind.noStep {
		return nil, step, false, nil
	}
	u := ind.u
	var before []lit
	for _, t := range assumed {
		before = append(before, ind.assumes(t))
	}
	if slices.Contains(before, no) {
		return nil, step, false, nil
	}
	for _, s := range avoid {
		other := no
		for slot, x := range u.states[0] {
			is := u.element(u.slots[slot].symbol.Result, s[slot])
			other = u.or(other, u.equal(x, is, u.slots[slot].symbol.Result).not())
		}
		before = append(before, other)
	}
	n := len(u.steps[0])
	for i := range n {
		action := (turn + i) % n
		switch found, hard := ind.ask(ctx, action, goal, assumed, before); {
		case ctx.Err() != nil:
			return nil, step, false, ctx.Err()
		case hard != nil:
			err = hard // another action may have such a step
		case found:
			first, steps := u.run(u.circuit.evaluate(ind.clauses.inputs()))
			return first, steps[0], true, nil
		}
	}
	return nil, step, false, err
}

// Core lists the formulas that the last answers about a goal needed, where no step was found.
func (ind *Induction) Core(goal *logic.Term) (core []*logic.Term) {
	if ind.noStep {
		return nil
	}
	for action := range ind.u.steps[0] {
		for _, t := range ind.cores[kept{action, goal}] {
			if !slices.Contains(core, t) {
				core = append(core, t)
			}
		}
	}
	return core
}

// conflictWork is what a conflict costs beside its assignments, in units of package effort: each of
// them takes about as long as an assignment of a literal.
const conflictWork = 100

// ErrHard says that a question is too hard.
var ErrHard = errors.New("the question is too hard")

// UsualConflicts is the usual limit.
const UsualConflicts = 200_000

// kept names a question: does an action preserve a goal?
type kept struct {
	action int
	goal   *logic.Term
}

// ask asks whether a step of an action leads from a state in which some literals hold to one in
// which the goal does not. The formulas that prove that there is no such step are remembered.
func (ind *Induction) ask(
	ctx context.Context, action int, goal *logic.Term, assumed []*logic.Term, before []lit,
) (bool, error) {
	question := kept{action, goal}
	if core, ok := ind.cores[question]; ok && !slices.ContainsFunc(core, func(t *logic.Term) bool {
		return !slices.Contains(assumed, t)
	}) {
		return false, nil
	}
	u := ind.u
	after, ok := ind.after[question]
	if !ok {
		post := scope{states: [2][]value{u.steps[0][action].post}}
		after = u.representatives(goal, post, ind.alike)
		ind.after[question] = after
	}
	holds := u.now(after)
	if holds == yes {
		ind.cores[question] = nil
		return false, nil
	}
	// Often the step changes nothing that the goal reads.
	if i := slices.Index(before[:len(assumed)], holds); i >= 0 {
		ind.cores[question] = []*logic.Term{assumed[i]}
		return false, nil
	}
	all := append(slices.Clone(before), holds.not())
	for i := range action {
		all = append(all, u.steps[0][i].taken.not())
	}
	all = append(all, u.steps[0][action].taken)
	all = append(all, u.canonical(u.steps[0][action], goal, ind.alike)...)
	ind.clauses.assume()
	literals := make([]sat.Lit, 0, len(all))
	of := map[sat.Lit]int{}
	for i, l := range all {
		switch l = u.now(l); l {
		case yes:
		case no:
			return false, nil
		default:
			x := ind.clauses.literal(l)
			literals = append(literals, x)
			of[x] = i
		}
	}
	ind.Queries++
	solver := ind.clauses.solver
	conflicts, assigned := solver.Conflicts, solver.Assigned
	status := solver.Solve(ctx, ind.Limit, literals...)
	effort.Spend(ctx, (solver.Conflicts-conflicts)*conflictWork+solver.Assigned-assigned+
		int64(len(literals)))
	switch status {
	case sat.Sat:
		return true, nil
	case sat.Unsat:
		core := []*logic.Term{}
		for _, x := range ind.clauses.solver.Core() {
			if i := of[x]; i < len(assumed) {
				core = append(core, assumed[i])
			} else if i < len(before) {
				return false, nil // it needs the states to avoid
			}
		}
		ind.cores[question] = core
		return false, nil
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return false, fmt.Errorf("%w: it needs more than %d conflicts", ErrHard, ind.Limit)
}

// assumes gives the truth value of a formula before the step.
func (ind *Induction) assumes(t *logic.Term) lit {
	l, ok := ind.before[t]
	if !ok {
		l = ind.u.truth(t, scope{states: [2][]value{ind.u.states[0]}})
		ind.before[t] = l
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
