package bounds

import (
	"encoding/binary"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// form is a linear expression: a sum of nodes with coefficients other than 0, sorted by their
// nodes, and a number.
type form struct {
	parts  []part
	number int64
}

type part struct {
	node int
	by   int64
}

// large is a limit on coefficients and numbers, far from an overflow. Nothing is known of a form
// beyond.
const large = 1 << 40

func small(n int64) bool { return -large < n && n < large }

// add gives f + by * g.
func (f form) add(by int64, g form) (form, bool) {
	if !small(by) {
		return form{}, false
	}
	times := func(n int64) (int64, bool) {
		if n != 0 && (by > large/max(n, -n) || by < -large/max(n, -n)) {
			return 0, false
		}
		return by * n, true
	}
	n, ok := times(g.number)
	out := form{number: f.number + n}
	parts := slices.Clone(f.parts)
	for _, p := range g.parts {
		c, fits := times(p.by)
		ok = ok && fits
		i, found := slices.BinarySearchFunc(parts, p.node, func(q part, node int) int {
			return q.node - node
		})
		if !found {
			parts = slices.Insert(parts, i, part{node: p.node})
		}
		parts[i].by += c
		ok = ok && small(parts[i].by)
	}
	out.parts = slices.DeleteFunc(parts, func(p part) bool { return p.by == 0 })
	return out, ok && small(out.number)
}

// key identifies the form without its number.
func (f form) key() string {
	var key []byte
	for _, p := range f.parts {
		key = binary.AppendVarint(binary.AppendVarint(key, int64(p.node)), p.by)
	}
	return string(key)
}

// equal compares forms.
func (f form) equal(g form) bool { return f.number == g.number && slices.Equal(f.parts, g.parts) }

// term writes the form.
func (f form) term(a *analysis) *logic.Term {
	var sum []*logic.Term
	for _, p := range f.parts {
		t := a.nodes[p.node].term
		if p.by != 1 {
			t = logic.Mul(logic.IntLit(p.by), t)
		}
		sum = append(sum, t)
	}
	if f.number != 0 || len(sum) == 0 {
		sum = append(sum, logic.IntLit(f.number))
	}
	return logic.Add(sum...)
}

// node is what forms are made of: a choice between two forms, or a term whose value is not looked
// into.
type node struct {
	term    *logic.Term
	height  int  // 0 without a choice, otherwise one more than of both forms
	cond    int  // the identity of the condition
	yes, no form // where it is true, and where it is false
}

// analysis reads the new values of an action as forms.
type analysis struct {
	updates  map[*logic.Symbol]system.Update
	modified []*logic.Symbol
	identity *logic.Identity
	nodes    []node
	byTerm   map[int]int         // nodes by the identity of their terms
	forms    map[int]form        // by the identity of the term
	refused  map[int]bool        // terms without a form
	conds    map[int]*logic.Term // by their identity
	applied  map[int]*logic.Term // new values, by the identity of the application
	limits   map[branch][]form
}

func newAnalysis(a *system.Action) *analysis {
	out := &analysis{
		updates: map[*logic.Symbol]system.Update{}, modified: a.Modifies,
		identity: logic.NewIdentity(),
		byTerm:   map[int]int{}, forms: map[int]form{}, refused: map[int]bool{},
		conds:   map[int]*logic.Term{},
		applied: map[int]*logic.Term{}, limits: map[branch][]form{},
	}
	for _, u := range a.Relation.Updates {
		out.updates[u.Symbol] = u
	}
	return out
}

// linear reads a term as a form.
func (a *analysis) linear(t *logic.Term) (form, bool) {
	id := a.identity.Of(t)
	if f, ok := a.forms[id]; ok {
		return f, true
	}
	if a.refused[id] {
		return form{}, false
	}
	f, ok := a.read(t)
	if ok {
		a.forms[id] = f
	} else {
		a.refused[id] = true
	}
	return f, ok
}

func (a *analysis) read(t *logic.Term) (form, bool) {
	switch t.Op {
	case logic.OpInt:
		if !t.Int.IsInt64() || !small(t.Int.Int64()) {
			return form{}, false
		}
		return form{number: t.Int.Int64()}, true
	case logic.OpAdd, logic.OpSub, logic.OpNeg:
		out := form{}
		for i, arg := range t.Args {
			by := int64(1)
			if t.Op == logic.OpNeg || t.Op == logic.OpSub && i > 0 {
				by = -1
			}
			f, ok := a.linear(arg)
			if ok {
				out, ok = out.add(by, f)
			}
			if !ok {
				return form{}, false
			}
		}
		return out, true
	case logic.OpMul:
		f, ok := a.linear(t.Args[0])
		g, fine := a.linear(t.Args[1])
		if !ok || !fine {
			return form{}, false
		}
		if len(f.parts) > 0 {
			f, g = g, f
		}
		if len(f.parts) == 0 {
			return form{}.add(f.number, g)
		}
	case logic.OpIte:
		return a.choice(t)
	case logic.OpApp:
		if value := a.newValue(t); value != nil {
			return a.linear(value)
		}
		if t.Step == logic.Post && !t.Symbol.Derived && !slices.Contains(a.modified, t.Symbol) {
			c := *t
			c.Step = logic.Pre
			return a.linear(&c)
		}
	case logic.OpLet:
		return form{}, false
	}
	return a.node(node{term: t}), true
}

// node gives the form of a node.
func (a *analysis) node(n node) form {
	id := a.identity.Of(n.term)
	i, ok := a.byTerm[id]
	if !ok {
		i = len(a.nodes)
		a.byTerm[id] = i
		a.nodes = append(a.nodes, n)
	}
	return form{parts: []part{{i, 1}}}
}

func (a *analysis) choice(t *logic.Term) (form, bool) {
	yes, ok := a.linear(t.Args[1])
	no, fine := a.linear(t.Args[2])
	if !ok || !fine {
		return form{}, false
	}
	n := node{term: t, cond: a.identity.Of(t.Args[0]), yes: yes, no: no}
	a.conds[n.cond] = t.Args[0]
	n.height = 1 + max(a.height(yes), a.height(no))
	return a.node(n), true
}

// height is the number of choices after one another that a form may need.
func (a *analysis) height(f form) (n int) {
	for _, p := range f.parts {
		n = max(n, a.nodes[p.node].height)
	}
	return n
}

// newValue is the value that the action gives an application, over the state before, nil if it is
// not known: an update says nothing about points outside the declared ranges.
func (a *analysis) newValue(t *logic.Term) *logic.Term {
	u, ok := a.updates[t.Symbol]
	if !ok || t.Step != logic.Post {
		return nil
	}
	id := a.identity.Of(t)
	if value, ok := a.applied[id]; ok {
		return value
	}
	with := map[*logic.Var]*logic.Term{}
	known := true
	for i, v := range u.Vars {
		arg, sort := t.Args[i], t.Symbol.Args[i]
		if sort.Kind == logic.KindRange &&
			(arg.Op != logic.OpVar || !logic.SameSort(arg.Var.Sort, sort)) {
			known = false
		}
		if v.Sort.Kind == logic.KindRange && !logic.SameSort(v.Sort, sort) {
			known = false
		}
		with[v] = arg
	}
	var value *logic.Term
	if known {
		value = expand(u.Value, with)
	}
	a.applied[id] = value
	return value
}

// expand replaces variables, and names by their values, which the result shares. It gives nil where
// a variable would be captured, or a name has two values.
func expand(t *logic.Term, with map[*logic.Var]*logic.Term) *logic.Term {
	e := &expander{with: with, bound: map[*logic.Var]bool{}, done: map[*logic.Term]*logic.Term{}}
	var free []*logic.Var
	for _, arg := range with {
		free = append(free, logic.FreeVars(arg)...)
	}
	out := e.term(t)
	if e.failed || slices.ContainsFunc(free, func(v *logic.Var) bool { return e.bound[v] }) {
		return nil
	}
	return out
}

type expander struct {
	with   map[*logic.Var]*logic.Term
	bound  map[*logic.Var]bool // by quantifiers or names
	done   map[*logic.Term]*logic.Term
	failed bool
}

func (e *expander) term(t *logic.Term) *logic.Term {
	if t.Op == logic.OpVar {
		if value, ok := e.with[t.Var]; ok {
			return value
		}
		return t
	}
	if len(t.Args) == 0 || e.failed {
		return t
	}
	if out, ok := e.done[t]; ok {
		return out
	}
	for _, v := range t.Vars {
		_, twice := e.with[v]
		e.failed = e.failed || twice || e.bound[v]
		e.bound[v] = true
	}
	var out *logic.Term
	if t.Op == logic.OpLet {
		e.with[t.Vars[0]] = e.term(t.Args[0])
		out = e.term(t.Args[1])
	} else {
		out = logic.MapArgs(t, e.term)
	}
	e.done[t] = out
	return out
}

// limitsOf gives forms that are at most 0 on one side of a choice.
func (a *analysis) limitsOf(b branch) []form {
	out, ok := a.limits[b]
	if !ok {
		out = a.limitsIn(a.conds[b.cond], b.holds)
		a.limits[b] = out
	}
	return out
}

// limitsIn gives forms that are at most 0 where a formula is true, or where it is false.
func (a *analysis) limitsIn(t *logic.Term, holds bool) (out []form) {
	for t, holds := range logic.Entailed(t, holds) {
		out = append(out, a.limitsOfLiteral(t, holds)...)
	}
	return out
}

func (a *analysis) limitsOfLiteral(t *logic.Term, holds bool) []form {
	if !t.ComparesIntegers() {
		return nil
	}
	f, ok := a.linear(logic.Sub(t.Args[0], t.Args[1]))
	back, fine := form{}.add(-1, f)
	if !ok || !fine {
		return nil
	}
	switch {
	case t.Op == logic.OpEq && holds:
		return []form{f, back}
	case t.Op == logic.OpEq:
		return nil
	case !holds:
		f = back
	}
	if strict := t.Op == logic.OpLt; strict == holds { // f < 0
		f, ok = f.add(1, form{number: 1})
	}
	if !ok {
		return nil
	}
	return []form{f}
}
