package translate

import "erelong.dev/erelong/internal/front/tla/core"

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
	n = strip(n)
	if seen[n] || n.Level() < core.Step {
		return
	}
	seen[n] = true
	if e, ok := n.(*core.Equal); ok {
		if v, ok := strip(e.Left).(*core.Variable); ok && v.Primed {
			f.assigned[v.Index] = true
			if !f.finite(e.Right) {
				f.lose(v.Index)
			}
			return
		}
	}
	if in, ok := n.(*core.In); ok {
		if v, ok := strip(in.Elem).(*core.Variable); ok && v.Primed {
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
	switch n := strip(n).(type) {
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
