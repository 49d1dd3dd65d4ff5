package por

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// block records what code reads and writes.
func (r *reader) block(code []system.Stmt) {
	n := len(r.env)
	for _, s := range code {
		switch s := s.(type) {
		case system.Require:
			r.eval(s.Cond)
		case system.Assign:
			for _, u := range s.Updates {
				r.each(u.Vars, func() bool { r.update(u); return true })
			}
		case system.Havoc:
			target := logic.App(s.Symbol, logic.Post, s.Args...)
			r.each(s.Vars, func() bool {
				r.write(s.Symbol, r.arguments(target), value{})
				return true
			})
		case system.Choose:
			r.env = append(r.env, binding{s.Var, value{}})
			r.eval(s.Such)
		case system.Let:
			r.env = append(r.env, binding{s.Var, r.eval(s.Value)})
		case system.If:
			c := r.eval(s.Cond)
			if !c.is(0) {
				r.block(s.Then)
			}
			if !c.is(1) {
				r.block(s.Else)
			}
		}
	}
	r.env = r.env[:n]
}

// update records what an update reads and writes at one point; nothing if it leaves the value
// unchanged.
func (r *reader) update(u system.Update) {
	args := r.arguments(logic.App(u.Symbol, logic.Post, u.Args...))
	v := u.Value
	for v.Op == logic.OpIte {
		c := r.eval(v.Args[0])
		if !c.known {
			break
		}
		v = v.Args[2-c.v]
	}
	if v.Op == logic.OpApp && v.Symbol == u.Symbol &&
		!slices.ContainsFunc(args, func(a value) bool { return !a.known }) &&
		slices.Equal(r.arguments(v), args) {
		return
	}
	r.write(u.Symbol, args, r.eval(v))
}

func (r *reader) write(s *logic.Symbol, args []value, v value) {
	r.points(s, args, func(slot int, _ bool) {
		if r.writes.Has(slot) && r.becomes[slot] != v {
			r.becomes[slot] = value{}
		} else {
			r.becomes[slot] = v
		}
		r.writes.add(slot)
	})
}

// trusted gives, for each part of the trusted properties, the slots that it reads.
func (r *reader) trusted() (out []Set) {
	for _, p := range r.m.System.Properties {
		if p.Kind != system.Trusted {
			continue
		}
		r.begin()
		r.parts(p.Term, func(t *logic.Term) {
			r.reads = newSet(r.slots)
			r.eval(t)
			out = append(out, r.reads)
		})
	}
	return out
}

// parts calls visit for formulas whose conjunction is equivalent to a formula, with values for its
// variables.
func (r *reader) parts(t *logic.Term, visit func(*logic.Term)) {
	switch t.Op {
	case logic.OpAnd:
		for _, a := range t.Args {
			r.parts(a, visit)
		}
	case logic.OpForall:
		r.each(t.Vars, func() bool { r.parts(t.Args[0], visit); return true })
	default:
		visit(t)
	}
}

// leaves reports whether a written value may lie outside its declared range.
func (r *reader) leaves() bool {
	found := false
	r.writes.each(func(slot int) {
		if sort := r.results[slot]; sort.Kind == logic.KindRange {
			d, ok := r.domain(sort)
			v := r.becomes[slot]
			found = found || !ok || !v.known || v.v < d.lo || v.v >= d.lo+d.n
		}
	})
	return found
}
