package translate

import (
	"maps"
	"regexp"
	"slices"
	"strconv"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
)

// A property P ~> Q, [](P => <>Q), []<>P or <>P becomes a liveness property, also for all elements
// of a constant set. In TLA+ a run can stop at any time unless fairness forbids it: there is an
// action that changes nothing, unless WF_vars(Next) is assumed.
//
// WF_vars(A(x)) for all x in S makes an action of the language fair if and only if its steps are
// the ones of A(x), with x as its parameters and no other, and vars are all variables. Then each
// fair run of the module is one of the translation, with steps between that change nothing: a step
// of A that changes nothing satisfies the fairness of the translation, and one that is of two
// actions can count for each in turn. The same is so of WF_vars(A \/ B) where A and B exclude each
// other (exclusive). Other fairness is left out, so there are more runs.
type liveness struct{ *writer }

// promise is a property of what happens at some time.
type promise struct {
	*core.Property
	left, right core.Node // of left ~> right
	first       bool      // left is true in the first state alone; without a left and this, always
	bindings    []*core.Quantified
}

// promised is a property as a promise, nil where it is none.
func promised(p *core.Property) *promise {
	if len(p.Rest) != 1 || len(said(p)) > 0 {
		return nil
	}
	out := &promise{Property: p}
	var n core.Node
	out.bindings, n = universal(p.Rest[0])
	state := func(ns ...core.Node) bool {
		return all(ns, func(n core.Node) bool { return n.Level() <= core.State })
	}
	switch n := n.(type) {
	case *core.LeadsTo:
		out.left, out.right = n.Left, n.Right
		if state(n.Left, n.Right) {
			return out
		}
	case *core.Eventually:
		if out.right, out.first = n.Arg, true; state(n.Arg) {
			return out
		}
	case *core.Always:
		switch m := core.Strip(n.Arg).(type) {
		case *core.Implies:
			if e, ok := core.Strip(m.Right).(*core.Eventually); ok && state(m.Left, e.Arg) {
				out.left, out.right = m.Left, e.Arg
				return out
			}
		case *core.Eventually:
			if out.right = m.Arg; state(m.Arg) {
				return out
			}
		}
	}
	return nil
}

// promises are the properties that have types and become liveness properties. What the model
// assumes of runs gets types, too, as far as it has some.
func (w liveness) promises() (out []*promise) {
	w.model.Fairness = slices.DeleteFunc(w.model.Fairness, func(n core.Node) bool {
		return w.types.Add(n).Err() != nil
	})
	for _, p := range w.model.Safe {
		if l := promised(p); l != nil && !p.Other && w.types.Add(p.Rest[0]).Err() == nil {
			out = append(out, l)
		}
	}
	return out
}

// declare declares the liveness properties, and which actions are fair.
func (w liveness) declare(promises []*promise) {
	before := len(w.decls)
	begun, first := "", false // a relation that is true in the first state alone; it is needed
	if slices.ContainsFunc(promises, func(p *promise) bool { return p.first }) {
		begun = w.parameter("begun") // actions have parameters, and these have names
		w.taken[begun] = true
	}
	for _, p := range promises {
		if w.claim(p, begun) {
			first = first || p.first
		} else {
			w.unsaid = append(w.unsaid, unsaid(p.Name))
		}
	}
	if len(w.decls) == before {
		return
	}
	if !w.fairness() {
		w.span = w.model.Init.Span()
		w.decls = append(w.decls, &syntax.ActionDecl{Span: w.span,
			Name: syntax.Name{Text: w.name("stop"), Span: w.span}})
	}
	if first {
		w.begins(begun)
	}
}

// begins declares the relation that is true in the first state alone.
func (w liveness) begins(begun string) {
	w.symbol("relation", begun, nil, nil, true)
	w.decls = append(w.decls, &syntax.FormulaDecl{Span: w.span, Word: "init",
		Expr: build.At(build.Ref(begun), w.span)})
	for _, d := range w.decls {
		if a, ok := d.(*syntax.ActionDecl); ok {
			a.Body = append(a.Body, &syntax.AssignStmt{Span: a.Span,
				Target: build.At(build.Ref(begun), a.Span),
				Value:  build.At(build.Truth(false), a.Span)})
		}
	}
}

// claim declares a liveness property, in which a relation stands for the first state. It reports
// whether that has a translation.
func (w liveness) claim(p *promise, begun string) (ok bool) {
	outer := w.errs
	defer func() { w.errs = outer }()
	w.errs = &diag.List{}
	w.begin()
	w.span = p.Span
	var made []*syntax.FormulaDecl
	w.attempt(func() {
		each := &ways{writer: w.writer, action: &core.Steps{Name: p.Name, Span: p.Span}}
		each.quantified(p.bindings, scope{}, step{after: map[int]*term{}}, func(s scope, st step) {
			left := build.Truth(true)
			switch {
			case p.first:
				left = build.Ref(begun)
			case p.left != nil:
				left = w.formula(p.left, s)
			}
			x := build.Binary(syntax.ExprLeadsTo, build.And(append(st.guards, left)...),
				w.formula(p.right, s))
			for _, b := range slices.Backward(st.params) {
				x = &syntax.Expr{Kind: syntax.ExprForall, Binders: []*syntax.Binder{b},
					Args: []*syntax.Expr{x}}
			}
			made = append(made, &syntax.FormulaDecl{Span: p.Span, Word: "liveness",
				Name: syntax.Name{Text: p.Name, Span: p.Span}, Expr: build.At(x, p.Span)})
		})
	})
	if w.errs.Err() != nil || len(made) != 1 {
		return false
	}
	made[0].Name.Text = w.name(p.Name)
	w.decls = append(w.decls, made[0])
	return true
}

// quantified makes parameters of the names of quantifiers, one within the other.
func (w *ways) quantified(qs []*core.Quantified, s scope, st step, next func(scope, step)) {
	if len(qs) == 0 {
		next(s, st)
		return
	}
	w.some(qs[0].Bindings, 0, s, st, func(s scope, st step) { w.quantified(qs[1:], s, st, next) })
}

// fairness makes actions fair. It reports whether runs go on as long as there is a step.
func (w liveness) fairness() (goesOn bool) {
	known := map[string]*syntax.ActionDecl{}
	twice := map[string]bool{"": true}
	for _, d := range w.decls {
		if a, ok := d.(*syntax.ActionDecl); ok {
			text := canonical(a)
			twice[text] = twice[text] || known[text] != nil
			known[text] = a
		}
	}
	for _, n := range w.model.Fairness {
		fair, texts, exact := w.fairSteps(n)
		around, _ := universal(n)
		switch {
		case fair == nil:
		case exact && len(texts) == 1 && known[texts[0]] != nil && !twice[texts[0]]:
			a := known[texts[0]]
			if a.Fairness = "fair"; fair.Strong {
				a.Fairness = "strong fair"
			}
		case len(around) > 0:
		case w.covers(texts, known):
			goesOn = true
		case !fair.Strong:
			w.disjoint(texts, known, twice)
		}
	}
	return goesOn
}

// disjoint makes the actions of some steps fair, of which no two are possible at once: then one of
// them is fair if all together are.
func (w liveness) disjoint(
	texts []string, known map[string]*syntax.ActionDecl, twice map[string]bool,
) {
	var actions []*syntax.ActionDecl
	for _, text := range texts {
		if known[text] == nil || twice[text] {
			return
		}
		actions = append(actions, known[text])
	}
	if !exclusive(actions) {
		return
	}
	for _, a := range actions {
		if a.Fairness == "" {
			a.Fairness = "fair"
		}
	}
}

// covers reports whether some steps are all steps.
func (w liveness) covers(texts []string, known map[string]*syntax.ActionDecl) bool {
	for text := range known {
		if !slices.Contains(texts, text) {
			return false
		}
	}
	return len(known) > 0
}

// universal are the universal quantifiers around a formula, and the formula within.
func universal(n core.Node) (around []*core.Quantified, within core.Node) {
	for {
		n = core.Strip(n)
		q, ok := n.(*core.Quantified)
		if !ok || !q.All {
			return around, n
		}
		around, n = append(around, q), q.Body
	}
}

// fairSteps are the steps of which a formula says that they are fair, as actions; nil where the
// formula says nothing like that. Exact says that each has the names that stand around the
// condition as parameters, and no other.
func (w liveness) fairSteps(n core.Node) (fair *core.Fair, texts []string, exact bool) {
	qs, body := universal(n)
	fair, ok := body.(*core.Fair)
	if !ok {
		return nil, nil, false
	}
	taken, ok := fair.Taken.(*core.Action)
	if !ok || !w.allVariables(taken.Unchanged) {
		return nil, nil, false
	}
	decls, facts, errs, names := w.decls, w.facts, w.errs, maps.Clone(w.writer.taken)
	w.errs = &diag.List{}
	defer func() { w.decls, w.facts, w.errs, w.writer.taken = decls, facts, errs, names }()
	w.begin()
	w.decls = nil
	exact = true
	w.attempt(func() {
		each := &ways{writer: w.writer, action: &core.Steps{Name: "fair", Span: fair.Span()}}
		each.quantified(qs, scope{}, step{after: map[int]*term{}}, func(s scope, st step) {
			outer := len(st.params)
			each.take(taken.Body, s, st, func(st step) {
				exact = exact && len(st.params) == outer && len(st.sets)+len(st.maps) == 0
				each.declareStep(st)
			})
		})
	})
	if w.errs.Err() != nil {
		return nil, nil, false
	}
	for _, d := range w.decls {
		if a, ok := d.(*syntax.ActionDecl); ok {
			texts = append(texts, canonical(a))
		}
	}
	return fair, texts, exact
}

// allVariables reports whether a formula says of each variable that it stays the same.
func (w liveness) allVariables(n core.Node) bool {
	same := map[int]bool{}
	var says func(n core.Node) bool
	equal := func(a, b core.Node) bool {
		v, ok := core.Strip(a).(*core.Variable)
		u, also := core.Strip(b).(*core.Variable)
		if !ok || !also || v.Index != u.Index || v.Primed == u.Primed {
			return false
		}
		same[v.Index] = true
		return true
	}
	says = func(n core.Node) bool {
		switch n := core.Strip(n).(type) {
		case *core.Junction:
			return n.And && all(n.Args, says)
		case *core.Equal:
			a, ok := core.Strip(n.Left).(*core.Operator)
			b, also := core.Strip(n.Right).(*core.Operator)
			if !ok || !also || a.Name != "<<>>" || b.Name != "<<>>" || len(a.Args) != len(b.Args) {
				return equal(n.Left, n.Right)
			}
			for i := range a.Args {
				if !equal(a.Args[i], b.Args[i]) {
					return false
				}
			}
			return true
		}
		return false
	}
	return says(n) && len(same) == len(w.model.Variables)
}

// canonical is an action as a text without the names that it and its parameters have; empty where
// it has statements of other kinds.
func canonical(a *syntax.ActionDecl) (text string) {
	for _, p := range a.Params {
		text += shown(&syntax.Expr{Kind: syntax.ExprForall, Binders: []*syntax.Binder{p}}) + "; "
	}
	for _, s := range a.Body {
		switch s := s.(type) {
		case *syntax.RequireStmt:
			text += "require " + shown(s.Cond) + "; "
		case *syntax.AssignStmt:
			text += shown(s.Target) + " := "
			if s.Value != nil {
				text += shown(s.Value)
			}
			text += "; "
		default:
			return ""
		}
	}
	for i, p := range a.Params {
		name := regexp.MustCompile(`\b` + regexp.QuoteMeta(p.Name.Text) + `\b`)
		text = name.ReplaceAllString(text, "parameter__"+strconv.Itoa(i))
	}
	return text
}
