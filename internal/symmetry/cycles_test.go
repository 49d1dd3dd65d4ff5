package symmetry_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/symmetry"
)

// TestCycles: graphs made of cycles, in which the links tell no elements apart, but not all of them
// can be mapped to each other. Their representatives tell the lengths of the cycles.
func TestCycles(t *testing.T) {
	m := model(t, strings.Replace(shapes["graphs"], "n = 5", "n = 10", 1))
	d := dense{len(m.SlotSymbols())}
	r, err := symmetry.New(m, d)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewSource(1))
	for _, both := range []bool{false, true} {
		seen := map[string][]int{}
		for _, lengths := range [][]int{{2, 3, 5}, {2, 2, 3, 3}, {1, 2, 3, 4}, {5, 5}, {3, 3, 4},
			{1, 1, 4, 4}, {2, 2, 2, 4}, {1, 9}, {10}, {2, 8}, {1, 1, 2, 2, 4}} {
			var want []uint64
			for range 30 {
				got := r.Canonical(d.pack(m, cycles(lengths, rng.Perm(10), both)))
				if want == nil {
					want = slices.Clone(got)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("cycles of %v have the representatives %x and %x", lengths, want, got)
				}
			}
			if other := seen[fmt.Sprint(want)]; other != nil {
				t.Errorf("cycles of %v and of %v have one representative", lengths, other)
			}
			seen[fmt.Sprint(want)] = lengths
		}
	}
}

// cycles is a state of the model "graphs": cycles of some lengths through the elements in an order,
// in one direction or both.
func cycles(lengths, order []int, both bool) interp.State {
	n := len(order)
	s := make(interp.State, n*n)
	for _, length := range lengths {
		for i := range length {
			from, to := order[i], order[(i+1)%length]
			s[from*n+to] = 1
			if both {
				s[to*n+from] = 1
			}
		}
		order = order[length:]
	}
	return s
}

func BenchmarkCanonical(b *testing.B) {
	for name, text := range shapes {
		b.Run(name, func(b *testing.B) {
			sys, _, err := ere.Compile("x.ere", text)
			if err != nil {
				b.Fatal(err)
			}
			m, err := interp.NewModel(sys, sys.Instances[0])
			if err != nil {
				b.Fatal(err)
			}
			d := dense{len(m.SlotSymbols())}
			r, err := symmetry.New(m, d)
			if err != nil {
				b.Fatal(err)
			}
			rng := rand.New(rand.NewSource(1))
			var states [][]uint64
			for range 1000 {
				states = append(states, d.pack(m, randomState(m, rng)))
			}
			b.ResetTimer()
			for i := range b.N {
				r.Canonical(states[i%len(states)])
			}
		})
	}
}
