package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"erelong/internal/interp"
	"erelong/internal/report"
	"erelong/internal/system"
	"erelong/internal/verdict"
)

func simCommand(s *streams) *cobra.Command {
	var path string
	var full bool
	var hide []string
	cmd := &cobra.Command{
		Use:   "sim FILE --trace TRACE",
		Short: "Replay a recorded trace",
		Long: `sim reads a trace in the ITF format, checks with the interpreter that it is a run of the specification (each state follows
from the one before by the action that the trace names), and shows it.`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if path == "" {
				return usage("sim needs --trace: the trace to replay")
			}
			sys, err := load(s, args[0])
			if err != nil {
				return err
			}
			file, err := os.Open(path)
			if err != nil {
				return &exitError{verdict.ExitFile, fmt.Errorf("reading the trace: %w", err)}
			}
			defer file.Close()
			trace, err := verdict.ReadITF(file)
			if err != nil {
				return &exitError{verdict.ExitFile, fmt.Errorf("reading the trace %s: %w", path, err)}
			}
			var property *system.Property
			if trace.Violates != "" && trace.Kind == verdict.Counterexample {
				if property = sys.Property(trace.Violates); property == nil {
					return &exitError{verdict.ExitFile, fmt.Errorf("the trace violates %s, which the file does not have", trace.Violates)}
				}
			}
			if err := interp.Replay(cmd.Context(), sys, trace, property); err != nil {
				return &exitError{verdict.ExitFile, fmt.Errorf("the trace is not a run of %s: %w", args[0], err)}
			}
			return report.WriteTrace(s.out, trace, report.Options{
				Color: s.color(), Width: s.width(), Full: full, Hide: hide, File: args[0], Snippet: sys.Source.Line,
			})
		},
	}
	cmd.Flags().StringVar(&path, "trace", "", "the trace to replay, an .itf.json file")
	cmd.Flags().BoolVar(&full, "full", false, "show every variable in every state, not only what changes")
	cmd.Flags().StringSliceVar(&hide, "hide", nil, "leave these variables out")
	return cmd
}
