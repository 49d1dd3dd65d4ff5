package infer

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/strip"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// tank is filled to a height and emptied again.
const tank = `
immutable constant N: int
immutable constant M: int
axiom N >= 1 & M >= 1
enum place { filling, draining }
mutable constant at: place
mutable constant level: int
mutable constant spilt: int
mutable relation alarm
init at = filling & level = 0 & spilt = 0 & !alarm
action fill() { require at = filling & level < 2 * N + M; level := level + 1; }
action full() { require at = filling & level >= 2 * N; at := draining; }
action drain() { require at = draining & level > 0; level := level - 1; spilt := if spilt < level then spilt + 1 else spilt; }
action refill() { require at = draining & level < N; at := filling; spilt := 0; }
action ring() { require level > 2 * N + M; alarm := true; }
safety [quiet] !alarm
`

// provedTank gives the system of the tank, and the invariants with which it is proved.
func provedTank(t *testing.T) (*system.System, *Outcome) {
	t.Helper()
	sys := testkit.Compile(t, tank)
	opts := options(t)
	opts.NoHorn = true
	out, err := Find(t.Context(), sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	if !out.Proved {
		t.Fatalf("not proved: %s", out.Reason.Text)
	}
	return sys, out
}

// Bounds are found for all values of the parameters, from instances with small ones.
func TestBounds(t *testing.T) {
	_, out := provedTank(t)
	if !slices.Contains(lemmas(out), "level <= 2 * N + M") {
		t.Errorf("the lemmas are %v", lemmas(out))
	}
}

// A bound is exact if possible, and otherwise the nearest one that is nowhere less.
func TestFits(t *testing.T) {
	points := [][]int64{{0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 3}}
	var exact, curved []int64
	for _, p := range points {
		exact = append(exact, 3*p[1]-p[0]+2)
		curved = append(curved, min(3*p[1]-p[0]+2, 7))
	}
	got := fits(points, exact, []int64{7, 7})
	if len(got) != 1 || got[0].slack != 0 || !slices.Equal(got[0].of, []int64{-1, 3, 2}) {
		t.Errorf("%+v instead of -x + 3y + 2", got)
	}
	for _, f := range fits(points, curved, []int64{7, 7}) {
		for i, p := range points {
			if f.of[0]*p[0]+f.of[1]*p[1]+f.of[2] < curved[i] {
				t.Errorf("%v is less than %d at %v", f.of, curved[i], p)
			}
		}
	}
}

// The failure detector in whole rounds needs no help: the papers' invariants are taken away.
func TestFailureDetector(t *testing.T) {
	files := []string{"whole_rounds.ere"}
	if os.Getenv("ERELONG_LONG") != "" {
		files = append(files, "eventual_accuracy.ere")
	}
	opts := options(t)
	for _, name := range files {
		path := filepath.Join("../../../examples/failure_detector", name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		less, err := strip.Source(name, string(text), true)
		if err != nil {
			t.Fatal(err)
		}
		sys, _, err := ere.Compile(name, less)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(sys.Properties, func(p *system.Property) bool {
			return p.Kind == system.Invariant
		}) {
			t.Fatalf("%s still has invariants", name)
		}
		out, err := Find(t.Context(), sys, opts)
		if err != nil {
			t.Fatal(err)
		}
		if !out.Proved || len(out.Lemmas) == 0 {
			t.Errorf("%s is not proved: %s", name, out.Reason.Text)
		}
	}
}
