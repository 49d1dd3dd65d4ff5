package ranking

import (
	"slices"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// Of the invariants, the ones about every integer are stated for each integer of a goal.
func TestAtIntegers(t *testing.T) {
	const text = `
sort s
mutable constant next: int
mutable function number(s): int
invariant [no_gap] forall N: int. 0 <= N & N < next -> exists X. number(X) = N
invariant [pairs] forall N: int, M: int. N < M -> next >= 0
invariant [others] number(X) < next
`
	for _, c := range []struct {
		name, goal string
		want       []string
	}{
		{"no integer", "exists X: s. X = X", nil},
		{"only of bound values", "exists X: s, Y. number(X) = number(Y)", nil},
		{"the one before", "exists X. number(X) = next - 1", []string{
			"0 <= next - 1 & next - 1 < next -> exists X:s. number(X) = next - 1",
			"0 <= next & next < next -> exists X:s. number(X) = next",
			"0 <= 1 & 1 < next -> exists X:s. number(X) = 1"}},
		{"the same one twice", "exists X. number(X) = next & X = X & next = next", []string{
			"0 <= next & next < next -> exists X:s. number(X) = next"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, text+"safety [goal] "+c.goal)
			var invariants []*system.Property
			var goal *logic.Term
			for _, p := range sys.Properties {
				if p.Name == "goal" {
					goal = p.Term
				} else {
					invariants = append(invariants, p)
				}
			}
			var got []string
			for _, i := range atIntegers(invariants, goal) {
				got = append(got, i.String())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q instead of %q", got, c.want)
			}
		})
	}
}
