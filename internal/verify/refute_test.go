package verify

import (
	"context"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// The state of the picture has two nodes. With two nodes the property holds; with three it is
// violated.
const needsThree = `
sort node
mutable relation on(node)
init !on(X)
transition go(x: node)
  modifies on
  & (on(X) <-> old(on(X)) | X = x)
safety [two] !(exists X:node, Y:node, Z:node. X != Y & Y != Z & X != Z & on(X) & on(Y) & on(Z))
`

func TestHardLooksForViolationsOnce(t *testing.T) {
	sys, list, err := ere.Compile("x.ere", needsThree)
	if err != nil {
		t.Fatalf("%v (%v)", err, list)
	}
	r, err := newRun(sys, Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := &hard{run: r}
	for range 3 {
		if reason := h.look(context.Background(), true); reason != "" {
			t.Fatalf("a violated property ends the proofs of others: %q", reason)
		}
	}
	if len(r.ledger.results) != 1 || r.ledger.results[0].Verdict != result.Violated {
		t.Errorf("results: %v", r.ledger.results)
	}
	if r, err = newRun(sys, Options{Only: []string{}}); err != nil {
		t.Fatal(err)
	}
	h = &hard{run: r}
	if h.look(context.Background(), false); h.violated("two") != "it is violated with node=3" {
		t.Errorf("the first look found nothing: %+v", h.found)
	}
}

// "An invariant is missing" comes with the examined instances beside the instance of the picture.
func TestDiagnosisLooksFurther(t *testing.T) {
	testkit.Solvers(t)
	sys, list, err := ere.Compile("x.ere", `
sort node
mutable relation on(node)
mutable relation off(node)
init !on(X) & !off(X)
transition go(x: node)
  modifies on
  & old(off(x)) & (on(X) <-> old(on(X)) | X = x)
safety [none] !on(X)
`)
	if err != nil {
		t.Fatalf("%v (%v)", err, list)
	}
	for _, x := range prove(t, sys) {
		if x.Trace == nil || x.Trace.Diagnosis == nil ||
			!strings.Contains(x.Trace.Diagnosis.Looked, "3 small instances, the last node=3") {
			t.Errorf("%s %s: %+v", x.Property, x.Verdict, x.Trace)
		}
	}
}
