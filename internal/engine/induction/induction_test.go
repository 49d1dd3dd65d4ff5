package induction_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/testkit"
)

func TestEvidence(t *testing.T) {
	ctx := testkit.Solving(t)
	sys := testkit.Compile(t, models[0].text+`
mutable relation log
mutable relation other
trusted invariant [quiet] !other
safety [logged] log -> log
action write() { log := true; }`)
	var seen []string
	results, err := induction.Prove(ctx, sys,
		induction.Options{Only: []string{"mutex"}, Options: discharge.Options{Progress: func(
			done, total int, o result.Obligation,
		) {
			if done != len(seen)+1 || total < done {
				t.Errorf("progress %d of %d after %d calls", done, total, len(seen))
			}
			seen = append(seen, o.Name)
		}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 1 || results[0].Property != "mutex" {
		t.Fatalf("results %+v", results)
	}
	e := results[0].Evidence
	if got := fmt.Sprint(e.Invariant, e.Trusted); got != "[mutex free logged] [quiet]" {
		t.Errorf("evidence %s", got)
	}
	want := map[string]string{"initiation of mutex": "", "lock preserves mutex": "lock", "unlock preserves mutex": "unlock", "write preserves mutex": "write"}
	for _, o := range e.Obligations {
		action, ok := want[o.Name]
		if !ok || o.Action != action || o.Verdict != result.Holds || o.Line != 9 {
			t.Errorf("obligation %+v", o)
		}
		if (o.Solver == result.Nobody()) != (o.Action == "write") ||
			(o.Queries == 0) != (o.Action == "write") {
			t.Errorf("obligation %+v", o)
		}
		delete(want, o.Name)
	}
	if len(want) > 0 {
		t.Errorf("no obligation for %v", want)
	}
	if len(seen) != 12 { // three invariants, three actions and the start
		t.Errorf("%d obligations were reported: %v", len(seen), seen)
	}
}

func TestRefused(t *testing.T) {
	sys := testkit.Compile(t, models[0].text)
	if _, err := induction.Prove(t.Context(), sys,
		induction.Options{Only: []string{"mutx"}}); err == nil || !strings.Contains(err.Error(), "mutx") {
		t.Errorf("error %v", err)
	}
	sys.Actions[1].Relation = nil
	if _, err := induction.Prove(t.Context(), sys, induction.Options{}); err == nil ||
		!strings.Contains(err.Error(), "unlock") {
		t.Errorf("error %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	sys = testkit.Compile(t, models[0].text)
	if _, err := induction.Prove(t.Context(), sys, induction.Options{}); !errors.Is(err,
		smt.ErrNoSolver) {
		t.Errorf("error %v", err)
	}
}

// A property with terms that no solver takes is unknown, with the reason.
func TestLivenessGetsNoResult(t *testing.T) {
	ctx := testkit.Solving(t)
	sys := testkit.Compile(t, models[0].text+"\nliveness [served] forall N. held(N) ~> !held(N)\n")
	results, err := induction.Prove(ctx, sys, induction.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Property == "served" {
			t.Errorf("result %+v", r)
		}
	}
}

// fakeZ3 puts a shell script named z3 in front of the PATH.
func fakeZ3(t *testing.T, body string) {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'Z3 version 4.8.12 - 64 bit'; exit; fi\n" + body + "\n"
	if err := os.WriteFile(filepath.Join(dir, "z3"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// When a solver dies its answers are unknown, and the other solver steps in.
func TestDyingSolver(t *testing.T) {
	ds := testkit.Solvers(t)
	sys := testkit.Compile(t, models[0].text)
	for _, body := range []string{"exit 1", "head -c 200 >/dev/null; kill -9 $$"} {
		fakeZ3(t, body)
		results, err := induction.Prove(t.Context(), sys,
			induction.Options{Options: discharge.Options{
				Solving: discharge.Solving{Solvers: []string{"z3"}}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if r.Verdict != result.Unknown || !strings.Contains(r.Reason.Text, "solver died") ||
				!strings.Contains(r.Reason.Text, "initiation of "+r.Property) {
				t.Errorf("%q: %s: %s (%s)", body, r.Property, r.Verdict, r.Reason)
			}
		}
		if ds[len(ds)-1].Name() != "cvc5" {
			continue
		}
		results, err = induction.Prove(t.Context(), sys,
			induction.Options{Options: discharge.Options{
				Solving: discharge.Solving{Solvers: []string{"z3", "cvc5"}}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if r.Verdict != result.Holds {
				t.Errorf("%q, with cvc5: %s: %s (%s)", body, r.Property, r.Verdict, r.Reason)
			}
		}
	}
}

func TestLog(t *testing.T) {
	ctx := testkit.Solving(t)
	dir := t.TempDir()
	if _, err := induction.Prove(ctx, testkit.Compile(t, models[0].text),
		induction.Options{Options: discharge.Options{LogDir: dir}}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.smt2"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		found[first] = true
	}
	for _, want := range []string{"; initiation of mutex", "; lock preserves mutex", "; unlock preserves free"} {
		if !found[want] {
			t.Errorf("no query says %q: %v", want, found)
		}
	}
}

// What is not inductive in mypyvy's unsafe examples. All of its examples are verified by the tests
// of the command line.
func TestMypyvyExamples(t *testing.T) {
	ctx := testkit.Solving(t)
	dir := testkit.Shared(t, "models/mypyvy")
	tests := map[string]string{ // what is not inductive
		"unsafe/consensus_unsafe.pyv": "safety:55", "unsafe/lockserv_unsafe.pyv": "invariant:118", "unsafe/sharded-kv_unsafe.pyv": "invariant:39",
		"unsafe/paxos_forall_choosable_unsafe.pyv": "safety:87", "regression/200804-nonlin-int-arith-proof.pyv": "",
		"regression/200804-nonlin-int-arith-cti.pyv": "safety:17",
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sys, _, err := ere.Load(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			results, err := induction.Prove(ctx, sys,
				induction.Options{Options: discharge.Options{Jobs: 1}})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				switch {
				case r.Property == want && (r.Verdict != result.NotInductive || r.Trace == nil):
					t.Errorf("%s: %s (%s)", r.Property, r.Verdict, r.Reason)
				case want == "" && r.Verdict != result.Holds,
					r.Property != want && r.Verdict == result.NotInductive:
					t.Errorf("%s: %s (%s)", r.Property, r.Verdict, r.Reason)
				}
			}
		})
	}
}
