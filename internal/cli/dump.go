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
as a formula and as a program. The only pass so far is check.`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			if pass != "check" {
				return usage("there is no pass %q; the passes are: check", pass)
			}
			sys, err := load(s, args[0])
			if err != nil {
				return err
			}
			if _, err := io.WriteString(s.out, sys.String()); err != nil {
				return fmt.Errorf("printing the system: %w", err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&pass, "pass", "check", "the pass after which the system is printed")
	return cmd
}
