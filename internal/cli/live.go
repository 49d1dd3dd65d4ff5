package cli

import "github.com/spf13/cobra"

func liveCommand(s *streams) *cobra.Command {
	f := &runFlags{explore: true, prove: true, live: true}
	cmd := &cobra.Command{
		Use:   "live FILE",
		Short: "Prove liveness for all instances, by ranking functions",
		Long: `live looks for a run that violates a liveness property on the instances of the file. Where there is none, it looks for ranking
functions: integers that are never negative, and of which one decreases with every step until what is good happens. It prints
them, and how many steps it takes at most. See docs/liveness.md for the hints that a file can give.`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), s, "live", args[0]) },
	}
	f.register(cmd)
	return cmd
}
