package types

import "erelong.dev/erelong/internal/front/tla/core"

// operator is the type of a built-in operator applied.
func (t *Typing) operator(n *core.Operator) *Type {
	elem := &Type{}
	set, seq := at(n, Set, elem), at(n, Sequence, elem)
	switch n.Name {
	case "+", "-", "*", "^", `\div`, "%", "-.":
		t.all(n, Int)
		return at(n, Int)
	case "<", ">", "<=", ">=":
		t.all(n, Int)
		return at(n, Bool)
	case "..":
		t.all(n, Int)
		return at(n, Set, t.ranged(n))
	case `\union`, `\intersect`, `\`:
		t.intoSet(n.Args[0], elem, n)
		t.intoSet(n.Args[1], elem, n)
		return set
	case `\subseteq`:
		t.intoSet(n.Args[0], elem, n)
		t.intoSet(n.Args[1], elem, n)
		return at(n, Bool)
	case "SUBSET":
		t.intoSet(n.Args[0], elem, n)
		return at(n, Set, set)
	case "UNION":
		t.intoSet(n.Args[0], set, n)
		return set
	case "{}":
		for _, a := range n.Args {
			t.into(a, elem, a)
		}
		return set
	case "IsFiniteSet":
		t.needs(n.Args[0], set, n)
		return at(n, Bool)
	case "Cardinality":
		t.needs(n.Args[0], set, n)
		return at(n, Int)
	case "Seq":
		t.intoSet(n.Args[0], elem, n)
		return at(n, Set, seq)
	case "Len":
		t.needs(n.Args[0], seq, n)
		return at(n, Int)
	case "Head":
		t.needs(n.Args[0], seq, n)
		return elem
	case "Tail":
		t.needs(n.Args[0], seq, n)
		return seq
	case "Append":
		t.needs(n.Args[0], seq, n)
		t.into(n.Args[1], elem, n.Args[1])
		return seq
	case "SelectSeq":
		t.needs(n.Args[0], seq, n)
		if test, ok := n.Args[1].(*core.Abstraction); ok {
			t.bind(test, []*Type{elem})
			t.is(test.Body, Bool)
		}
		return seq
	case `\o`:
		t.needs(n.Args[0], seq, n)
		t.needs(n.Args[1], seq, n)
		return seq
	case "SubSeq":
		t.needs(n.Args[0], seq, n)
		t.is(n.Args[1], Int)
		t.is(n.Args[2], Int)
		return seq
	}
	return t.mapping(n)
}

// application is the type of a constant operator applied: it has one for all of its uses.
func (t *Typing) application(n *core.Application) *Type {
	op := t.operators[n.Name]
	if op == nil {
		op = &Operator{Result: &Type{}}
		for range n.Args {
			op.Args = append(op.Args, &Type{})
		}
		t.operators[n.Name] = op
	}
	for i, a := range n.Args {
		t.into(a, op.Args[i], a)
	}
	return op.Result
}

// fold is the type of a fold: of its base, and of what its operator gives.
func fold(t *Typing, n *core.Operator) *Type {
	so, elem := &Type{}, &Type{}
	t.needs(n.Args[2], at(n, Sequence, elem), n)
	t.into(n.Args[1], so, n.Args[1])
	if op, ok := n.Args[0].(*core.Abstraction); ok {
		t.bind(op, []*Type{so, elem})
		t.into(op.Body, so, op.Body)
	}
	return so
}

// mapping is the type of an operator on functions, sequences and tuples.
func (t *Typing) mapping(n *core.Operator) *Type {
	switch n.Name {
	case "FoldLeft", "Folded":
		return fold(t, n)
	case "SetToSeq", "Listed":
		elem := &Type{}
		t.needs(n.Args[0], at(n, Set, elem), n)
		return at(n, Sequence, elem)
	case "[]":
		return t.index(t.node(n.Args[0]), n.Args[1], n)
	case "<<>>":
		return t.tuple(n)
	case `\X`:
		var parts []*Type
		for _, a := range n.Args {
			p := &Type{}
			t.intoSet(a, p, a)
			parts = append(parts, p)
		}
		return at(n, Set, at(n, Tuple, parts...))
	case "->":
		key, elem := &Type{}, &Type{}
		t.intoSet(n.Args[0], key, n.Args[0])
		t.intoSet(n.Args[1], elem, n.Args[1])
		return at(n, Set, at(n, Map, key, elem))
	case "DOMAIN":
		return t.domain(n)
	case ":>":
		key, elem := &Type{}, &Type{}
		t.into(n.Args[0], key, n.Args[0])
		t.into(n.Args[1], elem, n.Args[1])
		return at(n, Map, key, elem)
	case "@@":
		out := at(n, Map, &Type{}, &Type{})
		t.needs(n.Args[0], out, n)
		t.needs(n.Args[1], out, n)
		return out
	}
	t.fail(n.Span(), "the operator %s is not translated", n.Name)
	return nil
}

// all gives all arguments of an operator a type of a kind.
func (t *Typing) all(n *core.Operator, k Kind) {
	for _, a := range n.Args {
		t.is(a, k)
	}
}

// tuple is the type of a tuple as it is written: a sequence, or with two parts or more a tuple.
func (t *Typing) tuple(n *core.Operator) *Type {
	var parts []*Type
	for _, a := range n.Args {
		p := &Type{}
		t.into(a, p, a)
		parts = append(parts, p)
	}
	out := &Type{}
	sequence := func(f *Type) {
		elem := &Type{}
		t.same(f, at(n, Sequence, elem), n)
		for i, p := range parts {
			t.same(elem, p, n.Args[i])
		}
	}
	t.when(out, nil, func(f *Type) {
		if f.kind != Tuple {
			sequence(f)
			return
		}
		t.same(f, at(n, Tuple, parts...), n)
	}, func(f *Type) {
		if !(summing{t}).tuples(f, len(parts)) {
			sequence(f)
			return
		}
		t.same(f, at(n, Tuple, parts...), n)
	})
	if k := len(t.pending); k > 0 && t.pending[k-1].of == out {
		t.pending[k-1].says = 2
		if len(parts) > 1 {
			t.pending[k-1].says = 1
		}
	}
	return out
}

func (t *Typing) domain(n *core.Operator) *Type {
	key := &Type{}
	functional := func(f *Type) { t.same(f, at(n, Map, key, &Type{}), n) }
	t.when(t.node(n.Args[0]), nil, func(f *Type) {
		switch f.kind {
		case Sequence:
			t.same(key, at(n, Int), n)
		case Map:
			functional(f)
		default:
			t.fail(n.Span(), "the DOMAIN of %s is not translated", f)
		}
	}, functional)
	return at(n, Set, key)
}
