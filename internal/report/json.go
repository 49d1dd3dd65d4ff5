package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/itf"
	"erelong.dev/erelong/internal/result"
)

// SchemaID names the format of the JSON. Within one version fields are only added.
const SchemaID = "erelong/result/2"

//go:embed schema/result-2.schema.json
var schema []byte

// Schema gives the JSON Schema (draft 2020-12) of the output of WriteJSON.
func Schema() []byte { return bytes.Clone(schema) }

type jsonReport struct {
	Schema       string            `json:"schema"`
	Tool         jsonTool          `json:"tool"`
	File         string            `json:"file"`
	Command      string            `json:"command"`
	Results      []jsonResult      `json:"results"`
	Outcomes     []jsonOutcome     `json:"outcomes"`
	Instances    []jsonInstance    `json:"instances,omitempty"`
	Expectations []jsonExpectation `json:"expectations"`
	Stability    *jsonStability    `json:"stability,omitempty"`
	Notes        []string          `json:"notes"`
	Lemmas       []jsonLemma       `json:"lemmas,omitempty"`
	Warnings     []jsonWarning     `json:"warnings,omitempty"`
	Unfinished   *jsonUnfinished   `json:"unfinished,omitempty"`
	Environment  *jsonEnvironment  `json:"environment,omitempty"`
}

type jsonInstance struct {
	Name   string        `json:"name"`
	Values []jsonSetting `json:"values"`
}

type jsonSetting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type jsonTool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type jsonLemma struct {
	Name    string `json:"name"`
	Formula string `json:"formula"`
	For     string `json:"for"`
	TLA     string `json:"tla,omitempty"`
}

type jsonUnfinished struct {
	Done   []string `json:"done"`
	Open   []string `json:"open"`
	Proved int      `json:"proved"`
	Total  int      `json:"total"`
	Left   []string `json:"left"`
}

type jsonWarning struct {
	Code    diag.Code `json:"code"`
	Line    int       `json:"line"`
	Column  int       `json:"column"`
	Message string    `json:"message"`
	Fix     string    `json:"fix,omitempty"`
}

type jsonResult struct {
	Property    string           `json:"property"`
	Verdict     result.Verdict   `json:"verdict"`
	States      int64            `json:"states"`
	Depth       int64            `json:"depth"`
	Kind        result.Kind      `json:"kind"`
	Scope       string           `json:"scope"`
	Engine      string           `json:"engine"`
	Line        int              `json:"line"`
	Transitions int64            `json:"transitions"`
	Generated   int64            `json:"generated,omitempty"`
	Seconds     float64          `json:"seconds"`
	Queries     int64            `json:"queries"`
	Levels      []int64          `json:"levels,omitempty"`
	Reason      *jsonReason      `json:"reason,omitempty"`
	Value       string           `json:"value,omitempty"`
	Alarm       string           `json:"alarm,omitempty"`
	Vacuity     []string         `json:"vacuity,omitempty"`
	Trace       json.RawMessage  `json:"trace,omitempty"`
	Shows       string           `json:"shows,omitempty"`
	Why         *jsonWhy         `json:"why,omitempty"`
	Diagnosis   *jsonDiagnosis   `json:"diagnosis,omitempty"`
	Evidence    *jsonEvidence    `json:"evidence,omitempty"`
	Assumptions []jsonAssumption `json:"assumptions,omitempty"`
}

// jsonReason is the reason for a result.
type jsonReason struct {
	Code result.Code `json:"code"`
	Text string      `json:"text"`
}

func reasonJSON(r result.Reason) *jsonReason {
	if !r.Given() {
		return nil
	}
	return &jsonReason{r.Code, r.Text}
}

// jsonOutcome is the joint outcome of all results for one property.
type jsonOutcome struct {
	Property    string          `json:"property"`
	Kind        result.Kind     `json:"kind"`
	Verdict     result.Verdict  `json:"verdict"`
	Coverage    result.Coverage `json:"coverage,omitempty"`
	Assumptions []string        `json:"assumptions,omitempty"`
}

type jsonAssumption struct {
	Name string                `json:"name"`
	Kind result.AssumptionKind `json:"kind"`
	Line int                   `json:"line"`
	Text string                `json:"text"`
}

type jsonEvidence struct {
	Invariant   []string         `json:"invariant"`
	Trusted     []string         `json:"trusted"`
	Obligations []jsonObligation `json:"obligations"`
	Induction   int              `json:"induction"`
	Pieces      bool             `json:"pieces,omitempty"`
	Reductions  []jsonReduction  `json:"reductions,omitempty"`
	Ranking     *jsonRanking     `json:"ranking,omitempty"`
	Search      *jsonSearch      `json:"search,omitempty"`
}

type jsonReduction struct {
	Name    string `json:"name"`
	Theorem string `json:"theorem"`
	Detail  string `json:"detail,omitempty"`
	Assumed bool   `json:"assumed"`
}

type jsonSolver struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type jsonObligation struct {
	Name     string         `json:"name"`
	Action   string         `json:"action"`
	Property string         `json:"property"`
	Conjunct int            `json:"conjunct"`
	Line     int            `json:"line"`
	Verdict  result.Verdict `json:"verdict"`
	Reason   *jsonReason    `json:"reason,omitempty"`
	Solver   jsonSolver     `json:"solver"`
	Method   string         `json:"way,omitempty"`
	Seed     int            `json:"seed"`
	Cached   bool           `json:"cached"`
	Needs    []string       `json:"needs,omitempty"`
	InState  bool           `json:"in_state,omitempty"`
	Queries  int64          `json:"queries"`
	Rlimit   int64          `json:"rlimit"`
	Seconds  float64        `json:"seconds"`
}

type jsonExpectation struct {
	Property string `json:"property"`
	Want     string `json:"want"`
	Got      string `json:"got"`
	Instance string `json:"instance"`
	Met      bool   `json:"met"`
	Detail   string `json:"detail,omitempty"`
}

type jsonEnvironment struct {
	Date    time.Time `json:"date"`
	CPUs    int       `json:"cpus"`
	Solvers []string  `json:"solvers"`
	Seconds float64   `json:"seconds"`
}

// WriteJSON writes the report as one line of JSON, with the traces in full as ITF objects.
func WriteJSON(w io.Writer, r *Report) error {
	out := jsonReport{
		Schema: SchemaID, Tool: jsonTool{"erelong", r.Version}, File: r.File, Command: r.Command,
		Results: []jsonResult{}, Outcomes: []jsonOutcome{}, Expectations: []jsonExpectation{},
		Notes: list(r.Notes),
	}
	for _, in := range r.Instances {
		j := jsonInstance{Name: in.Name, Values: []jsonSetting{}}
		for _, v := range in.Values {
			j.Values = append(j.Values, jsonSetting(v))
		}
		out.Instances = append(out.Instances, j)
	}
	for _, l := range r.Lemmas {
		out.Lemmas = append(out.Lemmas, jsonLemma(l))
	}
	for _, res := range r.Results {
		j := jsonResult{
			Property: res.Property, Verdict: res.Verdict, States: res.States, Depth: res.Depth,
			Kind: res.Kind, Scope: res.Scope, Engine: res.Engine, Line: res.Line,
			Transitions: res.Transitions, Generated: res.Generated,
			Seconds: res.Elapsed.Seconds(), Queries: res.Queries,
			Levels: res.Levels, Reason: reasonJSON(res.Reason), Value: res.Value, Alarm: res.Alarm,
			Vacuity:  res.Vacuity,
			Evidence: evidence(res.Evidence),
		}
		for _, a := range res.Assumptions {
			j.Assumptions = append(j.Assumptions, jsonAssumption(a))
		}
		if res.Trace != nil {
			var b bytes.Buffer
			if err := itf.Write(&b, res.Trace); err != nil {
				return fmt.Errorf("the trace of %s: %w", res.Property, err)
			}
			j.Trace = b.Bytes()
			j.Shows, j.Why, j.Diagnosis = res.Trace.Shows, whyOf(res.Trace.Why),
				diagnosisOf(res.Trace.Diagnosis)
		}
		out.Results = append(out.Results, j)
	}
	for _, o := range result.Outcomes(r.Results) {
		j := jsonOutcome{Property: o.Property, Kind: o.Kind, Verdict: o.Verdict,
			Coverage: o.Coverage}
		for _, a := range o.Assumptions {
			j.Assumptions = append(j.Assumptions, a.Name)
		}
		out.Outcomes = append(out.Outcomes, j)
	}
	for _, d := range r.Warnings {
		w := jsonWarning{Code: d.Code, Message: d.Message, Fix: d.Fix}
		if !d.Span.IsZero() {
			w.Line, w.Column = d.Span.Source.Position(d.Span.Start)
		}
		out.Warnings = append(out.Warnings, w)
	}
	for _, e := range r.Expectations {
		out.Expectations = append(out.Expectations, jsonExpectation(e))
	}
	if u := r.Unfinished; u != nil {
		out.Unfinished = &jsonUnfinished{list(u.Done), list(u.Open), u.Proved, u.Total,
			list(u.Left)}
	}
	if r.Stability != nil {
		out.Stability = stability(r.Stability)
	}
	if !r.Environment.Date.IsZero() {
		out.Environment = &jsonEnvironment{r.Environment.Date, r.Environment.CPUs,
			list(r.Environment.Solvers), r.Environment.Elapsed.Seconds()}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(out); err != nil {
		return fmt.Errorf("writing the report as JSON: %w", err)
	}
	return nil
}

func evidence(e *result.Evidence) *jsonEvidence {
	if e == nil {
		return nil
	}
	j := &jsonEvidence{Invariant: list(e.Invariant), Trusted: list(e.Trusted),
		Induction: e.Induction, Pieces: e.Pieces, Obligations: []jsonObligation{}}
	for _, r := range e.Reductions {
		j.Reductions = append(j.Reductions, jsonReduction(r))
	}
	j.Ranking, j.Search = jsonRankingOf(e.Ranking), jsonSearchOf(e.Search)
	for _, o := range e.Obligations {
		j.Obligations = append(j.Obligations, jsonObligation{
			Name: o.Name, Action: o.Action, Property: o.Property, Conjunct: o.Conjunct,
			Line: o.Line, Verdict: o.Verdict,
			Reason: reasonJSON(o.Reason), Solver: jsonSolver(o.Solver), Method: o.Method,
			Seed: o.Seed, Cached: o.Cached, Needs: o.Needs, InState: o.InState,
			Queries: o.Queries, Rlimit: o.Rlimit,
			Seconds: o.Elapsed.Seconds(),
		})
	}
	return j
}

// list makes an empty list [] and not null.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
