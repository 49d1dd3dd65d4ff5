package systemtest

import (
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/logic"
)

// The claims use every operator on both sides of the truth, and most are false for a neighbour of
// a value.
func TestOperators(t *testing.T) {
	seen, values := map[logic.Op]int{}, map[logic.Op][2]int{}
	for seed := range int64(20) {
		_, claims, err := Operators(rand.New(rand.NewSource(seed)), 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range claims {
			operators(c.Term, seen)
			n := values[c.Op]
			n[truth(c.Value)]++
			values[c.Op] = n
		}
	}
	for _, op := range logic.Ops() {
		if op.IsTemporal() {
			continue
		}
		if n := values[op]; seen[op] < 50 ||
			op != logic.OpTrue && n[0] < 3 || op != logic.OpFalse && n[1] < 3 {
			t.Errorf("operator %d occurs %d times, and its claims are %d times false, %d times true",
				op, seen[op], n[0], n[1])
		}
	}
}
