package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"erelong/internal/diag"
	"erelong/internal/export"
	"erelong/internal/verdict"
)

func convertCommand(s *streams) *cobra.Command {
	var to, output, pass string
	cmd := &cobra.Command{
		Use:   "convert FILE --to pyv",
		Short: "Write a specification in another tool's language",
		Long: `convert prints the specification as a file for mypyvy (--to pyv): sorts, symbols, axioms, initial conditions, steps as formulas,
safety properties, invariants and theorems. So mypyvy can check a proof that erelong found. What mypyvy cannot express is an
error; what no proof of safety needs is left out, and named.`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			if to != "pyv" {
				return usage("--to %q is not supported: write pyv", to)
			}
			spec, err := load(s, args[0], pass)
			if err != nil {
				return err
			}
			text, notes, err := export.Pyv(spec.System)
			if err != nil {
				var list *diag.List
				if errors.As(err, &list) {
					return &exitError{verdict.ExitFile, err}
				}
				return err
			}
			for _, n := range notes {
				fmt.Fprintf(s.err, "left out: %s\n", n)
			}
			write := func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			}
			if output == "" {
				return write(s.out)
			}
			if err := writeFile(output, write); err != nil {
				return fmt.Errorf("writing the converted file: %w", err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&pass, "pass", "", passUsage)
	cmd.Flags().StringVar(&to, "to", "", "the language: pyv (mypyvy)")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to this file instead of printing")
	return cmd
}
