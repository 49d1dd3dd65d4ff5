package translate

import (
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/types"
)

// limited reports whether a set is finite by where its elements are from: constant sets that are
// assumed to be finite, strings, truth values and ranges between constants.
func limited(w *declarer, t *term) bool {
	if t.typ.Kind() != types.Set {
		return false
	}
	if w.few(t.typ.Elem()) || t.finite {
		return true
	}
	if t.set == nil {
		return false
	}
	if parts := t.set.parts; parts != nil {
		return !slices.ContainsFunc(parts, func(s *set) bool {
			return !s.finite && (s.within == nil || s.within.Lo == nil)
		})
	}
	return t.set.finite || t.set.within != nil && t.set.within.Lo != nil
}

// few reports whether a type has finitely many values.
func (w *declarer) few(t *types.Type) bool {
	switch t.Kind() {
	case types.Bool:
		return true
	case types.Element:
		return w.class(t).limited()
	case types.Set:
		return w.few(t.Elem())
	case types.Sum:
		return !slices.ContainsFunc(t.Alternatives(), func(a *types.Type) bool { return !w.few(a) })
	case types.Tuple:
		return !slices.ContainsFunc(t.Parts(), func(p *types.Type) bool { return !w.few(p) })
	}
	return false
}

// finiteness knows which variables have finite sets in all states: they begin with a finite set,
// and every step gives them one if they were finite before. The constants may be infinite.
type finiteness struct {
	infinite map[int]bool // variables that may have an infinite set
	assigned map[int]bool
	changed  bool
}

// finiteVariables finds the variables that have finite sets, the greatest set of them that its
// steps keep.
func finiteVariables(m *core.Model) map[int]bool {
	f := &finiteness{infinite: map[int]bool{}}
	for f.changed = true; f.changed; {
		f.changed, f.assigned = false, map[int]bool{}
		f.visit(m.Init, map[core.Node]bool{})
		for _, a := range m.Actions {
			f.visit(a.Node, map[core.Node]bool{})
		}
	}
	out := map[int]bool{}
	for i := range m.Variables {
		out[i] = f.assigned[i] && !f.infinite[i]
	}
	return out
}

// visit looks for equations that give a variable its value after a step. A variable after the step
// that stands elsewhere may be given any value there.
func (f *finiteness) visit(n core.Node, seen map[core.Node]bool) {
	n = core.Strip(n)
	if seen[n] || n.Level() < core.Step {
		return
	}
	seen[n] = true
	if e, ok := n.(*core.Equal); ok {
		if v, ok := core.Strip(e.Left).(*core.Variable); ok && v.Primed {
			f.assigned[v.Index] = true
			if !f.finite(e.Right) {
				f.lose(v.Index)
			}
			return
		}
	}
	if in, ok := n.(*core.In); ok {
		if v, ok := core.Strip(in.Elem).(*core.Variable); ok && v.Primed {
			f.lose(v.Index)
			return
		}
	}
	core.Parts(n, func(p core.Node) { f.visit(p, seen) })
}

func (f *finiteness) lose(variable int) {
	f.changed = f.changed || !f.infinite[variable]
	f.infinite[variable] = true
}

// finite reports whether a set is finite if the variables are.
func (f *finiteness) finite(n core.Node) bool {
	switch n := core.Strip(n).(type) {
	case *core.Variable:
		return !n.Primed && !f.infinite[n.Index]
	case *core.If:
		return f.finite(n.Then) && f.finite(n.Else)
	case *core.Filter:
		return f.finite(n.Binding.Set)
	case *core.Operator:
		switch n.Name {
		case "{}", "..":
			return true
		case `\union`:
			return f.finite(n.Args[0]) && f.finite(n.Args[1])
		case `\intersect`:
			return f.finite(n.Args[0]) || f.finite(n.Args[1])
		case `\`:
			return f.finite(n.Args[0])
		}
	}
	return false
}
