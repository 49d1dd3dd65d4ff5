package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"erelong.dev/erelong/internal/front"
)

// dump is the handler of the command dump.
type dump struct {
	Pass *passOptions
	Time *wholeOptions
}

func (d *dump) limits() timeLimit { return d.Time }

func dumpCommand(s *streams) *cobra.Command {
	return attach(&cobra.Command{
		Use:   "dump FILE",
		Short: "Print the system that the engines see",
		Long: `dump prints the transition system after a pass: names resolved, sorts inferred, definitions expanded, and each action both
as a formula and as a program. A file without an algorithm has one pass, check. Of one with an algorithm, a pass makes the system
that it is called after: processes, one_way, one_way_in_rounds and others (erelong help algorithms).`,
		Args: oneFile,
	}, s, map[kind]handler{specifications: &dump{&passOptions{}, &wholeOptions{}}})
}

func (d *dump) run(ctx context.Context, s *streams, args []string) error {
	spec, err := load(throughout(ctx), s, args[0], d.Pass, front.Options{Open: true})
	if err != nil {
		return err
	}
	if _, err := io.WriteString(s.out, spec.System.String()); err != nil {
		return fmt.Errorf("printing the system: %w", err)
	}
	return nil
}
