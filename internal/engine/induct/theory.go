package induct

import (
	"slices"

	"erelong/internal/logic"
	"erelong/internal/smt"
	"erelong/internal/system"
)

// versions tells which copy of each mutable symbol a state has. States share the copy of a symbol that did not change
// between them, so no axiom need say that it is the same. Symbols that are missing have copy 0.
type versions map[*logic.Symbol]int

// next gives the versions of the state after a step that modifies the given symbols. The copies are numbered step.
func (v versions) next(sys *system.System, modified []*logic.Symbol, step int) versions {
	out := versions{}
	for sym, n := range v {
		out[sym] = n
	}
	affected := affectedBy(sys, modified)
	for _, sym := range sys.Symbols {
		if affected[sym] {
			out[sym] = step
		}
	}
	return out
}

// affectedBy gives the symbols whose value may change when the modified ones do: these, and the derived ones that depend
// on them. A derived symbol whose axiom does not fix its value, or whose definition is circular, may always change.
func affectedBy(sys *system.System, modified []*logic.Symbol) map[*logic.Symbol]bool {
	affected := map[*logic.Symbol]bool{}
	for _, sym := range modified {
		affected[sym] = true
	}
	done := map[*logic.Symbol]bool{}
	var visit func(sym *logic.Symbol) bool
	visit = func(sym *logic.Symbol) bool {
		if !sym.Derived || done[sym] {
			return affected[sym]
		}
		done[sym] = true
		affected[sym] = true // while it is being visited, so that a circle counts as affected
		d := sys.DerivedOf(sym)
		if d == nil || d.Body == nil {
			return true
		}
		found := false
		logic.Walk(d.Body, func(t *logic.Term) bool {
			found = found || t.Op == logic.OpApp && visit(t.Symbol)
			return !found
		})
		affected[sym] = found
		return found
	}
	for _, sym := range sys.Symbols {
		visit(sym)
	}
	return affected
}

// in moves a term to states: what it says of the state numbered i it then says of states[i].
func in(t *logic.Term, states ...versions) *logic.Term {
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Op != logic.OpApp || !t.Symbol.Mutable || t.Step >= len(states) {
			return t
		}
		n := states[t.Step][t.Symbol]
		if n == t.Step {
			return t
		}
		c := *t
		c.Step = n
		return &c
	})
}

// theory is a set of hypotheses that many obligations share.
type theory struct {
	consts  []*logic.Var
	updates []update
	terms   []*logic.Term
}

// update says that for all vars, the copy numbered version of symbol is value.
type update struct {
	symbol  *logic.Symbol
	version int
	vars    []*logic.Var
	value   *logic.Term
}

// axiom is the update as a formula. Points outside the declared ranges of the arguments are left open.
func (u update) axiom() *logic.Term {
	refs := logic.Refs(u.vars)
	app := logic.App(u.symbol, u.version, refs...)
	inside := logic.True
	for i, s := range u.symbol.Args {
		if s != u.vars[i].Sort {
			inside = logic.And(inside, logic.InSort(s, refs[i]))
		}
	}
	return logic.Forall(u.vars, logic.Implies(inside, logic.Eq(app, u.value)))
}

func (t *theory) assume(terms ...*logic.Term) {
	for _, term := range terms {
		if !term.IsTrue() {
			t.terms = append(t.terms, term)
		}
	}
}

// script renders the theory. Definitions come before the formulas that use them.
func (t *theory) script(r Rendering) (*smt.Script, error) {
	s := smt.NewScript()
	for _, v := range t.consts {
		if err := s.DeclareVar(v); err != nil {
			return nil, err
		}
	}
	for _, u := range t.updates {
		if r == Macro {
			if err := s.Define(u.symbol, u.version, u.vars, u.value); err != nil {
				return nil, err
			}
			continue
		}
		for _, axiom := range append([]*logic.Term{u.axiom()}, u.shifted()...) {
			if err := s.Assert(axiom); err != nil {
				return nil, err
			}
		}
	}
	for _, term := range t.terms {
		if err := s.Assert(term); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// background assumes what holds in the given states: axioms, definitions of derived symbols, and trusted invariants if
// there are any among props.
func (t *theory) background(sys *system.System, trusted []*system.Property, states ...versions) {
	for _, a := range sys.Axioms {
		t.assume(a.Term)
	}
	for i, state := range states {
		differs := func(term *logic.Term) bool {
			return !slices.ContainsFunc(states[:i], func(earlier versions) bool { return sameIn(term, state, earlier) })
		}
		for _, d := range sys.Derived {
			if differs(d.Axiom) {
				t.assume(in(d.Axiom, state))
			}
		}
		for _, p := range trusted {
			for _, c := range logic.Conjuncts(p.Term) {
				if differs(c) {
					t.assume(in(c, state))
				}
			}
		}
	}
}

// sameIn reports whether a formula of one state speaks of the same copies in both states.
func sameIn(t *logic.Term, a, b versions) bool {
	same := true
	logic.Walk(t, func(t *logic.Term) bool {
		if t.Op == logic.OpApp && t.Symbol.Mutable {
			same = same && a[t.Symbol] == b[t.Symbol]
		}
		return same
	})
	return same
}

// ranges says that every mutable symbol has its values in its declared range, in state Pre.
func ranges(sys *system.System) []*logic.Term {
	var out []*logic.Term
	for _, sym := range sys.Symbols {
		if !sym.Mutable || sym.Result.Kind != logic.KindRange {
			continue
		}
		vars := make([]*logic.Var, len(sym.Args))
		for i, s := range sym.Args {
			vars[i] = &logic.Var{Name: "X", Sort: s}
		}
		out = append(out, logic.Forall(vars, logic.InSort(sym.Result, logic.App(sym, logic.Pre, logic.Refs(vars)...))))
	}
	return out
}

// step assumes that the action leads from pre to post. Its variables become constants.
func (t *theory) step(a *system.Action, pre, post versions) {
	rel := a.Relation
	for _, v := range slices.Concat(a.Params, rel.Choices) {
		t.consts = append(t.consts, v)
		t.assume(logic.InSort(v.Sort, logic.Ref(v)))
	}
	for _, u := range rel.Updates {
		t.updates = append(t.updates, update{u.Symbol, post[u.Symbol], u.Vars, in(u.Value, pre, post)})
	}
	for _, g := range rel.Guard {
		t.assume(in(g, pre, post))
	}
}
