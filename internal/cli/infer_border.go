package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/verify"
)

// propose explores the instances that are asked for. Where a safety property holds in some of them
// and not in others, it adds the condition on their numbers to the text of the file, as an axiom.
func (w *inference) propose(ctx context.Context, s *streams, path string) error {
	w.borders, w.excluded = nil, nil
	if len(w.Instance.instances) == 0 {
		return nil
	}
	text, err := s.textOf(path)
	if err != nil {
		return err
	}
	if foreign(path, text) {
		return usage("--instance: a condition becomes an axiom, in erelong's language: erelong " +
			"convert --to ere writes this file in it")
	}
	r, sys, err := w.explore(ctx, s, path)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, border := range r.Borders() {
		if border.Kind == result.Safety {
			for _, name := range border.Numbers() {
				if system.SymbolOf(sys, name) == nil {
					return usage("--instance: %s, and an axiom cannot speak of %s: let only "+
						"constants vary", border, name)
				}
			}
			w.borders = append(w.borders, border)
			fmt.Fprintf(&b, "\n# proposed by erelong infer: %s\naxiom %s", border, border.Formula())
		}
	}
	if len(w.borders) == 0 {
		return usage("--instance: no condition on numbers is found: a property must hold in some " +
			"of these instances and be violated in others, and a sum of small multiples must " +
			"tell them apart, in enough of them; erelong check shows what holds where")
	}
	s.amended = map[string]string{path: text + b.String() + "\n"}
	return nil
}

// explore explores the instances, as the command check does.
func (w *inference) explore(
	ctx context.Context, s *streams, path string,
) (*report.Report, *system.System, error) {
	systems, _, err := deriveFile(ctx, s, path, w.Pass, front.Options{Derive: derive.Options{
		Unreduced: slices.ContainsFunc(w.Instance.instances, derive.CountsProcesses)}})
	if err != nil {
		return nil, nil, err
	}
	o := verify.Default()
	o.Prove, o.Infer, o.Live, o.Each = false, false, false, w.Time.perProperty()
	o.Only = chosen(w.Selection, systems)
	m := newMeter(s)
	if !w.Output.Report.quiet {
		o.Progress = m.event
	}
	outcome, err := verify.RunAll(ctx, systems, o, w.Instance.chosen)
	m.done()
	if err != nil {
		return nil, nil, (&analysis{}).failure(err)
	}
	return &report.Report{Results: outcome.Results, Instances: outcome.Instances},
		systems[0].Spec.System, nil
}

// leaveOut leaves the instances of the file out that contradict a proposed condition, and what is
// expected of them: they were explored before.
func (w *inference) leaveOut(systems []*derive.Derived) {
	for _, d := range systems {
		sys := d.Spec.System
		sys.Instances = slices.DeleteFunc(sys.Instances, func(in *system.Instance) bool {
			contradicts := slices.ContainsFunc(w.borders, func(b *report.Border) bool {
				values := make([]int64, len(b.Names))
				for i, name := range b.Names {
					v, given := in.Values[system.SymbolOf(sys, name)]
					if !given {
						return false
					}
					values[i] = v.Int.Int64()
				}
				return !b.Condition.True(values)
			})
			if contradicts && !slices.Contains(w.excluded, in.Name) {
				w.excluded = append(w.excluded, in.Name)
			}
			return contradicts
		})
		sys.Expectations = slices.DeleteFunc(sys.Expectations, func(e *system.Expectation) bool {
			return e.Instance != nil && !slices.Contains(sys.Instances, e.Instance)
		})
	}
}

// sayBorders adds the conditions to a report, and to what was proved under them.
func (w *inference) sayBorders(r *report.Report) {
	var conditions []result.Assumption
	for _, b := range w.borders {
		r.Notes = append(r.Notes, b.String())
		conditions = append(conditions, result.Assumption{Name: b.Formula(),
			Kind: result.ProposedCondition,
			Text: fmt.Sprintf("proposed after %d instances", b.Holds+b.Violated)})
	}
	if len(w.excluded) > 0 {
		r.Notes = append(r.Notes, "instances of the file that the condition excludes: "+
			strings.Join(w.excluded, ", "))
	}
	result.Assume(r.Results, conditions)
}
