package verify

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

const twoSteps = `
	mutable constant n: int
	mutable relation done
	init n = 0 & !done
	action inc() { n := n + 1; }
	fair action fin() { done := true; }
	safety [positive] done -> n >= 0
	liveness [s] n = 2 ~> done
	instance i { }`

// A proof does not wait for an exploration that does not end, and the exploration says what grows.
func TestGrowthIsNamed(t *testing.T) {
	ctx := testkit.Solving(t)
	out, err := Run(ctx, testkit.Compile(t, twoSteps), Default())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"positive", "s"} {
		proved, grown := false, false
		for _, x := range out.Results {
			if x.Property != name {
				continue
			}
			proved = proved || x.ForAll() && x.Verdict == result.Holds
			grown = grown || x.Verdict == result.HoldsUpTo && x.Reason.Code == result.Bounded &&
				strings.Contains(x.Reason.Text, "n took more than 65536 values and grows with inc:")
		}
		if !proved || !grown {
			t.Errorf("%s: proved %v, growth is named %v: %+v", name, proved, grown, out.Results)
		}
	}
}

// within verifies under a limit of time for the whole run.
func within(
	ctx context.Context, t *testing.T, sys *system.System, o Options, most time.Duration,
) []result.Result {
	t.Helper()
	limit := result.TimeLimit(most, "--timeout", result.OutOfTime)
	ctx, cancel := limit.Bound(ctx)
	defer cancel()
	out, err := Run(ctx, sys, o)
	if err != nil {
		t.Fatal(err)
	}
	return out.Results
}

// namesTheLimit checks that a property without a proof has a row for all instances, and that it
// says which limit ended the proof, if one did.
func namesTheLimit(t *testing.T, p *system.Property, results []result.Result) (proved bool) {
	t.Helper()
	open := false
	for _, x := range results {
		if x.Property == p.Name && x.Scope == result.ScopeAll {
			proved = proved || x.Verdict == result.Holds
			open = open || strings.Contains(x.Reason.Text, "--timeout")
		}
	}
	if proved == open {
		t.Errorf("%s: proved %v, ended by the limit %v: %+v", p.Name, proved, open, results)
	}
	return proved
}

// A limit of time ends proofs at any place: none of them is missing in silence.
func TestTimeLeavesARow(t *testing.T) {
	ctx := testkit.Solving(t)
	sys := testkit.Compile(t, twoSteps)
	for _, liveOnly := range []bool{false, true} {
		for _, most := range []time.Duration{1, time.Millisecond, 20 * time.Millisecond} {
			o := Default()
			o.LiveOnly = liveOnly
			results := within(ctx, t, sys, o, most)
			for _, p := range sys.Properties {
				namesTheLimit(t, p, results)
			}
		}
	}
}

// More time only improves verdicts: what is proved within some seconds is proved within more.
func TestTimeImprovesVerdicts(t *testing.T) {
	testkit.InCI(t)
	ctx := testkit.Solving(t)
	files, err := filepath.Glob(testkit.Shared(t, "models", "tried", "clock") + "/*.ere")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			sys, list, err := ere.Compile(path, string(text))
			if err != nil {
				t.Fatalf("%v (%v)", err, list)
			}
			known := map[string]bool{}
			for most := time.Second; most <= 3*time.Second; most += 2 * time.Second {
				o := Default()
				o.LiveOnly = true
				for _, p := range sys.Properties {
					if p.Kind == system.Liveness {
						o.Only = append(o.Only, p.Name)
					}
				}
				results := within(ctx, t, sys, o, most)
				for _, name := range o.Only {
					proved := namesTheLimit(t, sys.Property(name), results)
					if known[name] && !proved {
						t.Logf("%s: proved within less than %s, but not within it", name, most)
					}
					known[name] = known[name] || proved
				}
			}
		})
	}
}
