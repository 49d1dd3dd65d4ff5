package certificate

import (
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/export"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// generated makes the text of a random system, or nothing where the text cannot express the system.
func generated(t *testing.T, seed int64) (sys, read *system.System) {
	t.Helper()
	sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)),
		systemtest.Options{Undivided: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sys.Symbols {
		if s.Name == "derived" {
			s.Name = "defined" // "derived" is a word of the language
		}
	}
	text, _, err := export.Pyv(sys)
	if err != nil {
		return nil, nil
	}
	read, _, err = ere.Compile("generated.pyv", text)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	return sys, read
}

// On generated systems, recheck agrees with the engine on inductiveness, and never accepts a
// property that exploration refutes.
func TestGenerated(t *testing.T) {
	testkit.InCI(t)
	drivers := testkit.Solvers(t)
	seen := map[string]int{}
	for seed := range int64(60) {
		sys, read := generated(t, seed)
		if sys == nil {
			continue
		}
		c, results := prove(t, read)
		all := true
		var names []string
		for _, r := range results {
			names = append(names, r.Property)
			all = all && r.Verdict == result.Holds
		}
		if c != nil {
			seen["certificate"]++
			for _, r := range recheck(t, c, drivers...).Results {
				seen["rechecked "+string(r.Verdict)]++
				if r.Verdict != result.Holds && r.Verdict != result.Unknown {
					t.Errorf("seed %d: %s was proved, but recheck says %s (%s)\n%s", seed,
						r.Property, r.Verdict, r.Reason, read)
				}
			}
		}

		// The claim that all properties are inductive together is true exactly if the engine proved
		// them all.
		for _, r := range recheck(t, claim(t, read, names, names), drivers...).Results {
			seen["claimed "+string(r.Verdict)]++
			if (r.Verdict == result.Holds) != all && !(all && r.Verdict == result.Unknown) {
				t.Errorf("seed %d: all properties proved: %v, but recheck says of %s that it %s (%s)\n%s", seed, all, r.Property, r.Verdict, r.Reason, read)
			}
		}

		explored, err := explicit.Check(t.Context(), sys, systemtest.Unnamed(sys),
			explicit.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i, r := range explored {
			if r.Verdict != result.Violated {
				continue
			}
			name := names[i]
			for _, r := range recheck(t, claim(t, read, []string{name}, []string{name}),
				drivers...).Results {
				seen["violated "+string(r.Verdict)]++
				if r.Verdict == result.Holds {
					t.Errorf("seed %d: %s is violated, but recheck accepts it\n%s", seed, name,
						read)
				}
			}
		}
	}
	for _, want := range []string{"certificate", "rechecked holds", "claimed holds", "claimed not inductive", "violated not inductive"} {
		if seen[want] == 0 {
			t.Errorf("no system gave %q: %v", want, seen)
		}
	}
	t.Log(seen)
}
