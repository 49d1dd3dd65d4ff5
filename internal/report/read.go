package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/itf"
	"erelong.dev/erelong/internal/result"
)

// ErrNotSaved is the error for a text that is not what WriteJSON writes.
var ErrNotSaved = errors.New("these are no results of erelong")

// ReadJSON reads reports that WriteJSON has written, one after the other. What JSON does not have
// is missing in them: the story of a run in terms of its algorithm, and chart data of timed runs.
func ReadJSON(r io.Reader) (out []*Report, err error) {
	decoder := json.NewDecoder(r)
	for {
		var j jsonReport
		err := decoder.Decode(&j)
		switch {
		case errors.Is(err, io.EOF) && len(out) > 0:
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("%w: %w", ErrNotSaved, err)
		case j.Schema != SchemaID:
			return nil, fmt.Errorf("%w: the schema is %q, and this version reads %s", ErrNotSaved,
				j.Schema, SchemaID)
		}
		report, err := j.report()
		if err != nil {
			return nil, err
		}
		out = append(out, report)
	}
}

func (j *jsonReport) report() (*Report, error) {
	r := &Report{Version: j.Tool.Version, File: j.File, Command: j.Command, Notes: j.Notes}
	for i := range j.Results {
		x, err := j.Results[i].result()
		if err != nil {
			return nil, fmt.Errorf("%w: the trace of %s: %w", ErrNotSaved, j.Results[i].Property,
				err)
		}
		r.Results = append(r.Results, *x)
	}
	for _, o := range j.Outcomes {
		r.cover(o)
	}
	for _, in := range j.Instances {
		x := result.Instance{Name: in.Name}
		for _, v := range in.Values {
			x.Values = append(x.Values, result.Setting(v))
		}
		r.Instances = append(r.Instances, x)
	}
	for _, e := range j.Expectations {
		r.Expectations = append(r.Expectations, Expectation(e))
	}
	for _, l := range j.Lemmas {
		r.Lemmas = append(r.Lemmas, Lemma(l))
	}
	for _, w := range j.Warnings {
		d, err := w.diagnostic(j.File)
		if err != nil {
			return nil, err
		}
		r.Warnings = append(r.Warnings, d)
	}
	if s := j.Stability; s != nil {
		r.Stability = &result.Stability{Runs: s.Runs, Properties: steadiness(s.Properties),
			Obligations: steadiness(s.Obligations)}
	}
	if u := j.Unfinished; u != nil {
		r.Unfinished = &result.Unfinished{Done: u.Done, Open: u.Open, Proved: u.Proved,
			Total: u.Total, Left: u.Left}
	}
	if e := j.Environment; e != nil {
		r.Environment = Environment{e.Date, e.CPUs, seconds(e.Seconds), e.Solvers}
	}
	return r, nil
}

// cover marks the rows of a property that holds for all without a row about all: its only instance
// was explored.
func (r *Report) cover(o jsonOutcome) {
	if o.Verdict != result.Holds || o.Coverage != result.ForAll {
		return
	}
	general := false
	for _, x := range r.Results {
		general = general || x.Property == o.Property && x.Kind == o.Kind &&
			x.Scope == result.ScopeAll && x.Verdict == result.Holds
	}
	for i := range r.Results {
		if x := &r.Results[i]; x.Property == o.Property && x.Kind == o.Kind {
			x.Whole = !general
		}
	}
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * float64(time.Second))) }

func (j *jsonReason) reason() result.Reason {
	if j == nil {
		return result.Reason{}
	}
	return result.Because(j.Code, j.Text)
}

func (j *jsonResult) result() (*result.Result, error) {
	x := &result.Result{
		Property: j.Property, Kind: j.Kind, Verdict: j.Verdict, Scope: j.Scope, Engine: j.Engine,
		Line:   j.Line,
		States: j.States, Transitions: j.Transitions, Generated: j.Generated, Depth: j.Depth,
		Elapsed: seconds(j.Seconds),
		Queries: j.Queries,
		Levels:  j.Levels, Reason: j.Reason.reason(), Value: j.Value, Alarm: j.Alarm,
		Vacuity: j.Vacuity, Evidence: j.Evidence.evidence(),
	}
	for _, a := range j.Assumptions {
		x.Assumptions = append(x.Assumptions, result.Assumption(a))
	}
	if j.Trace == nil {
		return x, nil
	}
	trace, err := itf.Read(bytes.NewReader(j.Trace))
	if err != nil {
		return nil, err
	}
	trace.Shows, trace.Why, trace.Diagnosis = j.Shows, j.Why.why(), j.Diagnosis.diagnosis()
	x.Trace = trace
	return x, nil
}

func (j *jsonEvidence) evidence() *result.Evidence {
	if j == nil {
		return nil
	}
	e := &result.Evidence{Invariant: j.Invariant, Trusted: j.Trusted, Induction: j.Induction,
		Pieces: j.Pieces}
	for _, r := range j.Reductions {
		e.Reductions = append(e.Reductions, result.Reduction(r))
	}
	for _, o := range j.Obligations {
		e.Obligations = append(e.Obligations, result.Obligation{
			Name: o.Name, Action: o.Action, Property: o.Property, Conjunct: o.Conjunct,
			Line: o.Line, Verdict: o.Verdict,
			Reason: o.Reason.reason(), Solver: result.Solver(o.Solver), Method: o.Method,
			Seed:   o.Seed,
			Cached: o.Cached, Needs: o.Needs, InState: o.InState,
			Queries: o.Queries, Rlimit: o.Rlimit, Elapsed: seconds(o.Seconds),
		})
	}
	e.Ranking, e.Search = j.Ranking.ranking(), j.Search.search()
	return e
}

func (j *jsonRanking) ranking() *result.Ranking {
	if j == nil {
		return nil
	}
	r := &result.Ranking{Pending: j.Pending, Finite: j.Finite, Unfair: j.Unfair, Steps: j.Steps}
	for _, c := range j.Choices {
		name, condition, _ := strings.Cut(c, " with ")
		r.Choices = append(r.Choices, result.Choice{Name: name, Condition: condition})
	}
	for _, t := range j.Tiers {
		r.Tiers = append(r.Tiers, result.Tier(t))
	}
	for _, x := range j.Fewer {
		r.Fewer = append(r.Fewer, result.ActionBound(x))
	}
	for _, x := range j.Observed {
		seen := result.Observed{Instance: x.Instance, Waits: x.Waits, States: x.States,
			Count: result.Count{Steps: x.Steps, Bound: x.Bound}, Why: x.Why}
		for _, c := range x.Fewer {
			seen.Fewer = append(seen.Fewer, result.Count(c))
		}
		r.Observed = append(r.Observed, seen)
	}
	return r
}

func (j *jsonSearch) search() *result.Search {
	if j == nil {
		return nil
	}
	s := &result.Search{Constraints: j.Constraints}
	for _, v := range j.Variables {
		s.Variables = append(s.Variables, result.RankVariable(v))
	}
	for _, x := range j.Steps {
		step := result.RankStep{Step: x.Step, Impossible: x.Impossible}
		for _, g := range x.Grows {
			if n, ok := g.(float64); ok {
				step.Grows = append(step.Grows, int(n))
			} else {
				step.Grows = append(step.Grows, result.Unbounded)
			}
		}
		s.Steps = append(s.Steps, step)
	}
	for _, x := range j.Stages {
		s.Stages = append(s.Stages, result.Stage{Name: x.Name, Elapsed: seconds(x.Seconds)})
	}
	return s
}

// printedValue reads a printed value. Only whether it is true or false is known again.
func printedValue(text string) result.Value {
	switch text {
	case "true":
		return result.Bool(true)
	case "false":
		return result.Bool(false)
	case "?":
		return result.Value{Kind: result.NoValue}
	}
	return result.Value{Kind: result.AtomValue, Text: text}
}

func (j *jsonWhy) why() *result.Why {
	if j == nil {
		return nil
	}
	w := &result.Why{Text: j.Text, Value: printedValue(j.Value), Line: j.Line, Column: j.Column}
	for _, b := range j.Witness {
		w.Witness = append(w.Witness, result.Binding{Name: b.Name, Value: printedValue(b.Value)})
	}
	for _, p := range j.Subformulas {
		w.Subformulas = append(w.Subformulas, p.why())
	}
	return w
}

func (j *jsonDiagnosis) diagnosis() *result.Diagnosis {
	if j == nil {
		return nil
	}
	d := &result.Diagnosis{Finding: j.Finding, Instance: j.Instance, States: j.States,
		Reason: j.Reason, Looked: j.Looked, Where: j.Where}
	for _, c := range j.Candidates {
		d.Candidates = append(d.Candidates, result.Candidate(c))
	}
	return d
}

func steadiness(list []jsonSteadiness) (out []result.Steadiness) {
	for _, x := range list {
		out = append(out, result.Steadiness{
			Name: x.Name, Property: x.Property, Conjunct: x.Conjunct, Line: x.Line,
			Verdicts: x.Verdicts, Min: x.Min, Median: x.Median, Max: x.Max,
		})
	}
	return out
}

// farthest bounds the positions of warnings that are read.
const farthest = 64 << 20

// diagnostic is a warning at its position, in a text of which nothing else is known.
func (j *jsonWarning) diagnostic(file string) (*diag.Diagnostic, error) {
	d := &diag.Diagnostic{Severity: diag.Warning, Code: j.Code, Message: j.Message, Fix: j.Fix}
	switch {
	case j.Line == 0:
		return d, nil
	case j.Line < 0 || j.Column < 1 || j.Line > farthest || j.Column > farthest:
		return nil, fmt.Errorf("%w: a warning in line %d, column %d", ErrNotSaved, j.Line, j.Column)
	}
	blank := strings.Repeat("\n", j.Line-1) + strings.Repeat(" ", j.Column-1)
	d.Span = diag.Span{Source: diag.NewSource(file, blank), Start: len(blank), End: len(blank)}
	return d, nil
}
