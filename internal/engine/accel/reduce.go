package accel

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/presburger"
	"erelong.dev/erelong/internal/system"
)

// reduced is a machine without the components that keep their first values, and whose first values
// are sums of others that keep theirs. It has the places of the whole machine, and its runs up to a
// target: steps that leave a place whose states are all in the target are left out.
type reduced struct {
	*machine
	whole *machine
	kept  []int             // components of the whole machine
	sums  presburger.Affine // each component of the whole machine, as a sum of the kept ones
	init  region
	bad   region
}

// reduced leaves components out of a machine.
func (m *machine) reduced(sys *system.System, init, bad region) *reduced {
	var edges []*edge
	for _, e := range m.edges {
		if !bad[e.from].IsAll() {
			edges = append(edges, e)
		}
	}
	equal := m.equations(sys, init, constants(len(m.space), edges))
	small := *m
	out := &reduced{machine: &small, whole: m}
	for i := range m.space {
		if equal[i] == nil {
			out.kept = append(out.kept, i)
		}
	}
	out.sums = make(presburger.Affine, len(m.space))
	for i := range out.sums {
		out.sums[i].Coeffs = make([]int64, len(out.kept))
		if l := equal[i]; l == nil {
			out.sums[i].Coeffs[slices.Index(out.kept, i)] = 1
		} else {
			out.sums[i].Constant = l.Constant
			for k, j := range out.kept {
				out.sums[i].Coeffs[k] = l.Coeffs[j]
			}
		}
	}
	small.vars, small.space, small.edges = nil, "", nil
	for _, i := range out.kept {
		small.space += m.space[i : i+1]
		if i < len(m.vars) {
			small.vars = append(small.vars, m.vars[i])
		}
	}
	for _, e := range edges {
		small.edges = append(small.edges, out.edge(e))
	}
	out.init, out.bad = out.region(init), out.region(bad)
	return out
}

// constants says which components no edge changes.
func constants(n int, edges []*edge) []bool {
	out := slices.Repeat([]bool{true}, n)
	identity := presburger.Identity(n)
	for _, e := range edges {
		for i, l := range e.f {
			out[i] = out[i] && l.Constant == 0 && slices.Equal(l.Coeffs, identity[i].Coeffs) &&
				!slices.Contains(e.any, i)
		}
	}
	return out
}

// equations gives components as sums of others, nil for one that is kept. The equations are among
// the initial conditions, about constants, and hold in all initial states.
func (m *machine) equations(
	sys *system.System, init region, constant []bool,
) []*presburger.Linear {
	out := make([]*presburger.Linear, len(m.space))
	used := make([]bool, len(m.space)) // by a sum
	var first []*logic.Term
	for _, f := range slices.Concat(sys.Axioms, sys.Inits) {
		first = append(first, logic.Conjuncts(f.Term)...)
	}
	for _, c := range first {
		if c.Op != logic.OpEq || c.Args[0].Sort.Base() != logic.Int {
			continue
		}
		l, ok := m.linear(logic.Sub(c.Args[0], c.Args[1]))
		if !ok || !m.always(init, l) {
			continue
		}
		l = substituted(l, out)
		of := -1
		for i, a := range l.Coeffs {
			switch {
			case a != 0 && !constant[i]:
				ok = false
			case (a == 1 || a == -1) && !used[i] && of < 0:
				of = i
			}
		}
		if !ok || of < 0 || slices.Max(l.Coeffs) > huge || slices.Min(l.Coeffs) < -huge {
			continue
		}
		// The component is -a times the rest.
		sum := presburger.Linear{Coeffs: slices.Clone(l.Coeffs)}
		a := sum.Coeffs[of]
		sum.Coeffs[of], sum.Constant = 0, -a*l.Constant
		for i := range sum.Coeffs {
			used[i] = used[i] || sum.Coeffs[i] != 0
			sum.Coeffs[i] *= -a
		}
		out[of] = &sum
	}
	if !slices.Contains(out, nil) {
		out[0] = nil // a vector has components
	}
	return out
}

// substituted is a sum with sums in the place of components that have one.
func substituted(l presburger.Linear, by []*presburger.Linear) presburger.Linear {
	out := presburger.Linear{Coeffs: slices.Clone(l.Coeffs), Constant: l.Constant}
	for i, a := range l.Coeffs {
		if by[i] == nil {
			continue
		}
		out.Coeffs[i] -= a
		out.Constant += a * by[i].Constant
		for j, b := range by[i].Coeffs {
			out.Coeffs[j] += a * b
		}
	}
	return out
}

// always reports whether a sum is 0 in all states of a region.
func (m *machine) always(r region, l presburger.Linear) bool {
	zero := m.store.IsZero(m.space, l)
	return !slices.ContainsFunc(r, func(x *presburger.Set) bool {
		return !m.store.Within(x, zero)
	})
}

// edge is an edge of the whole machine, for the kept components.
func (r *reduced) edge(e *edge) *edge {
	out := *e
	out.guard = r.set(e.guard)
	out.f, out.any = nil, nil
	for _, i := range r.kept {
		l := presburger.Linear{Coeffs: make([]int64, len(r.kept)), Constant: e.f[i].Constant}
		for j, a := range e.f[i].Coeffs {
			l.Constant += a * r.sums[j].Constant
			for k, b := range r.sums[j].Coeffs {
				l.Coeffs[k] += a * b
			}
		}
		out.f = append(out.f, l)
	}
	for _, h := range e.any {
		out.any = append(out.any, slices.Index(r.kept, h))
	}
	return &out
}

// set is a set of the whole machine, of the kept components.
func (r *reduced) set(x *presburger.Set) *presburger.Set {
	return r.store.Before(x, r.space, r.sums)
}

func (r *reduced) region(whole region) region {
	out := make(region, len(whole))
	for p, x := range whole {
		out[p] = r.set(x)
	}
	return out
}

// restored is a region of the whole machine, of one of the reduced machine.
func (r *reduced) restored(small region) region {
	n := len(r.whole.space)
	identity := presburger.Identity(n)
	var onto presburger.Affine
	for _, i := range r.kept {
		onto = append(onto, identity[i])
	}
	equal := r.store.All(r.whole.space)
	for i, l := range r.sums {
		if slices.Contains(r.kept, i) {
			continue
		}
		d := presburger.Linear{Coeffs: make([]int64, n), Constant: l.Constant}
		for k, a := range l.Coeffs {
			d.Coeffs[r.kept[k]] = a
		}
		d.Coeffs[i] = -1
		equal = r.store.And(equal, r.store.IsZero(r.whole.space, d))
	}
	out := make(region, len(small))
	for p, x := range small {
		out[p] = r.store.And(r.store.Before(x, r.whole.space, onto), equal)
	}
	return out
}

// run is a run of the whole machine, of one of the reduced machine.
func (r *reduced) run(small []at) []at {
	out := slices.Clone(small)
	for i, x := range small {
		out[i].x = r.sums.Of(x.x)
	}
	return out
}
