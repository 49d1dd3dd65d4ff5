package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/verify"
)

func reportCommand(s *streams) *cobra.Command {
	o := &output{Report: &reportOptions{}, Trace: &traceOptions{}, All: &auxiliaryOptions{}}
	var against string
	cmd := &cobra.Command{
		Use:   "report RESULTS.json",
		Short: "Show saved results again, and compare two runs",
		Long: `report reads what --format json has written, and shows it as the run did: as a table, or with --html, --sarif, --junit and
--format in another form. With --against it compares with an earlier run: properties that are new or gone, other verdicts,
other numbers of states, and what has become notably slower. The exit code is the one of the saved verdicts.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("report takes one file with results, but got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, i := range o.idle() {
				if given(cmd.Flags(), i.flag) {
					return usage("--%s would have no effect: %s", i.flag, i.why)
				}
			}
			return s.showSaved(cmd.Context(), args[0], against, o)
		},
		ValidArgsFunction: func(
			*cobra.Command, []string, string,
		) ([]string, cobra.ShellCompDirective) {
			return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	for _, g := range []group{o.Report, o.Trace, o.All} {
		bind(cmd.Flags(), g)
	}
	_ = cmd.Flags().MarkHidden("quiet") // there is no progress
	cmd.Flags().StringVar(&against, "against", "",
		"compare with the results in this file, of an earlier run")
	complete(cmd)
	return cmd
}

// showSaved shows the results in a file.
func (s *streams) showSaved(ctx context.Context, path, against string, o *output) error {
	if err := o.valid(path); err != nil {
		return err
	}
	targets := o.targets(path)
	if err := tryTargets(path, targets); err != nil {
		return err
	}
	saved, err := savedResults(path)
	if err != nil {
		return err
	}
	named := slices.IndexFunc(targets, func(t target) bool { return t.path != "" })
	if named >= 0 && len(saved) > 1 {
		return usage("%s has the results of %d runs, and --%s is about one", path, len(saved),
			targets[named].flag)
	}
	var before []*report.Report
	if against != "" {
		if before, err = savedResults(against); err != nil {
			return err
		}
	}
	worst := ExitHolds
	for i, r := range saved {
		if against != "" {
			r.Notes = append(r.Notes, comparison(r, before, against)...)
		}
		if i > 0 {
			if _, err := fmt.Fprintln(s.out); err != nil {
				return fmt.Errorf("writing the results: %w", err)
			}
		}
		lost := o.write(s, &system.System{Source: diag.NewSource(r.File, "")}, r)
		worst = WorstExit(worst, s.report(orLost(lost, o.verdict(ctx, &verify.Outcome{}, r))))
	}
	if worst == ExitHolds {
		return nil
	}
	return &exitError{code: worst}
}

// comparison compares with the run of the same file.
func comparison(r *report.Report, before []*report.Report, name string) (notes []string) {
	i := slices.IndexFunc(before, func(x *report.Report) bool { return x.File == r.File })
	switch {
	case i < 0 && len(before) == 1:
		i = 0
		notes = append(notes, fmt.Sprintf("%s is about %s", name, before[0].File))
	case i < 0:
		return []string{fmt.Sprintf("%s has no results about %s", name, r.File)}
	}
	lines := report.Compare(before[i], r)
	if len(lines) == 0 {
		return append(notes, "as in "+name)
	}
	for _, l := range lines {
		notes = append(notes, "compared with "+name+": "+l)
	}
	return notes
}

func savedResults(path string) ([]*report.Report, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &exitError{ExitFile, fmt.Errorf("reading the results: %w", err)}
	}
	saved, err := report.ReadJSON(bytes.NewReader(text))
	if errors.Is(err, report.ErrNotSaved) {
		return nil, &exitError{ExitFile, fmt.Errorf("%s: %w", path, err)}
	}
	return saved, err
}
