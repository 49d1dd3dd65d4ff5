package ranking

import (
	"context"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Limits of the states that are looked at before solvers are asked, of one instance, and of the
// values that are tried for them.
const (
	mostWalked  = 200
	mostSampled = 64
	mostTried   = 2_000_000
)

// sample is a reachable state in which the property is pending, with values for the variables of
// the property and for the choices. What is false there has no proof, so no solver is asked.
type sample struct {
	model     *interp.Model
	state     interp.State
	constants []*logic.Symbol
	by        []*logic.Term
}

type samples []sample

// walks looks at the first states of instances. An instance that cannot be looked at is left out.
func walks(
	ctx context.Context, sys *system.System, instances []*system.Instance, most int,
) (out []*walk) {
	for _, in := range instances {
		if w, err := walkThrough(ctx, sys, in, most,
			&interp.Budget{Left: mostTried}, nil); err == nil {
			out = append(out, w)
		}
	}
	return out
}

// sampled lists samples of the states that walks have seen, evenly.
func (p *problem) sampled(seen []*walk) (out samples) {
	pending, constants := p.prerequisite(), p.constantsOf()
	for _, whole := range seen {
		w := *whole // what cannot be looked at within the limit is left out
		w.model = whole.model.Within(&interp.Budget{Left: mostTried})
		given, err := w.tuples(p.vars)
		if err != nil {
			continue
		}
		var own []sample
		for n, state := range w.states {
			for _, values := range given {
				holds, err := w.model.Holds(replace(pending, p.vars, values), state)
				if err != nil || !holds {
					continue
				}
				tuples, err := w.fitting(n, p.vars, values, p.choices)
				if err != nil {
					continue
				}
				for _, by := range tuples {
					own = append(own, sample{whole.model, state, constants, by})
				}
			}
		}
		out = append(out, spread(own, mostSampled)...)
	}
	return out
}

// refuted reports whether a formula is false in a sample. It says nothing about a formula that
// cannot be evaluated there.
func (s samples) refuted(t *logic.Term) bool {
	for _, x := range s {
		holds, err := x.model.Holds(replace(t, x.constants, x.by), x.state)
		if err != nil {
			return false
		}
		if !holds {
			return true
		}
	}
	return false
}

// constantsOf lists the constants for the variables of the property and for the choices.
func (p *problem) constantsOf() (out []*logic.Symbol) {
	out = append(out, p.vars...)
	for _, c := range p.choices {
		out = append(out, c.symbol)
	}
	return out
}
