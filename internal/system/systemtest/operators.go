package systemtest

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Claim is a formula over the only initial state of a system, with its value there.
type Claim struct {
	Op    logic.Op // occurs in it
	Term  *logic.Term
	Value bool
}

// Operators makes a system with one initial state, and for each operator of logic some formulas
// with the operator. The formulas are also the safety properties of the system, in this order. The
// value of an integer is compared with numbers next to it, so each formula hangs on the exact
// value.
//
// Whatever evaluates, compiles, prints or rewrites terms is compared with these values. A new
// operator has no entry in the table of makers, and Operators fails until it has one; then each
// evaluator fails until it knows the operator. A language that lacks an operator names it.
func Operators(rng *rand.Rand, each int, lacks ...logic.Op) (*system.System, []Claim, error) {
	o := newOperators(rng, lacks)
	var claims []Claim
	for _, op := range logic.Ops() {
		if op.IsTemporal() || slices.Contains(lacks, op) {
			continue
		}
		if o.make[op] == nil {
			return nil, nil, fmt.Errorf("no terms are generated for operator %d of logic", op)
		}
		for range each {
			for _, e := range o.claims(o.make[op](o, o.sortFor(op), 2)) {
				claims = append(claims, Claim{op, e.term, e.of(nil) == 1})
			}
		}
	}
	for i, c := range claims {
		o.sys.Properties = append(o.sys.Properties, &system.Property{
			Name: fmt.Sprintf("p%d", i), Kind: system.Safety, Term: c.Term})
	}
	if err := system.Validate(o.sys); err != nil {
		return nil, nil, fmt.Errorf("generated formulas: %w", err)
	}
	return o.sys, claims, nil
}

// Text writes a system of Operators as a specification.
func Text(sys *system.System) string {
	var b strings.Builder
	for _, s := range sys.Sorts {
		if s.Kind == logic.KindEnum {
			fmt.Fprintf(&b, "enum %s { %s }\n", s.Name, strings.Join(s.Members, ", "))
		} else {
			fmt.Fprintf(&b, "sort %s\n", s.Name)
		}
	}
	for _, s := range sys.Symbols {
		word := "immutable"
		if s.Mutable {
			word = "mutable"
		}
		fmt.Fprintf(&b, "%s %s %s\n", word, s.Kind, s.Signature())
	}
	for _, f := range sys.Axioms {
		fmt.Fprintf(&b, "axiom %s\n", f.Term)
	}
	for _, f := range sys.Inits {
		fmt.Fprintf(&b, "init %s\n", f.Term)
	}
	for _, p := range sys.Properties {
		fmt.Fprintf(&b, "safety [%s] %s\n", p.Name, p.Term)
	}
	fmt.Fprintf(&b, "instance small { node = %d, limit = %d }\n", nodes, limit)
	return b.String()
}

// expression is a term with its meaning: a function that does not look at the term.
type expression struct {
	term *logic.Term
	of   func(bindings) int
}

type bindings map[*logic.Var]int

func (b bindings) with(v *logic.Var, x int) bindings {
	out := bindings{v: x}
	for u, y := range b {
		if u != v {
			out[u] = y
		}
	}
	return out
}

// operations generates expressions over a fixed vocabulary with random values.
type operations struct {
	*rand.Rand
	sys                *system.System
	node, colour, wide *logic.Sort
	small              *logic.Sort // 0..limit
	symbols            map[*logic.Sort][]symbol
	scope              []*logic.Var
	make               map[logic.Op]maker
}

// symbol is a symbol and its value at each argument.
type symbol struct {
	*logic.Symbol
	values []int
}

const (
	nodes = 3
	limit = 2
	far   = 9 // numbers lie between -far and far
)

func newOperators(rng *rand.Rand, lacks []logic.Op) *operations {
	o := &operations{Rand: rng, symbols: map[*logic.Sort][]symbol{}, make: makers()}
	for _, op := range lacks {
		delete(o.make, op)
	}
	o.node = &logic.Sort{Kind: logic.KindUninterpreted, Name: "node"}
	o.colour = &logic.Sort{Kind: logic.KindEnum, Name: "colour",
		Members: []string{"red", "green", "blue"}}
	bound := &logic.Symbol{Name: "limit", Kind: logic.Constant, Result: logic.Int}
	o.small = &logic.Sort{Kind: logic.KindRange, Name: "0..limit", Lo: logic.IntLit(0),
		Hi: logic.App(bound, logic.Pre)}
	o.wide = &logic.Sort{Kind: logic.KindRange, Name: "-9..9", Lo: logic.IntLit(-far),
		Hi: logic.IntLit(far)}
	in := &system.Instance{Name: "small", Sizes: map[*logic.Sort]int{o.node: nodes},
		Values: map[*logic.Symbol]*logic.Term{bound: logic.IntLit(limit)}}
	o.sys = &system.System{Name: "operators", Sorts: []*logic.Sort{o.node, o.colour},
		Symbols: []*logic.Symbol{bound}, Instances: []*system.Instance{in}}
	o.symbols[logic.Int] = []symbol{{bound, []int{limit}}}
	o.elements()
	for _, s := range []struct {
		name   string
		result *logic.Sort
		args   []*logic.Sort
	}{
		{"n", o.wide, nil}, {"f", o.wide, []*logic.Sort{o.node}},
		{"at", o.wide, []*logic.Sort{o.small}}, {"c", o.colour, nil},
		{"paint", o.colour, []*logic.Sort{o.node}}, {"p", logic.Bool, nil},
		{"r", logic.Bool, []*logic.Sort{o.node}}, {"q", logic.Bool, []*logic.Sort{o.colour}},
	} {
		// Mod brings a number into the range of an argument.
		if s.name != "at" || o.make[logic.OpMod] != nil {
			o.declare(s.name, s.result, s.args)
		}
	}
	return o
}

// elements names the nodes by constants. They are different, and all there are, so that the state
// is the only one up to the names of elements.
func (o *operations) elements() {
	x := &logic.Var{Name: "X", Sort: o.node}
	var all, one []*logic.Term
	for i := range nodes {
		s := &logic.Symbol{Name: fmt.Sprint("e", i), Kind: logic.Constant, Result: o.node}
		o.sys.Symbols = append(o.sys.Symbols, s)
		o.symbols[o.node] = append(o.symbols[o.node], symbol{s, []int{i}})
		all = append(all, logic.App(s, logic.Pre))
		one = append(one, logic.Eq(logic.Ref(x), all[i]))
	}
	o.sys.Axioms = []*system.Formula{{Term: logic.Distinct(all...)},
		{Term: logic.Forall([]*logic.Var{x}, logic.Or(one...))}}
}

func (o *operations) declare(name string, result *logic.Sort, args []*logic.Sort) {
	s := symbol{&logic.Symbol{Name: name, Kind: logic.Function, Args: args, Result: result,
		Mutable: true}, nil}
	switch {
	case result == logic.Bool:
		s.Kind = logic.Relation
	case len(args) == 0:
		s.Kind = logic.Constant
	}
	o.sys.Symbols = append(o.sys.Symbols, s.Symbol)
	n := 1
	for _, a := range args {
		n *= o.count(a)
	}
	for i := range n {
		x := o.random(result)
		s.values = append(s.values, x)
		var at []*logic.Term
		for _, a := range args {
			at = append(at, o.literal(a, i))
		}
		o.sys.Inits = append(o.sys.Inits, &system.Formula{Name: fmt.Sprintf("init_%s%d", name, i),
			Term: logic.Eq(logic.App(s.Symbol, logic.Pre, at...), o.literal(result, x))})
	}
	o.symbols[result.Base()] = append(o.symbols[result.Base()], s)
}

// count is the number of values of a sort. The values of -9..9 begin at -9, of all others at 0.
func (o *operations) count(s *logic.Sort) int {
	switch s {
	case logic.Bool:
		return 2
	case o.small:
		return limit + 1
	case o.wide:
		return 2*far + 1
	}
	return 3
}

func (o *operations) least(s *logic.Sort) int {
	if s == o.wide {
		return -far
	}
	return 0
}

func (o *operations) random(s *logic.Sort) int { return o.least(s) + o.Intn(o.count(s)) }

func (o *operations) literal(s *logic.Sort, x int) *logic.Term {
	if s == o.node {
		return logic.App(o.symbols[o.node][x].Symbol, logic.Pre)
	}
	return logic.Literal(s, int64(x))
}

// sortFor picks a sort that the operator gives.
func (o *operations) sortFor(op logic.Op) *logic.Sort {
	var all []*logic.Sort
	for i := range sortsOf {
		if s := o.sort(i); o.gives(op, s) {
			all = append(all, s)
		}
	}
	return all[o.Intn(len(all))]
}

// sorts of terms, by their numbers.
const sortsOf = 4

func (o *operations) sort(i int) *logic.Sort {
	return []*logic.Sort{logic.Bool, logic.Int, o.node, o.colour}[i]
}

// gives reports whether an operator can give a sort.
func (o *operations) gives(op logic.Op, s *logic.Sort) bool {
	if sig, ok := op.Signature(); ok {
		return s == sig.Result
	}
	return op != logic.OpMember || s == o.colour
}

// term is an expression of a sort with any operator.
func (o *operations) term(s *logic.Sort, depth int) expression {
	for {
		op := logic.Ops()[o.Intn(len(logic.Ops()))]
		leaf := op == logic.OpInt || op == logic.OpMember || op == logic.OpApp ||
			op == logic.OpTrue || op == logic.OpFalse
		if o.make[op] != nil && o.gives(op, s) && (depth > 0 || leaf) {
			return o.make[op](o, s, depth-1)
		}
	}
}

// claims states what the value of an expression is.
func (o *operations) claims(e expression) []expression {
	x := e.of(nil)
	compare := func(t *logic.Term, value bool) expression {
		return expression{t, func(bindings) int { return truth(value) }}
	}
	switch e.term.Sort {
	case logic.Bool:
		return []expression{e}
	case logic.Int:
		at := func(n int) *logic.Term { return logic.IntLit(int64(n)) }
		return []expression{
			compare(logic.Eq(e.term, at(x)), true), compare(logic.Lt(e.term, at(x)), false),
			compare(logic.Le(e.term, at(x)), true), compare(logic.Le(at(x+1), e.term), false),
			compare(logic.Lt(at(x-1), e.term), true),
		}
	}
	return []expression{compare(logic.Eq(e.term, o.literal(e.term.Sort, x)), true),
		compare(logic.Eq(e.term, o.literal(e.term.Sort, (x+1)%3)), false)}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
