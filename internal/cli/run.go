package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/accel"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/verify"
)

// analysis is the handler of verify, check, prove, live and bmc with specifications. Groups that a
// command does not have are nil.
type analysis struct {
	command string

	Output    output
	Selection *selectionOptions
	Time      *timeOptions
	Pass      *passOptions
	Instance  *instanceOptions // nil for proofs alone

	Shard *shardOptions

	// of exploration
	Limit    *limitOptions
	Depth    *depthOptions
	Symmetry *symmetryOptions
	Search   *searchOptions
	Explore  *exploreOptions

	// of solvers
	Solve *solveOptions
	Bound *boundOptions

	// of proofs
	Cache       *cacheOptions
	Stability   *stabilityOptions
	Certificate *certificateOptions
	Induction   *inductionOptions
	Effort      *effortOptions

	spread
}

func (a *analysis) explores() bool { return a.Limit != nil }
func (a *analysis) proves() bool   { return a.Cache != nil }
func (a *analysis) live() bool     { return a.command == "live" } // only liveness
func (a *analysis) showsAll() bool { return a.Output.All != nil && a.Output.All.all }

func (a *analysis) limits() timeLimit { return a.Time }

func (a *analysis) run(ctx context.Context, s *streams, args []string) error {
	path := args[0]
	if err := a.Output.valid(path); err != nil {
		return err
	}
	if err := tryTargets(path, a.targets(path)); err != nil {
		return err
	}
	exploration, err := a.exploration()
	if err != nil {
		return err
	}
	systems, warnings, err := deriveFile(ctx, s, path, a.Pass, front.Options{
		Derive: derive.Options{Unreduced: a.countsProcesses()},
		Open:   a.proves() && !a.explores(), Live: a.live()})
	if err != nil {
		return err
	}
	if err := a.fits(systems); err != nil {
		return err
	}
	text := systems[0].Spec.System.Source.Text // what is verified
	o, note, err := a.settings(ctx, path, systems)
	if err != nil {
		return err
	}
	o.Explicit = exploration
	if a.Explore != nil {
		o.Explicit.Stop = o.Stop && !o.Inductive
	}
	before := 0
	if a.Shard.given() {
		before = a.Shard.taken
	}
	began := time.Now()
	ctx, show, err := a.Effort.explained(ctx, s, a.given())
	if err != nil {
		return err
	}
	defer show()
	outcome, stability, err := a.verify(ctx, s, path, systems, o)
	if outcome == nil || err != nil && len(outcome.Results) == 0 {
		return a.failure(err)
	}
	if note != "" {
		outcome.Notes = append(outcome.Notes, note)
	}
	if names := unclaimed(systems); len(a.Selection.properties) == 0 && names != "" {
		outcome.Notes = append(outcome.Notes, "the file claims none of its formulas; -p NAME "+
			"chooses one of: "+names)
	}
	proofs := outcome.Results
	if a.certificate() != "" && !a.showsAll() { // it has what proofs rest on, too
		outcome.Results = claimed(systems, proofs)
	}
	r := a.report(path, systems, outcome)
	r.Warnings, r.Stability, r.Environment.Elapsed = warnings, stability, time.Since(began)
	err = errors.Join(err, a.carryOut(ctx, path, text, r))
	idle := a.Shard.given() && a.Shard.taken == before && len(r.Results) == 0
	if idle {
		r.Notes = append(r.Notes, "nothing of this file is in the part "+a.Shard.shard)
	}
	lost := a.Output.write(s, systems[0].Spec.System, r)
	if idle && err == nil {
		return orLost(lost, nil)
	}
	if err != nil {
		return orLost(lost, a.failure(err)) // finished results are shown
	}
	if path := a.certificate(); path != "" {
		lost = errors.Join(lost, writeCertificate(ctx, s, path, systems, proofs,
			outcome.Untimed))
	}
	return orLost(lost, a.Output.verdict(ctx, outcome, r))
}

// unclaimed are the names of the formulas that can be chosen where a file claims none.
func unclaimed(systems []*derive.Derived) string {
	var names []string
	for _, d := range systems {
		for _, p := range d.Spec.System.Properties {
			switch {
			case p.Tried:
				names = append(names, p.Name)
			case p.Kind != system.Defined && !p.EndsRuns() && p.Kind != system.Trusted &&
				!p.Span.IsZero():
				return ""
			}
		}
	}
	return strings.Join(names, " ")
}

// claimed are the results about what a file claims, without formulas that were tried as a help; all
// of them where it claims nothing else.
func claimed(systems []*derive.Derived, results []result.Result) []result.Result {
	tried := map[string]bool{}
	for _, p := range systems[0].Spec.System.Properties {
		tried[p.Name] = p.Tried
	}
	if out := slices.DeleteFunc(slices.Clone(results), func(r result.Result) bool {
		return tried[r.Property]
	}); len(out) > 0 {
		return out
	}
	return results
}

// verify runs the engines, once or as often as --stability says, and shows their progress. The
// outcome is nil where there is none.
func (a *analysis) verify(
	ctx context.Context, s *streams, path string, systems []*derive.Derived, o *verify.Options,
) (outcome *verify.Outcome, stability *result.Stability, err error) {
	began := time.Now()
	defer collectComputed(systems)()
	crew, err := a.crew(ctx, s, path, systems, o)
	if err != nil {
		return nil, nil, err
	}
	m := newMeter(s)
	if !a.Output.Report.quiet {
		o.Progress = m.event
		ctx = smt.WithNotice(ctx, func(text string) {
			m.event(engine.Progress{Text: text, Finished: true})
		})
	}
	if a.Stability != nil && a.Stability.runs > 0 {
		outcome, stability, err = a.Stability.stable(ctx, systems, *o)
	} else {
		outcome, err = verify.RunAll(ctx, systems, *o, a.chosen)
	}
	m.done()
	crew.end(ctx, s)
	if !a.Output.Report.quiet && outcome != nil && len(outcome.Results) > 0 {
		sayTime(s, time.Since(began))
	}
	return outcome, stability, err
}

// report is the report of a run.
func (a *analysis) report(
	path string, systems []*derive.Derived, outcome *verify.Outcome,
) *report.Report {
	r := &report.Report{
		Version: Version(), File: spoken(path), Command: a.command, Results: outcome.Results,
		Notes: outcome.Notes, Instances: outcome.Instances,
		Expectations: a.expectations(systems, outcome.Results),
		Environment: report.Environment{Date: time.Now(), CPUs: runtime.NumCPU(),
			Solvers: outcome.Solvers},
	}
	for _, l := range outcome.Lemmas {
		r.Lemmas = append(r.Lemmas,
			report.Lemma{Name: l.Name, Formula: l.Term.String(), For: l.For})
	}
	if names := outcome.Superfluous; len(names) > 0 && a.showsAll() {
		r.Notes = append(r.Notes,
			"no proof of this run used these invariants: "+strings.Join(names, ", "))
	}
	r.Notes = report.GroupNotes(r.Notes, r.Instances)
	for _, b := range r.Borders() {
		r.Notes = append(r.Notes, b.String())
	}
	r.Actions = actionLines(systems)
	if hint := a.hint(path, systems[0].Spec.System, r.Results); hint != "" {
		r.Notes = append(r.Notes, hint)
	}
	return r
}

// sayTime prints how long a run took.
func sayTime(s *streams, took time.Duration) {
	text := took.Round(10 * time.Millisecond).String()
	if text == "0s" {
		text = "less than 10ms"
	}
	fmt.Fprintf(s.err, "%s in all, by the clock; the column time has the time of each engine, and "+
		"several run at once\n", text)
}

// carryOut carries out the strategies of a file, where they do more than make claims, and adds what
// they find to the report.
func (a *analysis) carryOut(ctx context.Context, path, text string, r *report.Report) (err error) {
	carried := &accel.Carried{}
	switch p := front.Program(ctx, path, text); {
	case p == nil:
	case a.command != "verify" || len(a.Selection.properties) > 0 || a.Shard.given():
		carried.Notes = []string{"the strategies were not carried out, which decides their other " +
			"tests: verify does that, without --property and --shard"}
	default:
		if carried, err = accel.Strategies(ctx, p, accel.Default); err != nil {
			carried = &accel.Carried{}
		}
	}
	r.Results, r.Notes = append(r.Results, carried.Results...), append(r.Notes, carried.Notes...)
	if says := front.Of(path, "").Says; says != nil && !carried.Whole {
		r.Notes = append(r.Notes, says(path, text, r.Results)...)
	}
	return err
}

// actionLines are the lines of the actions that the file declares.
func actionLines(systems []*derive.Derived) map[string]int {
	lines := map[string]int{}
	for _, d := range systems {
		for _, a := range d.Spec.System.Actions {
			if a.Span.Source == d.Spec.System.Source {
				lines[a.Name] = a.Span.Line()
			}
		}
	}
	return lines
}

// targets are the paths that a run writes to.
func (a *analysis) targets(path string) []target {
	out := append(a.Output.targets(path), target{flag: "certificate", path: a.certificate()})
	if a.Solve != nil {
		out = append(out, target{"save-queries", a.Solve.queries, true})
	}
	if a.Explore != nil {
		out = append(out, target{"spill-dir", a.Explore.SpillDir, true})
		if !a.Explore.checkpoint.Resume {
			out = append(out, target{"checkpoint", a.Explore.checkpoint.Dir, true})
		}
	}
	return out
}

// failure attributes an error that prevents any result.
func (a *analysis) failure(err error) error {
	var checkpoint *engine.CheckpointError
	var option *engine.OptionError
	switch {
	case errors.Is(err, engine.ErrNoProperty):
		return &exitError{ExitUsage, err}
	case engine.IsRefusal(err):
		return &exitError{ExitFile, err}
	case errors.As(err, &checkpoint), errors.As(err, &option):
		return usage("%v", err)
	}
	return err
}

// certificate names the file for the proofs, if one was asked for.
func (a *analysis) certificate() string {
	if a.Certificate == nil {
		return ""
	}
	return a.Certificate.certificate
}

// expectations compares the results with the expectations of the file. These are about all
// reachable states, so there is nothing to compare with --inductive, --symmetry and --por, and for
// bounded runs.
func (a *analysis) expectations(
	systems []*derive.Derived, results []result.Result,
) (out []report.Expectation) {
	whole := !a.Shard.given()
	other := a.Explore != nil &&
		(a.Explore.inductive || a.Symmetry.symmetry || a.Explore.PartialOrder)
	if other || a.Bound != nil || a.Pass.pass != "" && a.Pass.pass != checkPass {
		return nil
	}
	for _, d := range systems {
		out = append(out,
			report.Expectations(d.Spec.System, results, a.explores() && a.proves() && whole)...)
	}
	return out
}

// countsProcesses reports whether an instance gives the number of processes of an algorithm, which
// is then not reduced.
func (a *analysis) countsProcesses() bool {
	return a.Instance != nil &&
		slices.ContainsFunc(a.Instance.instances, derive.CountsProcesses)
}

// fits refuses requests that do not fit the systems of a file.
func (a *analysis) fits(systems []*derive.Derived) error {
	for _, h := range a.Output.Trace.hide {
		if !slices.ContainsFunc(systems, func(d *derive.Derived) bool {
			return slices.ContainsFunc(d.Spec.System.Symbols, func(x *logic.Symbol) bool {
				return x.Name == h
			})
		}) {
			return usage("--hide: the file has no symbol %q", h)
		}
	}
	for _, name := range a.Selection.properties {
		for _, d := range systems {
			if own, ok := d.Own(name); ok && a.live() && d.Spec.System.Property(own) != nil &&
				!d.Spec.System.Property(own).IsTemporal() {
				return usage("%s is no liveness property; verify checks it", name)
			}
		}
	}
	src := systems[0].Spec.System.Source
	switch f := front.Of(src.Name, src.Text); {
	case a.Explore != nil && a.Explore.checkpoint.Dir != "" && len(systems) > 1:
		return usage("--checkpoint with several derived systems: choose one with --pass")
	case a.certificate() != "" && f.Translated && (f.Claimed == nil || a.command != "prove"):
		return usage("--certificate needs the text that is proved, and a file of %s is proved as "+
			"a translation: erelong convert --to ere writes it, and prove or infer certify that",
			f.Name)
	}
	return nil
}

// chosen finds the requested instances.
func (a *analysis) chosen(sys *system.System) ([]*system.Instance, error) {
	if a.Instance == nil {
		return nil, nil
	}
	return a.Instance.chosen(sys)
}

func (o *instanceOptions) chosen(sys *system.System) (out []*system.Instance, err error) {
	for _, text := range o.instances {
		if !strings.Contains(text, "=") {
			in := sys.Instance(text)
			if in == nil {
				var names []string
				for _, i := range sys.Instances {
					names = append(names, i.Name)
				}
				if len(names) == 0 {
					return nil, usage("the file has no instance %q, and no other; sizes and "+
						"values make one, as in -i node=3,N=2", text)
				}
				return nil, usage("the file has no instance %q; it has: %s", text,
					strings.Join(names, ", "))
			}
			out = append(out, in)
			continue
		}
		swept, err := ere.Instances(sys, text)
		if err != nil {
			return nil, &exitError{ExitUsage, err}
		}
		out = append(out, swept...)
	}
	return out, nil
}
