package explicit

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/symmetry"
)

// What symmetry would save is told after a search without it. Permutations map the states of a
// level to states of the same level, so of all states on whole levels exactly one in each orbit is
// its own representative. In a sample of these states, the share of representatives is about the
// share of states that symmetry leaves.

// Saving is the outcome: of the states in a sample, the ones that symmetry leaves.
type Saving struct{ Sampled, Left int }

const (
	savingFrom = 1 << 17 // states from which on a search is long enough for advice
	sampleSize = 1 << 10
	// With a smaller saving, finding the representatives may cost what they save.
	leastSaving = 4
	// So few representatives say only that the share is small.
	fewLeft = 8
)

// sampleSymmetry samples the states on whole levels. No verdict depends on it, so where states
// cannot be read again there is no advice.
func (s *search) sampleSymmetry() Saving {
	o := &s.opts
	if o.Symmetry || o.PartialOrder || o.Store != Exact || o.Search != BreadthFirst ||
		s.bits != nil || s.initialStates != nil || s.To < o.savingFrom {
		return Saving{}
	}
	var buf []uint64
	return savingOf(s.Model, s.Program, s.To, func(at int) ([]uint64, error) {
		return s.Store.States(at, at+1, &buf)
	})
}

// savingOf samples the states of a program.
func savingOf(
	m *interp.Model, p compile.Program, states int, state func(at int) ([]uint64, error),
) Saving {
	l := program.LayoutOf(p)
	if l == nil {
		return Saving{}
	}
	r, err := symmetry.New(m, l)
	if err != nil || r.Trivial() {
		return Saving{}
	}
	out := Saving{Sampled: min(states, sampleSize)}
	for i := range out.Sampled {
		state, err := state(int(int64(i) * int64(states) / int64(out.Sampled)))
		if err != nil {
			return Saving{}
		}
		if slices.Equal(r.Canonical(state), state) {
			out.Left++
		}
	}
	return out
}

// note is advice for an instance, empty if symmetry would save little.
func (v Saving) note(instance string) string {
	switch {
	case v.Left*leastSaving > v.Sampled || v.Sampled == 0:
		return ""
	case v.Left < fewLeft:
		return fmt.Sprintf("%s: --symmetry explores fewer than 1 in %d of these states, with the "+
			"same verdicts", instance, v.Sampled/(2*fewLeft))
	}
	return fmt.Sprintf("%s: --symmetry explores about 1 in %d of these states, with the same "+
		"verdicts", instance, (v.Sampled+v.Left/2)/v.Left)
}
