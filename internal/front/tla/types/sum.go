package types

import (
	"maps"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/core"
)

// A variable that is a number at some time and "none" at another has a sum as its type: one
// alternative for each kind. Unification alone cannot find sums, since it makes the type of each
// value the one of the variable. So where it fails, values flow: what a variable is given, the
// elements of a union and the arms of an IF become values of a type that has an alternative for
// each kind that reaches it, and what needs a kind takes the alternative of this kind.

// summing finds the types of a typing where a type may be a sum.
type summing struct{ *Typing }

// flow says that the values of a type become ones of another type. Need says that the other type
// is of one kind, and takes nothing but that.
type flow struct {
	from, to *Type
	at       core.Node
	need     bool
	done     bool
}

// alternative names the alternative of a type in a sum: its kind, of tuples with the length.
type alternative struct {
	kind   Kind
	length int
}

func (t *Type) alternative() alternative {
	if t.kind == Tuple {
		return alternative{Tuple, len(t.parts)}
	}
	return alternative{kind: t.kind}
}

// mostFlows bounds the flows of a specification: a type that contains itself has more.
const mostFlows = 20_000

// Alternatives are the types of which a sum has the values, in a fixed order.
func (t *Type) Alternatives() (out []*Type) {
	for _, a := range t.real().sorted() {
		out = append(out, a.real())
	}
	return out
}

func (t *Type) sorted() (out []*Type) {
	keys := slices.SortedFunc(maps.Keys(t.alternatives), func(a, b alternative) int {
		return 100*(int(a.kind)-int(b.kind)) + a.length - b.length
	})
	for _, k := range keys {
		out = append(out, t.alternatives[k])
	}
	return out
}

// settle lets values flow until nothing more follows.
func (t summing) settle() {
	for t.spread() || t.meet(false) || t.elements() || t.meet(true) || t.decide() || t.ground() {
		if t.errs.Err() != nil || t.ctx.Err() != nil {
			return
		}
		if len(t.flows) > mostFlows {
			t.errs.Errorf(diag.Unsupported, t.flows[0].at.Span(),
				"the type of an expression of this formula contains itself")
			return
		}
	}
	t.check()
	t.flows = slices.DeleteFunc(t.flows, func(f *flow) bool { return f.need })
}

// spread lets the kinds that are known flow.
func (t summing) spread() bool {
	before := t.changes
	for i := 0; i < len(t.flows) && len(t.flows) <= mostFlows; i++ {
		f := t.flows[i]
		if f.need {
			continue
		}
		from := f.from.root()
		switch from.kind {
		case Free:
		case Sum:
			t.flatten(from)
			for _, a := range from.sorted() {
				t.attempt(func() { t.reach(a.root(), f) })
			}
		default:
			t.attempt(func() { t.reach(from, f) })
		}
	}
	return t.changes > before
}

// reach lets a kind reach the type at the end of a flow.
func (t summing) reach(a *Type, f *flow) {
	b := f.to.root()
	if a == b {
		return
	}
	switch {
	case b.kind == Free:
		t.become(b, Sum)
	case b.kind != Sum && b.alternative() == a.alternative():
		t.link(a, b, f)
		return
	case b.kind != Sum:
		t.promote(b)
	}
	t.flatten(b)
	c := b.alternatives[a.alternative()]
	if c == nil {
		c = shell(a)
		b.alternatives[a.alternative()] = c
		t.changes++
	}
	t.link(a, c.root(), f)
}

func (t summing) become(b *Type, k Kind) {
	b.kind = k
	t.changes++
	if k == Sum {
		b.alternatives = map[alternative]*Type{}
		t.summed = append(t.summed, b)
	}
}

// promote makes a sum of a type, with what it was as its alternative.
func (t summing) promote(b *Type) {
	was := *b
	b.parts, b.fields, b.text, b.ranges = nil, nil, false, nil
	t.become(b, Sum)
	b.alternatives[was.alternative()] = &was
}

// flatten lets the values of an alternative that has become a sum flow into the sum.
func (t summing) flatten(b *Type) {
	for _, k := range slices.Collect(maps.Keys(b.alternatives)) {
		if r := b.alternatives[k].root(); r.kind == Sum {
			delete(b.alternatives, k)
			if r != b {
				t.flows = append(t.flows, &flow{from: r, to: b, at: t.flows[0].at})
				t.changes++
			}
		}
	}
}

// shell is a type of the form of another one, with parts of its own where values flow into them.
func shell(a *Type) *Type {
	switch a.kind {
	case Bool, Int:
		return &Type{kind: a.kind, span: a.span}
	case Set, Tuple:
		c := &Type{kind: a.kind, span: a.span}
		for range a.parts {
			c.parts = append(c.parts, &Type{})
		}
		return c
	}
	return a
}

// link says that the values of a type are ones of another type of the same form.
func (t summing) link(a, c *Type, f *flow) {
	if a == c || a.kind == Bool || a.kind == Int {
		return
	}
	if a.kind != Set && a.kind != Tuple {
		t.unify(c, a, f.at.Span())
		return
	}
	if t.linked[[2]*Type{a, c}] {
		return
	}
	t.linked[[2]*Type{a, c}] = true
	for i, p := range a.parts {
		t.flows = append(t.flows, &flow{from: p, to: c.parts[i], at: f.at})
	}
	t.changes++
}

// meet lets what needs a kind have it: of a sum the alternative. Free types become what is needed
// only if free says so.
func (t summing) meet(free bool) bool {
	before := t.changes
	for i := 0; i < len(t.flows); i++ {
		f := t.flows[i]
		from, to := f.from.root(), f.to.root()
		if f.need && to.kind == Sum { // what is needed may be of several kinds, too
			f.need = false
			t.changes++
		}
		if f.done || to.kind == Free || to.kind == Sum {
			continue
		}
		if !f.need {
			if (to.kind == Set || to.kind == Tuple) && from.kind == Free { // it has a name
				c := shell(to)
				t.attempt(func() { t.unify(from, c, f.at.Span()) })
			}
			continue
		}
		switch {
		case from.kind == Sum:
			t.flatten(from)
			a := from.alternatives[to.alternative()]
			if a == nil && !free {
				continue
			}
			if a == nil && len(from.alternatives) == 0 {
				t.promoteTo(from, to)
			} else if a == nil {
				t.attempt(func() { t.disagree(from, to, f.at.Span()) })
			} else if to.kind != Int && to.kind != Bool {
				t.attempt(func() { t.unify(a, to, f.at.Span()) })
			}
		case from.kind == to.kind && (to.kind == Int || to.kind == Bool):
			// They stay two, since the one may become a sum.
		case from.kind == Free && !free && to.kind != Set && to.kind != Tuple:
			continue
		default:
			t.attempt(func() { t.unify(from, to, f.at.Span()) })
		}
		f.done = true
		t.changes++
	}
	t.resolve()
	return t.changes > before
}

func (t summing) promoteTo(sum, to *Type) {
	sum.alternatives[to.alternative()] = to
	t.changes++
}

// elements makes elements of the constants, and of what is in constant sets, of which nothing is
// known or needed.
func (t summing) elements() bool {
	needed := map[*Type]bool{}
	for _, f := range t.flows {
		if f.need && !f.done && f.to.root().kind != Free {
			needed[f.from.root()] = true
		}
	}
	for _, u := range t.pending {
		needed[u.of.root()] = true
	}
	before := t.changes
	for _, name := range slices.Sorted(maps.Keys(t.constants)) {
		c := t.constants[name].root()
		for c.kind == Set {
			c = c.parts[0].root()
		}
		if c.kind == Free && !needed[c] {
			t.become(c, Element)
		}
	}
	return t.changes > before
}

// decide takes the form that a use has whose kind nothing else tells: first of what is written with
// two parts or more.
func (t summing) decide() bool {
	if len(t.pending) == 0 {
		return false
	}
	i := slices.IndexFunc(t.pending, func(u use) bool { return u.says == 1 })
	t.otherwise(i)
	t.changes++
	return true
}

// ground makes one type of two where nothing tells what flows: first where one kind is at the other
// end, then where several are.
func (t summing) ground() bool {
	for _, several := range []bool{false, true} {
		for _, f := range t.flows {
			from, to := f.from.root(), f.to.root()
			if from == to || from.kind != Free && !(f.need && to.kind == Free) {
				continue
			}
			if to.kind == Sum && len(to.alternatives) == 1 {
				to = to.sorted()[0].root()
			}
			if to.kind == Sum && !several {
				continue
			}
			if from.kind != Free {
				f.need = false
			} else {
				t.attempt(func() { t.unify(from, to, f.at.Span()) })
			}
			t.changes++
			return true
		}
	}
	return false
}

// check fails if a value may be of two alternatives of a sum, or a type contains itself.
func (t summing) check() {
	for _, s := range t.summed {
		if s.up == nil && s.kind == Sum {
			t.attempt(func() { t.disjoint(s) })
		}
	}
	for u := range t.reachable() {
		if u.contains(u) {
			t.errs.Errorf(diag.Unsupported, u.span, "the type of this expression contains itself")
			return
		}
	}
}

// Alike reports whether two types have the same values by their form.
func (t *Type) Alike(u *Type) bool { return alike(t, u, 0) }

// alike reports whether two types have the same values by their form.
func alike(a, b *Type, depth int) bool {
	a, b = a.real(), b.real()
	if a == b {
		return true
	}
	if depth > 20 || a.kind != b.kind || len(a.parts) != len(b.parts) ||
		len(a.alternatives) != len(b.alternatives) {
		return false
	}
	for i, p := range a.parts {
		if !alike(p, b.parts[i], depth+1) {
			return false
		}
	}
	for k, x := range a.alternatives {
		if y := b.alternatives[k]; y == nil || !alike(x, y, depth+1) {
			return false
		}
	}
	return a.kind != Free && a.kind != Element && a.kind != Record
}

// disjoint fails if a value may be of two alternatives of a sum.
func (t summing) disjoint(s *Type) {
	functions := 0
	for _, a := range s.sorted() {
		switch a.root().kind {
		case Map, Sequence:
			functions += 10
		case Tuple, Record:
			functions++
		}
	}
	if functions > 10 {
		t.fail(s.sorted()[0].root().span, "a value that is %s is not translated: nothing tells "+
			"which of them it is", s)
	}
}

// unifySums makes one type of two of which one is a sum.
func (t summing) unifySums(a, b *Type, at diag.Span) {
	if a.kind != Sum {
		a, b = b, a
	}
	if b.kind == Free {
		b.up = a
		return
	}
	t.flatten(a)
	if b.kind != Sum {
		same := a.alternatives[b.alternative()]
		if len(a.alternatives) == 0 || len(a.alternatives) == 1 && same != nil {
			a.up = b // it is no sum yet
			if same != nil {
				t.unify(same, b, at)
			}
			return
		}
		t.promote(b)
	}
	t.flatten(b)
	others := b.sorted()
	b.up = a
	for _, o := range others {
		r := o.root()
		if r == a {
			continue
		}
		if mine := a.alternatives[r.alternative()]; mine != nil {
			t.unify(mine, r, at)
		} else {
			a.alternatives[r.alternative()] = r
		}
	}
}

// used is the alternative of a sum that can have an argument; a free type if nothing tells which.
func (t *Type) used(key core.Node) *Type {
	for _, a := range t.sorted() {
		if r := a.root(); r.takes(key) {
			return r
		}
	}
	return &Type{}
}

// takes reports whether the values of a type may have an argument. Of an argument of which nothing
// is known, only functions and sequences do.
func (t *Type) takes(key core.Node) bool {
	if key == nil {
		return t.kind == Map || t.kind == Sequence
	}
	_, field := text(key)
	i, known := number(key)
	switch t.kind {
	case Map:
		return true
	case Record:
		return field
	case Sequence:
		return !field
	case Tuple:
		return known && 1 <= i && i <= len(t.parts)
	}
	return false
}

// tuples reports whether what is written as a tuple of some length is one, and no sequence. Where
// types may be sums, it is what else comes there, or what is needed there.
func (t summing) tuples(f *Type, length int) bool {
	for _, w := range t.flows {
		if w.from.root() != f.root() {
			continue
		}
		to := w.to.root()
		for _, n := range t.flows {
			if n.need && n.from.root() == to && n.to.root().kind == Sequence {
				return false
			}
		}
		for a := range to.alternatives {
			if a.kind == Sequence || a.kind == Tuple {
				return a.kind == Tuple
			}
		}
	}
	return length >= 2
}
