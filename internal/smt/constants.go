package smt

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// manyNames is the number of names from which on a formula's names become constants.
//
// A let stands for its value wherever its name occurs, and solvers substitute it. A value that a
// hundred branches in a row compute is then a formula of a hundred nested choices, for which z3 and
// cvc5 need minutes. With a constant for each name, which is equal to its value, they need less
// than a second. The constants restrict nothing else, since every term has a value.
const manyNames = 20

// hasManyNames reports whether a term has many names.
func hasManyNames(t *logic.Term) bool {
	n := 0
	logic.Walk(t, func(t *logic.Term) bool {
		if t.Op == logic.OpLet {
			n++
		}
		return n < manyNames
	})
	return n >= manyNames
}

// isClosed reports whether a term has the same value outside the binders around it. Names that are
// constants bind nothing.
func (p *printer) isClosed(t *logic.Term) bool {
	if len(p.bound) == 0 {
		return true
	}
	return !slices.ContainsFunc(logic.FreeVars(t), func(v *logic.Var) bool {
		return p.bound[v] > 0
	})
}

// withConstant prints the body of a let, in which the name is a constant.
func (p *printer) withConstant(let *logic.Term, value string) error {
	name, err := p.script.constant(let.Vars[0], value)
	if err != nil {
		return err
	}
	v := let.Vars[0]
	p.scope[v] = append(p.scope[v], name)
	defer func() { p.scope[v] = p.scope[v][:len(p.scope[v])-1] }()
	return p.term(let.Args[1])
}

// constant gives the constant that is equal to a value, with the sort of v.
func (s *Script) constant(v *logic.Var, value string) (string, error) {
	sort, err := s.sort(v.Sort.Base())
	if err != nil {
		return "", err
	}
	known := sort + " " + value
	for of := s; of != nil; of = of.parent {
		if name, ok := of.values[known]; ok {
			return name, nil
		}
	}
	name := quote(s.take(v.Name + "@let"))
	s.values[known] = name
	s.add("(declare-fun %s () %s)", name, sort)
	s.add("(assert (= %s %s))", name, value)
	return name, nil
}
