package core

import (
	"erelong.dev/erelong/internal/front/tla/syntax"
	"erelong.dev/erelong/internal/value"
)

// scope gives names their meanings.
type scope struct {
	up    *scope
	names map[string]meaning
	local map[string]bool // of a module: names that modules that extend it do not see
	theme string          // the name of the module; empty for an inner scope
	bound bool            // what stands for its constants may have names of an inner scope
}

// meaning is what a name stands for.
type meaning interface{ meaning() }

type (
	// constant is a declared constant without a value.
	constant struct {
		decl  syntax.Decl
		value *value.Value
		by    meaning // what a configuration puts in its place, nil for nothing
		// For a constant operator, its values by the arguments that a configuration gives.
		points []point
	}
	// variable is a variable of the state.
	variable struct{ index int }
	// operator is a defined operator or, with builtin, one of the standard modules.
	operator struct {
		name      string
		params    []syntax.Decl
		body      syntax.Expr
		function  *syntax.FunctionDefinition // instead of body
		scope     *scope
		recursive bool
		builtin   string
		arity     int // of a built-in operator, -1 for any
		by        meaning
		expanding int
		temporal  int8 // 1: no temporal formula, 2: one; 0 before this is known
		nodes     map[reading]Node
		made      map[specialisation]*Procedure
	}
	// place is a place of the frame: a bound name, or what a LET or a parameter stands for. Lazy is
	// what it stands for in the other state.
	place struct {
		slot   int
		primed bool
		lazy   *thunk
	}
	// thunk is an expression by its name.
	thunk struct {
		expr  syntax.Expr
		scope *scope
		nodes map[reading]Node
		// Variable says that it stands for a variable of its instance.
		variable bool
	}
	// known is a node, or in a primed expression what it stands for there.
	known struct {
		node   Node
		primed bool
		lazy   *thunk
	}
	// instance is a module with substitutions.
	instance struct {
		unit   *syntax.InstanceDefinition
		scope  *scope
		made   *scope // without parameters
		outer  *module
		making bool
	}
)

func (*constant) meaning() {}
func (*variable) meaning() {}
func (*operator) meaning() {}
func (*place) meaning()    {}
func (*thunk) meaning()    {}
func (*known) meaning()    {}
func (*instance) meaning() {}

// point is a value of a constant operator.
type point struct {
	args  []*value.Value
	value *value.Value
}

// reading is how names are read: whether they are primed, and the scope of the ENABLED in which
// they stand, nil for none.
type reading struct {
	primed   bool
	possible *scope
}

// owns reports whether a variable of an instance has a value of its own after a step: it stands in
// an ENABLED of the same instance.
func (r reading) owns(name string, m *thunk) bool {
	return m.variable && r.possible != nil && r.possible.find(name) == meaning(m)
}

// specialisation is a recursive operator in a state, with the operators that are its arguments.
type specialisation struct {
	reading
	ops [4]meaning
}

func (s *scope) find(name string) meaning {
	for ; s != nil; s = s.up {
		if m, ok := s.names[name]; ok {
			return m
		}
	}
	return nil
}

// global reports whether nothing in the scope of a module depends on where it is used.
func (s *scope) global() bool { return s.theme != "" && !s.bound }

func inner(up *scope) *scope { return &scope{up: up, names: map[string]meaning{}} }

// resolved follows what a configuration puts in the place of a meaning.
func resolved(m meaning) meaning {
	for range 100 {
		var by meaning
		switch m := m.(type) {
		case *constant:
			by = m.by
		case *operator:
			by = m.by
		}
		if by == nil {
			return m
		}
		m = by
	}
	return m
}

// names lists the names of a scope that can be seen, for messages.
func (s *scope) all() (out []string) {
	for ; s != nil; s = s.up {
		for n := range s.names {
			out = append(out, n)
		}
	}
	return out
}
