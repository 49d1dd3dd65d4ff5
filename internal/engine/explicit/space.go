package explicit

import (
	"context"
	"errors"
	"slices"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/symmetry"
	"erelong.dev/erelong/internal/system"
)

// newSpace makes the program for an instance, and the claims about it.
func newSpace(
	ctx context.Context, m *interp.Model, opts Options, forced map[int]compile.Interval,
) (*explore.Space, *claims, error) {
	cs, err := selectClaims(m, opts)
	if err != nil {
		return nil, nil, err
	}
	cs.props = slices.Clone(cs.ranges)
	for _, c := range cs.list {
		if c.property != nil && !slices.Contains(cs.props, c.property) {
			cs.props = append(cs.props, c.property)
		}
	}
	sp := &explore.Space{Model: m, Ranges: len(cs.ranges)}
	for _, p := range cs.props {
		sp.Terms = append(sp.Terms, p.Term)
	}
	if opts.PartialOrder {
		sp.Program, cs.unreduced, err = program.NewReduced(ctx, m, cs.props, sp.Ranges,
			opts.program, forced)
		cs.reduced = cs.unreduced == ""
	} else {
		sp.Program, err = opts.program(ctx, m, sp.Terms, forced)
	}
	if err != nil {
		return nil, nil, err
	}
	if opts.Symmetry {
		p, err := program.NewSymmetric(m, sp.Program)
		var not *symmetry.Error
		switch {
		case errors.As(err, &not) && not.Named:
			cs.asymmetric = not.Reason
		case err != nil:
			return nil, nil, errors.Join(err, sp.Program.Close())
		default:
			sp.Program = p
		}
	}
	return sp, cs, nil
}

// index is the index of a property among the ones that the program evaluates.
func (cs *claims) index(p *system.Property) int { return slices.Index(cs.props, p) }
