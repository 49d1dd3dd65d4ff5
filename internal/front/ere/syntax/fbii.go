package syntax

import "erelong.dev/erelong/internal/diag"

// FbiiDecl is `fbii { step ... }`: a proof by forward-backward incremental induction, as in mypyvy.
type FbiiDecl struct {
	Span  diag.Span
	Steps []*FbiiStep
}

// FbiiStep is `forward|backward [name] (prophecy p: s, ...)? { invariants } (by { items })?`.
type FbiiStep struct {
	Span     diag.Span
	Backward bool
	Name     Name // Text is empty when there is none
	Prophecy bool
	Params   []*Binder
	Body     []*FormulaDecl
	By       []FbiiItem // empty without by
}

// FbiiItem is an invariant, or one of the heuristics proph_default and proph_select.
type FbiiItem struct {
	Span diag.Span
	Word string // invariant, proph_default, proph_select
	Expr *Expr  // nil for proph_default
}

func (d *FbiiDecl) Pos() diag.Span { return d.Span }

func (p *parser) fbiiDecl() Decl {
	t := p.next()
	d := &FbiiDecl{}
	p.expect("{", "after 'fbii'")
	for !p.at("}") {
		d.Steps = append(d.Steps, p.fbiiStep())
	}
	p.next()
	d.Span = p.since(t)
	return d
}

func (p *parser) fbiiStep() *FbiiStep {
	t := p.tok()
	s := &FbiiStep{Backward: p.atWord("backward")}
	if !p.acceptWord("forward") && !p.acceptWord("backward") {
		p.fail("'forward' or 'backward'")
	}
	s.Name = p.optionalName()
	if s.Prophecy = p.accept("prophecy"); s.Prophecy && !p.at("{") {
		p.list(func() { s.Params = append(s.Params, p.binder()) })
	}
	p.expect("{", "before the invariants of the step")
	for !p.at("}") {
		t := p.expect("invariant", "and a formula, or '}'")
		s.Body = append(s.Body, p.formula(t, "invariant", 0).(*FormulaDecl))
	}
	p.next()
	if by := p.tok(); p.acceptWord("by") {
		if !s.Prophecy {
			p.errs.Errorf(diag.Syntax, p.span(by), "only a step with a prophecy has a 'by'")
			panic(bailout{})
		}
		p.expect("{", "after 'by'")
		for !p.at("}") {
			s.By = append(s.By, p.fbiiItem())
		}
		p.next()
	}
	s.Span = p.since(t)
	return s
}

func (p *parser) fbiiItem() FbiiItem {
	t := p.tok()
	item := FbiiItem{Word: p.text(t)}
	switch {
	case p.accept("invariant"):
		p.optionalName()
		item.Expr = p.expr()
	case p.acceptWord("proph_default"):
	case p.acceptWord("proph_select"):
		item.Expr = p.expr()
	default:
		p.fail("invariant, proph_default or proph_select")
	}
	item.Span = p.since(t)
	return item
}
