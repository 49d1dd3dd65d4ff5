package tla

import (
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// symmetric are the operators whose value moves along when model values are permuted: they do not
// depend on an order of values, and read nothing but their arguments.
var symmetric = map[string]bool{
	`\union`: true, `\intersect`: true, `\`: true, "SUBSET": true, "UNION": true, "DOMAIN": true,
	"Seq": true, "Len": true, "Head": true, "Tail": true, "Cardinality": true, "->": true,
	"[]": true, "..": true, `\o`: true, "Append": true, ":>": true, "@@": true, "<<>>": true,
	"{}": true, `\X`: true, "SubSeq": true, "+": true, "-": true, "*": true, `\div`: true, "%": true,
	"^": true, "-.": true, "<": true, ">": true, "<=": true, ">=": true, `\subseteq`: true,
	"IsFiniteSet": true, "SelectSeq": true, "FoldLeft": true,
}

// Symmetric reports whether predicates are seen to have the same truth when the model values in
// states are permuted: they name no model value that the symmetry moves, and take no element of a
// set by its place in an order. It is false with a view.
func (q *quotient) Symmetric(predicates []int) bool {
	if q.views != nil {
		return false
	}
	s := &symmetry{maker: newMaker(q.model), known: map[core.Node]bool{}}
	return !slices.ContainsFunc(predicates, func(p int) bool { return !s.keeps(q.nodes[p]) })
}

// symmetry looks for what tells permuted values apart.
type symmetry struct {
	maker *maker
	known map[core.Node]bool
}

// keeps reports whether the value of a node moves along.
func (s *symmetry) keeps(n core.Node) bool {
	if keeps, ok := s.known[n]; ok {
		return keeps
	}
	s.known[n] = true // a procedure that calls itself
	keeps := true
	switch n := n.(type) {
	case *core.Literal:
		keeps = s.fixed(n.Value)
	case *core.Choose, *core.Parameter, *core.Refused:
		keeps = false
	case *core.Operator:
		keeps = symmetric[n.Name]
	case *core.Call:
		keeps = s.keeps(n.Procedure.Body)
	}
	if keeps {
		core.Parts(n, func(p core.Node) { keeps = keeps && s.keeps(p) })
	}
	s.known[n] = keeps
	return keeps
}

// fixed reports whether each permutation leaves a value as it is.
func (s *symmetry) fixed(v *value.Value) bool {
	switch k := v.Kind(); {
	case k == value.Naturals, k == value.Integers, k == value.Strings, k == value.Interval:
		return true
	case k > value.Function:
		return false
	}
	for p := range s.maker.perms {
		if !value.Equal(s.maker.permuted(v, p), v) {
			return false
		}
	}
	return true
}
