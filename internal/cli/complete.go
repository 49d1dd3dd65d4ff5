package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/smt"
)

// complete lets the shell complete files and the values of options, some of which come from the
// named file.
func complete(cmd *cobra.Command) {
	if cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = func(
			*cobra.Command, []string, string,
		) ([]string, cobra.ShellCompDirective) {
			return []string{"ere", "pyv", "ivy", "fst", "xta", "xml"},
				cobra.ShellCompDirectiveFilterFileExt
		}
	}
	fixed := func(values ...string) cobra.CompletionFunc {
		return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	}
	inFile := func(names func(*front.File) []string) cobra.CompletionFunc {
		return func(
			cmd *cobra.Command, args []string, _ string,
		) ([]string, cobra.ShellCompDirective) {
			return namesIn(cmd.Context(), args, names), cobra.ShellCompDirectiveNoFileComp
		}
	}
	for flag, values := range map[string]cobra.CompletionFunc{
		"format": fixed(formatNames()...), "cache": fixed(cacheUse, cacheVerify, cacheOff),
		"solver":   fixed(smt.Names()...),
		"search":   fixed(explicit.BreadthFirst, explicit.DepthFirst, explicit.RandomWalks),
		"store":    fixed(explicit.Exact, explicit.Packed, explicit.Hash, explicit.Bitstate),
		"property": inFile(propertiesOf), "instance": inFile(instancesOf),
	} {
		if cmd.Flags().Lookup(flag) != nil {
			// it fails only where there is one already
			_ = cmd.RegisterFlagCompletionFunc(flag, values)
		}
	}
}

// namesIn lists names in the files on the line so far.
func namesIn(
	ctx context.Context, files []string, names func(*front.File) []string,
) (out []string) {
	for _, path := range files {
		if path == standardInput {
			continue
		}
		file, err := front.Load(ctx, path, front.Options{})
		if err != nil {
			continue
		}
		for _, n := range names(file) {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

func propertiesOf(f *front.File) (names []string) {
	for _, d := range f.Systems {
		for _, p := range d.Spec.System.Properties {
			names = append(names, d.Reported(p.Name))
		}
		for _, s := range d.Spec.System.Scenarios {
			names = append(names, s.Name)
		}
	}
	if f.Network != nil {
		for _, q := range f.Network.Queries {
			names = append(names, q.Text)
		}
	}
	return names
}

func instancesOf(f *front.File) (names []string) {
	for _, d := range f.Systems {
		for _, in := range d.Spec.System.Instances {
			names = append(names, in.Name)
		}
	}
	return names
}

// completeCodes lists the error codes.
func completeCodes(*cobra.Command, []string, string) (codes []string, _ cobra.ShellCompDirective) {
	for _, e := range diag.Catalogue() {
		codes = append(codes, string(e.Code)+"\t"+e.Title)
	}
	return codes, cobra.ShellCompDirectiveNoFileComp
}
