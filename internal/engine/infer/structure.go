package infer

import (
	"errors"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// structure is a finite instance with fast, unchecked evaluation of formulas. Other packages prove
// or refute its results.
type structure struct {
	model   *interp.Model
	symbols []*logic.Symbol // by slot
	tables  map[*logic.Symbol]table
	derived map[*logic.Symbol]*system.Derived
	ranges  map[*logic.Sort]domain
	grounds map[columnKey]*ground
}

// table is the layout of a symbol's values in a state.
type table struct {
	offset int
	args   []domain
}

type domain struct{ lo, n int64 }

// sample is a state of a structure.
type sample struct {
	*structure
	state interp.State
}

func newStructure(m *interp.Model) *structure {
	s := &structure{model: m, symbols: m.SlotSymbols(), tables: map[*logic.Symbol]table{},
		derived: map[*logic.Symbol]*system.Derived{}, ranges: map[*logic.Sort]domain{},
		grounds: map[columnKey]*ground{}}
	args := m.SlotArguments()
	for slot, sym := range s.symbols {
		t, ok := s.tables[sym]
		if !ok {
			t.offset = slot
			for _, v := range args[slot] {
				t.args = append(t.args, domain{v, 1})
			}
		}
		for i, v := range args[slot] {
			t.args[i].n = max(t.args[i].n, v-t.args[i].lo+1)
		}
		s.tables[sym] = t
	}
	for _, d := range m.System.Derived {
		if d.Body != nil {
			s.derived[d.Symbol] = d
		}
	}
	return s
}

// domain lists the values of a sort; n is 0 if they are infinitely many, or unknown.
func (s *structure) domain(sort *logic.Sort) domain {
	switch sort.Kind {
	case logic.KindBool:
		return domain{0, 2}
	case logic.KindEnum:
		return domain{0, int64(len(sort.Members))}
	case logic.KindUninterpreted:
		if s.model == nil { // only the parameters have values
			return domain{}
		}
		return domain{0, int64(s.model.Instance.Sizes[sort])}
	case logic.KindInt:
		if s.model != nil && s.model.Instance.Integers != nil {
			w := s.model.Instance.Integers
			return domain{w.Lo, w.Hi - w.Lo + 1}
		}
	case logic.KindRange:
		d, ok := s.ranges[sort]
		if !ok && s.model != nil {
			if values, err := s.model.Literals(sort, "inference"); err == nil && len(values) > 0 &&
				values[0].Op == logic.OpInt {
				d = domain{values[0].Int.Int64(), int64(len(values))}
			}
			s.ranges[sort] = d
		}
		return d
	}
	return domain{}
}

// binding is the value of a variable; inner ones come last.
type binding struct {
	of    *logic.Var
	value int64
}

// errEval says that a term has no value here: it reads outside a range, or an infinite set.
var errEval = errors.New("no value")

// hasValue calls an evaluation, and reports whether all that it read has a value.
func hasValue(evaluate func()) (is bool) {
	defer func() {
		if r := recover(); r != nil && r != errEval {
			panic(r)
		}
	}()
	evaluate()
	return true
}

// eval gives the value of a term: 0 or 1, or the number of an element, a member or an integer.
func (s *sample) eval(t *logic.Term, env []binding) int64 { return logic.Visit(s, t, env) }

func (s *sample) both(t *logic.Term, env []binding) (a, b int64) {
	return s.eval(t.Args[0], env), s.eval(t.Args[1], env)
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (s *sample) Literal(t *logic.Term, _ []binding) int64 {
	v, ok := logic.Number(t)
	if !ok {
		panic(errEval)
	}
	return v
}

func (s *sample) Variable(t *logic.Term, env []binding) int64 {
	for i := len(env) - 1; i >= 0; i-- {
		if env[i].of == t.Var {
			return env[i].value
		}
	}
	panic(errEval)
}

func (s *sample) Application(t *logic.Term, env []binding) int64 {
	if d := s.derived[t.Symbol]; d != nil {
		var inner []binding
		for i, v := range d.Vars {
			inner = append(inner, binding{v, s.eval(t.Args[i], env)})
		}
		return s.eval(d.Body, inner)
	}
	tab, ok := s.tables[t.Symbol]
	if !ok {
		panic(errEval)
	}
	return s.state[s.index(tab, t.Args, env)]
}

func (s *sample) Not(t *logic.Term, env []binding) int64 { return 1 - s.eval(t.Args[0], env) }

func (s *sample) Junction(t *logic.Term, env []binding) int64 {
	zero := truth(t.Op == logic.OpOr)
	for _, a := range t.Args {
		if s.eval(a, env) == zero {
			return zero
		}
	}
	return 1 - zero
}

func (s *sample) Implication(t *logic.Term, env []binding) int64 {
	if s.eval(t.Args[0], env) == 0 {
		return 1
	}
	return s.eval(t.Args[1], env)
}

func (s *sample) Equality(t *logic.Term, env []binding) int64 {
	a, b := s.both(t, env)
	return truth(a == b)
}

func (s *sample) Distinct(t *logic.Term, env []binding) int64 {
	for i := range t.Args {
		for j := range i {
			if s.eval(t.Args[i], env) == s.eval(t.Args[j], env) {
				return 0
			}
		}
	}
	return 1
}

func (s *sample) Comparison(t *logic.Term, env []binding) int64 {
	a, b := s.both(t, env)
	return truth(a < b || a == b && t.Op == logic.OpLe)
}

func (s *sample) Arithmetic(t *logic.Term, env []binding) int64 {
	var out int64
	for i, a := range t.Args {
		v, ok := s.eval(a, env), true
		if out, ok = logic.Calculate(t.Op, i, out, v); !ok {
			panic(errEval)
		}
	}
	return out
}

func (s *sample) Conditional(t *logic.Term, env []binding) int64 {
	return s.eval(t.Args[2-s.eval(t.Args[0], env)], env)
}

func (s *sample) Quantifier(t *logic.Term, env []binding) int64 {
	if t.Op == logic.OpForall {
		return truth(!s.some(t.Vars, t.Args[0], 0, env))
	}
	return truth(s.some(t.Vars, t.Args[0], 1, env))
}

func (s *sample) Let(t *logic.Term, env []binding) int64 {
	return s.eval(t.Args[1], append(env, binding{t.Vars[0], s.eval(t.Args[0], env)}))
}

func (s *sample) Temporal(*logic.Term, []binding) int64 { panic(errEval) }

// some reports whether for some values of the variables a formula has a value.
func (s *sample) some(vars []*logic.Var, body *logic.Term, value int64, env []binding) bool {
	if len(vars) == 0 {
		return s.eval(body, env) == value
	}
	d := s.domain(vars[0].Sort)
	if d.n == 0 {
		panic(errEval)
	}
	env = append(env, binding{of: vars[0]})
	for v := d.lo; v < d.lo+d.n; v++ {
		env[len(env)-1].value = v
		if s.some(vars[1:], body, value, env) {
			return true
		}
	}
	return false
}

// index gives the place of a value in the state.
func (s *sample) index(tab table, args []*logic.Term, env []binding) int {
	index := int64(0)
	for i, a := range args {
		v := s.eval(a, env) - tab.args[i].lo
		if v < 0 || v >= tab.args[i].n {
			panic(errEval)
		}
		index = index*tab.args[i].n + v
	}
	return tab.offset + int(index)
}

// orders reports whether a relation is a total order.
func (s sample) orders(sym *logic.Symbol) bool {
	n, from := s.domain(sym.Args[0]).n, s.tables[sym].offset
	le := func(a, b int64) bool { return s.state[from+int(a*n+b)] == 1 }
	for a := range n {
		for b := range n {
			if a != b && le(a, b) == le(b, a) {
				return false
			}
			for c := range n {
				if a != b && b != c && a != c && le(a, b) && le(b, c) && !le(a, c) {
					return false
				}
			}
		}
	}
	return true
}
