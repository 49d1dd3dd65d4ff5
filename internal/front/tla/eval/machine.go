// Package eval computes what a TLA+ model says: its initial states, the successors of a state, and
// the truth of formulas.
//
// In: a core.Model. Out: a Program, whose Machines compute. A node becomes a closure once, for its
// value, its truth, or what it allows as an action: an action is run from left to right, and gives
// variables values by x' = e and x' \in S (as TLC does; Lamport, Specifying Systems, §14.2.6). What
// follows an action is a closure, too, so each way through disjunctions and quantifiers runs all
// that is behind it, and ends where a successor is complete.
package eval

import (
	"context"
	"strings"
	"sync"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/value"
)

// Code gives the value of a node, Test its truth. Act runs an action, and reports whether the
// search for steps is over.
type (
	Code func(m *Machine) *value.Value
	Test func(m *Machine) bool
	Act  func(m *Machine) (over bool)
)

// slot is a place of a frame: a value, or what it is computed from when it is read first.
type slot struct {
	value *value.Value
	lazy  *lazy
}

// lazy is the code of a value, in a frame; nil for the one in which it stands. It is light if it
// takes hardly any work.
type lazy struct {
	code  Code
	frame []slot
	light bool
}

// Machine computes for one goroutine.
type Machine struct {
	*Program
	before, after []*value.Value // the values of variables; nil after a step, before they are set
	frame         []slot
	frames        [][]slot   // not in use
	free          [][][]slot // not in use, of each procedure
	where         *diag.Span // of the operation that is carried out
	args          []*value.Value
	calls         int
	action        int // that is run
	// Explored is what TLCGet knows of the exploration that is over; nil before.
	Explored *system.Explored
	// Level is the place of the state in a run that is shown; 0 elsewhere.
	Level int
	// Printed is given what Print and PrintT print; nil for nobody.
	Printed func(text string)
	yield   func(m *Machine) bool
	found   func(args, next []int64) bool // is given the steps by the numbers of their values
	next    []int64                       // a step
	recorder
	knowledge
	stacks
	interrupts
}

// knowledge is what a machine computed before.
type knowledge struct {
	shared     []*value.Value
	within     map[int]bool // the constants that are being computed
	memories   []memory
	made       made
	selections []selected
	listings   []*value.Value
	lists      [][]*value.Value
	forgets    bool // nothing but constants is remembered
	// Of each projected action.
	projections []projection
	claims      []claimed
	parted
	deeds
}

// recorder is how a machine learns what a step changes.
type recorder struct {
	recording bool
	sources   []source // of the variables
	unfit     bool     // a step depends on more than what its action is known to read
}

// stacks are of the computations within which a machine is.
type stacks struct {
	origins    [][]*value.Value // the states before the composed actions
	sought     []*value.Value   // whose membership in a comprehension is being tested
	target     *value.Value     // that something is compared with: see matcher
	wanted     [][]*value.Value // the states after the composed actions that are being tested
	iterations []*iteration     // of the quantifiers that an action is in
	collected  [][]*value.Value // by the comprehensions that are being made
}

// Error says that an expression has no value.
type Error struct {
	Span    diag.Span
	Message string
}

func (e *Error) Error() string { return e.Message }

// Machine makes a machine.
func (p *Program) Machine() *Machine {
	return &Machine{Program: p, after: make([]*value.Value, len(p.Model.Variables)),
		frame: make([]slot, p.frame), free: make([][][]slot, len(p.c.procedures)),
		knowledge: knowledge{
			shared: make([]*value.Value, p.sharedNodes), within: map[int]bool{},
			memories:    make([]memory, p.c.memories),
			selections:  make([]selected, p.c.selections),
			listings:    make([]*value.Value, p.c.listings),
			lists:       make([][]*value.Value, p.c.lists),
			projections: make([]projection, p.c.projections),
			claims:      make([]claimed, p.c.claims)},
		recorder: recorder{sources: make([]source, p.width)}}
}

// print shows values to whoever wants to see them.
func (m *Machine) print(vs ...*value.Value) {
	if m.Printed == nil {
		return
	}
	texts := make([]string, len(vs))
	for i, v := range vs {
		texts[i] = v.String()
	}
	m.Printed(strings.Join(texts, "  "))
}

// fail ends an evaluation.
func (m *Machine) fail(at *diag.Span, message string) {
	m.where = at
	panic(&value.Error{Message: message})
}

// protect runs f, and gives the error with which it ends: an *Error, or ErrInterrupted.
func (m *Machine) protect(f func()) (err error) {
	if m.over {
		return ErrInterrupted
	}
	frame := m.frame
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *value.Error:
			err = &Error{Message: r.Message}
			if m.where != nil {
				err.(*Error).Span = *m.where
			}
			m.frame, m.calls = frame, 0
			m.stacks, m.recording = stacks{}, false
			clear(m.after)
		case interruption:
			err = ErrInterrupted
		case reform:
			err = system.ErrForm
			m.frame, m.calls = frame, 0
			m.stacks, m.recording = stacks{}, false
			clear(m.after)
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// Initial runs yield for each way to an initial state, whose values are After, until it returns
// true.
func (m *Machine) Initial(yield func() bool) error {
	m.before = nil
	clear(m.after)
	m.yield = func(*Machine) bool { return yield() }
	return m.protect(func() { m.init(m) })
}

// Steps runs found for each step from a state, whose action is Action, until it returns true. It is
// given the numbers of the values of the parameters, and of the values after the step.
func (m *Machine) Steps(state []int64, found func(args, next []int64) bool) error {
	if err := m.lookAt(state); err != nil {
		return err
	}
	m.before, m.found = m.state, found
	clear(m.after)
	var args []int64
	m.yield = func(*Machine) bool {
		args, m.next = m.numbered(m.args, args), m.numbered(m.after, m.next)
		return found(args, m.next)
	}
	return m.protect(m.all)
}

// all runs all actions.
func (m *Machine) all() {
	for i, act := range m.actions {
		if m.action = i; act(m) {
			return
		}
	}
}

// Action is the number of the action whose step was found.
func (m *Machine) Action() int { return m.action }

// After are the numbers of the values of an initial state. They are valid until yield returns.
func (m *Machine) After() []int64 {
	m.next = m.numbered(m.after, m.next)
	return m.next
}

// Holds is the truth of a test in a state, or in a step; after is nil for a state.
func (m *Machine) Holds(t Test, before, after []*value.Value) (truth bool, err error) {
	own := m.after
	defer func() { m.after = own }()
	m.before = before
	if m.after = after; after == nil {
		m.after = own
		clear(own)
	}
	err = m.protect(func() { truth = t(m) })
	return truth, err
}

// Value is the value of a code in a state; before is nil for a constant.
func (m *Machine) Value(c Code, before []*value.Value) (v *value.Value, err error) {
	m.before = before
	clear(m.after)
	err = m.protect(func() { v = c(m).Forced() })
	return v, err
}

// Values appends the values of some codes in a state, interned.
func (m *Machine) Values(
	codes []Code, before []*value.Value, out []*value.Value,
) (vs []*value.Value, err error) {
	m.before = before
	clear(m.after)
	err = m.protect(func() {
		for _, c := range codes {
			out = append(out, m.Space.Intern(c(m)))
		}
	})
	return out, err
}

// partsOf are the parts of a tuple that is written, and of the tuples within; of any other node it
// is the node.
func partsOf(n core.Node) (out []core.Node) {
	tuple, ok := unnamed(n).(*core.Operator)
	if !ok || tuple.Name != "<<>>" {
		return []core.Node{n}
	}
	for _, a := range tuple.Args {
		out = append(out, partsOf(a)...)
	}
	return out
}

// Between is the value of a code in a step.
func (m *Machine) Between(c Code, before, after []*value.Value) (v *value.Value, err error) {
	own := m.after
	defer func() { m.after = own }()
	m.before, m.after = before, after
	err = m.protect(func() { v = c(m).Forced() })
	return v, err
}

// Forget makes the machine remember nothing but constants.
func (m *Machine) Forget() { m.forgets = true }

// Program is what the nodes of a model became.
type Program struct {
	Model       *core.Model
	Space       *value.Space
	Files       Files
	init        Act
	actions     []Act
	View        []Code // the parts of the tuple that it is, or itself; nil for none
	Alias       Code   // nil for none
	frame       int
	width       int // of a state, with the variables of instances
	sharedNodes int
	narrowed    sync.Map // the places of choices that took some elements of a large set
	c           *compiler
}

// Constant gives the value of a constant expression that needs a frame of a size.
func Constant(
	ctx context.Context, s *value.Space, files Files,
) func(n core.Node, frame int) (*value.Value, error) {
	return func(n core.Node, frame int) (*value.Value, error) {
		p := &Program{Model: &core.Model{Spec: &core.Spec{Space: s}}, Space: s, Files: files}
		p.c = newCompiler(p)
		code := p.c.code(n)
		p.frame, p.sharedNodes = max(frame, p.c.frame)+1, p.c.shared
		m := p.Machine()
		m.Within(ctx)
		defer m.Within(context.Background()) // a function may be applied later
		return m.Value(code, nil)
	}
}

// New compiles a model.
func New(m *core.Model, files Files) *Program {
	p := &Program{Model: m, Space: m.Space, Files: files}
	c := newCompiler(p)
	p.c = c
	done := func(m *Machine) bool { return m.yield(m) }
	if m.Init != nil {
		p.init = actions{c}.act(m.Init, actions{c}.complete(m.Init, done))
	} else {
		p.init = func(*Machine) bool { return false }
	}
	for _, a := range m.Actions {
		p.actions = append(p.actions, actions{c}.steps(a.Node, done))
	}
	if m.View != nil {
		p.View = c.all(partsOf(m.View))
	}
	if m.Alias != nil {
		p.Alias = c.code(m.Alias)
	}
	p.frame, p.sharedNodes, p.width = max(m.Frame, c.frame)+1, c.shared, m.Width()
	return p
}

// Test compiles a formula. It is to be called before machines are made.
func (p *Program) Test(n core.Node) Test {
	t := p.c.test(n)
	p.frame, p.sharedNodes = max(p.frame, p.c.frame+1), p.c.shared
	return t
}
