package system

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
)

// mostCodes bounds the values of a type of which an instance has codes.
const mostCodes = 4096

// listCodes gives each sort of codes one element for each value of its type, and says what this
// value is, at each point of the symbols that hold its parts. Where a value has no part, a symbol
// has its usual value.
func listCodes(s *System, in *Instance) error {
	if len(s.Coded) == 0 || s.View == nil {
		return nil
	}
	l := &lister{sys: s, in: in, begun: map[string]bool{}}
	for _, c := range s.View.Codes {
		if err := l.list(c); err != nil {
			return err
		}
	}
	return nil
}

// lister lists the values of types in an instance.
type lister struct {
	sys   *System
	in    *Instance
	begun map[string]bool // the sorts of codes that are listed
	err   error
}

// fact is the value of a symbol at a point, without the code that the point begins with.
type fact struct {
	symbol *logic.Symbol
	point  []*logic.Term
	value  *logic.Term
}

// way is one of the values of a type, as facts.
type way []fact

func (l *lister) list(c *result.CodeSort) error {
	if l.begun[c.Sort] {
		return nil
	}
	l.begun[c.Sort] = true
	i := slices.IndexFunc(l.sys.Coded, func(s *logic.Sort) bool { return s.Name == c.Sort })
	if i < 0 {
		return nil
	}
	sort := l.sys.Coded[i]
	ways := l.ways(c.Shape, nil)
	if l.err != nil {
		return &ListError{fmt.Sprintf("the values that %s stands for cannot be listed: %v", c.Sort,
			l.err)}
	}
	l.in.Sizes[sort] = len(ways)
	var facts []*logic.Term
	for i, w := range ways {
		for _, f := range w {
			args := append([]*logic.Term{logic.Member(sort, i)}, f.point...)
			x := logic.App(f.symbol, logic.Pre, args...)
			if f.symbol.Result == logic.Bool {
				facts = append(facts, logic.Iff(x, f.value))
			} else {
				facts = append(facts, logic.Eq(x, f.value))
			}
		}
	}
	l.in.Facts = append(slices.Clip(l.in.Facts), &Formula{Name: c.Sort, Term: logic.And(facts...)})
	return nil
}

// symbol finds a symbol by its name.
func (l *lister) symbol(name string) *logic.Symbol {
	s := SymbolOf(l.sys, name)
	if s == nil {
		l.fail(fmt.Errorf("there is no symbol %s", name))
		return &logic.Symbol{Name: name, Result: logic.Bool}
	}
	return s
}

func (l *lister) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

// elements lists the elements of a sort.
func (l *lister) elements(s *logic.Sort) (out []*logic.Term) {
	switch s.Kind {
	case logic.KindUninterpreted:
		for _, c := range l.sys.View.Codes {
			if c.Sort == s.Name {
				if err := l.list(c); err != nil {
					l.fail(err)
				}
			}
		}
		for i := range l.in.Sizes[s] {
			out = append(out, logic.Member(s, i))
		}
	case logic.KindEnum:
		for i := range s.Members {
			out = append(out, logic.Member(s, i))
		}
	case logic.KindRange:
		lo, first := fixedValue(s.Lo, l.in)
		hi, last := fixedValue(s.Hi, l.in)
		switch {
		case !first || !last:
			l.fail(fmt.Errorf("the instance does not fix the ends of %s", s))
		case hi-lo >= mostCodes:
			l.fail(fmt.Errorf("%s has more than %d values", s, mostCodes))
		default:
			for i := lo; i <= hi; i++ {
				out = append(out, logic.IntLit(i))
			}
		}
	default:
		if s != logic.Bool {
			l.fail(fmt.Errorf("%s has infinitely many values", s))
			return nil
		}
		return []*logic.Term{logic.False, logic.True}
	}
	return out
}

// ways lists the values of a shape at a point.
func (l *lister) ways(s *result.Shape, point []*logic.Term) []way {
	if l.err != nil {
		return nil
	}
	switch s.Form {
	case result.Record, result.Tuple:
		return l.product(s.Parts, point)
	case result.Option:
		some := l.symbol(s.Leaf)
		none := append(way{{some, point, logic.False}}, l.usual(s.Parts[0], point)...)
		return append([]way{none},
			l.after(way{{some, point, logic.True}}, l.ways(s.Parts[0], point))...)
	case result.Variant:
		return l.variants(s, point)
	case result.Set, result.Map:
		return l.entries(s, point)
	case result.Seq:
		return l.sequences(s, point)
	}
	leaf := l.symbol(s.Leaf)
	var out []way
	for _, v := range l.elements(leaf.Result) {
		out = append(out, way{{leaf, point, v}})
	}
	return out
}

// after lists ways that begin with some facts.
func (l *lister) after(first way, ways []way) []way {
	out := make([]way, len(ways))
	for i, w := range ways {
		out[i] = append(slices.Clip(first), w...)
	}
	return out
}

// both lists all ways that go on with one of others.
func (l *lister) both(firsts, ways []way) (out []way) {
	if len(firsts)*len(ways) > mostCodes {
		l.fail(fmt.Errorf("there are more than %d", mostCodes))
		return nil
	}
	for _, f := range firsts {
		out = append(out, l.after(f, ways)...)
	}
	return out
}

func (l *lister) product(parts []*result.Shape, point []*logic.Term) []way {
	out := []way{nil}
	for _, p := range parts {
		out = l.both(out, l.ways(p, point))
	}
	return out
}

func (l *lister) variants(s *result.Shape, point []*logic.Term) (out []way) {
	tag := l.symbol(s.Leaf)
	for i, c := range s.Cases {
		k := slices.Index(tag.Result.Members, c.Member)
		first := way{{tag, point, logic.Member(tag.Result, k)}}
		for j, other := range s.Cases {
			if j != i {
				for _, p := range other.Parts {
					first = append(first, l.usual(p, point)...)
				}
			}
		}
		out = append(out, l.after(first, l.product(c.Parts, point))...)
	}
	return out
}

// points lists the points of a symbol behind a point.
func (l *lister) points(s *logic.Symbol, point []*logic.Term) [][]*logic.Term {
	out := [][]*logic.Term{point}
	for _, a := range s.Args[1+len(point):] {
		var next [][]*logic.Term
		for _, p := range out {
			for _, e := range l.elements(a) {
				next = append(next, append(slices.Clip(p), e))
			}
		}
		if out = next; len(out) > mostCodes {
			l.fail(fmt.Errorf("one of them may have more than %d parts", mostCodes))
			return nil
		}
	}
	return out
}

func (l *lister) entries(s *result.Shape, point []*logic.Term) []way {
	out := []way{nil}
	for _, e := range s.Elems {
		leaf := l.symbol(e.Leaf)
		for _, p := range l.points(leaf, point) {
			absent, present := way{{leaf, p, logic.False}}, []way{{{leaf, p, logic.True}}}
			if e.Value != nil {
				absent = append(absent, l.usual(e.Value, p)...)
				present = l.both(present, l.ways(e.Value, p))
			}
			out = l.both(out, append([]way{absent}, present...))
		}
	}
	return out
}

func (l *lister) sequences(s *result.Shape, point []*logic.Term) (out []way) {
	size := l.symbol(s.Leaf)
	sizes := l.elements(size.Result)
	for n := range sizes {
		ways := []way{{{size, point, logic.IntLit(int64(n))}}}
		for i := 1; i < len(sizes); i++ {
			at := append(slices.Clip(point), logic.IntLit(int64(i)))
			if i <= n {
				ways = l.both(ways, l.ways(s.Parts[0], at))
			} else {
				ways = l.both(ways, []way{l.usual(s.Parts[0], at)})
			}
		}
		if out = append(out, ways...); len(out) > mostCodes {
			l.fail(fmt.Errorf("there are more than %d", mostCodes))
			return nil
		}
	}
	return out
}

// usual is what stands at a point where there is no value.
func (l *lister) usual(s *result.Shape, point []*logic.Term) (out way) {
	switch s.Form {
	case result.Record, result.Tuple:
		for _, p := range s.Parts {
			out = append(out, l.usual(p, point)...)
		}
	case result.Option:
		out = append(way{{l.symbol(s.Leaf), point, logic.False}}, l.usual(s.Parts[0], point)...)
	case result.Variant:
		tag := l.symbol(s.Leaf)
		out = way{{tag, point, logic.Member(tag.Result,
			slices.Index(tag.Result.Members, s.Cases[0].Member))}}
		for _, c := range s.Cases {
			for _, p := range c.Parts {
				out = append(out, l.usual(p, point)...)
			}
		}
	case result.Set, result.Map:
		for _, e := range s.Elems {
			leaf := l.symbol(e.Leaf)
			for _, p := range l.points(leaf, point) {
				out = append(out, fact{leaf, p, logic.False})
				if e.Value != nil {
					out = append(out, l.usual(e.Value, p)...)
				}
			}
		}
	case result.Seq:
		size := l.symbol(s.Leaf)
		out = way{{size, point, logic.IntLit(0)}}
		for i := 1; i < len(l.elements(size.Result)); i++ {
			out = append(out, l.usual(s.Parts[0], append(slices.Clip(point),
				logic.IntLit(int64(i))))...)
		}
	default:
		leaf := l.symbol(s.Leaf)
		if all := l.elements(leaf.Result); len(all) > 0 {
			out = way{{leaf, point, all[0]}}
		}
	}
	return out
}
