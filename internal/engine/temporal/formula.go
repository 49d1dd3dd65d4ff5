package temporal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// op is the root of a formula in negation normal form.
type op int

const (
	opTrue op = iota
	opFalse
	opAtom // a state predicate, or with negated its negation
	opAnd
	opOr
	opUntil // args[0] until args[1], which is true at some time
	// Its dual: args[1] holds up to and including the time when args[0] holds, or for ever.
	opRelease
)

// formula is a temporal formula in negation normal form. Eventually p is true until p, always p is
// false releases p. Equal formulas of one factory are the same pointer.
type formula struct {
	op      op
	atom    int
	negated bool
	args    []*formula // of a junction sorted by id, distinct
	id      int        // in the order of creation
}

// factory makes formulas, simplified by the rules of Etessami and Holzmann (Optimizing Büchi
// automata, CONCUR 2000, §2) and of Somenzi and Bloem (Efficient Büchi automata from LTL formulae,
// CAV 2000, §3).
type factory struct {
	known map[string]*formula
	yes   *formula
	no    *formula
}

func newFactory() *factory {
	f := &factory{known: map[string]*formula{}}
	f.yes = f.intern(&formula{op: opTrue})
	f.no = f.intern(&formula{op: opFalse})
	return f
}

func (f *factory) intern(n *formula) *formula {
	var key strings.Builder
	fmt.Fprintf(&key, "%d %d %t", n.op, n.atom, n.negated)
	for _, a := range n.args {
		fmt.Fprint(&key, " ", a.id)
	}
	if old, ok := f.known[key.String()]; ok {
		return old
	}
	n.id = len(f.known)
	f.known[key.String()] = n
	return n
}

func (f *factory) literal(atom int, negated bool) *formula {
	return f.intern(&formula{op: opAtom, atom: atom, negated: negated})
}

func (f *factory) constant(b bool) *formula {
	if b {
		return f.yes
	}
	return f.no
}

func (f *factory) and(args ...*formula) *formula { return f.junction(opAnd, f.yes, f.no, args) }
func (f *factory) or(args ...*formula) *formula  { return f.junction(opOr, f.no, f.yes, args) }

func (f *factory) junction(o op, unit, zero *formula, args []*formula) *formula {
	var flat []*formula
	for _, a := range args {
		switch {
		case a == zero:
			return zero
		case a == unit:
		case a.op == o:
			flat = append(flat, a.args...)
		default:
			flat = append(flat, a)
		}
	}
	slices.SortFunc(flat, func(a, b *formula) int { return cmp.Compare(a.id, b.id) })
	flat = slices.Compact(flat)
	for _, a := range flat {
		if a.op == opAtom && slices.Contains(flat, f.literal(a.atom, !a.negated)) {
			return zero
		}
	}
	switch len(flat) {
	case 0:
		return unit
	case 1:
		return flat[0]
	}
	return f.intern(&formula{op: o, args: flat})
}

func (f *factory) eventually(a *formula) *formula { return f.until(f.yes, a) }
func (f *factory) always(a *formula) *formula     { return f.release(f.no, a) }

func (a *formula) isEventually() bool { return a.op == opUntil && a.args[0].op == opTrue }
func (a *formula) isAlways() bool     { return a.op == opRelease && a.args[0].op == opFalse }

func (f *factory) until(a, b *formula) *formula {
	switch {
	case b == f.yes, b == f.no, a == f.no, a == b:
		return b
	case b.isEventually(): // p U F q = F q
		return b
	case b.op == opUntil && b.args[0] == a: // p U (p U q) = p U q
		return b
	case a == f.yes && b.isAlways() && b.args[1].isEventually(): // F G F p = G F p
		return b
	case a == f.yes && b.op == opUntil: // F (p U q) = F q
		return f.eventually(b.args[1])
	case a == f.yes && b.op == opOr: // F (p | q) = F p | F q
		return f.or(f.all(b.args, f.eventually)...)
	}
	return f.intern(&formula{op: opUntil, args: []*formula{a, b}})
}

func (f *factory) release(a, b *formula) *formula {
	switch {
	case b == f.yes, b == f.no, a == f.yes, a == b:
		return b
	case b.isAlways():
		return b
	case b.op == opRelease && b.args[0] == a:
		return b
	case a == f.no && b.isEventually() && b.args[1].isAlways(): // G F G p = F G p
		return b
	case a == f.no && b.op == opRelease: // G (p R q) = G q
		return f.always(b.args[1])
	case a == f.no && b.op == opAnd: // G (p & q) = G p & G q
		return f.and(f.all(b.args, f.always)...)
	}
	return f.intern(&formula{op: opRelease, args: []*formula{a, b}})
}

func (f *factory) all(args []*formula, change func(*formula) *formula) []*formula {
	out := make([]*formula, len(args))
	for i, a := range args {
		out[i] = change(a)
	}
	return out
}

// assume replaces the atoms with known values: known returns the value and true.
func (f *factory) assume(a *formula, known func(atom int) (value, ok bool)) *formula {
	sub := func(i int) *formula { return f.assume(a.args[i], known) }
	switch a.op {
	case opAtom:
		if v, ok := known(a.atom); ok {
			return f.constant(v != a.negated)
		}
	case opAnd, opOr:
		args := f.all(a.args, func(b *formula) *formula { return f.assume(b, known) })
		if a.op == opAnd {
			return f.and(args...)
		}
		return f.or(args...)
	case opUntil:
		return f.until(sub(0), sub(1))
	case opRelease:
		return f.release(sub(0), sub(1))
	}
	return a
}

func (a *formula) String() string {
	junction := func(between string) string {
		parts := make([]string, len(a.args))
		for i, b := range a.args {
			parts[i] = b.String()
		}
		return "(" + strings.Join(parts, between) + ")"
	}
	switch a.op {
	case opTrue:
		return "true"
	case opFalse:
		return "false"
	case opAtom:
		if a.negated {
			return fmt.Sprintf("!p%d", a.atom)
		}
		return fmt.Sprintf("p%d", a.atom)
	case opAnd:
		return junction(" & ")
	case opOr:
		return junction(" | ")
	case opUntil:
		return junction(" U ")
	}
	return junction(" R ")
}
