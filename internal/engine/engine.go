// Package engine is the contract of all engines.
//
// In: a Task, which is a system or a network, what is claimed of it, and limits. Out: Findings, which are results with what was
// seen on the way; progress and notes go to a Sink. An engine lives in a package of its own below this one. Package verify
// lists the engines; it gives a task to each that accepts it.
package engine

import (
	"context"

	"erelong/internal/logic"
	"erelong/internal/system"
	"erelong/internal/timed"
	"erelong/internal/vacuity"
	"erelong/internal/verdict"
)

// Engine decides claims. A value is made for one run of the program, with the settings of that engine; it keeps nothing from
// one task to the next.
type Engine interface {
	// Name is what results carry.
	Name() string
	// Accepts gives the reason why the engine has nothing to do with a task, empty if it has.
	Accepts(t *Task) (reason string)
	// Run decides those claims of an accepted task that the engine is for. When ctx ends, a claim without an answer is unknown.
	// The error says that nothing could be said: of a Refusal the file is the cause, or what was asked for.
	Run(ctx context.Context, t *Task, to Sink) (*Findings, error)
}

// Method is a way to come to an answer. A command asks for methods, and an engine serves one.
type Method string

const (
	Explore Method = "explore" // the states of one finite instance, or of one network
	Prove   Method = "prove"   // for all instances
	Rank    Method = "rank"    // liveness for all instances, when the other proofs are there
	Search  Method = "search"  // runs of a bounded number of steps
	Infer   Method = "infer"   // invariants that a proof needs
)

// Task is what is to be decided, and how.
type Task struct {
	Method  Method
	System  *system.System // nil where there is a network
	Network *timed.Network
	// Instance is the finite instance that is meant. Without one the task is about all instances.
	Instance *system.Instance
	Claims   []Claim
	Named    bool // the claims were chosen by their names
	Limits   Limits

	// Proved has the results for the same system so far.
	Proved []verdict.Result
	// Satisfiable says that some instance is known to have an initial state.
	Satisfiable bool
}

// Limits end a task early. The zero value is no limit.
type Limits struct {
	States int64 // that are kept
	Depth  int64 // states of a run
	Each   *verdict.Limit
	// What the reason of a result adds to the limits of states and of depth: what sets or lifts them.
	StatesNote, DepthNote string
}

// Findings are what an engine found.
type Findings struct {
	Results []verdict.Result
	Notes   []string
	Seen    *Seen  // of an instance; nil where nothing is known
	Summary string // one line for the progress, empty for none
	// Inferred has the invariants with which the claims are inductive; nil where none were looked for, or there is no proof.
	Inferred *Inferred
}

// Inferred are invariants that make claims inductive.
type Inferred struct {
	Lemmas []Lemma
	Kept   []string // the invariants of the file that the proof needs
}

// Lemma is an invariant that was found.
type Lemma struct {
	Name string
	Term *logic.Term
	For  string // the property or lemma whose counterexample to induction it excludes
}

// Seen is what was seen of the reachable states of an instance.
type Seen struct {
	Complete bool           // all of them
	Shown    []vacuity.Sign // what is true in some state
	Missing  []vacuity.Sign // what is true in none
	Idle     []string       // actions that are never enabled
}
