package conformance

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/conformance/bounds"
	"erelong.dev/erelong/internal/conformance/observe"
)

// That a theorem does not apply is said only where no pair that was left out can suffice.
func TestTheorem(t *testing.T) {
	front := []bounds.Pair{{Delta: 9, Phi: 1}, {Delta: 8, Phi: 2}}
	for _, c := range []struct {
		timeout, least int64
		want           string
	}{
		{90, 8, "is at least 1 * 2 + 10 * 8 = 82, by 8"},
		{80, 8, "does not apply to this run"},
		{80, 7, "pairs with a Phi above 2 were not computed"},
		{72, 7, "does not apply to this run"},
	} {
		var b strings.Builder
		r := &bounds.Result{Front: front, Least: bounds.Pair{Delta: c.least, Phi: 1}}
		if err := WriteBounds(&b, r,
			&observe.Theorem{Timeout: c.timeout, Phi: 1, Delta: 10}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), c.want) {
			t.Errorf("%d >= Phi + 10 * Delta, least Delta %d: %s", c.timeout, c.least, b.String())
		}
	}
}
