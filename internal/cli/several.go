package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"erelong.dev/erelong/internal/result"
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
	for _, item := range sharedFormats(cmd) {
		if strings.Contains(item, "=") {
			return usage("--format %s is about one file: without '=' each file has results "+
				"beside it", item)
		}
	}
	for _, flag := range []string{"html", "sarif", "junit", "itf", "certificate", "checkpoint",
		"save-queries", recheckFlag} {
		if cmd.Flags().Changed(flag) {
			return usage("--%s is about one file: call %s for each", flag, cmd.Name())
		}
	}
	return nil
}

// sharedFormats are the formats that a command is to write.
func sharedFormats(cmd *cobra.Command) []string {
	list, err := cmd.Flags().GetStringSlice("format")
	if err != nil {
		return nil // the command has no such option
	}
	return list
}

// printsText reports whether the results on the standard output are text.
func printsText(cmd *cobra.Command) bool {
	for _, item := range sharedFormats(cmd) {
		if name, _, named := strings.Cut(item, "="); !named {
			return name == formats()[0].name
		}
	}
	return false
}

// fileRuns are the runs of one call.
type fileRuns struct {
	*streams
	command  string
	files    [][]string
	handlers []handler
	text     bool // separate the reports by headings
}

// one makes a run.
func (r *fileRuns) one(ctx context.Context, i int) error {
	h, files := r.handlers[i], r.files[i]
	err := h.run(ctx, r.streams, files)
	if err == nil || len(files) == 0 {
		return err
	}
	return broken(r.streams, r.command, h, files[0], err)
}

// run runs them one after the other, within the time for all. The exit code is the worst.
func (r *fileRuns) run(ctx context.Context) error {
	if l, ok := r.handlers[0].(limited); ok {
		within, cancel, err := l.limits().bound(ctx)
		if err != nil {
			return err
		}
		defer cancel()
		ctx = within
	}
	if len(r.files) == 1 {
		return r.one(ctx, 0)
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
		worst = WorstExit(worst, r.report(r.one(ctx, i)))
		if result.ByUser(ctx) {
			break
		}
	}
	if worst == ExitHolds {
		return nil
	}
	return &exitError{code: worst}
}
