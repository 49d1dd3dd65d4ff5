package interp

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// A quantifier over many combinations of values is rewritten before it is evaluated, by miniscoping
// (Nonnengart and Weidenbach, Computing small clause normal forms, 2001): a universal quantifier is
// distributed over conjuncts, which then range over their own variables only, and a guard that
// speaks of the first variables alone is asked before the values of the others are tried. The
// existential quantifier is the dual case.
//
// In a state, the result is exactly what the term as it is gives, errors included: parts keep their
// order from left to right, and one part overtakes another only if neither can be an error. Where
// slots are unknown and a part is an error, it may be undecided for longer.

const (
	wide       = 4096 // combinations of values from which on a quantifier is rewritten
	mostParts  = 256  // parts that are told apart in a body
	mostScoped = 4096 // rewritten terms that a machine keeps
)

// scoped is a term equal to a quantifier, for evaluation. No domain of a rewritten quantifier is
// empty.
func (f *machine) scoped(t *logic.Term) *logic.Term {
	if s := f.scopes[t]; s != nil {
		return s
	}
	if f.m.Instance.Integers == nil && slices.ContainsFunc(t.Vars, isInteger) {
		return f.scopes.keep(t, logic.Pinned(t))
	}
	n := int64(1)
	for _, v := range t.Vars {
		d, ok := f.fixedDomain(v.Sort)
		if !ok || d.n < 1 || d.n > maxPoints {
			return t
		}
		n = min(n*d.n, maxPoints)
	}
	if n < f.m.rewriteFrom {
		return t
	}
	sc := &scoper{f: f, op: t.Op, zero: truth(t.Op == logic.OpExists),
		total: map[*logic.Term]bool{}}
	s := sc.quantifier(t.Vars, t.Args[0])
	if s.Op == t.Op && len(s.Vars) == len(t.Vars) {
		s = t // as it was
	}
	return f.scopes.keep(t, s)
}

// scopes are rewritten quantifiers.
type scopes map[*logic.Term]*logic.Term

func (all *scopes) keep(t, s *logic.Term) *logic.Term {
	if *all == nil || len(*all) > mostScoped {
		*all = scopes{}
	}
	(*all)[t] = s
	return s
}

func isInteger(v *logic.Var) bool { return v.Sort.Kind == logic.KindInt }

// fixedDomain is the set of values of a sort, if it is finite and the same in every state.
func (f *machine) fixedDomain(s *logic.Sort) (domain, bool) {
	switch s.Kind {
	case logic.KindInt:
		return window(f.m.Instance)
	case logic.KindRange:
		if d, ok := f.ranges[s]; ok {
			return d, true
		}
		if !f.isFixed(s.Lo) || !f.isFixed(s.Hi) {
			return domain{}, false
		}
	}
	d, ok := f.domain(s)
	return d, ok
}

// scoper rewrites a quantifier. The body's value zero, 0 for all and 1 for some, ends its
// evaluation.
type scoper struct {
	f     *machine
	op    logic.Op
	zero  int64
	total map[*logic.Term]bool
	split int // conjuncts so far: shared ones would else be visited as a tree
}

// part is a part of a body that decides it: if the term has the value, the body has the value that
// does not end the quantifier.
type part struct {
	term  *logic.Term
	value int64
	level int // how many of the variables are bound when it is asked
}

func (s *scoper) quantifier(vars []*logic.Var, body *logic.Term) *logic.Term {
	junction := logic.OpAnd
	if s.zero == 1 {
		junction = logic.OpOr
	}
	s.split += len(body.Args)
	if body.Op == junction && s.split <= mostParts &&
		!slices.ContainsFunc(body.Args, s.partial) {
		out := make([]*logic.Term, len(body.Args))
		for i, a := range body.Args {
			if out[i] = a; len(own(vars, a)) > 0 {
				out[i] = s.quantifier(own(vars, a), a)
			}
		}
		return &logic.Term{Op: junction, Sort: logic.Bool, Args: out, Span: body.Span}
	}
	parts, ok := partsOf(body, 1-s.zero)
	if !ok {
		parts = []part{{term: body, value: 1 - s.zero}}
	}
	s.place(vars, parts)
	return s.nest(vars, 0, parts)
}

// own lists the variables that occur free in a term.
func own(vars []*logic.Var, t *logic.Term) (out []*logic.Var) {
	free := logic.FreeVars(t)
	for _, v := range vars {
		if slices.Contains(free, v) {
			out = append(out, v)
		}
	}
	return out
}

// partsOf lists the parts of a term that give it a value, from left to right: without any of them,
// it has the other one. It gives up when there are many.
func partsOf(t *logic.Term, value int64) (out []part, ok bool) {
	for t, holds := range logic.Entailed(t, value == 0) {
		if len(out) == mostParts {
			return out, false
		}
		out = append(out, part{term: t, value: truth(!holds)})
	}
	return out, true
}

// place finds for each part the number of variables that have to be bound. It overtakes the parts
// before it only if none of these and not the part itself can be an error.
func (s *scoper) place(vars []*logic.Var, parts []part) {
	last, overtake := 0, true // the level of the parts so far; none of them can be an error
	for i := range parts {
		p := &parts[i]
		free := logic.FreeVars(p.term)
		for j, v := range vars {
			if slices.Contains(free, v) {
				p.level = j + 1
			}
		}
		overtake = overtake && !s.partial(p.term)
		if !overtake {
			p.level = max(p.level, last)
		}
		last = max(last, p.level)
	}
}

// nest quantifies the variables from the i-th on, with each part as far outside as it can stand.
func (s *scoper) nest(vars []*logic.Var, i int, parts []part) *logic.Term {
	var now, later []*logic.Term
	var rest []part
	next := len(vars)
	for _, p := range parts {
		if p.level <= i {
			now = append(now, s.literal(p))
			continue
		}
		rest = append(rest, p)
		next = min(next, p.level)
	}
	if len(rest) > 0 {
		inner := s.nest(vars, next, rest)
		later = append(later, &logic.Term{Op: s.op, Sort: logic.Bool, Vars: vars[i:next],
			Args: []*logic.Term{inner}, Span: inner.Span})
	}
	all := append(now, later...)
	if len(all) == 1 {
		return all[0]
	}
	op := logic.OpOr
	if s.zero == 1 {
		op = logic.OpAnd
	}
	return &logic.Term{Op: op, Sort: logic.Bool, Args: all, Span: all[0].Span}
}

// literal is a part as an operand: true where it decides a universal quantifier, false where it
// decides an existential one.
func (s *scoper) literal(p part) *logic.Term {
	if p.value == 1-s.zero {
		return p.term
	}
	return &logic.Term{Op: logic.OpNot, Sort: logic.Bool, Args: []*logic.Term{p.term},
		Span: p.term.Span}
}

// partial reports whether the evaluation of a term may be an error.
func (s *scoper) partial(t *logic.Term) bool {
	if total, ok := s.total[t]; ok {
		return !total
	}
	total := s.isTotal(t)
	s.total[t] = total
	return !total
}

func (s *scoper) isTotal(t *logic.Term) bool {
	if slices.ContainsFunc(t.Args, s.partial) {
		return false
	}
	switch t.Op {
	case logic.OpTrue, logic.OpFalse, logic.OpMember, logic.OpNot, logic.OpAnd, logic.OpOr,
		logic.OpImplies, logic.OpIff, logic.OpEq, logic.OpLt, logic.OpLe, logic.OpIte,
		logic.OpDistinct:
		return true
	case logic.OpVar: // the value of a let may be an error
		return !slices.ContainsFunc(s.f.env, func(b binding) bool {
			return b.v == t.Var && b.lazy != nil
		})
	case logic.OpInt:
		return t.Int.IsInt64()
	case logic.OpForall, logic.OpExists:
		return !slices.ContainsFunc(t.Vars, func(v *logic.Var) bool {
			d, ok := s.f.fixedDomain(v.Sort)
			return !ok || d.n > maxPoints
		})
	case logic.OpApp:
		return s.isApplied(t)
	}
	return false
}

// isApplied reports whether an application cannot be an error where its arguments are none.
func (s *scoper) isApplied(t *logic.Term) bool {
	l := s.f.m.layouts[t.Symbol]
	if l == nil || t.Step != logic.Pre && t.Step != logic.Post {
		return false
	}
	for i, sort := range t.Symbol.Args {
		if sort.Kind == logic.KindRange && !s.inside(t.Args[i], sort) {
			return false
		}
	}
	return l.body == nil || !s.partial(l.body.Body)
}

// inside reports whether a term is a variable all of whose values lie in a range.
func (s *scoper) inside(t *logic.Term, sort *logic.Sort) bool {
	if t.Op != logic.OpVar {
		return false
	}
	have, ok1 := s.f.fixedDomain(t.Var.Sort)
	want, ok2 := s.f.fixedDomain(sort)
	return ok1 && ok2 && (have.n < 1 || want.has(have.lo) && want.has(have.lo+have.n-1))
}
