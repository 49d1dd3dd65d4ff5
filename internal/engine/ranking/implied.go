package ranking

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// related is a relation with different variables or constants for arguments, and whether it is true
// of all values, or of none, in the states that are looked at.
type related struct {
	literal
	always, never bool
}

// implied lists what a test finds true of this form: where a relation that changes is true, another
// one is true of some of the same values, or false, such as `promised(N, R) -> started(R)`. An
// argument may be a constant in place of a value, such as in `lost(N, r0) -> !member(N, q0)`. It
// leaves out what is said about all values already, and what simplest says.
func implied(sys *system.System, holds func(*logic.Term) bool) (out []*logic.Term) {
	var atoms []related
	for _, l := range atomsOf(sys) {
		atoms = append(atoms, related{l, holds(logic.Forall(l.vars, l.term)),
			holds(logic.Forall(l.vars, logic.Not(l.term)))})
	}
	said := map[string]bool{} // also with constants for some of the values
	for _, a := range atoms {
		if !a.term.Symbol.Mutable || a.always {
			continue
		}
		for _, b := range atoms {
			switch {
			case a.term == b.term || !within(b.vars, a.vars) || a.alike(b):
				continue
			case a.never && b.term.Symbol.Mutable:
				// It may be true of other values than the instances have, but nothing is known of
				// the states then.
				continue
			case !a.never && (b.always || b.never):
				continue
			}
			for _, then := range []*logic.Term{b.term, logic.Not(b.term)} {
				t := logic.Implies(a.term, then)
				if !said[t.String()] && holds(logic.Forall(a.vars, t)) {
					out = append(out, logic.Forall(a.vars, t))
					withConstants(sys, t, a.vars, said)
				}
			}
		}
	}
	return out
}

// alike reports whether two relations speak of the same values, in the same order.
func (a *related) alike(b related) bool {
	sorts := a.term.Symbol.Args
	return len(a.vars) == len(sorts) && slices.Equal(a.vars, b.vars) &&
		slices.EqualFunc(sorts, b.term.Symbol.Args, logic.SameSort)
}

func within(some, all []*logic.Var) bool {
	return !slices.ContainsFunc(some, func(v *logic.Var) bool { return !slices.Contains(all, v) })
}

// withConstants adds a formula, and all that has constants in place of some variables.
func withConstants(sys *system.System, t *logic.Term, vars []*logic.Var, to map[string]bool) {
	to[t.String()] = true
	for i, v := range vars {
		for _, c := range fixedOf(sys, v.Sort) {
			withConstants(sys, instantiate(t, vars[i:i+1], []*logic.Term{c}), vars[i+1:], to)
		}
	}
}

// fixedOf are the constants of a sort that no step changes.
func fixedOf(sys *system.System, sort *logic.Sort) (out []*logic.Term) {
	for _, sym := range sys.Symbols {
		if !sym.Mutable && !sym.Derived && len(sym.Args) == 0 && logic.SameSort(sym.Result, sort) {
			out = append(out, logic.App(sym, logic.Pre))
		}
	}
	return out
}

// atomsOf lists the relations with variables or constants for arguments, the ones with more
// variables first. The variables of two relations are the same if their sorts are.
func atomsOf(sys *system.System) (out []literal) {
	shared := map[string]*logic.Var{}
	variable := func(sort *logic.Sort, k int) *logic.Var {
		name := fmt.Sprintf("%s %d", sort, k)
		if shared[name] == nil {
			shared[name] = &logic.Var{Name: fmt.Sprintf("V%d", len(shared)+1), Sort: sort}
		}
		return shared[name]
	}
	for _, sym := range sys.Symbols {
		if sym.Ghost || sym.Derived || sym.Result != logic.Bool || len(sym.Args) == 0 ||
			slices.Contains(sym.Args, logic.Int) {
			continue
		}
		var rest func(args []*logic.Term, vars []*logic.Var)
		rest = func(args []*logic.Term, vars []*logic.Var) {
			if len(args) == len(sym.Args) {
				if len(vars) > 0 {
					out = append(out, literal{vars, logic.App(sym, logic.Pre, args...)})
				}
				return
			}
			sort := sym.Args[len(args)]
			k := 0
			for _, v := range vars {
				if logic.SameSort(v.Sort, sort) {
					k++
				}
			}
			v := variable(sort, k)
			rest(append(slices.Clone(args), logic.Ref(v)), append(slices.Clone(vars), v))
			for _, c := range fixedOf(sys, sort) {
				rest(append(slices.Clone(args), c), vars)
			}
		}
		rest(nil, nil)
	}
	slices.SortStableFunc(out, func(a, b literal) int { return len(b.vars) - len(a.vars) })
	return out
}
