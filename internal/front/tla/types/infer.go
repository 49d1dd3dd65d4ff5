package types

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// Typing has the types of a model.
type Typing struct {
	Variables []*Type
	of        map[core.Node]*Type
	slots     map[core.Node][]*Type // of the places that a node binds, in the order of core.Bound
	constants map[string]*Type
	operators map[string]*Operator
	errs      *diag.List
	space     *value.Space
	pending   []use
	ranges    []*Type // of numbers
	places    map[int]*Type
	sums      bool // types may be sums
	initially bool // the initial states are typed
	want      map[core.Node]*Type
	flows     []*flow
	summed    []*Type // what has been a sum
	linked    map[[2]*Type]bool
	changes   int
	ctx       context.Context
	nodes     int // typed so far
}

// Operator is the type of a constant operator.
type Operator struct {
	Args   []*Type
	Result *Type
}

// use is a use of a value from which more is known when the value's kind is.
type use struct {
	of    *Type
	key   core.Node // the argument, if a function is applied
	known func(t *Type)
	// otherwise says what the kind is if nothing else tells.
	otherwise func(t *Type)
	// Says is how much the use says of the kind: 2 for <<>>, which is a sequence, 1 for a tuple
	// that is written with two parts or more, 0 for an argument.
	says int
}

// conflict is an error of two uses that disagree.
type conflict struct{}

// Infer finds the types of a model. Formulas that have no types are errors in errs, each with its
// place; what is wanted is the types of the rest. The end of the context is an error, too.
func Infer(
	ctx context.Context, m *core.Model, formulas []core.Node, errs *diag.List,
) *Typing {
	t := newTyping(ctx, m, errs)
	for _, n := range formulas {
		t.attempt(func() { t.is(n, Bool) })
	}
	t.settle()
	return t
}

func newTyping(ctx context.Context, m *core.Model, errs *diag.List) *Typing {
	t := &Typing{ctx: ctx, of: map[core.Node]*Type{}, slots: map[core.Node][]*Type{},
		constants: map[string]*Type{}, operators: map[string]*Operator{}, errs: errs,
		places: map[int]*Type{}, space: m.Space, linked: map[[2]*Type]bool{}}
	for range m.Variables {
		t.Variables = append(t.Variables, &Type{})
	}
	return t
}

// Add types another formula. The errors are about the formula alone.
func (t *Typing) Add(n core.Node) *diag.List {
	outer := t.errs
	t.errs = &diag.List{}
	restore := summing{t}.restorable()
	t.attempt(func() { t.is(n, Bool) })
	t.settle()
	errs := t.errs
	t.errs = outer
	if errs.Err() != nil {
		restore()
	}
	return errs
}

// Formula reports whether a node is a formula by the types that are known. It adds nothing to what
// is known of others.
func (t *Typing) Formula(n core.Node) bool {
	for _, u := range t.of { // what is not known yet stays so
		if r := u.root(); r.kind == Free {
			r.kind = Element
		}
	}
	if t.Add(n).Err() != nil {
		return false
	}
	return t.Of(n).Kind() == Bool
}

// attempt runs f up to the first conflict, or up to the end of the context, which is an error.
func (t *Typing) attempt(f func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(conflict); !ok {
				panic(r)
			}
		}
	}()
	f()
}

// Of is the type of a node.
func (t *Typing) Of(n core.Node) *Type {
	if n, ok := core.Inside(n); ok {
		return t.Of(n)
	}
	if at := t.of[n]; at != nil {
		return at.real()
	}
	return (&Type{})
}

// Constant is the type of a constant.
func (t *Typing) Constant(name string) *Type { return t.constants[name].real() }

// Operator is the type of a constant operator.
func (t *Typing) Operator(name string) *Operator { return t.operators[name] }

// settle uses what is known of the kinds until nothing more follows.
func (t *Typing) settle() {
	if t.sums {
		summing{t}.settle()
		return
	}
	for len(t.pending) > 0 && t.ctx.Err() == nil {
		if !t.resolve() {
			t.otherwise(-1)
		}
	}
}

// otherwise takes what a use says of a kind that nothing else tells. Of no use in particular, the
// one that says most decides: of several uses the first, as it would for a reader.
func (t *Typing) otherwise(i int) {
	if i < 0 {
		i = 0
		for j, u := range t.pending {
			if u.says > t.pending[i].says {
				i = j
			}
		}
	}
	p := t.pending[i]
	t.pending = slices.Delete(t.pending, i, i+1)
	t.attempt(func() { p.otherwise(p.of.root()) })
}

func (t *Typing) resolve() (progress bool) {
	now := t.pending
	t.pending = nil
	for _, p := range now {
		r := p.of.root()
		if r.kind == Sum {
			r = r.used(p.key)
		}
		if r.kind != Free {
			t.attempt(func() { p.known(r) })
			t.changes++
			progress = true
		} else {
			t.pending = append(t.pending, p)
		}
	}
	return progress
}

func (t *Typing) when(of *Type, key core.Node, known, otherwise func(*Type)) {
	if r := of.root(); r.kind != Free && !t.sums {
		known(r)
		return
	}
	t.pending = append(t.pending, use{of: of, key: key, known: known, otherwise: otherwise})
}

// is gives a node a type of a kind without parts.
func (t *Typing) is(n core.Node, k Kind) {
	t.needs(n, &Type{kind: k, span: n.Span()}, n)
}

// same makes two types one, at a node.
func (t *Typing) same(a, b *Type, n core.Node) { t.unify(a, b, n.Span()) }

func (t *Typing) unify(a, b *Type, at diag.Span) {
	a, b = a.root(), b.root()
	if a == b {
		return
	}
	if a.kind == Free {
		a, b = b, a
	}
	t.changes++
	if joins(a, b) || joins(b, a) {
		return
	}
	if a.kind == Sum || b.kind == Sum && b.kind != Free {
		summing{t}.unifySums(a, b, at)
		return
	}
	functional := func(k Kind) bool { return k == Sequence || k == Map }
	if b.kind != Free && a.kind != b.kind && !(functional(a.kind) && functional(b.kind)) ||
		unlike(a, b) {
		t.disagree(a, b, at)
	}
	if a.contains(b) || b.contains(a) {
		t.fail(at, "the type of this expression contains itself")
	}
	switch {
	case b.kind == Free:
		b.up = a
		return
	case a.kind == Sequence && b.kind == Map:
		a, b = b, a
		fallthrough
	case a.kind == Map && b.kind == Sequence: // a sequence is a function
		a.kind, b.up = Sequence, a
		key := a.parts[0]
		a.parts = a.parts[1:]
		t.unify(key, &Type{kind: Int, span: at}, at)
		t.unify(a.parts[0], b.parts[0], at)
		return
	case a.kind == Tuple && len(a.parts) != len(b.parts):
		t.disagree(a, b, at)
	}
	b.up = a
	a.text = a.text || b.text
	a.ranges = rangesOf(a, b)
	for i, p := range a.parts {
		t.unify(p, b.parts[i], at)
	}
	for _, name := range slices.Sorted(maps.Keys(b.fields)) {
		f := b.fields[name]
		if mine := a.fields[name]; mine != nil {
			t.unify(mine, f, at)
		} else {
			a.fields[name] = f
		}
	}
}

// contains reports whether a type is a proper part of another one.
func (t *Type) contains(part *Type) bool { return t.has(part, map[*Type]bool{}) }

func (t *Type) has(part *Type, seen map[*Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	is := func(p *Type) bool { return p.root() == part || p.root().has(part, seen) }
	if slices.ContainsFunc(t.parts, is) {
		return true
	}
	for _, f := range t.fields {
		if is(f) {
			return true
		}
	}
	for _, a := range t.alternatives {
		if is(a) {
			return true
		}
	}
	return false
}

func (t *Typing) disagree(a, b *Type, at diag.Span) {
	d := t.errs.Errorf(diag.SortMismatch, at, "two uses disagree: %s in one, %s in the other", a, b)
	for _, x := range []*Type{a, b} {
		if !x.span.IsZero() && x.span != at {
			d.Because(x.span, "%s", x)
		}
	}
	panic(conflict{})
}

func (t *Typing) fail(at diag.Span, format string, args ...any) {
	t.errs.Errorf(diag.Unsupported, at, "%s", fmt.Sprintf(format, args...))
	panic(conflict{})
}
