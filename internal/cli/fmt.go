package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front"
)

// layout is the handler of fmt.
type layout struct{ Layout *layoutOptions }

// layoutOptions say where the result goes.
type layoutOptions struct{ write, check bool }

func (o *layoutOptions) flags(fl *pflag.FlagSet) {
	fl.BoolVarP(&o.write, "write", "w", false,
		"write the result to the file instead of printing it")
	fl.BoolVar(&o.check, "check", false,
		"print the names of files whose layout differs, and exit with 3 if there is one")
}

func fmtCommand(s *streams) *cobra.Command {
	return attach(&cobra.Command{
		Use:   "fmt [FILE...]",
		Short: "Lay out specifications",
		Long: `fmt prints each file as erelong lays it out: spaces, indentation and blank lines change, line breaks within a declaration
and comments stay. Without a file, or for -, it formats the standard input.`,
	}, s, map[kind]handler{specifications: &layout{&layoutOptions{}}})
}

func (l *layout) idle() []idleOption {
	if l.Layout.check {
		return []idleOption{{"write", "--check only looks"}}
	}
	return nil
}

func (l *layout) run(_ context.Context, s *streams, args []string) error {
	check, write := l.Layout.check, l.Layout.write
	if len(args) == 0 {
		args = []string{standardInput}
	}
	if write && slices.Contains(args, standardInput) {
		return usage("fmt -w needs a file")
	}
	var failed error
	for _, path := range args {
		text, err := s.textOf(path)
		if err != nil {
			return err
		}
		if err := fmtOne(s, spoken(path), text, check, write); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

func fmtOne(s *streams, path, text string, check, write bool) error {
	f := front.Of(path, text)
	if f.Format == nil {
		return usage("fmt does not lay out a %s of %s", f.Kind, f.Name)
	}
	out, err := f.Format(path, text)
	if err != nil {
		var list *diag.List
		if errors.As(err, &list) {
			return &exitError{ExitFile, err}
		}
		return err
	}
	switch {
	case check:
		if out != text {
			fmt.Fprintln(s.out, path)
			return &exitError{code: ExitFile}
		}
		return nil
	case write:
		if out == text {
			return nil
		}
		return writeFile(path, func(w io.Writer) error {
			_, err := io.WriteString(w, out)
			return err
		})
	}
	_, err = io.WriteString(s.out, out)
	return err
}
