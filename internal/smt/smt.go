// Package smt talks to SMT solvers, which run as processes and read SMT-LIB 2 from a pipe.
//
// In: logic terms, which a Script turns into commands, and queries made of such commands. Out: sat,
// unsat or unknown, and the values of terms in a model. Find looks for installed solvers; each has
// a driver (z3.go, cvc5.go) with its flags.
//
// Three rules keep the answers honest. Limits are given in the solver's own resources, so that
// results repeat on every machine; a guard, which counts processor time where the system tells it,
// only stops a solver that hangs. All output of a solver is read and checked: an (error ...), an
// unexpected word or an end of the output is an error of that query, never an answer. After an
// error, a session starts a new process for its next query.
//
// The language is that of the SMT-LIB Standard, version 2.6 (Barrett, Fontaine, Tinelli).
package smt

import (
	"errors"
	"time"

	"erelong.dev/erelong/internal/effort"
)

// Status is a solver's answer to check-sat.
type Status int

const (
	Unknown Status = iota
	Sat
	Unsat
)

func (s Status) String() string { return [...]string{"unknown", "sat", "unsat"}[s] }

// The kinds of failure of a query. After each of them the session can be used again.
var (
	// ErrNoSolver says that no suitable solver is installed.
	ErrNoSolver = errors.New("no usable SMT solver; install one with: apt-get install z3 cvc5")
	// ErrDied says that the process ended before it answered.
	ErrDied = errors.New("solver died")
	// ErrGuard says that the guard ended the process.
	ErrGuard = errors.New("solver stopped by the guard")
	// ErrRefused says that the solver printed an error or something that is no answer.
	ErrRefused = errors.New("solver refused the query")
)

// AtOnce is the strategy of a session that asks each query in a process of its own and without a
// frame. z3 then looks at all of it before it chooses its procedure; with a frame it takes the one
// that is ready for anything.
const AtOnce = "at once"

// Horn is the strategy of a session whose queries are constrained Horn clauses: the answer sat says
// that the clauses have a solution, which Model gives. Driver.Horn says who has it.
const Horn = "horn"

// HornEqualities is Horn with equalities as facts of their own: some clauses need that, and others
// are not solved with it.
const HornEqualities = "horn with equalities"

// horn reports whether the queries of a session are Horn clauses.
func (c Config) horn() bool { return c.Strategy == Horn || c.Strategy == HornEqualities }

// frame keeps the body of a query apart from the base.
const frame = "(push 1)"

// Config holds the settings of a session.
type Config struct {
	Seed int
	// Models asks for a process that is good at finding finite models. Its answer unsat proves
	// nothing: some solvers then look at finite models only. Session.Check turns it into unknown.
	Models bool
	// Strategy names one of the driver's Strategies, empty for its usual options, or is
	// Horn or HornEqualities.
	// Session.Check turns the answer sat of one of the Strategies into unknown.
	Strategy string
	// Cores asks which of the labelled assertions an answer unsat needs.
	Cores bool
	// Propositional says that the queries are made of truth values alone. Their base may grow: one
	// that continues the last base is read on from there, in the same process.
	Propositional bool
	// Constants asks for enums whose members are constants, where the driver proves more with them.
	// Models then have no names for the members.
	Constants bool
	// Large says that the queries have terms with hundreds of branches in a row.
	Large  bool
	Wall   time.Duration // guard for each query; 0 means one minute
	LogDir string        // where every query is saved; empty for nowhere
}

// longest is how long a solver works on a query by its own clock, when nobody stops it: far longer
// than the guard, also on a machine where it has a small share of a processor.
func (c Config) longest() time.Duration { return 60 * max(c.Wall, time.Minute) }

// Query is one question: are the commands of Base and of Body together satisfiable? Queries that
// share a Base are asked in one process, which reads it once.
type Query struct {
	Name   string   // for the log
	Base   []string // commands
	Body   []string // commands, undone before the next query
	Rlimit int64    // in units of z3, about 1.5 million to 15 million a second; 0 for no limit
	// Wall is a guard for this query, instead of that of the session, unless it is 0. Solvers do
	// not count all that they do: z3 spends a minute on 100,000 units of nonlinear arithmetic.
	Wall time.Duration
}

// Answer is the answer to a query.
type Answer struct {
	Status Status
	Reason string // of Unknown, in the solver's words
	// Exhausted says that Unknown comes from the resource limit, so that a higher one could help.
	Exhausted bool
	// NoFiniteModel says that Unknown stands for unsat, with Config.Models.
	NoFiniteModel bool

	Core    []string // with Config.Cores, of Unsat: labels of the assertions that it needs
	Rlimit  int64    // resources spent, 0 when the solver does not say
	Elapsed time.Duration
}

// work is what an answer took, in units of z3. A solver that does not say what it spent has spent
// its limit where it gave up, and little otherwise.
func (a Answer) work(q Query) int64 {
	switch {
	case a.Rlimit > 0:
		return a.Rlimit
	case a.Exhausted:
		return q.Rlimit
	}
	return effort.Question
}
