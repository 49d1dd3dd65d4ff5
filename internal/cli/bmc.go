package cli

import "github.com/spf13/cobra"

func bmcCommand(s *streams) *cobra.Command {
	a := &analysis{
		command: "bmc", Output: fullOutput(), Selection: &selectionOptions{}, Time: &timeOptions{},
		Pass: &passOptions{}, Instance: &instanceOptions{},
		Solve: &solveOptions{}, Bound: &boundOptions{},
	}
	a.Output.Expect = nil // expectations are about all runs
	return attach(&cobra.Command{
		Use:   "bmc FILE",
		Short: "Search for a shortest violation with solvers, in runs of a bounded number of steps",
		Long: `bmc looks at runs of 0, 1, 2, ... steps and asks a solver whether one of them violates a safety property, an invariant or a
declared range. Without --instance the solver chooses the sizes of the sorts and the values of the parameters, too. A run
that is found has the fewest states of all, and is shown after the interpreter has replayed it. If there is none the
property holds up to the depth: nothing is said of longer runs. Where steps have hundreds of branches in a
row and no instance is given, induction is tried first, and may prove that a property holds. Deadlocks, temporal properties,
theorems and scenarios are not looked at.`,
		Args: oneFile,
	}, s, map[kind]handler{specifications: a})
}
