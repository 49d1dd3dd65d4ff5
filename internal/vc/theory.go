package vc

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
)

// Theory is a set of hypotheses that many obligations share.
type Theory struct {
	Consts     []*logic.Var
	Updates    []Update
	Hypotheses []Hypothesis
}

// Clone gives a copy: additions to it do not change this theory.
func (t *Theory) Clone() *Theory {
	return &Theory{slices.Clone(t.Consts), slices.Clone(t.Updates), slices.Clone(t.Hypotheses)}
}

// Hypothesis is an assumed formula. A proof can be asked which named hypotheses it needs. A
// hypothesis without a name, such as the guard of an action, belongs to the question and is always
// present. Several hypotheses may share a name.
type Hypothesis struct {
	Name string
	Term *logic.Term
	Law  *system.Law // that the formula is; nil if it is none
}

func (h Hypothesis) triggers() []*logic.Term {
	if h.Law == nil {
		return nil
	}
	return h.Law.Triggers
}

// Update states that for all Vars, the copy numbered Version of Symbol is Value. Each symbol copy
// has at most one update.
type Update struct {
	Symbol  *logic.Symbol
	Version int
	Vars    []*logic.Var
	Value   *logic.Term
}

// Axiom is the update as a formula. Points outside the declared ranges of the arguments are left
// open.
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

// Assume adds hypotheses without a name.
func (t *Theory) Assume(terms ...*logic.Term) { t.AssumeAs("", terms...) }

// AssumeAs adds hypotheses with a name.
func (t *Theory) AssumeAs(name string, terms ...*logic.Term) {
	for _, term := range terms {
		if !term.IsTrue() {
			t.Hypotheses = append(t.Hypotheses, Hypothesis{Name: name, Term: term})
		}
	}
}

// AssumeConjuncts adds the conjuncts of a property or their copies, each under a name of its own.
func (t *Theory) AssumeConjuncts(property string, conjuncts ...*logic.Term) {
	for i, c := range conjuncts {
		t.AssumeAs(ConjunctName(property, i, len(conjuncts)), c)
	}
}

// ConjunctNames names the conjuncts of a property.
func ConjunctNames(property string, term *logic.Term) []string {
	out := make([]string, len(logic.Conjuncts(term)))
	for i := range out {
		out[i] = ConjunctName(property, i, len(out))
	}
	return out
}

// ConjunctName names a conjunct of a property with n conjuncts, counted from 0.
func ConjunctName(property string, i, n int) string {
	if n == 1 {
		return property
	}
	return fmt.Sprintf("%s, conjunct %d", property, i+1)
}

// Only gives the theory without the named hypotheses that keep refuses. The whole theory proves
// everything that the part proves.
func (t *Theory) Only(keep func(Hypothesis) bool) *Theory {
	less := *t
	less.Hypotheses = nil
	for _, h := range t.Hypotheses {
		if h.Name == "" || keep(h) {
			less.Hypotheses = append(less.Hypotheses, h)
		}
	}
	return &less
}

// Inlined is a goal, or what it stands for: a symbol without arguments is its new value. So a
// solver sees the form of the goal, and what is true of any values is decided here.
func (t *Theory) Inlined(goal *logic.Term) *logic.Term {
	if goal.Op != logic.OpApp || len(goal.Args) > 0 {
		return goal
	}
	for _, u := range t.Updates {
		if u.Symbol == goal.Symbol && u.Version == goal.Step &&
			logic.Size(u.Value) <= inlined {
			return logic.Map(u.Value, decided)
		}
	}
	return goal
}

// inlined is the size up to which a value takes the place of its symbol in a goal.
const inlined = 5000

// decided is a formula, or a literal where it is an implication of a formula by itself.
func decided(t *logic.Term) *logic.Term {
	switch t.Op {
	case logic.OpImplies, logic.OpIff:
		if logic.Equal(t.Args[0], t.Args[1]) {
			return logic.True
		}
	case logic.OpForall:
		if t.Args[0].IsTrue() {
			return logic.True
		}
	}
	return logic.Simplified(t)
}

// Script renders the theory. Definitions come before the formulas that use them.
func (t *Theory) Script(r Rendering) (*smt.Script, error) {
	return t.script(r, func(s *smt.Script, h Hypothesis) error {
		return s.AssertTriggered(h.Term, h.triggers())
	})
}

// Labelled renders the theory so that a solver can tell which named hypotheses a proof needs. It
// maps the solver's labels to the names.
func (t *Theory) Labelled(r Rendering) (*smt.Script, map[string]string, error) {
	names := map[string]string{}
	s, err := t.script(r, func(s *smt.Script, h Hypothesis) error {
		if h.Name == "" {
			return s.AssertTriggered(h.Term, h.triggers())
		}
		label, err := s.AssertLabelled(h.Term, h.triggers())
		names[label] = h.Name
		return err
	})
	return s, names, err
}

func (t *Theory) script(
	r Rendering, assume func(*smt.Script, Hypothesis) error,
) (*smt.Script, error) {
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
	for _, h := range t.Hypotheses {
		if err := assume(s, h); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Background assumes the facts of the given states: axioms, definitions of derived symbols, and the
// trusted invariants.
func (t *Theory) Background(sys *system.System, trusted []*system.Property, states ...Versions) {
	for _, a := range sys.Axioms {
		t.AssumeAs(label("axiom", a), a.Term)
	}
	for i, state := range states {
		differs := func(term *logic.Term) bool {
			return !slices.ContainsFunc(states[:i], func(earlier Versions) bool {
				return SameIn(term, state, earlier)
			})
		}
		for _, d := range sys.Derived {
			if differs(d.Axiom) {
				t.AssumeAs(nameOfDefinition(d), In(d.Axiom, state))
			}
		}
		for _, p := range trusted {
			conjuncts := logic.Conjuncts(p.Term)
			for i, c := range conjuncts {
				if differs(c) {
					t.AssumeAs(ConjunctName(p.Name, i, len(conjuncts)), In(c, state))
				}
			}
		}
	}
	t.laws(sys, states)
}

// Initial assumes the initial conditions in state 0.
func (t *Theory) Initial(sys *system.System) {
	for _, f := range sys.Inits {
		t.AssumeAs(label("init", f), f.Term)
	}
}

// label names a formula of the file.
func label(kind string, f *system.Formula) string {
	if f.Name != "" {
		return f.Name
	}
	return fmt.Sprintf("%s:%d", kind, f.Span.Line())
}

// Ranges states that every mutable symbol has its values in its declared range, in state Pre.
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
		out = append(out,
			logic.Forall(vars,
				logic.InSort(sym.Result, logic.App(sym, logic.Pre, logic.Refs(vars)...))))
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
		t.Updates = append(t.Updates,
			Update{u.Symbol, post[u.Symbol], u.Vars, In(u.Value, pre, post)})
	}
	for _, g := range rel.Guard {
		t.Assume(In(g, pre, post))
	}
}
