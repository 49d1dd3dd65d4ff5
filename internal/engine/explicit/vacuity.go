package explicit

import (
	"context"
	"fmt"
	"slices"

	"erelong/internal/compile"
	"erelong/internal/engine/explicit/store"
	"erelong/internal/logic"
	"erelong/internal/vacuity"
)

const (
	vacuityBatch = 4096    // states that are looked at together
	vacuityMost  = 1 << 16 // states that are looked at when not all were found, so that nothing can be concluded
)

// vacuous finds the signs that are true in no state, and those that are true in some. It looks at the states again, by a program that evaluates nothing else,
// and stops as soon as each was seen to be true; mostly that is soon.
func (s *search) vacuous(ctx context.Context, program makeProgram, forced map[int]compile.Interval) error {
	open := s.signs()
	if len(open) == 0 {
		return nil
	}
	never := []*logic.Term{}
	for _, sign := range open {
		never = append(never, logic.Not(sign.Term))
	}
	p, err := program(ctx, s.Model, never, forced)
	if err != nil {
		return fmt.Errorf("looking for antecedents that are never true: %w", err)
	}
	defer func() { _ = p.Close() }()
	if p.Words() != s.program.Words() || p.Bits() != s.program.Bits() {
		return nil // another layout: the states cannot be read
	}
	w, err := p.Worker()
	if err != nil {
		return fmt.Errorf("looking for antecedents that are never true: %w", err)
	}
	defer func() { _ = w.Close() }()
	look := w.Expand
	if c, ok := w.(checker); ok {
		look = c.Check
	}
	shown, failed := make([]bool, len(open)), make([]bool, len(open))
	err = s.sweep(func(states []uint64) (bool, error) {
		if ctx.Err() != nil {
			return false, nil
		}
		b, err := look(states)
		if err != nil {
			return false, fmt.Errorf("looking for antecedents that are never true: %w", err)
		}
		words := (len(open) + 63) / 64
		for at := 0; at < len(b.Violated); at += words {
			for k := range open {
				shown[k] = shown[k] || b.Violated[at+k/64]>>(k%64)&1 == 1
			}
		}
		for _, i := range b.Failed { // nothing is said of an antecedent that cannot be evaluated everywhere
			state := p.Unpack(states[int(i)*p.Words() : (int(i)+1)*p.Words()])
			for k, sign := range open {
				holds, err := s.Holds(sign.Term, state)
				shown[k], failed[k] = shown[k] || err == nil && holds, failed[k] || err != nil
			}
		}
		return slices.Contains(shown, false), nil
	})
	if err != nil || ctx.Err() != nil {
		return err
	}
	for k, sign := range open {
		switch {
		case shown[k] && s.opts.Signs != nil:
			s.Stats.Shown = append(s.Stats.Shown, sign)
		case !shown[k] && !failed[k]:
			s.Stats.Vacuous = append(s.Stats.Vacuous, sign)
		}
	}
	return nil
}

// tells reports whether it is wanted what was not seen: after a search that was cut short only if someone asked.
func (s *search) tells() bool { return s.Stats.Complete || s.opts.Signs != nil }

// signs are those that are looked for. What must be true in an initial state is not: the states do not tell.
func (s *search) signs() []vacuity.Sign {
	if s.opts.Signs != nil {
		return slices.DeleteFunc(slices.Clone(s.opts.Signs), func(sign vacuity.Sign) bool { return sign.Initial })
	}
	return slices.DeleteFunc(vacuity.Signs(s.System), func(sign vacuity.Sign) bool {
		return !slices.ContainsFunc(s.list, func(c *claim) bool { return c.property != nil && c.property.Name == sign.Property })
	})
}

// sweep calls visit with all states, some at a time, until it returns false.
func (s *search) sweep(visit func(states []uint64) (bool, error)) (err error) {
	var buf []uint64
	if s.bits != nil {
		s.bits.All(func(p store.Part) bool {
			more := false
			more, err = visit(p.Append(nil))
			return more && err == nil
		})
		return err
	}
	all := s.store.Len()
	if !s.Stats.Complete {
		all = min(all, vacuityMost)
	}
	for from, more := 0, true; more && from < all; from += vacuityBatch {
		states, err := s.store.States(from, min(from+vacuityBatch, all), &buf)
		if err != nil {
			return err
		}
		if more, err = visit(states); err != nil {
			return err
		}
	}
	return nil
}
