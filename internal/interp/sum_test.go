package interp

import (
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
)

// The last number of a sum is calculated: it is no choice.
func TestLastSummandIsNoChoice(t *testing.T) {
	for _, sum := range []string{"x + y = 900", "y - 3 - x = 4", "-x - y = -700", "5 = 0 - x + y"} {
		sys, list, err := ere.Compile("x.ere", "mutable constant x: 0..1000\n"+
			"mutable constant y: 0..1000\ninit "+sum+"\ninstance i { }")
		if err != nil {
			t.Fatal(list)
		}
		m, err := NewModel(sys, sys.Instances[0])
		if err != nil {
			t.Fatal(err)
		}
		st, decisions, err := m.Sample(t.Context(), rand.New(rand.NewSource(1)), 100)
		if err != nil || st == nil || decisions > 10 {
			t.Errorf("%s: %v after %d decisions (%v)", sum, st, decisions, err)
		}
	}
}
