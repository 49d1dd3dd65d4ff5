package interp

import (
	"fmt"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Enumerable refuses an instance in which a quantifier, a parameter or a choice ranges over too
// many values for a search to get beyond its first state. Following a given run (Replay) needs no
// such enumeration.
func (m *Model) Enumerable() error {
	e := &enumeration{m: m, visited: map[*logic.Term]bool{}, sorts: map[*logic.Sort]bool{}}
	for _, f := range m.System.Inits {
		e.term(f.Term)
	}
	for _, p := range m.System.Properties {
		e.term(p.Term)
	}
	for _, a := range m.System.Actions {
		for _, p := range a.Params {
			e.variable(p)
		}
		e.code(a.Code)
	}
	return e.err
}

type enumeration struct {
	m       *Model
	visited map[*logic.Term]bool
	sorts   map[*logic.Sort]bool // the sorts that are small enough
	err     error
}

func (e *enumeration) variable(v *logic.Var) {
	if e.err != nil || v.Sort.Kind != logic.KindRange || e.sorts[v.Sort] {
		return
	}
	d, err := e.m.parameterDomain(v.Sort, "")
	switch {
	case err != nil: // reported at its use
	case d.n > maxPoints:
		e.err = &TooManyError{v.Span, fmt.Sprintf("the variable %s has", v)}
	default:
		e.sorts[v.Sort] = true
	}
}

// havoc refuses a choice only if it has 256 times as many values: the conditions after a choice may
// decide it without trying all values.
func (e *enumeration) havoc(s *logic.Symbol) {
	if e.err != nil || s.Result.Kind != logic.KindRange {
		return
	}
	if d, err := e.m.parameterDomain(s.Result, ""); err == nil && d.n > maxPoints<<8 {
		e.err = &TooManyError{s.Span, "the " + s.Declaration() + " has"}
	}
}

func (e *enumeration) term(t *logic.Term) {
	if e.visited[t] {
		return
	}
	e.visited[t] = true
	if t.IsQuantifier() {
		for _, v := range t.Vars {
			e.variable(v)
		}
	}
	for _, a := range t.Args {
		e.term(a)
	}
}

func (e *enumeration) code(code []system.Stmt) {
	for _, s := range code {
		switch s := s.(type) {
		case system.Require:
			e.term(s.Cond)
		case system.Let:
			e.term(s.Value)
		case system.Choose:
			e.variable(s.Var)
			e.term(s.Such)
		case system.If:
			e.term(s.Cond)
			e.code(s.Then)
			e.code(s.Else)
		case system.Havoc:
			e.havoc(s.Symbol)
		case system.Assign:
			for _, u := range s.Updates {
				for _, a := range u.Args {
					e.term(a)
				}
				e.term(u.Value)
			}
		}
	}
}
