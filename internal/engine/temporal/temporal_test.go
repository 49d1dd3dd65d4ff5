package temporal

import (
	"math/rand/v2"
	"testing"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// The engine and the oracle give the same verdicts. Every violation is also replayed: see report.
func TestAgreesWithOracle(t *testing.T) {
	holds, violated, fairly := 0, 0, 0
	seeds := testkit.Size(75, 700)
	for seed := range uint64(seeds) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 7))}
		places := 2 + g.IntN(6)
		if seed%20 == 0 {
			places = 20 + g.IntN(20)
		}
		sys, inst := g.system(t, places)
		results, err := Check(t.Context(), sys, inst, Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, sys)
		}
		o := newOracle(t, sys, inst)
		for _, r := range results {
			want, ok := o.violated(sys.Property(r.Property).Term)
			switch {
			case len(o.states) == 0:
				if r.Verdict != result.NothingChecked {
					t.Errorf("seed %d: %s %s without an initial state", seed, r.Property, r.Verdict)
				}
				continue
			case !ok:
				continue
			case want && r.Verdict == result.Violated:
				violated++
			case !want && r.Verdict == result.Holds:
				holds++
				if violatedWithoutFairness(o, sys, r.Property) {
					fairly++
				}
			default:
				t.Fatalf("seed %d: %s is %s (%s), but the oracle says violated = %t\n%s", seed,
					r.Property, r.Verdict, r.Reason, want, sys)
			}
			if r.States != int64(len(o.states)) {
				t.Errorf("seed %d: %d states, but the oracle has %d", seed, r.States, len(o.states))
			}
		}
	}
	t.Logf("%d hold, %d of them thanks to fairness; %d violated", holds, fairly, violated)
	if some := int(seeds / 3); holds < some || violated < some || fairly < some/5 {
		t.Errorf("the systems are too much alike: %d hold, %d of them thanks to fairness; %d violated", holds, fairly, violated)
	}
}

func violatedWithoutFairness(o *oracle, sys *system.System, property string) bool {
	saved := make([]system.Fairness, len(sys.Actions))
	for i, a := range sys.Actions {
		saved[i], a.Fairness = a.Fairness, system.Unfair
	}
	v, ok := o.violated(sys.Property(property).Term)
	for i, a := range sys.Actions {
		a.Fairness = saved[i]
	}
	return v && ok
}
