package explicit_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// The failure detector of "A case study on parametric verification of failure detectors", appendix
// B. TLC and independent programs reproduced the numbers of states and the depths, and the
// transitions for (2,4), (4,4) and (4,5). With a timeout of Delta + 1 strong accuracy is violated.
func TestFailureDetector(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "failure_detector", "strong_accuracy.ere"))
	if err != nil {
		t.Fatal(err)
	}
	const timeout = "init waiting_time = 0 & timeout = 6 * Phi + Delta"
	if strings.Count(string(text), timeout) != 1 {
		t.Fatalf("the model has no line %q", timeout)
	}
	short := strings.Replace(string(text), timeout, "init waiting_time = 0 & timeout = Delta + 1",
		1)
	for _, c := range []struct {
		text       string
		delta, phi int64
		want       string
	}{
		{string(text), 0, 4, "holds, 7299 states, 8776 transitions, depth 167"},
		{string(text), 2, 4, "holds, 10158 states, 12194 transitions, depth 176"},
		{string(text), 4, 4, "holds, 16590 states, 20088 transitions, depth 183"},
		{string(text), 4, 5, "holds, 28492 states, 34850 transitions, depth 225"},
		{short, 0, 4, "violated, 132 states, 133 transitions, depth 22"},
		{short, 2, 4, "violated, 1059 states, 1152 transitions, depth 43"},
		{short, 4, 4, "violated, 1115 states, 1210 transitions, depth 43"},
		{short, 4, 5, "violated, 1254 states, 1361 transitions, depth 43"},
	} {
		t.Run(fmt.Sprintf("Delta %d Phi %d", c.delta, c.phi), func(t *testing.T) {
			sys := testkit.Compile(t, c.text)
			results, err := explicit.Check(context.Background(), sys, bounds(sys, c.delta, c.phi),
				explicit.Options{Only: []string{"strong_accuracy"}})
			if err != nil {
				t.Fatal(err)
			}
			if got := summary(results[0]); got != c.want {
				t.Errorf("got %s; want %s", got, c.want)
			}
		})
	}
}

// The small rows of Table 3 of the paper: inductive invariants, with all states that satisfy them
// as initial states.
func TestInductiveInvariants(t *testing.T) {
	for _, c := range []struct {
		file            string
		delta, phi      int64
		initial, states int64
	}{
		{"inductive.ere", 2, 4, 18456, 89234},
		{"inductive.ere", 4, 4, 84984, 416432},
		{"completeness_inductive.ere", 2, 2, 5509, 39810},
		{"completeness_inductive.ere", 2, 4, 45110, 326156},
		{"completeness_inductive.ere", 4, 4, 121418, 812976},
	} {
		t.Run(fmt.Sprintf("%s Delta %d Phi %d", c.file, c.delta, c.phi), func(t *testing.T) {
			if c.states > 100_000 {
				testkit.InCI(t)
			}
			sys, _, err := ere.Load(filepath.Join("..", "..", "..", "examples", "failure_detector",
				c.file))
			if err != nil {
				t.Fatal(err)
			}
			x, err := explicit.Explore(t.Context(), sys, bounds(sys, c.delta, c.phi),
				explicit.Options{Only: []string{"inductive"}})
			if err != nil {
				t.Fatal(err)
			}
			results, stats := x.Results, x.Stats
			if results[0].Verdict != result.Holds || stats.Initial != c.initial ||
				stats.States != c.states || stats.Bits != (c.initial > 1<<14) {
				t.Errorf("%s, %+v; want %d initial states of %d", summary(results[0]), stats,
					c.initial, c.states)
			}
		})
	}
}

// bounds is an instance of a failure detector.
func bounds(sys *system.System, delta, phi int64) *system.Instance {
	inst := &system.Instance{Name: "test", Values: map[*logic.Symbol]*logic.Term{}}
	for _, s := range sys.Symbols {
		switch s.Name {
		case "Delta":
			inst.Values[s] = logic.IntLit(delta)
		case "Phi":
			inst.Values[s] = logic.IntLit(phi)
		}
	}
	return inst
}

// Mypyvy's own examples hold, so nothing is violated in small instances; each of its unsafe ones
// has a violated property.
func TestMypyvyModels(t *testing.T) {
	models := testkit.Shared(t, "models", "mypyvy")
	files, err := filepath.Glob(filepath.Join(models, "*", "*.pyv"))
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		if !testkit.One(i, 3) {
			continue
		}
		unsafe := false
		switch filepath.Base(filepath.Dir(file)) {
		case "unsafe":
			unsafe = true
		case "regression":
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			sys, _, err := ere.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			violated, limit := 0, int64(2000)
			if unsafe {
				limit = 10000
			}
			for size := 1; size <= 2; size++ {
				inst := &system.Instance{Name: "test", Sizes: map[*logic.Sort]int{}}
				for _, s := range sys.Sorts {
					inst.Sizes[s] = size
				}
				results, err := explicit.Check(context.Background(), sys, inst,
					explicit.Options{Limits: engine.Limits{States: limit}})
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range results {
					switch r.Verdict {
					case result.Violated:
						violated++
					case result.Unknown:
						if !strings.HasSuffix(r.Reason.Text, "not even all initial states were looked at") {
							t.Errorf("%s: %s", r.Property, summary(r))
						}
					}
				}
			}
			if unsafe != (violated > 0) {
				t.Errorf("%d violated properties", violated)
			}
		})
	}
	if len(files) == 0 {
		t.Error("there are no models")
	}
}
