package induction_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
)

// A program that claims to be a solver and never answers is given up after a few queries.
func TestMuteSolverIsGivenUp(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the solver is a shell script")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\n[ \"$1\" = --version ] && { echo 'Z3 version 4.8.12 - 64 bit'; exit 0; }\nwhile read line; do :; done\n"
	if err := os.WriteFile(filepath.Join(dir, "z3"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	var text strings.Builder
	text.WriteString("mutable constant x: int\ninit x = 0\naction a() { x := x + 1; }\n")
	for range 20 {
		text.WriteString("invariant x >= 0\n")
	}
	sys, _, err := ere.Compile("x.ere", text.String())
	if err != nil {
		t.Fatal(err)
	}
	results, err := induction.Prove(t.Context(), sys,
		induction.Options{Options: discharge.Options{
			Solving: discharge.Solving{Solvers: []string{"z3"}},
			Wall:    200 * time.Millisecond,
			Jobs:    1,
		}})
	if err != nil {
		t.Fatal(err)
	}
	var queries int64
	for _, r := range results {
		queries += r.Queries
		if r.Verdict != result.Unknown || !strings.Contains(r.Reason.Text, "z3") ||
			!strings.Contains(r.Reason.Text, "given up") {
			t.Errorf("%s: %s, %s", r.Property, r.Verdict, r.Reason)
		}
	}
	if len(results) != 20 || queries > 10 {
		t.Errorf("%d results, %d queries", len(results), queries)
	}
}
