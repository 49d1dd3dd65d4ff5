package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/front/tla"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/verify"
)

// output is the output of the commands that check properties. A group is nil where it does not
// apply.
type output struct {
	Report *reportOptions
	Trace  *traceOptions
	Chart  *chartOptions
	ITF    *itfOptions
	All    *auxiliaryOptions
	Expect *expectOptions
	Proof  *proofOptions
	Bounds *boundsOptions
}

// verdict is the exit code.
func (o *output) verdict(ctx context.Context, outcome *verify.Outcome, r *report.Report) error {
	if result.ByUser(ctx) {
		return &exitError{ExitInterrupted, fmt.Errorf("interrupted; what was finished is above")}
	}
	if alarms := result.Alarms(r.Results); len(alarms) > 0 {
		return contradiction(r.File, alarms)
	}
	code := ExitCode(r.Results)
	if code == ExitHolds && r.Stability != nil && len(r.Stability.Brittle()) > 0 {
		code = ExitUnknown
	}
	met := !slices.ContainsFunc(r.Expectations, func(e report.Expectation) bool { return !e.Met })
	violated := code == ExitDeadlock || code == ExitSafety || code == ExitLiveness
	expect := o.Expect != nil && o.Expect.expect
	switch {
	case len(outcome.Refused) > 0:
		return &exitError{ExitFile, outcome.Refusal()}
	case outcome.NoSolver != nil && !violated:
		return &exitError{ExitSolver, outcome.NoSolver}
	case code == ExitFile: // whatever was expected
	case expect && len(r.Expectations) == 0:
		return usage("--expect: the file states no expectation that this command can check")
	case expect && met:
		return nil
	case expect || code == 0 && !met:
		code = ExitExpectation
	}
	if code == 0 && o.Proof != nil && o.Proof.require {
		if some := instancesOnly(r.Results); len(some) > 0 {
			return &exitError{ExitUnknown,
				fmt.Errorf("--require-proof: in the instances explored only: %s",
					strings.Join(some, ", "))}
		}
	}
	if code == 0 {
		return nil
	}
	return &exitError{code: code}
}

// instancesOnly names the properties that hold without being known to hold for all instances.
func instancesOnly(results []result.Result) (names []string) {
	for _, o := range result.Outcomes(results) {
		if o.Coverage == result.InInstances {
			names = append(names, o.Property)
		}
	}
	return names
}

// contradiction is the error for verdicts that cannot all be right.
func contradiction(file string, alarms []string) error {
	return &exitError{ExitInternal,
		fmt.Errorf("ALARM: the verdicts on %s contradict each other, so one of them is wrong, "+
			"and so is erelong or a solver; "+
			"trust none of them, and please report it with the file: %s", file,
			strings.Join(alarms, "; "))}
}

// valid refuses impossible values of options.
func (o *output) valid(path string) error {
	_, err := o.Report.destinations(path)
	return err
}

// idle names the options without effect beside others.
func (o *output) idle() (out []idleOption) {
	if o.Expect != nil && o.Expect.expect {
		out = append(out, idleOption{"require-proof", "--expect alone decides the exit code"})
	}
	if o.Bounds != nil && !o.Bounds.bound {
		out = append(out, idleOption{"rounds", "--bound shows how many steps it takes"})
	}
	list, err := o.Report.destinations("")
	if err != nil || slices.ContainsFunc(list, func(d destination) bool { return !d.whole }) {
		return out
	}
	why := "--format " + list[0].name + " shows everything"
	for _, name := range []string{"full", "all", "chart"} {
		out = append(out, idleOption{name, why})
	}
	if o.Report.html == "" && !slices.ContainsFunc(list, func(d destination) bool {
		return d.name != "json"
	}) {
		out = append(out, idleOption{"hide", why})
	}
	return out
}

// positions is the file in which a system has its places: for a configuration the one of its
// module.
func positions(sys *system.System, given string) string {
	if sys.Computed != nil || tla.Extension(given) {
		return sys.Source.Name
	}
	return given
}

// declaredElsewhere has the files of the properties that another file declares than the one of the
// system, such as a module that it extends.
func declaredElsewhere(sys *system.System) map[string]*diag.Source {
	out := map[string]*diag.Source{}
	for _, p := range sys.Properties {
		at := p.Span.Source
		if at == nil && p.Term != nil {
			at = p.Term.Span.Source
		}
		if at != nil && at != sys.Source {
			out[p.Name] = at
		}
	}
	return out
}

// write writes the requested files, and prints the report. A failure to write a file is an error;
// the other files are still written.
func (o *output) write(s *streams, sys *system.System, r *report.Report) error {
	r.Unfinished = result.UnfinishedOf(r.Results, sys.View)
	view := report.Options{Color: s.color(), Width: s.width(), File: positions(sys, r.File),
		Snippet: sys.Source.Line, Elsewhere: declaredElsewhere(sys)}
	if o.Trace != nil {
		view.Full, view.Hide = o.Trace.full, o.Trace.hide
	}
	if o.Bounds != nil {
		view.Bounds = o.Bounds.bound
	}
	view.Chart = o.Chart != nil && o.Chart.chart
	var lost []error
	if path := o.Report.html; path != "" {
		if err := writeFile(path,
			func(w io.Writer) error { return report.WriteHTML(w, r, view) }); err != nil {
			lost = append(lost, fmt.Errorf("writing the report for --html: %w", err))
		}
	}
	if o.ITF != nil && o.ITF.itf != "" {
		if err := writeITF(s, o.ITF.itf, r); err != nil {
			lost = append(lost, fmt.Errorf("writing a trace for --itf: %w", err))
		}
	}
	lost = append(lost, o.writeFormats(s, r, view)...)
	return errors.Join(lost...)
}

// writeFormats writes the report in each requested format.
func (o *output) writeFormats(s *streams, r *report.Report, view report.Options) (lost []error) {
	list, err := o.Report.destinations(r.File)
	if err != nil {
		return []error{err}
	}
	r.ExpectationsDecide = o.Expect != nil && o.Expect.expect
	return o.writeTo(s, list, r, view)
}

func (o *output) writeTo(
	s *streams, list []destination, r *report.Report, view report.Options,
) (lost []error) {
	for _, d := range list {
		if d.path == "" {
			if err := d.write(o, s.out, r, view); err != nil {
				lost = append(lost, err)
			}
			continue
		}
		plain := view
		plain.Color, plain.Width = false, 0
		if err := writeFile(d.path,
			func(w io.Writer) error { return d.write(o, w, r, plain) }); err != nil {
			lost = append(lost, fmt.Errorf("writing the results for --format %s: %w", d.name, err))
		}
	}
	return lost
}

// traces selects the traces to show: for each property its shortest run to a violation, or else any
// other trace, also the run of what asks for one.
func traces(results []result.Result) (out []*result.Trace) {
	best := map[string]*result.Trace{}
	var order []string
	for _, r := range results {
		if r.Trace == nil ||
			r.Trace.Kind == result.Witness && r.Verdict == result.Holds &&
				r.Engine != induction.Name && r.Kind != result.Scenario {
			continue
		}
		b := best[r.Property]
		if b == nil {
			order = append(order, r.Property)
		}
		run, bestRun := r.Trace.Kind != result.ToInduction, b != nil && b.Kind != result.ToInduction
		if b == nil || run && !bestRun || run == bestRun && len(r.Trace.Steps) < len(b.Steps) {
			best[r.Property] = r.Trace
		}
	}
	for _, name := range order {
		out = append(out, best[name])
	}
	// Runs come before pictures of steps that need not be part of any run.
	slices.SortStableFunc(out, func(a, b *result.Trace) int {
		return cmp.Compare(last(a), last(b))
	})
	return out
}

// last is 1 for a counterexample to induction.
func last(t *result.Trace) int {
	if t.Kind == result.ToInduction {
		return 1
	}
	return 0
}

// withoutAuxiliary removes the invariants and ranges that hold, or, for bounded runs, hold up to
// the depth. When a property is violated, it also removes the ones that were not decided because
// the search stopped there, and next to properties that nothing has checked the ones that nothing
// has checked, either. Notes say so.
func withoutAuxiliary(r *report.Report) ([]result.Result, []string) {
	outcomes := result.Outcomes(r.Results)
	violated := slices.ContainsFunc(outcomes, func(o result.Outcome) bool {
		return o.Verdict == result.Violated
	})
	unchecked := slices.ContainsFunc(outcomes, func(o result.Outcome) bool {
		return o.Verdict == result.NothingChecked && !o.Kind.IsAuxiliary()
	})
	bounded := r.Command == "bmc"
	hidden := map[string]bool{}
	hold, open, not := 0, 0, 0
	for _, o := range outcomes {
		if !o.Kind.IsAuxiliary() {
			continue
		}
		switch {
		case o.Verdict == result.Holds:
			hold++
		case (o.Verdict == result.HoldsUpTo || o.Verdict == result.HoldsInitially) &&
			(violated || bounded):
			open++
		case o.Verdict == result.NothingChecked && unchecked:
			not++
		default:
			continue
		}
		hidden[o.Property] = true
	}
	shown := slices.DeleteFunc(slices.Clone(r.Results), func(x result.Result) bool {
		return hidden[x.Property]
	})
	if len(shown) == 0 {
		return r.Results, r.Notes
	}
	var notes []string
	note := func(n int, one, many string) {
		switch {
		case n == 1:
			notes = append(notes, "1 auxiliary invariant "+one+" (--all shows it)")
		case n > 1:
			notes = append(notes,
				fmt.Sprintf("%d auxiliary invariants %s (--all shows them)", n, many))
		}
	}
	note(hold, "holds, too", "hold, too")
	if bounded {
		note(open, "holds up to the depth, too", "hold up to the depth, too")
	} else {
		note(open, "was not decided: the search stopped at the violation",
			"were not decided: the search stopped at the violation")
	}
	note(not, "was not checked, either", "were not checked, either")
	return shown, append(notes, r.Notes...)
}
