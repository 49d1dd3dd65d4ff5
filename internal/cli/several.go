package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"erelong.dev/erelong/internal/verdict"
)

// oneByOne is the annotation of commands that read several files, each separately.
const oneByOne = "one by one"

// eachFile makes a command read several files.
func eachFile(cmd *cobra.Command) *cobra.Command {
	cmd.Annotations[oneByOne] = "yes"
	return cmd
}

// refuseShared refuses options that name an output for a single file.
func refuseShared(cmd *cobra.Command) error {
	for _, flag := range []string{"html", "itf", "certificate", "checkpoint", "save-queries", recheckFlag} {
		if cmd.Flags().Changed(flag) {
			return usage("--%s is about one file: call %s for each", flag, cmd.Name())
		}
	}
	return nil
}

// fileRuns are the runs of one call.
type fileRuns struct {
	*streams
	files [][]string
	ways  []way
	text  bool // separate the reports by headings
}

// run runs them one after the other, within the time for all. The exit code is the worst.
func (r *fileRuns) run(ctx context.Context) error {
	if l, ok := r.ways[0].(limited); ok {
		within, cancel, err := l.limits().bound(ctx)
		if err != nil {
			return err
		}
		defer cancel()
		ctx = within
	}
	if len(r.files) == 1 {
		return r.ways[0].run(ctx, r.streams, r.files[0])
	}
	worst := ExitHolds
	for i, files := range r.files {
		if r.text {
			heading := "== " + spoken(files[0]) + "\n"
			if i > 0 {
				heading = "\n" + heading
			}
			if _, err := fmt.Fprint(r.out, heading); err != nil {
				return fmt.Errorf("writing the results: %w", err)
			}
		}
		worst = WorstExit(worst, r.report(r.ways[i].run(ctx, r.streams, files)))
		if verdict.ByUser(ctx) {
			break
		}
	}
	if worst == ExitHolds {
		return nil
	}
	return &exitError{code: worst}
}
