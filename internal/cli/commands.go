package cli

import (
	"github.com/spf13/cobra"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/verify"
)

// explored gives an analysis by exploration its groups.
func explored(command string) *analysis {
	return &analysis{
		command:   command,
		Output:    fullOutput(),
		Selection: &selectionOptions{}, Time: &timeOptions{}, Pass: &passOptions{},
		Shard: &shardOptions{}, Instance: &instanceOptions{},
		Limit: &limitOptions{}, Depth: &depthOptions{}, Symmetry: &symmetryOptions{},
		Search: &searchOptions{}, Explore: &exploreOptions{},
		spread: newSpread(),
	}
}

func fullOutput() output {
	return output{
		Report: &reportOptions{}, Trace: &traceOptions{}, Chart: &chartOptions{},
		ITF: &itfOptions{},
		All: &auxiliaryOptions{}, Expect: &expectOptions{},
	}
}

// timedHandler gives the handler of a command with models the groups that it shares with the
// handler of specifications.
func timedHandler(a *analysis) *queries {
	out := a.Output
	out.All, out.Proof = nil, nil
	return &queries{
		command: a.command, Output: out, Selection: a.Selection, Queries: &queryFileOptions{},
		Time: a.Time, Instance: a.Instance, Limit: a.Limit, Symmetry: a.Symmetry, Search: a.Search,
	}
}

func verifyCommand(s *streams) *cobra.Command {
	a := explored("verify")
	a.Output.Proof = &proofOptions{}
	a.Solve, a.Cache, a.Certificate, a.Induction = &solveOptions{}, &cacheOptions{},
		&certificateOptions{}, &inductionOptions{}
	a.Effort = &effortOptions{millions: verify.Effort / effort.Million}
	return eachFile(attach(&cobra.Command{
		Use:   "verify FILE...",
		Short: "Check every property with every engine that suits it",
		Long: `verify explores the instances of the file, and at the same time proves its properties for all instances. It prints one
table with a verdict for each property, and the counterexamples. A file without instances is explored with two elements in
every sort, within limits. FILE may be -, the standard input; of several files each has its table, and the exit code is
the worst.`,
		Args: someFiles,
	}, s, map[kind]handler{specifications: a, models: timedHandler(a)}))
}

func checkCommand(s *streams) *cobra.Command {
	a := explored("check")
	return eachFile(attach(&cobra.Command{
		Use:   "check FILE...",
		Short: "Explore finite instances state by state",
		Long: `check explores finite instances breadth-first: the counterexample to a property is a shortest one, and a property that
holds does so in every reachable state of the instance. No solver is needed.`,
		Args: someFiles,
	}, s, map[kind]handler{specifications: a, models: timedHandler(a)}))
}

func proveCommand(s *streams) *cobra.Command {
	a := &analysis{
		command: "prove", Output: fullOutput(), Selection: &selectionOptions{},
		Time: &timeOptions{}, Pass: &passOptions{}, Shard: &shardOptions{},
		Solve: &solveOptions{}, Cache: &cacheOptions{}, Stability: &stabilityOptions{},
		Certificate: &certificateOptions{}, Induction: &inductionOptions{},
		spread: newSpread(),
	}
	a.Output.Expect = nil // expectations are about reachable states, or about all engines together
	again := &recheck{Output: output{Report: a.Output.Report}, Solve: a.Solve,
		Recheck: &recheckOptions{}}
	return eachFile(attach(&cobra.Command{
		Use:   "prove FILE...",
		Short: "Prove properties for all instances, by induction",
		Long: `prove checks that the safety properties and invariants of the file together are inductive: they hold initially, and every
action preserves them. What is not inductive is shown as two states: the first satisfies all invariants, a step leads to the
second, which does not. That is no bug report: the first state may be unreachable.

With --certificate it writes down what was proved. With --recheck FILE is such a certificate: prove reads nothing else, and has
every proof obligation discharged again, by the other solver where one is installed. A second file must be the specification
of which the certificate speaks.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if again.Recheck.recheck && (len(args) < 1 || len(args) > 2) {
				return usage("prove --recheck takes a certificate, and the specification where it "+
					"is to be compared, but got %d arguments", len(args))
			}
			return someFiles(cmd, args)
		},
	}, s, map[kind]handler{specifications: a, certificates: again}))
}
