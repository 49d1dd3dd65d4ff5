package synth

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"math/rand"
	"slices"

	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// sample is what was seen of an instance.
type sample struct {
	*interp.Graph
	truths  map[string]*truth   // of formulas without free variables, by their texts
	numbers map[string][]int64  // the values of integers without free variables
	values  map[string][]*value // of sorts, by their names; nil where there are too many
	left    *int                // values of formulas in states that may still be computed
	all     []int               // the states
}

// value is an element of a sort in an instance.
type value struct {
	term   *logic.Term
	number int64
}

// Limits of what is seen of an instance.
const (
	mostListed   = 64
	mostRandom   = 24
	mostWalks    = 96
	walkLength   = 40
	mostVariants = 12         // of an instance of the file, itself among them
	fewest       = 2          // elements of a sort
	longRow      = 6          // elements of one sort, with few of the others, for long runs
	highest      = 4          // of integers that nothing bounds, from 0, in initial states
	budget       = 40_000_000 // of the interpreter, in values that are tried
)

// explored has samples of the instances of the file, and of small ones with the other values of
// symbols that no step changes; the smallest come first. An instance that cannot be explored is
// left out.
func (s *search) explored(ctx context.Context) (out []*sample, err error) {
	for _, in := range s.instances() {
		m, err := interp.NewModel(s.System, in)
		if err != nil {
			continue
		}
		x, err := s.explore(ctx, m.Within(&interp.Budget{Left: budget}))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if (err == nil || errors.Is(err, interp.ErrWork)) && x != nil && len(x.Edges) > 0 {
			x.finish(s)
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, func(a, b *sample) int { return len(a.States) - len(b.States) })
	return out, nil
}

// instances are the instances of the file, each of them with its integers up to 2 larger and with
// the other value of each truth value, each of these with any values of what else the file gives a
// value, the instances with two to four elements of each sort, and for each sort the one with six
// elements of it and two of each other.
func (s *search) instances() (out []*system.Instance) {
	out = slices.Clone(s.Instances)
	for _, in := range s.Instances {
		variants := []*system.Instance{in}
		for _, sym := range s.System.Symbols {
			v, ok := in.Values[sym]
			var other []*logic.Term
			switch {
			case !ok:
			case v.Op == logic.OpInt:
				for more := range int64(2) {
					other = append(other,
						logic.BigLit(new(big.Int).Add(v.Int, big.NewInt(more+1))))
				}
			case v.Sort == logic.Bool:
				other = append(other, logic.Not(v))
			}
			for _, base := range variants {
				for _, v := range other {
					variants = append(variants, changed(base, sym, v))
				}
			}
			variants = variants[:min(len(variants), mostVariants)]
		}
		out = append(out, variants[1:]...)
	}
	out = append(out, s.freed(out)...)
	for _, n := range []int{fewest, 3, 4} {
		if in := s.sized(n); len(in.Sizes) > 0 || len(s.Instances) == 0 && len(in.Values) > 0 {
			out = append(out, in)
		}
	}
	if sorts := s.System.Sized(); len(sorts) > 1 {
		for _, sort := range sorts {
			in := s.sized(fewest)
			in.Sizes[sort] = longRow
			out = append(out, in)
		}
	}
	for i, in := range out {
		within := *in
		within.Integers = s.System.WindowFor(in)
		out[i] = &within
	}
	return out
}

// finish has formulas evaluated in the states from then on.
func (x *sample) finish(s *search) {
	x.left = &s.values
	for n := range x.States {
		x.all = append(x.all, n)
	}
}

// changed is an instance with another value of a symbol.
func changed(in *system.Instance, sym *logic.Symbol, v *logic.Term) *system.Instance {
	out := *in
	out.Name += "+" + sym.Name
	out.Values = maps.Clone(in.Values)
	out.Values[sym] = v
	return &out
}

// freed are instances in which only integers have the values of given ones, as sorts may depend on
// these: the names, the order or the topology that a file gives must not be taken for the only one.
func (s *search) freed(given []*system.Instance) (out []*system.Instance) {
	seen := map[string]bool{}
	for _, in := range given {
		f := *in
		f.Name += " freed"
		f.Facts, f.Values = nil, maps.Clone(in.Values)
		maps.DeleteFunc(f.Values, func(sym *logic.Symbol, _ *logic.Term) bool {
			return sym.Result != logic.Int || len(sym.Args) > 0
		})
		key := fmt.Sprint(f.Sizes)
		for _, sym := range s.System.Symbols {
			key += fmt.Sprint(" ", f.Values[sym])
		}
		if !seen[key] && (len(f.Values) < len(in.Values) || len(in.Facts) > 0) {
			seen[key] = true
			out = append(out, &f)
		}
	}
	return out
}

// sized is an instance with n elements of each sort. Its integers are the ones of the first
// instance of the file; without one they are n.
func (s *search) sized(n int) *system.Instance {
	out := &system.Instance{Name: "sized", Sizes: map[*logic.Sort]int{},
		Values: map[*logic.Symbol]*logic.Term{}}
	for _, sort := range s.System.Sized() {
		out.Sizes[sort] = n
	}
	if len(s.Instances) > 0 {
		for sym, v := range s.Instances[0].Values {
			if v.Op == logic.OpInt {
				out.Values[sym] = v
			}
		}
		return out
	}
	for _, sym := range s.System.Symbols {
		if !sym.Mutable && !sym.Derived && len(sym.Args) == 0 && sym.Result == logic.Int {
			out.Values[sym] = logic.IntLit(int64(n))
		}
	}
	return out
}

// errEnough ends a listing at its limit.
var errEnough = errors.New("there are more")

// explore finds all states of an instance, breadth-first, with the steps among them. Where there
// are too many, it follows random walks, and finds all steps from the states on them.
func (s *search) explore(ctx context.Context, m *interp.Model) (*sample, error) {
	x := newSample(m)
	err := m.Initial(ctx, func(state interp.State) error {
		if len(x.States) == mostListed {
			return errEnough
		}
		x.Place(state)
		return nil
	})
	if err == nil {
		for n := 0; err == nil && n < len(x.States); n++ {
			if _, err = x.Expand(ctx, n); len(x.States) > mostStates {
				err = errEnough
			}
		}
	}
	var infinite *interp.InfiniteError
	switch {
	case errors.Is(err, errEnough):
		return s.walks(ctx, m, bmc.Start{})
	case errors.As(err, &infinite) && len(x.States) == 0:
		return s.walks(ctx, m, bmc.Start{Integers: few(m)})
	}
	return x, err
}

// few bounds the integers of initial states that nothing else bounds.
func few(m *interp.Model) map[int]bmc.Interval {
	out := map[int]bmc.Interval{}
	for slot, sym := range m.SlotSymbols() {
		if sym.Result == logic.Int {
			out[slot] = bmc.Interval{Lo: 0, Hi: highest}
		}
	}
	return out
}

// walks follows random walks, always the same ones: from random initial states, and in every second
// round from a state in which the property is triggered, since few states may be pending.
func (s *search) walks(
	ctx context.Context, m *interp.Model, start bmc.Start,
) (*sample, error) {
	x, rng := newSample(m), rand.New(rand.NewSource(1))
	starts, err := bmc.Initial(ctx, m, start, mostRandom, rng)
	if err != nil || len(starts) == 0 {
		return newSample(m), err
	}
	after := map[int][]int{} // the states that steps lead to, of the states whose steps are known
	triggered, seen := []int{}, 0
	for round := 0; len(x.States) < mostWalked && round < mostWalks; round++ {
		var n int
		if len(triggered) > 0 && round%2 == 1 {
			n = triggered[rng.Intn(len(triggered))]
		} else {
			n = x.Place(starts[round/2%len(starts)])
		}
		for range walkLength {
			if _, ok := after[n]; !ok {
				steps, err := x.Expand(ctx, n)
				if errors.Is(err, interp.ErrWork) {
					return x, nil
				}
				if err != nil {
					return nil, err
				}
				after[n] = []int{}
				for _, t := range steps {
					if t.To != n {
						after[n] = append(after[n], t.To)
					}
				}
			}
			if len(after[n]) == 0 || len(x.States) >= mostWalked {
				break
			}
			n = after[n][rng.Intn(len(after[n]))]
		}
		for ; seen < len(x.States); seen++ {
			if holds, err := m.Holds(s.start(), x.States[seen]); err == nil && holds {
				triggered = append(triggered, seen)
			}
		}
	}
	return x, nil
}

// start is true where the property is triggered for some values of its variables, and what is good
// is yet to come. An integer among these may be any, which no instance can decide: then it is true.
func (s *search) start() *logic.Term {
	if slices.ContainsFunc(s.vars, func(v *logic.Var) bool { return v.Sort == logic.Int }) {
		return logic.True
	}
	return logic.Exists(s.vars, logic.And(s.trigger, logic.Not(s.good)))
}

func newSample(m *interp.Model) *sample {
	return &sample{Graph: interp.NewGraph(m), truths: map[string]*truth{},
		numbers: map[string][]int64{}, values: map[string][]*value{}}
}

// truth is where a formula is true, as far as it was asked.
type truth struct {
	asked, holds set
	unknown      bool // it cannot be evaluated
}

// truthIn is where a formula without free variables is true, which is known of some states; nil
// where it cannot be evaluated, or may not be any more.
func (x *sample) truthIn(t *logic.Term, states []int) set {
	key := t.String()
	of := x.truths[key]
	if of == nil {
		of = &truth{asked: newSet(len(x.States)), holds: newSet(len(x.States))}
		x.truths[key] = of
	}
	for _, n := range states {
		if of.unknown || of.asked.has(n) {
			continue
		}
		if *x.left--; *x.left < 0 {
			return nil
		}
		holds, err := x.Model.Holds(t, x.States[n])
		of.unknown = err != nil
		of.asked.add(n)
		if holds {
			of.holds.add(n)
		}
	}
	if of.unknown {
		return nil
	}
	return of.holds
}

// everywhere is where a formula without free variables is true among all states; nil where it
// cannot be evaluated.
func (x *sample) everywhere(t *logic.Term) set { return x.truthIn(t, x.all) }

// number is the values of an integer without free variables in the states; nil where it cannot be
// evaluated, or may not be any more.
func (x *sample) number(t *logic.Term) []int64 {
	key := t.String()
	if c, ok := x.numbers[key]; ok {
		return c
	}
	c := make([]int64, len(x.States))
	if *x.left -= len(c); *x.left < 0 {
		return nil
	}
	for n, s := range x.States {
		v, err := x.Model.Eval(t, s)
		if err != nil {
			c = nil
			break
		}
		c[n] = v
	}
	x.numbers[key] = c
	return c
}

// givens lists tuples of values for the variables of a property. An integer gets values that
// integers have in the states.
func (x *sample) givens(vars []*logic.Var) [][]*value {
	for _, v := range vars {
		if key := v.Sort.String(); v.Sort == logic.Int && x.values[key] == nil {
			x.values[key] = x.integers()
		}
	}
	out := x.tuples(vars)
	return out[:min(len(out), mostGiven)]
}

// integers are the smallest values of integers in the states.
func (x *sample) integers() (out []*value) {
	seen := map[int64]bool{}
	for i, sym := range x.Model.SlotSymbols() {
		if sym.Result != logic.Int {
			continue
		}
		for _, s := range x.States {
			seen[s[i]] = true
		}
	}
	all := slices.Sorted(maps.Keys(seen))
	for _, n := range all[:min(len(all), mostGiven)] {
		out = append(out, &value{logic.IntLit(n), n})
	}
	return out
}

// of lists the elements of a sort; nil if they cannot be listed.
func (x *sample) of(sort *logic.Sort) []*value {
	if out, ok := x.values[sort.String()]; ok {
		return out
	}
	var out []*value
	if sort != logic.Int {
		terms, err := x.Model.Literals(sort, "a measure")
		if err == nil && len(terms) <= mostTuples {
			low := int64(0)
			if len(terms) > 0 && terms[0].Op == logic.OpInt {
				low = terms[0].Int.Int64()
			}
			for i, t := range terms {
				out = append(out, &value{t, low + int64(i)})
			}
		}
	}
	x.values[sort.String()] = out
	return out
}

// tuples lists the tuples of values of some variables, each by the variable; nil if there are too
// many.
func (x *sample) tuples(vars []*logic.Var) [][]*value {
	out := [][]*value{nil}
	for _, v := range vars {
		var longer [][]*value
		for _, tuple := range out {
			for _, one := range x.of(v.Sort) {
				longer = append(longer, append(slices.Clone(tuple), one))
			}
		}
		if out = longer; len(out) > mostTuples {
			return nil
		}
	}
	return out
}

// with replaces variables by values.
func with(t *logic.Term, vars []*logic.Var, values []*value) *logic.Term {
	if len(vars) == 0 {
		return t
	}
	m := map[*logic.Var]*logic.Term{}
	for i, v := range vars {
		m[v] = values[i].term
	}
	return logic.Subst(t, m)
}
