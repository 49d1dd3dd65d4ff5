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
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/result"
)

// convert is the handler of the command convert.
type convert struct {
	Pass   *passOptions
	Target *targetOptions
	Time   *wholeOptions
}

func (c *convert) limits() timeLimit { return c.Time }

// targetOptions select the output language and the file.
type targetOptions struct{ to, output string }

func (o *targetOptions) flags(fl *pflag.FlagSet) {
	fl.StringVar(&o.to, "to", "",
		"the language: pyv (mypyvy), or ere (erelong's own) for a file of Ivy, FAST, TLA+ or Quint")
	fl.StringVarP(&o.output, "output", "o", "", "write to this file instead of printing")
}

func convertCommand(s *streams) *cobra.Command {
	return attach(&cobra.Command{
		Use:   "convert FILE --to pyv|ere",
		Short: "Write a specification in another tool's language",
		Long: `convert prints the specification as a file for mypyvy (--to pyv): sorts, symbols, axioms, initial conditions, steps as formulas,
safety properties, invariants and theorems. So mypyvy can check a proof that erelong found. What mypyvy cannot express is an
error; what no proof of safety needs is left out, and named. --to ere writes a file of Ivy, FAST, TLA+ or Quint in erelong's own language.`,
		Args: oneFile,
	}, s, map[kind]handler{
		specifications: &convert{&passOptions{}, &targetOptions{}, &wholeOptions{}},
	})
}

func (c *convert) run(ctx context.Context, s *streams, args []string) error {
	switch c.Target.to {
	case "pyv":
	case "ere":
		return c.own(ctx, s, args[0])
	default:
		return usage("--to %q is not supported: write pyv or ere", c.Target.to)
	}
	spec, err := load(throughout(ctx), s, args[0], c.Pass, front.Options{Open: true})
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
	return c.write(s, text)
}

// own writes a file of another language in erelong's.
func (c *convert) own(ctx context.Context, s *streams, path string) error {
	text, err := s.textOf(path)
	if err != nil {
		return err
	}
	f := front.Of(path, text)
	if f.Convert == nil {
		return usage("--to ere is for files of other languages, and %s is read as one of %s", path,
			f.Name)
	}
	out, err := f.Convert(ctx, path, text)
	if limit := new(result.Limit); errors.As(err, &limit) {
		return &exitError{ExitUnknown, err}
	}
	if err != nil {
		var list *diag.List
		if errors.As(err, &list) {
			return &exitError{ExitFile, err}
		}
		return err
	}
	return c.write(s, out)
}

// write puts the text where it was asked for.
func (c *convert) write(s *streams, text string) error {
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
