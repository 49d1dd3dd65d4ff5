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
	"erelong.dev/erelong/internal/report"
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

// Explorer answers questions about runs that have addresses. It is a session without commands.
type Explorer struct {
	mu       sync.Mutex
	session  *Session
	trace    *result.Trace // nil without a recorded run
	recorded []position
	loop     int     // of the recorded run
	inexact  bool    // the recorded run begins in a state that need not be reachable
	followed Address // where the session is
	// violated keeps the names of the properties that are false, by the keys of states: a picture
	// shows them for the whole run.
	violated map[string][]string
}

const maxJudged = 10_000

func (x *Explorer) violatedBy(state interp.State) []string {
	key := x.session.model.Key(state)
	names, ok := x.violated[key]
	if !ok {
		if x.violated == nil || len(x.violated) >= maxJudged {
			x.violated = map[string][]string{}
		}
		names = append([]string{}, x.session.violatedBy(state)...)
		x.violated[key] = names
	}
	return names
}

// NewExplorer makes an explorer of an instance or, if there is a trace, of a replayed run.
func NewExplorer(
	ctx context.Context, spec *ere.Specification, inst *system.Instance, t *result.Trace, o Options,
) (*Explorer, error) {
	if t == nil {
		s, err := New(ctx, spec, inst, o)
		if err != nil {
			return nil, err
		}
		return &Explorer{session: s, followed: Address{First: 1}}, nil
	}
	s, err := NewOfTrace(spec, t, -1, o)
	if err != nil {
		return nil, err
	}
	return &Explorer{session: s, trace: t, recorded: s.run, loop: s.loop, inexact: s.arbitrary,
		followed: Address{First: len(s.run)}}, nil
}

// follow brings the session to an address. What it has in common with the last one is kept.
func (x *Explorer) follow(ctx context.Context, a Address) error {
	s := x.session
	if a.First == 0 {
		a.First = max(len(x.recorded), 1)
	}
	if a.First != x.followed.First || len(s.run) == 0 {
		if err := x.begin(ctx, a.First); err != nil {
			return err
		}
	}
	base := len(s.run) - len(x.followed.Steps) // the states before the first step
	common := 0
	for common < min(len(a.Steps), len(x.followed.Steps)) &&
		a.Steps[common] == x.followed.Steps[common] {
		common++
	}
	if common < len(a.Steps) {
		s.run = slices.Clip(s.run[:base+common])
		x.followed.Steps = slices.Clone(a.Steps[:common])
		if s.at != len(s.run)-1 {
			s.goTo(len(s.run) - 1)
		}
	}
	for _, k := range a.Steps[common:] {
		if s.at != len(s.run)-1 {
			s.goTo(len(s.run) - 1)
		}
		found, err := s.currentSuccessors(ctx)
		if err != nil {
			return err
		}
		if k < 1 || k > len(found.steps) {
			return fmt.Errorf("state %d has %s, and none has the number %d", s.at,
				plural(len(found.steps), "step", "steps"), k)
		}
		s.take(found.steps[k-1])
		x.followed.Steps = append(x.followed.Steps, k)
	}
	if len(a.Steps) < len(x.followed.Steps) { // a shorter run: later states are no part of it
		s.run = slices.Clip(s.run[:base+len(a.Steps)])
		x.followed.Steps = slices.Clone(a.Steps)
		s.at = min(s.at, len(s.run)-1)
		s.succ = nil
	}
	s.loop = -1
	if x.recorded != nil && len(s.run) == len(x.recorded) && len(x.followed.Steps) == 0 {
		s.loop = x.loop
	}
	if a.At == -1 {
		a.At = len(s.run) - 1
	}
	if a.At < 0 || a.At >= len(s.run) {
		return fmt.Errorf("the run has no state %d: its last is state %d", a.At, len(s.run)-1)
	}
	if s.at != a.At {
		s.goTo(a.At)
	}
	return nil
}

// begin starts the run of an address.
func (x *Explorer) begin(ctx context.Context, first int) error {
	s := x.session
	if x.recorded != nil {
		if first < 1 || first > len(x.recorded) {
			return fmt.Errorf("the recorded run has %s", plural(len(x.recorded), "state", "states"))
		}
		s.run = slices.Clip(slices.Clone(x.recorded[:first]))
		s.goTo(first - 1)
	} else {
		init, err := s.initials(ctx)
		if err != nil {
			return err
		}
		if first < 1 || first > len(init.states) {
			return fmt.Errorf("there is no initial state %d among %s", first, init.count())
		}
		s.begin(init.states[first-1])
	}
	s.arbitrary = x.inexact
	x.followed = Address{First: first}
	return nil
}

// View is what a page shows of a state.
type View struct {
	Title   string  `json:"title"`
	Address Address `json:"address"`
	// the number of initial states that are listed, 0 for a recorded run
	Initial int    `json:"initial"`
	More    bool   `json:"more"` // there are more initial states
	Run     []Stop `json:"run"`  // the states of the run
	// the state to which the run returns after its last state, negative for none
	Loop int `json:"loop"`
	// the run begins in a state that need not be reachable
	Arbitrary bool              `json:"arbitrary"`
	Universe  []result.Universe `json:"universe"`
	Constants []*ValueTree      `json:"constants"`
	State     []*ValueTree      `json:"state"` // with what the step to this state changed
	Choices   []Choice          `json:"choices"`
	Deadlock  bool              `json:"deadlock"`
	Truths    []Truth           `json:"truths"`
	Recorded  bool              `json:"recorded"` // the run can be looked at only
	// of timed automata: choices are steps and delays, and expressions are not evaluated
	Timed     bool     `json:"timed"`
	Zone      []string `json:"zone"`    // the clock values with which the same steps lead here
	Finding   string   `json:"finding"` // about a counterexample to induction: is it reachable?
	Exclusion string   `json:"exclusion"`
	Hints     []Hint   `json:"hints"` // invariants that exclude it
}

// Hint is an invariant that may help a proof.
type Hint struct {
	Formula string `json:"formula"`
	Worth   string `json:"worth"`
}

// Stop is a state of the run, in short.
type Stop struct {
	Call     string   `json:"call"`
	Changes  []string `json:"changes"`
	Violated []string `json:"violated"` // properties that are false
}

// Choice is a step that can be taken, or the reason why one cannot.
type Choice struct {
	Number  int      `json:"number"` // 0 for a step that cannot be taken
	Action  string   `json:"action"`
	Call    string   `json:"call"`
	Changes []string `json:"changes"`
	Why     string   `json:"why"` // why it cannot be taken
}

// Truth is the value of a property.
type Truth struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Value  string `json:"value"` // true, false, or ? without a value
	Remark string `json:"remark"`
	Line   int    `json:"line"`
}

// ValueTree is a value as a tree. A relation or function has a part for each value of its first
// argument.
type ValueTree struct {
	Name     string       `json:"name"`
	Value    string       `json:"value"`
	Was      string       `json:"was"`     // the value before, if it was another one
	Changed  bool         `json:"changed"` // this value, or one below it
	Children []*ValueTree `json:"parts"`
}

// View shows the state with an address.
func (x *Explorer) View(ctx context.Context, a Address) (*View, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.follow(ctx, a); err != nil {
		return nil, err
	}
	s := x.session
	found, err := s.currentSuccessors(ctx)
	if err != nil {
		return nil, err
	}
	t := s.model.TraceOf(s.run[0].state)
	p := &View{
		Title: t.Instance, Address: x.address(), Loop: s.loop, Arbitrary: s.arbitrary,
		Universe:  t.Universe,
		Constants: parts(t.Params, t.Params), Deadlock: found.deadlock(), Truths: s.truths(),
		Choices: s.choices(found),
	}
	if x.trace != nil && x.trace.Diagnosis != nil {
		p.diagnosis(x.trace)
	}
	if x.recorded == nil {
		p.Initial, p.More = len(s.initial.states), !s.initial.all
	}
	for i := range s.run {
		stop := Stop{Call: s.run[i].call(), Changes: []string{},
			Violated: x.violatedBy(s.run[i].state)}
		if i > 0 {
			stop.Changes = short(s.variables(s.run[i-1].state), s.variables(s.run[i].state))
		}
		p.Run = append(p.Run, stop)
	}
	now := s.variables(s.state())
	before := now
	if s.at > 0 {
		before = s.variables(s.run[s.at-1].state)
	}
	p.State = parts(before, now)
	return p, nil
}

// diagnosis tells whether the first state of a counterexample to induction is reachable, and what
// would exclude it.
func (p *View) diagnosis(t *result.Trace) {
	p.Finding = report.Finding(t)
	for _, c := range t.Diagnosis.Candidates {
		p.Exclusion = report.Exclusion(t.Diagnosis)
		p.Hints = append(p.Hints, Hint{c.Formula, report.Worth(c, t.Violates)})
	}
}

func (x *Explorer) address() Address {
	return Address{First: x.followed.First, Steps: slices.Clone(x.followed.Steps), At: x.session.at}
}

// short gives the changes between two states, each shortened.
func short(before, after []result.Binding) []string {
	out := []string{}
	for _, c := range report.Changes(before, after) {
		out = append(out, shorten(c.String()))
	}
	return out
}

func (s *Session) choices(found *successors) []Choice {
	out := []Choice{}
	before := s.variables(s.state())
	for i, m := range found.steps {
		out = append(out,
			Choice{Number: i + 1, Action: m.action, Call: m.call(),
				Changes: short(before, s.variables(m.state))})
	}
	for _, c := range found.cut {
		out = append(out,
			Choice{Action: c.action, Call: c.call(),
				Why: "not available: trusted invariant " + c.by})
	}
	for _, f := range found.failed {
		out = append(out, Choice{Action: f.action, Call: f.action, Why: "error: " + f.err.Error()})
	}
	for _, name := range found.many {
		out = append(out,
			Choice{Action: name, Call: name,
				Why: fmt.Sprintf("it has more steps: only %d are listed", s.o.MaxSteps)})
	}
	return out
}

// truths gives the values of the properties of states.
func (s *Session) truths() []Truth {
	out := []Truth{}
	for _, p := range s.sys.Properties {
		if !p.IsInvariant() && p.Kind != system.Trusted {
			continue
		}
		t := Truth{Name: p.Name, Kind: string(p.Kind), Value: "true", Line: p.Span.Line()}
		switch holds, err := s.model.Holds(p.Term, s.state()); {
		case err != nil:
			t.Value, t.Remark = "?", err.Error()
		case !holds:
			t.Value, t.Remark = "false", s.model.FalseConjunct(p.Term, s.state()).String()
		}
		out = append(out, t)
	}
	return out
}

// parts makes trees of values. Both lists have the same names in the same order.
func parts(before, after []result.Binding) []*ValueTree {
	out := []*ValueTree{}
	for i, b := range after {
		out = append(out, part(b.Name, before[i].Value, b.Value))
	}
	return out
}

func part(name string, old, new result.Value) *ValueTree {
	p := &ValueTree{Name: name, Value: shorten(new.String())}
	if !old.Equal(new) {
		p.Changed, p.Was = true, shorten(old.String())
	}
	if new.Kind == result.SetValue || new.Kind == result.MapValue {
		p.Children = rows(new.Kind, old.Rows, new.Rows, 0)
	}
	return p
}

// rows makes trees of the rows of a relation or function, by the argument at a position.
func rows(kind result.ValueKind, old, new []result.Row, position int) (out []*ValueTree) {
	var keys []result.Value
	for _, r := range slices.Concat(new, old) {
		if position < len(r.Key) && !slices.ContainsFunc(keys, r.Key[position].Equal) {
			keys = append(keys, r.Key[position])
		}
	}
	slices.SortFunc(keys, result.Value.Compare)
	for _, k := range keys {
		with := func(list []result.Row) (some []result.Row) {
			for _, r := range list {
				if r.Key[position].Equal(k) {
					some = append(some, r)
				}
			}
			return some
		}
		was, is := with(old), with(new)
		if last := position == len(slices.Concat(is, was)[0].Key)-1; !last {
			p := &ValueTree{Name: k.String(), Children: rows(kind, was, is, position+1)}
			p.Changed = slices.ContainsFunc(p.Children, func(q *ValueTree) bool {
				return q.Changed
			})
			out = append(out, p)
			continue
		}
		out = append(out, part(k.String(), entry(kind, was), entry(kind, is)))
	}
	return out
}

// entry is the value at one point: of a relation, whether the tuple is in it.
func entry(kind result.ValueKind, rows []result.Row) result.Value {
	switch {
	case kind == result.SetValue:
		return result.Bool(len(rows) > 0)
	case len(rows) == 0:
		return result.Value{Kind: result.NoValue}
	}
	return rows[0].Result
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
	t, err := x.session.expression(text)
	if err != nil {
		return nil, err
	}
	for _, m := range x.session.run {
		v, err := x.session.model.Eval(t, m.state)
		if err != nil {
			values = append(values, "? ("+err.Error()+")")
			continue
		}
		values = append(values, x.session.value(t.Sort, v).String())
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
	s := x.session
	t := s.sys.Property(text)
	if t != nil && !t.IsInvariant() && t.Kind != system.Trusted {
		return nil, fmt.Errorf("%s is about runs, and not about a state", text)
	}
	var n *explain.Node
	var err error
	if t != nil {
		n, err = explain.Explain(s.model, t.Term, s.state())
	} else {
		term, parse := s.formula(text)
		if parse != nil {
			return nil, parse
		}
		n, err = explain.Explain(s.model, term, s.state())
	}
	if err != nil {
		return nil, err
	}
	return explain.Tree(s.model, n), nil
}

// Until gives the address of the nearest state after the current one in which a formula is true.
func (x *Explorer) Until(ctx context.Context, a Address, text string) (Address, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.follow(ctx, a); err != nil {
		return a, err
	}
	s := x.session
	t, err := s.formula(text)
	if err != nil {
		return a, err
	}
	if holds, err := s.model.Holds(t, s.state()); err != nil {
		return a, err
	} else if holds {
		return a, errors.New("the formula is true in this state already")
	}
	path, err := s.search(ctx, t)
	if err != nil {
		return a, err
	}
	out := x.cut(s.at)
	for _, m := range path {
		if err := x.follow(ctx, out); err != nil {
			return a, err
		}
		found, err := s.currentSuccessors(ctx)
		if err != nil {
			return a, err
		}
		k := slices.IndexFunc(found.steps, m.same)
		if k < 0 {
			return a, fmt.Errorf("the step %s is not listed", m.call())
		}
		out.Steps, out.At = append(out.Steps, k+1), out.At+1
	}
	return out, nil
}

// cut is the address of a state of the run, as the end of a run.
func (x *Explorer) cut(at int) Address {
	base := len(x.session.run) - len(x.followed.Steps)
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
	base := len(x.session.run) - len(x.followed.Steps)
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
	s := x.session
	at := s.at
	s.at = len(s.run) - 1
	t := s.trace()
	if s.at = at; s.loop >= 0 {
		t.Loop, t.Back = s.loop, x.trace.Back
	}
	return t, nil
}

// Instance is the name of the instance. Without a name, as in a counterexample to induction, it is
// a text with its sizes and parameters.
func (x *Explorer) Instance() string {
	m := x.session.model
	if m.Instance.Name == "" {
		return m.System.Describe(m.Instance)
	}
	return m.Instance.Name
}

// ViewOf shows a state of a run that cannot be stepped on, such as one of timed automata.
func ViewOf(t *result.Trace, at int) (*View, error) {
	if at == -1 {
		at = len(t.Steps) - 1
	}
	if at < 0 || at >= len(t.Steps) {
		return nil, fmt.Errorf("the run has no state %d: its last is state %d", at, len(t.Steps)-1)
	}
	p := &View{
		Title: t.Instance, Address: Address{First: len(t.Steps), Steps: []int{}, At: at},
		Loop:      t.Loop,
		Arbitrary: t.Kind == result.ToInduction, Universe: t.Universe,
		Constants: parts(t.Params, t.Params),
		Choices:   []Choice{}, Truths: []Truth{}, Recorded: true,
	}
	for i, step := range t.Steps {
		stop := Stop{Call: report.Call(step), Changes: []string{}, Violated: []string{}}
		if i > 0 {
			stop.Changes = short(t.Steps[i-1].State, step.State)
		}
		if i == len(t.Steps)-1 && t.Violates != "" {
			stop.Violated = append(stop.Violated, t.Violates)
		}
		p.Run = append(p.Run, stop)
	}
	p.State = parts(t.Steps[max(at-1, 0)].State, t.Steps[at].State)
	return p, nil
}
