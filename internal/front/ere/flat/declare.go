package flat

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// declarations lowers all declarations of the file.
func (f *flattener) declarations() {
	for _, d := range f.file.Decls {
		f.declaration(d)
	}
}

func (f *flattener) declaration(d syntax.Decl) {
	switch d := d.(type) {
	case *syntax.TypeDecl:
		f.typeDecl(d)
	case *syntax.SymbolDecl:
		f.symbolDecl(d)
	case *syntax.FormulaDecl:
		c := *d
		f.claims = d.Word == "safety" || d.Word == "invariant" || d.Word == "theorem"
		c.Expr = f.lowerClosed(d.Expr, top)
		f.claims = false
		f.out = append(f.out, &c)
	case *syntax.DefinitionDecl:
		f.definitionDecl(d)
	case *syntax.ActionDecl:
		f.actionDecl(d)
	case *syntax.TraceDecl:
		f.traceDecl(d)
	case *syntax.RankDecl:
		f.rankDecl(d)
	case *syntax.AlgorithmDecl, *syntax.ProtocolDecl, *syntax.AboutDecl, *syntax.ReduceDecl,
		*syntax.FbiiDecl:
		f.errs.Errorf(diag.Unsupported, d.Pos(), "an algorithm of processes and a proof by "+
			"forward-backward induction cannot have structured data in their file").
			Suggest("Write relations and functions in this file.")
	default:
		f.out = append(f.out, d)
	}
}

// typeDecl keeps the types that are sorts; a variant becomes the enum of its constructors.
func (f *flattener) typeDecl(d *syntax.TypeDecl) {
	t := f.types[d.Name.Text]
	switch {
	case t == nil:
		f.out = append(f.out, d)
	case t.enum != "" && d.Sort.Data != nil && d.Sort.Data.Form == syntax.VariantType:
		e := &syntax.EnumDecl{Span: d.Span, Name: syntax.Name{Text: t.enum, Span: d.Name.Span}}
		for i, c := range t.ctors {
			e.Members = append(e.Members,
				syntax.Name{Text: c.member, Span: d.Sort.Data.Cases[i].Name.Span})
		}
		f.out = append(f.out, e)
	}
}

// symbolDecl declares the parts of a symbol, and says that what is no part of a value has the usual
// value at first.
func (f *flattener) symbolDecl(d *syntax.SymbolDecl) {
	g := f.globals[d.Name.Text]
	if g == nil || g.symbol != d || !f.structured(g) {
		c := *d
		if d.Derived != nil {
			c.Derived = f.lowerClosed(d.Derived, top)
		}
		f.out = append(f.out, &c)
		return
	}
	if d.Derived != nil && len(f.alternatives(g.params)) > 1 {
		f.errs.Errorf(diag.Unsupported, d.Span, "a derived relation cannot have a variant as "+
			"argument").Suggest("Write a definition.")
		return
	}
	w := &declarer{f: f, d: d}
	for _, a := range f.alternatives(g.params) {
		w.declare(a.suffix, a.sorts, g.result, headText(a))
	}
	f.viewSymbol(g)
	word := "init"
	if !d.Mutable {
		word = "axiom"
	}
	if c := f.canonical(g, state{}); !build.IsTrue(c) {
		f.out = append(f.out, &syntax.FormulaDecl{Span: d.Span, Word: word, Expr: build.At(c,
			d.Span)})
	}
}

func (f *flattener) definitionDecl(d *syntax.DefinitionDecl) {
	g := f.globals[d.Name.Text]
	switch {
	case g == nil || g.def != d: // package check says what other declaration has the name
		f.out = append(f.out, d)
		return
	case f.inlined(g):
		called := map[*syntax.DefinitionDecl]bool{}
		if f.reads(d.Expr, map[string]bool{}, called); d.Recursive() && !called[d] {
			what := "measure"
			if d.Measure == nil {
				what = "depth"
			}
			f.errs.Warnf(diag.NoEffect, d.Name.Span, "'%s' has a %s, and does not call itself",
				d.Name.Text, what).Suggest("Delete what the text says of it.")
		}
		return
	case d.Transition:
		f.transitionDecl(d)
		return
	}
	c := *d
	e := top
	var bound []string
	c.Params = nil
	for _, b := range d.Params {
		p, v := f.rename(b, &bound)
		c.Params = append(c.Params, p)
		e = e.with(b.Name.Text, v)
	}
	c.Expr = f.lowerClosed(d.Expr, e)
	for _, name := range bound {
		f.leave(name)
	}
	f.out = append(f.out, &c)
}

// partsOf lists the symbols that hold the parts of a symbol.
func (f *flattener) partsOf(g *global) (out []string) {
	before := f.out
	f.out = nil
	w := &declarer{f: f, d: g.symbol}
	for _, a := range f.alternatives(g.params) {
		w.declare(a.suffix, a.sorts, g.result, "")
	}
	for _, d := range f.out {
		out = append(out, d.(*syntax.SymbolDecl).Name.Text)
	}
	f.out = before
	return out
}

// actionDecl lowers an action: one for each constructor of the variants among its parameters.
func (f *flattener) actionDecl(d *syntax.ActionDecl) {
	forms := f.actionForms(d.Params)
	for _, form := range forms {
		f.assigned, f.chosen = map[string]int{}, nil
		f.setAllActive(form, true)
		c := *d
		c.Name.Text = f.leafName(d.Name.Text, form.suffix)
		c.Params = nil
		e := top
		for i, p := range form.params {
			for _, b := range p.binders {
				b.Name.Span = d.Params[i].Name.Span
				c.Params = append(c.Params, b)
			}
			e = e.with(d.Params[i].Name.Text, p.value)
		}
		var body []syntax.Stmt
		for i, b := range d.Params {
			if b.In != nil {
				elements := f.lower(b.In, e)
				f.boundElements(form.params[i].binders, elements)
				in := f.contains(elements, form.params[i].value)
				body = append(body,
					&syntax.RequireStmt{Span: b.In.Span, Cond: build.At(in, b.In.Span)})
			}
		}
		if d.FairIf != nil {
			c.FairIf = f.lowerClosed(d.FairIf, e)
		}
		c.Body = append(body, f.block(d.Body, e)...)
		f.setAllActive(form, false)
		f.assigned = nil
		if len(forms) > 1 && isDead(c.Body) {
			continue
		}
		f.viewAction(d.Name.Text, d.Params, c.Name.Text, form)
		f.out = append(f.out, &c)
	}
}

// isDead reports whether a condition at the start of an action is false, as it is for constructors
// of which the action does not speak.
func isDead(body []syntax.Stmt) bool {
	for _, s := range body {
		r, ok := s.(*syntax.RequireStmt)
		if !ok {
			return false
		}
		if build.IsFalse(r.Cond) {
			return true
		}
		if build.MayLack(r.Cond) {
			return false
		}
	}
	return false
}

// actionForm is an action for one constructor of each variant among its parameters.
type actionForm struct {
	suffix string // of its name
	params []typeForm
}

func (f *flattener) actionForms(params []*syntax.Binder) []actionForm {
	out := []actionForm{{}}
	for _, b := range params {
		t := f.binderType(b)
		var next []actionForm
		if c := collection(t); c != nil && f.codable(c) != "" {
			f.errs.Errorf(diag.Unsupported, b.Name.Span, "a parameter cannot be a %s of which "+
				"there are infinitely many: %s", c.word(), f.codable(c)).
				Suggest("Let the action read it from the state, or take the elements one by one.")
			return nil
		}
		for _, form := range f.parameterForms(b, t) {
			for _, a := range out {
				next = append(next, actionForm{a.suffix + form.suffix,
					append(a.params[:len(a.params):len(a.params)], form)})
			}
		}
		out = next
	}
	for _, a := range out {
		f.setAllActive(a, false)
	}
	return out
}

func (f *flattener) setAllActive(a actionForm, active bool) {
	for _, p := range a.params {
		f.setActive(p, active)
	}
}

// parameterForms are the forms of a parameter of an action.
func (f *flattener) parameterForms(b *syntax.Binder, t *typ) []typeForm {
	if !t.plain() {
		return f.forms(b.Name.Text, t)
	}
	name := f.variable(b.Name.Text)
	return []typeForm{{"", []*syntax.Binder{{Name: syntax.Name{Text: name}, Sort: f.sortOf(b, t)}},
		scalarValue(t, build.At(build.Ref(name), b.Name.Span))}}
}

// sortOf is the sort of a variable: as written, or of the elements that it stands for.
func (f *flattener) sortOf(b *syntax.Binder, t *typ) *syntax.SortExpr {
	if b.Sort != nil {
		return b.Sort
	}
	return t.root().sort
}

// traceDecl lowers the steps of a trace. A step without a given constructor may be one of any.
func (f *flattener) traceDecl(d *syntax.TraceDecl) {
	c := *d
	c.Components = nil
	for _, p := range d.Components {
		if p.Assert != nil {
			p.Assert = f.lowerClosed(p.Assert, top)
		}
		var calls []syntax.TraceCall
		for _, call := range p.Calls {
			calls = append(calls, f.traceCall(call)...)
		}
		p.Calls = calls
		c.Components = append(c.Components, p)
	}
	f.out = append(f.out, &c)
}

func (f *flattener) traceCall(call syntax.TraceCall) []syntax.TraceCall {
	g := f.globals[call.Name.Text]
	params, isStep := g.step()
	if !isStep || call.Applied && len(call.Args) != len(params) {
		return []syntax.TraceCall{call} // package check reports it
	}
	var out []syntax.TraceCall
	for _, form := range f.actionForms(params) {
		c := syntax.TraceCall{Name: syntax.Name{Text: f.leafName(g.name.Text, form.suffix),
			Span: call.Name.Span}, Applied: call.Applied}
		fits := true
		for i, a := range call.Args {
			p := form.params[i]
			if a == nil {
				c.Args = append(c.Args, make([]*syntax.Expr, len(p.binders))...)
				continue
			}
			for _, q := range f.points([]*value{f.lower(a, top)},
				[]*typ{f.binderType(params[i])}) {
				if fits = q.suffix == p.suffix; fits {
					c.Args = append(c.Args, q.args...)
					break
				}
			}
			if !fits {
				break
			}
		}
		if fits {
			out = append(out, c)
		}
	}
	return out
}

// rankDecl lowers the hints of a proof of liveness.
func (f *flattener) rankDecl(d *syntax.RankDecl) {
	c := *d
	c.Items = nil
	e := top
	for _, item := range d.Items {
		inner := e
		var bs []*syntax.Binder
		var bound []string
		for _, b := range item.Binders {
			if b.In != nil || !f.binderType(b).plain() {
				f.errs.Errorf(diag.Unsupported, b.Name.Span, "a variable of a hint has a sort").
					Suggest("Write a variable for each part.")
				return
			}
			nb, v := f.rename(b, &bound)
			bs, inner = append(bs, nb), inner.with(b.Name.Text, v)
		}
		if item.Action.Text != "" {
			params, _ := f.globals[item.Action.Text].step()
			if !f.plainParams(params) {
				f.errs.Errorf(diag.Unsupported, item.Action.Span, "a hint cannot name an action "+
					"with a structured parameter")
				return
			}
		}
		for _, n := range item.Params {
			inner = inner.with(n.Text, scalarValue(newUnknown(), build.Ref(n.Text)))
		}
		if item.Binders != nil {
			item.Binders = bs
			if bs == nil {
				item.Binders = []*syntax.Binder{}
			}
		}
		args := item.Args
		item.Args = nil
		for _, a := range args {
			item.Args = append(item.Args, f.lowerExpr(a, inner))
		}
		if item.Expr != nil {
			item.Expr = f.lowerExpr(item.Expr, inner)
		}
		if item.Word == "choose" {
			e = inner
		} else {
			for _, name := range bound {
				f.leave(name)
			}
		}
		c.Items = append(c.Items, item)
	}
	f.out = append(f.out, &c)
}

func (f *flattener) plainParams(params []*syntax.Binder) bool {
	for _, b := range params {
		if !f.binderType(b).plain() {
			return false
		}
	}
	return true
}
