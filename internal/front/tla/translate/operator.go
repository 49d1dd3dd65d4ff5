package translate

import (
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/types"
)

// A constant operator is a relation, or a function, of which nothing is known but what the module
// assumes. An action may say by it alone what the next value of a variable is, as in
// Send(p, memInt, memInt'): this is any element for which the relation holds.

// operators translates constant operators.
type operators struct{ *writer }

// applied notes the elements that a constant operator brings.
func (w operators) applied(n *core.Application) {
	w.populate(n.Name, w.types.Operator(n.Name).Result, 1, false)
	for _, v := range primedIn(n) {
		if t := w.types.Variables[v]; t.Kind() == types.Element {
			w.class(t).others, w.class(t).loose = true, true
		}
	}
}

// application is the value of a constant operator for arguments.
func (w operators) application(n *core.Application, s scope) *term {
	op := w.types.Operator(n.Name)
	var args []*syntax.Expr
	for _, a := range n.Args {
		args = append(args, w.expr(w.term(a, s)))
	}
	if w.symbols[n.Name] == "" {
		w.symbols[n.Name] = w.declaredOperator(n.Name, op)
	}
	return w.of(op.Result, build.Apply(w.symbols[n.Name], args...))
}

func (w operators) declaredOperator(name string, op *types.Operator) string {
	var sorts []*syntax.SortExpr
	for _, a := range append(op.Args[:len(op.Args):len(op.Args)], op.Result) {
		switch a.Kind() {
		case types.Set, types.Map, types.Sequence:
			w.fail("the constant operator %s has %s as argument or value, which is not translated",
				name, a)
		}
		sorts = append(sorts, w.sort(a))
	}
	args, result := sorts[:len(op.Args)], sorts[len(op.Args)]
	symbol := w.name(name)
	if op.Result.Kind() == types.Bool {
		w.symbol("relation", symbol, args, nil, false)
	} else {
		w.symbol("function", symbol, args, result, false)
	}
	return symbol
}

// freed gives any value to the variables after the step that have none yet and that a constant
// operator speaks of. An element can be any one; of other types it is not known which values
// there are.
func (w *ways) freed(n core.Node, st step) step {
	if op, ok := core.Strip(n).(*core.Application); ok {
		for _, v := range primedIn(op) {
			t := w.types.Variables[v].Root()
			if st.after[v] != nil || t.Kind() != types.Element || !w.class(t).others {
				continue
			}
			b := &syntax.Binder{Sort: w.sort(t)}
			b.Name = syntax.Name{Text: w.variable(w.model.Variables[v]), Span: w.span}
			st.params = append(st.params[:len(st.params):len(st.params)], b)
			st = st.assigned(v, w.of(t, build.Ref(b.Name.Text)))
		}
	}
	return st
}

// primedIn are the variables that are after the step in a formula.
func primedIn(n core.Node) (out []int) {
	seen := map[core.Node]bool{}
	var visit func(n core.Node)
	visit = func(n core.Node) {
		n = core.Strip(n)
		if seen[n] || n.Level() < core.Step {
			return
		}
		seen[n] = true
		if v, ok := n.(*core.Variable); ok && v.Primed {
			out = append(out, v.Index)
		}
		core.Parts(n, visit)
	}
	visit(n)
	return out
}
