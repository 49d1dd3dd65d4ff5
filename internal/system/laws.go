package system

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// What proofs know of sums, sizes and greatest values. A fold has no body in logic, so it is a
// symbol of which some laws are known. Each is true of every finite instance. They compare two
// folds, or a fold in two states, by what is different at single elements: so the size of a set is
// one more after an element is added to it. They do not say all that is true of folds.

// Law is a closed formula. Where it begins with a quantifier, solvers instantiate it at terms that
// have the form of all triggers; these mean nothing.
type Law struct {
	Term     *logic.Term
	Triggers []*logic.Term
	Of       []*Derived // the folds, one to three
	Rare     bool       // few proofs need it, and it costs much
	Order    bool       // it says which of two folds is greater, and not by how much
	Plain    bool       // it has no quantifier but the one that it begins with, and costs little
}

// One reports whether the law is about one fold, in one state or in two.
func (l *Law) One() bool { return l.Of[0] == l.Of[len(l.Of)-1] }

// Serves reports whether a proof of a goal probably needs the law: it is about one fold, of which
// the goal speaks.
func (l *Law) Serves(goal *logic.Term) bool {
	return (l.One() || l.Plain) && !l.Rare && logic.Has(goal, func(t *logic.Term) bool {
		return t.Op == logic.OpApp && slices.ContainsFunc(l.Of, func(d *Derived) bool {
			return d.Symbol == t.Symbol
		})
	})
}

// Map puts f of each term in its place.
func (l Law) Map(f func(*logic.Term) *logic.Term) Law {
	out := l
	out.Term, out.Triggers = f(l.Term), nil
	for _, t := range l.Triggers {
		out.Triggers = append(out.Triggers, f(t))
	}
	return out
}

// side is a fold that is compared: its value, and what an element adds to it.
type side struct {
	value *logic.Term
	adds  func(at []*logic.Term) amount
}

// amount is what an element adds: the number if the condition is true, else 0.
type amount struct{ cond, number *logic.Term }

func (a amount) term() *logic.Term { return logic.Ite(a.cond, a.number, logic.IntLit(0)) }

func (a amount) isOne() bool {
	return a.number.Op == logic.OpInt && a.number.Int.IsInt64() && a.number.Int.Int64() == 1
}

// less says that one amount is less than another.
func less(a, b amount) *logic.Term {
	if a.isOne() && b.isOne() {
		return logic.And(logic.Not(a.cond), b.cond)
	}
	return logic.Lt(a.term(), b.term())
}

// nothing is a sum of nothing.
var nothing = side{logic.IntLit(0), func([]*logic.Term) amount {
	return amount{logic.False, logic.IntLit(1)}
}}

// side is the fold with arguments, in a state.
func (d *Derived) side(args []*logic.Term, step int) side {
	return side{logic.App(d.Symbol, step, args...), func(at []*logic.Term) amount {
		with := map[*logic.Var]*logic.Term{}
		for i, v := range d.Vars {
			with[v] = args[i]
		}
		for i, v := range d.Fold.Over {
			with[v] = at[i]
		}
		of := func(t *logic.Term) *logic.Term { return logic.Subst(logic.Shift(t, step), with) }
		return amount{of(d.Fold.Cond), of(d.Fold.Value)}
	}}
}

// all is the sum of 1 for each element of a range, or for each integer between the ends that are
// known for arguments; false where that is no sum of one range.
func (d *Derived) all(args []*logic.Term) (side, bool) {
	over := d.Fold.Over
	if len(over) != 1 {
		return side{}, false
	}
	lo, hi, among := over[0].Sort.Lo, over[0].Sort.Hi, false
	switch over[0].Sort.Kind {
	case logic.KindRange:
	case logic.KindInt:
		ends := d.Fold.Ends(0)
		with := map[*logic.Var]*logic.Term{}
		for i, v := range d.Vars {
			with[v] = args[i]
		}
		lo, hi = logic.Subst(ends.Lo[0], with), logic.Subst(ends.Hi[0], with)
		among = true
	default:
		return side{}, false
	}
	size := logic.Add(logic.Sub(hi, lo), logic.IntLit(1))
	size = logic.Ite(logic.Lt(size, logic.IntLit(0)), logic.IntLit(0), size)
	return side{size, func(at []*logic.Term) amount {
		cond := logic.True
		if among {
			cond = logic.And(logic.Le(lo, at[0]), logic.Le(at[0], hi))
		}
		return amount{cond, logic.IntLit(1)}
	}}, true
}

// fresh are variables of the same sorts.
func fresh(vars []*logic.Var) []*logic.Var {
	out := make([]*logic.Var, len(vars))
	for i, v := range vars {
		c := *v
		out[i] = &c
	}
	return out
}

// Laws are what is known of a fold in one state, Pre.
func (d *Derived) Laws() []Law {
	vars := fresh(d.Vars)
	one := d.side(logic.Refs(vars), logic.Pre)
	l := laws{vars: vars, of: []*Derived{d}, triggers: []*logic.Term{one.value}}
	if d.Fold.Kind != FoldSum {
		l.add(false, d.reached(one))
		return l.out
	}
	l.compare(nothing, one, d.Fold.Over)
	if !one.adds(logic.Refs(d.Fold.Over)).isOne() {
		l.out = append(l.out, d.parts())
	}
	for _, m := range d.movings() {
		l.out = append(l.out, m.gains())
	}
	if whole, ok := d.all(logic.Refs(vars)); ok && one.adds(logic.Refs(d.Fold.Over)).isOne() {
		l.compare(one, whole, d.Fold.Over)
	}
	return l.out
}

// parts is the law that no element adds more than the sum, unless some element adds less than 0. A
// solver needs it for each element of which a question speaks, so the element is a variable of the
// law.
func (d *Derived) parts() Law {
	vars, over, other := fresh(d.Vars), fresh(d.Fold.Over), fresh(d.Fold.Over)
	one := d.side(logic.Refs(vars), logic.Pre)
	at := one.adds(logic.Refs(over)).term()
	l := Law{Of: []*Derived{d}, Order: true, Term: logic.Forall(append(vars, over...), logic.Or(
		logic.Le(at, one.value),
		some(other, less(one.adds(logic.Refs(other)), nothing.adds(nil)))))}
	for app := range logic.Applications(at) {
		if reads := logic.FreeVars(app); slices.ContainsFunc(reads, func(v *logic.Var) bool {
			return slices.Contains(over, v)
		}) {
			l.Triggers = append(l.Triggers, app)
		}
	}
	return l
}

// reached says that a greatest or least value is one of the values, or 0 where there is none.
func (d *Derived) reached(one side) *logic.Term {
	over := fresh(d.Fold.Over)
	a := one.adds(logic.Refs(over))
	other := fresh(d.Fold.Over)
	none := logic.And(logic.Eq(one.value, logic.IntLit(0)),
		logic.Forall(other, logic.Not(one.adds(logic.Refs(other)).cond)))
	return logic.Or(none, logic.Exists(over, logic.And(a.cond, logic.Eq(one.value, a.number))))
}

// laws are laws for all values of some variables.
type laws struct {
	vars     []*logic.Var
	of       []*Derived
	triggers []*logic.Term
	out      []Law
}

func (l *laws) add(rare bool, t *logic.Term) {
	triggers := slices.DeleteFunc(slices.Clone(l.triggers), func(t *logic.Term) bool {
		return len(t.Args) == 0
	})
	l.out = append(l.out, Law{Term: logic.Forall(l.vars, t), Triggers: triggers, Of: l.of,
		Rare: rare})
}

// Compare gives the laws of two sums over the same values: the first in state Pre, the second in
// state Post, where they read the state.
func Compare(a, b *Derived) []Law {
	if a.Fold.Kind != FoldSum || b.Fold.Kind != FoldSum || !a.besides(b) {
		return nil
	}
	vars, more := fresh(a.Vars), fresh(b.Vars)
	s, t := a.side(logic.Refs(vars), logic.Pre), b.side(logic.Refs(more), logic.Post)
	l := laws{vars: append(vars, more...), of: []*Derived{a, b},
		triggers: []*logic.Term{s.value, t.value}}
	l.compare(s, t, a.Fold.Over)
	return l.out
}

// compare relates the difference of two sums to the differences at single elements: the sums
// differ by what the elements add at which they differ, if these are few. And if no element adds
// less to one of them, and some element more, then it is greater.
func (l *laws) compare(a, b side, over []*logic.Var) {
	l.add(false, greater(a, b, over))
	l.add(false, greater(b, a, over))
	for i := range 2 {
		l.out[len(l.out)-1-i].Order = true
	}
	l.add(false, differing(a, b, over, nil, 1))
	l.add(true, differing(a, b, over, nil, 2))
}

// greater says that the second sum is greater than the first, or no element adds more to it, or
// some element adds less.
func greater(a, b side, over []*logic.Var) *logic.Term {
	one, other := fresh(over), fresh(over)
	at, where := logic.Refs(one), logic.Refs(other)
	return logic.Or(logic.Lt(a.value, b.value), some(one, less(b.adds(at), a.adds(at))),
		logic.Not(some(other, less(a.adds(where), b.adds(where)))))
}

// differing says that only the given elements differ, and by how much the sums do; or that there
// is a further one.
func differing(
	a, b side, over []*logic.Var, given [][]*logic.Term, most int,
) *logic.Term {
	sum := []*logic.Term{a.value}
	for _, at := range given {
		sum = append(sum, logic.Sub(b.adds(at).term(), a.adds(at).term()))
	}
	differs := func(at []*logic.Term) *logic.Term {
		is := []*logic.Term{logic.Or(less(a.adds(at), b.adds(at)), less(b.adds(at), a.adds(at)))}
		for _, g := range given {
			is = append(is, unlike(at, g))
		}
		return logic.And(is...)
	}
	own, more := fresh(over), fresh(over)
	next := logic.Refs(more)
	exactly := logic.And(logic.Eq(logic.Add(sum...), b.value),
		logic.Not(some(own, differs(logic.Refs(own)))))
	rest := []*logic.Term{differs(next)}
	known := append(slices.Clip(given), next)
	if len(known) <= most {
		rest = append(rest, differing(a, b, over, known, most))
	} else {
		rest = append(rest, leaning(a, b, over, known), leaning(b, a, over, known))
	}
	return logic.Or(exactly, some(more, logic.And(rest...)))
}

// leaning says that the second sum is at least the first with what it adds more at elements; or
// that some element adds less to it.
func leaning(a, b side, over []*logic.Var, at [][]*logic.Term) *logic.Term {
	sum := []*logic.Term{a.value}
	for _, e := range at {
		sum = append(sum, logic.Sub(b.adds(e).term(), a.adds(e).term()))
	}
	other := fresh(over)
	where := logic.Refs(other)
	return logic.Or(logic.Le(logic.Add(sum...), b.value),
		some(other, less(b.adds(where), a.adds(where))))
}

// some says that there are such elements.
func some(vars []*logic.Var, such *logic.Term) *logic.Term {
	if such.IsFalse() {
		return such
	}
	return logic.Exists(vars, such)
}

// unlike says that tuples differ.
func unlike(a, b []*logic.Term) *logic.Term {
	var same []*logic.Term
	for i := range a {
		same = append(same, logic.Eq(a[i], b[i]))
	}
	return logic.Not(logic.And(same...))
}
