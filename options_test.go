package erelong_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong"
	"erelong.dev/erelong/internal/testkit"
)

func contains(err error, text string) bool { return strings.Contains(err.Error(), text) }

// Settings that contradict each other, have no effect, or do not fit the file are refused, with the
// name of the setting.
func TestContradictoryOptions(t *testing.T) {
	type (
		options = erelong.Options
		explore = erelong.Exploration
		induct  = erelong.Induction
		live    = erelong.Liveness
		solving = erelong.Solving
	)
	for _, c := range []struct {
		file    string
		options options
		want    string
	}{
		{"lock.ere", options{NoExplore: true, NoProof: true}, "NoProof"},
		{"lock.ere", options{NoExplore: true, Exploration: explore{Deadlock: true}}, "Exploration"},
		{"lock.ere", options{NoExplore: true, Instances: []string{"three"}}, "Instances"},
		{"lock.ere", options{NoProof: true, Induction: induct{States: 2}}, "Induction"},
		{"lock.ere", options{NoProof: true, Liveness: live{Bounds: true}}, "Liveness"},
		{"lock.ere", options{NoProof: true, Solving: solving{Rlimit: 1}}, "Solving"},
		{"lock.ere", options{NoProof: true, Effort: 1}, "Effort"},
		{"lock.ere", options{NoInference: true, NoLiveness: true, Effort: 1}, "Effort"},
		{"lock.ere", options{NoLiveness: true, Liveness: live{Bounds: true}}, "Liveness"},
		{"lock.ere", options{Induction: induct{SimplePath: true}}, "Induction.SimplePath"},
		{"lock.ere", options{Induction: induct{States: -1}}, "Induction.States"},
		{"lock.ere", options{Liveness: live{Rounds: "grant"}}, "Liveness.Rounds"},
		{"lock.ere", options{Liveness: live{Bounds: true, Rounds: "tick"}}, "Liveness.Rounds"},
		{"lock.ere", options{Effort: -2}, "Effort"},
		{"lock.ere", options{Timeout: -time.Second}, "Timeout"},
		{"lock.ere", options{PropertyTimeout: -1}, "PropertyTimeout"},
		{"lock.ere", options{Solving: solving{Solvers: []string{"z4"}}}, "Solving.Solvers"},
		{"lock.ere", options{Solving: solving{Rlimit: -1}}, "Solving.Rlimit"},
		{"lock.ere", options{Solving: solving{Jobs: -1}}, "Solving.Jobs"},
		{"lock.ere", options{Exploration: explore{MaxStates: -1}}, "Exploration.MaxStates"},
		{"lock.ere", options{Exploration: explore{MaxDepth: -1}}, "Exploration.MaxDepth"},
		{"lock.ere", options{Exploration: explore{Memory: -1}}, "Exploration.Memory"},
		{"lock.ere", options{Exploration: explore{Threads: -1}}, "Exploration.Threads"},
		{"lock.ere", options{Exploration: explore{Search: "best"}}, "Exploration.Search"},
		{"lock.ere", options{Exploration: explore{Store: "hash"}}, "Exploration.Store"},
		{"lock.ere", options{Exploration: explore{Search: erelong.DepthFirst, Threads: 2}},
			"Exploration.Threads"},
		{"lock.ere", options{Exploration: explore{Search: erelong.DepthFirst, MaxDepth: 2}},
			"Exploration.MaxDepth"},
		{"lock.ere", options{Exploration: explore{Symmetry: true, PartialOrder: true}},
			"Exploration"},
		{"timer.xta", options{NoExplore: true}, "NoExplore"},
		{"timer.xta", options{Exploration: explore{Deadlock: true}}, "Exploration"},
		{"timer.xta", options{Induction: induct{States: 2}}, "Induction"},
		{"timer.xta", options{Liveness: live{Bounds: true}}, "Liveness"},
		{"timer.xta", options{Solving: solving{Seed: 1}}, "Solving"},
		{"timer.xta", options{Effort: 1}, "Effort"},
	} {
		loader := erelong.Loader{ReadFile: read}
		spec, err := loader.Load(t.Context(), c.file)
		if err != nil {
			t.Fatal(err)
		}
		_, err = spec.Verify(t.Context(), c.options)
		var option *erelong.OptionError
		if !errors.As(err, &option) || option.Option != "Options."+c.want || option.Reason == "" {
			t.Errorf("%s with %+v gives %v", c.file, c.options, err)
		}
	}
}

// What an engine refuses when it sees the instance is an OptionError, too.
func TestStoreThatDoesNotFit(t *testing.T) {
	spec, err := erelong.Parse(t.Context(), "wide.ere", `sort s
mutable relation r(s, s)
init !r(A, B)
action set(a: s, b: s) { r(a, b) := true; }
safety [p] r(A, A) | !r(A, A)
instance nine { s = 9 }
`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = spec.Verify(t.Context(), erelong.Options{NoProof: true,
		Exploration: erelong.Exploration{Store: erelong.Packed, MaxStates: 1000}})
	var option *erelong.OptionError
	if !errors.As(err, &option) || !contains(err, "64 bits") {
		t.Errorf("81 bits in a packed store give %v", err)
	}
}

// Settings of explorations reach the engine.
func TestExploration(t *testing.T) {
	for _, c := range []struct {
		name     string
		settings erelong.Exploration
		verdict  erelong.Verdict
		states   int64
	}{
		{"all", erelong.Exploration{}, erelong.Holds, 4},
		{"packed", erelong.Exploration{Store: erelong.Packed}, erelong.Holds, 4},
		{"depth first", erelong.Exploration{Search: erelong.DepthFirst}, erelong.Holds, 4},
		{"symmetry", erelong.Exploration{Symmetry: true}, erelong.Holds, 2},
		{"states", erelong.Exploration{MaxStates: 2}, erelong.HoldsInitially, 2},
		{"depth", erelong.Exploration{MaxDepth: 1}, erelong.HoldsInitially, 1},
	} {
		report := verified("lock.ere", lock, erelong.Options{NoProof: true, Exploration: c.settings})
		if r := report.Results[0]; r.Verdict != c.verdict || r.States != c.states {
			t.Errorf("%s: %s with %d states", c.name, r.Verdict, r.States)
		}
	}
	stuck := "mutable constant n: 0..1\ninit n = 0\naction up() { require n = 0; n := 1; }\n" +
		"safety [p] n >= 0\ninstance i {}\n"
	report := verified("stuck.ere", stuck, erelong.Options{NoProof: true,
		Exploration: erelong.Exploration{Deadlock: true}})
	if v := report.Violations(); len(v) != 1 || v[0].Kind != "deadlock" {
		t.Errorf("a deadlock is not found: %+v", report.Results)
	}
}

// Settings of proofs reach the engines: what needs more than one step of induction, an invariant,
// or a ranking function is proved with it, and not without.
func TestProofs(t *testing.T) {
	testkit.Solvers(t)
	// From n = 4 the step to 5 is possible, but no step leads to 4.
	const jumps = `mutable constant n: int
init n = 0
action turn() { n := if n = 0 then 1 else if n = 1 then 0 else if n = 4 then 5 else n; }
safety [small] n < 5
`
	const counts = `mutable constant n: 0..5
init n = 5
fair action down() { require n > 0; n := n - 1; }
liveness [ends] true ~> n = 0
`
	for _, c := range []struct {
		name, text string
		options    erelong.Options
		verdict    erelong.Verdict
	}{
		{"induction", jumps, erelong.Options{NoInference: true}, erelong.NotInductive},
		{"k-induction", jumps, erelong.Options{NoInference: true,
			Induction: erelong.Induction{States: 2}}, erelong.Holds},
		{"inference", jumps, erelong.Options{}, erelong.Holds},
		{"ranking", counts, erelong.Options{}, erelong.Holds},
		{"no ranking", counts, erelong.Options{NoLiveness: true}, erelong.NothingChecked},
		{"effort", counts, erelong.Options{Effort: erelong.NoLimit}, erelong.Holds},
	} {
		c.options.NoExplore = true
		report := verified("proof.ere", c.text, c.options)
		for _, p := range report.Properties {
			if p.Verdict != c.verdict && (p.Property == "small" || p.Property == "ends") {
				t.Errorf("%s: %+v", c.name, report.Results)
			}
		}
	}
}

// A limit for each property is named as such.
func TestPropertyTimeout(t *testing.T) {
	report := verified("lock.ere", lock,
		erelong.Options{NoProof: true, PropertyTimeout: time.Nanosecond})
	r := report.Results[0]
	if r.Code != erelong.PropertyOutOfTime || !strings.Contains(r.Reason, "PropertyTimeout") {
		t.Errorf("%+v", r)
	}
}
