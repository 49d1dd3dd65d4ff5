package report

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/result"
)

// The parts of SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format) that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
	}
	sarifInvocation struct {
		CommandLine         string              `json:"commandLine"`
		ExecutionSuccessful bool                `json:"executionSuccessful"`
		Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Kind         string             `json:"kind"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations,omitempty"`
		CodeFlows    []sarifCodeFlow    `json:"codeFlows,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints,omitempty"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Properties   map[string]any     `json:"properties,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	sarifCodeFlow struct {
		Message     sarifText         `json:"message"`
		ThreadFlows []sarifThreadFlow `json:"threadFlows"`
	}
	sarifThreadFlow struct {
		Locations []sarifFlowLocation `json:"locations"`
	}
	sarifFlowLocation struct {
		Location sarifLocation                `json:"location"`
		State    map[string]map[string]string `json:"state,omitempty"`
		Order    int                          `json:"executionOrder"`
	}
)

const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://json.schemastore.org/sarif-2.1.0.json"
)

// sarifVerdicts says for each verdict its kind of result and its level. A level other than none
// belongs to what fails, and to nothing else.
var sarifVerdicts = map[result.Verdict]struct{ kind, level, about string }{
	result.Holds:    {"pass", "none", "The property holds in the scope that the message names."},
	result.Violated: {"fail", "error", "A run violates the property."},
	result.NoRun:    {"fail", "error", "A run is asked for, and none exists."},
	result.NotInductive: {"fail", "warning",
		"Some step does not preserve the property; whether its first state is reachable is open."},
	result.HoldsUpTo: {"open", "none",
		"No violation was found in the part that was explored."},
	result.HoldsInitially: {"open", "none",
		"The property holds in every initial state; nothing is known of steps."},
	result.Unknown:        {"open", "none", "There is no answer; the message says why."},
	result.NothingChecked: {"notApplicable", "none", "Nothing was checked; the message says why."},
}

// WriteSARIF writes the report as SARIF 2.1.0: a result for each row of the table, with its trace
// as a code flow, and one for each warning or error of the file. It uses the option Hide.
func WriteSARIF(w io.Writer, r *Report, o Options) error {
	b := &sarifWriter{report: r, options: o}
	for i := range r.Results {
		b.result(&r.Results[i])
	}
	for _, e := range r.Expectations {
		b.expectation(e)
	}
	for _, d := range r.Warnings {
		b.warning(d)
	}
	invocation := sarifInvocation{CommandLine: r.Command,
		ExecutionSuccessful: len(result.Alarms(r.Results)) == 0 && len(r.errors()) == 0}
	for _, n := range r.Notes {
		invocation.Notifications = append(invocation.Notifications, sarifNotification{"note",
			sarifText{n}})
	}
	log := sarifLog{Schema: sarifSchema, Version: sarifVersion, Runs: []sarifRun{{
		Tool:        sarifTool{sarifDriver{"erelong", r.Version, b.rules}},
		Invocations: []sarifInvocation{invocation}, ColumnKind: "unicodeCodePoints",
		Results: b.results,
	}}}
	if log.Runs[0].Results == nil {
		log.Runs[0].Results = []sarifResult{}
	}
	if log.Runs[0].Tool.Driver.Rules == nil {
		log.Runs[0].Tool.Driver.Rules = []sarifRule{}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(log); err != nil {
		return fmt.Errorf("writing the report as SARIF: %w", err)
	}
	return nil
}

type sarifWriter struct {
	report  *Report
	options Options
	rules   []sarifRule
	results []sarifResult
}

// rule is the index of a rule, which is added when it is new.
func (b *sarifWriter) rule(id, about string) int {
	i := slices.IndexFunc(b.rules, func(r sarifRule) bool { return r.ID == id })
	if i < 0 {
		i = len(b.rules)
		b.rules = append(b.rules, sarifRule{id, sarifText{about}})
	}
	return i
}

// ruleID makes a name of a verdict.
func ruleID(v result.Verdict) string { return strings.ReplaceAll(string(v), " ", "-") }

func (b *sarifWriter) result(r *result.Result) {
	say, ok := sarifVerdicts[r.Verdict]
	if !ok {
		say = sarifVerdicts[result.Unknown]
	}
	out := sarifResult{
		RuleID: ruleID(r.Verdict), RuleIndex: b.rule(ruleID(r.Verdict), say.about), Kind: say.kind,
		Level:     say.level,
		Message:   sarifText{b.message(r)},
		Locations: b.location(r.Line, 0, 0, ""),
		Fingerprints: map[string]string{"erelong/property": strings.Join([]string{r.Property,
			r.Scope, r.Engine}, " ")},
		Properties: map[string]any{
			"property": r.Property, "kind": r.Kind, "verdict": r.Verdict, "scope": r.Scope,
			"engine":  r.Engine,
			"seconds": r.Elapsed.Seconds(),
		},
	}
	if e := b.expected(r); e != nil {
		out.Suppressions = []sarifSuppression{{"inSource", "the file expects it: [" + e.Property +
			"] " + e.Want}}
	}
	if r.Trace != nil {
		out.CodeFlows = []sarifCodeFlow{b.flow(r.Trace)}
		if line, from, to := falsePart(r.Trace); line > 0 {
			out.Locations = b.location(line, from, to, "")
		}
	}
	b.results = append(b.results, out)
}

// expected is the expectation that a failing result meets, nil without one.
func (b *sarifWriter) expected(r *result.Result) *Expectation {
	if sarifVerdicts[r.Verdict].kind != "fail" {
		return nil
	}
	i := slices.IndexFunc(b.report.Expectations, func(e Expectation) bool {
		return e.Met && e.Property == r.Property && (e.Instance == r.Scope || e.Instance == "")
	})
	if i < 0 {
		return nil
	}
	return &b.report.Expectations[i]
}

// message is a verdict in one sentence, with the reason.
func (b *sarifWriter) message(r *result.Result) string {
	text := r.Property + ": " + spoken(r)
	if r.Scope != "" {
		text += ", scope " + r.Scope
	}
	if r.Engine != "" {
		text += ", by " + r.Engine
	}
	if r.Reason.Given() {
		text += ": " + r.Reason.Text
	}
	if r.Trace != nil {
		text += ". " + Conclusion(r.Trace)
	}
	return text
}

func (b *sarifWriter) expectation(e Expectation) {
	if e.Met {
		return
	}
	where := ""
	if e.Instance != "" {
		where = " in " + e.Instance
	}
	const id = "expectation"
	b.results = append(b.results, sarifResult{
		RuleID: id, RuleIndex: b.rule(id, "The file expects another verdict."), Kind: "fail",
		Level: "error",
		Message: sarifText{fmt.Sprintf("%s%s: expected %s, got %s", e.Property, where, e.Want,
			e.Got)},
		Locations:    b.location(b.lineOf(e.Property), 0, 0, ""),
		Fingerprints: map[string]string{"erelong/expectation": e.Property + " " + e.Instance},
	})
}

// lineOf is the line of a property, 0 if it has none.
func (b *sarifWriter) lineOf(property string) int {
	for _, r := range b.report.Results {
		if r.Property == property && r.Line > 0 {
			return r.Line
		}
	}
	return 0
}

func (b *sarifWriter) warning(d *diag.Diagnostic) {
	about := string(d.Code)
	if e, ok := diag.Explain(d.Code); ok {
		about = e.Title
	}
	out := sarifResult{
		RuleID: string(d.Code), RuleIndex: b.rule(string(d.Code), about), Kind: "fail",
		Level:   map[diag.Severity]string{diag.Error: "error", diag.Warning: "warning"}[d.Severity],
		Message: sarifText{strings.TrimSpace(d.Message + ". " + d.Fix)},
	}
	if !d.Span.IsZero() {
		line, from := d.Span.Source.Position(d.Span.Start)
		last, to := d.Span.Source.Position(d.Span.End)
		if last != line {
			to = 0
		}
		out.Locations = b.location(line, from, to, "")
	}
	b.results = append(b.results, out)
}

// location is a place in the file. A line of 0 stands for the whole file.
func (b *sarifWriter) location(line, from, to int, text string) []sarifLocation {
	l := sarifLocation{Physical: &sarifPhysical{Artifact: sarifArtifact{fileURI(b.report.File)}}}
	if line > 0 {
		l.Physical.Region = &sarifRegion{StartLine: line, StartColumn: from}
		if to > from {
			l.Physical.Region.EndColumn = to
		}
	}
	if text != "" {
		l.Message = &sarifText{text}
	}
	return []sarifLocation{l}
}

// fileURI is a path as a reference: a relative path stays one, so that a log does not depend on the
// machine.
func fileURI(name string) string {
	name = strings.ReplaceAll(name, "\\", "/")
	if len(name) > 1 && name[1] == ':' {
		name = "/" + name
	}
	u := url.URL{Path: path.Clean(name)}
	if path.IsAbs(u.Path) {
		u.Scheme = "file"
	}
	return u.String()
}

// falsePart is the position of the conjunct that is false at the end of a run, 0 if it is unknown.
func falsePart(t *result.Trace) (line, from, to int) {
	if w := falseConjunct(t.Why); w != nil {
		return w.Line, w.Column, w.End
	}
	return t.Line, 0, 0
}

// flow is a run: for each state the action that leads to it, at the line of the action, and the
// variables that changed.
func (b *sarifWriter) flow(t *result.Trace) sarifCodeFlow {
	actions := t // by their names in the system
	t = t.Told()
	title, _ := Headline(t)
	out := sarifCodeFlow{Message: sarifText{title}}
	var steps []sarifFlowLocation
	for i, s := range t.Steps {
		text := fmt.Sprintf("state %d", i)
		if s.Action != "" {
			text += ": " + Call(s)
		}
		before := []result.Binding(nil)
		if i > 0 {
			before = t.Steps[i-1].State
		}
		line := b.report.Actions[actions.Steps[i].Action]
		step := sarifFlowLocation{Location: b.location(line, 0, 0, text)[0], Order: i + 1}
		for _, c := range Changes(b.options.visible(before), b.options.visible(s.State)) {
			if step.State == nil {
				step.State = map[string]map[string]string{}
			}
			step.State[c.Path] = map[string]string{"text": c.New.String()}
		}
		steps = append(steps, step)
	}
	if t.Loop >= 0 {
		text := closing(t, 0)
		steps = append(steps, sarifFlowLocation{
			Location: b.location(b.report.Actions[actions.Back.Action], 0, 0, text)[0],
			Order:    len(steps) + 1,
		})
	}
	if len(steps) == 0 {
		steps = append(steps, sarifFlowLocation{Location: b.location(t.Line, 0, 0,
			Conclusion(t))[0], Order: 1})
	}
	out.ThreadFlows = []sarifThreadFlow{{steps}}
	return out
}
