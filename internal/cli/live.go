package cli

import "github.com/spf13/cobra"

func liveCommand(s *streams) *cobra.Command {
	a := &analysis{
		command: "live", Output: fullOutput(), Selection: &selectionOptions{},
		Time: &timeOptions{}, Pass: &passOptions{}, Shard: &shardOptions{},
		Instance: &instanceOptions{},
		Limit:    &limitOptions{}, Depth: &depthOptions{}, Solve: &solveOptions{},
		Cache: &cacheOptions{}, Certificate: &certificateOptions{},
		Effort: &effortOptions{},
		spread: newSpread(),
	}
	a.Output.Proof, a.Output.Bounds = &proofOptions{}, &boundsOptions{}
	return eachFile(attach(&cobra.Command{
		Use:   "live FILE...",
		Short: "Prove liveness for all instances, by ranking functions",
		Long: `live looks for a run that violates a liveness property on the instances of the file. Where there is none, it looks for ranking
functions: integers that are never negative, and of which one decreases with every step until what is good happens. It prints
them, and how many steps it takes at most. erelong help liveness has the hints that a file can give.`,
		Args: someFiles,
	}, s, map[kind]handler{specifications: a}))
}
