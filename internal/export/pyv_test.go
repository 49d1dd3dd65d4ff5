package export_test

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/export"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

func compile(t *testing.T, name, text string) *system.System {
	t.Helper()
	sys, _, err := ere.Compile(name, text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return sys
}

// proofs gives the verdicts of the properties that mypyvy's language has, in the order of the file.
// Trusted invariants are true by construction of the export.
func proofs(t *testing.T, sys *system.System) (out []string) {
	t.Helper()
	results, err := induction.Prove(testkit.Solving(t), sys,
		induction.Options{Options: discharge.Options{
			Solving: discharge.Solving{Rlimit: 3_000_000}}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]result.Verdict{}
	for _, r := range results {
		got[r.Property] = r.Verdict
	}
	for _, p := range sys.Properties {
		switch {
		case p.Kind == system.Trusted:
			out = append(out, string(result.Holds))
		case got[p.Name] != "":
			out = append(out, string(got[p.Name]))
		}
	}
	return out
}

const tricky = `
sort node
enum Mode { OFF, on, off }
immutable constant MAX: int
immutable constant max: 1..MAX
axiom [bound] MAX >= -3 & MAX > 0
mutable function Level(node): 0..MAX
mutable function lit(node): bool
mutable constant MODE: Mode
mutable relation noise(node)
mutable relation broken
derived relation calm: calm <-> forall N. !noise(N)
trusted invariant [noise] !broken
init Level(N) = 0 & MODE = OFF & !lit(N) & calm
action raise(l: node, k: 0..MAX) {
  require k + Level(l) <= MAX & MODE != off;
  choose j: 1..MAX with j <= k { Level(l) := Level(l) + j; }
  lit(l) := true;
  MODE := on;
}
action rustle() { noise := *; assume noise(N) -> lit(N); }
action reset() { Level(N) := 0; lit(N) := false; noise(N) := false; MODE := if MODE = on then off else OFF; }
transition fall(n: node)
  modifies Level, broken
  (forall X. X != n -> Level'(X) = Level(X)) & Level'(n) <= -(-Level(n)) & (broken' <-> broken | lit(n) & !lit(n))
transition same()
  = let x = MAX in x > 0
safety [level] forall K: 0..MAX, N. Level(N) = K & 0 < K -> lit(N)
invariant [lit] MODE = OFF -> !lit(N)
safety (exists K: 0..MAX. K = Level(N)) & distinct(OFF, on, off)
safety [silence] calm | exists N. lit(N)
safety [never] MODE != off
zerostate theorem [T] max <= MAX
twostate theorem calm & (forall N. noise(N) <-> new(noise(N))) -> new(calm)
liveness [settles] MODE = on ~> MODE = off
sat trace { any transition }
instance one { node = 1, MAX = 1 }
expect [never] violated
`

func TestTricky(t *testing.T) {
	sys := compile(t, "tricky.ere", tricky)
	text, notes, err := export.Pyv(sys)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"liveness settles in line 35", "the scenario in line 36", "instances and expectations"}
	if !slices.Equal(notes, want) {
		t.Errorf("left out: %q", notes)
	}
	for _, n := range want {
		if !strings.Contains(text, "# Left out: "+n) {
			t.Errorf("the file does not say what was left out: %s", n)
		}
	}
	again := compile(t, "tricky.pyv", text)
	before, after := proofs(t, sys), proofs(t, again)
	if !slices.Equal(before, after) {
		t.Errorf("%v became %v\n%s", before, after, text)
	}
	if !slices.Contains(before, "holds") || !slices.Contains(before, "not inductive") {
		t.Errorf("verdicts %v", before)
	}
	// mypyvy takes names in capital letters for variables, and no variable may hide a global name.
	globals := map[string]bool{}
	for _, s := range again.Symbols {
		globals[s.Name] = true
		if strings.ToUpper(s.Name) == s.Name {
			t.Errorf("the file declares %s", s.Name)
		}
	}
	if !globals["max"] || !globals["max_1"] {
		t.Errorf("symbols %v", again.Symbols)
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"mutable relation r(0..3)\nsafety !r(K)":                "test.ere:1:18: error E0006: mypyvy cannot express this: the relation r(0..3) has an argument of sort 0..3",
		"sort s\nimmutable function f(s, int): s":               "test.ere:2:20: error E0006: mypyvy cannot express this: the function f(s, int): s has an argument of sort int",
		"mutable relation r(bool)\naction a() { r := *; }":      "test.ere:1:18: error E0006: mypyvy cannot express this: the relation r(bool) has an argument of sort bool",
		"sort s\nmutable constant l: seq[s, 2]\nsafety l != []": "test.ere:2:18: error E0006: mypyvy cannot express this: the constant l: seq[s, 2] is kept with an argument of sort 1..2, such as a position",
		"immutable relation r\nsafety [p] r":                    "test.ere:2:1: error E0006: mypyvy cannot express this: the safety 'p' speaks of nothing mutable",
		"mutable relation r\ntrusted invariant [p] true = true": "the invariant 'p' speaks of nothing mutable",
	} {
		_, _, err := export.Pyv(compile(t, "test.ere", text))
		var list *diag.List
		if !errors.As(err, &list) || len(list.All) != 1 || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// instance gives the exported system's instance for an instance of the system: members of an enum
// are elements there.
func instance(sys *system.System, in *system.Instance, exported *system.System) *system.Instance {
	out := &system.Instance{Name: in.Name, Sizes: map[*logic.Sort]int{},
		Values: map[*logic.Symbol]*logic.Term{}}
	for i, s := range sys.Sorts {
		out.Sizes[exported.Sorts[i]] = max(in.Sizes[s], len(s.Members))
	}
	for _, sym := range exported.Symbols {
		for i, s := range sys.Sorts {
			if m := slices.Index(s.Members, sym.Name); m >= 0 {
				out.Values[sym] = logic.Member(exported.Sorts[i], m)
			}
		}
		for was, v := range in.Values {
			if was.Name == sym.Name {
				out.Values[sym] = v
			}
		}
	}
	return out
}

// Generated systems and their exports have the same reachable states, and the same properties are
// violated.
func TestGenerated(t *testing.T) {
	exported, violated := 0, 0
	for seed := range int64(800) {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)),
			systemtest.Options{Bits: 8, Undivided: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sys.Symbols {
			if s.Name == "derived" {
				s.Name = "defined" // "derived" is a word of the language
			}
		}
		in := systemtest.Unnamed(sys)
		text, _, err := export.Pyv(sys)
		var list *diag.List
		if errors.As(err, &list) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		again := compile(t, "generated.pyv", text)
		if slices.ContainsFunc(again.Symbols, func(s *logic.Symbol) bool {
			return strings.Contains(s.Name, "_any_")
		}) {
			continue // the states have one more symbol
		}
		summary := func(sys *system.System, in *system.Instance) (out []string) {
			results, err := explicit.Check(t.Context(), sys, in, explicit.Options{})
			var infinite *interp.InfiniteError
			if errors.As(err, &infinite) {
				return nil // a range has become the integers
			}
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			for _, r := range results {
				if r.Verdict == result.Unknown {
					return nil // a range has become the integers
				}
				out = append(out, fmt.Sprint(r.Verdict, r.States, r.Depth))
				if r.Verdict == result.Violated {
					violated++
				}
			}
			return out
		}
		after := summary(again, instance(sys, in, again))
		if after == nil {
			continue
		}
		exported++
		if before := summary(sys, in); !slices.Equal(before, after) {
			t.Errorf("seed %d: %v became %v\n%s", seed, before, after, text)
		}
	}
	if exported < 20 || violated == 0 {
		t.Errorf("%d systems were exported, with %d violations", exported, violated)
	}
	t.Log(exported, violated)
}

// Examples and other people's models have the same verdicts when they are exported, unless the
// export is refused for a reason.
func TestExamples(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../examples/*.ere", "../../examples/*/*.ere", "../../../shared/models/mypyvy/*/*.pyv"} {
		found, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	exported := 0
	for i, path := range files {
		if !testkit.One(i, 3) {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			sys, _, err := ere.Compile(filepath.Base(path), string(text))
			switch {
			case err == nil:
			case strings.Contains(path, "regression"):
				t.Skip("it is meant to be in error")
			case strings.Contains(string(text), "\nalgorithm "),
				strings.Contains(string(text), "\nprotocol "):
				t.Skip("an algorithm is not a system by itself")
			default:
				t.Fatal(err)
			}
			out, _, err := export.Pyv(sys)
			if err != nil {
				if filepath.Ext(path) == ".pyv" ||
					!strings.Contains(err.Error(), "only declared sorts can be arguments") &&
						!strings.Contains(err.Error(), "does not compute with a size") {
					t.Error(err)
				}
				return
			}
			exported++
			again := compile(t, "exported.pyv", out)
			if strings.Contains(path, "paxos") {
				return // their proofs take long, and the other models have the same features
			}
			for _, name := range []string{"hybrid", "block_cache", "raft", "tlb", "alternating"} {
				if strings.Contains(path, name) {
					testkit.InCI(t)
				}
			}
			if before, after := proofs(t, sys), proofs(t, again); !slices.Equal(before, after) {
				t.Errorf("%v became %v\n%s", before, after, out)
			}
		})
	}
	if exported < 6 {
		t.Errorf("only %d files were exported", exported)
	}
}
