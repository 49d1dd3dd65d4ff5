package verify

import (
	"context"
	"fmt"
	"os"
	"slices"
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
	ds := withoutBlocks(t, ctx, "chandra_toueg.ere")
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

// withoutBlocks are the derived systems of an example without what helps its proofs.
func withoutBlocks(t *testing.T, ctx context.Context, name string) []*derive.Derived {
	t.Helper()
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
	return ds
}

// Where a system with rounds as steps decides some properties anyway, it takes the others, too, and
// is one system.
func TestAllInRounds(t *testing.T) {
	ds := withoutBlocks(t, t.Context(), "chandra_toueg.ere")
	others, err := allInRounds(t.Context(), ds)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range others {
		slices.Sort(d.Properties)
		got = append(got, fmt.Sprint(d.Name, d.Properties))
	}
	want := []string{"one_way_in_rounds[eventual_strong_accuracy strong_accuracy]",
		"one_way_with_crashes_in_rounds[strong_completeness]"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
