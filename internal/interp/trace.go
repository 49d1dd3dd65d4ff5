package interp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// value names a value of a sort.
func (m *Model) value(s *logic.Sort, v int64) result.Value {
	switch s.Kind {
	case logic.KindBool:
		return result.Bool(v == 1)
	case logic.KindEnum:
		if v >= 0 && v < int64(len(s.Members)) {
			return result.Atom(s.Name, s.Members[v])
		}
	case logic.KindUninterpreted:
		return result.Atom(s.Name, s.Name+strconv.FormatInt(v, 10))
	case logic.KindInterned:
		return m.System.Computed.Show(s, v)
	}
	return result.Int(strconv.FormatInt(v, 10))
}

// valueOf is the inverse of value.
func (m *Model) valueOf(s *logic.Sort, v result.Value) (int64, error) {
	switch {
	case s.Kind == logic.KindBool && v.Kind == result.BoolValue:
		return truth(v.Bool), nil
	case s.Base() == logic.Int && v.Kind == result.IntValue:
		return strconv.ParseInt(v.Text, 10, 64)
	case s.Kind == logic.KindEnum && v.Kind == result.AtomValue:
		if i := s.MemberNamed(v.Text); i >= 0 {
			return int64(i), nil
		}
	case s.Kind == logic.KindUninterpreted && v.Kind == result.AtomValue:
		digits, ok := strings.CutPrefix(v.Text, s.Name)
		i, err := strconv.Atoi(digits)
		if ok && err == nil && i >= 0 && i < m.Instance.Sizes[s] && strconv.Itoa(i) == digits {
			return int64(i), nil
		}
	case s.Kind == logic.KindInterned:
		if i, ok := m.System.Computed.Read(s, v); ok {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s is not a value of sort %s", v, s)
}

// TraceOf is the run that begins in a state and takes the steps, in the user's names.
func (m *Model) TraceOf(first State, steps ...Step) *result.Trace {
	t := &result.Trace{Kind: result.Counterexample, Instance: m.Instance.Name, Loop: -1,
		Params: m.Bindings(first, false), View: m.System.View}
	t.Universe = m.universe()
	t.Steps = []result.Step{{State: m.Bindings(first, true)}}
	for _, s := range steps {
		t.Steps = append(t.Steps,
			result.Step{Action: s.Action.Name, Args: m.ArgBindings(s.Args),
				State: m.Bindings(s.State, true)})
	}
	from := first
	for i, s := range steps {
		Describe(m, t, i, from, s.State)
		from = s.State
	}
	Describe(m, t, len(steps), from, from)
	return t
}

// Describe notes what the file says to show in place of a state of a run. The next state is the
// state itself where there is none.
func Describe(m *Model, t *result.Trace, i int, s, next State) {
	if m.System.Computed == nil {
		return
	}
	if d, ok := m.System.Computed.Computed.(system.Describing); ok {
		t.Steps[i].Described = d.Describe(s, next, i+1)
	}
}

// universe are the elements of the uninterpreted sorts, and of what a front end has in their place.
func (m *Model) universe() (out []result.Universe) {
	if m.System.Computed != nil {
		return m.System.Computed.Universe()
	}
	for _, s := range m.System.Sorts {
		if s.Kind != logic.KindUninterpreted {
			continue
		}
		u := result.Universe{Sort: s.Name}
		for i := range m.Instance.Sizes[s] {
			u.Elements = append(u.Elements, m.value(s, int64(i)).Text)
		}
		out = append(out, u)
	}
	return out
}

// Shown is Bindings with the structured data of the file in place of what holds its parts.
func (m *Model) Shown(s State, mutable bool) []result.Binding {
	return decoded(m, s, m.System.View.Bindings(m.Bindings(s, mutable), m.universe()))
}

// ShownCall is a step to a state as the file declares its action.
func ShownCall(
	m *Model, to State, action string, args []result.Binding,
) (string, []result.Binding) {
	action, args = m.System.View.Call(action, args)
	return action, decoded(m, to, args)
}

// ShownArgs are values of variables as the file has them. Codes are read in a state.
func ShownArgs(m *Model, s State, args []Arg) []result.Binding {
	return decoded(m, s, m.System.View.Joined(m.ArgBindings(args)))
}

// decoded has values in place of codes. A state says which value each code has.
func decoded(m *Model, s State, bs []result.Binding) []result.Binding {
	if len(m.System.Coded) == 0 {
		return bs
	}
	return m.System.View.Decoded(bs, m.Bindings(s, false), m.universe())
}

// ArgBindings names the values of parameters and choices.
func (m *Model) ArgBindings(args []Arg) []result.Binding {
	var out []result.Binding
	for _, a := range args {
		out = append(out, result.Binding{Name: a.Var.Name, Value: m.value(a.Var.Sort, a.Value)})
	}
	return out
}

// Bindings gives the values of the mutable or of the immutable symbols, in the order of
// declaration. A derived symbol without a value at some point has the value NoValue; one with
// infinitely many points is left out.
func (m *Model) Bindings(s State, mutable bool) []result.Binding {
	f, err := m.machine(s)
	if err != nil {
		return nil
	}
	defer m.release(f)
	var out []result.Binding
	for _, sym := range m.System.Symbols {
		l := m.layouts[sym]
		infinite := slices.Contains(sym.Args, logic.Int) &&
			(m.Instance.Integers == nil || sym.Derived)
		if l == nil || l.input || infinite || sym.Mutable != mutable || l.predicate != nil {
			continue
		}
		out = append(out, result.Binding{Name: sym.Name, Value: f.symbolValue(sym)})
	}
	return out
}

// pointVars are variables that range over the points of a symbol.
func pointVars(sym *logic.Symbol) []*logic.Var {
	vars := make([]*logic.Var, len(sym.Args))
	for i, a := range sym.Args {
		vars[i] = &logic.Var{Name: fmt.Sprint("argument ", i+1), Sort: a}
	}
	return vars
}

func (f *machine) symbolValue(sym *logic.Symbol) result.Value {
	vars := pointVars(sym)
	at := logic.App(sym, logic.Pre, logic.Refs(vars)...)
	all := result.Value{Kind: result.MapValue}
	if sym.Result == logic.Bool {
		all.Kind = result.SetValue
	}
	var single result.Value
	ok := f.assignments(vars, func() bool {
		v, ok := f.eval(at)
		single = f.m.value(sym.Result, v)
		if ok && (all.Kind == result.MapValue || v == 1) {
			var row result.Row
			for i, b := range f.env[len(f.env)-len(vars):] {
				row.Key = append(row.Key, f.m.value(sym.Args[i], b.value))
			}
			if all.Kind == result.MapValue {
				row.Result = single
			}
			all.Rows = append(all.Rows, row)
		}
		return ok
	})
	switch {
	case !ok:
		return result.Value{Kind: result.NoValue}
	case len(vars) == 0:
		return single
	}
	result.SortRows(all.Rows)
	return all
}

// StateOf is the inverse of Bindings: a state from the values of the immutable and of the mutable
// symbols. Where a symbol that holds parts of structured data has no value, the usual one stands;
// see result.Trace.Flat.
func (m *Model) StateOf(bindings ...result.Binding) (State, error) {
	s := make(State, m.size)
	named := map[string]result.Value{}
	for _, b := range bindings {
		named[b.Name] = b.Value
	}
	given := make([]bool, m.size)
	for slot := 0; slot < m.size; slot += max(m.owners[slot].points, 1) {
		l := m.owners[slot]
		end := slot + l.points
		v, ok := named[l.symbol.Name]
		if ok {
			if err := m.readSymbol(l, v, s[slot:end], given[slot:end]); err != nil {
				return nil, fmt.Errorf("value of %s: %w", l.symbol, err)
			}
		}
		switch {
		case m.System.View.IsPart(l.symbol.Name) || !slices.Contains(given[slot:end], false):
		case !ok:
			return nil, fmt.Errorf("no value is given for %s", l.symbol)
		default:
			return nil, fmt.Errorf("value of %s: only %d of %d points are given", l.symbol,
				len(v.Rows), l.points)
		}
	}
	if !slices.Contains(given, false) {
		return s, nil
	}
	return s, fill(m, s, given)
}

// fill sets what a state does not give to the usual value: the first one, and of an uninterpreted
// sort the value of a constant that stands for it.
func fill(m *Model, s State, given []bool) error {
	f, err := m.machine(s)
	if err != nil {
		return err
	}
	defer m.release(f)
	for slot := range s {
		if given[slot] {
			continue
		}
		sort := m.owners[slot].symbol.Result
		if i := slices.IndexFunc(m.System.Symbols, func(sym *logic.Symbol) bool {
			return sym.Usual != nil && !sym.Grows && sym.Result == sort
		}); i >= 0 {
			v, ok := f.eval(logic.App(m.System.Symbols[i], logic.Pre))
			if !ok {
				return f.err
			}
			s[slot] = v
			continue
		}
		d, ok := f.domain(sort)
		switch {
		case ok:
			s[slot] = d.lo
		case sort.Kind == logic.KindInt:
			f.err = nil // 0
		default:
			return f.err
		}
	}
	return nil
}

// readSymbol sets the points of a symbol from a value, and notes which are given.
func (m *Model) readSymbol(l *layout, v result.Value, points []int64, given []bool) error {
	var err error
	if len(l.args) == 0 {
		given[0] = true
		points[0], err = m.valueOf(l.symbol.Result, v)
		return err
	}
	kind := result.MapValue
	if l.symbol.Result == logic.Bool {
		kind = result.SetValue
	}
	if v.Kind != kind {
		return fmt.Errorf("%s is not a value of %s", v, l.symbol.Signature())
	}
	if kind == result.SetValue {
		for i := range given {
			given[i] = true
		}
	}
	for _, row := range v.Rows {
		if len(row.Key) != len(l.args) {
			return fmt.Errorf("%s has %d arguments instead of %d", row.KeyString(), len(row.Key),
				len(l.args))
		}
		index := 0
		for i, k := range row.Key {
			x, err := m.valueOf(l.symbol.Args[i], k)
			if err != nil {
				return err
			}
			if !l.args[i].has(x) {
				return fmt.Errorf("%s is outside of the range %s", k, l.symbol.Args[i])
			}
			index = index*int(l.args[i].n) + int(x-l.args[i].lo)
		}
		given[index] = true
		if kind == result.SetValue {
			points[index] = 1
		} else if points[index], err = m.valueOf(l.symbol.Result, row.Result); err != nil {
			return err
		}
	}
	return nil
}

// Pictured is a model of exactly the elements of a trace, codes of values included. The codes of a
// counterexample to induction are codes of some values only, and stand for other values than the
// ones that an instance lists.
func Pictured(sys *system.System, t *result.Trace) (*Model, error) {
	inst, err := InstanceOf(sys, t)
	if err != nil {
		return nil, err
	}
	inst.Pictured = true
	return NewModel(sys, inst)
}

// InstanceOf rebuilds the instance of a trace: the sizes of the sorts, and the values of the
// immutable constants.
func InstanceOf(sys *system.System, t *result.Trace) (*system.Instance, error) {
	inst := &system.Instance{Name: t.Instance, Sizes: map[*logic.Sort]int{},
		Values: map[*logic.Symbol]*logic.Term{}}
	for _, s := range sys.Sorts {
		for _, u := range t.Universe {
			if s.Kind == logic.KindUninterpreted && u.Sort == s.Name {
				inst.Sizes[s] = len(u.Elements)
			}
		}
	}
	m := &Model{System: sys, Instance: inst}
	for _, sym := range sys.Symbols {
		if sym.Mutable || sym.Derived || len(sym.Args) > 0 {
			continue
		}
		for _, b := range t.Params {
			if b.Name != sym.Name {
				continue
			}
			v, err := m.valueOf(sym.Result, b.Value)
			if err != nil {
				return nil, fmt.Errorf("value of %s: %w", sym, err)
			}
			inst.Values[sym] = logic.Literal(sym.Result, v)
		}
	}
	return inst, nil
}
