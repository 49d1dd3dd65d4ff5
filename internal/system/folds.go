package system

import (
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// FoldKind is what a fold computes.
type FoldKind string

// The kinds of folds, as the language calls them.
const (
	FoldSum FoldKind = "sum"
	FoldMax FoldKind = "max"
	FoldMin FoldKind = "min"
)

// Fold says that a derived symbol is the sum of Value for the values of Over for which Cond is
// true, or the greatest or least Value, 0 without any. Its definition has a body in an instance
// only, where the values can be listed: see In. Proofs by induction know laws of it; other engines
// that need formulas are given no system with folds.
//
// An integer without a range has Ends in Cond, so Cond is true of finitely many values.
type Fold struct {
	Kind        FoldKind
	Over        []*logic.Var
	Cond, Value *logic.Term
	// Given has, for each place of the file that speaks of the fold, the terms that stand there for
	// the variables of its definition: where an end is one of the variables, they bound it.
	Given [][]*logic.Term
}

// Folds lists the derived symbols that are sums or greatest values.
func (s *System) Folds() (out []*Derived) {
	for _, d := range s.Derived {
		if d.Fold != nil {
			out = append(out, d)
		}
	}
	return out
}

// Counted are the sorts of which folds count elements. A proof takes them for finite.
func (s *System) Counted() (out []*logic.Sort) {
	for _, d := range s.Folds() {
		for _, v := range d.Fold.Over {
			if v.Sort.Kind == logic.KindUninterpreted && !slices.Contains(out, v.Sort) {
				out = append(out, v.Sort)
			}
		}
	}
	return out
}

// Uncountable gives a fold over a sort that the file declares infinite, of which nothing is known;
// nil if there is none.
func (s *System) Uncountable() *Derived {
	for _, d := range s.Folds() {
		if slices.ContainsFunc(d.Fold.Over, func(v *logic.Var) bool {
			return v.Sort.Extent == logic.Infinite
		}) {
			return d
		}
	}
	return nil
}

// Bound is a formula that is true of a fold in every finite instance, and speaks of all that its
// value depends on.
func (d *Derived) Bound() *logic.Term {
	f := d.Fold
	value := logic.App(d.Symbol, logic.Pre, logic.Refs(d.Vars)...)
	all := slices.Concat(d.Vars, f.Over)
	switch f.Kind {
	case FoldMax:
		return logic.Forall(all, logic.Implies(f.Cond, logic.Le(f.Value, value)))
	case FoldMin:
		return logic.Forall(all, logic.Implies(f.Cond, logic.Le(value, f.Value)))
	}
	return logic.Forall(d.Vars, logic.Or(logic.Le(logic.IntLit(0), value),
		logic.Exists(f.Over, logic.And(f.Cond, logic.Lt(f.Value, logic.IntLit(0))))))
}

// mostPoints bounds the values that a fold is over.
const mostPoints = 1 << 14

// In is a system for an instance, in which all folds have bodies. Without folds it is the system
// itself. A size that the instance lacks is reported later.
func (s *System) In(inst *Instance) (*System, error) {
	if len(s.Folds()) == 0 {
		return s, nil
	}
	out := *s
	out.Derived = nil
	for _, d := range s.Derived {
		if d.Fold == nil {
			out.Derived = append(out.Derived, d)
			continue
		}
		c := *d
		if err := c.expand(inst); err != nil {
			return nil, err
		}
		out.Derived = append(out.Derived, &c)
	}
	return &out, nil
}

// expand gives a fold its body.
func (d *Derived) expand(inst *Instance) (err error) {
	d.Body, err = d.Listed(func(i int) ([]*logic.Term, error) {
		sort := d.Fold.Over[i].Sort
		if sort.Kind == logic.KindInt {
			lo, hi, err := d.window(i, inst)
			if err != nil {
				return nil, err
			}
			sort = &logic.Sort{Kind: logic.KindRange, Lo: logic.IntLit(lo), Hi: logic.IntLit(hi)}
		}
		return ValuesIn(sort, inst)
	})
	return err
}

// Listed is the value of a fold over listed values: the ones of each variable of Over, by its
// number.
func (d *Derived) Listed(of func(i int) ([]*logic.Term, error)) (*logic.Term, error) {
	f := d.Fold
	points := []map[*logic.Var]*logic.Term{{}}
	for i, v := range f.Over {
		values, err := of(i)
		if err != nil {
			return nil, err
		}
		if len(values)*len(points) > mostPoints {
			return nil, fmt.Errorf("%s is over more than %d values", d.Symbol, mostPoints)
		}
		points = logic.Assignments(points, v, values)
	}
	conds, terms := make([]*logic.Term, len(points)), make([]*logic.Term, len(points))
	for i, p := range points {
		conds[i] = logic.Rename(logic.Subst(f.Cond, p))
		terms[i] = logic.Rename(logic.Subst(f.Value, p))
	}
	switch f.Kind {
	case FoldMax:
		return best(conds, terms, func(a, b *logic.Term) *logic.Term { return logic.Lt(a, b) }), nil
	case FoldMin:
		return best(conds, terms, func(a, b *logic.Term) *logic.Term { return logic.Lt(b, a) }), nil
	}
	parts := []*logic.Term{logic.IntLit(0)}
	if len(points) > 0 {
		parts = nil
	}
	for i := range points {
		parts = append(parts, logic.Ite(conds[i], terms[i], logic.IntLit(0)))
	}
	return logic.Add(parts...), nil
}

// best is a term whose condition is true and for which there is none better, 0 without any: it goes
// through the terms with the best value so far.
func best(
	conds, terms []*logic.Term, worse func(a, b *logic.Term) *logic.Term,
) *logic.Term {
	any, best := logic.False, logic.IntLit(0)
	var names []*logic.Var
	var values []*logic.Term
	name := func(t *logic.Term, what string) *logic.Term {
		v := &logic.Var{Name: fmt.Sprintf("%s%d", what, len(names)/2), Sort: t.Sort}
		names, values = append(names, v), append(values, t)
		return logic.Ref(v)
	}
	for i, c := range conds {
		better := logic.And(c, logic.Or(logic.Not(any), worse(best, terms[i])))
		next := logic.Ite(better, terms[i], best)
		any, best = name(logic.Or(any, c), "any"), name(next, "best")
	}
	out := best
	for i, v := range slices.Backward(names) {
		out = logic.Let(v, values[i], out)
	}
	return out
}

var errRange = errors.New("the instance does not say the ends of a range over which something is " +
	"added up, or compared: give the constants values")

// ValuesIn lists the values of a sort in an instance. An error says why they cannot be listed.
func ValuesIn(s *logic.Sort, inst *Instance) (out []*logic.Term, err error) {
	lo, hi := int64(0), int64(0)
	switch s.Kind {
	case logic.KindBool:
		return []*logic.Term{logic.False, logic.True}, nil
	case logic.KindEnum:
		hi = int64(len(s.Members)) - 1
	case logic.KindUninterpreted:
		hi = int64(inst.Sizes[s]) - 1
	case logic.KindRange:
		var ok1, ok2 bool
		lo, ok1 = fixedValue(s.Lo, inst)
		hi, ok2 = fixedValue(s.Hi, inst)
		if !ok1 || !ok2 {
			return nil, errRange
		}
	default:
		return nil, fmt.Errorf("the values of %s cannot be listed", s)
	}
	if hi-lo >= mostPoints {
		return nil, fmt.Errorf("the range %s has too many values to add them up, or to compare "+
			"them", s)
	}
	for i := lo; i <= hi; i++ {
		out = append(out, logic.Literal(s, i))
	}
	return out, nil
}

// fixedValue computes a term over constants that an instance fixes.
func fixedValue(t *logic.Term, inst *Instance) (int64, bool) {
	switch {
	case t.Op == logic.OpInt:
		return t.Int.Int64(), t.Int.IsInt64()
	case t.Op == logic.OpApp && len(t.Args) == 0 && inst.Values[t.Symbol] != nil:
		return fixedValue(inst.Values[t.Symbol], inst)
	case t.Op < logic.OpAdd || t.Op > logic.OpNeg:
		return 0, false
	}
	var out int64
	for i, a := range t.Args {
		x, ok := fixedValue(a, inst)
		if !ok {
			return 0, false
		}
		if out, ok = logic.Calculate(t.Op, i, out, x); !ok {
			return 0, false
		}
	}
	return out, true
}
