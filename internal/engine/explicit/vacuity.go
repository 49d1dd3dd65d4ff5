package explicit

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/vacuity"
)

const (
	vacuityBatch = 4096 // states evaluated together
	vacuityFirst = 1000 // states evaluated without a program: usually enough
	// States evaluated if not all were found, so that nothing can be concluded.
	vacuityMost = 1 << 16
)

// sighting is the state of the search for signs.
type sighting struct {
	open []vacuity.Sign
	// Whether it is true in some state; whether it cannot be evaluated in some state.
	shown, failed []bool
}

// evaluate evaluates a sign in a state.
func (v *sighting) evaluate(s *search, k int, state interp.State) {
	holds, err := s.Holds(v.open[k].Term, state)
	v.shown[k], v.failed[k] = v.shown[k] || err == nil && holds, v.failed[k] || err != nil
}

// vacuous finds the signs that are true in no state, and the signs that are true in some state. It
// evaluates the states again, and stops when all signs have been true: the first states with the
// interpreter, then all states with a program that evaluates nothing else.
func (s *search) vacuous(
	ctx context.Context, newProgram program.Make, forced map[int]compile.Interval,
) error {
	v := newSighting(s)
	if len(v.open) == 0 {
		return nil
	}
	enough, err := s.evaluateFirst(ctx, v)
	if err == nil && !enough {
		enough, err = s.evaluateAll(ctx, v, newProgram, forced)
	}
	if err != nil {
		return fmt.Errorf("looking for antecedents that are never true: %w", err)
	}
	if !enough || ctx.Err() != nil {
		return nil
	}
	s.concludeSigns(v)
	return nil
}

func newSighting(s *search) *sighting {
	open := s.signs()
	return &sighting{open, make([]bool, len(open)), make([]bool, len(open))}
}

// concludeSigns concludes from signs in all states.
func (s *search) concludeSigns(v *sighting) {
	for k, sign := range v.open {
		switch {
		case v.shown[k] && s.opts.Signs != nil:
			s.Stats.Shown = append(s.Stats.Shown, sign)
		case !v.shown[k] && !v.failed[k]:
			s.Stats.Vacuous = append(s.Stats.Vacuous, sign)
		}
	}
}

// evaluateFirst evaluates the first states. It reports whether nothing is left to do.
func (s *search) evaluateFirst(ctx context.Context, v *sighting) (bool, error) {
	if s.bits != nil || s.opts.Store == Packed {
		return false, nil
	}
	var buf []uint64
	n, words := min(s.Store.Len(), vacuityFirst), s.Program.Words()
	states, err := s.Store.States(0, n, &buf)
	if err != nil {
		return false, err
	}
	for i := range n {
		if ctx.Err() != nil {
			return false, nil
		}
		state := s.Program.Unpack(states[i*words : (i+1)*words])
		for k := range v.open {
			if !v.shown[k] {
				v.evaluate(s, k, state)
			}
		}
		if !slices.Contains(v.shown, false) {
			return true, nil
		}
	}
	return n == s.Store.Len(), nil
}

// evaluateAll evaluates all states with a program. It reports whether this is possible.
func (s *search) evaluateAll(
	ctx context.Context, v *sighting, newProgram program.Make, forced map[int]compile.Interval,
) (bool, error) {
	never := []*logic.Term{}
	for _, sign := range v.open {
		never = append(never, logic.Not(sign.Term))
	}
	p, err := newProgram(ctx, s.Model, never, forced)
	if err != nil {
		return false, err
	}
	defer func() { _ = p.Close() }()
	if p.Words() != s.Program.Words() || p.Bits() != s.Program.Bits() {
		return false, nil // another layout: the states cannot be read
	}
	w, err := p.Worker()
	if err != nil {
		return false, err
	}
	defer func() { _ = w.Close() }()
	err = s.sweep(func(states []uint64) (bool, error) {
		if ctx.Err() != nil {
			return false, nil
		}
		b, err := program.Check(w, states)
		if err != nil {
			return false, err
		}
		words := (len(v.open) + 63) / 64
		for at := 0; at < len(b.Violated); at += words {
			for k := range v.open {
				v.shown[k] = v.shown[k] || b.Violated[at+k/64]>>(k%64)&1 == 1
			}
		}
		for _, i := range b.Failed { // an antecedent that cannot be evaluated everywhere is skipped
			state := p.Unpack(states[int(i)*p.Words() : (int(i)+1)*p.Words()])
			for k := range v.open {
				v.evaluate(s, k, state)
			}
		}
		return slices.Contains(v.shown, false), nil
	})
	return true, err
}

// tells reports whether signs that were not seen are wanted: for an incomplete search, only if they
// were asked for.
func (s *search) tells() bool { return s.Stats.Complete || s.opts.Signs != nil }

// signs are the signs to look for, without the ones about initial states: a state does not show
// whether it is initial.
func (s *search) signs() []vacuity.Sign {
	if s.opts.Signs != nil {
		return vacuity.Later(s.opts.Signs)
	}
	return slices.DeleteFunc(vacuity.Signs(s.System), func(sign vacuity.Sign) bool {
		return !slices.ContainsFunc(s.list, func(c *claim) bool {
			return c.property != nil && c.property.Name == sign.Property
		})
	})
}

// sweep calls visit with all states, in batches, until it returns false.
func (s *search) sweep(visit func(states []uint64) (bool, error)) (err error) {
	var buf []uint64
	if s.bits != nil {
		s.bits.All(func(p store.PageStates) bool {
			more := false
			more, err = visit(p.Append(nil))
			return more && err == nil
		})
		return err
	}
	if s.opts.Store == Packed {
		return s.Store.Unordered(visit)
	}
	all := s.Store.Len()
	if !s.Stats.Complete {
		all = min(all, vacuityMost)
	}
	for from, more := 0, true; more && from < all; from += vacuityBatch {
		states, err := s.Store.States(from, min(from+vacuityBatch, all), &buf)
		if err != nil {
			return err
		}
		if more, err = visit(states); err != nil {
			return err
		}
	}
	return nil
}
