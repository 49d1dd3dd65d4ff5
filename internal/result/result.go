// Package result holds the results of engines: verdicts, traces and evidence.
//
// In: the findings of an engine. Out: plain data that reports print and that a later run can read
// back (package itf).
package result

import (
	"strings"
	"time"
)

// Verdict is an engine's answer for one property.
type Verdict string

const (
	Holds Verdict = "holds" // in the Scope that the result names
	// No violation in the first k steps, or in the explored part.
	HoldsUpTo Verdict = "holds up to k"
	// in every initial state; nothing is known of any step
	HoldsInitially Verdict = "holds initially"
	Violated       Verdict = "violated"        // with a trace that the interpreter has replayed
	NoRun          Verdict = "no run"          // of a question whether some run exists: none does
	NotInductive   Verdict = "not inductive"   // with two states; reachable states are open
	Unknown        Verdict = "unknown"         // Reason says why
	NothingChecked Verdict = "nothing checked" // Reason says why
)

// All lists the verdicts, for messages and completion.
var All = []Verdict{Holds, HoldsUpTo, HoldsInitially, Violated, NoRun, NotInductive, Unknown,
	NothingChecked}

// ScopeAll is the Scope of a result about all instances and all values of the parameters.
const ScopeAll = "all"

// Deadlock is the name and the kind of the result on reachable states without successor, and the
// value of Trace.Violates for a run to one.
const Deadlock = "deadlock"

// Result is one row of the verdict table.
type Result struct {
	Property string
	Kind     Kind
	Verdict  Verdict
	Scope    string // ScopeAll or the name of the instance
	Engine   string // the name of the engine; empty without one
	Line     int    // of the property in the file, 0 for none

	States      int64 // distinct states, 0 for engines without states
	Transitions int64
	// Generated counts the initial states of a computed system, and its successors with
	// repetitions; 0 for other systems.
	Generated int64
	// states on the longest shortest path from an initial state; of a violation: states of the
	// trace
	Depth   int64
	Elapsed time.Duration
	Queries int64
	// The number of states by the length of a shortest run to them, 1, 2, ..., Depth; nil if not
	// asked for.
	Levels []int64

	Trace       *Trace
	Evidence    *Evidence
	Assumptions []Assumption // without which the verdict would not stand, if known; see Assume
	Reason      Reason
	Value       string // the requested value of a query; otherwise empty
	// Alarm names a result that contradicts this one; see Void. One of the two is caused by a
	// defect of the program or of a solver.
	Alarm string
	// Whole says that Scope is the only instance, so that the result is about all.
	Whole bool
	// Formulas that are never true, and actions that are never taken, so that the verdict means
	// less.
	Vacuity []string
}

// ForAll reports whether a result is about all instances.
func (r *Result) ForAll() bool { return r.Scope == ScopeAll || r.Whole }

// Evidence lists the foundations of a proof, and the checks.
type Evidence struct {
	Invariant []string // names of the properties whose conjunction is inductive
	Trusted   []string // names of the assumptions without proof
	// Induction is the number of states in the induction hypothesis: 1 for plain induction, k for
	// k-induction, 0 without induction.
	Induction   int
	Pieces      bool // the proof is about runs in pieces, by package steady
	Obligations []Obligation
	Ranking     *Ranking    // of a proof of liveness
	Search      *Search     // of a proof of liveness, and of a failed attempt
	Reductions  []Reduction // the passes from the user's text to the system, in their order
}

// Needs names the hypotheses that the proof used; false if some solver did not name what it used.
// An initiation, and what needs no solver, rest on none.
func (e *Evidence) Needs() (names []string, known bool) {
	for _, o := range e.Obligations {
		if o.Needs == nil && !o.Initial && o.Solver != Nobody() {
			return nil, false
		}
		names = append(names, o.Needs...)
	}
	return names, true
}

// Reduction is a pass, and what makes it sound.
type Reduction struct {
	Name    string
	Theorem string // in a few words
	Detail  string // further explanation, empty for none
	Assumed bool   // there is no theorem: the reduction is an assumption
}

// String gives the whole text.
func (r Reduction) String() string {
	if r.Detail == "" {
		return r.Theorem
	}
	return r.Theorem + ": " + r.Detail
}

// Solver is a program that answered.
type Solver struct {
	Name    string
	Version string
}

// Nobody stands for the solver of an obligation that the program decided by itself; Obligation.Way
// says how.
func Nobody() Solver { return Solver{Name: "none"} }

// ParseSolver reads the output of String.
func ParseSolver(label string) Solver {
	name, version, _ := strings.Cut(label, " ")
	return Solver{name, version}
}

func (s Solver) String() string { return strings.TrimSuffix(s.Name+" "+s.Version, " ") }

// Obligation is one proof obligation and its outcome.
type Obligation struct {
	Name     string // such as "initiation of mutex", "leave preserves mutex"
	Action   string // empty for initiation and theorems
	Property string
	Initial  bool    // about initial states, so that it rests on no invariant
	InState  bool    // it follows from what else is claimed of the same state
	Conjunct int     // counted from 0 within the property
	Line     int     // of the conjunct in the file
	Verdict  Verdict // Holds, NotInductive or Unknown
	Reason   Reason  // of an Unknown
	Solver   Solver  // that answered
	Method   string  // how it was asked, by a word of package discharge, such as "macro"
	Seed     int     // of the solver
	Cached   bool    // the answer is from an earlier run
	// Names of the hypotheses that the proof used; nil if the solver did not name them.
	Needs   []string
	Queries int64
	Rlimit  int64 // solver resources, 0 if unknown
	Elapsed time.Duration
}
