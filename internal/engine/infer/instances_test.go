package infer

import (
	"slices"
	"testing"

	"erelong.dev/erelong/internal/interp"
)

// The two largest worlds with small parameters get questions first, then the ones with a large
// parameter and the others, the ones with few states last.
func TestInTurn(t *testing.T) {
	worlds := func(sizes ...int) (out []*world) {
		for _, n := range sizes {
			out = append(out, &world{states: make([]interp.State, n)})
		}
		return out
	}
	for _, test := range []struct{ grown, large, want []int }{
		{[]int{8, 55, 300, 900}, []int{20, 400, 100}, []int{300, 900, 400, 100, 20, 55, 8}},
		{[]int{8}, []int{5}, []int{8, 5}},
		{nil, nil, nil},
	} {
		var got []int
		for _, w := range inTurn(worlds(test.grown...), worlds(test.large...)) {
			got = append(got, len(w.states))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%v and %v: the order is %v, not %v", test.grown, test.large, got, test.want)
		}
	}
}
