package explicit

import (
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// harm damages one of the files in a folder, and gives its path.
func harm(t *testing.T, rng *rand.Rand, dir string) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		return ""
	}
	name := names[rng.Intn(len(names))]
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	switch rng.Intn(4) {
	case 0:
		err = os.Truncate(name, int64(rng.Intn(len(text)+1)))
	case 1:
		err = os.Remove(name)
	default:
		if len(text) > 0 {
			text[rng.Intn(len(text))] ^= 1 << rng.Intn(8)
		}
		err = os.WriteFile(name, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// If files on disk are damaged during a search, the verdicts are right, or the damage is reported.
func TestDamageDuringASearch(t *testing.T) {
	noticed, unharmed := 0, 0
	seeds := testkit.Size(25, 80)
	for seed := range seeds {
		sys, inst := generate(t, seed%50)
		opts := Options{Deadlock: true, Threads: 1, tuning: tuning{mostInRound: 5}}
		if seed%3 == 2 {
			opts.Search = DepthFirst
		}
		want, wantStats := explored(t, sys, inst, opts)
		dir, rng := t.TempDir(), rand.New(rand.NewSource(seed))
		opts.Memory, opts.SpillDir = 1, dir
		opts.program = halting(2+rng.Intn(12), func() { harm(t, rng, dir) })
		got, stats, err := checkStats(t.Context(), sys, inst, opts)
		if err != nil {
			if !strings.Contains(err.Error(), "reading saved states: ") {
				t.Fatalf("seed %d: %v", seed, err)
			}
			noticed++
			continue
		}
		for i, g := range got {
			w := want[i]
			switch {
			case g.Verdict == w.Verdict && g.Depth == w.Depth && g.Reason.Text == w.Reason.Text:
				unharmed++
			case (upTo(g.Verdict) || g.Verdict == result.Unknown) &&
				strings.Contains(g.Reason.Text, "reading saved states: "):
				noticed++
			default:
				t.Errorf("seed %d: %s: %s %s; want %s %s (%d of %d states)", seed, g.Property,
					g.Verdict, g.Reason.Text, w.Verdict, w.Reason.Text,
					stats.States, wantStats.States)
			}
		}
	}
	if some := int(seeds / 8); noticed < some || unharmed < some {
		t.Errorf("the damage was noticed %d times, and did no harm %d times", noticed, unharmed)
	}
}
