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

// sighting is the search for signs in the states of a search.
type sighting struct {
	*search
	signs []vacuity.Sign // to look for
	// Whether it is true in some state; whether it cannot be evaluated in some state.
	shown, failed []bool
}

// evaluate evaluates a sign in a state.
func (v *sighting) evaluate(k int, state interp.State) {
	holds, err := v.Holds(v.signs[k].Term, state)
	v.shown[k], v.failed[k] = v.shown[k] || err == nil && holds, v.failed[k] || err != nil
}

// vacuous finds the signs that are true in no state, and the signs that are true in some state. It
// evaluates the states again, and stops when all signs have been true: the first states with the
// interpreter, then all states with a program that evaluates nothing else.
func (s *search) vacuous(
	ctx context.Context, newProgram program.Make, forced map[int]compile.Interval,
) error {
	v := newSighting(s)
	if len(v.signs) == 0 {
		return nil
	}
	enough, err := v.evaluateFirst(ctx)
	if err == nil && !enough {
		enough, err = v.evaluateAll(ctx, newProgram, forced)
	}
	if err != nil {
		return fmt.Errorf("looking for antecedents that are never true: %w", err)
	}
	if !enough || ctx.Err() != nil {
		return nil
	}
	v.conclude()
	return nil
}

// newSighting begins without the signs about initial states: a state does not show whether it is
// initial.
func newSighting(s *search) *sighting {
	signs := vacuity.Later(s.opts.Signs)
	if s.opts.Signs == nil {
		signs = slices.DeleteFunc(vacuity.Signs(s.System), func(sign vacuity.Sign) bool {
			return !slices.ContainsFunc(s.list, func(c *claim) bool {
				return c.property != nil && c.property.Name == sign.Property
			})
		})
	}
	return &sighting{s, signs, make([]bool, len(signs)), make([]bool, len(signs))}
}

// conclude concludes from signs in all states.
func (v *sighting) conclude() {
	for k, sign := range v.signs {
		switch {
		case v.shown[k] && v.opts.Signs != nil:
			v.Stats.Shown = append(v.Stats.Shown, sign)
		case !v.shown[k] && !v.failed[k]:
			v.Stats.Vacuous = append(v.Stats.Vacuous, sign)
		}
	}
}

// evaluateFirst evaluates the first states. It reports whether nothing is left to do.
func (v *sighting) evaluateFirst(ctx context.Context) (bool, error) {
	if v.bits != nil || v.opts.Store == Packed {
		return false, nil
	}
	var buf []uint64
	n, words := min(v.Store.Len(), vacuityFirst), v.Program.Words()
	states, err := v.Store.States(0, n, &buf)
	if err != nil {
		return false, err
	}
	for i := range n {
		if ctx.Err() != nil {
			return false, nil
		}
		state := v.Program.Unpack(states[i*words : (i+1)*words])
		for k := range v.signs {
			if !v.shown[k] {
				v.evaluate(k, state)
			}
		}
		if !slices.Contains(v.shown, false) {
			return true, nil
		}
	}
	return n == v.Store.Len(), nil
}

// evaluateAll evaluates all states with a program. It reports whether this is possible.
func (v *sighting) evaluateAll(
	ctx context.Context, newProgram program.Make, forced map[int]compile.Interval,
) (bool, error) {
	never := []*logic.Term{}
	for _, sign := range v.signs {
		never = append(never, logic.Not(sign.Term))
	}
	p, err := newProgram(ctx, v.Model, never, forced)
	if err != nil {
		return false, err
	}
	defer func() { _ = p.Close() }()
	if p.Words() != v.Program.Words() || p.Bits() != v.Program.Bits() {
		return false, nil // another layout: the states cannot be read
	}
	w, err := p.Worker()
	if err != nil {
		return false, err
	}
	defer func() { _ = w.Close() }()
	err = v.sweep(func(states []uint64) (bool, error) {
		if ctx.Err() != nil {
			return false, nil
		}
		b, err := program.Check(w, states)
		if err != nil {
			return false, err
		}
		words := (len(v.signs) + 63) / 64
		for at := 0; at < len(b.Violated); at += words {
			for k := range v.signs {
				v.shown[k] = v.shown[k] || b.Violated[at+k/64]>>(k%64)&1 == 1
			}
		}
		for _, i := range b.Failed { // an antecedent that cannot be evaluated everywhere is skipped
			state := p.Unpack(states[int(i)*p.Words() : (int(i)+1)*p.Words()])
			for k := range v.signs {
				v.evaluate(k, state)
			}
		}
		return slices.Contains(v.shown, false), nil
	})
	return true, err
}

// tells reports whether signs that were not seen are wanted: for an incomplete search, only if they
// were asked for.
func (s *search) tells() bool { return s.Stats.Complete || s.opts.Signs != nil }

// sweep calls visit with all states, in batches, until it returns false.
func (v *sighting) sweep(visit func(states []uint64) (bool, error)) (err error) {
	var buf []uint64
	if v.bits != nil {
		v.bits.All(func(p store.PageStates) bool {
			more := false
			more, err = visit(p.Append(nil))
			return more && err == nil
		})
		return err
	}
	if v.opts.Store == Packed {
		return v.Store.Unordered(visit)
	}
	all := v.Store.Len()
	if !v.Stats.Complete {
		all = min(all, vacuityMost)
	}
	for from, more := 0, true; more && from < all; from += vacuityBatch {
		states, err := v.Store.States(from, min(from+vacuityBatch, all), &buf)
		if err != nil {
			return err
		}
		if more, err = visit(states); err != nil {
			return err
		}
	}
	return nil
}
