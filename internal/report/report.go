// Package report shows the results of engines.
//
// In: verdicts, traces and evidence (package result), with data about the run of the program. Out:
// a table and traces for a terminal (text.go, trace.go), JSON by the schema in schema/ (json.go),
// one self-contained HTML file (html.go), and SARIF and JUnit's XML for other programs (sarif.go,
// junit.go). A report decides nothing; it shows the results.
package report

import (
	"time"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/result"
)

// Report is one run of the program.
type Report struct {
	Version      string // of the program
	File         string
	Command      string // as the user typed it
	Results      []result.Result
	Instances    []result.Instance // that results are about, with their numbers
	Expectations []Expectation
	Stability    *result.Stability  // nil if there was one run
	Warnings     []*diag.Diagnostic // about the specification; errors where it cannot be read
	Notes        []string           // such as an action that is never enabled
	Lemmas       []Lemma            // invariants that inference found
	Unfinished   *result.Unfinished // nil unless the run was interrupted
	Environment  Environment

	Actions            map[string]int // the line of each action in the file, where it is known
	ExpectationsDecide bool           // they alone decide whether the run is a success
}

// errors are the errors of a specification that cannot be read.
func (r *Report) errors() (out []*diag.Diagnostic) {
	for _, d := range r.Warnings {
		if d.Severity == diag.Error {
			out = append(out, d)
		}
	}
	return out
}

// Lemma is an invariant that inference found, in the language of the file.
type Lemma struct {
	Name    string
	Formula string
	For     string // the property or lemma whose counterexample to induction it excludes
	TLA     string // as a definition in TLA+, or why there is none; empty where nobody asks for it
}

// Environment describes where the run took place. A zero Date leaves it out of the report.
type Environment struct {
	Date    time.Time
	CPUs    int
	Elapsed time.Duration // of the whole run, wall time
	Solvers []string      // name and version of each
}

// Expectation is a verdict that the file expects, and the actual verdict.
type Expectation struct {
	Property string
	Want     string // a verdict, perhaps with numbers: holds states=10158
	Got      string
	Instance string // empty for all instances
	Met      bool
	Detail   string
}

// Options of the views. The zero value suits a file: no colour, no wrapping.
type Options struct {
	Color bool
	Width int      // columns of the terminal, 0 for no limit
	Full  bool     // of a trace: every variable in every state, not only what changes
	Hide  []string // of a trace: variables to leave out
	// Of a trace: the ones above it. States that one of them has are not written again.
	Above []*result.Trace
	// Of a trace: a sequence chart instead of the states.
	Chart   bool
	Bounds  bool                  // only the bounds on the number of steps
	Brief   bool                  // of a proof: long lists are counted
	File    string                // the file of positions
	Snippet func(line int) string // the text of a line of File; nil if it is not available
	// Elsewhere has the files of the properties that another file than File declares.
	Elsewhere map[string]*diag.Source
}

// about are the options for a trace of a property, with the file that declares it.
func (o Options) about(property string) Options {
	if source := o.Elsewhere[property]; source != nil {
		o.File, o.Snippet = source.Name, source.Line
	}
	return o
}
