package lsp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/zone"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/verify"
)

// States of a property beside verdicts.
const (
	stateStale   = "stale" // nothing is known of this version of the text
	stateQueued  = "queued"
	stateRunning = "running"
)

// work is what a client asks for.
type work struct {
	method   method
	property string // empty for all
}

// job is the verification of one version of a document. It ends with the version. The server's mu
// guards it.
type job struct {
	analysis *analysis
	token    string // of the progress
	stop     context.CancelFunc
	ctx      context.Context
	waiting  []work
	busy     bool // a goroutine works on it
	states   map[string]*propertyStatus
	found    map[string][]diagnostic   // by property
	runs     map[string]*result.Result // that show what was found, by property
	lemmas   []lemma
}

// lemma is an invariant that was found.
type lemma struct {
	text string // of its declaration
	at   diag.Span
}

// timeLimit is the default of settings.TimeLimit.
const timeLimit = 60 * time.Second

// verify puts work into the queue of a document.
func (s *server) verify(a *analysis, w work) error {
	all := a.properties()
	switch {
	case len(a.systems) == 0 && a.network == nil:
		return errors.New("the text has errors, so nothing is verified")
	case len(all) == 0:
		return errors.New("the file has no property")
	case w.property != "" && !slices.ContainsFunc(all,
		func(p property) bool { return p.name == w.property }):
		return fmt.Errorf("there is no property %q", w.property)
	case w.method == byInfer && a.single() == nil:
		return errors.New("no invariants are looked for in models, and in what is derived from " +
			"algorithms")
	}
	s.mu.Lock()
	d := s.current(a.snapshot)
	if d == nil {
		s.mu.Unlock()
		return errReplaced
	}
	j := d.job
	if j == nil {
		j = &job{analysis: a, states: map[string]*propertyStatus{},
			found: map[string][]diagnostic{}, runs: map[string]*result.Result{}}
		d.job = j
	}
	if j.ctx == nil || j.ctx.Err() != nil {
		j.ctx, j.stop = context.WithCancel(a.ctx)
	}
	for _, p := range all {
		if w.property == "" || w.property == p.name {
			j.states[p.name] = a.newStatus(p, stateQueued)
		}
	}
	j.waiting = append(j.waiting, w)
	begin := !j.busy
	if begin {
		j.busy = true
		s.tokens++
		j.token = fmt.Sprintf("erelong-%d", s.tokens)
	}
	s.mu.Unlock()
	s.sendStatus(a.snapshot)
	if begin {
		s.start(func() { s.run(j) })
	}
	return nil
}

func (a *analysis) newStatus(p property, state string) *propertyStatus {
	return &propertyStatus{Name: p.name, Kind: string(p.kind), Range: a.rangeOf(p), State: state}
}

// run works on the queue of a job, until it is empty or the text changes. One job works at a time.
func (s *server) run(j *job) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-j.analysis.ctx.Done():
		return
	}
	show := s.begin(j)
	defer s.finish(j)
	for {
		s.mu.Lock()
		if len(j.waiting) == 0 || j.analysis.ctx.Err() != nil {
			j.busy = false
			s.mu.Unlock()
			return
		}
		w := j.waiting[0]
		j.waiting = j.waiting[1:]
		ctx := j.ctx
		for _, st := range j.states {
			if st.State == stateQueued && (w.property == "" || st.Name == w.property) {
				st.State = stateRunning
			}
		}
		s.mu.Unlock()
		s.sendStatus(j.analysis.snapshot)
		o, err := s.decide(ctx, j, w, show)
		s.settle(ctx, j, w, o, err)
	}
}

// decide carries out work.
func (s *server) decide(
	ctx context.Context, j *job, w work, show func(string),
) (o *verify.Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			s.log.Printf("defect in a verification: %v", r)
			err = fmt.Errorf("a defect of erelong: %v", r)
		}
	}()
	ctx, end := smt.WithProcesses(smt.AtLowPriority(ctx))
	defer end()
	a := j.analysis
	limit := timeLimit
	if n := s.options().TimeLimit; n > 0 {
		limit = time.Duration(n) * time.Second
	}
	opts := verify.Default()
	threads := max(1, runtime.NumCPU()-1)
	opts.Explicit, opts.Zone.Threads = explicit.Options{Threads: threads}, threads
	opts.Induct.Options = s.Proofs
	if opts.Induct.Jobs == 0 {
		opts.Induct.Jobs = threads
	}
	opts.Bmc.Options = opts.Induct.Options
	opts.Each = result.TimeLimit(limit, "timeLimit", result.PropertyOutOfTime)
	opts.Progress = func(p engine.Progress) {
		show(p.Text)
		if p.Violated != "" {
			s.violated(j, p.Violated)
		}
	}
	if w.property != "" {
		opts.Only = []string{w.property}
	}
	switch w.method {
	case byCheck:
		opts.Prove, opts.Live, opts.Infer = false, false, false
	case byProof:
		opts.Explore, opts.Live, opts.Infer = false, false, false
	case byRanking:
		opts.Infer, opts.LiveOnly = false, true
	}
	if a.network != nil {
		claims, err := zone.Claims(a.network, opts.Only)
		if err != nil {
			return nil, err
		}
		return verify.RunNetwork(ctx, a.network, claims, "", opts)
	}
	if w.method == byInfer {
		return infer(ctx, a.single(), opts)
	}
	ofFile := func(*system.System) ([]*system.Instance, error) { return nil, nil }
	return verify.RunAll(ctx, a.systems, opts, ofFile)
}

// foundMeanwhile is said of a violation before the outcome of the work.
const foundMeanwhile = "(its run is shown when the rest is decided)"

// violated shows that a property is violated while the work goes on. The run comes with the
// outcome.
func (s *server) violated(j *job, name string) {
	s.mu.Lock()
	st := j.states[name]
	news := st != nil && st.State == stateRunning
	if news {
		st.State, st.Detail = string(result.Violated), foundMeanwhile
	}
	s.mu.Unlock()
	if news {
		s.sendStatus(j.analysis.snapshot)
	}
}

// infer looks for invariants that make a property inductive.
func infer(ctx context.Context, sys *system.System, opts verify.Options) (*verify.Outcome, error) {
	o, found, err := verify.Infer(ctx, sys, opts)
	if err != nil || found == nil {
		return o, err
	}
	o.Lemmas = found.Lemmas
	return o, nil
}

// keep notes the invariants that were found for a property, or on the way to its proof. They take
// the place of earlier ones for the same property.
func (j *job) keep(lemmas []engine.Lemma, w work) {
	if j.analysis.single() == nil {
		return
	}
	var found []lemma
	all := j.analysis.properties()
	known := func(name string) bool {
		return slices.ContainsFunc(all, func(p property) bool { return p.name == name })
	}
	for _, l := range lemmas {
		name := w.property
		if name == "" {
			name = l.For
		}
		for _, p := range all {
			if p.name == name || !known(name) && p.kind == system.Safety {
				text := fmt.Sprintf("invariant [%s] %s\n", l.Name, l.Term)
				found = append(found, lemma{text, p.span})
				break
			}
		}
	}
	j.lemmas = slices.DeleteFunc(j.lemmas, func(old lemma) bool {
		return slices.ContainsFunc(found, func(l lemma) bool { return l.at == old.at })
	})
	j.lemmas = append(j.lemmas, found...)
}

// settle enters an outcome, unless the text has changed, or ctx, that of the work, was stopped.
func (s *server) settle(ctx context.Context, j *job, w work, o *verify.Outcome, err error) {
	a := j.analysis
	s.mu.Lock()
	if s.current(a.snapshot) == nil || ctx.Err() != nil {
		j.forget(stateRunning)
		s.mu.Unlock()
		s.sendStatus(a.snapshot)
		return
	}
	if o != nil {
		j.keep(o.Lemmas, w)
		for _, outcome := range result.Outcomes(o.Results) {
			j.enter(outcome, rowsOf(o.Results, outcome.Property))
		}
	}
	for name, st := range j.states {
		if st.State != stateRunning || w.property != "" && name != w.property {
			continue
		}
		st.State, st.Detail = string(result.NothingChecked), ""
		if err != nil {
			st.State, st.Detail = string(result.Unknown), "("+err.Error()+")"
		}
	}
	s.mu.Unlock()
	s.sendStatus(a.snapshot)
	s.publish(a.snapshot)
}

// forget makes the properties in a state stale. The caller holds the server's mu.
func (j *job) forget(state string) {
	maps.DeleteFunc(j.states, func(_ string, st *propertyStatus) bool { return st.State == state })
}

func rowsOf(all []result.Result, property string) (rows []*result.Result) {
	for i := range all {
		if all[i].Property == property {
			rows = append(rows, &all[i])
		}
	}
	return rows
}

// enter notes the outcome for a property.
func (j *job) enter(o result.Outcome, rows []*result.Result) {
	a := j.analysis
	at := slices.IndexFunc(a.properties(), func(p property) bool { return p.name == o.Property })
	if at < 0 {
		return // a result that is not about a claim of the text, such as on deadlocks
	}
	p := a.properties()[at]
	st := a.newStatus(p, string(o.Verdict))
	var about []string
	if o.Verdict == result.Holds {
		about = append(about, map[result.Coverage]string{result.ForAll: "for all",
			result.InInstances: "in the instances explored"}[o.Coverage])
		for _, x := range o.Assumptions {
			about = append(about, "assuming "+x.Name)
		}
	}
	for _, r := range rows {
		st.Seconds = max(st.Seconds, r.Elapsed.Seconds())
		if r.Verdict == o.Verdict && r.Reason.Given() && o.Verdict != result.Holds {
			about = append(about, r.Reason.Text)
		}
	}
	about = append(about, fmt.Sprintf("%.1f s", st.Seconds))
	st.Detail = "(" + strings.Join(about, ", ") + ")"
	j.found[p.name] = nil
	delete(j.runs, p.name)
	for _, r := range rows {
		if r.Trace == nil || r.Verdict != o.Verdict || r.Verdict == result.Holds {
			continue
		}
		j.found[p.name] = append(j.found[p.name], a.counterexample(p, r))
		if j.runs[p.name] == nil {
			j.runs[p.name] = r
		}
		if st.Trace == "" {
			var b strings.Builder
			if err := report.WriteTrace(&b, r.Trace, report.Options{}); err == nil {
				st.Trace = b.String()
			}
		}
	}
	if o.Verdict == result.Violated && len(j.found[p.name]) == 0 {
		j.found[p.name] = []diagnostic{{Range: a.rangeOf(p), Severity: severityError,
			Source: sourceName, Message: p.name + " is violated"}}
	}
	j.states[p.name] = st
}

// mostSteps is the number of steps of a run that are shown as related positions.
const mostSteps = 100

// counterexample is a diagnostic at a property, with the steps of the run at the actions that take
// them.
func (a *analysis) counterexample(p property, r *result.Result) diagnostic {
	title, remark := report.Headline(r.Trace)
	d := diagnostic{Range: a.rangeOf(p), Severity: severityError, Source: sourceName,
		Code:    strings.ReplaceAll(string(r.Verdict), " ", "-"),
		Message: report.Conclusion(r.Trace) + " (" + title + ")"}
	if r.Verdict != result.Violated && r.Verdict != result.NoRun {
		d.Severity = severityWarning
	}
	if remark != "" {
		d.Message += "\n" + remark
	}
	if a.expects(p, r) {
		d.Severity = severityInformation
		d.Message += "\nas the file expects"
	}
	spans := map[string]diag.Span{}
	for _, x := range a.systems {
		for _, action := range x.Spec.System.Actions {
			if a.own(action.Span) {
				spans[action.Name] = action.Span
			}
		}
	}
	for i, step := range r.Trace.Steps {
		if i == mostSteps {
			d.Related = append(d.Related, related{location{a.uri, d.Range},
				fmt.Sprintf("and %d more steps", len(r.Trace.Steps)-i)})
			break
		}
		text := fmt.Sprintf("state %d", i)
		at := d.Range
		if step.Action != "" {
			text += ": " + report.Call(step)
		}
		if span, ok := spans[step.Action]; ok {
			at = a.text.rangeOf(span.Start, min(span.End, a.text.end(a.text.line(span.Start))))
		}
		if i > 0 {
			for _, c := range report.Changes(r.Trace.Steps[i-1].State, step.State) {
				text += "\n  " + clipped(c.String(), 1)
			}
		}
		d.Related = append(d.Related, related{location{a.uri, at}, text})
	}
	if r.Trace.Loop >= 0 {
		d.Related = append(d.Related, related{location{a.uri, d.Range},
			fmt.Sprintf("and from state %d on again, for ever", r.Trace.Loop)})
	}
	return d
}

// expects reports whether the file expects a verdict.
func (a *analysis) expects(p property, r *result.Result) bool {
	for _, d := range a.systems {
		own, ok := d.Own(p.name)
		for _, e := range d.Spec.System.Expectations {
			if ok && e.Property == own && e.Verdict == string(r.Verdict) && (e.Instance == nil ||
				e.Instance.Name == r.Scope) {
				return true
			}
		}
	}
	return false
}

// diagnostics are the counterexamples of a job. The caller holds the server's mu.
func (j *job) diagnostics() (out []diagnostic) {
	for _, p := range j.analysis.properties() {
		out = append(out, j.found[p.name]...)
	}
	return out
}
