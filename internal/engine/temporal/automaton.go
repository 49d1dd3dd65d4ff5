package temporal

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// automaton is a generalised Büchi automaton over valuations of atoms. A run begins in an initial
// node and follows next; at each moment it reads a valuation that agrees with the label of its
// node. It is accepting if, for every bit below sets, it visits infinitely often a node whose
// accepting has this bit.
type automaton struct {
	nodes   []node
	initial []int
	sets    int
	// permits has for each node the marks of the edges with which a run can leave it, nil for all;
	// the whole is nil where no formula is about steps.
	permits []bits
}

type node struct {
	label     []literal // sorted by atom
	accepting uint64
	next      []int
}

type literal struct {
	atom    int
	negated bool
}

// Limits of an automaton, beyond which a formula is refused.
const (
	maxSets       = 64
	maxNodes      = 1 << 13
	maxExpansions = 1 << 20
)

// translate makes an automaton that accepts exactly the words that satisfy a formula, by the
// tableau of Gerth, Peled, Vardi and Wolper (Simple on-the-fly automatic verification of linear
// temporal logic, PSTV 1995). A node stands for literals that hold now and formulas that hold from
// the next moment on. There is one accepting set for each until: the nodes that do not promise it,
// or in which its right side holds. As in Daniele, Giunchiglia and Vardi (Improved automata
// generation for linear temporal logic, CAV 1999), nodes with equal literals, promises for the next
// moment and accepting sets are merged.
func translate(f *formula) (*automaton, error) {
	t := &tableau{untils: map[*formula]int{}, covers: map[string][]int{}, nodes: map[string]int{}}
	t.collect(f, map[*formula]bool{})
	if len(t.untils) > maxSets {
		return nil, &unsupportedError{
			what: fmt.Sprintf("the formula has more than %d eventualities", maxSets)}
	}
	t.sets = len(t.untils)
	var err error
	if t.initial, err = t.cover([]*formula{f}); err != nil {
		return nil, err
	}
	for i := 0; i < len(t.automaton.nodes); i++ { // cover appends nodes
		next, err := t.cover(t.next[i])
		if err != nil {
			return nil, err
		}
		t.automaton.nodes[i].next = next
	}
	return &t.automaton, nil
}

type tableau struct {
	automaton
	next       [][]*formula // for each node, the formulas that hold from the next moment on
	untils     map[*formula]int
	covers     map[string][]int // key of a set of formulas -> the nodes in which all of them hold
	nodes      map[string]int
	expansions int
}

func (t *tableau) collect(f *formula, seen map[*formula]bool) {
	if seen[f] {
		return
	}
	seen[f] = true
	if f.op == opUntil {
		t.untils[f] = len(t.untils)
	}
	for _, a := range f.args {
		t.collect(a, seen)
	}
}

// branch is a node under construction: all of old, todo and next have to hold, next from the next
// moment on.
type branch struct {
	todo  []*formula
	old   map[*formula]bool
	label map[int]bool // atom -> negated
	next  map[*formula]bool
}

func (b *branch) with(todo ...*formula) *branch {
	return &branch{append(slices.Clone(b.todo), todo...), maps.Clone(b.old), maps.Clone(b.label),
		maps.Clone(b.next)}
}

func setKey(fs []*formula) string {
	var key strings.Builder
	for _, f := range fs {
		fmt.Fprint(&key, f.id, " ")
	}
	return key.String()
}

// cover lists nodes such that a word satisfies all formulas if and only if it is read from one of
// the nodes.
func (t *tableau) cover(fs []*formula) ([]int, error) {
	key := setKey(fs)
	if nodes, ok := t.covers[key]; ok {
		return nodes, nil
	}
	var out []candidate
	first := &branch{todo: slices.Clone(fs), old: map[*formula]bool{}, label: map[int]bool{},
		next: map[*formula]bool{}}
	for open := []*branch{first}; len(open) > 0; {
		b := open[len(open)-1]
		open = open[:len(open)-1]
		if t.expansions++; t.expansions > maxExpansions {
			return nil, &unsupportedError{what: "the automaton of the formula becomes too large"}
		}
		if len(b.todo) > 0 {
			open = append(open, b.expand()...)
			continue
		}
		out = append(out, t.candidate(b))
	}
	var nodes []int
	for i, c := range out {
		if slices.ContainsFunc(out[:i], c.impliedBy) || slices.ContainsFunc(out[i+1:], func(
			d candidate,
		) bool {
			return c.impliedBy(d) && !d.impliedBy(c)
		}) {
			continue
		}
		n, err := t.node(c)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	t.covers[key] = nodes
	return nodes, nil
}

// expand processes the last formula of todo, and gives the resulting branches.
func (b *branch) expand() []*branch {
	f := b.todo[len(b.todo)-1]
	b.todo = b.todo[:len(b.todo)-1]
	if b.old[f] {
		return []*branch{b}
	}
	b.old[f] = true
	switch f.op {
	case opFalse:
		return nil
	case opAtom:
		if negated, ok := b.label[f.atom]; ok && negated != f.negated {
			return nil
		}
		b.label[f.atom] = f.negated
	case opAnd:
		b.todo = append(b.todo, f.args...)
	case opOr:
		if slices.ContainsFunc(f.args, func(a *formula) bool { return b.old[a] }) {
			break
		}
		out := make([]*branch, len(f.args))
		for i, a := range f.args {
			out[i] = b.with(a)
		}
		return out
	case opUntil: // b | a & next (a U b)
		if b.old[f.args[1]] {
			break
		}
		later := b.with(f.args[0])
		later.next[f] = true
		return []*branch{later, b.with(f.args[1])}
	case opRelease: // a & b | b & next (a R b)
		later := b.with(f.args[1])
		later.next[f] = true
		return []*branch{later, b.with(f.args...)}
	}
	return []*branch{b}
}

// candidate is a node that may become part of a cover.
type candidate struct {
	label     []literal
	accepting uint64
	next      []*formula // sorted by id
	nextKey   string
}

func (t *tableau) candidate(b *branch) candidate {
	var c candidate
	for atom, negated := range b.label {
		c.label = append(c.label, literal{atom, negated})
	}
	slices.SortFunc(c.label, func(a, b literal) int { return cmp.Compare(a.atom, b.atom) })
	c.next = slices.SortedFunc(maps.Keys(b.next), func(a, b *formula) int {
		return cmp.Compare(a.id, b.id)
	})
	c.nextKey = setKey(c.next)
	for u, i := range t.untils {
		if !b.old[u] || b.old[u.args[1]] {
			c.accepting |= 1 << i
		}
	}
	return c
}

// impliedBy reports whether d can replace c in every cover: it continues in the same way, requires
// less, and accepts more.
func (c candidate) impliedBy(d candidate) bool {
	return c.nextKey == d.nextKey && c.accepting&^d.accepting == 0 &&
		!slices.ContainsFunc(d.label, func(l literal) bool { return !slices.Contains(c.label, l) })
}

func (t *tableau) node(c candidate) (int, error) {
	key := fmt.Sprint(c.label, c.accepting, c.nextKey)
	n, ok := t.nodes[key]
	if !ok {
		if n = len(t.automaton.nodes); n >= maxNodes {
			return 0, &unsupportedError{what: "the automaton of the formula becomes too large"}
		}
		t.nodes[key] = n
		t.automaton.nodes = append(t.automaton.nodes, node{label: c.label, accepting: c.accepting})
		t.next = append(t.next, c.next)
	}
	return n, nil
}

// components are the strongly connected components of an automaton, each before the components that
// it leads to.
func (a *automaton) components() [][]int {
	var out [][]int
	// 0 before the visit, then as in Tarjan's algorithm; -1 after it
	index := make([]int, len(a.nodes))
	var stack []int
	found := 0
	var visit func(q int) int
	visit = func(q int) int {
		found++
		own := found
		index[q] = own
		low := own
		stack = append(stack, q)
		for _, next := range a.nodes[q].next {
			switch i := index[next]; {
			case i == 0:
				low = min(low, visit(next))
			case i > 0:
				low = min(low, i)
			}
		}
		if low == own {
			at := slices.Index(stack, q)
			c := slices.Clone(stack[at:])
			stack = stack[:at]
			for _, q := range c {
				index[q] = -1
			}
			slices.Sort(c)
			out = append(out, c)
		}
		return low
	}
	for _, q := range a.initial {
		if index[q] == 0 {
			visit(q)
		}
	}
	slices.Reverse(out)
	return out
}
