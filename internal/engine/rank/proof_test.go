package rank

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"erelong/internal/system"
	"erelong/internal/verdict"
)

// restate derives the obligations of a proof from what is written of it. They are those that were discharged, and no others.
func restate(t *testing.T, sys *system.System, r verdict.Result) {
	t.Helper()
	var invariants []*system.Property
	for _, name := range r.Evidence.Invariant {
		invariants = append(invariants, sys.Property(name))
	}
	groups, err := Obligations(sys, sys.Property(r.Property), invariants, r.Evidence.Ranking.Proof)
	if err != nil {
		t.Fatalf("%v\n%+v\n%s", err, r.Evidence.Ranking.Proof, sys.Source.Text)
	}
	var derived, discharged []string
	for _, g := range groups {
		for _, o := range g.Obligations {
			derived = append(derived, o.Name)
		}
	}
	for _, o := range r.Evidence.Obligations {
		discharged = append(discharged, o.Name)
	}
	slices.Sort(derived)
	slices.Sort(discharged)
	if diff := cmp.Diff(discharged, derived); diff != "" || len(slices.Compact(derived)) < len(discharged) {
		t.Errorf("%s\n%s", diff, sys.Source.Text)
	}
}
