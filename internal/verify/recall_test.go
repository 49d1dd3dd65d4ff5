package verify

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/engine/infer"
	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/testkit"
)

// A lock whose safety needs an invariant that is found, with a liveness property that needs a
// ranking function that is found, and one that is false in larger instances only.
const searchedLock = `
	sort client
	mutable relation wants(client)
	mutable relation has(client)
	mutable relation free
	init !wants(C) & !has(C) & free
	action ask(c: client) { require !wants(c) & !has(c); wants(c) := true; }
	fair action take(c: client) {
		require wants(c) & free; wants(c) := false; has(c) := true; free := false; }
	fair action leave(c: client) { require has(c); has(c) := false; free := true; }
	safety [mutex] has(A) & has(B) -> A = B
	liveness [released] forall C: client. has(C) ~> !has(C)
	instance one { client = 1 }`

const unserved = `
	liveness [served] forall C: client. wants(C) ~> has(C)`

func runKept(t *testing.T, text string, cache *smt.Cache, verify bool) *Outcome {
	t.Helper()
	spec, _, err := ere.Read("kept.ere", text)
	if err != nil {
		t.Fatal(err)
	}
	o := Default()
	o.Effort = 2_000_000
	o.Of = &derive.Derived{Spec: spec}
	o.Induct.Cache, o.Induct.Verify = cache, verify
	out, err := Run(testkit.Solving(t), spec.System, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// asked counts the obligations of proofs that solvers of this run decided.
func asked(out *Outcome) (n int) {
	for _, x := range out.Results {
		if x.Verdict != result.Holds || x.Evidence == nil {
			continue
		}
		for _, o := range x.Evidence.Obligations {
			if !o.Cached && o.Solver != result.Nobody() {
				n++
			}
		}
	}
	return n
}

// verdictsOf are the verdicts of proofs.
func verdictsOf(out *Outcome) map[string]result.Verdict {
	verdicts := map[string]result.Verdict{}
	for _, x := range out.Results {
		if x.Engine == ranking.Name || x.Engine == infer.Name {
			verdicts[x.Property] = x.Verdict
		}
	}
	return verdicts
}

func recalled(out *Outcome, property string) bool {
	for _, n := range out.Notes {
		if strings.Contains(n, "in vain in an earlier run") && strings.Contains(n, property) {
			return true
		}
	}
	return false
}

// A search is not made again on the same file: its verdicts are the same, and what it found is
// proved again.
func TestRecall(t *testing.T) {
	cache := smt.NewCache(t.TempDir())
	first := runKept(t, searchedLock+unserved, cache, false)
	want := verdictsOf(first)
	if want["mutex"] != result.Holds || want["released"] != result.Holds ||
		want["served"] == result.Holds || recalled(first, "served") {
		t.Fatalf("at first: %v, notes %q", want, first.Notes)
	}
	runKept(t, searchedLock+unserved, cache, false) // solvers confirm what was found
	again := runKept(t, searchedLock+unserved, cache, false)
	if got := verdictsOf(again); !reflect.DeepEqual(got, want) {
		t.Errorf("from memory: %v, want %v", got, want)
	}
	if asked(again) != 0 || !recalled(again, "served") || recalled(again, "released") {
		t.Errorf("%d obligations asked about, notes %q", asked(again), again.Notes)
	}
	if len(again.Lemmas) == 0 || len(again.Lemmas) != len(first.Lemmas) {
		t.Errorf("lemmas %v from memory, and %v found", again.Lemmas, first.Lemmas)
	}
}

// A search has another name where anything differs that it may depend on, and none where solvers
// are to be asked again.
func TestSearchKey(t *testing.T) {
	ctx := testkit.Solving(t)
	seen := map[string]string{}
	for _, c := range []struct {
		what   string
		text   string
		change func(*Options)
	}{
		{what: "nothing", text: searchedLock},
		{what: "the text", text: strings.Replace(searchedLock, "fair action leave",
			"strong fair action leave", 1)},
		{what: "a name", text: strings.Replace(searchedLock, "[mutex]", "[alone]", 1)},
		{what: "the effort", text: searchedLock, change: func(o *Options) { o.Effort++ }},
		{what: "the seed", text: searchedLock, change: func(o *Options) { o.Induct.Seed++ }},
		{what: "a solver", text: searchedLock, change: func(o *Options) {
			o.Induct.Drivers = testkit.Solvers(t)[:1]
		}},
		{what: "asking again", text: searchedLock, change: func(o *Options) {
			o.Induct.Verify = true
		}},
	} {
		spec, _, err := ere.Read("kept.ere", c.text)
		if err != nil {
			t.Fatal(err)
		}
		o := Default()
		o.Of = &derive.Derived{Spec: spec}
		o.Induct.Cache = smt.NewCache(t.TempDir())
		if c.change != nil {
			c.change(&o)
		}
		r, err := newRun(spec.System, o)
		if err != nil {
			t.Fatal(err)
		}
		key := memory{r}.key(ctx, "liveness", "released")
		if (key == "") != o.Induct.Verify {
			t.Errorf("%s: the key is %q", c.what, key)
		}
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s have the same key", c.what, other)
		}
		seen[key] = c.what
	}
}

// The end of a search in which a solver failed is not kept: it need not fail again.
func TestFailedSearchIsNotKept(t *testing.T) {
	ctx := testkit.Solving(t)
	spec, _, err := ere.Read("kept.ere", searchedLock)
	if err != nil {
		t.Fatal(err)
	}
	o := Default()
	o.Of = &derive.Derived{Spec: spec}
	o.Induct.Cache = smt.NewCache(t.TempDir())
	r, err := newRun(spec.System, o)
	if err != nil {
		t.Fatal(err)
	}
	key := memory{r}.key(ctx, "liveness", "released")
	r.o.Induct.Failed()
	memory{r}.keep(ctx, key, &searchEnd{})
	if (memory{r}).recall(key) != nil {
		t.Error("it is kept")
	}
	r.failed.Store(false)
	memory{r}.keep(ctx, key, &searchEnd{})
	if (memory{r}).recall(key) == nil {
		t.Error("without a failure it is not kept")
	}
}

// What an earlier search says that it has found counts only if solvers confirm it.
func TestRecallIsProvedAgain(t *testing.T) {
	dir := t.TempDir()
	cache := smt.NewCache(dir)
	runKept(t, searchedLock, cache, false)
	broken := strings.Replace(searchedLock, "require wants(c) & free;", "require wants(c);", 1)
	unsafe := runKept(t, broken, smt.NewCache(t.TempDir()), false)
	if verdictsOf(unsafe)["mutex"] == result.Holds {
		t.Fatal("the broken lock is safe")
	}
	// The broken file's searches get the ends of the good one's.
	ends := endsIn(t, dir, cache)
	fresh := t.TempDir()
	runKept(t, broken, smt.NewCache(fresh), false)
	paths, err := filepath.Glob(filepath.Join(fresh, "*", "*."+searchEndKind+".json"))
	if err != nil || len(ends) == 0 {
		t.Fatal("no ends of searches", err)
	}
	target := smt.NewCache(fresh)
	for _, path := range paths {
		key := strings.TrimSuffix(filepath.Base(path), "."+searchEndKind+".json")
		for _, e := range ends {
			if err := smt.Store(target, searchEndKind, key, e); err != nil {
				t.Fatal(err)
			}
			out := runKept(t, broken, target, false)
			if got := verdictsOf(out); got["mutex"] == result.Holds {
				t.Fatalf("the broken lock is safe by the memory of another: %v", got)
			}
		}
	}
	// A damaged entry is named, and not used.
	for _, path := range paths {
		if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := runKept(t, broken, target, false)
	if len(paths) > 0 && !strings.Contains(strings.Join(out.Notes, "\n"), "is damaged") {
		t.Errorf("notes %q", out.Notes)
	}
}

func endsIn(t *testing.T, dir string, cache *smt.Cache) (out []*searchEnd) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*."+searchEndKind+".json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		e, err := smt.Load[searchEnd](cache, searchEndKind,
			strings.TrimSuffix(filepath.Base(path), "."+searchEndKind+".json"))
		if err != nil || e == nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}
