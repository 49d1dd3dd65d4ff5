// Package engine is the contract of all engines.
//
// In: a Task, which is a system or a network, its claims, and limits. Out: Findings, which are
// results with observations; progress and notes go to a Sink. Each engine has a package of its own
// below this one. Package verify lists the engines, and gives a task to each that accepts it.
package engine

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/timed"
	"erelong.dev/erelong/internal/vacuity"
)

// Engine decides claims. A value is made for one run of the program, with the settings of the
// engine; it keeps nothing between tasks.
type Engine interface {
	// Name is the engine's name in results.
	Name() string
	// Accepts gives the reason why the engine cannot contribute to a task, empty if it can.
	Accepts(t *Task) (reason string)
	// Run decides the claims of an accepted task that the engine is for. When ctx ends, an
	// undecided claim is unknown. An error means that nothing was decided; a Refusal is caused by
	// the file, or by the request.
	Run(ctx context.Context, t *Task, to Sink) (*Findings, error)
}

// Method is a way to decide claims. A command asks for methods, and an engine serves one.
type Method string

const (
	Explore Method = "explore" // the states of one finite instance, or of one network
	Prove   Method = "prove"   // for all instances
	Rank    Method = "rank"    // liveness for all instances, after the other proofs
	Search  Method = "search"  // runs of a bounded number of steps
	Infer   Method = "infer"   // invariants that a proof needs
	// Accelerate computes exactly which states are reachable, also infinitely many.
	Accelerate Method = "accelerate"
)

// Task states what to decide, and how.
type Task struct {
	Method  Method
	System  *system.System // nil for a network
	Network *timed.Network
	// Instance is the finite instance of the task. Without one the task is about all instances.
	Instance *system.Instance
	Claims   []Claim
	Named    bool // the claims were chosen by their names
	Limits   Limits

	// Proved has the results so far for the same system.
	Proved []result.Result
	// Satisfiable says that some instance is known to have an initial state.
	Satisfiable bool
}

// Findings are the outcome of a task.
type Findings struct {
	Results []result.Result
	Notes   []string
	Seen    *Seen  // for an instance; nil if nothing is known
	Summary string // one line for the progress, empty for none
	// Sample has hashes of the states that a search of a swarm saw.
	Sample []uint64
	// Inferred has the invariants with which claims are inductive; nil without a proof by
	// inference.
	Inferred *Inferred
}

// Inferred are invariants that make claims inductive.
type Inferred struct {
	Lemmas []Lemma
	Kept   []string // the invariants of the file that the proof needs
	Open   []string // the claims for which there is no proof
}

// Lemma is an invariant found by inference.
type Lemma struct {
	Name string
	Term *logic.Term
	For  string // the property or lemma whose counterexample to induction it excludes
	// Folds are the sums and sizes in the term that the system does not have itself.
	Folds []*system.Derived
}

// Extended is a system with lemmas as further invariants.
func Extended(sys *system.System, lemmas []Lemma) *system.System {
	if len(lemmas) == 0 {
		return sys
	}
	out := *sys
	out.Properties, out.Symbols = slices.Clone(sys.Properties), slices.Clone(sys.Symbols)
	out.Derived = slices.Clone(sys.Derived)
	for _, l := range lemmas {
		out.Properties = append(out.Properties, &system.Property{Name: l.Name,
			Kind: system.Invariant, Term: l.Term, Span: l.Term.Span})
		for _, d := range l.Folds {
			if !slices.Contains(out.Derived, d) {
				out.Derived, out.Symbols = append(out.Derived, d), append(out.Symbols, d.Symbol)
			}
		}
	}
	return &out
}

// Seen describes the reachable states of an instance.
type Seen struct {
	Complete bool           // all of them were found
	Shown    []vacuity.Sign // signs that are true in some state
	Missing  []vacuity.Sign // signs that are true in no state
	Idle     []string       // actions that are never enabled
}
