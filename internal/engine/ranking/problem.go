package ranking

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// problem is the question about one property: the formulas of the property, over an extension of
// the user's system in which the property's variables are constants.
type problem struct {
	property   string
	line       int
	sys        *system.System // the extended system
	trusted    []*system.Property
	invariants []*system.Property // that are proved
	vars       []*logic.Symbol    // the constants for the property's variables
	trigger    *logic.Term
	good       *logic.Term
	pending    *logic.Term // true from the trigger to the good state

	original  *system.System
	originals map[*system.Action]*system.Action // by actions of the extended system
	fair      []*fairness
	// by actions of the extended system; nil where it is not known
	enabled map[*system.Action]*logic.Term
	choices []*choice
	// Of the extended system, for the variables of the property and of the choices.
	constants map[*logic.Var]*logic.Term
	names     map[string]bool // that symbols have
	possible  []*possibility  // that are proved
	// The integers of which solvers see only what is proved of their growth: counts, prophecies and
	// lexicographic orders. They are not among the symbols of the system, so they are in no model.
	abstract []*logic.Symbol
	// That some action can be taken where it is pending: once it is proved, and where the proof
	// rests on the finiteness of sorts, so that no solver finds it again, or where actions in a row
	// wait for each other. Else it is nil.
	enabledSome *logic.Term
}

// fairness states that a fair action is not put off for ever. The prophecy left(x) is the number of
// steps, from a state in which the action can be taken with the parameters x, until the action is
// taken (this step included) or cannot be taken any more. For strong fairness it counts only the
// steps from states in which the action can be taken. Every fair run has such numbers, so a
// property that is proved with them holds in every fair run.
type fairness struct {
	action  *system.Action // of the extended system
	left    *logic.Symbol
	enabled *logic.Term // and asked for; over the action's parameters
}

// due is true where an action is enabled, as a formula says, and fairness asks for its steps. A
// step from another state counts as the action, too: the number of steps that are left may become
// any number there, so less is known of it.
func due(a *system.Action, enabled *logic.Term) *logic.Term {
	if a.FairIf == nil {
		return enabled
	}
	return logic.And(enabled, a.FairIf)
}

// choice is a value that satisfies a condition, in every state where the property is pending. It
// stays the same as long as it satisfies the condition. Several values may satisfy it; section 4.1
// asks for a unique one.
type choice struct {
	*hint
	symbol *logic.Symbol
	v      *logic.Var
	such   *logic.Term // over v
}

// instantiate gives a term over an action's parameters for other values of the parameters.
func instantiate(t *logic.Term, params []*logic.Var, args []*logic.Term) *logic.Term {
	m := map[*logic.Var]*logic.Term{{}: nil} // not empty, so that bound variables are renamed
	for i, v := range params {
		m[v] = args[i]
	}
	return logic.Subst(t, m)
}

// newProblem extends the system for a liveness property. Hints may be nil.
func newProblem(original *system.System, prop *system.Property, hints *system.Ranking,
	invariants []*system.Property,
	possible ...*possibility) *problem {
	sys := *original
	sys.Symbols = slices.Clone(original.Symbols)
	sys.Axioms = slices.Clone(original.Axioms)
	sys.Properties, sys.Scenarios, sys.Instances, sys.Expectations, sys.Rankings = nil, nil, nil,
		nil, nil
	sys.Actions = nil
	p := &problem{
		property: prop.Name, line: prop.Span.Line(), sys: &sys, original: original,
		originals: map[*system.Action]*system.Action{}, invariants: invariants,
		enabled: map[*system.Action]*logic.Term{}, names: map[string]bool{}, possible: possible,
	}
	for _, s := range sys.Symbols {
		p.names[s.Name] = true
	}
	p.trusted = original.Trusted()

	vars, body := system.Outer(prop.Term)
	constants := map[*logic.Var]*logic.Term{}
	p.constants = constants
	for _, v := range vars {
		s := p.declare(v.Name, v.Sort, false)
		p.vars = append(p.vars, s)
		constants[v] = logic.App(s, logic.Pre)
		if in := logic.InSort(v.Sort, constants[v]); !in.IsTrue() {
			sys.Axioms = append(sys.Axioms, &system.Formula{Name: "range:" + s.Name, Term: in})
		}
	}
	p.trigger, p.good = logic.Subst(body.Args[0], constants), logic.Subst(body.Args[1], constants)
	p.pending = p.trigger
	if hints != nil {
		if hints.Pending != nil {
			p.pending = logic.Subst(hints.Pending, constants)
		}
		for _, c := range hints.Choices {
			s := p.declare(c.Vars[0].Name, c.Vars[0].Sort, true)
			p.choices = append(p.choices, &choice{
				hint:   hintIn(c.Span, "choose %s with %s", logic.Printer{}.Vars(c.Vars), c.Such),
				symbol: s, v: c.Vars[0], such: logic.Subst(c.Such, constants),
			})
			constants[c.Vars[0]] = logic.App(s, logic.Pre)
		}
	}
	p.actions(original)
	return p
}

// obligation states a goal of the property's proof.
func (p *problem) obligation(name string, goal *logic.Term) *discharge.Obligation {
	return &discharge.Obligation{Obligation: result.Obligation{Name: name, Property: p.property,
		Line: p.line}, Goal: goal}
}

// here makes a group of obligations about the states where the property is pending.
func (p *problem) here(os ...*discharge.Obligation) *discharge.Group {
	return &discharge.Group{Theory: p.theory(true, vc.Versions{}), Obligations: os,
		Path: vc.OneState()}
}

// declare adds a symbol without arguments to the extended system.
func (p *problem) declare(name string, sort *logic.Sort, mutable bool) *logic.Symbol {
	s := &logic.Symbol{Name: p.fresh(name), Kind: logic.Constant, Result: sort, Mutable: mutable,
		Ghost: mutable}
	p.sys.Symbols = append(p.sys.Symbols, s)
	return s
}

// unseen makes an abstract integer, one for each value of the parameters.
func (p *problem) unseen(name string, params ...*logic.Var) *logic.Symbol {
	s := &logic.Symbol{Name: p.fresh(name), Kind: logic.Constant, Result: logic.Int, Mutable: true,
		Ghost: true}
	for _, v := range params {
		s.Kind, s.Args = logic.Function, append(s.Args, v.Sort)
	}
	p.abstract = append(p.abstract, s)
	return s
}

func (p *problem) fresh(name string) string {
	out := name
	for n := 2; p.names[out]; n++ {
		out = fmt.Sprintf("%s_%d", name, n)
	}
	p.names[out] = true
	return out
}

// actions copies the actions. The copies also modify the choices. No action constrains the new
// value of a choice: the theory of each state does.
func (p *problem) actions(original *system.System) {
	for _, a := range original.Actions {
		b := *a
		b.Code, b.Imperative = nil, false
		p.sys.Actions = append(p.sys.Actions, &b)
		p.originals[&b] = a
		e := enabled(original, a)
		if i := slices.IndexFunc(p.possible,
			func(c *possibility) bool { return c.action == a }); i >= 0 {
			e = p.possible[i].when
		}
		if e == nil {
			continue
		}
		p.enabled[&b] = e
		if a.Fairness == system.Unfair {
			continue
		}
		left := p.unseen(leftPrefix+a.Name, a.Params...)
		p.fair = append(p.fair, &fairness{&b, left, due(a, e)})
	}
	for _, b := range p.sys.Actions {
		b.Modifies = slices.Clone(b.Modifies)
		for _, c := range p.choices {
			b.Modifies = append(b.Modifies, c.symbol)
		}
	}
}

// prerequisite is true in the states that the ranking functions are about.
func (p *problem) prerequisite() *logic.Term {
	open := logic.Not(p.good)
	if logic.Equal(p.pending, open) {
		return open
	}
	return logic.And(p.pending, open)
}

// theory assumes the facts of states: in pending states the prerequisite and the choices, too.
func (p *problem) theory(pending bool, states ...vc.Versions) *vc.Theory {
	return p.theoryOf(pending, len(states), states...)
}

// theoryOf is theory with the invariants of the first states alone, as many as known says.
func (p *problem) theoryOf(pending bool, known int, states ...vc.Versions) *vc.Theory {
	t := &vc.Theory{}
	t.Background(p.sys, p.trusted, states...)
	for i, s := range states {
		assume := func(name string, term *logic.Term) {
			if i == 0 || !vc.SameIn(term, states[i-1], s) {
				t.AssumeAs(name, vc.In(term, s))
			}
		}
		if i < known {
			eachConjunct(p.invariants, assume)
		}
		if pending {
			assume("", p.prerequisite())
			if p.enabledSome != nil {
				assume("", p.enabledSome)
			}
			for _, c := range p.choices {
				assume("", c.inRange())
				assume("", c.fits(logic.Pre, logic.Pre))
			}
		}
	}
	return t
}

// progresses has the theories of pending states assume that some action can be taken, where solvers
// would not find it again; inRow says that actions may wait for each other in a row.
func (p *problem) progresses(claim *discharge.Obligation, inRow bool) {
	if facts, _ := finiteness(p, claim); len(facts) > 0 || inRow {
		p.enabledSome = claim.Goal
	}
}

// eachConjunct gives the conjuncts of invariants with names that tell them apart.
func eachConjunct(invariants []*system.Property, do func(name string, c *logic.Term)) {
	for _, inv := range invariants {
		conjuncts := logic.Conjuncts(inv.Term)
		for j, c := range conjuncts {
			do(vc.ConjunctName(inv.Name, j, len(conjuncts)), c)
		}
	}
}

func (c *choice) exists() string { return c.symbol.Name + " exists" }

// some is true where there is a value to choose.
func (c *choice) some() *logic.Term { return logic.Exists([]*logic.Var{c.v}, c.such) }

// fits is true when the value chosen in one state satisfies the condition in another.
func (c *choice) fits(chosen, in int) *logic.Term {
	return instantiate(logic.Shift(c.such, in), []*logic.Var{c.v},
		[]*logic.Term{logic.App(c.symbol, chosen)})
}

// inRange is true of the value that is chosen: it is one of its sort.
func (c *choice) inRange() *logic.Term {
	return logic.InSort(c.symbol.Result, logic.App(c.symbol, logic.Pre))
}

// stays is true when the choice is the same after the step if it still satisfies the condition.
func (c *choice) stays() *logic.Term {
	return logic.Implies(c.fits(logic.Pre, logic.Post),
		logic.Eq(logic.App(c.symbol, logic.Post), logic.App(c.symbol, logic.Pre)))
}

// initial assumes the facts of an initial state.
func (p *problem) initial() *vc.Theory {
	t := &vc.Theory{}
	t.Background(p.sys, p.trusted, vc.Versions{})
	t.Start(p.sys)
	return t
}

// step gives the states before and after an action, with a theory of both and of the step.
func (p *problem) step(a *system.Action, pending bool) (*vc.Theory, vc.Path) {
	return p.stepFrom(a, pending, 2)
}

// stepFrom is step with the invariants of the first states alone, as many as known says. Invariants
// that hold before a step hold after it, if each of them was proved of a single step. Solvers then
// have less to read.
func (p *problem) stepFrom(a *system.Action, pending bool, known int) (*vc.Theory, vc.Path) {
	pre, post := p.versions(a)
	t := p.theoryOf(pending, known, pre, post)
	t.Step(a, pre, post)
	for _, c := range p.choices {
		if pending {
			t.Assume(vc.In(c.stays(), pre, post))
		}
	}
	return t, vc.Path{Kind: result.ToInduction, States: []vc.Versions{pre, post},
		Steps: [][]vc.Alternative{{{Action: a.Name, Args: vc.Arguments(a)}}}}
}

// versions gives the states before and after an action. Abstract integers may have any value after.
func (p *problem) versions(a *system.Action) (pre, post vc.Versions) {
	post = pre.Next(p.sys, slices.Concat(a.Modifies, p.abstract), 1)
	return pre, post
}

// leftPrefix begins the names of the prophecies.
const leftPrefix = "left_"
