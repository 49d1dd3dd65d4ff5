package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/export"
)

// convert is the way of the command convert.
type convert struct {
	Pass   *passOptions
	Target *targetOptions
}

// targetOptions select the output language and the file.
type targetOptions struct{ to, output string }

func (o *targetOptions) flags(fl *pflag.FlagSet) {
	fl.StringVar(&o.to, "to", "", "the language: pyv (mypyvy)")
	fl.StringVarP(&o.output, "output", "o", "", "write to this file instead of printing")
}

func convertCommand(s *streams) *cobra.Command {
	return attach(&cobra.Command{
		Use:   "convert FILE --to pyv",
		Short: "Write a specification in another tool's language",
		Long: `convert prints the specification as a file for mypyvy (--to pyv): sorts, symbols, axioms, initial conditions, steps as formulas,
safety properties, invariants and theorems. So mypyvy can check a proof that erelong found. What mypyvy cannot express is an
error; what no proof of safety needs is left out, and named.`,
		Args: oneFile,
	}, s, map[kind]way{specifications: &convert{&passOptions{}, &targetOptions{}}})
}

func (c *convert) run(ctx context.Context, s *streams, args []string) error {
	if c.Target.to != "pyv" {
		return usage("--to %q is not supported: write pyv", c.Target.to)
	}
	spec, err := load(ctx, s, args[0], c.Pass)
	if err != nil {
		return err
	}
	text, notes, err := export.Pyv(spec.System)
	if err != nil {
		var list *diag.List
		if errors.As(err, &list) {
			return &exitError{ExitFile, err}
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
	if c.Target.output == "" {
		return write(s.out)
	}
	if err := writeFile(c.Target.output, write); err != nil {
		return fmt.Errorf("writing the converted file: %w", err)
	}
	return nil
}
