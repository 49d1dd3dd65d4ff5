// Package symmetry maps the states of a finite instance to one representative of each orbit under
// the permutations of the elements of uninterpreted sorts.
//
// In: a model, and where packed states hold its slots. Out: a Reducer, whose Canonical maps a
// packed state to the representative of its orbit: two states have the same representative exactly
// if a permutation of elements turns one into the other. So exploring representatives finds a
// violation, or a deadlock, exactly if there is one, and at the same depth (Ip and Dill, Better
// verification through symmetry, 1996; Clarke, Enders, Filkorn, Jha, 1996).
//
// Permuting the elements that no term names, together with the immutable symbols, maps initial
// states to initial states and steps to steps, and keeps the truth of every closed formula. An
// element that a term or the instance names keeps its place.
//
// A representative is found as the canonical form of a coloured graph (McKay and Piperno, Practical
// graph isomorphism II, 2014). The elements are divided into cells by what the state says of each,
// and then, again and again, by what it says of them and the elements of other cells (refine.go).
// Usually each element is soon alone in its cell, and the order of the cells gives its new place.
// Only elements that remain together are tried one after the other (search.go).
package symmetry

import (
	"fmt"
	"math/bits"
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// maxPermutations bounds the permutations of elements that occur together in symbols. A state in
// which they have much structure, but no order, may need many of them to be tried.
const maxPermutations = 3628800 // of ten elements

// Layout tells where a packed state holds the slots of a state.
type Layout interface {
	Words() int
	// Field gives the bits of a word that hold a slot; none for a slot that is the same in all
	// states. The slots of a symbol have equal values exactly if their bits are equal. An element
	// is held as its number in its sort.
	Field(slot int) (word int, bits uint64)
}

// Reducer finds representatives. It is not for concurrent use.
type Reducer struct {
	elements []element
	place    []int32 // for each position in the order of the elements, the number there
	first    partition

	slots []slot
	truth [][64]int32 // for each bit of a word, the slot with this bit alone
	words []word

	partition
	acc    []uint64 // for each element, what the state says of it
	facts  []fact   // what the state says of elements
	links  []fact   // the facts about several elements
	state  []uint64
	label  []int32
	image  []uint64
	search search
	swap   *swap // where there are but two elements
}

// element is an element of a sort with interchangeable elements.
type element struct {
	number int32 // in its sort
	named  bool
}

// slot is a slot that a permutation moves, or whose value it changes.
type slot struct {
	word    int32
	shift   uint8
	mask    uint64 // of the value, after shifting
	key     uint64 // a random number for the symbol and its other arguments
	args    []int32
	strides []int32 // for each of args, in family
	family  []int32 // the slots of the symbol with the same other arguments
	result  int32   // the first element of the sort of the value; -1 if it is no element
}

// word divides the bits of a packed word.
type word struct {
	truth uint64  // truth values about elements
	wide  []int32 // other slots
	rest  uint64  // bits that no permutation changes
}

// fact is the value of a slot, unless it is zero and no element.
type fact struct {
	*slot
	value uint64
}

// Error says why a model cannot be reduced.
type Error struct {
	Reason string
	Named  bool // the elements are not alike; otherwise the permutations are too many
}

func (e *Error) Error() string { return "symmetry: " + e.Reason }

// New prepares the reduction for the elements of a model that nothing names. It fails with an
// *Error where all elements are named, and where too many permutations might have to be tried.
func New(m *interp.Model, l Layout) (*Reducer, error) {
	named, example := namedElements(m)
	r := &Reducer{state: make([]uint64, l.Words()), image: make([]uint64, l.Words())}
	first := map[*logic.Sort]int32{} // the first element of each sort
	total, symbols := 1, m.SlotSymbols()
	for _, s := range m.System.Sorts {
		n := m.Instance.Sizes[s]
		free := n - len(named[s])
		if s.Kind != logic.KindUninterpreted || free < 2 {
			continue
		}
		for k := 2; k <= free && !simple(symbols, s); k++ {
			if total *= k; total > maxPermutations {
				return nil, &Error{Reason: fmt.Sprintf("more than %d permutations of elements "+
					"might have to be tried for each state, since the sort %s occurs in symbols "+
					"with several elements", maxPermutations, s)}
			}
		}
		first[s] = int32(len(r.elements))
		r.addSort(n, named[s])
	}
	if len(r.elements) == 0 && example != nil {
		return nil, &Error{Named: true, Reason: fmt.Sprintf("an element of the sort %s is named, "+
			"so its elements are not interchangeable", example)}
	}
	r.partition = r.first.clone()
	r.acc, r.label = make([]uint64, len(r.elements)), make([]int32, len(r.elements))
	r.readLayout(m, l, first)
	r.swap = r.newSwap()
	return r, nil
}

// addSort adds the elements of a sort. The cell of the interchangeable ones comes first, and then
// each other one is alone.
func (r *Reducer) addSort(n int, named map[int64]bool) {
	base := int32(len(r.elements))
	var last []int32
	p := &r.first
	for i := range int32(n) {
		r.elements = append(r.elements, element{i, named[int64(i)]})
		if named[int64(i)] {
			last = append(last, base+i)
		} else {
			p.order = append(p.order, base+i)
		}
	}
	alone := base + int32(n-len(last))
	p.order = append(p.order, last...)
	for at := base; at < base+int32(n); at++ {
		r.place = append(r.place, p.order[at]-base)
		p.size = append(p.size, 1)
	}
	p.size[base] = alone - base
	p.cell = append(p.cell, make([]int32, n)...)
	for at := base; at < base+int32(n); at++ {
		p.cell[p.order[at]] = max(at, alone)
		if at < alone {
			p.cell[p.order[at]] = base
		}
	}
	p.cells += 1 + len(last)
}

// Trivial reports whether each state is its own representative, since there is nothing to permute.
func (r *Reducer) Trivial() bool { return len(r.elements) == 0 }

// namedElements gives the elements of uninterpreted sorts that a term names, and one sort that has
// some, nil if there is none.
func namedElements(m *interp.Model) (map[*logic.Sort]map[int64]bool, *logic.Sort) {
	named := map[*logic.Sort]map[int64]bool{}
	var example *logic.Sort
	look := func(t *logic.Term) {
		logic.Walk(t, func(t *logic.Term) bool {
			if t.Op == logic.OpMember && t.Sort.Kind == logic.KindUninterpreted {
				if example == nil {
					example = t.Sort
				}
				if named[t.Sort] == nil {
					named[t.Sort] = map[int64]bool{}
				}
				named[t.Sort][int64(t.Index)] = true
			}
			return true
		})
	}
	formulas := func(fs []*system.Formula) {
		for _, f := range fs {
			look(f.Term)
		}
	}
	formulas(m.System.Inits)
	formulas(m.System.Axioms)
	formulas(m.Instance.Facts)
	for _, p := range m.System.Properties {
		look(p.Term)
	}
	for _, a := range m.System.Actions {
		look(a.Relation.Formula())
	}
	for _, v := range m.Instance.Values {
		look(v)
	}
	return named, example
}

// simple reports whether the elements of sort s own disjoint slots: no symbol with an argument of
// sort s has another argument, or a result, that is an element, and none has an element of s as
// its result. So equal elements can be exchanged, and nothing has to be tried.
func simple(symbols []*logic.Symbol, s *logic.Sort) bool {
	for _, sym := range symbols {
		elements, here := 0, 0
		for _, a := range sym.Args {
			if a.Kind == logic.KindUninterpreted {
				elements++
			}
			if a == s {
				here++
			}
		}
		if sym.Result == s ||
			here > 0 && (elements > 1 || sym.Result.Kind == logic.KindUninterpreted) {
			return false
		}
	}
	return true
}

// readLayout finds the slots that permutations change.
func (r *Reducer) readLayout(m *interp.Model, l Layout, first map[*logic.Sort]int32) {
	type family struct {
		key   uint64
		slots []int32
	}
	families := map[string]*family{}
	args := m.SlotArguments()
	r.words, r.truth = make([]word, l.Words()), make([][64]int32, l.Words())
	for i, sym := range m.SlotSymbols() {
		w, mask := l.Field(i)
		if mask == 0 {
			continue
		}
		s := slot{word: int32(w), shift: uint8(bits.TrailingZeros64(mask)), result: -1}
		s.mask = mask >> s.shift
		if e, ok := first[sym.Result]; ok {
			s.result = e
		}
		rest, points := sym.Name, int32(1)
		for k, a := range sym.Args {
			base, ok := first[a]
			if !ok {
				rest += fmt.Sprint(" ", k, ":", args[i][k])
				continue
			}
			s.args = append(s.args, base+int32(args[i][k]))
			s.strides = append(s.strides, points)
			points *= int32(m.Instance.Sizes[a])
		}
		if len(s.args) == 0 && s.result < 0 {
			r.words[w].rest |= mask
			continue
		}
		f := families[rest]
		if f == nil {
			f = &family{mix(uint64(len(families)+1) * oddKey), make([]int32, points)}
			families[rest] = f
		}
		s.key, s.family = f.key, f.slots
		at := int32(0)
		for k, e := range s.args {
			at += r.elements[e].number * s.strides[k]
		}
		number := int32(len(r.slots))
		f.slots[at] = number
		r.slots = append(r.slots, s)
		if s.mask == 1 && s.result < 0 {
			r.words[w].truth |= mask
			r.truth[w][s.shift] = number
		} else {
			r.words[w].wide = append(r.words[w].wide, number)
		}
	}
}

// Canonical gives the representative of a packed state's orbit. The result is valid until the next
// call.
func (r *Reducer) Canonical(packed []uint64) []uint64 {
	copy(r.state, packed)
	if r.swap != nil {
		return r.swap.least(r)
	}
	r.partition.copyFrom(&r.first)
	r.read()
	r.split()
	r.refine()
	if r.cells == len(r.elements) {
		r.write()
		return r.image
	}
	return r.least()
}

// read finds the facts of the state.
func (r *Reducer) read() {
	clear(r.acc)
	r.facts, r.links = r.facts[:0], r.links[:0]
	for w := range r.words {
		word := &r.words[w]
		for x := r.state[w] & word.truth; x != 0; x &= x - 1 {
			r.note(fact{&r.slots[r.truth[w][bits.TrailingZeros64(x)]], 1})
		}
		for _, i := range word.wide {
			s := &r.slots[i]
			v := r.state[w] >> s.shift & s.mask
			if v != 0 || s.result >= 0 {
				r.note(fact{s, v})
			}
		}
	}
}

// note adds a fact. A fact about one element counts for it at once.
func (r *Reducer) note(f fact) {
	r.facts = append(r.facts, f)
	switch {
	case f.result >= 0 && len(f.args) == 0:
		r.acc[f.result+int32(f.value)] += f.key
	case f.result < 0 && len(f.args) == 1:
		r.acc[f.args[0]] += mix(f.key + f.value*oddValue)
	default:
		r.links = append(r.links, f)
	}
}

// write makes the image of the state in which each element has the number of its place.
func (r *Reducer) write() {
	for at, e := range r.order {
		r.label[e] = r.place[at]
	}
	for w, v := range r.state {
		r.image[w] = v & r.words[w].rest
	}
	for _, f := range r.facts {
		at, v := int32(0), f.value
		for k, e := range f.args {
			at += r.label[e] * f.strides[k]
		}
		if f.result >= 0 {
			v = uint64(r.label[f.result+int32(v)])
		}
		to := &r.slots[f.family[at]]
		r.image[to.word] |= v << to.shift
	}
}

// exchangeable reports whether the state remains the same when two elements are exchanged.
func (r *Reducer) exchangeable(a, b int32) bool {
	other := func(e int32) int32 {
		switch e {
		case a:
			return b
		case b:
			return a
		}
		return e
	}
	// Exchanging is one to one. So if each fact becomes a fact, all facts come from facts.
	for _, f := range r.facts {
		at, v := int32(0), f.value
		for k, e := range f.args {
			at += r.elements[other(e)].number * f.strides[k]
		}
		if f.result >= 0 {
			v = uint64(r.elements[other(f.result+int32(v))].number)
		}
		to := &r.slots[f.family[at]]
		if r.state[to.word]>>to.shift&to.mask != v {
			return false
		}
	}
	return true
}

func less(a, b []uint64) bool { return slices.Compare(a, b) < 0 }
