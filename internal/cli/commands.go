package cli

import (
	"github.com/spf13/cobra"
)

func verifyCommand(s *streams) *cobra.Command {
	f := &runFlags{explore: true, prove: true}
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check every property with every engine that suits it",
		Long: `verify explores the instances of the file, and at the same time proves its properties for all instances. It prints one
table with a verdict for each property, and the counterexamples. A file without instances is explored with two elements in
every sort, within limits.`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), s, "verify", args[0]) },
	}
	f.register(cmd)
	return cmd
}

func checkCommand(s *streams) *cobra.Command {
	f := &runFlags{explore: true}
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Explore finite instances state by state",
		Long: `check explores finite instances breadth-first: the counterexample to a property is a shortest one, and a property that
holds does so in every reachable state of the instance. No solver is needed.`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), s, "check", args[0]) },
	}
	f.register(cmd)
	return cmd
}

func proveCommand(s *streams) *cobra.Command {
	f := &runFlags{prove: true}
	var certificate string
	cmd := &cobra.Command{
		Use:   "prove FILE",
		Short: "Prove properties for all instances, by induction",
		Long: `prove checks that the safety properties and invariants of the file together are inductive: they hold initially, and every
action preserves them. What is not inductive is shown as two states: the first satisfies all invariants, a step leads to the
second, which does not. That is no bug report: the first state may be unreachable.

With --certificate it writes down what was proved. With --recheck it reads nothing but such a certificate, and has every proof
obligation discharged again, by the other solver where one is installed. FILE is then optional: it must be the text of which
the certificate speaks.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if certificate != "" && len(args) == 0 {
				return nil
			}
			return oneFile(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if certificate != "" {
				return f.recheck(cmd.Context(), s, certificate, args)
			}
			return f.run(cmd.Context(), s, "prove", args[0])
		},
	}
	f.register(cmd)
	f.proofs.registerStability(cmd)
	cmd.Flags().StringVar(&certificate, "recheck", "", "check this certificate again, with the other solver")
	return cmd
}
