package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

func dumpCommand(s *streams) *cobra.Command {
	var pass string
	cmd := &cobra.Command{
		Use:   "dump FILE",
		Short: "Print the system that the engines see",
		Long: `dump prints the transition system after a pass: names resolved, sorts inferred, definitions expanded, and each action both
as a formula and as a program. A file without an algorithm has one pass, check. Of one with an algorithm, a pass makes the system
that it is called after: processes, one_way, one_way_in_rounds and others (see docs/algorithms.md).`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			spec, err := load(s, args[0], pass)
			if err != nil {
				return err
			}
			sys := spec.System
			if _, err := io.WriteString(s.out, sys.String()); err != nil {
				return fmt.Errorf("printing the system: %w", err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&pass, "pass", "", "the pass after which the system is printed")
	return cmd
}
