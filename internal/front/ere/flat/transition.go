package flat

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// step gives the parameters of an action or a transition, and reports whether it is one.
func (g *global) step() (params []*syntax.Binder, ok bool) {
	switch {
	case g == nil:
		return nil, false
	case g.action != nil:
		return g.action.Params, true
	case g.def != nil && g.def.Transition:
		return g.def.Params, true
	}
	return nil, false
}

// transitionDecl lowers a transition: one for each constructor of the variants among its
// parameters, as an action.
func (f *flattener) transitionDecl(d *syntax.DefinitionDecl) {
	forms := f.actionForms(d.Params)
	for _, form := range forms {
		f.chosen = nil
		f.setAllActive(form, true)
		c := *d
		c.Name.Text = f.leafName(d.Name.Text, form.suffix)
		e := f.transitionParams(d, &c, form)
		if d.FairIf != nil {
			c.FairIf = f.lowerClosed(d.FairIf, e)
		}
		expr := f.lowerClosed(d.Expr, e)
		for i := len(d.Params) - 1; i >= 0; i-- {
			if b := d.Params[i]; b.In != nil {
				elements := f.lower(b.In, e)
				f.boundElements(form.params[i].binders, elements)
				in := f.contains(elements, form.params[i].value)
				expr = build.And(build.At(in, b.In.Span), expr)
			}
		}
		c.Expr = expr
		f.modifies(d, &c)
		f.setAllActive(form, false)
		if len(forms) > 1 && build.IsFalse(c.Expr) {
			continue
		}
		f.viewAction(d.Name.Text, d.Params, c.Name.Text, form)
		f.out = append(f.out, &c)
	}
}

func (f *flattener) transitionParams(
	d, c *syntax.DefinitionDecl, form actionForm,
) *env {
	e := top
	c.Params = nil
	for i, p := range form.params {
		for _, b := range p.binders {
			b.Name.Span = d.Params[i].Name.Span
			c.Params = append(c.Params, b)
		}
		e = e.with(d.Params[i].Name.Text, p.value)
	}
	return e
}

// modifies lists the symbols that hold the parts of what a transition changes. Where there is no
// part afterwards, they have the usual value.
func (f *flattener) modifies(d, c *syntax.DefinitionDecl) {
	c.Modifies = nil
	for _, m := range d.Modifies {
		target := f.globals[m.Text]
		if target == nil || target.symbol == nil || !f.structured(target) {
			c.Modifies = append(c.Modifies, m)
			continue
		}
		if hasUnbounded(target.result) {
			f.errs.Errorf(diag.Unsupported, m.Span, "a transition cannot change '%s', whose "+
				"values have a sequence without a bound", m.Text).
				Because(diag.Span{}, "an exploration has to see which steps need more places").
				Suggest("Write seq[T, n] for at most n elements, or write the step as an action.")
			return
		}
		for _, name := range f.partsOf(target) {
			c.Modifies = append(c.Modifies, syntax.Name{Text: name, Span: m.Span})
		}
		c.Expr = build.And(c.Expr, build.At(f.canonical(target, state{primes: 1}), m.Span))
	}
}
