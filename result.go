package erelong

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"erelong.dev/erelong/internal/engine/zone"
	"erelong.dev/erelong/internal/result"
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
	// Expectations are the ones of the file that could be compared. The ones without an instance
	// need exploration and proof. There are none with Symmetry or PartialOrder, which count other
	// states.
	Expectations []Expectation
	Lemmas       []Lemma // invariants that were found, and that proofs rest on
	Notes        []string
	Solvers      []string // names and versions of the solvers that answered
}

// Expectation is what the file expects of a property, and what was found.
type Expectation struct {
	Property string
	Instance string // empty for the property as a whole
	Want     string // a verdict, perhaps with numbers: holds states 28 depth 7
	Got      string // the same, as found
	Met      bool
}

// Lemma is an invariant that a search found, since a proof lacks it in the file.
type Lemma struct {
	Name    string
	Formula string // in the specification's language
	For     string // the property that needs it
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
	Generated   int64 // initial states and successors with repetitions, of computed systems only
	Depth       int64 // states of the longest shortest run; for a violation, of the trace
	Elapsed     time.Duration
	Trace       *Trace // nil for none
	Proof       *Proof // nil where nothing is proved for every instance
	Value       string // of a query for a value, such as sup of timed automata; otherwise empty
}

// Proof is what a verdict about every instance rests on.
type Proof struct {
	Invariants []string // names of the properties that are inductive together
	Reductions []string // theorems by which an algorithm was reduced to a smaller system
	Ranking    *Ranking // of liveness; nil otherwise
}

// Ranking is a proof of liveness. In every step until the good state, the function of some tier
// decreases, and the functions of the tiers before it do not grow.
type Ranking struct {
	Functions []string // one for each tier
	// Steps bounds the number of steps until the good state, in terms of the state in which the
	// wait begins; empty where there is no bound. M_a is the number of steps until the fair action
	// a is taken or cannot be taken.
	Steps string
	// Fewer bounds the steps of actions that have fewer, in the same terms.
	Fewer []ActionBound
	// Observed compares the bounds with the longest runs of the instances, where
	// [Liveness].Bounds asks for it.
	Observed []Observed
}

// ActionBound bounds the number of steps of some actions.
type ActionBound struct {
	Actions []string
	Steps   string
}

// Observed is a longest run of an instance beside the bound on its steps.
type Observed struct {
	Instance string
	Waits    int    // the value of each M_a; 0 where the bound has none
	Steps    int64  // of the longest run
	Bound    int64  // in the state in which the wait begins
	Why      string // nothing was observed; empty if something was
}

// VerdictError is the error of [Report.Err] and [Report.ProofErr]: properties that do not hold, or
// are not known to.
type VerdictError struct {
	Spec string // the name of the specification
	// Properties are the outcomes that are not accepted, in the order of the file. There are none
	// where no property was checked.
	Properties []Outcome
}

// Error names the specification, and the properties with their verdicts.
func (e *VerdictError) Error() string {
	if len(e.Properties) == 0 {
		return e.Spec + ": no property was checked"
	}
	texts := make([]string, len(e.Properties))
	for i, p := range e.Properties {
		texts[i] = fmt.Sprintf("%s: %s", p.Property, p.Verdict)
		if p.Verdict == Holds {
			texts[i] += " in the instances explored"
		}
	}
	return e.Spec + ": " + strings.Join(texts, "; ")
}

// Violated reports whether some property is violated, and not only open.
func (e *VerdictError) Violated() bool {
	return slices.ContainsFunc(e.Properties, func(p Outcome) bool { return p.Verdict == Violated })
}

// Err is nil when every property holds, for every instance or in the explored ones. Otherwise it is
// a [*VerdictError].
func (r *Report) Err() error {
	return r.unless(func(p Outcome) bool { return p.Verdict == Holds })
}

// ProofErr is nil when every property holds for every instance. Otherwise it is a [*VerdictError].
func (r *Report) ProofErr() error {
	return r.unless(func(p Outcome) bool { return p.Verdict == Holds && p.ForAll })
}

func (r *Report) unless(accepted func(Outcome) bool) error {
	bad := slices.DeleteFunc(slices.Clone(r.Properties), accepted)
	if len(r.Properties) > 0 && len(bad) == 0 {
		return nil
	}
	return &VerdictError{Spec: r.Spec, Properties: bad}
}

// ExpectationError is the error of [Report.ExpectationErr]: what the file expects, and is not so.
type ExpectationError struct {
	Spec  string        // the name of the specification
	Unmet []Expectation // none where nothing could be compared
}

// Error names the specification, and the expectations with what was found.
func (e *ExpectationError) Error() string {
	if len(e.Unmet) == 0 {
		return e.Spec + ": no expectation was compared"
	}
	texts := make([]string, len(e.Unmet))
	for i, x := range e.Unmet {
		texts[i] = fmt.Sprintf("%s: %s instead of %s", x.Property, x.Got, x.Want)
		if x.Instance != "" {
			texts[i] += " in " + x.Instance
		}
	}
	return e.Spec + ": " + strings.Join(texts, "; ")
}

// ExpectationErr is nil when some expectation of the file was compared, and all that were are met.
// So a file that expects a violation is as it should be. Otherwise it is an [*ExpectationError].
func (r *Report) ExpectationErr() error {
	unmet := slices.DeleteFunc(slices.Clone(r.Expectations), func(x Expectation) bool {
		return x.Met
	})
	if len(r.Expectations) > 0 && len(unmet) == 0 {
		return nil
	}
	return &ExpectationError{Spec: r.Spec, Unmet: unmet}
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

func newReport(name string, o *findings) *Report {
	r := &Report{Spec: name, Notes: o.Notes, Solvers: o.Solvers}
	for _, e := range o.expectations {
		r.Expectations = append(r.Expectations, Expectation{Property: e.Property,
			Instance: e.Instance, Want: e.Want, Got: e.Got, Met: e.Met})
	}
	for _, l := range o.Lemmas {
		r.Lemmas = append(r.Lemmas, Lemma{Name: l.Name, Formula: l.Term.String(), For: l.For})
	}
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
			States:  x.States, Transitions: x.Transitions, Generated: x.Generated, Depth: x.Depth,
			Elapsed: x.Elapsed,
			Trace:   newTrace(x.Trace), Proof: newProof(x), Value: x.Value,
		}
		if x.Scope != result.ScopeAll && x.Scope != zone.ScopeModel {
			found.Instance = x.Scope
		}
		r.Results = append(r.Results, found)
	}
	return r
}

func newProof(x *result.Result) *Proof {
	e := x.Evidence
	if e == nil || x.Verdict != result.Holds || !x.ForAll() {
		return nil
	}
	p := &Proof{Invariants: e.Invariant}
	for _, r := range e.Reductions {
		p.Reductions = append(p.Reductions, r.String())
	}
	if k := e.Ranking; k != nil {
		p.Ranking = &Ranking{Steps: k.Steps}
		for _, t := range k.Tiers {
			p.Ranking.Functions = append(p.Ranking.Functions, t.Function)
		}
		for _, b := range k.Fewer {
			p.Ranking.Fewer = append(p.Ranking.Fewer, ActionBound(b))
		}
		for _, o := range k.Observed {
			p.Ranking.Observed = append(p.Ranking.Observed, Observed{Instance: o.Instance,
				Waits: o.Waits, Steps: o.Steps, Bound: o.Bound, Why: o.Why})
		}
	}
	return p
}

func names(list []result.Assumption) (out []string) {
	for _, a := range list {
		out = append(out, a.Name)
	}
	return out
}
