package system

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// A sum over integers between ends is a sum up to an argument, or from an argument on. What it
// gains where this end moves by one, and that two such sums side by side are the sum over both, are
// laws without a quantifier inside, which solvers need for a loop or a token on a ring.

// moving is a sum of which an argument is an end and nothing else.
type moving struct {
	of   *Derived
	arg  int
	up   bool        // it is the greatest number, and not the least
	rest *logic.Term // the condition without the end
}

// movings lists the ends of a sum over one integer.
func (d *Derived) movings() (out []moving) {
	if !d.overInteger() {
		return nil
	}
	x := d.Fold.Over[0]
	is := func(t *logic.Term, v *logic.Var) bool { return t.Op == logic.OpVar && t.Var == v }
	for i, end := range d.Vars {
		m := moving{of: d, arg: i}
		var rest []*logic.Term
		found := false
		for _, c := range logic.Conjuncts(d.Fold.Cond) {
			switch {
			case !found && c.Op == logic.OpLe && is(c.Args[0], x) && is(c.Args[1], end):
				found, m.up = true, true
			case !found && c.Op == logic.OpLe && is(c.Args[0], end) && is(c.Args[1], x):
				found = true
			default:
				rest = append(rest, c)
			}
		}
		m.rest = logic.And(rest...)
		if read := logic.FreeVars(logic.Eq(logic.Ite(m.rest, d.Fold.Value, logic.IntLit(0)),
			logic.IntLit(0))); found && !slices.Contains(read, end) {
			out = append(out, m)
		}
	}
	return out
}

func (d *Derived) overInteger() bool {
	return d.Fold.Kind == FoldSum && len(d.Fold.Over) == 1 &&
		d.Fold.Over[0].Sort.Base() == logic.Int
}

// gains is the law of a sum where its end moves by one.
func (m moving) gains() Law {
	d, x := m.of, m.of.Fold.Over[0]
	step := int64(1)
	if !m.up {
		step = -1
	}
	cond := m.rest
	if x.Sort.Kind == logic.KindRange {
		cond = logic.And(logic.InSort(x.Sort, logic.Ref(x)), cond)
	}
	vars := fresh(d.Vars)
	next := *vars[m.arg]
	before := logic.Refs(vars)
	after := slices.Clone(before)
	after[m.arg] = logic.Ref(&next)
	with := map[*logic.Var]*logic.Term{x: after[m.arg]}
	for i, v := range d.Vars {
		with[v] = before[i]
	}
	gain := amount{logic.Subst(cond, with), logic.Subst(d.Fold.Value, with)}
	small := logic.App(d.Symbol, logic.Pre, before...)
	large := logic.App(d.Symbol, logic.Pre, after...)
	return Law{Plain: true, Of: []*Derived{d}, Triggers: []*logic.Term{small, large},
		Term: logic.Forall(append(vars, &next), logic.Or(
			logic.Not(logic.Eq(after[m.arg], logic.Add(before[m.arg], logic.IntLit(step)))),
			logic.Eq(large, logic.Add(small, gain.term()))))}
}

// Splits are the laws of sums that are the sum of two others: of one up to a number, and of one
// from the next number on; of sizes that add up to the size of everything; and of sums that are
// multiples of others.
func (s *System) Splits() (out []Law) {
	out = append(complements(s), multiples(s)...)
	var up, down []moving
	for _, d := range s.Folds() {
		for _, m := range d.movings() {
			if m.up {
				up = append(up, m)
			} else {
				down = append(down, m)
			}
		}
	}
	for _, a := range up {
		for _, b := range down {
			for _, d := range s.Folds() {
				if d.overInteger() && a.text() == b.text() && a.text() == d.text(d.Fold.Cond, -1) {
					out = append(out, split(d, a, b))
				}
			}
		}
	}
	return out
}

func (m moving) text() string { return m.of.text(m.rest, m.arg) }

// text tells sums apart by their condition, their value, and their arguments but one.
func (d *Derived) text(cond *logic.Term, without int) string {
	with := map[*logic.Var]*logic.Term{}
	var vars []*logic.Var
	for i, v := range d.Vars {
		if i != without {
			own := &logic.Var{Name: "X", Sort: v.Sort}
			vars, with[v] = append(vars, own), logic.Ref(own)
		}
	}
	x := &logic.Var{Name: "x", Sort: d.Fold.Over[0].Sort}
	with[d.Fold.Over[0]] = logic.Ref(x)
	body := logic.Eq(logic.Ite(cond, d.Fold.Value, logic.IntLit(0)), logic.IntLit(0))
	sort := x.Sort.String()
	return sort + logic.Forall(append(vars, x), logic.Subst(body, with)).String()
}

// split says that a sum is what it is up to a number, and from the next one on.
func split(d *Derived, a, b moving) Law {
	vars := fresh(d.Vars)
	end := &logic.Var{Name: "I", Sort: logic.Int}
	next := &logic.Var{Name: "J", Sort: logic.Int}
	whole := logic.App(d.Symbol, logic.Pre, logic.Refs(vars)...)
	low := logic.App(a.of.Symbol, logic.Pre,
		slices.Insert(logic.Refs(vars), a.arg, logic.Ref(end))...)
	high := logic.App(b.of.Symbol, logic.Pre,
		slices.Insert(logic.Refs(vars), b.arg, logic.Ref(next))...)
	return Law{Plain: true, Of: []*Derived{d, a.of, b.of}, Triggers: []*logic.Term{low, high},
		Term: logic.Forall(append(vars, end, next), logic.Or(
			logic.Not(logic.Eq(logic.Ref(next), logic.Add(logic.Ref(end), logic.IntLit(1)))),
			logic.Eq(whole, logic.Add(low, high))))}
}
