package interp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Step is one way to carry out an action.
type Step struct {
	Action *system.Action
	Args   []Arg // the parameters, then the choices in the order in which they were made
	State  State
	// Outside says that the step leads out of the boundary of a computed system.
	Outside bool
}

// Arg is the value of a parameter or of a choice.
type Arg struct {
	Var   *logic.Var
	Value int64
}

// Initial calls yield for every initial state. The state has the instance's values, any values of
// the other immutable symbols that the axioms allow, and any initial values of the mutable symbols
// within their declared ranges.
func (m *Model) Initial(ctx context.Context, yield func(State) error) error {
	if m.System.Computed != nil {
		return computedInitial(ctx, m, yield)
	}
	f, err := m.machine()
	if err != nil {
		return err
	}
	defer m.release(f)
	if err := f.setInstance(); err != nil {
		return err
	}
	err = f.solve(ctx, m.initial(true), f.unknown(0, m.size), func() error {
		return yield(slices.Clone(f.val[:m.size]))
	})
	if err != nil && !errors.Is(err, ErrStop) {
		return fmt.Errorf("initial states: %w", err)
	}
	return nil
}

// initial lists the constraints on every state, or with init on an initial state.
func (m *Model) initial(init bool) []constraint {
	cs := slices.Concat(m.axioms, m.defined)
	if init {
		for _, f := range m.System.Inits {
			cs = append(cs, constraint{f.Term, logic.Pre})
		}
	}
	return append(cs, m.trusted...)
}

// unknown lists the unknown slots of a part of the memory.
func (f *machine) unknown(from, to int) []int {
	var out []int
	for slot := from; slot < to; slot++ {
		if !f.known[slot] {
			out = append(out, slot)
		}
	}
	return out
}

// Steps calls yield for every way to carry out an action in a state, by running its Code: for every
// combination of parameters in lexicographic order, and for each in the order of the choices that
// the code makes. It omits steps to states that violate a trusted property. Different choices may
// lead to the same state.
func (m *Model) Steps(
	ctx context.Context, s State, a *system.Action, yield func(Step) error,
) error {
	return m.GuidedSteps(ctx, s, a, Guide{}, yield)
}

// EachStep is Steps for all actions, in their order.
func (m *Model) EachStep(ctx context.Context, s State, yield func(Step) error) error {
	if m.System.Computed != nil {
		return computedSteps(ctx, m, s, yield)
	}
	over := false
	for _, a := range m.System.Actions {
		err := m.Steps(ctx, s, a, func(step Step) error {
			err := yield(step)
			over = errors.Is(err, ErrStop)
			return err
		})
		if err != nil || over {
			return err
		}
	}
	return nil
}

// GuidedSteps is Steps with a guide: it gives the steps that the guide allows.
func (m *Model) GuidedSteps(
	ctx context.Context, s State, a *system.Action, g Guide, yield func(Step) error,
) error {
	if err := ctx.Err(); err != nil { // a search may have thousands of actions
		return err
	}
	if m.System.Computed != nil {
		return guidedComputed(ctx, m, s, a, g, yield)
	}
	if err := runnable(a); err != nil {
		return err
	}
	f, err := m.machine(s, s)
	if err != nil {
		return err
	}
	defer m.release(f)
	f.ctx = ctx
	r := &run{machine: f, ctx: ctx, action: a, guide: g}
	r.emitted = func() error {
		return yield(Step{Action: a, Args: slices.Clone(r.args),
			State: slices.Clone(r.val[r.m.size : 2*r.m.size])})
	}
	if err := r.parameters(a.Params); err != nil && !errors.Is(err, ErrStop) {
		return err
	}
	return nil
}

// run is one run of the code of an action. State Post of its machine is the current state. For each
// alternative, it calls a function that runs the rest of the code, and undoes all changes when that
// returns.
//
// Havoc leaves slots unknown. A Require or Such that needs an unknown slot stays pending; it is
// about state Post as it is then. So the constraints are settled before a symbol in a pending
// constraint changes: the run then goes on once for each completion of the unknown slots.
type run struct {
	*machine
	ctx     context.Context
	action  *system.Action
	args    []Arg
	pending []constraint
	stack   []write // new values of the statements that are being carried out
	guide   Guide
	emitted func() error // called in each state after the action
}

// runnable refuses an action without code.
func runnable(a *system.Action) error {
	if rel := a.Relation; a.Code == nil && rel != nil &&
		len(rel.Guard)+len(rel.Updates)+len(a.Modifies) > 0 {
		return fmt.Errorf("action %s has a relation but no code", a.Name)
	}
	return nil
}

func (r *run) parameters(params []*logic.Var) error {
	if len(params) > 0 {
		return r.wrap(r.bindEach(params[0], params[1:], nil,
			func() error { return r.parameters(params[1:]) }))
	}
	return r.wrap(r.start())
}

// wrap adds the action and its arguments to an error of the evaluation.
func (r *run) wrap(err error) error {
	switch err.(type) {
	case nil, *outsideError, *ActionError: // before the variables below, which cost memory
		return err
	}
	outside, wrapped := new(outsideError), new(ActionError)
	if !errors.As(err, &outside) && !errors.As(err, &wrapped) && !errors.Is(err, ErrWork) &&
		r.ctx.Err() == nil {
		return &ActionError{r.m, r.action, slices.Clone(r.args), err}
	}
	return err
}

// bindEach calls next with a parameter, before later ones, or with a choice of which a condition
// asks something, bound to each of its values.
func (r *run) bindEach(
	v *logic.Var, later []*logic.Var, such *logic.Term, next func() error,
) error {
	d, ok := r.guided(v, later, such)
	if !ok {
		return r.undecided()
	}
	env, args := len(r.env), len(r.args)
	defer func() { r.env, r.args = r.env[:env], r.args[:args] }()
	for x := d.lo; d.has(x); x++ {
		if !r.goesOn() {
			return r.stopped
		}
		r.env = append(r.env[:env], binding{v: v, value: x})
		r.args = append(r.args[:args], Arg{v, x})
		if err := next(); err != nil {
			return r.wrap(err)
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// undecided is the error for an unknown value at a point where all slots are known.
func (r *run) undecided() error {
	if r.err != nil {
		return r.err
	}
	return fmt.Errorf("internal error: the value of %s is not known", r.owner(r.miss).symbol)
}

func (r *run) start() error {
	if !r.action.Imperative {
		// The code stands for a formula, which reads derived symbols at Post in the final state.
		r.forgetDerived(r.m.freeDerived)
	}
	err := r.block(r.action.Code, r.finish)
	r.undo(0)
	if errors.Is(err, errWindow) {
		r.err, r.pending = nil, nil
		return nil
	}
	return err
}

// finish completes the state and yields it.
func (r *run) finish() error {
	if !r.action.Imperative || len(r.m.freeDerived) == 0 {
		return r.settle(r.after(), r.emit)
	}
	return r.beforeChange(r.m.freeDerived, func() error { return r.settle(r.after(), r.emit) })
}

func (r *run) emit() error {
	if err := r.emitted(); err != nil {
		return &outsideError{err}
	}
	return nil
}

// settle calls next for each completion of state Post that satisfies the pending constraints and
// more. No constraint is pending then.
func (r *run) settle(more []constraint, next func() error) error {
	free, cs := r.left(), more
	if len(r.pending) > 0 {
		cs = slices.Concat(r.pending, more)
	}
	if len(free) > 0 {
		cs = slices.Concat(at(r.m.defined, logic.Post), cs)
	}
	if len(free)+len(cs) == 0 {
		return next()
	}
	pending := r.pending
	r.pending = nil
	err := r.solve(r.ctx, cs, free, next)
	r.pending = pending
	return err
}

// left lists the unknown slots of state Post. It was known when the action began.
func (r *run) left() (out []int) {
	for _, s := range r.trail {
		if s.slot >= r.m.size && s.slot < 2*r.m.size && !r.known[s.slot] {
			out = append(out, s.slot)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// block runs statements and then next.
func (r *run) block(code []system.Stmt, next func() error) error {
	if len(code) == 0 {
		return next()
	}
	rest := func() error { return r.block(code[1:], next) }
	switch s := code[0].(type) {
	case system.Require:
		return r.require(s.Cond, rest)
	case system.Assign:
		return r.assign(s.Updates, rest)
	case system.Havoc:
		return r.beforeChange([]*logic.Symbol{s.Symbol}, func() error { return r.havoc(s, rest) })
	case system.Choose:
		chosen := func() error {
			return r.bindEach(s.Var, nil, s.Such, func() error { return r.require(s.Such, rest) })
		}
		if endless(r.m, s.Var.Sort) { // its bounds need values
			return r.settle(nil, chosen)
		}
		return chosen()
	case system.Let:
		return r.value(s.Value, func(v int64) error {
			r.env = append(r.env, binding{v: s.Var, value: v})
			err := rest()
			r.env = r.env[:len(r.env)-1]
			return err
		})
	case system.If:
		return r.value(s.Cond, func(v int64) error {
			if v == 1 {
				return r.block(s.Then, rest)
			}
			return r.block(s.Else, rest)
		})
	}
	return fmt.Errorf("internal error: statement %T is unknown", code[0])
}

// require goes on if a condition holds. An undecided condition becomes pending.
func (r *run) require(cond *logic.Term, next func() error) error {
	v, ok := r.eval(cond)
	switch {
	case ok && v == 1:
		return next()
	case ok:
		r.blocked(cond)
		return nil
	case r.err != nil && len(r.pending) == 0:
		return r.err
	}
	// An error behind pending constraints counts only if the constraints can be true. The solver
	// decides this from left to right.
	r.pending = append(r.pending, constraint{cond, logic.Pre})
	err := next()
	r.pending = r.pending[:len(r.pending)-1]
	return err
}

// value goes on with the value of a term, settling first if it is unknown.
func (r *run) value(t *logic.Term, next func(int64) error) error {
	v, ok := r.eval(t)
	switch {
	case ok:
		return next(v)
	case r.err != nil && len(r.pending) == 0:
		return r.err
	}
	return r.settle(nil, func() error {
		v, ok := r.eval(t)
		if !ok {
			return r.undecided()
		}
		return next(v)
	})
}

// write is a new value for a slot.
type write struct {
	slot  int
	value int64
}

// assign computes all new values and then sets them. Of several values for one point the last wins.
func (r *run) assign(updates []system.Update, next func() error) error {
	set := func(writes []write) error {
		return r.beforeChange(changed(updates), func() error {
			mark := len(r.trail)
			defer r.undo(mark)
			for _, w := range writes {
				r.set(w.slot, w.value)
			}
			return next()
		})
	}
	start := len(r.stack)
	defer func() { r.stack = r.stack[:start] }()
	writes, ok := r.writes(updates)
	switch {
	case ok:
		return set(writes)
	case r.err != nil && len(r.pending) == 0:
		return r.err
	}
	return r.settle(nil, func() error {
		writes, ok := r.writes(updates)
		if !ok {
			return r.undecided()
		}
		return set(writes)
	})
}

// changed lists the symbols that updates change.
func changed(updates []system.Update) []*logic.Symbol {
	symbols := make([]*logic.Symbol, len(updates))
	for i, u := range updates {
		symbols[i] = u.Symbol
	}
	return symbols
}

func (r *run) writes(updates []system.Update) ([]write, bool) {
	start := len(r.stack)
	for _, u := range updates {
		target := logic.App(u.Symbol, logic.Post, u.Args...).At(u.Span)
		all := r.assignments(u.Vars, func() bool {
			slot, ok := r.slotOf(target)
			if !ok {
				return false
			}
			v, ok := r.eval(u.Value)
			r.stack = append(r.stack, write{slot, v})
			return ok
		})
		if !all {
			return nil, false
		}
	}
	return r.stack[start:], true
}

// slotOf finds the slot of the application of a symbol that a statement changes.
func (r *run) slotOf(t *logic.Term) (int, bool) {
	l := r.m.layouts[t.Symbol]
	if l == nil || l.body != nil || !t.Symbol.Mutable {
		r.fail(t.Span, "%s %s cannot be changed by an action", t.Symbol.Kind, t.Symbol)
		return 0, false
	}
	return r.slot(l, t)
}

// havoc makes slots unknown. Its arguments must be known.
func (r *run) havoc(h system.Havoc, next func() error) error {
	target := logic.App(h.Symbol, logic.Post, h.Args...).At(h.Span)
	var slots []int
	collect := func() bool {
		slots = slots[:0]
		return r.assignments(h.Vars, func() bool {
			slot, ok := r.slotOf(target)
			slots = append(slots, slot)
			return ok
		})
	}
	forget := func() error {
		mark := len(r.trail)
		defer r.undo(mark)
		for _, slot := range slots {
			r.forget(slot)
		}
		return next()
	}
	switch {
	case collect():
		return forget()
	case r.err != nil && len(r.pending) == 0:
		return r.err
	}
	return r.settle(nil, func() error {
		if !collect() {
			return r.undecided()
		}
		return forget()
	})
}

// beforeChange settles the pending constraints if one of them mentions symbols that are about to
// change in state Post, or derived symbols that depend on them. Dependent derived symbols without a
// body become unknown.
func (r *run) beforeChange(symbols []*logic.Symbol, change func() error) error {
	if len(r.pending)+len(r.m.freeDerived) == 0 {
		return change()
	}
	affected := func(t *logic.Symbol) bool {
		return slices.ContainsFunc(symbols, func(s *logic.Symbol) bool { return r.m.depends[s][t] })
	}
	act := func() error {
		var derived []*logic.Symbol
		for _, d := range r.m.freeDerived {
			if affected(d) {
				derived = append(derived, d)
			}
		}
		mark := len(r.trail)
		defer r.undo(mark)
		r.forgetDerived(derived)
		return change()
	}
	for _, c := range r.pending {
		if slices.ContainsFunc(symbolsOf(c.term), affected) {
			return r.settle(nil, act)
		}
	}
	return act()
}

func (r *run) forgetDerived(symbols []*logic.Symbol) {
	for _, d := range symbols {
		l := r.m.layouts[d]
		for i := range l.points {
			r.forget(r.m.size + l.offset + i)
		}
	}
}
