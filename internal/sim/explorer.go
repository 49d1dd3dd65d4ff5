package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"erelong.dev/erelong/internal/explain"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Address names a state of a run by the choices that lead to it, so that a picture can be asked
// for again, or be shared.
type Address struct {
	// First is the number of an initial state, counted from 1. In a recorded run it is the number
	// of states to keep; 0 keeps all.
	First int   `json:"first"`
	Steps []int `json:"steps"` // the numbers of the steps from there, as a session lists them
	At    int   `json:"at"`    // the state of the run, -1 for its last
}

// Explorer answers questions about runs that have addresses.
type Explorer struct {
	mu       sync.Mutex
	walk     *walk
	trace    *result.Trace // nil without a recorded run
	recorded []position
	loop     int     // of the recorded run
	inexact  bool    // the recorded run begins in a state that need not be reachable
	followed Address // where the walk is
	// violated keeps the names of the properties that are false, by the keys of states: a picture
	// shows them for the whole run.
	violated map[string][]string
}

const maxJudged = 10_000

func (x *Explorer) violatedBy(state interp.State) []string {
	key := x.walk.model.Key(state)
	names, ok := x.violated[key]
	if !ok {
		if x.violated == nil || len(x.violated) >= maxJudged {
			x.violated = map[string][]string{}
		}
		names = append([]string{}, x.walk.violatedBy(state)...)
		x.violated[key] = names
	}
	return names
}

// NewExplorer makes an explorer of an instance or, if there is a trace, of a replayed run.
func NewExplorer(
	ctx context.Context, spec *ere.Specification, inst *system.Instance, t *result.Trace, o Options,
) (*Explorer, error) {
	if t == nil {
		w, err := begin(ctx, spec, inst, o)
		if err != nil {
			return nil, err
		}
		return &Explorer{walk: w, followed: Address{First: 1}}, nil
	}
	w, err := retrace(ctx, spec, t, -1, o)
	if err != nil {
		return nil, err
	}
	return &Explorer{walk: w, trace: t, recorded: w.run, loop: w.loop, inexact: w.arbitrary,
		followed: Address{First: len(w.run)}}, nil
}

// follow brings the walk to an address. What it has in common with the last one is kept.
func (x *Explorer) follow(ctx context.Context, a Address) error {
	w := x.walk
	if a.First == 0 {
		a.First = max(len(x.recorded), 1)
	}
	if a.First != x.followed.First || len(w.run) == 0 {
		if err := x.begin(ctx, a.First); err != nil {
			return err
		}
	}
	base := len(w.run) - len(x.followed.Steps) // the states before the first step
	common := 0
	for common < min(len(a.Steps), len(x.followed.Steps)) &&
		a.Steps[common] == x.followed.Steps[common] {
		common++
	}
	if common < len(a.Steps) {
		w.run = slices.Clip(w.run[:base+common])
		x.followed.Steps = slices.Clone(a.Steps[:common])
		if w.at != len(w.run)-1 {
			w.goTo(len(w.run) - 1)
		}
	}
	for _, k := range a.Steps[common:] {
		if w.at != len(w.run)-1 {
			w.goTo(len(w.run) - 1)
		}
		found, err := w.currentSuccessors(ctx)
		if err != nil {
			return err
		}
		if k < 1 || k > len(found.steps) {
			return fmt.Errorf("state %d has %s, and none has the number %d", w.at,
				plural(len(found.steps), "step", "steps"), k)
		}
		w.take(found.steps[k-1])
		x.followed.Steps = append(x.followed.Steps, k)
	}
	if len(a.Steps) < len(x.followed.Steps) { // a shorter run: later states are no part of it
		w.run = slices.Clip(w.run[:base+len(a.Steps)])
		x.followed.Steps = slices.Clone(a.Steps)
		w.at = min(w.at, len(w.run)-1)
		w.succ = nil
	}
	w.loop = -1
	if x.recorded != nil && len(w.run) == len(x.recorded) && len(x.followed.Steps) == 0 {
		w.loop = x.loop
	}
	if a.At == -1 {
		a.At = len(w.run) - 1
	}
	if a.At < 0 || a.At >= len(w.run) {
		return fmt.Errorf("the run has no state %d: its last is state %d", a.At, len(w.run)-1)
	}
	if w.at != a.At {
		w.goTo(a.At)
	}
	return nil
}

// begin starts the run of an address.
func (x *Explorer) begin(ctx context.Context, first int) error {
	w := x.walk
	if x.recorded != nil {
		if first < 1 || first > len(x.recorded) {
			return fmt.Errorf("the recorded run has %s", plural(len(x.recorded), "state", "states"))
		}
		w.run = slices.Clip(slices.Clone(x.recorded[:first]))
		w.goTo(first - 1)
	} else {
		init, err := w.initials(ctx)
		if err != nil {
			return err
		}
		if first < 1 || first > len(init.states) {
			return fmt.Errorf("there is no initial state %d among %s", first, init.count())
		}
		w.begin(init.states[first-1])
	}
	w.arbitrary = x.inexact
	x.followed = Address{First: first}
	return nil
}

// View shows the state with an address.
func (x *Explorer) View(ctx context.Context, a Address) (*View, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.follow(ctx, a); err != nil {
		return nil, err
	}
	w := x.walk
	found, err := w.currentSuccessors(ctx)
	if err != nil {
		return nil, err
	}
	t := w.model.TraceOf(w.run[0].state).Shown()
	p := &View{
		Title: t.Instance, Address: x.address(), Loop: w.loop, Arbitrary: w.arbitrary,
		Universe:  t.Universe,
		Constants: parts(t.Params, t.Params), Deadlock: found.deadlock(), Truths: w.truths(),
		Choices: w.choices(found),
	}
	if x.trace != nil && x.trace.Diagnosis != nil {
		p.diagnosis(x.trace)
	}
	if x.recorded == nil {
		p.Initial, p.More = len(w.initial.states), !w.initial.all
	}
	for i := range w.run {
		stop := Stop{Call: w.call(w.run[i]), Changes: []string{},
			Violated: x.violatedBy(w.run[i].state)}
		if i > 0 {
			stop.Changes = short(w.variables(w.run[i-1].state), w.variables(w.run[i].state))
		}
		p.Run = append(p.Run, stop)
	}
	now := w.variables(w.state())
	before := now
	if w.at > 0 {
		before = w.variables(w.run[w.at-1].state)
	}
	p.State = parts(before, now)
	p.Lasting, err = x.lasting(ctx)
	return p, err
}

func (x *Explorer) address() Address {
	return Address{First: x.followed.First, Steps: slices.Clone(x.followed.Steps), At: x.walk.at}
}

// longestLasting is the number of states of the longest run whose steps are looked for anew.
const longestLasting = 500

// lasting is the address of the present state of a recorded run among the runs of the instance; nil
// if the run does not begin in one of its initial states, or is too long.
func (x *Explorer) lasting(ctx context.Context) (*Address, error) {
	w := x.walk
	if x.recorded == nil || w.arbitrary || len(w.run) > longestLasting {
		return nil, nil
	}
	init, err := w.initials(ctx)
	if err != nil {
		return nil, err
	}
	key := func(s interp.State) string { return w.model.Key(s) }
	first := slices.IndexFunc(init.states, func(s interp.State) bool {
		return key(s) == key(w.run[0].state)
	})
	if first < 0 {
		return nil, nil
	}
	here := w.at
	defer w.goTo(here)
	out := &Address{First: first + 1, Steps: []int{}, At: here}
	for i, step := range w.run[1:] {
		w.goTo(i)
		found, err := w.currentSuccessors(ctx)
		if err != nil {
			return nil, err
		}
		k := slices.IndexFunc(found.steps, step.same)
		if k < 0 {
			return nil, nil
		}
		out.Steps = append(out.Steps, k+1)
	}
	return out, nil
}

// Evaluate gives the value of an expression in every state of a run. Where it has none, the text
// says why.
func (x *Explorer) Evaluate(
	ctx context.Context, a Address, text string,
) (values []string, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.follow(ctx, a); err != nil {
		return nil, err
	}
	t, err := x.walk.expression(text)
	if err != nil {
		return nil, err
	}
	for _, m := range x.walk.run {
		v, err := x.walk.eval(t, m.state)
		if err != nil {
			values = append(values, "? ("+err.Error()+")")
			continue
		}
		values = append(values, x.walk.value(t.Sort, v).String())
	}
	return values, nil
}

// Why explains the value of a property or a formula in a state.
func (x *Explorer) Why(ctx context.Context, a Address, text string) (*result.Why, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.follow(ctx, a); err != nil {
		return nil, err
	}
	w := x.walk
	t := w.sys.Property(text)
	if t != nil && !t.IsInvariant() && t.Kind != system.Trusted {
		return nil, fmt.Errorf("%s is about runs, and not about a state", text)
	}
	var n *explain.Node
	var err error
	if t != nil {
		n, err = explain.Explain(w.model, t.Term, w.state())
	} else {
		term, parse := w.formula(text)
		if parse != nil {
			return nil, parse
		}
		n, err = explain.Explain(w.model, term, w.state())
	}
	if err != nil {
		return nil, err
	}
	return explain.Tree(w.model, n), nil
}

// Until gives the address of the nearest state after the current one in which a formula is true.
func (x *Explorer) Until(ctx context.Context, a Address, text string) (Address, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.follow(ctx, a); err != nil {
		return a, err
	}
	w := x.walk
	t, err := w.formula(text)
	if err != nil {
		return a, err
	}
	if holds, err := w.model.Holds(t, w.state()); err != nil {
		return a, err
	} else if holds {
		return a, errors.New("the formula is true in this state already")
	}
	path, err := w.search(ctx, t)
	if err != nil {
		return a, err
	}
	out := x.cut(w.at)
	for _, m := range path {
		if err := x.follow(ctx, out); err != nil {
			return a, err
		}
		found, err := w.currentSuccessors(ctx)
		if err != nil {
			return a, err
		}
		k := slices.IndexFunc(found.steps, m.same)
		if k < 0 {
			return a, fmt.Errorf("the step %s is not listed", w.call(m))
		}
		out.Steps, out.At = append(out.Steps, k+1), out.At+1
	}
	return out, nil
}

// cut is the address of a state of the run, as the end of a run.
func (x *Explorer) cut(at int) Address {
	base := len(x.walk.run) - len(x.followed.Steps)
	a := Address{First: x.followed.First, At: at, Steps: []int{}}
	if at >= base {
		a.Steps = slices.Clone(x.followed.Steps[:at-base+1])
	} else {
		a.First = at + 1 // only a recorded run has several states without steps
	}
	return a
}

// Take is the address after a step from the state with an address.
func (x *Explorer) Take(ctx context.Context, a Address, step int) (Address, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.follow(ctx, a); err != nil {
		return a, err
	}
	a = x.address()
	base := len(x.walk.run) - len(x.followed.Steps)
	if next := a.At + 1 - base; next >= 0 && next < len(x.followed.Steps) &&
		x.followed.Steps[next] == step {
		a.At++ // the run has this step already
		return a, nil
	}
	a = x.cut(a.At)
	a.Steps = append(a.Steps, step)
	a.At++
	return a, x.follow(ctx, a)
}

// Trace is the whole run of an address.
func (x *Explorer) Trace(ctx context.Context, a Address) (*result.Trace, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.follow(ctx, a); err != nil {
		return nil, err
	}
	w := x.walk
	at := w.at
	w.at = len(w.run) - 1
	t := w.trace()
	if w.at = at; w.loop >= 0 {
		t.Loop, t.Back = w.loop, x.trace.Back
	}
	return t, nil
}

// Instance is the name of the instance. Without a name, as in a counterexample to induction, it is
// a text with its sizes and parameters.
func (x *Explorer) Instance() string {
	m := x.walk.model
	if m.Instance.Name == "" {
		return m.System.Describe(m.Instance)
	}
	return m.Instance.Name
}
