package refute

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Limits of the shapes.
const (
	mostElements = 3  // of a sort
	mostShapes   = 64 // that are listed
	// mostValues of a state of an instance of the file. In a larger one, such as for recorded runs,
	// a search for a few steps would take longer than the proof.
	mostValues = 5000
)

// Shapes lists small instances, the smallest total of elements first: in each, some sorts have one
// element, and the others all two or all three. Where a system needs values that only a person can
// choose, they are the small instances of the file.
func Shapes(sys *system.System) []*system.Instance {
	sorts := sys.Sized()
	var out []*system.Instance
	for _, sizes := range vectors(len(sorts)) {
		inst := &system.Instance{Sizes: map[*logic.Sort]int{},
			Values: map[*logic.Symbol]*logic.Term{}}
		var parts []string
		for i, s := range sorts {
			inst.Sizes[s] = sizes[i]
			parts = append(parts, fmt.Sprintf("%s=%d", s.Name, sizes[i]))
		}
		inst.Name = strings.Join(parts, ",")
		if inst.Name == "" {
			inst.Name = "the only instance"
		}
		if _, err := interp.NewModel(sys, inst); err != nil {
			continue // such as a parameter without value
		}
		out = append(out, inst)
	}
	if len(out) > 0 {
		return out
	}
	for _, inst := range sys.Instances {
		m, err := interp.NewModel(sys, inst)
		if err == nil && len(m.SlotSymbols()) <= mostValues {
			out = append(out, inst)
		}
	}
	return out
}

// vectors lists sizes for n sorts.
func vectors(n int) (out [][]int) {
	for total := n; total <= mostElements*n && len(out) < mostShapes; total++ {
		var level [][]int
		for high := 2; high <= mostElements; high++ {
			// k sorts have the size high, the others one.
			if k := (total - n) / (high - 1); (total-n)%(high-1) == 0 && k <= n &&
				(k > 0 || high == 2) {
				level = append(level, choose(n, k, high)...)
			}
		}
		out = append(out, level...)
	}
	return out[:min(len(out), mostShapes)]
}

// choose lists the vectors of n numbers, k of which are high and the others one.
func choose(n, k, high int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var out [][]int
	if k < n {
		for _, v := range choose(n-1, k, high) {
			out = append(out, slices.Insert(v, 0, 1))
		}
	}
	if k > 0 {
		for _, v := range choose(n-1, k-1, high) {
			out = append(out, slices.Insert(v, 0, high))
		}
	}
	return out
}
