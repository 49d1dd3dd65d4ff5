package ranking

import (
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// Simple invariants are found where they are inductive together, and what follows from others, is
// false or is not inductive is left out.
func TestSimple(t *testing.T) {
	sys := testkit.Compile(t, `
		sort process
		mutable relation waiting(process)
		mutable relation inside(process)
		mutable relation free, odd
		init !waiting(P) & !inside(P) & free & !odd
		action ask(p: process) { require !waiting(p) & !inside(p); waiting(p) := true; odd := !odd; }
		action enter(p: process) {
			require waiting(p) & free;
			waiting(p) := false; inside(p) := true; free := false;
		}
		action leave(p: process) { require inside(p); inside(p) := false; free := true; }
		liveness [served] waiting(P) ~> inside(P)
		instance two { process = 2 }`)
	found, err := Simple(t.Context(), sys, sys.Property("served"), sys.Instances,
		options(t).Options)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{
		"forall V1:process. !waiting(V1) | !inside(V1)":                      true,
		"forall V1:process. !inside(V1) | !free":                             true,
		"forall V1:process, V2:process. !inside(V1) | !inside(V2) | V1 = V2": true,
	}
	if len(found) != 3 {
		t.Errorf("%d invariants", len(found))
	}
	for _, p := range found {
		if !want[p.Term.String()] {
			t.Errorf("%s", p.Term)
		}
	}
}

// What is found is true in all reachable states, also of a larger instance than it was found in.
func TestSimpleIsInvariant(t *testing.T) {
	from, to := seeds(t, int(testkit.Size(4, 12)))
	found := 0
	for seed := from; seed < min(to, from+400); seed++ {
		text := generated(seed)
		sys := testkit.Compile(t, text)
		simple, err := Simple(t.Context(), sys, sys.Property("live"), sys.Instances[:1],
			options(t).Options)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		found += len(simple)
		for _, in := range sys.Instances {
			w, err := walkThrough(t.Context(), sys, in, 20_000,
				&interp.Budget{Left: mostTried}, nil)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			for _, p := range simple {
				for _, state := range w.states {
					if ok, err := w.model.Holds(p.Term, state); err != nil || !ok {
						t.Fatalf("seed %d: %s is false in %s (%v)\n%s", seed, p.Term, in.Name, err,
							text)
					}
				}
			}
		}
	}
	if found == 0 {
		t.Error("nothing is found")
	}
}

// Readers that go in together keep out a writer ahead of another client: what counts is who is
// ahead, and one of them can go on. With the invariants that are found, nothing more is needed.
func TestReadersGoInTogether(t *testing.T) {
	sys, _, err := ere.Load("../../../examples/liveness/readers_writers.ere")
	if err != nil {
		t.Fatal(err)
	}
	sys.Rankings = nil
	opts := options(t)
	for _, p := range sys.Properties {
		if p.IsInvariant() {
			opts.Proved = append(opts.Proved, result.Result{Property: p.Name,
				Kind: system.Invariant, Engine: "induct", Scope: result.ScopeAll,
				Verdict: result.Holds})
		}
	}
	r := prove1(t, opts, sys)
	if r.Verdict != result.Holds {
		t.Fatalf("%s: %s", r.Verdict, r.Reason)
	}
	if k := r.Evidence.Ranking; k.Proof.Hints == "" {
		t.Errorf("%+v", k)
	}
	restate(t, sys, r)
}
