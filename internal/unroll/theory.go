package unroll

import (
	"slices"

	"erelong/internal/logic"
	"erelong/internal/smt"
	"erelong/internal/system"
)

// Theory is a set of hypotheses that many obligations share.
type Theory struct {
	Consts  []*logic.Var
	Updates []Update
	Terms   []*logic.Term
}

// Update says that for all Vars, the copy numbered Version of Symbol is Value. Each symbol copy has one update at most.
type Update struct {
	Symbol  *logic.Symbol
	Version int
	Vars    []*logic.Var
	Value   *logic.Term
}

// Axiom is the update as a formula. Points outside the declared ranges of the arguments are left open.
func (u Update) Axiom() *logic.Term {
	refs := logic.Refs(u.Vars)
	app := logic.App(u.Symbol, u.Version, refs...)
	inside := logic.True
	for i, s := range u.Symbol.Args {
		if s != u.Vars[i].Sort {
			inside = logic.And(inside, logic.InSort(s, refs[i]))
		}
	}
	return logic.Forall(u.Vars, logic.Implies(inside, logic.Eq(app, u.Value)))
}

// Assume adds hypotheses.
func (t *Theory) Assume(terms ...*logic.Term) {
	for _, term := range terms {
		if !term.IsTrue() {
			t.Terms = append(t.Terms, term)
		}
	}
}

// Script renders the theory. Definitions come before the formulas that use them.
func (t *Theory) Script(r Rendering) (*smt.Script, error) {
	s := smt.NewScript()
	for _, v := range t.Consts {
		if err := s.DeclareVar(v); err != nil {
			return nil, err
		}
	}
	for _, u := range t.Updates {
		if r == Macro {
			if err := s.Define(u.Symbol, u.Version, u.Vars, u.Value); err != nil {
				return nil, err
			}
			continue
		}
		for _, axiom := range append([]*logic.Term{u.Axiom()}, u.shifted()...) {
			if err := s.Assert(axiom); err != nil {
				return nil, err
			}
		}
	}
	for _, term := range t.Terms {
		if err := s.Assert(term); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Background assumes what holds in the given states: axioms, definitions of derived symbols, and trusted invariants if
// there are any among props.
func (t *Theory) Background(sys *system.System, trusted []*system.Property, states ...Versions) {
	for _, a := range sys.Axioms {
		t.Assume(a.Term)
	}
	for i, state := range states {
		differs := func(term *logic.Term) bool {
			return !slices.ContainsFunc(states[:i], func(earlier Versions) bool { return SameIn(term, state, earlier) })
		}
		for _, d := range sys.Derived {
			if differs(d.Axiom) {
				t.Assume(In(d.Axiom, state))
			}
		}
		for _, p := range trusted {
			for _, c := range logic.Conjuncts(p.Term) {
				if differs(c) {
					t.Assume(In(c, state))
				}
			}
		}
	}
}

// Ranges says that every mutable symbol has its values in its declared range, in state Pre.
func Ranges(sys *system.System) []*logic.Term {
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

// Step assumes that the action leads from pre to post. Its variables become constants.
func (t *Theory) Step(a *system.Action, pre, post Versions) {
	rel := a.Relation
	for _, v := range slices.Concat(a.Params, rel.Choices) {
		t.Consts = append(t.Consts, v)
		t.Assume(logic.InSort(v.Sort, logic.Ref(v)))
	}
	for _, u := range rel.Updates {
		t.Updates = append(t.Updates, Update{u.Symbol, post[u.Symbol], u.Vars, In(u.Value, pre, post)})
	}
	for _, g := range rel.Guard {
		t.Assume(In(g, pre, post))
	}
}
