package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
)

// walk is a run in an instance, and the current state in it.
type walk struct {
	spec  *ere.Specification
	sys   *system.System
	model *interp.Model
	// without the trusted invariants, which cut steps off; nil if there are none
	uncut    *interp.Model
	elements map[string]*logic.Term
	needs    map[*logic.Term]*logic.Term // the conditions under which expressions have a value
	o        Options

	run       []position
	at        int
	loop      int  // the state to which the run returns after its last state, negative for none
	arbitrary bool // the run begins in a state that need not be reachable
	initial   *initials
	succ      *successors // of the current state; nil when unknown
}

// begin begins a walk in the first initial state of an instance.
func begin(
	ctx context.Context, spec *ere.Specification, inst *system.Instance, o Options,
) (*walk, error) {
	w, err := newWalk(spec, inst, o)
	if err != nil {
		return nil, err
	}
	init, err := w.initials(ctx)
	if err != nil {
		return nil, err
	}
	w.run = []position{{state: init.states[0]}}
	return w, nil
}

// retrace begins a walk in a state of a replayed run; a negative number stands for the last state.
func retrace(
	ctx context.Context, spec *ere.Specification, t *result.Trace, at int, o Options,
) (*walk, error) {
	inst, err := interp.InstanceOf(spec.System, t)
	if err != nil {
		return nil, err
	}
	w, err := newWalk(spec, inst, o)
	if err != nil {
		return nil, err
	}
	states, err := interp.RunOf(ctx, w.model, t)
	if err != nil {
		return nil, fmt.Errorf("the trace: %w", err)
	}
	for i, step := range t.Steps {
		w.run = append(w.run, position{step.Action, step.Args, states[i]})
	}
	switch {
	case len(w.run) == 0:
		return nil, errors.New("the trace has no states")
	case at >= len(w.run):
		return nil, fmt.Errorf("the trace has no state %d: its last is state %d", at, len(w.run)-1)
	case at < 0:
		at = len(w.run) - 1
	}
	w.at, w.loop, w.arbitrary = at, t.Loop, t.Kind == result.ToInduction
	return w, nil
}

func newWalk(spec *ere.Specification, inst *system.Instance, o Options) (*walk, error) {
	for _, limit := range []struct {
		set   *int
		value int
	}{
		{&o.Page, defaultPage}, {&o.MaxStates, defaultMaxStates}, {&o.MaxSteps, defaultMaxSteps},
	} {
		if *limit.set <= 0 {
			*limit.set = limit.value
		}
	}
	sys := spec.System
	w := &walk{spec: spec, sys: sys, o: o, loop: -1, needs: map[*logic.Term]*logic.Term{}}
	var err error
	if w.model, err = interp.NewModel(sys, inst); err != nil {
		if d := interp.Diagnostic(err, inst); d != nil {
			err = &diag.List{All: []*diag.Diagnostic{d}}
		}
		return nil, err
	}
	isTrusted := func(p *system.Property) bool { return p.Kind == system.Trusted }
	if slices.ContainsFunc(sys.Properties, isTrusted) {
		free := *sys
		free.Properties = slices.DeleteFunc(slices.Clone(sys.Properties), isTrusted)
		if w.uncut, err = interp.NewModel(&free, inst); err != nil {
			return nil, err
		}
	}
	w.nameElements()
	return w, nil
}

// violated names the properties that are not true in the present state.
func (w *walk) violated() []string { return w.violatedBy(w.state()) }

func (w *walk) violatedBy(state interp.State) (names []string) {
	for _, p := range w.sys.Properties {
		if p.IsInvariant() {
			// What has no value in an instance, such as a claim about all integers, is not false.
			if holds, err := w.model.Holds(p.Term, state); err == nil && !holds {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

func (w *walk) search(ctx context.Context, t *logic.Term) ([]position, error) {
	holds := false
	limit := fmt.Errorf("the formula is false in the %d states that are nearest, the limit of a "+
		"search", w.o.MaxStates)
	found, err := w.model.Nearest(ctx, []interp.State{w.state()}, func(
		found []interp.Reached,
	) error {
		if len(found) == 1 {
			return nil // where the session is
		}
		if len(found) > w.o.MaxStates {
			return limit
		}
		var err error
		if holds, err = w.model.Holds(t, found[len(found)-1].State); err != nil {
			return err
		}
		if holds {
			return interp.ErrStop
		}
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, limit):
		return nil, limit
	case err != nil:
		return nil, fmt.Errorf("the search ended after %s: %w",
			plural(len(found), "state", "states"), err)
	case !holds:
		return nil, fmt.Errorf("the formula is false in every state that can be reached from "+
			"here (%s)", plural(len(found), "state", "states"))
	}
	var path []position
	for _, r := range interp.Path(found, len(found)-1)[1:] {
		path = append(path, position{r.Action.Name, w.model.ArgBindings(r.Args), r.State})
	}
	return path, nil
}

// expression reads an expression in which the elements of the instance have names.
func (w *walk) expression(text string) (*logic.Term, error) {
	if text == "" {
		return nil, errors.New("an expression is expected")
	}
	t, needs, err := w.spec.Partial(text, w.elements)
	if err == nil && !needs.IsTrue() {
		w.needs[t] = needs
	}
	return t, err
}

// eval gives the value of an expression in a state.
func (w *walk) eval(t *logic.Term, state interp.State) (int64, error) {
	if needs := w.needs[t]; needs != nil {
		if holds, err := w.model.Holds(needs, state); err != nil || !holds {
			return 0, cmp.Or(err, errors.New("this has no value here: a part does not exist"))
		}
	}
	return w.model.Eval(t, state)
}

func (w *walk) formula(text string) (*logic.Term, error) {
	t, err := w.expression(text)
	if err == nil && t.Sort != logic.Bool {
		return nil, fmt.Errorf("a formula is expected, but this has sort %s", t.Sort)
	}
	if needs := w.needs[t]; err == nil && needs != nil { // without a value it is not true
		return logic.And(needs, t), nil
	}
	return t, err
}

// evaluate gives the value of a term in the present state.
func (w *walk) evaluate(t *logic.Term) (result.Value, error) {
	v, err := w.eval(t, w.state())
	if err != nil {
		return result.Value{}, err
	}
	return w.value(t.Sort, v), nil
}

// position is a state of the run, with the action that leads to it.
type position struct {
	action string
	args   []result.Binding
	state  interp.State
}

func (m position) same(n position) bool {
	return m.action == n.action && slices.Equal(m.state, n.state) &&
		slices.EqualFunc(m.args, n.args, func(a, b result.Binding) bool {
			return a.Name == b.Name && a.Value.Equal(b.Value)
		})
}

// call is the step as the file declares the action.
func (w *walk) call(m position) string {
	action, args := interp.ShownCall(w.model, m.state, m.action, m.args)
	return report.Call(result.Step{Action: action, Args: args})
}

// ErrNothing says that an instance has no initial state, so there is no run.
var ErrNothing = errors.New(vacuity.NoState)

// nameElements defines the names of elements, such as client0, for expressions. A name that two
// sorts share stands for neither.
func (w *walk) nameElements() {
	w.elements = map[string]*logic.Term{}
	shared := map[string]bool{}
	for _, srt := range w.sys.Sorts {
		if srt.Kind != logic.KindUninterpreted {
			continue
		}
		for i := range w.model.Instance.Sizes[srt] {
			name := w.value(srt, int64(i)).String()
			shared[name] = w.elements[name] != nil
			w.elements[name] = logic.Member(srt, i)
		}
	}
	for name, yes := range shared {
		if yes {
			delete(w.elements, name)
		}
	}
}

// value names a value of a sort.
func (w *walk) value(srt *logic.Sort, v int64) result.Value {
	return w.model.ArgBindings([]interp.Arg{{Var: &logic.Var{Sort: srt}, Value: v}})[0].Value
}

func (w *walk) state() interp.State { return w.run[w.at].state }

// initials are the listed initial states.
type initials struct {
	states []interp.State
	all    bool
}

func (i *initials) count() string {
	if !i.all {
		return fmt.Sprintf("more than %d initial states", len(i.states))
	}
	return plural(len(i.states), "initial state", "initial states")
}

func (w *walk) initials(ctx context.Context) (*initials, error) {
	if w.initial != nil {
		return w.initial, nil
	}
	init := &initials{all: true}
	err := w.model.Initial(ctx, func(state interp.State) error {
		if len(init.states) == w.o.MaxSteps {
			init.all = false
			return interp.ErrStop
		}
		init.states = append(init.states, state)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(init.states) == 0:
		return nil, fmt.Errorf("%w%s", ErrNothing,
			strings.TrimPrefix(vacuity.WhyNoInitialState(ctx, w.model.System, w.model.Instance),
				vacuity.NoState))
	}
	w.initial = init
	return init, nil
}

// take goes on with a step. The later states stay if they begin with the same step.
func (w *walk) take(m position) {
	if w.at+1 == len(w.run) || !w.run[w.at+1].same(m) {
		w.run = append(w.run[:w.at+1:w.at+1], m)
	}
	w.goTo(w.at + 1)
}

func (w *walk) goTo(at int) {
	w.at, w.succ = at, nil
}

// begin starts a new run.
func (w *walk) begin(first interp.State) {
	w.run, w.arbitrary = []position{{state: first}}, false
	w.goTo(0)
}

// trace is the run up to the current state.
func (w *walk) trace() *result.Trace {
	t := w.model.TraceOf(w.run[0].state)
	t.Steps = nil
	for _, m := range w.run[:w.at+1] {
		t.Steps = append(t.Steps,
			result.Step{Action: m.action, Args: m.args, State: w.model.Bindings(m.state, true)})
	}
	t.Kind = result.Witness
	for _, p := range w.sys.Properties {
		if holds, err := w.model.Holds(p.Term, w.state()); p.IsInvariant() && err == nil && !holds {
			t.Kind, t.Violates = result.Counterexample, p.Name
			t.Line = w.model.FalseConjunct(p.Term, w.state()).Line()
			break
		}
	}
	if w.arbitrary {
		t.Kind = result.ToInduction
	}
	return t
}

// visible gives the bindings that are not hidden.
func (w *walk) visible(bindings []result.Binding) []result.Binding {
	return slices.DeleteFunc(slices.Clone(bindings), func(b result.Binding) bool {
		return slices.Contains(w.o.View.Hide, b.Name)
	})
}

// variables are the visible values of the mutable symbols.
func (w *walk) variables(state interp.State) []result.Binding {
	return w.visible(w.model.Shown(state, true))
}

// everything are the visible values of all symbols.
func (w *walk) everything(state interp.State) []result.Binding {
	return append(w.visible(w.model.Shown(state, false)), w.variables(state)...)
}
