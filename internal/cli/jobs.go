package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"erelong.dev/erelong/internal/work/queue"
)

func jobsCommand(s *streams) *cobra.Command {
	var o addressOptions
	cmd := &cobra.Command{
		Use:   "jobs",
		Short: "List the runs that have work done by workers; cancel one, or go on with one",
		Long: `jobs lists the runs of commands with --workers that a NATS server knows, with the jobs that are open. jobs cancel RUN takes
the jobs of a run back. jobs attach RUN goes on with a run whose program was killed: it gives the same command, and what is
done is not done again.`,
		Args: noFile,
	}
	o.flags(cmd.PersistentFlags())
	with := func(ctx context.Context, do func(context.Context, *streams, *queue.Conn) error) error {
		c, err := o.connect(ctx, "jobs")
		if err != nil {
			return err
		}
		defer c.Close()
		return do(ctx, s, c)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return with(cmd.Context(), writeRuns) }
	one := func(
		name, short string, do func(
			ctx context.Context, s *streams, c *queue.Conn, run string,
		) error,
	) {
		cmd.AddCommand(&cobra.Command{Use: name + " RUN", Short: short, Args: oneRun, RunE: func(
			cmd *cobra.Command, args []string,
		) error {
			return with(cmd.Context(), func(ctx context.Context, s *streams, c *queue.Conn) error {
				err := do(ctx, s, c, args[0])
				if errors.Is(err, queue.ErrNoRun) {
					err = usage("%v; erelong jobs lists the runs", err)
				}
				return err
			})
		}})
	}
	one("cancel", "Take the jobs of a run back", func(
		ctx context.Context, _ *streams, c *queue.Conn, run string,
	) error {
		return c.Cancel(ctx, run, "cancelled by erelong jobs")
	})
	one("attach", "Go on with a run", attachRun)
	return cmd
}

// oneRun is the argument check of commands about one run.
func oneRun(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage("%s takes the name of one run, but got %d arguments; erelong jobs lists "+
			"the runs", cmd.CommandPath(), len(args))
	}
	return nil
}

// writeRuns prints a table of the runs.
func writeRuns(ctx context.Context, s *streams, c *queue.Conn) error {
	runs, err := c.Runs(ctx)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "run\tbegun\thost\tfile\topen jobs\tended")
	for _, r := range runs {
		open, err := c.Open(ctx, r.ID)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\n", r.ID, r.Begun.Format(time.DateTime), r.Host,
			r.File, open, cmp.Or(r.Ended, "-"))
	}
	return w.Flush()
}

// attachRun gives the command of a run again, under its name.
func attachRun(ctx context.Context, s *streams, c *queue.Conn, run string) error {
	r, err := c.Record(ctx, run)
	if err != nil {
		return err
	}
	if r.File == spoken(standardInput) {
		return usage("the run %s has read its standard input, so nobody can go on with it", run)
	}
	text, err := os.ReadFile(r.File)
	if err != nil {
		return usage("going on with %q: %v; call it in the folder of the run",
			strings.Join(r.Command, " "), err)
	}
	if r.Text != "" && string(text) != r.Text {
		return usage("%s has changed since the run %s began; begin a new one: erelong %s", r.File,
			run, strings.Join(r.Command, " "))
	}
	again := *s
	again.args, again.run = r.Command, run
	root := rootCommand(&again)
	root.SetArgs(r.Command)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	configure(root, &again, ".")
	return root.ExecuteContext(ctx)
}
