package certificate

import (
	"slices"
	"strings"

	"erelong.dev/erelong/internal/bounds"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// The obligations, as the theorem states them. Let I be the conjunction of the invariant formulas.
// I holds in every reachable state (Floyd, Assigning Meanings to Programs) if
//
//   - every state that satisfies the axioms, the initial conditions and the declared ranges
//     satisfies each conjunct of I, and
//   - for every action and every step of it, from a state that satisfies the axioms and I, the
//     next state satisfies each conjunct of I.
//
// Definitions of derived symbols and trusted invariants are true in all these states. A theorem
// follows from axioms and definitions alone.
//
// A certificate may say of some conjuncts that they follow in one state. Their only obligation is
// that every state satisfies them which satisfies the axioms and the other conjuncts of I. The
// others hold initially and after every step by their own obligations, and so does what follows.

// theory is a set of hypotheses. State Pre is the state before a step, state Post the state after
// it.
type theory struct {
	vars    []*logic.Var    // arguments and choices of an action
	updates []system.Update // new values
	terms   []*logic.Term
	claimed []claimed // conjuncts of the invariant
	way     string    // of a part: the word of certificates for it
	laws    []system.Law
	kept    []keptLaw // of a step
}

// claimed is a conjunct of an invariant by its name in the cores of proofs.
type claimed struct {
	name string
	term *logic.Term
}

// suppose assumes some conjuncts of a property.
func (t *theory) suppose(p *system.Property, with func(conjunct int) bool) {
	names := vc.ConjunctNames(p.Name, p.Term)
	for i, c := range logic.Conjuncts(p.Term) {
		if with(i) {
			t.claimed = append(t.claimed, claimed{names[i], c})
		}
	}
}

// needing is the theory with the claimed conjuncts that a proof used, and with the laws of the sums
// and sizes that it names.
func (t *theory) needing(core []string) *theory {
	less := *t
	less.claimed, less.laws = nil, nil
	for _, c := range t.claimed {
		if slices.Contains(core, c.name) {
			less.claimed = append(less.claimed, c)
		}
	}
	for _, l := range t.laws {
		if slices.ContainsFunc(l.Of, func(d *system.Derived) bool {
			return slices.Contains(core, vc.NameOfLaws(d))
		}) {
			less.laws = append(less.laws, l)
		}
	}
	return &less
}

// question asks whether a theory entails a goal. The fields of the obligation that a solver fills
// are not set.
type question struct {
	Obligation
	theory premises
	goal   *logic.Term
	// Parts of the theory that are tried first. A proof from a part is a proof.
	less []premises
	// The one among them that the proof of the certificate is from; nil for none.
	stated premises
}

// from tries the parts first that a proof used: of the conjuncts of the invariant, and of the laws.
func (q *question) from(o *Obligation) {
	t, ok := q.theory.(*theory)
	if !ok {
		return
	}
	if o.Core != nil && len(o.Core) < len(t.claimed)+len(t.laws) {
		less := t.needing(o.Core)
		q.less = slices.Concat(q.less, less.parts(q.goal), []premises{less})
	}
	for _, part := range q.less {
		if t, ok := part.(*theory); ok && t.way != "" && strings.Contains(o.Method, t.way) {
			q.stated = part
		}
	}
}

// premises are a theory that can be printed for a solver. A theory of steps has two renderings.
type premises interface {
	steps() bool
	script(macros bool) (*smt.Script, error)
}

func (t *theory) assume(terms ...*logic.Term) { t.terms = append(t.terms, terms...) }

// background is the theory of any state, at Pre.
func background(sys *system.System) *theory {
	t := &theory{}
	for _, f := range sys.Axioms {
		t.assume(f.Term)
	}
	for _, d := range sys.Derived {
		t.assume(d.Axiom)
	}
	t.know(sys, 1, atPre)
	return t
}

// ofKind lists the properties of one kind.
func ofKind(sys *system.System, kind system.PropertyKind) (out []*system.Property) {
	for _, p := range sys.Properties {
		if p.Kind == kind {
			out = append(out, p)
		}
	}
	return out
}

// initial is the theory of an initial state.
func initial(sys *system.System) *theory {
	t := background(sys)
	for _, f := range sys.Inits {
		t.assume(f.Term)
	}
	for _, p := range slices.Concat(ofKind(sys, system.Range), ofKind(sys, system.Trusted)) {
		t.assume(logic.Conjuncts(p.Term)...)
	}
	return t
}

// step is the theory of a step of the action from a state in which the invariant holds.
func step(sys *system.System, a *system.Action, invariant []*system.Property) *theory {
	t := background(sys)
	t.laws = nil // they are among the ones of two states
	t.know(sys, 2, func(x *logic.Term) *logic.Term { return keep(x, a) })
	t.assume(unchanged(sys, a)...)
	trusted := ofKind(sys, system.Trusted)
	for _, p := range trusted {
		t.assume(logic.Conjuncts(p.Term)...)
	}
	for _, p := range invariant {
		t.suppose(p, func(int) bool { return true })
	}
	for _, d := range sys.Derived {
		t.assume(after(d.Axiom, a))
	}
	for _, p := range trusted {
		for _, c := range logic.Conjuncts(p.Term) {
			t.assume(after(c, a))
		}
	}
	t.vars = slices.Concat(a.Params, a.Relation.Choices)
	for _, v := range t.vars {
		t.assume(logic.InSort(v.Sort, logic.Ref(v)))
	}
	for _, u := range a.Relation.Updates {
		u.Value = keep(u.Value, a)
		t.updates = append(t.updates, u)
	}
	for _, g := range a.Relation.Guard {
		t.assume(keep(g, a))
	}
	t.keeps(sys, a)
	return t
}

// keep reads symbols that an action does not modify in state Pre, since they have the same value in
// state Post. It leaves derived symbols alone: their definitions fix their values in each state.
func keep(t *logic.Term, a *system.Action) *logic.Term {
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Op != logic.OpApp || t.Step != logic.Post || t.Symbol.Derived ||
			slices.Contains(a.Modifies, t.Symbol) {
			return t
		}
		c := *t
		c.Step = logic.Pre
		return &c
	})
}

// after gives a formula over the state after the action from the same formula over the state before
// it.
func after(t *logic.Term, a *system.Action) *logic.Term {
	return keep(logic.Shift(t, logic.Post), a)
}

// conjuncts asks for each conjunct of a property.
func conjuncts(name, action string, p *system.Property, t *theory) []question {
	var out []question
	for i, c := range logic.Conjuncts(p.Term) {
		o := Obligation{Name: name, Action: action, Property: p.Name, Conjunct: i,
			Formula: c.String()}
		out = append(out, question{Obligation: o, theory: t, goal: c, less: t.parts(c)})
	}
	return out
}

// statewise asks for each conjunct of a property in the state of the theory.
func statewise(name string, sys *system.System, p *system.Property, t *theory) []question {
	out := conjuncts(name, "", p, t)
	for i := range out {
		out[i].byInduction(sys, out[i].goal, t, atPre)
	}
	return out
}

func atPre(t *logic.Term) *logic.Term { return t }

// inductionQuestions asks the questions that show that the properties are inductive together, where
// some conjuncts follow in one state from the others.
func inductionQuestions(
	sys *system.System, invariant []*system.Property, following map[identity]bool,
) (out []question) {
	follows := func(p *system.Property, i int) bool {
		return following[identity{inState(p.Name), "", p.Name, i}]
	}
	start, state := initial(sys), background(sys)
	for _, p := range ofKind(sys, system.Trusted) {
		state.assume(logic.Conjuncts(p.Term)...)
	}
	own := map[*system.Property]func(int) bool{} // the conjuncts that do not follow
	for _, p := range invariant {
		own[p] = func(i int) bool { return !follows(p, i) }
		state.suppose(p, own[p])
	}
	var needed []*system.Property // what follows says nothing new
	for _, p := range invariant {
		all := statewise("initiation of "+p.Name, sys, p, start)
		initially := only(all, own[p])
		out = append(out, initially...)
		out = append(out, only(statewise(inState(p.Name), sys, p, state),
			func(i int) bool { return follows(p, i) })...)
		if len(initially) > 0 {
			needed = append(needed, p)
		}
	}
	for _, a := range sys.Actions {
		t := step(sys, a, needed)
		less := *t
		less.updates = nil
		for _, u := range t.updates {
			if logic.Size(u.Value) < largeValue {
				less.updates = append(less.updates, u)
			}
		}
		b := bounds.Of(a)
		for _, p := range needed {
			all := conjuncts(a.Name+" preserves "+p.Name, a.Name, p, t)
			for _, q := range only(all, own[p]) {
				var found bool
				if q.goal, found = b.After(q.goal); found {
					q.less = append(q.less, &less)
				}
				q.goal = keep(q.goal, a)
				c := logic.Conjuncts(p.Term)[q.Conjunct]
				if !found {
					q.byInduction(sys, c, t, func(x *logic.Term) *logic.Term { return after(x, a) })
				}
				if logic.Equal(q.goal, c) {
					q.less = []premises{&theory{terms: []*logic.Term{c}}} // it changes nothing in c
				}
				out = append(out, q)
			}
		}
	}
	return out
}

// only are the questions about some conjuncts.
func only(qs []question, some func(conjunct int) bool) []question {
	return slices.DeleteFunc(qs, func(q question) bool { return !some(q.Conjunct) })
}

// largeValue is the size of new values that a question is first asked without, where bounds of them
// stand in its goal.
const largeValue = 1000

// validity asks the questions that show that a theorem follows from the axioms and the definitions.
func validity(sys *system.System, p *system.Property) []question {
	t := &theory{}
	for _, f := range sys.Axioms {
		t.assume(f.Term)
	}
	for state := range p.States {
		for _, d := range sys.Derived {
			t.assume(logic.Shift(d.Axiom, state))
		}
	}
	t.know(sys, p.States, atPre)
	return conjuncts("validity of "+p.Name, "", p, t)
}

func (t *theory) steps() bool { return len(t.updates) > 0 }

// script prints a theory for a solver. With macros, new values are definitions of functions,
// otherwise equations. A symbol is unconstrained outside the declared ranges of its arguments;
// smt.Script.Define ensures this.
func (t *theory) script(macros bool) (*smt.Script, error) {
	s := smt.NewScript()
	for _, v := range t.vars {
		if err := s.DeclareVar(v); err != nil {
			return nil, err
		}
	}
	for _, u := range t.updates {
		if macros {
			if err := s.Define(u.Symbol, logic.Post, u.Vars, u.Value); err != nil {
				return nil, err
			}
			continue
		}
		declared := logic.True
		for i, sort := range u.Symbol.Args {
			declared = logic.And(declared, logic.InSort(sort, logic.Ref(u.Vars[i])))
		}
		equation := logic.Eq(logic.App(u.Symbol, logic.Post, logic.Refs(u.Vars)...), u.Value)
		if err := s.Assert(logic.Forall(u.Vars, logic.Implies(declared, equation))); err != nil {
			return nil, err
		}
	}
	for _, f := range t.terms {
		if err := s.Assert(f); err != nil {
			return nil, err
		}
	}
	for _, c := range t.claimed {
		if err := s.Assert(c.term); err != nil {
			return nil, err
		}
	}
	for _, l := range t.laws {
		if err := s.AssertTriggered(l.Term, l.Triggers); err != nil {
			return nil, err
		}
	}
	return s, nil
}
