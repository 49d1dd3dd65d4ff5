package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// section is a part of the help of a command with many flags.
type section struct {
	title, about string
	flags        []string
	// rare flags stand in the help of a topic, where the command has a flag of the section besides
	rare  []string
	topic string

	place   place // where the flags can be set, unless placeOf says otherwise
	decides bool  // verdicts can depend on the flags
}

// sections have all flags of the commands with many flags.
func sections() []section {
	return []section{
		{title: "What is checked",
			about: "Without these, all properties, in all instances of the file.",
			flags: []string{"property", "instance", "query", "pass", "deadlock", "inductive",
				"stop-at-violation", "depth", "bound", "rounds", "recheck"},
			place: onLine},
		{title: "What counts as success", about: "Without these, that every property holds.",
			flags: []string{"expect", "require-proof"}, place: inFile, decides: true},
		{title: "What is shown", about: "On the terminal: a table, and the runs below it.",
			flags: []string{"all", "full", "hide", "chart", "levels", "as-tla", "explain-search",
				"quiet",
				"no-lints"},
			place: inFile},
		{title: "Files with the results", about: "For people, build servers and other programs.",
			flags: []string{"html", "format", "sarif", "junit", "itf", "certificate", "write"},
			place: inFile},
		{title: "Exploration", about: "How the states of an instance are searched, and kept.",
			flags: []string{"search", "threads", "symmetry", "por", "store"},
			rare: []string{"swarm", "walks", "walk-length", "seed-walk", "spill-dir", "checkpoint",
				"checkpoint-every", "resume"}, topic: "exploration",
			place: inEnvironment, decides: true},
		{title: "Proofs", about: "Which solvers prove, and how.",
			flags: []string{"solver", "induction", "simple-path", "cache", "jobs"},
			rare:  []string{"seed", "save-queries", "stability"}, topic: "solvers",
			place: inEnvironment, decides: true},
		{title: "Limits", about: "What they leave open is unknown.",
			flags: []string{"timeout", "limit-per-property", "max-states", "memory"},
			rare:  []string{"max-depth", "rlimit", "effort"}, topic: "limits",
			place: inEnvironment, decides: true},
		{title: "Several processes and machines", about: "Who does the work.",
			flags: []string{"workers", "shard"},
			rare: []string{"divide", "need", "team-key", "nats-ca", "nats-cert", "nats-creds",
				"nats-key"}, topic: "workers", place: inEnvironment, decides: true},
	}
}

// manyFlags is the number of flags from which on the help of a command has sections.
const manyFlags = 20

// usageOf writes how a command is used: its flags in sections where they are many.
func usageOf(plain func(*cobra.Command) error) func(*cobra.Command) error {
	return func(cmd *cobra.Command) error {
		n := 0
		cmd.LocalFlags().VisitAll(func(*pflag.Flag) { n++ })
		if n < manyFlags || serverSide(cmd) { // a worker's flags are its own
			return plain(cmd)
		}
		_, err := fmt.Fprintf(cmd.OutOrStderr(), "Usage:\n  %s\n%s", cmd.UseLine(), flagsOf(cmd))
		if err != nil {
			return fmt.Errorf("writing the help: %w", err)
		}
		return nil
	}
}

// flagsOf lists the flags of a command in their sections.
func flagsOf(cmd *cobra.Command) string {
	var b strings.Builder
	left := pflag.NewFlagSet("", pflag.ContinueOnError)
	cmd.LocalFlags().VisitAll(left.AddFlag)
	for _, s := range sections() {
		here, rare := pick(left, s.flags), pick(left, s.rare)
		if !here.HasFlags() {
			here, rare = rare, here
		}
		if !here.HasFlags() {
			continue
		}
		fmt.Fprintf(&b, "\n%s. %s\n%s", s.title, s.about, here.FlagUsages())
		if rare.HasFlags() {
			var names []string
			rare.VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
			fmt.Fprintf(&b, "      and %s: erelong help %s\n", strings.Join(names, ", "), s.topic)
		}
	}
	return b.String()
}

// pick gives the flags with these names, in this order.
func pick(from *pflag.FlagSet, names []string) *pflag.FlagSet {
	out := pflag.NewFlagSet("", pflag.ContinueOnError)
	out.SortFlags = false
	for _, name := range names {
		if f := from.Lookup(name); f != nil && !f.Hidden {
			out.AddFlag(f)
		}
	}
	return out
}

// rareFlags is the help of a topic: the rare flags of its section, with their meaning.
func rareFlags(root *cobra.Command, topic string) string {
	i := slices.IndexFunc(sections(), func(s section) bool { return s.topic == topic })
	s := sections()[i]
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, c := range root.Commands() {
		if c.Name() == "worker" || c.Name() == "jobs" {
			continue // they have the same names for their own side
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if all.Lookup(f.Name) == nil {
				all.AddFlag(f)
			}
		})
	}
	return pick(all, slices.Concat(s.flags, s.rare)).FlagUsages()
}
