package referee

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/flat/oracletest"
	"erelong.dev/erelong/internal/front/ere/rewrite"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/verify"
)

// A command decides the properties of a system, as the command line does.
type command struct {
	name string
	run  func(context.Context, *system.System) (*verify.Outcome, error)
}

// patience is the time of one run of a command, and a guard only.
const patience = 10 * time.Minute

// enough bounds the instances that are explored.
var enough = amount[int64](3_000, 30_000, 30_000)

func running(change func(*verify.Options)) func(context.Context, *system.System) (
	*verify.Outcome, error) {
	return func(ctx context.Context, sys *system.System) (*verify.Outcome, error) {
		o := verify.Default()
		o.Explicit.Limits.States, o.GuessStates, o.GuessTime = enough, 0, 0
		change(&o)
		return verify.Run(ctx, sys, o)
	}
}

var (
	checking = command{"check", running(func(o *verify.Options) {
		o.Prove, o.Live, o.Infer = false, false, false
		o.Explicit.Threads = 1
	})}
)

// row is what a command says of a property.
type row struct {
	result.Result
}

func (r row) String() string {
	return fmt.Sprintf("%s %s %s, %d states, depth %d (%s)", r.Property, r.Verdict, r.Scope,
		r.States, r.Depth, r.Reason.Text)
}

// wording compares texts that mean the same.
type wording struct {
	t       *testing.T
	tallies map[string]*tally
	ratios  []float64 // processor time of a rewritten text by that of the original
	known   map[string]bool
}

// tally counts the outcomes of one rewrite.
type tally struct{ tried, applied, failed, compared, different int }

func (w *wording) tally(name string) *tally {
	if w.tallies[name] == nil {
		w.tallies[name] = &tally{}
	}
	return w.tallies[name]
}

// carry runs a command on a text.
func (w *wording) carry(
	c command, name, text string, limit time.Duration,
) ([]result.Result, time.Duration, error) {
	sys, _, err := ere.Compile(name, text)
	if err != nil {
		return nil, 0, err
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), limit)
	defer cancel()
	before := spent()
	ctx, end := smt.WithProcesses(ctx)
	out, err := c.run(ctx, sys)
	end()
	if err != nil {
		return nil, 0, err
	}
	return out.Results, spent() - before, nil
}

// compare has commands decide a text in its own words and in others.
func (w *wording) compare(name, text string, commands []command, rewrites []rewrite.Rewrite,
	seed int64,
) {
	text, err := rewrite.Named(name, text)
	if errors.Is(err, rewrite.ErrNothing) {
		return
	}
	if err != nil {
		w.t.Errorf("%s: %v", name, err)
		return
	}
	others := map[string]other{}
	for _, r := range rewrites {
		n := w.tally(r.Name)
		n.tried++
		out, err := r.Apply(name, text, seed)
		switch {
		case errors.Is(err, rewrite.ErrNothing):
			continue
		case err != nil:
			n.failed++
			w.t.Logf("%s, seed %d: %v", name, seed, err)
			continue
		}
		n.applied++
		others[r.Name] = other{out, r.Keeps, []string{r.Name}}
	}
	w.decide(name, text, commands, others, seed)
}

// other is a text that means the same.
type other struct {
	text  string
	keeps rewrite.Keeps
	by    []string
}

// decide compares the verdicts of commands.
func (w *wording) decide(name, text string, commands []command, others map[string]other,
	seed int64,
) {
	for _, c := range commands {
		base, cost, err := w.carry(c, name, text, patience)
		for key, o := range others {
			n := w.tally(key)
			n.compared++
			got, spent, wrong := w.carry(c, name, o.text, patience)
			if (err == nil) != (wrong == nil) {
				n.different++
				w.t.Errorf("%s, %s, seed %d, %v: %v; in its own words: %v\n%s", name, c.name, seed,
					o.by, wrong, err, o.text)
				continue
			}
			if cost > 200*time.Millisecond {
				w.ratios = append(w.ratios, float64(spent)/float64(cost))
			}
			if d := differences(base, got, o.keeps); len(d) > 0 {
				n.different++
				w.t.Errorf("%s, %s, seed %d, %v:\n  %s\n%s", name, c.name, seed, o.by,
					strings.Join(d, "\n  "), o.text)
			}
		}
	}
}

// differences compares the results for what both texts name.
func differences(base, got []result.Result, keeps rewrite.Keeps) (out []string) {
	for _, b := range base {
		if strings.Contains(b.Property, ":") || keeps == rewrite.Claims && b.Kind == result.Invariant {
			continue
		}
		i := slices.IndexFunc(got, func(g result.Result) bool {
			return g.Property == b.Property && g.Scope == b.Scope
		})
		if i < 0 {
			out = append(out, fmt.Sprintf("%v is missing", row{b}))
			continue
		}
		g := got[i]
		if erroneous(b) || erroneous(g) {
			continue
		}
		counted := b.Scope != result.ScopeAll && b.Verdict == result.Holds
		if g.Verdict != b.Verdict || counted && (g.States != b.States || g.Depth != b.Depth) ||
			b.Verdict == result.Violated && b.Engine == explicit.Name && g.Depth != b.Depth {
			out = append(out, fmt.Sprintf("%v; in its own words %v", row{g}, row{b}))
		}
	}
	return out
}

// erroneous reports whether an exploration ended at a step that is an error, to which it has a run.
// What it has seen by then depends on the order of the actions; see docs/trust.md.
func erroneous(r result.Result) bool { return r.Verdict == result.Unknown && r.Trace != nil }

// report logs the figures.
func (w *wording) report() {
	applied, failed := 0, 0
	for _, name := range slices.Sorted(maps.Keys(w.tallies)) {
		n := w.tallies[name]
		applied, failed = applied+n.applied, failed+n.failed
		w.t.Logf("%-23s %5d tried, %5d applied, %3d ill-formed, %5d compared, %3d different", name,
			n.tried, n.applied, n.failed, n.compared, n.different)
	}
	if failed > applied/50 {
		w.t.Errorf("%d texts have errors after a rewrite, and %d have none", failed, applied)
	}
	if len(w.ratios) > 0 {
		slices.Sort(w.ratios)
		most := w.ratios[len(w.ratios)*95/100]
		w.t.Logf("processor time by that of the original, of %d runs: median %.2f, 95 %% below %.2f",
			len(w.ratios), w.ratios[len(w.ratios)/2], most)
		if factor := amount(math.Inf(1), math.Inf(1), 2); most > factor {
			w.t.Errorf("it takes more than %.1f times the processor time in 5 %% of the runs", factor)
		}
	}
}

// amount is how much a test compares: few, more in a long run, and all by
// make test-rewrites.
func amount[T any](few, full, all T) T {
	switch {
	case os.Getenv("ERELONG_REWRITES") != "":
		return all
	case testkit.Long():
		return full
	}
	return few
}

// chain compares a text with what a chain of rewrites makes of it.
func (w *wording) chain(name, text string, commands []command, seed int64) {
	const length = 5
	text, err := rewrite.Named(name, text)
	if err != nil {
		return
	}
	out, applied, err := rewrite.Chain(name, text, length, seed)
	n := w.tally("chains of five")
	n.tried++
	if err != nil {
		n.failed++
		w.t.Logf("%s, seed %d: %v", name, seed, err)
		return
	}
	n.applied++
	o := other{text: out}
	for _, r := range applied {
		o.keeps, o.by = max(o.keeps, r.Keeps), append(o.by, r.Name)
	}
	w.decide(name, text, commands, map[string]other{"chains of five": o}, seed)
}

// Generated specifications have the same states in other words.
func TestWordingGenerated(t *testing.T) {
	w := &wording{t: t, tallies: map[string]*tally{}}
	for seed := range amount[int64](16, 100, 1000) {
		text := generate(seed).String()
		if seed%2 == 1 {
			text = systemtest.Processes(rand.New(rand.NewSource(seed)))
		}
		w.compare("random.ere", text, []command{checking}, rewrite.All, seed/2)
		w.chain("random.ere", text, []command{checking}, seed)
		if t.Failed() {
			break
		}
	}
	w.report()
}

// recursion is a file with definitions that call themselves.
const recursion = `sort node
type log = seq[0..2, 3]
mutable function logs(node): log
mutable constant sums: 0..6
init logs(N) = [] & sums = 0
definition total(s: log): int measure(size(s)) = if size(s) = 0 then 0 else first(s) + total(tail(s))
definition longest(s: log): int depth 4 = if s = [] then 0 else 1 + longest(front(s))
action push(n: node, k: 0..2) { require longest(logs(n)) < 3; logs(n) := append(logs(n), k); }
action take(n: node) { sums := total(logs(n)); }
safety [few] sums < 6
safety [most] forall N. total(logs(N)) <= 2 * longest(logs(N))
instance small { node = 1 }
`

// Files with structured data, also with recursive definitions, have the same states with other
// names, and with their declarations in another order.
func TestWordingData(t *testing.T) {
	w := &wording{t: t, tallies: map[string]*tally{}}
	for seed := range amount[int64](12, 60, 1000) {
		text := recursion
		if seed > 3 {
			text = oracletest.Generate(rand.New(rand.NewSource(seed)))
		}
		if _, _, err := ere.Compile("data.ere", text); err != nil {
			continue // some of what is generated is refused
		}
		w.compare("data.ere", text, []command{checking}, rewrite.All, seed)
		if t.Failed() {
			t.Log(text)
			break
		}
	}
	w.report()
	if n := w.tallies["renamed"]; n == nil || n.applied < 8 {
		t.Errorf("names: %+v", n)
	}
	if n := w.tallies["declarations"]; n == nil || n.applied < 8 {
		t.Errorf("declarations: %+v", n)
	}
}

// Examples have the same states in other words.
func TestWordingExamples(t *testing.T) {
	w := &wording{t: t, tallies: map[string]*tally{}}
	some, each := amount(1, 6, len(rewrite.All)), amount(6, 1, 1)
	for i, path := range specifications(t) {
		if i%each != 0 {
			continue
		}
		read, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		rewrites := slices.Clone(rewrite.All)
		rand.New(rand.NewSource(int64(i))).Shuffle(len(rewrites), func(i, j int) {
			rewrites[i], rewrites[j] = rewrites[j], rewrites[i]
		})
		w.compare(path, string(read), []command{checking}, rewrites[:some], int64(i))
		w.chain(path, string(read), []command{checking}, int64(i))
	}
	w.report()
}

// specifications lists the examples.
func specifications(t *testing.T) (out []string) {
	for _, p := range []string{"../../examples/*.ere", "../../examples/*/*.ere"} {
		files, err := filepath.Glob(p)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, files...)
	}
	return out
}
