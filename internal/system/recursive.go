package system

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// What proofs know of recursive relations from one state to the next: a solver unfolds a definition
// a few times, and makes no induction. The law below is an induction over a number. It is true of
// any two relations over numbers with a least one, whatever defines them.

// Recursive lists the derived relations whose definitions read the relation itself, and that have a
// number as an argument.
func (s *System) Recursive() (out []*Derived) {
	for _, d := range s.Derived {
		if d.Fold == nil && d.Predicate == nil && d.Body == nil && d.Symbol.Mutable &&
			d.Symbol.Result.Kind == logic.KindBool &&
			slices.ContainsFunc(d.Symbol.Args, isNumber) && calls(d) > 1 {
			out = append(out, d)
		}
	}
	return out
}

func isNumber(s *logic.Sort) bool {
	return s.Kind == logic.KindInt || s.Kind == logic.KindRange
}

// calls counts how often the definition applies the relation: once is what is defined.
func calls(d *Derived) (n int) {
	for t := range logic.Applications(d.Axiom) {
		if t.Symbol == d.Symbol {
			n++
		}
	}
	return n
}

// Lasting are laws about a recursive relation in state Pre and in state Post, one for each number
// that it has as an argument: if a number has the relation before and not after, there is a least
// such one. For int, it is about the numbers from 0 on.
func (d *Derived) Lasting() (out []Law) {
	for i, s := range d.Symbol.Args {
		if !isNumber(s) {
			continue
		}
		vars := make([]*logic.Var, len(d.Symbol.Args))
		for j, sort := range d.Symbol.Args {
			vars[j] = &logic.Var{Name: "k", Sort: sort}
		}
		number := func(name string) *logic.Var { return &logic.Var{Name: name, Sort: s} }
		at := func(v *logic.Var, step int) *logic.Term {
			args := logic.Refs(vars)
			args[i] = logic.Ref(v)
			return logic.App(d.Symbol, step, args...)
		}
		lost := func(v *logic.Var) *logic.Term {
			x := logic.And(at(v, logic.Pre), logic.Not(at(v, logic.Post)))
			if s.Kind == logic.KindInt {
				x = logic.And(logic.Le(logic.IntLit(0), logic.Ref(v)), x)
			}
			return x
		}
		least, smaller := number("least"), number("smaller")
		first := logic.Exists([]*logic.Var{least}, logic.And(lost(least),
			logic.Forall([]*logic.Var{smaller}, logic.Implies(
				logic.Lt(logic.Ref(smaller), logic.Ref(least)), logic.Not(lost(smaller))))))
		out = append(out, Law{Term: logic.Forall(vars, logic.Implies(lost(vars[i]), first)),
			Triggers: []*logic.Term{at(vars[i], logic.Post)}, Of: []*Derived{d, d}})
	}
	return out
}

// Definition is an instance of what defines a relation: the one for an application of it, in the
// state of that. False where the definition has no such instance.
func (d *Derived) Definition(app *logic.Term) (*logic.Term, bool) {
	if d.Axiom.Op != logic.OpForall {
		return nil, false
	}
	axiom := logic.Rename(d.Axiom)
	for defined := range logic.Applications(axiom.Args[0]) {
		if defined.Symbol != d.Symbol {
			continue
		}
		with := map[*logic.Var]*logic.Term{}
		var inside []*logic.Term
		for i, arg := range defined.Args {
			if arg.Op == logic.OpVar && slices.Contains(axiom.Vars, arg.Var) {
				with[arg.Var] = app.Args[i]
				inside = append(inside, logic.InSort(arg.Var.Sort, app.Args[i]))
			}
		}
		if len(with) < len(app.Args) {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(axiom.Vars), func(v *logic.Var) bool {
			return with[v] != nil
		})
		body := logic.Subst(logic.Shift(axiom.Args[0], app.Step), with)
		return logic.Implies(logic.And(inside...), logic.Forall(rest, body)), true
	}
	return nil, false
}

// Kept are laws that say what Lasting says where a number in the relation before is in it after:
// then all are. They are true only where that is proved, by an induction over the number.
func (d *Derived) Kept() (out []Law) {
	for i, s := range d.Symbol.Args {
		if !isNumber(s) {
			continue
		}
		vars := make([]*logic.Var, len(d.Symbol.Args))
		for j, sort := range d.Symbol.Args {
			vars[j] = &logic.Var{Name: "k", Sort: sort}
		}
		before := logic.App(d.Symbol, logic.Pre, logic.Refs(vars)...)
		if s.Kind == logic.KindInt {
			before = logic.And(logic.Le(logic.IntLit(0), logic.Ref(vars[i])), before)
		}
		after := logic.App(d.Symbol, logic.Post, logic.Refs(vars)...)
		out = append(out, Law{Term: logic.Forall(vars, logic.Implies(before, after)),
			Triggers: []*logic.Term{after}, Of: []*Derived{d, d}})
	}
	return out
}

// goalParts are the variables, assumptions and conclusion of a goal.
type goalParts struct {
	vars   []*logic.Var
	assume []*logic.Term
	goal   *logic.Term
}

func partsOf(goal *logic.Term) (p goalParts) {
	p.goal = logic.Rename(goal)
	for {
		switch p.goal.Op {
		case logic.OpForall:
			p.vars = append(p.vars, p.goal.Vars...)
			p.goal = p.goal.Args[0]
		case logic.OpImplies:
			p.assume = append(p.assume, logic.Conjuncts(p.goal.Args[0])...)
			p.goal = p.goal.Args[1]
		default:
			return p
		}
	}
}

// mostPointsOfInduction bounds the applications whose definitions are stated.
const mostPointsOfInduction = 6

// ByInduction gives a formula that implies a goal, where the definitions of recursive relations are
// true: an induction over a number at which the goal applies such a relation. The goal is claimed
// of a number where it is true of all smaller ones, and the definitions are stated at the points of
// the goal alone, so a solver needs no others of them. Of are the relations. False where there is
// no such number with a least value.
func (s *System) ByInduction(goal *logic.Term) (stronger *logic.Term, of []*Derived, ok bool) {
	recursive := s.Recursive()
	if len(recursive) == 0 {
		return nil, nil, false
	}
	p := partsOf(goal)
	var over *logic.Var
	var definitions []*logic.Term
	var seen []*logic.Term
	for _, t := range append(slices.Clone(p.assume), p.goal) {
		for app := range logic.Applications(t) {
			i := slices.IndexFunc(recursive, func(d *Derived) bool {
				return d.Symbol == app.Symbol
			})
			if i < 0 || !p.closes(app) || len(seen) >= mostPointsOfInduction ||
				slices.ContainsFunc(seen, func(t *logic.Term) bool {
					return logic.Equal(t, app)
				}) {
				continue
			}
			definition, found := recursive[i].Definition(app)
			if !found {
				continue
			}
			seen, definitions = append(seen, app), append(definitions, definition)
			if !slices.Contains(of, recursive[i]) {
				of = append(of, recursive[i])
			}
			for _, arg := range app.Args {
				if over == nil && arg.Op == logic.OpVar && p.hasLeast(arg.Var) {
					over = arg.Var
				}
			}
		}
	}
	if over == nil {
		return nil, nil, false
	}
	assume := slices.Concat(p.assume, []*logic.Term{p.smaller(over)}, definitions)
	return logic.Forall(p.vars, logic.Implies(logic.And(assume...), p.goal)), of, true
}

// closes reports whether a term is about the variables of the goal alone.
func (p *goalParts) closes(t *logic.Term) bool {
	return !slices.ContainsFunc(logic.FreeVars(t), func(v *logic.Var) bool {
		return !slices.Contains(p.vars, v)
	})
}

// hasLeast reports whether the values of a number of which the goal says something have a least
// one: it is from a range, or an assumption says so.
func (p *goalParts) hasLeast(v *logic.Var) bool {
	if !slices.Contains(p.vars, v) {
		return false
	}
	return v.Sort.Kind == logic.KindRange || v.Sort.Kind == logic.KindInt &&
		slices.ContainsFunc(p.assume, func(t *logic.Term) bool {
			return (t.Op == logic.OpLe || t.Op == logic.OpLt) && t.Args[0].Op == logic.OpInt &&
				t.Args[1].Op == logic.OpVar && t.Args[1].Var == v
		})
}

// smaller says that the goal is true of all smaller numbers, with any values of the other
// variables. What is assumed of no variable is assumed once.
func (p *goalParts) smaller(over *logic.Var) *logic.Term {
	others := fresh(p.vars)
	with := map[*logic.Var]*logic.Term{}
	for i, v := range p.vars {
		with[v] = logic.Ref(others[i])
	}
	assume := []*logic.Term{logic.Lt(with[over], logic.Ref(over))}
	for _, t := range p.assume {
		if len(logic.FreeVars(t)) > 0 {
			assume = append(assume, logic.Subst(t, with))
		}
	}
	return logic.Forall(others, logic.Implies(logic.And(assume...), logic.Subst(p.goal, with)))
}
