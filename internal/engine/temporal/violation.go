package temporal

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"sync"

	"erelong.dev/erelong/internal/system"
)

// violation finds a fair run that violates a property, nil if there is none.
func (c *checker) violation(ctx context.Context, g *graph, p *system.Property) (*lasso, error) {
	var out *lasso
	_, err := c.violated(ctx, g, p, func(product *product) (found bool, err error) {
		f, err := fairComponents(ctx, product)
		if err != nil {
			return false, err
		}
		out, err = f.shortLasso()
		return out != nil, err
	})
	return out, err
}

// violated says whether some fair run violates a property. Show is called with the first product
// that may have such a run, and says whether it has one; nil to ask only whether there is a run.
func (c *checker) violated(
	ctx context.Context, g *graph, p *system.Property, show func(*product) (bool, error),
) (bool, error) {
	tr := newTranslator(c.m)
	negation, err := tr.formula(p.Term, true)
	if err != nil {
		return false, err
	}
	atoms, err := g.evaluateAtoms(ctx, tr.atoms.terms, func(n uint32) {
		c.evaluated(p, int64(n), int64(g.count()))
	})
	if err != nil {
		return false, err
	}
	negation = tr.assume(negation, func(atom int) (bool, bool) { return atoms.constant(g, atom) })
	fair, err := g.fairness(ctx)
	if err != nil {
		return false, err
	}
	d := &domain{g, atoms.holds, fair}
	parts := []*formula{negation}
	if negation.op == opOr {
		parts = negation.args
	}
	for next := 0; next < len(parts); {
		c.searched(p, next, len(parts))
		some := parts[next:min(next+c.threads(), len(parts))]
		looks := make([]look, len(some))
		for i, part := range some {
			if looks[i].automaton, err = translate(part); err != nil {
				return false, err
			}
			if g.computed != nil {
				looks[i].automaton.permits = atoms.separate(g, looks[i].automaton)
			}
		}
		c.look(ctx, d, looks)
		for _, l := range looks {
			found, err := c.judge(ctx, d, l, show)
			if found || err != nil {
				return found, err
			}
		}
		next += len(some)
	}
	return false, nil
}

func (c *checker) threads() int { return cmp.Or(max(c.opts.Threads, 0), runtime.GOMAXPROCS(0)) }

// domain is a graph, with what a formula and fairness say of it.
type domain struct {
	*graph
	holds []bits // of each atom of states: the states in which it is true
	fair  *fairness
}

// look is a look at the product with an automaton: see mayBeFair.
type look struct {
	automaton   *automaton
	found, sure bool
	err         error
}

// look looks at several products at the same time, which share the memory.
func (c *checker) look(ctx context.Context, d *domain, looks []look) {
	g := d.graph
	memory := c.opts.Memory
	if have := forProduct(memory) - g.graphBytes(); memory > 0 && have > 0 {
		memory -= have * int64(len(looks)-1) / int64(len(looks)) / 3 * 4
	}
	var wg sync.WaitGroup
	for i := range looks {
		l := &looks[i]
		wg.Go(func() { l.found, l.sure, l.err = mayBeFair(ctx, d, l.automaton, memory) })
	}
	wg.Wait()
}

// judge says whether a product that was looked at has a fair accepting cycle.
func (c *checker) judge(
	ctx context.Context, d *domain, l look, show func(*product) (bool, error),
) (bool, error) {
	switch {
	case l.err != nil || l.sure && !l.found:
		return false, l.err
	case l.sure && show == nil:
		return true, nil
	}
	product, err := newProduct(ctx, d, l.automaton, c.opts.Memory)
	if err != nil {
		return false, err
	}
	if show == nil {
		f, err := fairComponents(ctx, product)
		return err == nil && len(f.found) > 0, err
	}
	shown, err := show(product)
	if err == nil && l.sure && !shown {
		err = errors.New("internal error: the two searches for a fair cycle disagree")
	}
	return shown, err
}
