package derive

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/temporal"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
)

func example(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The figures are the figures of the model in the paper's appendix, as other model checkers give
// them.
func TestGoldenCounts(t *testing.T) {
	text := example(t, "chandra_toueg.ere") + "\ninstance small { Delta = 2, Phi = 4, initial_timeout = 3 }\n"
	text = strings.Replace(text, " & long -> ", " -> ", 1)
	for _, o := range []Options{{}, {Counter: true}} {
		ds, _, err := Read(t.Context(), "ct.ere", text, o)
		if err != nil {
			t.Fatal(err)
		}
		sys := ds[0].Spec.System
		for name, want := range map[string][2]int64{"d2p4": {10158, 176}, "d4p4": {16590, 183}, "small": {1059, 43}} {
			x, err := explicit.Explore(t.Context(), sys, sys.Instance(name),
				explicit.Options{Only: []string{"strong_accuracy"}})
			if err != nil {
				t.Fatal(err)
			}
			if v := x.Results[0].Verdict; (v == result.Violated) != (name == "small") {
				t.Errorf("%s: %s %s", name, v, x.Results[0].Reason)
			}
			if stats := x.Stats; stats.States != want[0] || stats.Depth != want[1] {
				t.Errorf("%+v %s: %d states, depth %d, want %v", o, name, stats.States, stats.Depth,
					want)
			}
		}
	}
}

// The handwritten system after the paper has the same states as the derived one, except for the
// names of locations.
func TestHandWritten(t *testing.T) {
	rename := map[string]string{"no_send": "announce", "receive": "listen", "compute": "judge"}
	hand, _, err := ere.Compile("hand.ere", example(t, "failure_detector/strong_accuracy.ere")+"\ninstance tiny { Delta = 1, Phi = 2 }\n")
	if err != nil {
		t.Fatal(err)
	}
	ds, _, err := Read(t.Context(), "ct.ere", example(t, "chandra_toueg.ere")+"\ninstance tiny { Delta = 1, Phi = 2, initial_timeout = 13 }\n", Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := func(*logic.Symbol) bool { return true }
	want := map[string]bool{}
	for s := range states(t, hand, "tiny", all) {
		for from, to := range rename {
			s = strings.ReplaceAll(s, "rpc="+from+" ", "rpc="+to+" ")
		}
		want[s] = true
	}
	got := states(t, ds[0].Spec.System, "tiny", all)
	if len(want) < 500 {
		t.Errorf("only %d states", len(want))
	}
	if !maps.Equal(got, want) {
		t.Errorf("%d states, want %d", len(got), len(want))
	}
}

// Where the reduction of a property of runs holds, the property holds in the system of all
// processes, too. The reduction does not always hold.
func TestLivenessToSafety(t *testing.T) {
	texts := map[string]bool{ // true if a run violates the property
		example(t, "chandra_toueg.ere"):                 false,
		example(t, "heartbeat/doubling.ere"):            false,
		example(t, "heartbeat/stubborn.ere"):            true,
		forgetful(example(t, "heartbeat/doubling.ere")): true,
	}
	for text, wrong := range texts {
		text += "\ninstance one { Delta = 1, Phi = 2, initial_timeout = 1, initial_limit = 1, limit = 1, process = 2 }\n"
		for _, name := range []string{"initial_timeout", "initial_limit", "limit"} {
			if !strings.Contains(text, "constant "+name+":") {
				text = strings.Replace(text, " "+name+" = 1, ", " ", 1)
			}
		}
		text = strings.Replace(text, "  sender starts listen", "", 1)
		reduced := read1(t, text, "eventual_strong_accuracy", Options{})
		full := read1(t, text, "eventual_strong_accuracy", Options{Unreduced: true})
		for _, d := range []*Derived{reduced, full} {
			sys := d.Spec.System
			results, err := temporal.Check(t.Context(), sys, sys.Instance("one"),
				temporal.Options{Only: []string{"eventual_strong_accuracy"}})
			if err != nil {
				t.Fatal(err)
			}
			if v := results[0].Verdict; v !=
				map[bool]result.Verdict{true: result.Violated, false: result.Holds}[wrong] {
				t.Errorf("%s: %s %s\n%s", d.Name, v, results[0].Reason, text)
			}
		}
		if reduced.Sufficient["eventual_strong_accuracy"] == nil {
			continue // no reduction is claimed
		}
		sys := reduced.Spec.System
		results, err := explicit.Check(t.Context(), sys, sys.Instance("one"),
			explicit.Options{Only: reduced.Sufficient["eventual_strong_accuracy"]})
		if err != nil {
			t.Fatal(err)
		}
		holds := !slices.ContainsFunc(results, func(r result.Result) bool {
			return r.Verdict != result.Holds
		})
		if holds == wrong {
			t.Errorf("the properties of states hold: %v\n%s", holds, text)
		}
	}
}

// forgetful makes an algorithm that does not learn from wrong suspicions.
func forgetful(text string) string {
	return strings.Replace(text, "limit := limit + limit;", "", 1)
}

func read1(t *testing.T, text, property string, o Options) *Derived {
	t.Helper()
	ds, _, err := Read(t.Context(), "x.ere", text, o)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, d := range ds {
		if slices.Contains(d.Properties, property) {
			return d
		}
	}
	t.Fatal("no system decides the property")
	return nil
}

// The numbers of states with all processes. A change here is a change of the model.
func TestProcessesCounts(t *testing.T) {
	tests := []struct {
		timing        string
		n             int
		states, depth int64
	}{
		{"synchrony", 2, 6264, 47}, {"asynchrony", 2, 15822, 51},
		{"partial_synchrony(Delta, Phi)", 2, 184, 33},
		{"partial_synchrony(Delta, Phi)", 3, 3268, 57},
	}
	for _, tt := range tests {
		text := strings.Replace(example(t, "heartbeat/stubborn.ere"), "partial_synchrony(Delta, Phi)", tt.timing, 1)
		text = strings.Replace(text, "temporal [eventual_strong_accuracy] eventually always", "safety [p] true |", 1)
		text = text[:strings.Index(text, "expect")] + fmt.Sprintf("instance counted { Delta = 1, Phi = 1, limit = 1, process = %d }\n", tt.n)
		sys := read1(t, text, "p", Options{Unreduced: true}).Spec.System
		x, err := explicit.Explore(t.Context(), sys, sys.Instance("counted"),
			explicit.Options{Deadlock: true})
		if err != nil {
			t.Fatal(err)
		}
		if stats := x.Stats; stats.States != tt.states || stats.Depth != tt.depth {
			t.Errorf("%s, %d processes: %d states, depth %d, want %d and %d", tt.timing, tt.n,
				stats.States, stats.Depth, tt.states, tt.depth)
		}
	}
}
