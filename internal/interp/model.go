package interp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// maxPoints bounds the number of points of one symbol, so that a mistyped range gives a message
// instead of filling the memory.
const maxPoints = 1 << 24

// State gives one value to every point of every symbol that has slots in the Model: 0 or 1 for a
// truth value, the index of a member or element, or an integer. Immutable symbols come first, then
// mutable ones, each in the order of declaration.
type State []int64

// Clone copies a state.
func (s State) Clone() State { return slices.Clone(s) }

// Model is a system on a finite instance. It is immutable after NewModel, and several goroutines
// may use it.
type Model struct {
	System   *system.System
	Instance *system.Instance

	slots

	// The parameters that the instance and the axioms fix.
	fixed       *machine
	axioms      []constraint    // of the system
	defined     []constraint    // axioms of derived symbols without a body
	freeDerived []*logic.Symbol // the derived symbols without a body
	trusted     []constraint    // assumptions of every state
	// symbol -> the derived symbols whose values depend on it, and itself
	depends     map[*logic.Symbol]map[*logic.Symbol]bool
	pool        *sync.Pool
	rewriteFrom int64           // combinations of values from which on a quantifier is rewritten
	ctx         context.Context // see Under
	budget      *Budget         // see Within
}

// layout is where the values of a symbol are kept.
type layout struct {
	symbol *logic.Symbol
	body   *system.Derived // when set, the symbol has no slots and is evaluated
	// when set, the symbol has no slots and is computed
	predicate *system.Predicate
	args      []domain
	offset    int
	points    int
	input     bool // an input of a relation: its slots follow the slots of both states
}

// SizeError says that the instance gives no size to a sort.
type SizeError struct{ Sort *logic.Sort }

func (e *SizeError) Error() string {
	return fmt.Sprintf("sort %s has no size: `%s = n` is missing from the instance", e.Sort, e.Sort)
}

// ValueError says that a parameter must have a value, and neither the instance nor an axiom gives
// one.
type ValueError struct {
	Symbol *logic.Symbol
	Use    string // what it is needed for
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("%s %s has no value: `%s = n` is missing from the instance; it is needed "+
		"for %s",
		e.Symbol.Kind, e.Symbol, e.Symbol, e.Use)
}

// InfiniteError says that a set with infinitely many values would have to be enumerated.
type InfiniteError struct {
	What   string
	Symbol *logic.Symbol   // whose points or values they are, nil for none
	others []*logic.Symbol // of the system, which may have infinitely many points, too
}

// Infinite says that a symbol of a system has infinitely many points, and why.
func Infinite(sys *system.System, s *logic.Symbol, why string) *InfiniteError {
	return &InfiniteError{s.Declaration() + " has infinitely many points: " + why, s, sys.Symbols}
}

func (e *InfiniteError) Error() string {
	if e.Symbol == nil || e.Symbol.Span.IsZero() {
		return e.What + ": use a range"
	}
	return fmt.Sprintf("%s: %s: use a range, such as 0..9, in place of int", e.Symbol.Span, e.What)
}

// TooManyError says that a set has too many values to try them all.
type TooManyError struct {
	Span diag.Span
	What string
}

func (e *TooManyError) Error() string {
	return fmt.Sprintf("%s more than %d values, too many to try them all", e.What, maxPoints)
}

// Diagnostic makes a message about the file from an error that says why an instance cannot be
// explored; nil for any other error.
func Diagnostic(err error, in *system.Instance) *diag.Diagnostic {
	d := &diag.Diagnostic{Span: in.Span, Message: err.Error()}
	var value *ValueError
	var many *TooManyError
	var infinite *InfiniteError
	var list *system.ListError
	switch {
	case errors.As(err, &list) && !in.Span.IsZero():
		d.Code, d.Message = diag.TooMany, list.Error()
		within(d, in).Suggest("Explore an instance with smaller sorts or ranges; a proof needs " +
			"none.")
	case errors.As(err, &value) && !in.Span.IsZero():
		d.Code, d.Message = diag.MissingValue,
			fmt.Sprintf("the instance '%s' gives no value for the %s '%s'", in.Name,
				value.Symbol.Kind, value.Symbol.Name)
		d.Because(value.Symbol.Span, "it is needed for %s",
			value.Use).Suggest("Add %s = 2, or another value.", value.Symbol.Name)
	case errors.As(err, &many):
		d.Code, d.Span, d.Message = diag.TooMany, many.Span, many.Error()
		within(d, in).Suggest("Explore an instance with a smaller range or a smaller sort; a " +
			"proof needs none.")
	case errors.As(err, &infinite) && infinite.Symbol != nil:
		d.Code, d.Span, d.Message = diag.Infinite, infinite.Symbol.Span, infinite.What
		within(d, in).Suggest("%s; a proof for all instances needs none.",
			withRanges(infinite.Symbol, infinite.others))
	default:
		return nil
	}
	return d
}

// within says of which instance a message is, if it is written somewhere.
func within(d *diag.Diagnostic, in *system.Instance) *diag.Diagnostic {
	if in.Span.IsZero() {
		return d
	}
	return d.Because(in.Span, "the instance is '%s'", in.Name)
}

// NewModel lays out the states of a system on an instance. The errors are SizeError, ValueError,
// InfiniteError, TooManyError, and plain ones for instances that do not fit the system.
func NewModel(sys *system.System, inst *system.Instance) (*Model, error) {
	inst, err := sys.Complete(inst)
	if err != nil {
		return nil, err
	}
	if sys, err = sys.In(inst); err != nil {
		return nil, err
	}
	m := &Model{System: sys, Instance: inst, rewriteFrom: wide,
		slots: slots{layouts: map[*logic.Symbol]*layout{}}}
	for _, s := range sys.Sorts {
		if s.Kind != logic.KindUninterpreted {
			continue
		}
		switch n, ok := inst.Sizes[s]; {
		case !ok:
			return nil, &SizeError{s}
		case n < 1:
			return nil, fmt.Errorf("sort %s has size %d: sorts are never empty", s, n)
		}
	}
	for _, f := range slices.Concat(sys.Axioms, inst.Facts) {
		if f.Listed {
			continue
		}
		m.axioms = append(m.axioms, constraint{f.Term, logic.Pre})
	}
	for _, p := range sys.Properties {
		if p.Kind == system.Trusted {
			m.trusted = append(m.trusted, constraint{p.Term, logic.Pre})
		}
	}
	for _, d := range sys.Derived {
		if d.Predicate != nil {
			m.layouts[d.Symbol] = &layout{symbol: d.Symbol, predicate: d.Predicate}
		} else if d.Body == nil {
			m.freeDerived = append(m.freeDerived, d.Symbol)
			m.defined = append(m.defined, constraint{d.Axiom, logic.Pre})
		} else {
			m.layouts[d.Symbol] = &layout{symbol: d.Symbol, body: d}
		}
	}
	if err := m.layOut(); err != nil {
		return nil, err
	}
	if err := m.findDependents(); err != nil {
		return nil, err
	}
	m.pool = &sync.Pool{New: func() any { return newMachine(m) }}
	return m, nil
}

// Under is the model for the work of a context: the evaluation of a term ends with the context, and
// its error is then the context's.
func (m *Model) Under(ctx context.Context) *Model {
	c := *m
	c.ctx = ctx
	return &c
}

// layOut assigns slots to the symbols. The ends of ranges are terms over parameters, so immutable
// symbols without arguments in ranges come first. Then the instance, and the axioms over these
// symbols alone, have to fix the parameters. Then all other symbols follow.
func (m *Model) layOut() error {
	inputs := map[*logic.Symbol]bool{}
	for _, a := range m.System.Actions {
		if a.Relation != nil {
			for _, in := range a.Relation.Inputs {
				inputs[in] = true
			}
		}
	}
	overRange := func(s *logic.Symbol) bool {
		return slices.ContainsFunc(s.Args, func(a *logic.Sort) bool {
			return a.Kind == logic.KindRange
		})
	}
	place := func(which func(*logic.Symbol) bool) error {
		for _, s := range m.System.Symbols {
			if m.layouts[s] == nil && !inputs[s] && which(s) {
				if err := m.allocate(s); err != nil {
					return err
				}
			}
		}
		m.size = len(m.owners)
		return nil
	}
	if err := place(func(s *logic.Symbol) bool { return !s.Mutable && !overRange(s) }); err != nil {
		return err
	}
	if err := m.fixParameters(); err != nil {
		return err
	}
	if err := place(func(s *logic.Symbol) bool { return !s.Mutable }); err != nil {
		return err
	}
	m.immutable = m.size
	if err := place(func(s *logic.Symbol) bool { return s.Mutable }); err != nil {
		return err
	}
	for _, a := range m.System.Actions {
		if a.Relation == nil {
			continue
		}
		for _, s := range a.Relation.Inputs {
			if m.layouts[s] == nil {
				if err := m.allocate(s); err != nil {
					return err
				}
				m.layouts[s].input = true
			}
		}
	}
	m.inputs = len(m.owners) - m.size
	return nil
}

func (m *Model) allocate(s *logic.Symbol) error {
	l := &layout{symbol: s, offset: len(m.owners), points: 1}
	for _, a := range s.Args {
		if endless(m, a) {
			return &InfiniteError{s.Declaration() + " has infinitely many points", s,
				m.System.Symbols}
		}
		d, err := m.parameterDomain(a, fmt.Sprintf("the range %s of %s", a, s.Declaration()))
		if err != nil {
			return err
		}
		if d.n > maxPoints || int64(l.points)*d.n > maxPoints {
			return &TooManyError{s.Span,
				fmt.Sprintf("the arguments of the %s have together", s.Declaration())}
		}
		l.points *= int(d.n)
		l.args = append(l.args, d)
	}
	m.layouts[s] = l
	for range l.points {
		m.owners = append(m.owners, l)
	}
	return nil
}

// parameterDomain is the domain of a sort; the parameters must fix the ends of a range.
func (m *Model) parameterDomain(s *logic.Sort, use string) (domain, error) {
	f := m.fixed
	if f == nil {
		f = newMachine(m) // before the parameters have slots there is no range to evaluate
	}
	if s.Kind == logic.KindRange {
		for _, sym := range symbolsOf(s.Lo, s.Hi) {
			if l := m.layouts[sym]; l == nil || l.body != nil || l.offset >= len(f.val)/2 {
				return domain{}, &ValueError{sym, use}
			}
		}
	}
	d, ok := f.domain(s)
	switch {
	case ok:
		return d, nil
	case f.err != nil:
		return d, f.err
	}
	return d, &ValueError{m.owners[f.miss].symbol, use}
}

// fixParameters gives the parameters the values of the instance, and the values that axioms force
// without a choice.
func (m *Model) fixParameters() error {
	f := newMachine(m)
	if err := f.setInstance(); err != nil {
		return err
	}
	var known []constraint
	for _, c := range m.axioms {
		missing := func(s *logic.Symbol) bool {
			return m.layouts[s] == nil || m.layouts[s].body != nil
		}
		if !slices.ContainsFunc(symbolsOf(c.term), missing) {
			known = append(known, c)
		}
	}
	// The result is decided again, and reported, for the initial states.
	for open, _, ok, err := f.propagate(known); ok && err == nil && f.pin(open); {
		open, _, ok, err = f.propagate(open)
	}
	m.fixed = f
	return nil
}

// pin sets the unknown integers for which the constraints leave one value, and reports whether
// there was one.
func (f *machine) pin(cs []constraint) (found bool) {
	for slot := range f.m.owners {
		if f.known[slot] || f.owner(slot).body != nil {
			continue
		}
		if d, ok := f.integers(cs, slot); ok && d.n == 1 {
			f.set(slot, d.lo)
			found = true
		}
	}
	return found
}

// symbolsOf lists the symbols that are applied in terms, with repetitions.
func symbolsOf(ts ...*logic.Term) []*logic.Symbol {
	var out []*logic.Symbol
	for _, t := range ts {
		for app := range logic.Applications(t) {
			out = append(out, app.Symbol)
		}
	}
	return out
}

// setInstance sets the values of the instance in state Pre.
func (f *machine) setInstance() error {
	for s, t := range f.m.Instance.Values {
		l := f.m.layouts[s]
		if s.Mutable || len(s.Args) > 0 || l == nil || l.body != nil {
			return fmt.Errorf("the instance gives a value to %s %s, which is not an immutable "+
				"constant", s.Kind, s.Signature())
		}
		v, ok := f.eval(t)
		switch {
		case !ok && f.err != nil:
			return fmt.Errorf("value of %s: %w", s, f.err)
		case !ok:
			return fmt.Errorf("value of %s: not a literal", s)
		}
		if t.Sort.Kind == logic.KindUninterpreted &&
			!(domain{0, int64(f.m.Instance.Sizes[t.Sort])}).has(v) {
			return fmt.Errorf("value of %s: sort %s has no element with index %d", s, t.Sort, v)
		}
		f.set(l.offset, v)
	}
	return nil
}

// findDependents closes the relation "the definition of a derived symbol mentions". A body must not
// mention its own symbol, even indirectly.
func (m *Model) findDependents() error {
	direct := map[*logic.Symbol][]*logic.Symbol{}
	bodies := map[*logic.Symbol]*logic.Term{}
	for _, d := range m.System.Derived {
		definition := d.Axiom
		if d.Predicate != nil {
			continue
		}
		if d.Body != nil {
			definition = d.Body
			bodies[d.Symbol] = d.Body
		}
		for _, s := range symbolsOf(definition) {
			direct[s] = append(direct[s], d.Symbol)
		}
	}
	m.depends = map[*logic.Symbol]map[*logic.Symbol]bool{}
	for _, s := range m.System.Symbols {
		reached := map[*logic.Symbol]bool{}
		var visit func(*logic.Symbol)
		visit = func(s *logic.Symbol) {
			for _, d := range direct[s] {
				if !reached[d] {
					reached[d] = true
					visit(d)
				}
			}
		}
		visit(s)
		if reached[s] && bodies[s] != nil {
			return fmt.Errorf("the definition of %s %s depends on itself", s.Kind, s)
		}
		reached[s] = true
		m.depends[s] = reached
	}
	return nil
}

// AppendKey appends a short text that identifies a state; StateOfKey reads it back.
func (l *slots) AppendKey(buf []byte, s State) []byte {
	for _, v := range s {
		buf = binary.AppendVarint(buf, v)
	}
	return buf
}

// Key identifies a state.
func (l *slots) Key(s State) string { return string(l.AppendKey(nil, s)) }

// StateOfKey is the inverse of Key.
func (l *slots) StateOfKey(key string) State {
	s := make(State, l.size)
	buf := []byte(key)
	for i := range s {
		v, n := binary.Varint(buf)
		s[i], buf = v, buf[n:]
	}
	return s
}
