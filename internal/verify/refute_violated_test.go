package verify

import (
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// A violated property is no longer assumed: a property that only follows from it is not proved, and
// an independent property is.
func TestViolatedPropertiesAreNotAssumed(t *testing.T) {
	ctx := testkit.Solving(t)
	sys, list, err := ere.Compile("x.ere", needsThree+`
mutable relation seen(node)
init !seen(X)
transition look(x: node)
  modifies seen
  & old(on(x)) & (seen(X) <-> old(seen(X)) | X = x)
safety [follows] !(exists X:node, Y:node, Z:node. X != Y & Y != Z & X != Z & seen(X) & seen(Y) & seen(Z))
safety [subset] seen(X) -> on(X)
`)
	if err != nil {
		t.Fatalf("%v (%v)", err, list)
	}
	r, err := newRun(sys, Options{Prove: true})
	if err != nil {
		t.Fatal(err)
	}
	h := &hard{run: r}
	h.look(ctx, true)
	if how := h.violated("two"); how != "it is violated with node=3" {
		t.Errorf("two: %q", how)
	}
	if how := h.violated("subset"); how != "" {
		t.Errorf("subset: %q", how)
	}
	// engines makes none of its own
	r.o.Induct.Hard, r.o.Induct.Violated, r.o.LiveOnly = h.look, h.violated, true
	if err := r.prove(ctx); err != nil {
		t.Fatal(err)
	}
	want := map[string]result.Verdict{"two": result.Unknown, "subset": result.Holds}
	for _, x := range r.ledger.results {
		if v, ok := want[x.Property]; ok && x.Scope == result.ScopeAll && x.Verdict != v {
			t.Errorf("%s: %s (%s)", x.Property, x.Verdict, x.Reason)
		}
		if x.Property == "two" && x.Scope == result.ScopeAll &&
			(x.Reason.Text != "it is violated with node=3" || len(x.Evidence.Obligations) > 0) {
			t.Errorf("%+v", x)
		}
		if x.Property == "follows" && x.Scope == result.ScopeAll && x.Verdict == result.Holds {
			t.Errorf("follows: %s", x.Verdict)
		}
	}
}
