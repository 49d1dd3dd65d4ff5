package eval

import (
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// A formula that is asked for in each state is taken apart: into its conjuncts, and into one for
// each element of the constant sets that it quantifies over. The truth of each of these is
// remembered by the parts of the state that it reads, as steps are. Where none of the parts changed
// since it was asked for last, it is not even looked up. The conjuncts keep their order, so the one
// that has no value is the same as without.

// Claim is a formula of states.
type Claim struct {
	plain Test
	whole *clause // nil where nothing would be remembered
	index int
}

// clause is a conjunction, a formula for all elements of a constant set, or another formula.
type clause struct {
	conjuncts []*clause
	set       func(*Machine) sequence // nil where it is not for all elements
	bind      func(*Machine, *value.Value)
	body      *clause
	formula   *projected // nil where it is one of the others
	apart     *apart     // nil where it does not depend on how states are packed
}

// claimed are the formulas of a claim for the elements that their places stand for.
type claimed struct {
	ready    bool
	off      bool // the claim is not taken apart
	formulas []*instance
}

// mostFormulas bounds the formulas into which a claim is taken apart.
const mostFormulas = 1 << 10

// Claim compiles a formula of states. It is to be called before machines are made.
func (p *Program) Claim(n core.Node) *Claim {
	c := &claimer{compiler: p.c}
	out := &Claim{plain: p.Test(n), index: p.c.claims}
	p.c.claims++
	if whole := c.clause(n, nil, nil); c.useful {
		out.whole = whole
	}
	p.frame, p.sharedNodes = max(p.frame, p.c.frame+1), p.c.shared
	return out
}

// claimer takes formulas apart.
type claimer struct {
	*compiler
	useful bool // some truth can be remembered
}

// clause takes a formula apart that stands within some binders, whose places are bound.
func (c *claimer) clause(
	n core.Node, bound []int, binders []func(*Machine, *value.Value),
) *clause {
	switch n := n.(type) {
	case *core.Named:
		return c.clause(n.Body, bound, binders)
	case *core.Global:
		if len(bound) == 0 { // so its places are not in use
			c.frame = max(c.frame, n.Frame)
			return c.clause(n.Value, nil, nil)
		}
	case *core.Junction:
		if n.And {
			out := &clause{}
			for _, a := range n.Args {
				out.conjuncts = append(out.conjuncts, c.clause(a, bound, binders))
			}
			return out
		}
	case *core.In:
		if out := c.ofParts(n, bound, binders); out != nil {
			return out
		}
	case *core.Quantified:
		within := slices.Clone(bound)
		if n.All && areConstant(c.compiler, n.Bindings[:1], &within) {
			b, body := &n.Bindings[0], n.Body
			if len(n.Bindings) > 1 {
				rest := *n
				rest.Bindings = n.Bindings[1:]
				body = &rest
			}
			bind := c.binder(b)
			return &clause{set: sequenceOf(c.compiler, b, n), bind: bind,
				body: c.clause(body, within, append(slices.Clip(binders), bind))}
		}
	}
	return &clause{formula: c.formula(n, bound, binders)}
}

// formula is a formula that is not taken apart, with the parts of the state that it reads.
func (c *claimer) formula(
	n core.Node, bound []int, binders []func(*Machine, *value.Value),
) *projected {
	p := &projected{binders: binders, test: c.test(n)}
	r := &reads{c: c.compiler, bound: bound, whole: make([]bool, len(c.Model.Variables)),
		formula: true}
	switch part, ok := r.computed(n); {
	case ok && (part.asks || part.matters != nil):
		r.add(part)
	case isSummary(n): // its truth is what is remembered here
		r.inside(n)
	default:
		r.visit(n)
	}
	p.remembering(r)
	c.useful = c.useful || p.parts != nil
	p.number(c.compiler)
	return p
}

// prepare takes a claim apart, for the elements of the constant sets.
func (c *Claim) prepare(m *Machine, of *claimed) {
	of.ready = true
	var add func(x *clause, values []*value.Value) bool
	add = func(x *clause, values []*value.Value) bool {
		switch {
		case x.formula != nil:
			of.formulas = append(of.formulas, x.formula.instance(m, values...))
			return len(of.formulas) <= mostFormulas
		case x.apart != nil && !x.apart.fits(m):
			return add(x.apart.whole, values)
		case x.set != nil:
			q := x.set(m)
			return q.each(m, func(v *value.Value) bool {
				v = m.Space.Intern(v)
				x.bind(m, v)
				return add(x.body, append(slices.Clip(values), v))
			})
		}
		for _, y := range x.conjuncts {
			if !add(y, values) {
				return false
			}
		}
		return true
	}
	all := c.whole != nil
	if ok := !all || m.try(func() { all = add(c.whole, nil) }); !ok || !all {
		of.off, of.formulas = true, nil
	}
}

// Holds is the truth of a claim in a state.
func (c *Claim) Holds(m *Machine, state []int64) (truth bool, err error) {
	if err = m.lookAt(state); err != nil {
		return false, err
	}
	return c.holds(m)
}

// HoldsPacked is Holds for a packed state.
func (c *Claim) HoldsPacked(m Packed, state []uint64) (truth bool, err error) {
	if err = m.LookAt(state); err != nil {
		return false, err
	}
	return c.holds(m.Machine)
}

func (c *Claim) holds(m *Machine) (truth bool, err error) {
	of := &m.claims[c.index]
	if !of.ready {
		if err = m.protect(func() { c.prepare(m, of) }); err != nil {
			return false, err
		}
	}
	known := 0
	for known < len(of.formulas) && of.formulas[known].known && of.formulas[known].enabled {
		known++
	}
	if !of.off && known == len(of.formulas) {
		return true, nil
	}
	err = m.protect(func() {
		truth = true
		for _, in := range of.formulas[known:] {
			if truth = in.holds(m); !truth {
				return
			}
		}
		if of.off {
			truth = c.plain(m)
		}
	})
	return truth && err == nil, err
}

// holds is the truth of a formula.
func (in *instance) holds(m *Machine) bool {
	if in.known {
		return in.enabled
	}
	pr := &m.projections[in.index]
	var keys [mostPaths + 1]uint32
	ok := in.parts != nil && !pr.off
	if ok {
		_, ok = m.identifyParts(in, &keys, false)
	}
	if !ok {
		in.bind(m)
		return in.test(m)
	}
	if pr.tries++; pr.tries == trial && pr.misses > trial*3/4 {
		pr.end()
	}
	key := keys[:len(in.reads)+1]
	if n, found := pr.table.find(key); found {
		in.outcome, in.known = outcome{enabled: n == 1}, true
		return in.enabled
	}
	pr.misses++
	in.bind(m)
	m.unfit = false
	truth := in.test(m)
	if pr.off || m.unfit {
		pr.end()
		return truth
	}
	n, _ := pr.table.place(key)
	if *n = 0; truth {
		*n = 1
	}
	in.outcome, in.known = outcome{enabled: truth}, true
	return truth
}
