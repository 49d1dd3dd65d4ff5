package eval

import (
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// A node whose value takes some work is computed once for each combination of what it reads: the
// variables of the state, and the places of the frame. These are interned values, which their
// numbers identify. What is remembered is lost when another combination takes its entry.

// reading is what a node reads.
type reading struct {
	variables []int
	primes    []int // variables after the step
	slots     []int
	strict    []int // the slots that it reads in any case
	opaque    bool  // something that numbers do not identify
	heavy     bool  // it takes some work
}

// readingOf says what a node reads.
func (c *compiler) readingOf(n core.Node) *reading {
	if r := c.readings[n]; r != nil {
		return r
	}
	r := &reading{}
	c.readings[n] = r
	switch n := n.(type) {
	case *core.Variable:
		if n.Primed {
			r.primes = []int{n.Index}
		} else {
			r.variables = []int{n.Index}
		}
		return r
	case *core.Slot:
		r.slots, r.strict = []int{n.Slot}, []int{n.Slot}
		return r
	case *core.Shared, *core.Literal:
		return r
	case *core.Quantified, *core.Choose, *core.Filter, *core.Image, *core.Function:
		r.heavy = true
	case *core.Call:
		r.heavy = true
		r.procedure(n.Procedure, map[*core.Procedure]bool{})
	case *core.Enabled:
		r.heavy = true
		r.variables = make([]int, len(c.Model.Variables))
		for i := range r.variables {
			r.variables[i] = i
		}
		for _, s := range c.readingOf(n.Body).slots {
			r.slots = insert(r.slots, s)
		}
		return r
	case *core.In:
		r.heavy = isDescribed(n.Set)
	case *core.Operator:
		r.opaque = core.Volatile(n.Name)
		r.heavy = n.Name == `\subseteq`
	case *core.Action, *core.Taken, *core.Composed:
		r.opaque = true
	}
	core.Parts(n, func(p core.Node) {
		q := c.readingOf(p)
		for _, v := range q.variables {
			r.variables = insert(r.variables, v)
		}
		for _, v := range q.primes {
			r.primes = insert(r.primes, v)
		}
		for _, s := range q.slots {
			r.slots = insert(r.slots, s)
		}
		r.opaque = r.opaque || q.opaque
		r.heavy = r.heavy || q.heavy
	})
	r.strict = c.strict(n)
	bound := core.Bound(n)
	r.slots = slices.DeleteFunc(r.slots, func(s int) bool { return slices.Contains(bound, s) })
	return r
}

// procedure adds what a procedure reads that is no argument. It calls itself, and may read the
// places around it.
func (r *reading) procedure(p *core.Procedure, met map[*core.Procedure]bool) {
	if met[p] {
		return
	}
	met[p] = true
	r.opaque = r.opaque || p.Outer > 0
	var visit func(n core.Node)
	visit = func(n core.Node) {
		switch n := n.(type) {
		case *core.Variable:
			if n.Primed {
				r.primes = insert(r.primes, n.Index)
			} else {
				r.variables = insert(r.variables, n.Index)
			}
		case *core.Call:
			r.procedure(n.Procedure, met)
		case *core.Operator:
			r.opaque = r.opaque || core.Volatile(n.Name)
		case *core.Action, *core.Taken, *core.Composed, *core.Enabled:
			r.opaque = true
		}
		core.Parts(n, visit)
	}
	visit(p.Body)
}

// light reports whether a value takes hardly any work.
func (r *reading) light() bool { return !r.heavy && !r.opaque }

// isDescribed reports whether a set is one whose membership takes some work: of functions, subsets
// and the like.
func isDescribed(n core.Node) bool {
	switch s := n.(type) {
	case *core.Shared:
		return isDescribed(s.Value)
	case *core.Named:
		return isDescribed(s.Body)
	case *core.Let:
		return isDescribed(s.Body)
	case *core.Record, *core.Global:
		return true
	case *core.Operator:
		switch s.Name {
		case "->", "SUBSET", "Seq", `\X`, "UNION":
			return true
		}
	}
	return false
}

func insert(sorted []int, x int) []int {
	i, found := slices.BinarySearch(sorted, x)
	if found {
		return sorted
	}
	return slices.Insert(sorted, i, x)
}

const (
	mostKeys = 10 // that a remembered node reads
	// What compares much of two states is hardly ever asked for the same two again.
	mostOfStep = 4
)

// keys is how many values the value of a node depends on.
func (r *reading) keys() int { return len(r.variables) + len(r.primes) + len(r.slots) }

// remembers reports whether the values of a node are remembered.
func (c *compiler) remembers(n core.Node) *reading {
	if r := c.sides[n]; r != nil {
		return r
	}
	switch n.(type) {
	case *core.Shared, *core.Named, *core.Abstraction:
		return nil
	}
	r := c.readingOf(n)
	most := mostKeys
	if len(r.variables) > 0 && len(r.primes) > 0 {
		most = mostOfStep
	}
	if !r.heavy || r.opaque || r.keys() > most || r.keys() == 0 {
		return nil
	}
	return r
}

// memory holds the values of a node, in a table in which a combination of keys has one place.
type memory struct {
	keys    int
	entries []uint32 // for each place the numbers of the keys plus 1, and of the value
	mask    uint32
	filled  int
	// How often it was asked, and how often in vain. One that hardly ever knows the value is no
	// longer asked.
	tries, misses int
	off           bool
}

// tryMemory is after how many questions a memory is judged.
const tryMemory = 1 << 12

// judge ends a memory that hardly ever knows the value.
func (t *memory) judge() {
	if t.off = t.misses > t.tries/8*7; t.off {
		t.entries = nil
	}
	t.tries, t.misses = 0, 0
}

const (
	firstPlaces = 1 << 5
	mostPlaces  = 1 << 16
)

// place finds the entry for keys. It grows the table where many places are taken.
func (t *memory) place(keys *[mostKeys]uint32) []uint32 {
	if t.entries == nil {
		t.entries, t.mask = make([]uint32, firstPlaces*(t.keys+1)), firstPlaces-1
	}
	if t.filled > int(t.mask)/2 && t.mask+1 < mostPlaces {
		t.grow()
	}
	return t.entry(keys)
}

func (t *memory) entry(keys *[mostKeys]uint32) []uint32 {
	h := uint64(0)
	for i := range t.keys {
		h = stir(h, keys[i])
	}
	at := int(uint32(h)&t.mask) * (t.keys + 1)
	return t.entries[at : at+t.keys+1]
}

func (t *memory) grow() {
	old := t.entries
	n := (t.mask + 1) * 4
	t.entries, t.mask, t.filled = make([]uint32, int(n)*(t.keys+1)), n-1, 0
	var keys [mostKeys]uint32
	for at := 0; at < len(old); at += t.keys + 1 {
		if old[at] == 0 {
			continue
		}
		copy(keys[:], old[at:at+t.keys])
		e := t.entry(&keys)
		if e[0] == 0 {
			t.filled++
		}
		copy(e, old[at:at+t.keys+1])
	}
}

// remember makes code that remembers the values of a node.
func (c *compiler) remember(r *reading, code Code) Code {
	k := c.memories
	c.memories++
	keys := r.keys()
	return func(m *Machine) *value.Value {
		var numbers [mostKeys]uint32
		t := &m.memories[k]
		asks := m.asking != nil || m.askingBits != nil
		if t.off || m.forgets || asks || !m.identify(r, &numbers) {
			return code(m)
		}
		t.keys = keys
		if t.tries++; t.tries == tryMemory {
			if t.judge(); t.off {
				return code(m)
			}
		}
		e := t.place(&numbers)
		if slices.Equal(e[:keys], numbers[:keys]) {
			return m.Space.Of(e[keys])
		}
		t.misses++
		v := code(m)
		if v.Kind() > value.Function || t.off {
			return v
		}
		v = m.Space.Intern(v)
		id, _ := v.ID()
		e = t.place(&numbers) // the table may have grown
		if e[0] == 0 {
			t.filled++
		}
		copy(e, numbers[:keys])
		e[keys] = id
		return v
	}
}

// identify gives the numbers, plus 1, of what a node reads; false where one has none, as variables
// where there is no state yet.
func (m *Machine) identify(r *reading, out *[mostKeys]uint32) bool {
	if m.before == nil && len(r.variables) > 0 {
		return false
	}
	k := 0
	add := func(v *value.Value) bool {
		if v == nil {
			return false
		}
		id, ok := v.ID()
		out[k] = id + 1
		k++
		return ok
	}
	for _, v := range r.variables {
		if !add(m.old(v)) {
			return false
		}
	}
	for _, v := range r.primes {
		if !add(m.after[v]) {
			return false
		}
	}
	for _, k := range r.slots {
		s := &m.frame[k]
		if s.lazy != nil {
			m.forArgument(s, s.lazy.light || slices.Contains(r.strict, k))
		}
		if !add(s.value) {
			return false
		}
	}
	return true
}

// forArgument gives what is computed where it is read first a value with a number. It is computed
// only if this is wanted.
func (m *Machine) forArgument(s *slot, wanted bool) {
	if s.value == nil && wanted {
		m.try(func() { m.compute(s) })
	}
	if v := s.value; v != nil && v.Kind() <= value.Function {
		s.value = m.Space.Intern(v)
	}
}
