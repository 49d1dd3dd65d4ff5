package verify

import (
	"os"
	"testing"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/front/ere/strip"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// An algorithm is proved without what its file says about the derived systems: each of them needs
// lemmas, and one of them products.
func TestInferAlgorithm(t *testing.T) {
	testkit.InLong(t)
	ctx := testkit.Solving(t)
	const name = "chandra_toueg.ere"
	text, err := os.ReadFile("../../examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	less, err := strip.Source(name, string(text), true)
	if err != nil {
		t.Fatal(err)
	}
	ds, _, err := derive.Read(ctx, name, less, derive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, found, err := InferAll(ctx, ds, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range out.Results {
		if r.Verdict != result.Holds {
			t.Errorf("%s: %s, %s", r.Property, r.Verdict, r.Reason.Text)
		}
	}
	for i, f := range found {
		if f == nil || len(f.Lemmas) == 0 {
			t.Errorf("%s has no lemmas", ds[i].Name)
		}
	}
}
