package eval

import (
	"math/bits"
	"slices"
	"sync"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/value"
)

// A state can be packed by its components: the values of a function whose parts actions replace
// one by one, and the elements of a set that actions add and remove. A component that is a value
// has a number in the packed state, and an element has a bit. So a step that is remembered is a
// change of a few bits, whatever the variable is as a whole: no value of the variable is made, or
// looked for, until something reads it.

// Forms is what is known of the forms of the packed states of a program. It is safe for concurrent
// use.
type Forms struct {
	mu sync.Mutex
	of []shape // of the variables
}

// shape says how a variable is packed.
type shape struct {
	depth  int // of the keys by which its functions are taken apart
	joined bool
	width  int // of the number of a component, in bits
	room   int // of the elements of a set, in bits
}

const (
	leastWidth     = 8
	mostWidth      = 32
	leastRoom      = 32
	mostRoom       = 256
	mostComponents = 128
	mostParts      = 64 // of a function
)

// Forms finds how the variables of the program can be packed: by what actions do to them.
func (p *Program) Forms() *Forms {
	f := &Forms{of: make([]shape, len(p.Model.Variables))}
	for i := range f.of {
		f.of[i].width, f.of[i].room = leastWidth, leastRoom
	}
	seen := map[core.Node]bool{}
	var visit func(n core.Node)
	visit = func(n core.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if e, ok := n.(*core.Equal); ok {
			f.update(e)
		}
		core.Parts(n, visit)
	}
	for _, a := range p.Model.Actions {
		visit(a.Node)
	}
	return f
}

func (f *Forms) update(n *core.Equal) {
	v, ok := n.Left.(*core.Variable)
	if !ok || !v.Primed || v.Index >= len(f.of) {
		return
	}
	s := &f.of[v.Index]
	switch e := ownUpdate(v.Index, n.Right).(type) {
	case *core.Except:
		for _, u := range e.Updates {
			s.depth = max(s.depth, min(len(u.Path), mostKeysOfPath))
		}
	case *core.Operator:
		s.joined = true
	}
}

// Form is a form of packed states.
type Form struct {
	forms      *Forms
	space      *value.Space
	nodes      []*node // of the variables
	components []*component
	composed   int             // how many nodes are composed of others
	at         [][8]*component // of each word, the components at its bytes
}

// node is a part of a variable that is taken apart, or a component.
type node struct {
	variable, depth int
	like            *value.Value // which has the same arguments; nil for a component
	parts           []*node      // by the arguments
	component       *component   // nil where it has parts
	index           int          // among the nodes that are composed; -1 for a number
	bits            []op         // the bits of its components, as masks
}

// component is a value that has a number in the packed state, or a set whose elements have bits.
type component struct {
	*node
	index       int
	set         bool
	word, shift int
	width       int

	mu      sync.Mutex
	numbers map[uint32]uint32 // by the numbers of values, or of elements, in the space
	values  []*value.Value
}

// Form makes a form for states that are like one; nil where it would not take a variable apart.
func (p *Program) Form(fs *Forms, state []*value.Value) *Form {
	fs.mu.Lock()
	shapes := slices.Clone(fs.of)
	fs.mu.Unlock()
	f := &Form{forms: fs, space: p.Space}
	for i, v := range state {
		f.nodes = append(f.nodes, f.node(i, 0, v, &shapes[i]))
	}
	apart := func(n *node) bool { return n.component == nil || n.component.set }
	if !slices.ContainsFunc(f.nodes, apart) || len(f.components) > mostComponents {
		return nil
	}
	f.arrange()
	return f
}

func (f *Form) node(variable, depth int, v *value.Value, s *shape) *node {
	n := &node{variable: variable, depth: depth}
	if parts := v.Parts(); depth < s.depth && len(parts) > 0 && len(parts) <= mostParts {
		n.like = v
		for _, p := range parts {
			n.parts = append(n.parts, f.node(variable, depth+1, p, s))
		}
		return n
	}
	n.component = &component{node: n, width: s.width, numbers: map[uint32]uint32{},
		index: len(f.components)}
	if depth == 0 && s.joined && v.Kind() == value.Set {
		n.component.set, n.component.width = true, s.room
	}
	f.components = append(f.components, n.component)
	return n
}

// arrange gives the components their places, the widest ones first: none begins in a word and ends
// in another, but for sets of several words.
func (f *Form) arrange() {
	sorted := slices.Clone(f.components)
	slices.SortStableFunc(sorted, func(a, b *component) int { return b.width - a.width })
	at := 0
	for _, c := range sorted {
		c.word, c.shift = at/64, at%64
		for end := at + c.width; at < end; at += 8 {
			if at/64 == len(f.at) {
				f.at = append(f.at, [8]*component{})
			}
			f.at[at/64][at%64/8] = c
		}
	}
	for _, n := range f.nodes {
		f.bitsOf(n)
	}
}

// bitsOf finds where a packed state has a node.
func (f *Form) bitsOf(n *node) {
	add := func(word int, mask uint64) {
		for i := range n.bits {
			if n.bits[i].word == word {
				n.bits[i].mask |= mask
				return
			}
		}
		n.bits = append(n.bits, op{word: word, mask: mask})
	}
	if c := n.component; c != nil {
		if n.index = -1; !c.set {
			return
		}
		for i := 0; i < c.width; i += 64 {
			add(c.word+i/64, c.mask())
		}
	}
	for _, p := range n.parts {
		f.bitsOf(p)
		for _, o := range p.bits {
			add(o.word, o.mask)
		}
		if c := p.component; c != nil && !c.set {
			add(c.word, c.mask())
		}
	}
	n.index = f.composed
	f.composed++
}

// Words is the number of words of a packed state.
func (f *Form) Words() int { return len(f.at) }

// mask are the bits of a component in one of its words.
func (c *component) mask() uint64 {
	if c.width >= 64 {
		return ^uint64(0)
	}
	return (1<<c.width - 1) << c.shift
}

// reform is the panic of a value that does not fit.
type reform struct{}

// misfit says that a node does not fit a value: it is not taken apart any more.
func (f *Form) misfit(n *node) {
	f.change(n, func(s *shape) {
		if n.component != nil {
			s.joined = false
		}
		s.depth = min(s.depth, n.depth)
	})
}

// full says that a component has more values than its width can tell apart.
func (f *Form) full(c *component) {
	f.change(c.node, func(s *shape) {
		switch {
		case !c.set && c.width == mostWidth:
			panic(&value.Error{Message: "a part of a variable has more than 2^32 values"})
		case !c.set:
			s.width = max(s.width, 2*c.width)
		case c.width == mostRoom:
			s.joined = false
		default:
			s.room = max(s.room, 2*c.width)
		}
	})
}

func (f *Form) change(n *node, do func(s *shape)) {
	f.forms.mu.Lock()
	defer f.forms.mu.Unlock()
	do(&f.forms.of[n.variable])
	panic(reform{})
}

// number gives a value, or an element, its number.
func (f *Form) number(c *component, v *value.Value) uint32 {
	id, _ := v.ID()
	c.mu.Lock()
	defer c.mu.Unlock()
	n, known := c.numbers[id]
	if known {
		return n
	}
	n = uint32(len(c.values))
	if c.set && int(n) >= c.width || !c.set && bits.Len32(n) > c.width {
		f.full(c)
	}
	c.numbers[id], c.values = n, append(c.values, v)
	return n
}

// Packer packs states for one goroutine.
type Packer struct {
	*Form
	local []local // of the components
	known []composed
	room  []*value.Value
	some  []op
}

// local is what a packer knows of a component, so that it rarely asks for the rest.
type local struct {
	pages  []*page // by the numbers of values: one more than the number in the component
	values []*value.Value
	order  []uint16 // of the elements of sets
}

type page [1 << pageBits]uint32

const pageBits = 10

// op sets some bits of a word.
type op struct {
	word       int
	mask, bits uint64
	deep       *deep // what is done instead; nil for nothing
}

// Packer makes a packer.
func (f *Form) Packer() *Packer {
	return &Packer{Form: f, local: make([]local, len(f.components)),
		known: make([]composed, f.composed)}
}

// numberOf is the number of an interned value in a component.
func (k *Packer) numberOf(c *component, v *value.Value) uint32 {
	id, _ := v.ID()
	l, at := &k.local[c.index], int(id>>pageBits)
	if at >= len(l.pages) {
		l.pages = append(l.pages, make([]*page, at+1-len(l.pages))...)
	}
	if l.pages[at] == nil {
		l.pages[at] = &page{}
	}
	p := &l.pages[at][id%(1<<pageBits)]
	if *p == 0 {
		*p = k.number(c, v) + 1
	}
	return *p - 1
}

// valueOf is the value with a number in a component.
func (k *Packer) valueOf(c *component, number uint32) *value.Value {
	l := &k.local[c.index]
	if int(number) >= len(l.values) {
		k.know(c)
	}
	return l.values[number]
}

// know asks for the values of a component that it does not know.
func (k *Packer) know(c *component) {
	l := &k.local[c.index]
	c.mu.Lock()
	l.values = c.values
	c.mu.Unlock()
	if c.set {
		l.order = l.order[:0]
		for i := range l.values {
			l.order = append(l.order, uint16(i))
		}
		slices.SortFunc(l.order, func(a, b uint16) int {
			return value.SetOrder(l.values[a], l.values[b])
		})
	}
}

// ops appends what gives a node an interned value.
func (k *Packer) ops(n *node, v *value.Value, out []op) []op {
	c := n.component
	switch {
	case c == nil:
		if !value.Alike(n.like, v) {
			k.misfit(n)
		}
		for i, p := range v.Parts() {
			out = k.ops(n.parts[i], p, out)
		}
		return out
	case !c.set:
		return append(out, op{word: c.word, mask: c.mask(),
			bits: uint64(k.numberOf(c, v)) << c.shift})
	case v.Kind() != value.Set:
		k.misfit(n)
	}
	first := len(out)
	for i := 0; i < c.width; i += 64 {
		out = append(out, op{word: c.word + i/64, mask: c.mask()})
	}
	for _, e := range v.Listed() {
		at := c.shift + int(k.numberOf(c, e))
		out[first+at/64].bits |= 1 << (at % 64)
	}
	return out
}

// place gives a node an interned value in a packed state.
func (k *Packer) place(n *node, v *value.Value, words []uint64) {
	if c := n.component; c != nil && !c.set {
		words[c.word] = words[c.word]&^c.mask() | uint64(k.numberOf(c, v))<<c.shift
		return
	}
	k.some = k.ops(n, v, k.some[:0])
	for _, o := range k.some {
		words[o.word] = words[o.word]&^o.mask | o.bits
	}
}

// composed are some values of a node, by its bits. Bits have one place.
type composed struct {
	bits   []uint64
	values []*value.Value
}

const mostComposed = 1 << 12

// compose is the value of a node in a packed state, interned.
func (k *Packer) compose(n *node, words []uint64) *value.Value {
	if n.index < 0 {
		c := n.component
		return k.valueOf(c, uint32(words[c.word]&c.mask()>>c.shift))
	}
	h := uint64(0)
	for i := range n.bits {
		o := &n.bits[i]
		h = (h ^ words[o.word]&o.mask) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	t := &k.known[n.index]
	if t.values == nil {
		t.bits, t.values = make([]uint64, mostComposed*len(n.bits)),
			make([]*value.Value, mostComposed)
	}
	at := int(h % mostComposed)
	same := t.values[at] != nil
	known := t.bits[at*len(n.bits) : (at+1)*len(n.bits)]
	for i := range n.bits {
		o := &n.bits[i]
		w := words[o.word] & o.mask
		same = same && known[i] == w
		known[i] = w
	}
	if !same {
		t.values[at] = nil
		t.values[at] = k.made(n, words)
	}
	return t.values[at]
}

// made is a value of components.
func (k *Packer) made(n *node, words []uint64) *value.Value {
	if n.component != nil {
		return k.set(n.component, words)
	}
	first := len(k.room)
	for _, p := range n.parts {
		k.room = append(k.room, k.compose(p, words))
	}
	v := k.space.Like(n.like, k.room[first:])
	k.room = k.room[:first]
	return v
}

// set is a set whose elements have bits.
func (k *Packer) set(c *component, words []uint64) *value.Value {
	l, first := &k.local[c.index], len(k.room)
	last := 0 // one more than the largest number
	for i := 0; i < c.width; i += 64 {
		if w := words[c.word+i/64] & c.mask() >> c.shift; w != 0 {
			last = i + bits.Len64(w)
		}
	}
	if last > len(l.values) {
		k.know(c)
	}
	for _, i := range l.order {
		if at := c.shift + int(i); words[c.word+at/64]>>(at%64)&1 != 0 {
			k.room = append(k.room, l.values[i])
		}
	}
	v := k.space.SetOf(k.room[first:])
	k.room = k.room[:first]
	return v
}

// fitting runs f, and says whether all values fitted.
func fitting(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(reform); !is {
				panic(r)
			}
			err = system.ErrForm
		}
	}()
	f()
	return nil
}

// Pack appends a packed state, whose values have the given numbers.
func (k *Packer) Pack(state []int64, out []uint64) ([]uint64, error) {
	first := len(out)
	out = append(out, make([]uint64, k.Words())...)
	err := fitting(func() {
		for i, id := range state {
			k.place(k.nodes[i], k.space.Of(uint32(id)), out[first:])
		}
	})
	return out, err
}

// Unpack gives the numbers of the values of a packed state.
func (k *Packer) Unpack(words []uint64, state []int64) {
	for i, n := range k.nodes {
		id, _ := k.compose(n, words).ID()
		state[i] = int64(id)
	}
}
