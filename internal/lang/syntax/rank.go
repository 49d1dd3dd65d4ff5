package syntax

import "erelong/internal/diag"

// RankDecl is `rank [property] { item* }`, with the items
//
//	choose binder with expr;       a value with the expression
//	count (binder, ...) with expr; the number of tuples of values with the expression
//	variable expr;                 an integer that is not negative
//	case expr;                     what happens differs with it
//	pending expr;                  holds from the trigger to what is good
type RankDecl struct {
	Span     diag.Span
	Property Name
	Items    []RankItem
}

// RankItem is an item of a RankDecl.
type RankItem struct {
	Span    diag.Span
	Word    string // choose, count, variable, case, pending
	Binders []*Binder
	Expr    *Expr
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
		item.Binders = []*Binder{p.binder()}
	case p.acceptWord("count"):
		item.Binders = p.params()
	case p.acceptWord("variable"), p.acceptWord("case"), p.acceptWord("pending"):
	default:
		p.fail("choose, count, variable, case or pending")
	}
	if item.Binders != nil && !p.acceptWord("with") {
		p.fail("'with' and a formula")
	}
	item.Expr = p.expr()
	item.Span = p.since(t)
	p.endOfStatement()
	return item
}
