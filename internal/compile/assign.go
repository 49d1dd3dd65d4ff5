package compile

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// point is a value for a point of an array, or with vars set for many points in a loop.
type point struct {
	array  *array
	index  *expr // nil when the argument has no value
	value  *expr
	update system.Update
	vars   []*logic.Var // to be bound in a loop
}

// assign carries out updates at once: all values are computed in the version before, and then set.
func (g *generator) assign(c system.Assign, s scope, next func(scope)) {
	var points []point
	g.known(s, func(s scope) []*expr {
		points = points[:0]
		var needed []*expr
		for _, u := range c.Updates {
			ps := g.points(u, s, g.layout.limits.points)
			for _, p := range ps {
				needed = append(needed, p.value)
				if p.vars == nil && (p.index.op == opFail || p.index.isConst()) {
					continue
				}
				needed = append(needed, p.index)
				for _, f := range p.array.fields { // these have to be packed later
					if e := s.post.unpacked[f.slot]; e != nil {
						needed = append(needed, e)
					}
				}
			}
			points = append(points, ps...)
		}
		return needed
	}, func(s scope, _ []*expr) {
		ready := slices.Clone(points)
		for i := range ready {
			if p := &ready[i]; p.vars == nil {
				if p.index.op == opFail {
					g.fail(p.index)
					return
				}
				p.index, p.value = g.keep(p.index), g.keep(p.value)
			}
		}
		before := s
		for _, p := range ready {
			switch {
			case p.vars != nil:
				s.post = g.writeAll(p, before, s.post)
			case p.index.isConst():
				s.post = s.post.clone()
				s.post.unpacked[p.array.fields[p.index.Lo].slot] = p.value
			default:
				s.post = g.flush(p.array, s.post)
				g.store(p.array, s.post.words, p.index, p.value)
			}
		}
		next(s)
	})
}

// points are the points that an update writes. Many points become one, which stands for a loop.
func (g *generator) points(u system.Update, s scope, limit int) []point {
	a := g.layout.arrays[u.Symbol]
	if a == nil || !u.Symbol.Mutable {
		g.unsupported(u.Span, "%s %s cannot be changed", u.Symbol.Kind, u.Symbol)
		return nil
	}
	var out []point
	size, count, moves := 0, 0, true
	var bind func(i int, s scope) bool
	bind = func(i int, s scope) bool {
		if i == len(u.Vars) {
			p := point{array: a, index: g.index(a, u.Args, s), value: g.term(u.Value, s)}
			size += p.value.size
			count++
			moves = moves && p.value.isSimple()
			out = append(out, p)
			if moves && count <= g.layout.limits.shifted {
				return g.err == nil
			}
			return g.err == nil && count <= limit &&
				(size <= g.layout.limits.update || limit == maxUnknown)
		}
		lo, hi := g.bounds(u.Vars[i].Sort, u.Span, s)
		if !lo.isConst() || !hi.isConst() {
			return false
		}
		for v := lo.Lo; v <= hi.Lo; v++ {
			x := konst(v)
			if u.Vars[i].Sort == logic.Bool {
				x = truth(v == 1)
			}
			if !bind(i+1, s.bind(u.Vars[i], x)) {
				return false
			}
		}
		return true
	}
	if bind(0, s) || g.err != nil {
		return out
	}
	if len(u.Vars) == 0 { // a single point is never a loop, however large its value
		return out
	}
	// In the loop the variables are not constants, so the terms are compiled again with variables.
	p := point{array: a, update: u, vars: u.Vars}
	inner := s
	for _, v := range u.Vars {
		lo, hi := g.bounds(v.Sort, u.Span, s)
		inner = inner.bind(v,
			ref(&variable{}, v.Sort == logic.Bool, Interval{lo.Lo, max(lo.Lo, hi.Hi)}))
	}
	p.index, p.value = g.index(a, u.Args, inner), g.term(u.Value, inner)
	return []point{p}
}

// writeAll carries out an update in a loop: it reads the version before, and changes v.
func (g *generator) writeAll(p point, before scope, v *version) *version {
	out := g.flush(p.array, v)
	var loop func(i int, s scope)
	loop = func(i int, s scope) {
		if i == len(p.vars) {
			index := g.index(p.array, p.update.Args, s)
			if index.op == opFail {
				g.fail(index)
				return
			}
			g.store(p.array, out.words, index, g.term(p.update.Value, s))
			return
		}
		x := p.vars[i]
		lo, hi := g.bounds(x.Sort, p.update.Span, s)
		g.repeat(x.Sort == logic.Bool, false, lo, hi, func(e *expr) { loop(i+1, s.bind(x, e)) })
	}
	loop(0, before)
	return out
}

// havoc makes values unknown.
func (g *generator) havoc(c system.Havoc, s scope, next func(scope)) {
	if a := g.layout.arrays[c.Symbol]; a == nil || !c.Symbol.Mutable {
		g.unsupported(c.Span, "%s %s cannot be changed", c.Symbol.Kind, c.Symbol)
		return
	}
	u := system.Update{Symbol: c.Symbol, Vars: c.Vars, Args: c.Args, Value: logic.False,
		Span: c.Span}
	g.known(s, func(s scope) []*expr {
		return g.havocked(u, s)
	}, func(s scope, points []*expr) { g.forget(c, g.layout.arrays[c.Symbol], points, s, next) })
}

// havocked are the indices of the points that become unknown.
func (g *generator) havocked(u system.Update, s scope) []*expr {
	var out []*expr
	for _, p := range g.points(u, s, maxUnknown) {
		if p.vars != nil {
			g.unsupported(u.Span, "%s has too many points for unknown values", u.Symbol)
			continue
		}
		out = append(out, p.index)
	}
	return out
}

// maxCases bounds the points that a dynamic index of a havoc may stand for: the continuation is
// compiled for each.
const maxCases = 32

// forget makes points unknown, one after the other.
func (g *generator) forget(c system.Havoc, a *array, points []*expr, s scope, next func(scope)) {
	if len(points) == 0 {
		next(s)
		return
	}
	if points[0].op == opFail {
		g.fail(points[0])
		return
	}
	at := func(i int, s scope) {
		sort := c.Symbol.Result
		u := &variable{unknown: true, id: g.ids, name: c.Symbol.Name, span: c.Span}
		g.ids++
		domain := everything
		if !g.layout.isInfinite(sort) {
			u.lo, u.hi = g.bounds(sort, c.Span, s)
			if u.lo.fails || u.hi.fails {
				g.unsupported(c.Span, "the range of %s may have no value", c.Symbol)
			}
			domain = Interval{u.lo.Lo, max(u.lo.Lo, u.hi.Hi)}
		}
		s.post = s.post.clone()
		s.post.unpacked[a.fields[i].slot] = ref(u, sort == logic.Bool, domain)
		g.forget(c, a, points[1:], s, next)
	}
	if points[0].isConst() {
		at(int(points[0].Lo), s)
		return
	}
	if a.points > maxCases {
		g.unsupported(c.Span,
			"%s has too many points for an unknown value at a place that is not constant", c.Symbol)
		return
	}
	index := g.keep(points[0])
	g.repeat(false, true, konst(0), konst(int64(a.points)-1), func(i *expr) {
		if e := eq(index, i); !e.is(0) {
			g.unless(e, g.blocked)
			at(int(i.Lo), s)
		}
	})
}
