package horn

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/smt"
)

// reader reads formulas of the solver. Names are the parameters of a definition, and what let
// names; bits are the parameters that are a bit of a number.
type reader struct {
	names map[string]*logic.Term
	bits  map[*logic.Term]valued
}

// valued is a bit of a number with few values.
type valued struct {
	symbol *logic.Symbol
	values []int64
	bit    int64
}

// formula reads a truth value.
func (r *reader) formula(s smt.Sexpr) (*logic.Term, error) {
	switch {
	case !s.IsList && s.Atom == "true":
		return logic.True, nil
	case !s.IsList && s.Atom == "false":
		return logic.False, nil
	case !s.IsList:
		if t := r.names[s.Atom]; t != nil && t.Sort == logic.Bool {
			return t, nil
		}
		return nil, fmt.Errorf("%s is no truth value", s)
	case s.Head() == "let":
		return r.let(s, r.formula)
	}
	switch op := s.Head(); op {
	case "and", "or", "not", "=>", "ite":
		args, err := each(s.List[1:], r.formula)
		if err != nil {
			return nil, err
		}
		switch {
		case op == "and":
			return logic.And(args...), nil
		case op == "or":
			return logic.Or(args...), nil
		case op == "not" && len(args) == 1:
			return logic.Opposite(args[0]), nil
		case op == "=>" && len(args) == 2:
			return logic.Implies(args[0], args[1]), nil
		case op == "ite" && len(args) == 3:
			return logic.And(logic.Implies(args[0], args[1]), logic.Or(args[0], args[2])), nil
		}
	case "=", "<=", "<", ">=", ">", "distinct":
		if len(s.List) != 3 {
			break
		}
		if op == "=" || op == "distinct" {
			if args, err := each(s.List[1:], r.formula); err == nil {
				if op == "=" {
					return logic.Iff(args[0], args[1]), nil
				}
				return logic.Not(logic.Iff(args[0], args[1])), nil
			}
		}
		args, err := each(s.List[1:], r.term)
		if err != nil {
			return nil, err
		}
		return compared(op, args[0], args[1]), nil
	}
	return nil, fmt.Errorf("%.60s is not understood", s)
}

func each(
	xs []smt.Sexpr, read func(smt.Sexpr) (*logic.Term, error),
) (out []*logic.Term, err error) {
	for _, x := range xs {
		t, err := read(x)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// let reads (let ((name value) ...) body). No name is used twice in a solution.
func (r *reader) let(s smt.Sexpr, body func(smt.Sexpr) (*logic.Term, error)) (*logic.Term, error) {
	if len(s.List) != 3 {
		return nil, fmt.Errorf("%.60s is not understood", s)
	}
	values := map[string]*logic.Term{}
	for _, b := range s.List[1].List {
		if len(b.List) != 2 {
			return nil, fmt.Errorf("%.60s is not understood", s)
		}
		value, err := r.formula(b.List[1])
		if err != nil {
			if value, err = r.term(b.List[1]); err != nil {
				return nil, err
			}
		}
		values[b.List[0].Atom] = value
	}
	for n, v := range values {
		r.names[n] = v
	}
	return body(s.List[2])
}

// term reads a number.
func (r *reader) term(s smt.Sexpr) (*logic.Term, error) {
	if n, ok := s.Int(); ok {
		return logic.BigLit(n), nil
	}
	if !s.IsList {
		if t := r.names[s.Atom]; t != nil && t.Sort == logic.Int {
			return t, nil
		}
		return nil, fmt.Errorf("%s is no number", s)
	}
	switch op := s.Head(); op {
	case "let":
		return r.let(s, r.term)
	case "ite":
		if len(s.List) != 4 {
			break
		}
		c, err := r.formula(s.List[1])
		if err != nil {
			return nil, err
		}
		ab, err := each(s.List[2:], r.term)
		if err != nil {
			return nil, err
		}
		return logic.Ite(c, ab[0], ab[1]), nil
	case "+", "-", "*", "div", "mod":
		args, err := each(s.List[1:], r.term)
		if err != nil {
			return nil, err
		}
		switch n := len(args); {
		case op == "+" && n > 0:
			return logic.Add(args...), nil
		case op == "-" && n == 1:
			return logic.Neg(args[0]), nil
		case op == "-" && n == 2:
			return logic.Sub(args[0], args[1]), nil
		case op == "*" && n == 2:
			return logic.Mul(args[0], args[1]), nil
		case n == 2 && args[1].Op == logic.OpInt && args[1].Int.Sign() > 0 && args[1].Int.IsInt64():
			if op == "div" {
				return logic.Div(args[0], args[1].Int.Int64()), nil
			}
			return logic.Mod(args[0], args[1].Int.Int64()), nil
		}
	}
	return nil, fmt.Errorf("%.60s is not understood", s)
}

// whole writes numbers in the place of their bits. The literals of a clause about the bits of one
// number are one statement about it.
func (r *reader) whole(t *logic.Term) *logic.Term {
	if v, ok := r.bits[t]; ok {
		return v.among(v.with())
	}
	if t.Op == logic.OpOr {
		return r.clause(t)
	}
	if t.Op == logic.OpNot {
		if v, ok := r.bits[t.Args[0]]; ok {
			return v.among(without(v.values, v.with()))
		}
		return logic.Opposite(r.whole(t.Args[0]))
	}
	out := logic.MapArgs(t, r.whole)
	if t.Op == logic.OpAnd {
		return logic.And(out.Args...)
	}
	return out
}

func (r *reader) clause(t *logic.Term) *logic.Term {
	var out []*logic.Term
	var numbers []valued
	values := map[*logic.Symbol][]int64{}
	for _, a := range t.Args {
		v, ok := r.bits[a]
		vs := v.with()
		if !ok && a.Op == logic.OpNot {
			v, ok = r.bits[a.Args[0]]
			vs = without(v.values, v.with())
		}
		if !ok {
			out = append(out, r.whole(a))
			continue
		}
		if _, again := values[v.symbol]; !again {
			numbers = append(numbers, v)
		}
		values[v.symbol] = union(values[v.symbol], vs)
	}
	for _, v := range numbers {
		out = append(out, v.among(values[v.symbol]))
	}
	return logic.Or(out...)
}

// with are the values that have the bit.
func (v valued) with() []int64 {
	return slices.DeleteFunc(slices.Clone(v.values), func(x int64) bool { return x&v.bit == 0 })
}

func without(all, some []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(all), func(x int64) bool {
		return slices.Contains(some, x)
	})
}

// among says that the number is one of the values, or none of the others, whichever is shorter.
func (v valued) among(vs []int64) *logic.Term {
	if rest := without(v.values, vs); len(rest) < len(vs) {
		var out []*logic.Term
		for _, x := range rest {
			out = append(out, logic.Not(is(v.symbol, x)))
		}
		return logic.And(out...)
	}
	return among(v.symbol, vs)
}
