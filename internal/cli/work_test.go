package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// spending is what a verdict took: what does not depend on the machine, but on the versions of
// solvers.
type spending struct {
	// Explored has the states, the transitions and the depth of each explored instance.
	Explored map[string][3]int64 `json:"explored,omitempty"`
	// Allocations of the exploration, in thousands.
	Allocations int64 `json:"allocations"`
	Obligations int64 `json:"obligations,omitempty"`
	Queries     int64 `json:"queries,omitempty"`
	Units       int64 `json:"units,omitempty"` // resources of z3
}

// worked is the golden file.
type worked struct {
	Solvers []string            `json:"solvers"`
	Files   map[string]spending `json:"files"`
}

// text has a line for each file.
func (w *worked) text() ([]byte, error) {
	solvers, err := json.Marshal(w.Solvers)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(w.Files)) {
		line, err := json.Marshal(w.Files[name])
		if err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprintf("  %q: %s", name, line))
	}
	return fmt.Appendf(nil, "{\n \"solvers\": %s,\n \"files\": {\n%s\n }\n}\n", solvers,
		strings.Join(lines, ",\n")), nil
}

const workFile = "testdata/work.golden"

// mostObligations bounds the proofs whose work is counted: the others take long.
const mostObligations = 60

// The work on each example is the one that is written down, so that a slowdown shows as a
// difference in a file. `ERELONG_TEST=ci go test ./internal/cli -run 'TestWork$' -update`
// writes it.
func TestWork(t *testing.T) {
	testkit.InCI(t)
	ctx := testkit.Solving(t)
	t.Setenv(cacheEnv, cacheOff)
	report := func(t *testing.T, args ...string) (report workReport) {
		var out, errOut bytes.Buffer
		Main(ctx, append(args, "--format", "json", "-q"), nil, &out, &errOut)
		if err := json.Unmarshal(out.Bytes(), &report); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, &errOut)
		}
		return report
	}
	var golden worked
	text, err := os.ReadFile(workFile)
	if err == nil {
		err = json.Unmarshal(text, &golden)
	}
	if err != nil && !*update {
		t.Fatal(err)
	}
	got := worked{Files: map[string]spending{}}
	for _, d := range testkit.Solvers(t) {
		got.Solvers = append(got.Solvers, d.Name()+" "+d.Version())
	}
	for _, path := range glob(t, "../../examples/*.ere", "../../examples/*/*.ere") {
		name := strings.TrimPrefix(filepath.ToSlash(path), "../../examples/")
		t.Run(name, func(t *testing.T) {
			heavy(t, path)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			explored := report(t, "check", "--threads", "1", path)
			runtime.ReadMemStats(&after)
			w := spending{Explored: map[string][3]int64{},
				Allocations: int64(after.Mallocs-before.Mallocs) / 1000}
			for _, x := range explored.Results {
				if x.States > 0 {
					w.Explored[x.Scope] = [3]int64{x.States, x.Transitions, x.Depth}
				}
			}
			if golden.Files[name].Obligations > 0 || *update {
				w.prove(report(t, "prove", "--jobs", "1", path))
			}
			got.Files[name] = w
			if !*update {
				w.compare(t, golden.Files[name], slices.Equal(got.Solvers, golden.Solvers))
			}
		})
	}
	if *update {
		text, err := got.text()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(workFile, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

type workReport struct {
	Results []struct {
		Scope, Verdict             string
		States, Transitions, Depth int64
		Queries                    int64
		Evidence                   struct {
			Obligations []struct {
				Verdict string
				Rlimit  int64
			}
		}
	}
}

// prove adds the work of proofs, where all obligations are proved and they are few: what is not
// proved takes as long as the limits say, and races.
func (w *spending) prove(report workReport) {
	for _, x := range report.Results {
		w.Queries += x.Queries
		for _, o := range x.Evidence.Obligations {
			w.Obligations++
			w.Units += o.Rlimit
			if o.Verdict != "holds" {
				w.Obligations, w.Queries, w.Units = 0, 0, 0
				return
			}
		}
	}
	if w.Obligations > mostObligations {
		w.Obligations, w.Queries, w.Units = 0, 0, 0
	}
}

// compare says what differs from what is written down. Counts of states are exact; what solvers and
// the memory took may differ by a quarter.
func (w *spending) compare(t *testing.T, want spending, sameSolvers bool) {
	t.Helper()
	if !maps.Equal(w.Explored, want.Explored) {
		t.Errorf("states, transitions and depth: %v, and %v is written down", w.Explored,
			want.Explored)
	}
	near := func(what string, got, want int64) {
		if 4*got > 5*want+40 || 5*got+40 < 4*want {
			t.Errorf("%s: %d, and %d is written down", what, got, want)
		}
	}
	near("thousands of allocations", w.Allocations, want.Allocations)
	if w.Obligations != want.Obligations {
		t.Errorf("%d obligations, and %d is written down", w.Obligations, want.Obligations)
	}
	if sameSolvers {
		near("queries", w.Queries, want.Queries)
		near("units of work of solvers", w.Units, want.Units)
	}
}
