package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"erelong.dev/erelong/internal/testkit"
)

// The results of all parts are the results of the whole run, each once.
func TestShardsAreTheWhole(t *testing.T) {
	testkit.Solvers(t)
	rows := func(e essence) (out []string) {
		for _, r := range e.Results {
			out = append(out,
				fmt.Sprintf("%s %s %s %s: %s, %d states, depth %d, %d transitions, %v",
					r.Property, r.Scope, r.Engine, r.Reason, r.Verdict, r.States, r.Depth,
					r.Transitions, r.Trace != nil))
		}
		slices.SortFunc(out, cmp.Compare)
		return out
	}
	for name, options := range map[string][]string{
		"lease.ere": nil, "lease_without_drift.ere": {"-i", "client=1..2,L=1..2,D=1"}, "failure_detector/small_timeout.ere": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("..", "..", "examples", filepath.FromSlash(name))
			args := append([]string{"verify", "-q", "--format", "json", path}, options...)
			whole, _ := essenceOf(t, args...)
			var parts []string
			for i := range 3 {
				part, _ := essenceOf(t, append(args, "--shard", fmt.Sprintf("%d/3", i+1))...)
				parts = append(parts, rows(part)...)
			}
			slices.Sort(parts)
			if d := diff.Diff(rows(whole), parts); d != "" {
				t.Errorf("the whole run -, the parts +\n%s", d)
			}
		})
	}
}
