package accel

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/presburger"
	"erelong.dev/erelong/internal/system"
)

const (
	// fewValues bounds the values of a number that is part of the control.
	fewValues = 8
	// mostPlaces and mostEdges bound a machine.
	mostPlaces = 20_000
	mostEdges  = 200_000
)

// builder makes a machine of a system.
type builder struct {
	*machine
	sys   *system.System
	index map[string]int
	// seen are the values that numbers of the control have had.
	seen          map[*logic.Symbol]map[int64]bool
	tooManyValues *logic.Symbol // a number that had too many values
}

// newMachine makes the machine of a system, and its initial states. Numbers that have few values
// become part of the control.
func newMachine(store *presburger.Store, sys *system.System) (*machine, region, error) {
	if err := supported(sys); err != nil {
		return nil, nil, err
	}
	numbers := candidates(sys)
	for {
		b := &builder{machine: &machine{store: store}, sys: sys, index: map[string]int{},
			seen: map[*logic.Symbol]map[int64]bool{}}
		for _, s := range sys.Symbols {
			switch {
			case input(sys, s):
			case s.Result.Base() != logic.Int || numbers[s] != nil:
				b.control = append(b.control, s)
			default:
				b.vars = append(b.vars, s)
			}
		}
		b.space = spaceOf(sys, b.vars)
		init, err := b.build(numbers)
		if b.tooManyValues == nil || err != nil {
			return b.machine, init, err
		}
		delete(numbers, b.tooManyValues)
		closed(sys, numbers)
	}
}

// supported says why a system is no counter system.
func supported(sys *system.System) error {
	if more := sys.BeyondConstants(); more != "" {
		return refuse("%s", more)
	}
	for _, s := range sys.Symbols {
		if s.Result.Kind == logic.KindUninterpreted {
			return refuse("%s is no truth value, number or member of an enum", s.Name)
		}
	}
	for _, a := range sys.Actions {
		for _, v := range slices.Concat(a.Params, a.Relation.Choices) {
			if v.Sort.Kind == logic.KindRange || v.Sort.Kind == logic.KindUninterpreted {
				return refuse("%s is chosen from %s in %s", v.Name, v.Sort.Name, a.Name)
			}
		}
	}
	return nil
}

// input reports whether a symbol is chosen afresh in each step of an action.
func input(sys *system.System, s *logic.Symbol) bool {
	return slices.ContainsFunc(sys.Actions, func(a *system.Action) bool {
		return slices.Contains(a.Relation.Inputs, s)
	})
}

// candidates are numbers that are given at the beginning, and change only by each other, with
// their first values.
func candidates(sys *system.System) map[*logic.Symbol]*logic.Term {
	first := map[*logic.Symbol]*logic.Term{}
	for _, f := range slices.Concat(sys.Axioms, sys.Inits) {
		for _, c := range logic.Conjuncts(f.Term) {
			if c.Op != logic.OpEq || c.Args[0].Sort != logic.Int {
				continue
			}
			for i, a := range c.Args {
				if v := (values{}).fold(c.Args[1-i]); a.Op == logic.OpApp && v.Op == logic.OpInt {
					first[a.Symbol] = v
				}
			}
		}
	}
	closed(sys, first)
	return first
}

// closed leaves the numbers out that change by others.
func closed(sys *system.System, numbers map[*logic.Symbol]*logic.Term) {
	for again := true; again; {
		again = false
		for _, a := range sys.Actions {
			for _, s := range a.Modifies {
				if numbers[s] == nil {
					continue
				}
				ok := false
				for _, u := range a.Relation.Updates {
					ok = ok || u.Symbol == s && onlyOf(u.Value, numbers)
				}
				if !ok {
					delete(numbers, s)
					again = true
				}
			}
		}
	}
}

// onlyOf reports whether a term has no integers but the given ones.
func onlyOf(t *logic.Term, numbers map[*logic.Symbol]*logic.Term) bool {
	return !logic.Has(t, func(t *logic.Term) bool {
		return t.Op == logic.OpVar ||
			t.Op == logic.OpApp && t.Sort == logic.Int && numbers[t.Symbol] == nil
	})
}

// spaceOf says which numbers are never negative: they are not at the beginning, and each step
// gives them a value that is not, or requires that.
func spaceOf(sys *system.System, vars []*logic.Symbol) presburger.Space {
	natural := map[*logic.Symbol]bool{}
	var first []*logic.Term
	for _, f := range slices.Concat(sys.Axioms, sys.Inits) {
		first = append(first, logic.Conjuncts(f.Term)...)
	}
	for _, s := range vars {
		natural[s] = slices.ContainsFunc(first, func(c *logic.Term) bool {
			is := func(t *logic.Term) bool { return t.Op == logic.OpApp && t.Symbol == s }
			n, ok := int64(0), false
			switch {
			case c.Op == logic.OpLe && is(c.Args[1]):
				n, ok = literal(c.Args[0])
			case c.Op == logic.OpEq && is(c.Args[0]):
				n, ok = literal(c.Args[1])
			case c.Op == logic.OpEq && is(c.Args[1]):
				n, ok = literal(c.Args[0])
			}
			return ok && n >= 0
		})
	}
	// In a sum or a product. A number that is never negative is not so after a step, either.
	part := func(t *logic.Term) bool {
		n, ok := literal(t)
		return ok && n >= 0 || t.Op == logic.OpApp && natural[t.Symbol]
	}
	positive := func(t *logic.Term) bool {
		return part(t) || (t.Op == logic.OpAdd || t.Op == logic.OpMul) &&
			!slices.ContainsFunc(t.Args, func(a *logic.Term) bool { return !part(a) })
	}
	for again := true; again; {
		again = false
		for _, a := range sys.Actions {
			var required []*logic.Term
			for _, g := range a.Relation.Guard {
				required = append(required, logic.Conjuncts(g)...)
			}
			for _, s := range a.Modifies {
				if !natural[s] {
					continue
				}
				ok := slices.ContainsFunc(a.Relation.Updates, func(u system.Update) bool {
					return u.Symbol == s && (positive(u.Value) ||
						slices.ContainsFunc(required, func(c *logic.Term) bool {
							return c.Op == logic.OpLe && c.Args[0].Op == logic.OpInt &&
								c.Args[0].Int.Sign() >= 0 && logic.Equal(c.Args[1], u.Value)
						}))
				})
				if !ok {
					natural[s] = false
					again = true
				}
			}
		}
	}
	var out []byte
	for _, s := range vars {
		if natural[s] {
			out = append(out, presburger.Natural)
		} else {
			out = append(out, presburger.Integer)
		}
	}
	if len(out) == 0 {
		out = append(out, presburger.Natural) // of no meaning: a vector has components
	}
	return presburger.Space(out)
}

// build finds the places and edges.
func (b *builder) build(numbers map[*logic.Symbol]*logic.Term) (region, error) {
	var first []*logic.Term
	for _, f := range slices.Concat(b.sys.Axioms, b.sys.Inits) {
		first = append(first, f.Term)
	}
	starts := map[int]*presburger.Set{}
	if err := b.starts(logic.And(first...), values{}, 0, numbers, starts); err != nil {
		return nil, err
	}
	for i := 0; i < len(b.places) && b.tooManyValues == nil; i++ {
		for k, a := range b.sys.Actions {
			if err := b.store.Try(b.store.Check); err != nil {
				return nil, err
			}
			if err := b.action(i, k, a); err != nil {
				return nil, err
			}
		}
		if len(b.places) > mostPlaces || len(b.edges) > mostEdges {
			return nil, refuse("more than %d places or %d steps between them", mostPlaces,
				mostEdges)
		}
	}
	init := b.none()
	for i, x := range starts {
		init[i] = x
	}
	return init, nil
}

// starts adds the initial states, by values of the control from symbol k on.
func (b *builder) starts(
	t *logic.Term, v values, k int, numbers map[*logic.Symbol]*logic.Term,
	to map[int]*presburger.Set,
) error {
	t = v.fold(t)
	if t.IsFalse() {
		return nil
	}
	if k == len(b.control) {
		x, err := b.set(t)
		if err == nil && !x.IsEmpty() {
			to[b.place(v)] = x
		}
		if len(b.places) > mostPlaces {
			return refuse("more than %d values of the control at the beginning", mostPlaces)
		}
		return err
	}
	s := b.control[k]
	var all []int64
	if n := numbers[s]; n != nil {
		x, ok := literal(n)
		if !ok {
			return refuse("%s is large", n)
		}
		all = []int64{x}
	} else {
		all = members(s.Result)
	}
	for _, x := range all {
		v[s] = x
		if err := b.starts(t, v, k+1, numbers, to); err != nil {
			return err
		}
	}
	delete(v, s)
	return nil
}

// members are the values of a truth value or of an enum.
func members(s *logic.Sort) (out []int64) {
	n := 2
	if s.Kind == logic.KindEnum {
		n = len(s.Members)
	}
	for i := range n {
		out = append(out, int64(i))
	}
	return out
}

// place numbers values of the control.
func (b *builder) place(v values) int {
	at := make([]int64, len(b.control))
	var key []byte
	for i, s := range b.control {
		at[i] = v[s]
		for shift := 0; shift < 32; shift += 8 {
			key = append(key, byte(v[s]>>shift))
		}
		if s.Result.Base() == logic.Int {
			if b.seen[s] == nil {
				b.seen[s] = map[int64]bool{}
			}
			if b.seen[s][v[s]] = true; len(b.seen[s]) > fewValues {
				b.tooManyValues = s
			}
		}
	}
	i, ok := b.index[string(key)]
	if !ok {
		i = len(b.places)
		b.index[string(key)] = i
		b.places = append(b.places, at)
	}
	return i
}

// at gives the values of the control in a place.
func (m *machine) at(place int) values {
	v := values{}
	for i, s := range m.control {
		v[s] = m.places[place][i]
	}
	return v
}
