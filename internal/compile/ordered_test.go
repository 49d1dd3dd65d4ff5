package compile

import (
	"fmt"
	"testing"
)

// A branch on a comparison with a constant, on either side, takes the way that the interpreter
// takes, for all values of a slot.
func TestBranchesOnComparisons(t *testing.T) {
	const manyStates = 10_000 // more than there are
	for _, op := range []string{"<", "<=", ">", ">=", "=", "!="} {
		for c := range 3 {
			for _, cond := range []string{
				fmt.Sprintf("y %s %d", op, c), fmt.Sprintf("%d %s y", c, op),
				fmt.Sprintf("!(y %s %d)", op, c), fmt.Sprintf("y %s %d | z = y", op, c),
				fmt.Sprintf("y %s z", op), fmt.Sprintf("f(z) %s %d", op, c),
			} {
				alone := parse(t, `
mutable constant y: 0..2
mutable constant z: 0..2
mutable function f(0..2): 0..2
mutable relation on
init !on & f(I) = I
action branch() { if `+cond+` { on := true; } }
`)
				among := parse(t, `
mutable constant y: 0..2
mutable constant z: 0..2
mutable function f(0..2): 0..2
mutable relation on
mutable constant n: 0..3
init !on & n = 0 & f(0) = 0 & f(1) = 1 & f(2) = 2
action branch() { if `+cond+` { on := true; n := n + 1; } else { n := 2; } }
action ask() { require `+cond+`; on := true; }
action value() { on := `+cond+`; }
action choice() { n := if `+cond+` then 1 else 3; }
action each(k: 0..2) { f(k) := if `+cond+` then k else y; }
`)
				t.Run(cond, func(t *testing.T) {
					compare(t, alone, Options{}, manyStates)
					compare(t, among, Options{}, manyStates)
				})
			}
		}
	}
}
