package eval

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// unary and binary are the operators that are functions of the values of their arguments.
var unary = map[string]func(m *Machine, a *value.Value) *value.Value{
	"SUBSET": func(_ *Machine, a *value.Value) *value.Value { return value.SubsetOf(a) },
	"UNION":  func(_ *Machine, a *value.Value) *value.Value { return value.BigUnion(a) },
	"DOMAIN": func(_ *Machine, a *value.Value) *value.Value { return value.Domain(a) },
	"Seq":    func(_ *Machine, a *value.Value) *value.Value { return value.SequencesOf(a) },
	"Len": func(m *Machine, a *value.Value) *value.Value {
		if a.Kind() == value.String {
			return m.Space.Int(int64(len(a.Text())))
		}
		return m.Space.Int(int64(len(a.Elems())))
	},
	"Head": func(_ *Machine, a *value.Value) *value.Value {
		e := a.Elems()
		if len(e) == 0 {
			panic(&value.Error{Message: "the empty sequence has no Head"})
		}
		return e[0]
	},
	"Tail": func(m *Machine, a *value.Value) *value.Value {
		if len(a.Elems()) == 0 {
			panic(&value.Error{Message: "the empty sequence has no Tail"})
		}
		return m.make(opTail, func() *value.Value {
			return value.Part(a, 2, int64(len(a.Elems())))
		}, a)
	},
	"Cardinality": func(m *Machine, a *value.Value) *value.Value {
		return m.Space.Int(value.Size(a))
	},
	"SetToSeq":     func(_ *Machine, a *value.Value) *value.Value { return listed(a) },
	"Listed":       func(_ *Machine, a *value.Value) *value.Value { return listed(a) },
	"Permutations": func(m *Machine, a *value.Value) *value.Value { return permutations(a) },
	"ToString": func(m *Machine, a *value.Value) *value.Value {
		return m.Space.String(a.String())
	},
	"RingPoint": ringPoint,
	"JsonFile":  jsonFile,
	"JsonLines": jsonLines,
	"Number":    number,
	"Few":       few,
	"TLCEval":   func(m *Machine, a *value.Value) *value.Value { return a.Forced() },
	"PrintT": func(m *Machine, a *value.Value) *value.Value {
		m.print(a)
		return m.Space.True
	},
	"RandomElement": func(_ *Machine, a *value.Value) *value.Value {
		panic(&value.Error{Message: "RandomElement is not supported: a verdict would depend on " +
			"chance"})
	},
	"TLCGet": func(m *Machine, a *value.Value) *value.Value { return m.get(a) },
}

var binary = map[string]func(m *Machine, a, b *value.Value) *value.Value{
	`\union`:     remembered(opCup, value.Cup),
	`\intersect`: remembered(opCap, value.Cap),
	`\`:          remembered(opMinus, value.Minus),
	"->": func(_ *Machine, a, b *value.Value) *value.Value {
		return value.FunctionsOf(a, b)
	},
	"[]": func(_ *Machine, a, b *value.Value) *value.Value { return value.Apply(a, b) },
	"..": func(m *Machine, a, b *value.Value) *value.Value {
		return m.Space.Range(a, b)
	},
	`\o`: func(m *Machine, a, b *value.Value) *value.Value {
		if a.Kind() == value.String {
			return m.Space.String(a.Text() + b.Text())
		}
		return concat(m, a, b)
	},
	"Append": remembered(opAppend, value.Append),
	"SubsetsOf": func(m *Machine, k, s *value.Value) *value.Value {
		return value.Keep(value.SubsetOf(s), func(t *value.Value) bool {
			m.turn()
			return value.Size(t) == k.Int()
		})
	},
	":>": func(_ *Machine, a, b *value.Value) *value.Value {
		return value.FunctionOf(value.SetOf(a), []*value.Value{b})
	},
	"@@": func(_ *Machine, a, b *value.Value) *value.Value { return value.Merge(a, b) },
	"Print": func(m *Machine, a, b *value.Value) *value.Value {
		m.print(a, b)
		return b
	},
	"TLCSet": func(m *Machine, _, _ *value.Value) *value.Value { return m.Space.True },
	"Assert": func(m *Machine, a, b *value.Value) *value.Value {
		if !a.Truth() {
			panic(&value.Error{Message: "the assertion fails: " + b.String()})
		}
		return m.Space.True
	},
}

var concat = remembered(opConcat, value.Concat)

// remembered is an operation whose results a machine remembers.
func remembered(
	op uint32, f func(a, b *value.Value) *value.Value,
) func(m *Machine, a, b *value.Value) *value.Value {
	return func(m *Machine, a, b *value.Value) *value.Value {
		return m.make(op, func() *value.Value { return f(a, b) }, a, b)
	}
}

// operator is the code of a built-in operator.
func (c *compiler) operator(n *core.Operator) Code {
	at, space := n.Span(), c.Space
	if i := c.arithmetic(n); i != nil {
		return i.code(space)
	}
	if t := c.comparison(n); t != nil {
		return func(m *Machine) *value.Value { return space.Bool(t(m)) }
	}
	switch n.Name {
	case "SelectSeq":
		return sequences{c}.selectSeq(n)
	case "SortSeq", "SortedSeq":
		return sequences{c}.sortSeq(n)
	case "FoldLeft", "Folded":
		return sequences{c}.fold(n)
	case "UNION":
		if parts := setOfSets(n.Args[0]); len(parts) > 0 {
			return c.union(parts, n)
		}
	case "Any":
		return func(*Machine) *value.Value { return value.AnythingOf() }
	}
	if f := unary[n.Name]; f != nil {
		a := c.code(n.Args[0])
		return func(m *Machine) *value.Value {
			x := a(m)
			m.where = &at
			return f(m, x)
		}
	}
	if n.Name == `\union` {
		if one := setOfSets(n.Args[1]); len(one) == 1 {
			return c.with(n, one[0])
		}
	}
	if f := binary[n.Name]; f != nil {
		a, b := c.code(n.Args[0]), c.code(n.Args[1])
		return func(m *Machine) *value.Value {
			x := a(m)
			y := b(m)
			m.where = &at
			return f(m, x, y)
		}
	}
	args := c.all(n.Args)
	switch n.Name {
	case "<<>>":
		return c.making(args, value.TupleOf)
	case "{}":
		if len(args) == 0 {
			return func(*Machine) *value.Value { return space.EmptySet }
		}
		return c.making(args, value.SetOf)
	case `\X`:
		return func(m *Machine) *value.Value { return value.ProductOf(m.list(args)...) }
	case "SubSeq":
		return func(m *Machine) *value.Value {
			vs := m.list(args)
			m.where = &at
			from, to := vs[1].Int(), vs[2].Int()
			if vs[0].Kind() != value.String {
				return value.Part(vs[0], from, to)
			}
			if text := vs[0].Text(); from > to {
				return space.String("")
			} else if from < 1 || to > int64(len(text)) {
				m.fail(&at, fmt.Sprintf("%d..%d is not within the string %s", from, to, vs[0]))
			} else {
				return space.String(text[from-1 : to])
			}
			return nil
		}
	}
	name := n.Name
	return func(m *Machine) *value.Value {
		m.fail(&at, name+" is not supported")
		return nil
	}
}

// making makes a value of the values of some nodes.
func (c *compiler) making(args []Code, f func(vs ...*value.Value) *value.Value) Code {
	site := c.site()
	return func(m *Machine) *value.Value {
		var room [mostArgs]*value.Value
		vs := m.listIn(args, room[:0])
		return m.make(site, func() *value.Value { return f(slices.Clone(vs)...) }, vs...)
	}
}

// with is a set with one more element.
func (c *compiler) with(n *core.Operator, elem core.Node) Code {
	set, x, at := c.code(n.Args[0]), c.code(elem), n.Span()
	return func(m *Machine) *value.Value {
		s, e := set(m), x(m)
		m.where = &at
		if !s.IsSet() || s.Kind() > value.Interval {
			return value.Cup(s, value.SetOf(e))
		}
		return m.make(opWith, func() *value.Value {
			if m.forgets || !haveNumbers(s, e) {
				return value.With(s, e)
			}
			return m.Space.With(s, e)
		}, s, e)
	}
}

// sequences compiles the operators that apply an operator to elements.
type sequences struct{ *compiler }

// abstraction is an operator as a function of values.
func (c sequences) abstraction(
	n core.Node,
) (bind func(m *Machine, args ...*value.Value), _ core.Node) {
	a := n.(*core.Abstraction)
	return func(m *Machine, args ...*value.Value) {
		for i, s := range a.Slots {
			m.frame[s] = slot{value: args[i]}
		}
	}, a.Body
}

// elements are the elements of the sequence that an argument of an operator is.
func (c sequences) elements(n *core.Operator, arg int) func(m *Machine) []*value.Value {
	s, at := c.code(n.Args[arg]), n.Span()
	return func(m *Machine) []*value.Value {
		v := s(m)
		m.where = &at
		return v.Elems()
	}
}

func (c sequences) selectSeq(n *core.Operator) Code {
	elems := c.elements(n, 0)
	bind, body := c.abstraction(n.Args[1])
	test := c.test(body)
	return func(m *Machine) *value.Value {
		var out []*value.Value
		for _, e := range elems(m) {
			bind(m, e)
			if test(m) {
				out = append(out, e)
			}
		}
		return value.TupleOf(out...)
	}
}

func (c sequences) sortSeq(n *core.Operator) Code {
	elems := c.elements(n, 0)
	bind, body := c.abstraction(n.Args[1])
	less := c.test(body)
	return func(m *Machine) *value.Value {
		out := slices.Clone(elems(m))
		slices.SortStableFunc(out, func(a, b *value.Value) int {
			if bind(m, a, b); less(m) {
				return -1
			}
			if bind(m, b, a); less(m) {
				return 1
			}
			return 0
		})
		return value.TupleOf(out...)
	}
}

// setOfSets are the elements of a set that is listed; nil for any other.
func setOfSets(n core.Node) []core.Node {
	if s, ok := n.(*core.Shared); ok {
		n = s.Value
	}
	if o, ok := n.(*core.Operator); ok && o.Name == "{}" {
		return o.Args
	}
	return nil
}

// union is the union of some sets, which may be infinite.
func (c *compiler) union(parts []core.Node, n core.Node) Code {
	sets, at := c.all(parts), n.Span()
	return func(m *Machine) *value.Value {
		out := sets[0](m)
		if !out.IsSet() {
			m.fail(&at, out.String()+" is not a set")
		}
		for _, s := range sets[1:] {
			next := s(m)
			m.where = &at
			out = value.Cup(out, next)
		}
		return out
	}
}

// listed are the elements of a set in the order of values.
func listed(s *value.Value) *value.Value {
	if !s.IsSet() {
		panic(&value.Error{Message: s.String() + " is not a set"})
	}
	return value.TupleOf(slices.Clone(s.Sorted())...)
}

// fold applies an operator to a value so far and each element of a sequence.
func (c sequences) fold(n *core.Operator) Code {
	bind, body := c.abstraction(n.Args[0])
	op, base, elems := c.code(body), c.code(n.Args[1]), c.elements(n, 2)
	return func(m *Machine) *value.Value {
		acc := base(m)
		for _, e := range elems(m) {
			bind(m, acc, e)
			acc = op(m)
		}
		return acc
	}
}

// permutations are the bijections of a set.
func permutations(s *value.Value) *value.Value {
	d := s.Forced()
	elems := d.Listed()
	var out []*value.Value
	perm := slices.Clone(elems)
	var place func(i int)
	place = func(i int) {
		if i == len(perm) {
			out = append(out, value.FunctionOf(d, slices.Clone(perm)))
			return
		}
		for k := i; k < len(perm); k++ {
			perm[i], perm[k] = perm[k], perm[i]
			place(i + 1)
			perm[i], perm[k] = perm[k], perm[i]
		}
	}
	place(0)
	return value.SetOf(out...)
}
