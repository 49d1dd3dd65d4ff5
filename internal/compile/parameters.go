package compile

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// parameters are the values of the parameters of an action, and what is tested as soon as the ones
// before a level have values.
type parameters struct {
	*generator
	action *system.Action
	code   []system.Stmt // after the conditions at its start
	lo, hi []*expr       // by parameter
	tests  [][]*logic.Term
	unroll []bool // by parameter: whether its loop is expanded
	// by parameter: the relation whose points it and the ones after it take; nil for most
	members []*members
}

// parameters compiles an action for all values of its parameters. The conditions at the start of
// its code are tested as soon as the parameters in them have values. A condition that may fail, and
// every condition after it, waits for all parameters.
func (g *generator) parameters(a *system.Action) {
	guards, code := guardsOf(a.Code)
	for _, guard := range guards {
		for _, d := range g.layout.freeDerived {
			if logic.Occurs(guard, d.Symbol, logic.Post) {
				g.unsupported(guard.Span,
					"a guard reads the later value of %s, which its definition does not give",
					d.Symbol)
				return
			}
		}
	}
	p := &parameters{generator: g, action: a, code: code,
		tests: make([][]*logic.Term, len(a.Params)+1), unroll: make([]bool, len(a.Params)),
		members: make([]*members, len(a.Params))}
	s := scope{pre: g.pre, post: g.pre.clone()}
	trial := s
	for i, x := range a.Params {
		lo, hi := g.ends(a.Params[i:], a.Requirements(), true, x.Span, trial)
		if !g.layout.isInfinite(x.Sort) && (lo.fails || hi.fails) {
			g.unsupported(x.Span, "the range of parameter %s may have no value", x)
		}
		p.lo, p.hi = append(p.lo, lo), append(p.hi, hi)
		trial = trial.bind(x,
			ref(&variable{}, x.Sort == logic.Bool, Interval{lo.Lo, max(lo.Lo, hi.Hi)}))
	}
	if g.err != nil {
		return
	}
	p.findMembers(guards, trial)
	p.place(guards, trial)
	for i, x := range a.Params {
		if g.bindings && !p.isFixed(i) {
			g.unsupported(x.Span, "the range of parameter %s is not the same in all states", x)
			return
		}
	}
	// Whether the inner loops are expanded is decided first.
	combinations := int64(1)
	for i := len(a.Params) - 1; i >= 0 && p.isFixed(i) && p.hi[i].Lo-p.lo[i].Lo <= 1<<20; i-- {
		combinations *= max(p.hi[i].Lo-p.lo[i].Lo+1, 1)
		if p.unroll[i] = g.unrolls(combinations, a.Code); !p.unroll[i] {
			break
		}
	}
	p.bind(0, s)
}

// guardsOf are the conditions at the start of code, and what follows them.
func guardsOf(code []system.Stmt) (guards []*logic.Term, rest []system.Stmt) {
	for i, stmt := range code {
		r, ok := stmt.(system.Require)
		switch {
		case !ok:
			return guards, code[i:]
		case r.Cond.Op == logic.OpAnd:
			guards = append(guards, r.Cond.Args...)
		default:
			guards = append(guards, r.Cond)
		}
	}
	return guards, nil
}

// isFixed reports whether a parameter has the same values in all states. An integer has what the
// conditions leave.
func (p *parameters) isFixed(i int) bool {
	return !p.layout.isInfinite(p.action.Params[i].Sort) && p.lo[i].isConst() && p.hi[i].isConst()
}

// place finds the level of each guard. The scope has some value for each parameter.
func (p *parameters) place(guards []*logic.Term, s scope) {
	late := 0
	for _, guard := range guards {
		if slices.ContainsFunc(p.members, func(m *members) bool {
			return m != nil && m.guard == guard
		}) {
			continue // the loop is about its points only
		}
		level := late
		for _, v := range logic.FreeVars(guard) {
			level = max(level, slices.Index(p.action.Params, v)+1)
		}
		if p.term(guard, s).fails {
			level = len(p.action.Params)
			late = level
		}
		p.tests[level] = append(p.tests[level], guard)
	}
}

// test compiles the conditions at a level, and reports whether they can be true.
func (p *parameters) test(level int, s scope) bool {
	for _, t := range p.tests[level] {
		e := p.term(t, s)
		p.unless(e, p.blocked)
		if e.is(0) {
			return false
		}
	}
	return true
}

// bind compiles what follows once the parameters before the i-th have values.
func (p *parameters) bind(i int, s scope) {
	if i == len(p.action.Params) {
		end := p.blocked
		p.stepEnd = &end
		defer func() { p.stepEnd = nil }()
	}
	if !p.test(i, s) {
		return
	}
	if i < len(p.action.Params) && p.members[i] != nil {
		p.each(i, p.members[i], s)
		return
	}
	if i < len(p.action.Params) {
		x := p.action.Params[i]
		lo, hi := p.lo[i], p.hi[i]
		if p.layout.isInfinite(x.Sort) {
			lo, hi = p.ends(p.action.Params[i:], p.action.Requirements(), true, x.Span, s)
		}
		p.repeat(x.Sort == logic.Bool, p.unroll[i], lo, hi, func(e *expr) {
			p.bind(i+1, s.bind(x, e))
		})
		return
	}
	if p.bindings {
		p.binding = p.bindingIndex(p.action, s, func(i int) Interval {
			return Interval{p.lo[i].Lo, p.hi[i].Lo}
		})
	}
	p.loosen(p.action, s, func(s scope) {
		p.block(p.code, s, func(v *version) { s.post = v; p.finish(s) })
	})
}
