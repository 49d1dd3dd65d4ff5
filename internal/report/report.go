// Package report shows what engines found.
//
// In: verdicts, traces and evidence (package verdict), with what is known of the run. Out: a table and traces for a
// terminal (text.go, trace.go), JSON by the schema in schema/ (json.go), and one HTML file that needs nothing else
// (html.go). Nothing is decided here; a report says what the results say.
package report

import (
	"time"

	"erelong/internal/diag"
	"erelong/internal/verdict"
)

// Report is one run of the program.
type Report struct {
	Version      string // of the program
	File         string
	Command      string // as the user typed it
	Results      []verdict.Result
	Expectations []Expectation
	Stability    *verdict.Stability  // nil if there was one run
	Warnings     []*diag.Diagnostic  // about the specification
	Notes        []string            // such as actions that are never enabled
	Lemmas       []Lemma             // invariants that were found
	Unfinished   *verdict.Unfinished // nil where nothing was ended before its time
	Environment  Environment
}

// Lemma is an invariant that was found, in the language of the file.
type Lemma struct {
	Name    string
	Formula string
	For     string // the property or lemma whose counterexample to induction it excludes
}

// Environment says where the run took place. A zero Date leaves it out of the report.
type Environment struct {
	Date    time.Time
	CPUs    int
	Elapsed time.Duration // of the whole run, by the clock on the wall
	Solvers []string      // name and version of each
}

// Expectation is what the file says that a verdict should be, and what it was.
type Expectation struct {
	Property string
	Want     string // a verdict, perhaps with numbers: holds states=10158
	Got      string
	Instance string // empty for all instances
	Met      bool
	Detail   string
}

// Options of the views. The zero value is fit for a file: no colour, no wrapping.
type Options struct {
	Color   bool
	Width   int                   // columns of the terminal, 0 for no limit
	Full    bool                  // of a trace: every variable in every state, not only what changes
	Hide    []string              // of a trace: variables that are left out
	Chart   bool                  // of a trace of timed automata: a sequence chart in place of the states
	File    string                // that positions are in
	Snippet func(line int) string // the text of a line of File; nil if it is not at hand
}
