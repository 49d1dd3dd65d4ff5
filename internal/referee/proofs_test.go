package referee

import (
	"context"
	"errors"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/front/ere/rewrite"
	"erelong.dev/erelong/internal/front/ere/strip"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/verify"
)

// A proving command is compared on a text of its own: the file, or what is left of it without help.
type prover struct {
	command
	text func(name, text string) (string, error)
}

func whole(_, text string) (string, error) { return text, nil }

var provers = []prover{
	{command{"prove", running(func(o *verify.Options) {
		o.Explore, o.Live, o.Infer = false, false, false
	})}, whole},
	{command{"infer", func(ctx context.Context, sys *system.System) (*verify.Outcome, error) {
		out, _, err := verify.Infer(ctx, sys, verify.Options{})
		return out, err
	}}, func(name, text string) (string, error) { return strip.Source(name, text, false) }},
	{command{"live", running(func(o *verify.Options) { o.LiveOnly = true })}, strip.Hints},
	{command{"verify", running(func(*verify.Options) {})}, whole},
}

// Proofs are found in other words, too. What is lost or gained is listed in
// testdata/wording.txt, by command, file and rewrite: the list can only become shorter.
func TestWordingProofs(t *testing.T) {
	testkit.InCI(t)
	testkit.Solvers(t)
	known := readKnown(t)
	w := &wording{t: t, tallies: map[string]*tally{}, known: known}
	commands := amount(provers[:1], provers[:3], provers)
	limit := amount(2*time.Second, 10*time.Second, 2*time.Minute)
	for i, path := range slices.Concat(specifications(t), unseen()) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			read, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range commands {
				if amount(i%8 == 0, i%2 == 0, true) {
					t.Run(p.name, func(t *testing.T) {
						inner := *w
						inner.t = t
						inner.proofs(p, path, string(read), limit)
						w.ratios = inner.ratios
					})
				}
			}
		})
	}
	w.report()
}

// unseen lists specifications that lie outside of the project, if they are there.
func unseen() (out []string) {
	for _, dir := range []string{"unseen/live", "unseen/safety", "tried/wording"} {
		files, _ := filepath.Glob("../../../shared/models/" + dir + "/*.ere")
		out = append(out, files...)
	}
	return out
}

// readKnown reads the list of differences.
func readKnown(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("testdata/wording.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			known[line] = true
		}
	}
	return known
}

// proofs compares what a command proves of a file in its own words and in others.
func (w *wording) proofs(p prover, path, text string, limit time.Duration) {
	seed := seedOf(path)
	text, err := p.text(path, text)
	if err != nil {
		w.t.Fatal(err)
	}
	if text, err = rewrite.Named(path, text); errors.Is(err, rewrite.ErrNothing) {
		return
	} else if err != nil {
		w.t.Fatal(err)
	}
	// A proof gives its first round half of its time: what takes longer depends on the clock.
	began := time.Now()
	base, cost, err := w.carry(p.command, path, text, 2*limit)
	took := time.Since(began)
	if err != nil || took > limit || !proves(base) {
		return
	}
	rewrites := slices.Clone(rewrite.All)
	if some := amount(1, 2, len(rewrites)); some < len(rewrites) {
		from := int(seed/2) % len(rewrites)
		rewrites = append(rewrites[from:], rewrites[:from]...)[:some]
	}
	data := rewrite.Data // for files with structured data, and there is one for nearly all others
	if amount(true, true, false) {
		data = data[int(seed/2)%len(data):][:1]
	}
	for _, r := range slices.Concat(rewrites, data) {
		w.t.Run(strings.ReplaceAll(r.Name, " ", "_"), func(t *testing.T) {
			n := w.tally(p.name + ", " + r.Name)
			n.tried++
			out, err := r.Apply(path, text, seed)
			if err != nil {
				if !errors.Is(err, rewrite.ErrNothing) {
					n.failed++
				}
				t.Skip(err)
			}
			n.applied++
			n.compared++
			got, spent, err := w.carry(p.command, path, out, 10*took+10*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			if cost > 200*time.Millisecond {
				w.ratios = append(w.ratios, float64(spent)/float64(cost))
			}
			lost := differences(base, got, r.Keeps)
			if len(lost) > 0 {
				n.different++
			}
			key := strings.Join([]string{p.name, filepath.Base(path),
				strings.ReplaceAll(r.Name, " ", "_")}, " ")
			t.Logf("%s: %.2f of %v, %d different", key, float64(spent)/float64(cost),
				cost.Round(time.Millisecond), len(lost))
			switch {
			case contradictory(base, got):
				t.Errorf("contradictory verdicts\n  %s\n%s", strings.Join(lost, "\n  "), out)
			case len(lost) > 0 && !w.known[key]:
				t.Errorf("%s\n  %s", key, strings.Join(lost, "\n  "))
			case len(lost) == 0 && w.known[key]:
				t.Errorf("%s is equal now: it is to be left out of testdata/wording.txt", key)
			}
		})
	}
}

// seedOf is an even number, with which all is rewritten, and the same for a file as long as it has
// its name.
func seedOf(path string) int64 {
	h := fnv.New32a()
	h.Write([]byte(filepath.Base(path)))
	return int64(h.Sum32()) &^ 1
}

// proves reports whether something is proved.
func proves(results []result.Result) bool {
	return slices.ContainsFunc(results, func(r result.Result) bool {
		return r.Verdict == result.Holds && r.Scope == result.ScopeAll
	})
}

// contradictory reports whether a property holds in some words and is violated in others.
func contradictory(a, b []result.Result) bool {
	return slices.ContainsFunc(a, func(x result.Result) bool {
		return slices.ContainsFunc(b, func(y result.Result) bool {
			return x.Property == y.Property && x.Verdict != y.Verdict &&
				(x.Verdict == result.Holds && y.Verdict == result.Violated ||
					x.Verdict == result.Violated && y.Verdict == result.Holds) &&
				(x.Scope == y.Scope || x.Verdict == result.Holds && x.Scope == result.ScopeAll ||
					y.Verdict == result.Holds && y.Scope == result.ScopeAll)
		})
	})
}
