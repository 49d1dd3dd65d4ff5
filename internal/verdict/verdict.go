// Package verdict holds what engines say: verdicts, traces and evidence.
//
// In: what an engine found. Out: plain data that the reports print and that a later run can read back (package itf).
package verdict

import (
	"strings"
	"time"
)

// Verdict is an engine's answer for one property.
type Verdict string

const (
	Holds          Verdict = "holds"           // in the Scope that the result names
	HoldsUpTo      Verdict = "holds up to k"   // no violation in the first k steps, or within what was explored
	HoldsInitially Verdict = "holds initially" // in every initial state; nothing is known of any step
	Violated       Verdict = "violated"        // with a trace that the interpreter has replayed
	NoRun          Verdict = "no run"          // of what asks whether some run exists: none does
	NotInductive   Verdict = "not inductive"   // with two states; says nothing of reachable states
	Unknown        Verdict = "unknown"         // Reason says why
	NothingChecked Verdict = "nothing checked" // Reason says why
)

// All lists the verdicts, for messages and completion.
var All = []Verdict{Holds, HoldsUpTo, HoldsInitially, Violated, NoRun, NotInductive, Unknown, NothingChecked}

// ScopeAll is the Scope of a result that speaks of all instances and all values of the parameters.
const ScopeAll = "all"

// Deadlock is the name and the kind of the result that says whether a state without successor is reachable, and what
// Trace.Violates says of a run to one.
const Deadlock = "deadlock"

// Result is one row of the verdict table.
type Result struct {
	Property string
	Kind     Kind
	Verdict  Verdict
	Scope    string // ScopeAll or the name of the instance
	Engine   string // the name of the engine; empty where none was asked
	Line     int    // of the property in the file, 0 for none

	States      int64 // distinct states, 0 for engines without states
	Transitions int64
	Depth       int64 // states on the longest shortest path from an initial state; of a violation: states of the trace
	Elapsed     time.Duration
	Queries     int64
	Levels      []int64 // distinct states to which a shortest run has 1, 2, ..., Depth states; nil when nobody asked

	Trace       *Trace
	Evidence    *Evidence
	Assumptions []Assumption // without which the verdict would not stand, as far as is known; see Assume
	Reason      Reason
	Value       string // that a query asked for; empty of others
	// Alarm says that another result contradicts what this one claimed; see Void. One of the two is a defect of the program or
	// of a solver.
	Alarm string
	// Whole says that Scope is the only instance that there is, so that the result speaks of all.
	Whole   bool
	Vacuity []string // what is never true or never done, so that the verdict says less than it seems
}

// ForAll reports whether a result speaks of all instances.
func (r *Result) ForAll() bool { return r.Scope == ScopeAll || r.Whole }

// Evidence says what a proof rests on, and what was checked.
type Evidence struct {
	Invariant []string // names of the properties whose conjunction is inductive
	Trusted   []string // names of the assumptions that were used without proof
	// Induction is how many steps the hypothesis of the induction covers: 1 for plain induction, k for k-induction, 0 where
	// there is no induction.
	Induction   int
	Obligations []Obligation
	Ranking     *Ranking    // of a proof of liveness
	Search      *Search     // likewise, and of what was tried in vain
	Reductions  []Reduction // the passes by which the system was derived from what the user wrote, in their order
}

// Reduction is a pass, and what makes it sound.
type Reduction struct {
	Name    string
	Theorem string // in a few words
	Detail  string // what else it says, empty for nothing
	Assumed bool   // there is no theorem: what the words say is assumed
}

// String gives all the words.
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

// Nobody stands for the solver where the program saw by itself that something holds; Obligation.Way says how.
func Nobody() Solver { return Solver{Name: "none"} }

// ParseSolver reads what String writes.
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
	Conjunct int      // counted from 0 within the property
	Line     int      // of the conjunct in the file
	Verdict  Verdict  // Holds, NotInductive or Unknown
	Reason   Reason   // of an Unknown
	Solver   Solver   // that answered
	Way      string   // how it was asked, in the words of package discharge, such as "macro"
	Seed     int      // of the solver
	Cached   bool     // the answer is from an earlier run
	Needs    []string // names of the hypotheses that the proof used, where the solver told; nil where it is not known
	Queries  int64
	Rlimit   int64 // solver resources, 0 when the solver does not say
	Elapsed  time.Duration
}
