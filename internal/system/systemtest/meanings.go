package systemtest

import (
	"fmt"

	"erelong.dev/erelong/internal/logic"
)

// maker makes an expression of a sort, whose parts have a depth.
type maker func(o *operations, s *logic.Sort, depth int) expression

// makers has one for each operator.
func makers() map[logic.Op]maker {
	out := map[logic.Op]maker{
		logic.OpTrue: constant(logic.True, 1), logic.OpFalse: constant(logic.False, 0),
		logic.OpInt: func(o *operations, _ *logic.Sort, _ int) expression {
			x := o.random(o.wide)
			return expression{logic.IntLit(int64(x)), func(bindings) int { return x }}
		},
		logic.OpMember: func(o *operations, _ *logic.Sort, _ int) expression {
			x := o.random(o.colour)
			return expression{logic.Member(o.colour, x), func(bindings) int { return x }}
		},
		logic.OpVar: (*operations).variable, logic.OpApp: (*operations).application,
		logic.OpIte: (*operations).choice, logic.OpLet: (*operations).let,
		logic.OpForall: func(o *operations, _ *logic.Sort, depth int) expression {
			return o.quantified(logic.OpForall, least, depth)
		},
		logic.OpExists: func(o *operations, _ *logic.Sort, depth int) expression {
			return o.quantified(logic.OpExists, most, depth)
		},
		logic.OpEq: compared(logic.OpEq, 2, func(x []int) int { return truth(x[0] == x[1]) }),
		logic.OpDistinct: compared(logic.OpDistinct, 3, func(x []int) int {
			return truth(x[0] != x[1] && (len(x) < 3 || x[0] != x[2] && x[1] != x[2]))
		}),
		logic.OpDiv: divided(logic.OpDiv, quotient),
		logic.OpMod: divided(logic.OpMod, func(x, by int) int { return x - by*quotient(x, by) }),
	}
	for _, s := range strict {
		out[s.op] = s.make
	}
	return out
}

// strictly is an operator whose value is a function of the values of its arguments.
type strictly struct {
	op          logic.Op
	result, arg *logic.Sort
	least, most int // arguments
	value       func(x []int) int
}

var strict = []strictly{
	{logic.OpNot, logic.Bool, logic.Bool, 1, 1, func(x []int) int { return 1 - x[0] }},
	{logic.OpAnd, logic.Bool, logic.Bool, 2, 3, least},
	{logic.OpOr, logic.Bool, logic.Bool, 2, 3, most},
	{logic.OpImplies, logic.Bool, logic.Bool, 2, 2, func(x []int) int {
		return truth(x[0] <= x[1])
	}},
	{logic.OpIff, logic.Bool, logic.Bool, 2, 2, func(x []int) int { return truth(x[0] == x[1]) }},
	{logic.OpLt, logic.Bool, logic.Int, 2, 2, func(x []int) int { return truth(x[0] < x[1]) }},
	{logic.OpLe, logic.Bool, logic.Int, 2, 2, func(x []int) int { return truth(x[0] <= x[1]) }},
	{logic.OpAdd, logic.Int, logic.Int, 2, 3, func(x []int) (sum int) {
		for _, n := range x {
			sum += n
		}
		return sum
	}},
	{logic.OpSub, logic.Int, logic.Int, 2, 2, func(x []int) int { return x[0] - x[1] }},
	{logic.OpMul, logic.Int, logic.Int, 2, 2, func(x []int) int { return x[0] * x[1] }},
	{logic.OpNeg, logic.Int, logic.Int, 1, 1, func(x []int) int { return -x[0] }},
}

func (s strictly) make(o *operations, _ *logic.Sort, depth int) expression {
	var parts []expression
	for range s.least + o.Intn(s.most-s.least+1) {
		parts = append(parts, o.term(s.arg, depth))
	}
	return compose(s.op, s.result, parts, s.value)
}

func compared(op logic.Op, most int, value func(x []int) int) maker {
	return func(o *operations, _ *logic.Sort, depth int) expression {
		sort := o.sort(1 + o.Intn(sortsOf-1))
		var parts []expression
		for range 2 + o.Intn(most-1) {
			parts = append(parts, o.term(sort, depth))
		}
		return compose(op, logic.Bool, parts, value)
	}
}

func constant(t *logic.Term, x int) maker {
	return func(*operations, *logic.Sort, int) expression {
		return expression{t, func(bindings) int { return x }}
	}
}

func divided(op logic.Op, value func(x, by int) int) maker {
	return func(o *operations, _ *logic.Sort, depth int) expression {
		a, by := o.term(logic.Int, depth), 1+o.Intn(4)
		return expression{raw(op, logic.Int, a.term, logic.IntLit(int64(by))),
			func(b bindings) int { return value(a.of(b), by) }}
	}
}

// raw is a term as written, without the simplifications of logic.
func raw(op logic.Op, result *logic.Sort, args ...*logic.Term) *logic.Term {
	return &logic.Term{Op: op, Sort: result, Args: args}
}

func compose(op logic.Op, result *logic.Sort, parts []expression,
	value func([]int) int) expression {
	var args []*logic.Term
	for _, p := range parts {
		args = append(args, p.term)
	}
	return expression{raw(op, result, args...), func(b bindings) int {
		var all []int
		for _, p := range parts {
			all = append(all, p.of(b))
		}
		return value(all)
	}}
}

func least(x []int) int {
	out := x[0]
	for _, n := range x {
		out = min(out, n)
	}
	return out
}

func most(x []int) int {
	out := x[0]
	for _, n := range x {
		out = max(out, n)
	}
	return out
}

// quotient counts.
func quotient(x, by int) (q int) {
	for ; q*by > x; q-- {
	}
	for ; (q+1)*by <= x; q++ {
	}
	return q
}

// variable is one in scope; where there is none, it is bound by a let around it.
func (o *operations) variable(s *logic.Sort, depth int) expression {
	var known []*logic.Var
	for _, v := range o.scope {
		if v.Sort.Base() == s {
			known = append(known, v)
		}
	}
	if len(known) == 0 {
		return o.let(s, depth)
	}
	v := known[o.Intn(len(known))]
	return expression{logic.Ref(v), func(b bindings) int { return b[v] }}
}

func (o *operations) application(s *logic.Sort, depth int) expression {
	all := o.symbols[s]
	sym := all[o.Intn(len(all))]
	if len(sym.Args) == 0 {
		return expression{logic.App(sym.Symbol, logic.Pre), func(bindings) int {
			return sym.values[0]
		}}
	}
	arg := o.argument(sym.Args[0], depth)
	return expression{logic.App(sym.Symbol, logic.Pre, arg.term), func(b bindings) int {
		return sym.values[arg.of(b)]
	}}
}

// argument is an expression whose value lies in a sort. A number is brought into its range.
func (o *operations) argument(s *logic.Sort, depth int) expression {
	if s != o.small {
		return o.term(s, depth)
	}
	e := o.term(logic.Int, depth)
	return expression{logic.Mod(e.term, limit+1), func(b bindings) int {
		return e.of(b) - (limit+1)*quotient(e.of(b), limit+1)
	}}
}

func (o *operations) choice(s *logic.Sort, depth int) expression {
	c, yes, no := o.term(logic.Bool, depth), o.term(s, depth), o.term(s, depth)
	return expression{raw(logic.OpIte, s, c.term, yes.term, no.term), func(b bindings) int {
		if c.of(b) == 1 {
			return yes.of(b)
		}
		return no.of(b)
	}}
}

// bound calls a function with a new variable in scope.
func (o *operations) bound(s *logic.Sort, use func(*logic.Var) expression) expression {
	v := &logic.Var{Name: fmt.Sprintf("V%d", o.Intn(3)), Sort: s}
	o.scope = append(o.scope, v)
	defer func() { o.scope = o.scope[:len(o.scope)-1] }()
	return use(v)
}

func (o *operations) let(s *logic.Sort, depth int) expression {
	sort := o.sort(o.Intn(sortsOf))
	value := o.term(sort, depth)
	return o.bound(sort, func(v *logic.Var) expression {
		body := o.using(s, v, depth)
		return expression{
			&logic.Term{Op: logic.OpLet, Sort: s, Vars: []*logic.Var{v},
				Args: []*logic.Term{value.term, body.term}},
			func(b bindings) int { return body.of(b.with(v, value.of(b))) }}
	})
}

// using is an expression in which a variable occurs, if its sort allows that.
func (o *operations) using(s *logic.Sort, v *logic.Var, depth int) expression {
	this := expression{logic.Ref(v), func(b bindings) int { return b[v] }}
	rest := o.term(s, depth)
	switch {
	case v.Sort == s && s == logic.Int:
		return compose(logic.OpAdd, s, []expression{this, rest}, func(x []int) int {
			return x[0] + x[1]
		})
	case v.Sort.Base() == s:
		return this
	case s != logic.Bool:
		return rest
	}
	other := o.term(v.Sort.Base(), depth)
	equal := compose(logic.OpEq, logic.Bool, []expression{this, other}, func(x []int) int {
		return truth(x[0] == x[1])
	})
	return compose(logic.OpOr, logic.Bool, []expression{equal, rest}, most)
}

func (o *operations) quantified(op logic.Op, value func([]int) int, depth int) expression {
	sort := []*logic.Sort{o.node, o.colour, o.small, o.wide}[o.Intn(4)]
	return o.bound(sort, func(v *logic.Var) expression {
		body := o.using(logic.Bool, v, depth)
		return expression{
			&logic.Term{Op: op, Sort: logic.Bool, Vars: []*logic.Var{v},
				Args: []*logic.Term{body.term}},
			func(b bindings) int {
				var all []int
				for i := range o.count(sort) {
					all = append(all, body.of(b.with(v, o.least(sort)+i)))
				}
				return value(all)
			}}
	})
}
