package infer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// findThresholds looks for the expressions over parameters that something is compared with. Special
// are the parameters on which no such expression and no range depends, such as an initial value, or
// that are compared with such an expression themselves. It also bounds the coefficients of the
// parameters.
func (l *linear) findThresholds() (thresholds []*logic.Term, special map[*logic.Symbol]bool) {
	ends := map[*logic.Symbol]bool{}     // parameters in such expressions, and in ends of ranges
	compared := map[*logic.Symbol]bool{} // with a threshold
	add := func(t *logic.Term) {
		mentions(t, func(sym *logic.Symbol) bool {
			ends[sym] = true
			return false
		})
	}
	for _, sym := range l.sys.Symbols {
		for _, s := range append(slices.Clone(sym.Args), sym.Result) {
			if s.Kind == logic.KindRange {
				add(s.Lo)
				add(s.Hi)
			}
		}
	}
	ranges := maps.Clone(ends)
	comparisons := slices.Clone(l.atoms)
	if l.wide { // also in conditions that are no atoms
		inActions(l.sys, func(t *logic.Term) {
			logic.Walk(t, func(t *logic.Term) bool {
				comparisons = append(comparisons, t)
				return true
			})
		})
	}
	for _, f := range l.sys.Axioms {
		comparisons = append(comparisons, logic.Conjuncts(f.Term)...)
	}
	for _, a := range comparisons {
		if !a.ComparesIntegers() {
			continue
		}
		for i, side := range a.Args {
			if side.Op != logic.OpApp && side.Op != logic.OpInt && side.Sort.Base() == logic.Int &&
				len(logic.FreeVars(side)) == 0 && !changes(side) &&
				!slices.ContainsFunc(thresholds, func(t *logic.Term) bool {
					return t.String() == side.String()
				}) {
				thresholds = append(thresholds, side)
				add(side)
				if other := a.Args[1-i]; other.Op == logic.OpApp && !ranges[other.Symbol] {
					compared[other.Symbol] = true
				}
			}
		}
	}
	thresholds = slices.DeleteFunc(thresholds, func(t *logic.Term) bool {
		return mentions(t, func(sym *logic.Symbol) bool { return compared[sym] })
	})
	l.thresholds, l.reach = nil, nil
	for _, t := range thresholds {
		if of, ok := l.coefficients(t); ok {
			l.thresholds = append(l.thresholds, of)
		}
	}
	special = map[*logic.Symbol]bool{}
	for i, p := range l.params {
		special[p] = (!ends[p] || compared[p]) && len(thresholds) > 0
		l.reach = append(l.reach, 1)
		if !special[p] && i < fullReach {
			l.reach[i] = maxCoefficient
		}
	}
	return thresholds, special
}

// instances lists values of the parameters, the smallest first, and some with one larger parameter.
// A special parameter has values around the largest threshold.
func (l *linear) instances() (small, large []*system.Instance) {
	thresholds, special := l.findThresholds()
	var plain, others []*logic.Symbol
	for _, p := range l.params {
		if special[p] {
			others = append(others, p)
		} else {
			plain = append(plain, p)
		}
	}
	around := func(values map[*logic.Symbol]int64) []int64 {
		top := largestThreshold(thresholds, values)
		return []int64{1, top - 1, top, top + 2}
	}
	small = l.list(slices.Concat(plain, others), func(
		p *logic.Symbol, values map[*logic.Symbol]int64,
	) (out []int64) {
		if special[p] {
			return around(values)
		}
		for v := range int64(largestParameter + 1) {
			out = append(out, v)
		}
		return out
	})
	size := func(inst *system.Instance) (n int64) {
		for _, p := range plain {
			n += inst.Values[p].Int.Int64()
		}
		return n
	}
	slices.SortStableFunc(small, func(a, b *system.Instance) int {
		return cmp.Compare(size(a), size(b))
	})
	for rest := range int64(min(len(plain), 2)) {
		for _, p := range slices.Backward(plain) {
			large = append(large, l.list(slices.Concat(plain, others), func(
				q *logic.Symbol, values map[*logic.Symbol]int64,
			) []int64 {
				switch {
				case special[q]:
					return around(values)
				case q == p:
					return []int64{heldOut}
				}
				return []int64{rest + 1}
			})...)
		}
	}
	if l.wide {
		large = append(large, l.beyond(thresholds, plain, others)...)
	}
	return small, large
}

// beyond lists instances in which a parameter is larger than all thresholds on which it has no
// influence, such as a time that is longer than any timeout. Special ones are just below these.
func (l *linear) beyond(
	thresholds []*logic.Term, plain, special []*logic.Symbol,
) (out []*system.Instance) {
	for _, p := range plain {
		is := func(q *logic.Symbol) bool { return q == p }
		without := slices.DeleteFunc(slices.Clone(thresholds), func(t *logic.Term) bool {
			return mentions(t, is)
		})
		order := slices.Concat(slices.DeleteFunc(slices.Clone(plain), is), []*logic.Symbol{p},
			special)
		out = append(out, l.list(order, func(
			q *logic.Symbol, values map[*logic.Symbol]int64,
		) []int64 {
			top := largestThreshold(without, values)
			switch {
			case slices.Contains(special, q):
				return []int64{top - 1}
			case q != p:
				return []int64{0, 1, 2}
			case top < heldOut:
				return nil // there is such an instance already
			}
			return []int64{top + 1}
		})...)
	}
	return out
}

// list gives the instances with some values of the parameters, chosen one after the other.
func (l *linear) list(
	order []*logic.Symbol, choices func(*logic.Symbol, map[*logic.Symbol]int64) []int64,
) (out []*system.Instance) {
	values := map[*logic.Symbol]int64{}
	var fill func(i int)
	fill = func(i int) {
		if i == len(order) {
			if !l.excluded(values) {
				out = append(out, l.instance(values))
			}
			return
		}
		of := choices(order[i], values)
		slices.Sort(of)
		for _, v := range slices.Compact(of) {
			values[order[i]] = v
			fill(i + 1)
		}
		delete(values, order[i])
	}
	fill(0)
	return out
}

// largestThreshold is the largest value of the thresholds that have one, and at least 2.
func largestThreshold(thresholds []*logic.Term, values map[*logic.Symbol]int64) int64 {
	top := int64(2)
	for _, t := range thresholds {
		if v, ok := evaluate(t, values); ok {
			top = max(top, v)
		}
	}
	return top
}

// instance has the given values of the parameters.
func (l *linear) instance(values map[*logic.Symbol]int64) *system.Instance {
	inst := &system.Instance{Sizes: map[*logic.Sort]int{}, Values: map[*logic.Symbol]*logic.Term{}}
	for _, p := range l.params {
		inst.Values[p] = logic.IntLit(values[p])
		if inst.Name != "" {
			inst.Name += ","
		}
		inst.Name += fmt.Sprintf("%s=%d", p, values[p])
	}
	return inst
}

// most bounds the instances with small values of the parameters. With more parameters there are
// more small ones, which say little.
func (l *linear) most() int {
	n := manyWorlds
	if l.wide {
		for range len(l.params) - fullReach {
			n *= fullReach
		}
	}
	return n
}

// excluded reports whether an axiom is false for values of the parameters.
func (l *linear) excluded(values map[*logic.Symbol]int64) bool {
	return slices.ContainsFunc(l.sys.Axioms, func(f *system.Formula) bool {
		v, ok := evaluate(f.Term, values)
		return ok && v == 0
	})
}

// coefficients gives the coefficients of the parameters in a linear expression, and its constant.
// Other terms are not ok.
func (l *linear) coefficients(t *logic.Term) (of []int64, ok bool) {
	of = make([]int64, len(l.params)+1)
	for part, factor := range logic.Summands(t) {
		at := len(l.params)
		if part != nil {
			at = slices.Index(l.params, part.Symbol)
			if at < 0 || part.Op != logic.OpApp {
				return of, false
			}
		}
		if !factor.IsInt64() {
			return of, false
		}
		of[at] += factor.Int64()
	}
	return of, true
}

// evaluate gives the value of a term over parameters.
func evaluate(t *logic.Term, values map[*logic.Symbol]int64) (v int64, ok bool) {
	s := &structure{tables: map[*logic.Symbol]table{}}
	var state interp.State
	for sym, v := range values {
		s.tables[sym] = table{offset: len(state)}
		state = append(state, v)
	}
	ok = hasValue(func() { v = (&sample{s, state}).eval(t, nil) })
	return v, ok
}

// integers gives bounds to integers without a range: a little beyond all reachable values, since
// comparisons may be far apart.
func (w *world) integers() map[int]bmc.Interval {
	out := map[int]bmc.Interval{}
	all := bmc.Interval{}
	for slot, sym := range w.model.SlotSymbols() {
		if sym.Result.Base() != logic.Int {
			continue
		}
		for _, st := range w.states {
			all.Lo, all.Hi = min(all.Lo, st[slot]), max(all.Hi, st[slot])
		}
		if sym.Mutable && sym.Result == logic.Int {
			out[slot] = bmc.Interval{}
		}
	}
	for slot := range out {
		out[slot] = bmc.Interval{Lo: all.Lo - 2, Hi: all.Hi + 2}
	}
	return out
}
