package erelong

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"erelong.dev/erelong/internal/itf"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/verify"
)

// Verdict is the answer for a property.
type Verdict string

// The verdicts. docs/trust.md lists the foundations of each.
const (
	Holds Verdict = "holds" // for every instance, or in one: see Result.ForAll
	// No violation in the explored part; Result.Reason gives the bound.
	HoldsUpTo Verdict = "holds up to k"
	// in every initial state; nothing is known of any step
	HoldsInitially Verdict = "holds initially"
	// Result.Trace is a run, and the interpreter has replayed it
	Violated Verdict = "violated"
	NoRun    Verdict = "no run" // no run satisfies a property that asks for one
	// Result.Trace is a step from a state that may be unreachable
	NotInductive   Verdict = "not inductive"
	Unknown        Verdict = "unknown"         // Result.Reason gives the reason
	NothingChecked Verdict = "nothing checked" // Result.Reason gives the reason
)

// Code is the kind of a reason. Programs decide by it; the text of a reason is for people.
type Code string

// The kinds of reasons.
const (
	Interrupted       Code = Code(result.Interrupted)       // the context of [Spec.Verify] ended
	OutOfTime         Code = Code(result.OutOfTime)         // a limit of time for the whole run
	PropertyOutOfTime Code = Code(result.PropertyOutOfTime) // a limit of time for each property
	// a bound on states, depth, steps or memory
	Bounded         Code = Code(result.Bounded)
	NotProved       Code = Code(result.NotProved)       // no solver and no search gave an answer
	RestsOnUnproved Code = Code(result.RestsOnUnproved) // on a property that is not proved
	NoInitialState  Code = Code(result.NoInitialState)  // there is no run, so nothing was checked
	Contradictory   Code = Code(result.Contradictory)   // assumptions contradict each other
	Unsupported     Code = Code(result.Unsupported)     // no engine can evaluate it
	NotAsked        Code = Code(result.NotAsked)        // no engine that was asked can check it
	NoSolver        Code = Code(result.NoSolver)        // an SMT solver is missing
	Alarm           Code = Code(result.Alarm)           // results contradict each other
	// there is an answer, and the text says more
	Remark Code = Code(result.Remark)
)

// Report is the outcome of [Spec.Verify].
type Report struct {
	Spec       string    // the name of the specification
	Properties []Outcome // one for each property, in the order of the file
	Results    []Result  // one for each property and each check of it
	Notes      []string
	Solvers    []string // names and versions of the solvers that answered
}

// Outcome is the joint outcome of all results for one property.
type Outcome struct {
	Property string
	Verdict  Verdict
	ForAll   bool // for Holds: in every instance, and not only in explored ones
	// Assuming lists formulas that are assumed without proof and remove behaviour, such as a
	// trusted invariant.
	Assuming []string
}

// Result is one row of the table that `erelong verify` prints.
type Result struct {
	Property string
	Kind     string // safety, invariant, range, theorem, liveness, temporal, scenario or deadlock
	Line     int    // of the property in the file, 0 for none
	Verdict  Verdict
	ForAll   bool   // it is about every instance
	Instance string // the explored instance; empty for none
	Engine   string
	Reason   string   // for a verdict that is neither Holds nor Violated
	Code     Code     // the kind of the reason, empty for none
	Assuming []string // names of the assumptions that the verdict needs
	// Formulas that are never true, and actions that are never taken, so that the verdict means
	// less.
	Vacuity []string

	States      int64 // distinct states, 0 where none were counted
	Transitions int64
	Depth       int64 // states of the longest shortest run; for a violation, of the trace
	Elapsed     time.Duration
	Trace       *Trace // nil for none
}

// Err is nil when every property holds. Otherwise it names the ones that do not, with their
// verdicts.
func (r *Report) Err() error {
	var bad []string
	for _, p := range r.Properties {
		if p.Verdict != Holds {
			bad = append(bad, fmt.Sprintf("%s: %s", p.Property, p.Verdict))
		}
	}
	if len(r.Properties) == 0 {
		return errors.New(r.Spec + ": no property was checked")
	}
	if len(bad) > 0 {
		return fmt.Errorf("%s: %s", r.Spec, strings.Join(bad, "; "))
	}
	return nil
}

// Violations returns the results with the verdict [Violated].
func (r *Report) Violations() (out []Result) {
	for _, x := range r.Results {
		if x.Verdict == Violated {
			out = append(out, x)
		}
	}
	return out
}

// Trace is a run, in the names of the specification.
type Trace struct {
	Steps []Step // Steps[0] is the first state, and has no action
	Loop  int    // index of the state to which the run returns after the last one, -1 for none
	trace *result.Trace
}

// Step is a state, and the action that leads to it.
type Step struct {
	Action    string
	Arguments []Binding // parameters and choices of the action
	State     []Binding // the mutable symbols, in the order of declaration
}

// Binding is a name with its value, as the specification's language prints it.
type Binding struct{ Name, Value string }

// String prints the run like `erelong verify`: the first state, then each action with its changes.
func (t *Trace) String() string {
	var b strings.Builder
	if err := report.WriteTrace(&b, t.trace, report.Options{}); err != nil {
		return err.Error()
	}
	return b.String()
}

// WriteITF writes the run in the Informal Trace Format, which Apalache and its tools read.
func (t *Trace) WriteITF(w io.Writer) error { return itf.Write(w, t.trace) }

func newReport(name string, o *verify.Outcome) *Report {
	r := &Report{Spec: name, Notes: o.Notes, Solvers: o.Solvers}
	for _, p := range result.Outcomes(o.Results) {
		r.Properties = append(r.Properties, Outcome{
			Property: p.Property, Verdict: Verdict(p.Verdict), ForAll: p.Coverage == result.ForAll,
			Assuming: names(p.Assumptions),
		})
	}
	for i := range o.Results {
		x := &o.Results[i]
		found := Result{
			Property: x.Property, Kind: string(x.Kind), Line: x.Line, Verdict: Verdict(x.Verdict),
			ForAll: x.ForAll(), Engine: x.Engine,
			Reason: x.Reason.Text, Code: Code(x.Reason.Code), Assuming: names(x.Assumptions),
			Vacuity: x.Vacuity,
			States:  x.States, Transitions: x.Transitions, Depth: x.Depth, Elapsed: x.Elapsed,
			Trace: newTrace(x.Trace),
		}
		if x.Scope != result.ScopeAll {
			found.Instance = x.Scope
		}
		r.Results = append(r.Results, found)
	}
	return r
}

func names(list []result.Assumption) (out []string) {
	for _, a := range list {
		out = append(out, a.Name)
	}
	return out
}

func newTrace(t *result.Trace) *Trace {
	if t == nil {
		return nil
	}
	out := &Trace{Loop: t.Loop, trace: t}
	for _, s := range t.Steps {
		out.Steps = append(out.Steps,
			Step{Action: s.Action, Arguments: bindings(s.Args), State: bindings(s.State)})
	}
	return out
}

func bindings(list []result.Binding) (out []Binding) {
	for _, b := range list {
		out = append(out, Binding{b.Name, b.Value.String()})
	}
	return out
}
