package temporal

import (
	"fmt"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// unsupportedError names a part of a property that this engine does not support.
type unsupportedError struct {
	span diag.Span
	what string
}

func (e *unsupportedError) Error() string {
	if e.span.IsZero() {
		return e.what
	}
	return fmt.Sprintf("%s: %s", e.span, e.what)
}

// maxFormula bounds the size of a formula whose quantifiers are expanded.
const maxFormula = 1 << 17

// translator brings a term into negation normal form over the instance. A quantifier over a
// temporal body becomes a junction, and each largest sub-formula without temporal operators an
// atom. Neighbours without temporal operators in a conjunction or disjunction become one atom and
// keep their order, so that guards still protect.
type translator struct {
	*factory
	m     *interp.Model
	atoms numbered
	size  int // of what was translated so far
}

func newTranslator(m *interp.Model) *translator { return &translator{factory: newFactory(), m: m} }

// formula is the normal form of t, or with negated of its negation.
func (tr *translator) formula(t *logic.Term, negated bool) (*formula, error) {
	if tr.size++; tr.size > maxFormula {
		return nil, &unsupportedError{t.Span,
			"the formula becomes too large when its quantifiers are expanded"}
	}
	if !logic.IsTemporal(t) {
		return tr.predicate(t, negated), nil
	}
	switch t.Op {
	case logic.OpNot:
		return tr.formula(t.Args[0], !negated)
	case logic.OpAnd, logic.OpOr:
		return tr.junction(t.Op, t.Args, negated)
	case logic.OpImplies:
		return tr.junction(logic.OpOr, []*logic.Term{logic.Not(t.Args[0]), t.Args[1]}, negated)
	case logic.OpIff, logic.OpEq: // of formulas, as no other term is temporal
		a, b := t.Args[0], t.Args[1]
		if a.Sort != logic.Bool {
			break
		}
		return tr.junction(logic.OpOr,
			[]*logic.Term{logic.And(a, b), logic.And(logic.Not(a), logic.Not(b))}, negated)
	case logic.OpIte:
		c, a, b := t.Args[0], t.Args[1], t.Args[2]
		if a.Sort != logic.Bool {
			break
		}
		return tr.junction(logic.OpOr, []*logic.Term{logic.And(c, a), logic.And(logic.Not(c), b)},
			negated)
	case logic.OpForall, logic.OpExists:
		return tr.quantifier(t, negated)
	case logic.OpLet:
		return tr.let(t, negated)
	case logic.OpAlways, logic.OpEventually:
		a, err := tr.formula(t.Args[0], negated)
		if err != nil {
			return nil, err
		}
		if (t.Op == logic.OpAlways) != negated {
			return tr.always(a), nil
		}
		return tr.eventually(a), nil
	case logic.OpUntil:
		a, err := tr.formula(t.Args[0], negated)
		if err != nil {
			return nil, err
		}
		b, err := tr.formula(t.Args[1], negated)
		if err != nil {
			return nil, err
		}
		if negated {
			return tr.release(a, b), nil
		}
		return tr.until(a, b), nil
	case logic.OpLeadsTo:
		body := logic.Implies(t.Args[0], logic.Temporal(logic.OpEventually, t.Args[1]))
		return tr.formula(logic.Temporal(logic.OpAlways, body), negated)
	}
	return nil, &unsupportedError{t.Span,
		fmt.Sprintf("a temporal operator cannot stand inside of %s", t)}
}

// junction translates a conjunction or disjunction, or with negated its negation, which is its
// dual.
func (tr *translator) junction(o logic.Op, terms []*logic.Term, negated bool) (*formula, error) {
	var plain []*logic.Term
	var args []*formula
	for _, t := range terms {
		for _, t := range operands(o, t) {
			if !logic.IsTemporal(t) {
				plain = append(plain, t)
				continue
			}
			a, err := tr.formula(t, negated)
			if err != nil {
				return nil, err
			}
			args = append(args, a)
		}
	}
	if len(plain) > 0 {
		join := logic.And
		if o == logic.OpOr {
			join = logic.Or
		}
		args = append(args, tr.predicate(join(plain...), negated))
	}
	if (o == logic.OpAnd) != negated {
		return tr.and(args...), nil
	}
	return tr.or(args...), nil
}

// operands flattens a term that is a junction of the given kind, or the negation of one of the
// other kind.
func operands(o logic.Op, t *logic.Term) []*logic.Term {
	if !logic.IsTemporal(t) {
		return []*logic.Term{t}
	}
	var parts []*logic.Term
	switch {
	case t.Op == o:
		parts = t.Args
	case t.Op == logic.OpImplies && o == logic.OpOr:
		parts = []*logic.Term{logic.Not(t.Args[0]), t.Args[1]}
	case t.Op == logic.OpNot && t.Args[0].Op == logic.OpImplies && o == logic.OpAnd:
		parts = []*logic.Term{t.Args[0].Args[0], logic.Not(t.Args[0].Args[1])}
	case t.Op == logic.OpNot &&
		(t.Args[0].Op == logic.OpAnd && o == logic.OpOr ||
			t.Args[0].Op == logic.OpOr && o == logic.OpAnd):
		for _, a := range t.Args[0].Args {
			parts = append(parts, logic.Not(a))
		}
	default:
		return []*logic.Term{t}
	}
	var out []*logic.Term
	for _, p := range parts {
		out = append(out, operands(o, p)...)
	}
	return out
}

// quantifier expands over the first variable.
func (tr *translator) quantifier(t *logic.Term, negated bool) (*formula, error) {
	v := t.Vars[0]
	values, err := tr.m.Literals(v.Sort, "the quantifier over "+v.Name)
	if err != nil {
		return nil, fmt.Errorf("a quantifier over a temporal formula is expanded over the "+
			"instance: %w", err)
	}
	rest := t.Args[0]
	if len(t.Vars) > 1 {
		c := *t
		c.Vars = t.Vars[1:]
		rest = &c
	}
	args := make([]*formula, len(values))
	for i, value := range values {
		if args[i], err = tr.formula(logic.Subst(rest, map[*logic.Var]*logic.Term{v: value}),
			negated); err != nil {
			return nil, err
		}
	}
	if (t.Op == logic.OpForall) != negated {
		return tr.and(args...), nil
	}
	return tr.or(args...), nil
}

// let distinguishes the current values of the bound term. The term cannot be substituted, because
// time passes within the body.
func (tr *translator) let(t *logic.Term, negated bool) (*formula, error) {
	v, value := t.Vars[0], t.Args[0]
	if logic.IsTemporal(value) {
		return nil, &unsupportedError{t.Span,
			fmt.Sprintf("a temporal operator cannot stand in the value of %s", v)}
	}
	if logic.MaxStep(value) < 0 { // the same in all states
		return tr.formula(logic.Subst(t.Args[1], map[*logic.Var]*logic.Term{v: value}), negated)
	}
	if v.Sort.Kind == logic.KindRange { // the value may lie outside
		return nil, &unsupportedError{t.Span,
			fmt.Sprintf("the name %s for an integer cannot stand in a temporal formula", v)}
	}
	values, err := tr.m.Literals(v.Sort, "the name "+v.Name)
	if err != nil {
		return nil, fmt.Errorf("a name for a value in a temporal formula is expanded over the "+
			"instance: %w", err)
	}
	args := make([]*formula, len(values))
	for i, x := range values {
		body, err := tr.formula(logic.Subst(t.Args[1], map[*logic.Var]*logic.Term{v: x}), negated)
		if err != nil {
			return nil, err
		}
		args[i] = tr.and(tr.predicate(logic.Eq(value, x), false), body)
	}
	return tr.or(args...), nil
}

// predicate is the literal of a state predicate, or a constant if it contains no symbol.
func (tr *translator) predicate(t *logic.Term, negated bool) *formula {
	for t.Op == logic.OpNot {
		t, negated = t.Args[0], !negated
	}
	if len(symbols(t)) == 0 {
		if v, err := tr.m.Holds(t); err == nil {
			return tr.constant(v != negated)
		}
	}
	return tr.literal(tr.atoms.numberOf(t), negated)
}

func symbols(t *logic.Term) (out []*logic.Symbol) {
	logic.Walk(t, func(t *logic.Term) bool {
		if t.Op == logic.OpApp {
			out = append(out, t.Symbol)
		}
		return true
	})
	return out
}
