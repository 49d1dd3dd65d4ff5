package verify

import (
	"fmt"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/result"
)

// Later results take the place of the ones about the same, in the order of the properties; several
// results about one property and scope stay.
func TestSupersede(t *testing.T) {
	row := func(property, scope string, v result.Verdict) result.Result {
		return result.Result{Property: property, Scope: scope, Verdict: v}
	}
	out := &Outcome{Results: []result.Result{
		row("a", result.ScopeAll, result.NotInductive), row("a", "one", result.Holds),
		row("b", result.ScopeAll, result.Unknown), row("b", "one", result.Holds),
	}, Notes: []string{"said"}}
	out.supersede(&Outcome{Results: []result.Result{
		row("b", result.ScopeAll, result.Holds), row("b", result.ScopeAll, result.Unknown),
		row("new", result.ScopeAll, result.Holds),
	}, Notes: []string{"said", "more"}})
	var got []string
	for _, x := range out.Results {
		got = append(got, fmt.Sprint(x.Property, " ", x.Scope, " ", x.Verdict))
	}
	want := []string{"a all not inductive", "a one holds", "b all holds", "b all unknown",
		"b one holds", "new all holds"}
	if !slices.Equal(got, want) || !slices.Equal(out.Notes, []string{"said", "more"}) {
		t.Errorf("%q %q", got, out.Notes)
	}
}
