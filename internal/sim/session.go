// Package sim is a session in which a person steps through a specification by hand.
//
// In: a specification, a finite instance of it or a trace, and commands, a line each. Out: a text
// for each command. Package interp computes the steps, values and initial states, so a session
// shows the reference semantics. Package cli reads the lines and shows the texts.
//
// A session is a run, state 0 to state n, and a current state in it. Going back keeps the later
// states until another step is taken.
package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
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

// Options of a session. Limits that are 0 have the default.
type Options struct {
	View      report.Options
	Seed      uint64 // of random
	Page      int    // lines of a list that are shown at once
	MaxStates int    // of until
	MaxSteps  int    // of one action in one state, and of initial states, to list
	// Save writes a whole file; nil when saving is not possible.
	Save func(path string, write func(io.Writer) error) error
}

const (
	defaultPage      = 20
	defaultMaxStates = 50_000
	defaultMaxSteps  = 10_000
	maxRandom        = 10_000 // steps of one command
)

// ErrQuit is what the command quit returns.
var ErrQuit = errors.New("quit")

// Session is the run so far. Only one goroutine at a time may use it.
type Session struct {
	spec  *ere.Specification
	sys   *system.System
	model *interp.Model
	// without the trusted invariants, which cut steps off; nil if there are none
	uncut    *interp.Model
	elements map[string]*logic.Term
	o        Options
	random   *rand.Rand

	run       []position
	at        int
	loop      int  // the state to which the run returns after its last state, negative for none
	arbitrary bool // the run begins in a state that need not be reachable
	initial   *initials
	succ      *successors // of the current state; nil when unknown
	rest      []string    // lines for the command more
	out       strings.Builder
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

func (m position) call() string { return report.Call(result.Step{Action: m.action, Args: m.args}) }

// ErrNothing says that an instance has no initial state, so there is no run.
var ErrNothing = errors.New(vacuity.NoState)

// New begins a session in the first initial state of an instance.
func New(
	ctx context.Context, spec *ere.Specification, inst *system.Instance, o Options,
) (*Session, error) {
	s, err := newSession(spec, inst, o)
	if err != nil {
		return nil, err
	}
	init, err := s.initials(ctx)
	if err != nil {
		return nil, err
	}
	s.run = []position{{state: init.states[0]}}
	return s, nil
}

// NewOfTrace begins a session in a state of a replayed run; a negative number stands for the last
// state.
func NewOfTrace(spec *ere.Specification, t *result.Trace, at int, o Options) (*Session, error) {
	inst, err := interp.InstanceOf(spec.System, t)
	if err != nil {
		return nil, err
	}
	s, err := newSession(spec, inst, o)
	if err != nil {
		return nil, err
	}
	for i, step := range t.Steps {
		state, err := s.model.StateOf(slices.Concat(t.Params, step.State)...)
		if err != nil {
			return nil, fmt.Errorf("state %d of the trace: %w", i, err)
		}
		s.run = append(s.run, position{step.Action, step.Args, state})
	}
	switch {
	case len(s.run) == 0:
		return nil, errors.New("the trace has no states")
	case at >= len(s.run):
		return nil, fmt.Errorf("the trace has no state %d: its last is state %d", at, len(s.run)-1)
	case at < 0:
		at = len(s.run) - 1
	}
	s.at, s.loop, s.arbitrary = at, t.Loop, t.Kind == result.ToInduction
	return s, nil
}

func newSession(spec *ere.Specification, inst *system.Instance, o Options) (*Session, error) {
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
	s := &Session{spec: spec, sys: sys, o: o, loop: -1, random: rand.New(rand.NewPCG(o.Seed, 0))}
	var err error
	if s.model, err = interp.NewModel(sys, inst); err != nil {
		if d := interp.Diagnostic(err, inst); d != nil {
			err = &diag.List{All: []*diag.Diagnostic{d}}
		}
		return nil, err
	}
	isTrusted := func(p *system.Property) bool { return p.Kind == system.Trusted }
	if slices.ContainsFunc(sys.Properties, isTrusted) {
		free := *sys
		free.Properties = slices.DeleteFunc(slices.Clone(sys.Properties), isTrusted)
		if s.uncut, err = interp.NewModel(&free, inst); err != nil {
			return nil, err
		}
	}
	s.nameElements()
	return s, nil
}

// nameElements defines the names of elements, such as client0, for expressions. A name that two
// sorts share stands for neither.
func (s *Session) nameElements() {
	s.elements = map[string]*logic.Term{}
	shared := map[string]bool{}
	for _, srt := range s.sys.Sorts {
		if srt.Kind != logic.KindUninterpreted {
			continue
		}
		for i := range s.model.Instance.Sizes[srt] {
			name := s.value(srt, int64(i)).String()
			shared[name] = s.elements[name] != nil
			s.elements[name] = logic.Member(srt, i)
		}
	}
	for name, yes := range shared {
		if yes {
			delete(s.elements, name)
		}
	}
}

// value names a value of a sort.
func (s *Session) value(srt *logic.Sort, v int64) result.Value {
	return s.model.ArgBindings([]interp.Arg{{Var: &logic.Var{Sort: srt}, Value: v}})[0].Value
}

func (s *Session) state() interp.State { return s.run[s.at].state }

// Prompt shows the current state's number.
func (s *Session) Prompt() string { return fmt.Sprintf("state %d> ", s.at) }

// Opening is the first output of a session: the instance, the current state and its steps.
func (s *Session) Opening(ctx context.Context) (string, error) {
	s.out.Reset()
	t := s.model.TraceOf(s.run[0].state)
	title := s.sys.Name
	if t.Instance != "" {
		title += ", instance " + t.Instance
	}
	s.printf("%s\n", s.paint(bold, title))
	for _, u := range t.Universe {
		s.printf("%s = {%s}\n", u.Sort, shorten(strings.Join(u.Elements, ", ")))
	}
	for _, p := range s.visible(t.Params) {
		s.printf("%s = %s\n", p.Name, shorten(p.Value.String()))
	}
	if s.arbitrary {
		s.printf("The run begins in a state that need not be reachable.\n")
	}
	if len(s.run) > 1 {
		s.printf("The run has states 0 to %d.\n", len(s.run)-1)
	}
	if s.loop >= 0 {
		s.printf("From its last state the run returns to state %d.\n", s.loop)
	}
	if s.initial != nil && len(s.initial.states) > 1 {
		s.printf("This is the first of %s: `restart` lists them, `init` chooses.\n",
			s.initial.count())
	}
	s.printf("\n")
	err := s.showCurrent(ctx)
	return s.out.String(), err
}

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

func (s *Session) initials(ctx context.Context) (*initials, error) {
	if s.initial != nil {
		return s.initial, nil
	}
	init := &initials{all: true}
	err := s.model.Initial(ctx, func(state interp.State) error {
		if len(init.states) == s.o.MaxSteps {
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
			strings.TrimPrefix(vacuity.WhyNoInitialState(ctx, s.model.System, s.model.Instance),
				vacuity.NoState))
	}
	s.initial = init
	return init, nil
}

// take goes on with a step. The later states stay if they begin with the same step.
func (s *Session) take(m position) {
	if s.at+1 == len(s.run) || !s.run[s.at+1].same(m) {
		s.run = append(s.run[:s.at+1:s.at+1], m)
	}
	s.goTo(s.at + 1)
}

func (s *Session) goTo(at int) {
	s.at, s.succ = at, nil
}

// begin starts a new run.
func (s *Session) begin(first interp.State) {
	s.run, s.arbitrary = []position{{state: first}}, false
	s.goTo(0)
}

// trace is the run up to the current state.
func (s *Session) trace() *result.Trace {
	t := s.model.TraceOf(s.run[0].state)
	t.Steps = nil
	for _, m := range s.run[:s.at+1] {
		t.Steps = append(t.Steps,
			result.Step{Action: m.action, Args: m.args, State: s.model.Bindings(m.state, true)})
	}
	t.Kind = result.Witness
	for _, p := range s.sys.Properties {
		if holds, err := s.model.Holds(p.Term, s.state()); p.IsInvariant() && err == nil && !holds {
			t.Kind, t.Violates = result.Counterexample, p.Name
			t.Line = s.model.FalseConjunct(p.Term, s.state()).Line()
			break
		}
	}
	if s.arbitrary {
		t.Kind = result.ToInduction
	}
	return t
}
