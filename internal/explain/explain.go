// Package explain says why a formula has its value in a state: the parts that decide it, and the
// values of variables for which they do.
//
// In: a model, a closed formula, a state. Out: a tree with the formula at its root. The children of
// a node are parts that determine its value. Irrelevant parts are left out: a false conjunction
// keeps one false operand, a false universal formula one assignment that refutes it. So the tree of
// a violated property is a readable counterexample. A false existential formula has no children,
// since every assignment would have to be shown.
package explain

import (
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
)

// Node is a part of a formula and its value.
type Node struct {
	Term    *logic.Term // as in the file
	Closed  *logic.Term // the same with values for its free variables
	Value   int64       // of Closed, in the numbering of package interp
	Witness []interp.Arg
	State   interp.State // of the root of a tree
	// the parts that decide the value; if Witness is not empty, for these values
	Subformulas []*Node
}

// Limits on a tree, and on the search for a witness.
const (
	maxNodes  = 100
	maxValues = 4096 // of a range
)

// Explain gives the tree. An error means that the formula has no value.
func Explain(m *interp.Model, t *logic.Term, s interp.State) (*Node, error) {
	e := &explainer{model: m, state: s}
	n, err := e.node(t, nil)
	if n != nil {
		n.State = s
	}
	return n, err
}

type explainer struct {
	model *interp.Model
	state interp.State
	nodes int
}

type values map[*logic.Var]*logic.Term

func (e *explainer) node(t *logic.Term, env values) (*Node, error) {
	n := &Node{Term: t, Closed: logic.Subst(t, env)}
	var err error
	if n.Value, err = e.model.Eval(n.Closed, e.state); err != nil {
		return nil, err
	}
	if e.nodes++; e.nodes <= maxNodes {
		e.descend(n, env)
	}
	return n, nil
}

// descend adds the parts. A part without a value is left out: a part before it decides the value.
func (e *explainer) descend(n *Node, env values) {
	t, holds := n.Term, n.Value == 1
	switch t.Op {
	case logic.OpNot:
		e.all(n, env, t.Args[0])
	case logic.OpAnd, logic.OpOr:
		if holds == (t.Op == logic.OpAnd) {
			e.all(n, env, t.Args...)
		} else {
			e.first(n, env, t.Args, n.Value)
		}
	case logic.OpImplies:
		switch antecedent, err := e.node(t.Args[0], env); {
		case err != nil || !holds:
			e.all(n, env, t.Args...)
		case antecedent.Value == 0:
			n.Subformulas = append(n.Subformulas, antecedent)
		default:
			e.all(n, env, t.Args[1])
		}
	case logic.OpIte:
		e.all(n, env, t.Args[0])
		if len(n.Subformulas) == 1 {
			e.all(n, env, t.Args[2-n.Subformulas[0].Value])
		}
	case logic.OpForall, logic.OpExists:
		if holds == (t.Op == logic.OpExists) {
			e.witness(n, env)
		}
	case logic.OpLet:
		v := t.Vars[0]
		if value, err := e.model.Eval(logic.Subst(t.Args[0], env), e.state); err == nil {
			n.Witness = []interp.Arg{{Var: v, Value: value}}
			e.all(n, with(env, v, value), t.Args[1])
		}
	case logic.OpApp:
		if d := e.model.System.DerivedOf(t.Symbol); d != nil && d.Body != nil && d.Fold == nil {
			e.definition(n, env)
			return
		}
		e.all(n, env, t.Args...)
	default:
		e.all(n, env, t.Args...)
	}
}

// all adds the parts, except obvious values.
func (e *explainer) all(n *Node, env values, parts ...*logic.Term) {
	for _, t := range parts {
		switch t.Op {
		case logic.OpVar, logic.OpMember, logic.OpInt, logic.OpTrue, logic.OpFalse:
			continue
		}
		if p, err := e.node(t, env); err == nil {
			n.Subformulas = append(n.Subformulas, p)
		}
	}
}

// first adds the first part with a value.
func (e *explainer) first(n *Node, env values, parts []*logic.Term, value int64) {
	for _, t := range parts {
		if v, err := e.model.Eval(logic.Subst(t, env), e.state); err == nil && v == value {
			e.all(n, env, t)
			return
		}
	}
}

// witness binds the variables of a quantifier, one after the other, to the first values for which
// the body has the value to explain.
func (e *explainer) witness(n *Node, env values) {
	t := n.Term
	inner := env
	var args []interp.Arg
	for i, v := range t.Vars {
		rest := *t
		rest.Vars = t.Vars[i+1:]
		closed := &rest
		if len(rest.Vars) == 0 {
			closed = t.Args[0]
		}
		lo, hi, ok := e.domain(v.Sort, inner)
		found := false
		for x := lo; ok && x < hi && !found; x++ {
			try := with(inner, v, x)
			if value, err := e.model.Eval(logic.Subst(closed, try), e.state); err == nil &&
				value == n.Value {
				inner, found = try, true
				args = append(args, interp.Arg{Var: v, Value: x})
			}
		}
		if !found {
			return
		}
	}
	n.Witness = args
	e.all(n, inner, t.Args[0])
}

// definition explains the value of a derived symbol by its definition.
func (e *explainer) definition(n *Node, env values) {
	d := e.model.System.DerivedOf(n.Term.Symbol)
	inner := values{}
	for i, a := range n.Term.Args {
		x, err := e.model.Eval(logic.Subst(a, env), e.state)
		if err != nil {
			return
		}
		inner = with(inner, d.Vars[i], x)
		n.Witness = append(n.Witness, interp.Arg{Var: d.Vars[i], Value: x})
	}
	e.all(n, inner, d.Body)
}

// domain gives the half-open interval of the values of a sort.
func (e *explainer) domain(s *logic.Sort, env values) (lo, hi int64, ok bool) {
	switch s.Kind {
	case logic.KindBool:
		return 0, 2, true
	case logic.KindEnum:
		return 0, int64(len(s.Members)), true
	case logic.KindUninterpreted:
		return 0, int64(e.model.Instance.Sizes[s]), true
	case logic.KindRange:
		lo, err := e.model.Eval(logic.Subst(s.Lo, env), e.state)
		if err != nil {
			return 0, 0, false
		}
		hi, err := e.model.Eval(logic.Subst(s.Hi, env), e.state)
		return lo, min(hi, lo+maxValues-1) + 1, err == nil
	}
	return 0, 0, false
}

// with adds a value to an assignment.
func with(env values, v *logic.Var, x int64) values {
	out := values{}
	for k, t := range env {
		out[k] = t
	}
	switch {
	case v.Sort == logic.Bool:
		out[v] = logic.BoolLit(x == 1)
	case v.Sort.Base() == logic.Int:
		out[v] = logic.IntLit(x)
	default:
		out[v] = logic.Member(v.Sort, int(x))
	}
	return out
}

// Trace explains why the last state of a trace violates a property. It gives nil where the values
// of the trace do not determine that, and for computed systems, whose formulas have no parts.
func Trace(m *interp.Model, t *result.Trace, property *logic.Term) *result.Why {
	if len(t.Steps) == 0 || m.System.Computed != nil {
		return nil
	}
	s, err := m.StateOf(slices.Concat(t.Params, t.Steps[len(t.Steps)-1].State)...)
	if err != nil {
		return nil
	}
	n, err := Explain(m, property, s)
	if err != nil || n.Value != 0 {
		return nil
	}
	return Tree(m, n)
}
