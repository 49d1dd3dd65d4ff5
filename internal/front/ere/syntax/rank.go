package syntax

import "erelong.dev/erelong/internal/diag"

// RankDecl is `rank [property] { item* }`, with the items
//
//	choose binder, ... with expr;  values with the expression
//	count (binder, ...) with expr; the number of tuples of values with the expression
//	variable expr;                 an integer that is not negative
//	await (binder, ...) action(expr, ...) with expr; for each of these tuples, the steps that are
//	                               left until the action is taken; without `with`, for all tuples
//	bound expr;                    two integers of which one is at most the other
//	case expr;                     what happens differs with it
//	never action(name, ...) with expr; no such step is taken; without `with`, none of the action
//	pending expr;                  holds from the trigger to what is good
type RankDecl struct {
	Span     diag.Span
	Property Name
	Items    []RankItem
}

// RankItem is an item of a RankDecl.
type RankItem struct {
	Span    diag.Span
	Word    string  // choose, count, variable, await, bound, case, never, pending
	Action  Name    // of never and await
	Params  []Name  // of never, for its parameters
	Args    []*Expr // of await
	Binders []*Binder
	Expr    *Expr // nil if there is none
}

// Pos is the position of the declaration.
func (d *RankDecl) Pos() diag.Span { return d.Span }

func (p *parser) rankDecl(t Token) Decl {
	d := &RankDecl{}
	p.expect("[", "and the name of a property")
	d.Property = p.name("the name of a property")
	p.expect("]", "after the property")
	p.expect("{", "before the hints")
	for !p.at("}") {
		d.Items = append(d.Items, p.rankItem())
	}
	p.next()
	d.Span = p.since(t)
	return d
}

func (p *parser) rankItem() RankItem {
	t := p.tok()
	item := RankItem{Word: p.text(t)}
	switch {
	case p.acceptWord("choose"):
		p.list(func() { item.Binders = append(item.Binders, p.binder()) })
	case p.acceptWord("count"):
		item.Binders = p.params()
	case p.acceptWord("await"):
		item.Binders = []*Binder{}
		if p.at("(") {
			item.Binders = p.params()
		}
		item.Action = p.name("the name of a fair action")
		p.expect("(", "before the arguments")
		if !p.at(")") {
			p.list(func() { item.Args = append(item.Args, p.expr()) })
		}
		p.expect(")", "after the arguments")
		if !p.acceptWord("with") {
			return p.endOfItem(item, t)
		}
	case p.acceptWord("never"):
		item.Action = p.name("the name of an action")
		p.expectIn(parameters, "(", "before the parameters")
		if !p.at(")") {
			p.list(func() { item.Params = append(item.Params, p.name("the name of a variable")) })
		}
		p.expect(")", "after the parameters")
		if !p.acceptWord("with") {
			return p.endOfItem(item, t)
		}
	case p.acceptWord("variable"), p.acceptWord("bound"), p.acceptWord("case"),
		p.acceptWord("pending"):
	default:
		p.fail("choose, count, variable, await, bound, case, never or pending")
	}
	if item.Binders != nil && item.Word != "await" && !p.acceptWord("with") {
		p.fail("'with' and a formula")
	}
	item.Expr = p.expr()
	return p.endOfItem(item, t)
}

func (p *parser) endOfItem(item RankItem, t Token) RankItem {
	item.Span = p.since(t)
	p.endOfStatement()
	return item
}
