package temporal

import (
	"context"
	"math"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
)

// predicateError says that a state predicate has no value in a state.
type predicateError struct {
	state uint32
	err   error
}

func (e *predicateError) Error() string { return e.err.Error() }

// predicates are state predicates that were evaluated in all states while these were found. Where a
// state was not expanded, a predicate may have no value; it counts as true there.
type predicates struct {
	numbered
	falses []bits            // of each predicate: the states in which it is false
	failed []*predicateError // of each predicate: the first expanded state in which it has no value
}

func (p *predicates) set(terms []*logic.Term) {
	p.numbered = numbered{}
	for _, t := range terms {
		p.numberOf(t)
	}
	p.falses, p.failed = make([]bits, len(p.terms)), make([]*predicateError, len(p.terms))
}

func (p *predicates) bytes() int64 {
	n := int64(0)
	for _, b := range p.falses {
		n += int64(cap(b)) * 8
	}
	return n
}

// some says whether a predicate has a value in one of the first states. The error says that it has
// none in some state.
func (p *predicates) some(i int, value bool, states uint32) (bool, error) {
	if e := p.failed[i]; e != nil {
		return false, e.err
	}
	for n := range states {
		if p.falses[i].holds(n) != value {
			return true, nil
		}
	}
	return false, nil
}

// mostPredicates bounds the predicates that are evaluated during the exploration.
const mostPredicates = 1 << 10

// predicatesOf lists the state predicates that the verdicts on properties, and on what is vacuous
// in them, depend on; the conditions of fairness come first.
func predicatesOf(
	m *interp.Model, properties []*system.Property, signs []vacuity.Sign,
) []*logic.Term {
	tr := newTranslator(m)
	if c := m.System.Computed; c != nil {
		for _, f := range c.Conditions {
			tr.atoms.numberOf(f.Enabled)
		}
	}
	for _, a := range m.System.Actions {
		literals, _ := literalsOf(m, a)
		for _, t := range fairWhere(a, literals) {
			tr.atoms.numberOf(t)
		}
	}
	for _, p := range properties {
		_, _ = tr.formula(p.Term, true) // an error is met again
		if signs == nil {
			continue
		}
		for _, sign := range vacuity.Runs(p) {
			_, _ = tr.formula(logic.Not(sign.Term), true)
		}
	}
	for _, sign := range signs {
		if !logic.IsTemporal(sign.Term) {
			tr.predicate(sign.Term, false)
		}
	}
	if len(tr.atoms.terms) > mostPredicates && m.System.Computed == nil {
		return nil
	}
	return tr.atoms.terms
}

// evaluate finds the states in which each predicate is true. States that are not expanded lie on no
// loop, and states outside a range may have no value; both count as false.
func (g *graph) evaluate(
	ctx context.Context, atoms []*logic.Term, tell func(n uint32),
) ([]bits, error) {
	out := make([]bits, len(atoms))
	first := &predicateError{state: math.MaxUint32}
	var rest []int
	for i, t := range atoms {
		out[i] = newBits(g.count())
		k := g.find(t)
		if k < 0 {
			rest = append(rest, i)
			continue
		}
		if e := g.predicates.failed[k]; e != nil && e.state < first.state {
			first = e
		}
		out[i].complement(g.falses[k], g.count())
	}
	if len(rest) > 0 {
		for n := range uint32(min(g.count(), int(first.state))) {
			if n%1024 == 0 {
				if tell(n); ctx.Err() != nil {
					return nil, ctx.Err()
				}
			}
			s := g.state(n)
			for _, i := range rest {
				switch holds, err := g.model.Holds(atoms[i], s); {
				case err != nil && !g.isOpen(n):
					return nil, &predicateError{n, err}
				case err == nil && holds:
					out[i].set(n)
				}
			}
		}
	}
	if first.err != nil {
		return nil, first
	}
	return out, ctx.Err()
}

// complement makes a set the numbers below n that another set lacks.
func (b bits) complement(other bits, n int) {
	for i := range b {
		if b[i] = ^uint64(0); i < len(other) {
			b[i] = ^other[i]
		}
	}
	if n%64 != 0 {
		b[len(b)-1] &= 1<<(n%64) - 1
	}
}
