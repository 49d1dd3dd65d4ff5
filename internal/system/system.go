// Package system is the intermediate representation: a typed transition system.
//
// In: a file that a front end has read. Out: plain data that every engine reads. A System is
// printable as text (String), and checked by Validate after every pass; no engine adds fields of
// its own.
//
// An action has two renderings. Relation is a two-state formula, for the solvers; Code is a
// program, for the finite engines. A front end sets the one that the user wrote; CodeOf and
// RelationOf derive the other. A test on generated systems checks that they agree.
package system

import (
	"fmt"
	"io/fs"
	"math/big"
	"path/filepath"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
)

// System is a transition system with its properties. Slices are in the order of the file.
type System struct {
	Name   string // of the file
	Source *diag.Source
	// Included are other files that were read for it: the source alone does not say what it is.
	Included []*diag.Source
	Sorts    []*logic.Sort // declared ones: uninterpreted, enum and interned
	Symbols  []*logic.Symbol
	Derived  []*Derived

	Axioms  []*Formula // over immutable symbols; includes one for each range of an immutable symbol
	Inits   []*Formula // over state Pre
	Actions []*Action

	Properties   []*Property
	Scenarios    []*Scenario
	Instances    []*Instance
	Expectations []*Expectation
	Rankings     []*Ranking
	Fbiis        []*Fbii

	// View is how traces show the structured data of the file; nil if it has none.
	View *result.View
	// Exists is a symbol whose argument must be true for a term around it to have a value. It is
	// there while a file is read only: see Implicit.
	Exists *logic.Symbol
	// Rooms are the numbers of places of sequences without a bound.
	Rooms []*Room
	Caveats
	// Computed is set where the front end computes states and steps itself: see Computation.
	Computed *Computation
}

// Caveats are what verdicts on a system do not say of its file.
type Caveats struct {
	// Majorities are known by what proofs need of them, so a run that a solver finds may have other
	// sets.
	Majorities []*Majority
	// Coded are the sorts whose elements stand for values; View.Codes says for which. A run that a
	// solver finds may lack some.
	Coded   []*logic.Sort
	Remarks []string // what the front end says of all verdicts
	// Unread are claims of the file that the system does not state. None of them has a verdict.
	Unread []Unread
}

// Unread is a claim that has no formula, and why.
type Unread struct {
	Name string
	Why  string
	Line int
}

// Formula is a named formula; Name is empty when the user gave none.
type Formula struct {
	Name   string
	Term   *logic.Term
	Span   diag.Span
	Listed bool // an axiom that is true by what an instance lists by itself: see Complete
}

// Derived fixes the value of a derived relation in every state by an axiom over state Pre. When the
// axiom has the form forall Vars. Symbol(Vars) <-> Body, with Body free of Symbol, then Body is
// set, and evaluation can use it directly.
type Derived struct {
	Symbol *logic.Symbol
	Axiom  *logic.Term
	Vars   []*logic.Var
	Body   *logic.Term // nil when the axiom has another form
	// Fold, where it is set, is the definition; the axiom says less.
	Fold *Fold
	// Predicate, where it is set, gives the value in place of an axiom: the front end computes it.
	Predicate *Predicate
}

// PropertyKind is the kind of claim about a formula.
type PropertyKind = result.Kind

// The kinds of properties; package result states the claim of each.
const (
	Safety    = result.Safety
	Invariant = result.Invariant
	Range     = result.Range
	Argument  = result.Argument
	Defined   = result.Defined
	Trusted   = result.Trusted
	Theorem   = result.Theorem
	Liveness  = result.Liveness
	Temporal  = result.Temporal
	FbiiProof = result.FbiiProof
)

// Property is a claim, or for Trusted an assumption.
type Property struct {
	// Never empty and unique: without a user's name KIND:LINE, for an implicit one KIND:SYMBOL.
	Name   string
	Kind   PropertyKind
	Term   *logic.Term // closed
	States int         // of a theorem
	Span   diag.Span
	// Doubt says why a violation need be none: the file says more of the system than was read.
	Doubt string
	// Possible says that the formula asks which steps are possible. Where an exploration leaves out
	// steps, a violation need be none.
	Possible bool
	// Tried says that nobody claims the formula: it is tried as a help for proofs of others.
	Tried bool
}

// IsInvariant reports whether the property is a claim about every reachable state.
func (p *Property) IsInvariant() bool {
	return p.Kind == Safety || p.Kind == Invariant || p.IsImplicit()
}

// IsImplicit reports whether the language makes the claim, and not the file.
func (p *Property) IsImplicit() bool { return p.EndsRuns() || p.Kind == Defined }

// EndsRuns reports whether a run ends where it violates the property.
func (p *Property) EndsRuns() bool { return p.Kind == Range || p.Kind == Argument }

// IsTemporal reports whether the property is a claim about every run.
func (p *Property) IsTemporal() bool { return p.Kind == Liveness || p.Kind == Temporal }

// Fairness of an action: under Weak, an action that stays enabled is taken; under Strong, an action
// that is enabled again and again is taken.
type Fairness int

const (
	Unfair Fairness = iota
	Weak
	Strong
)

// Action is one kind of step.
type Action struct {
	Name     string
	Params   []*logic.Var
	Fairness Fairness
	// FairIf restricts fairness to the steps from states in which it is true: they are the action
	// that is enabled and taken. It is over Pre and Params, and nil where all steps are fair.
	FairIf   *logic.Term
	Modifies []*logic.Symbol // mutable, not derived; every other symbol keeps its value
	Relation *Relation
	Code     []Stmt
	// Imperative is true when the user wrote Code, and false when the user wrote Relation.
	Imperative bool
	Span       diag.Span
}

// Relation is the two-state rendering: there are values of Choices and of Inputs such that every
// Guard and every Update is true of the states before and after. A modified symbol without an
// Update is constrained by the guards alone. Variables of range sorts among Params and Choices lie
// in their ranges, without an explicit guard.
type Relation struct {
	Choices []*logic.Var
	// Inputs are functions chosen afresh in each step: immutable symbols that occur only in this
	// relation.
	Inputs []*logic.Symbol
	// Over Pre, and over Post where the user's formula could not be solved for new values.
	Guard []*logic.Term
	// Args are exactly Vars, distinct; Value is over Pre, or the Post value of earlier updates
	Updates []Update
}

// Update states that for all Vars, Symbol(Args) in the post-state is Value.
type Update struct {
	Symbol *logic.Symbol
	Vars   []*logic.Var
	Args   []*logic.Term
	Value  *logic.Term
	Span   diag.Span
}

// Stmt is a statement of the executable rendering. In its terms, state Post is the state that the
// earlier statements have made, and state Pre the state in which the action began. So a user's x is
// x at Post, and old(x) is x at Pre.
type Stmt interface{ stmt() }

type (
	// Require blocks the run unless Cond holds.
	Require struct {
		Cond *logic.Term
		Span diag.Span
	}
	// Assign carries out all Updates at once: each Arg is a variable of Vars or a term without
	// them.
	Assign struct{ Updates []Update }
	// Havoc gives Symbol(Args), for all Vars, arbitrary values of its sort. For a whole symbol Args
	// are exactly Vars.
	Havoc struct {
		Symbol *logic.Symbol
		Vars   []*logic.Var
		Args   []*logic.Term
		Span   diag.Span
	}
	// Choose binds Var, for the following statements of the same block, to any value of its sort
	// with Such.
	Choose struct {
		Var  *logic.Var
		Such *logic.Term
		Span diag.Span
	}
	// Let binds Var, for the following statements of the same block, to the current value of Value.
	Let struct {
		Var   *logic.Var
		Value *logic.Term
		Span  diag.Span
	}
	// If runs one of two blocks.
	If struct {
		Cond       *logic.Term
		Then, Else []Stmt
		Span       diag.Span
	}
)

func (Require) stmt() {}
func (Assign) stmt()  {}
func (Havoc) stmt()   {}
func (Choose) stmt()  {}
func (Let) stmt()     {}
func (If) stmt()      {}

// Scenario claims that a run with the given parts exists (Sat) or does not exist.
type Scenario struct {
	Name       string // never empty, unique among properties and scenarios
	Sat        bool
	Components []ScenarioComponent
	Span       diag.Span
}

// ScenarioComponent asserts a formula of the current state, or takes one step: by any action, or by
// one of the calls.
type ScenarioComponent struct {
	Assert *logic.Term // nil for a step; over Pre
	Any    bool
	Calls  []ActionCall
	Span   diag.Span
}

// ActionCall names an action with arguments. A nil argument may have any value; nil Args leave all
// arguments free.
type ActionCall struct {
	Action *Action
	Args   []*logic.Term
	Span   diag.Span
}

// Instance is a finite instance: sizes of uninterpreted sorts, and values of immutable constants.
type Instance struct {
	Name   string
	Sizes  map[*logic.Sort]int
	Values map[*logic.Symbol]*logic.Term // literals, of immutable constants
	// Facts are formulas about immutable symbols that are true in this instance. They may name
	// elements of sorts.
	Facts []*Formula
	// Integers, if it is not nil, bounds the integers that are arguments of symbols, values of
	// variables and values that nothing else bounds. A step that reads an argument outside of them
	// does not exist. So what is seen of the instance is a sample of its runs, and no verdict.
	Integers *Window
	// Pictured is set where the codes of values are the ones of a picture, and none are listed.
	Pictured bool
	Span     diag.Span
}

// Expectation is a verdict that the file expects.
type Expectation struct {
	Property      string // name of a property or scenario; with Instance, also result.Deadlock
	Verdict       string // one of the words of package result
	Instance      *Instance
	States, Depth *big.Int // nil when not given
	Span          diag.Span
}

// Trusted lists the properties that are assumed in every state.
func (s *System) Trusted() []*Property { return s.ofKind(Trusted) }

// Ending lists the properties that end the runs that violate them, first the ones about values.
func (s *System) Ending() []*Property { return append(s.ofKind(Range), s.ofKind(Argument)...) }

func (s *System) ofKind(k PropertyKind) (out []*Property) {
	for _, p := range s.Properties {
		if p.Kind == k {
			out = append(out, p)
		}
	}
	return out
}

// Property finds a property by its name, nil if there is none.
func (s *System) Property(name string) *Property {
	for _, p := range s.Properties {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Instance finds an instance by its name, nil if there is none.
func (s *System) Instance(name string) *Instance {
	for _, i := range s.Instances {
		if i.Name == name {
			return i
		}
	}
	return nil
}

// Describe states the sizes and parameters of an instance that the file declares.
func (s *System) Describe(in *Instance) string {
	var parts []string
	for _, srt := range s.Sorts {
		if n, ok := in.Sizes[srt]; ok && !slices.Contains(s.Coded, srt) && !s.View.Hides(srt.Name) {
			parts = append(parts, fmt.Sprintf("%s = %d", srt.Name, n))
		}
	}
	for _, sym := range s.Symbols {
		if v, ok := in.Values[sym]; ok && !s.View.Hides(sym.Name) {
			parts = append(parts, fmt.Sprintf("%s = %s", sym.Name, v))
		}
	}
	for _, f := range in.Facts {
		if !s.View.Hides(f.Name) && !slices.ContainsFunc(s.Coded, func(c *logic.Sort) bool {
			return c.Name == f.Name
		}) {
			parts = append(parts, f.Name+" as given")
		}
	}
	return strings.Join(parts, ", ")
}

// SymbolOf finds a symbol by its name, nil if there is none.
func SymbolOf(s *System, name string) *logic.Symbol {
	i := slices.IndexFunc(s.Symbols, func(x *logic.Symbol) bool { return x.Name == name })
	if i < 0 {
		return nil
	}
	return s.Symbols[i]
}

// DerivedOf finds the definition of a derived symbol, nil for every other symbol.
func (s *System) DerivedOf(sym *logic.Symbol) *Derived {
	for _, d := range s.Derived {
		if d.Symbol == sym {
			return d
		}
	}
	return nil
}

// Formula is the update as a formula: for all Vars, Symbol(Args) in the post-state equals Value.
func (u Update) Formula() *logic.Term {
	return logic.Forall(u.Vars,
		logic.Eq(logic.App(u.Symbol, logic.Post, u.Args...), u.Value)).At(u.Span)
}

// Formula is the relation as one two-state formula over the action's parameters; Inputs stay free
// symbols.
func (r *Relation) Formula() *logic.Term {
	parts := append([]*logic.Term{}, r.Guard...)
	for _, u := range r.Updates {
		parts = append(parts, u.Formula())
	}
	return logic.Exists(r.Choices, logic.And(parts...))
}

// Beside reads the files that a system includes, by their paths.
func Beside(s *System) func(path string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		for _, f := range s.Included {
			if f.Name == filepath.ToSlash(path) {
				return []byte(f.Text), nil
			}
		}
		return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
}
