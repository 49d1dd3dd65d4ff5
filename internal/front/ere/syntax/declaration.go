package syntax

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"erelong.dev/erelong/internal/diag"
)

// list reads items separated by commas.
func (p *cursor) list(item func()) {
	item()
	for p.accept(",") {
		item()
	}
}

func (p *parser) annotations() []Name {
	var out []Name
	for p.at(Annotation) {
		t := p.next()
		out = append(out, Name{p.text(t), p.span(t)})
		if p.accept("(") {
			p.list(func() { p.name("a name") })
			p.expect(")", "after the annotation's arguments")
		}
	}
	return out
}

func (p *parser) sortDecl() (decls []Decl) {
	t := p.next()
	p.list(func() {
		d := &SortDecl{Name: p.name("a name for the sort")}
		d.Annotations = p.annotations()
		d.Span = p.since(t)
		decls = append(decls, d)
	})
	return decls
}

func (p *parser) enumDecl(t Token) Decl {
	d := &EnumDecl{Name: p.name("a name for the enum")}
	p.expect("{", "before the members")
	p.list(func() { d.Members = append(d.Members, p.name("a member's name")) })
	p.expect("}", "after the members")
	d.Span = p.since(t)
	return d
}

// symbols reads what follows `mutable`, `immutable` or `ghost`.
func (p *parser) symbols(t Token, mutable, ghost bool) (decls []Decl) {
	word := p.tok()
	switch word.Kind {
	case "relation", "constant", "function":
		p.next()
	default:
		p.failIn(symbolWord, "'relation', 'constant' or 'function'")
	}
	p.list(func() {
		d := &SymbolDecl{Word: string(word.Kind), Mutable: mutable, Ghost: ghost}
		d.Name = p.name("a name for the " + d.Word)
		if d.Word != "constant" && p.accept("(") {
			if d.Word == "function" || !p.at(")") {
				p.list(func() { d.Args = append(d.Args, p.sort()) })
			}
			p.expect(")", "after the sorts of the arguments")
		} else if d.Word == "function" {
			p.fail("'(' and the sorts of the function's arguments")
		}
		if d.Word != "relation" {
			p.expect(":", "and the sort of the "+d.Word)
			d.Result = p.sort()
		}
		d.Annotations = p.annotations()
		d.Span = p.since(t)
		decls = append(decls, d)
	})
	return decls
}

func (p *parser) derivedDecl() Decl {
	t := p.next()
	p.expect("relation", "after 'derived'")
	d := &SymbolDecl{Word: "relation", Mutable: true, Name: p.name("a name for the relation")}
	if p.accept("(") {
		if !p.at(")") {
			p.list(func() { d.Args = append(d.Args, p.sort()) })
		}
		p.expect(")", "after the sorts of the arguments")
	}
	d.Annotations = p.annotations()
	p.expect(":", "before the definition of the derived relation")
	d.Derived = p.expr()
	d.Span = p.since(t)
	return d
}

func (p *parser) formula(t Token, word string, states int) Decl {
	d := &FormulaDecl{Word: word, States: states, Name: p.optionalName(), Expr: p.expr()}
	d.Span = p.since(t)
	return d
}

func (p *parser) binder() *Binder {
	b := &Binder{Name: p.name("the name of a variable")}
	if p.accept(":") {
		b.Sort = p.sort()
	}
	return b
}

// element reads a variable that may stand for the elements of a set.
func (p *parser) element() *Binder {
	b := p.binder()
	if b.Sort == nil && p.accept("in") {
		p.structured = true
		b.In = p.operators(false)
	}
	return b
}

func (p *parser) params() (out []*Binder) {
	p.expectIn(parameters, "(", "before the parameters")
	if !p.at(")") {
		p.list(func() { out = append(out, p.element()) })
	}
	p.expect(")", "after the parameters")
	return out
}

func (p *parser) definition(t Token, transition bool, fairness string, states int) Decl {
	d := &DefinitionDecl{Transition: transition, Fairness: fairness, States: states}
	d.Name = p.name("a name")
	d.Params = p.params()
	if !transition && p.accept(":") {
		d.Result, p.structured = p.sort(), true
		if p.acceptWord("measure") {
			p.expect("(", "before the measure, a number that becomes smaller with each call")
			d.Measure = p.expr()
			p.expect(")", "after the measure")
		}
		d.Depth = p.recursion()
	}
	if transition {
		d.Fairness, d.FairIf = p.fairIf(fairness)
	}
	switch {
	case p.at("modifies"):
		if states != 2 {
			p.errs.Errorf(diag.Syntax, p.span(p.tok()),
				"only a transition or a twostate definition may have 'modifies'").
				Suggest("Write 'twostate definition', or '=' before the formula.")
			panic(bailout{})
		}
		p.next()
		p.list(func() { d.Modifies = append(d.Modifies, p.name("the name of a symbol")) })
		d.Expr = p.expr()
	case p.accept("="):
		d.Expr = p.expr()
	default:
		p.failIn(frame, "'modifies' or '='")
	}
	d.Span = p.since(t)
	return d
}

// mostDepth bounds the depth of a recursive definition.
const mostDepth = 64

// recursion is what may follow the result of a recursive definition, `depth 4`; 0 where nothing
// does.
func (p *cursor) recursion() int {
	if !p.acceptWord("depth") {
		return 0
	}
	n, err := strconv.Atoi(p.text(p.tok()))
	if !p.at(Number) || err != nil || n < 1 || n > mostDepth {
		p.fail(fmt.Sprintf("a number from 1 to %d: how many calls may be inside one another",
			mostDepth))
	}
	p.next()
	return n
}

func (p *parser) instanceDecl(t Token) Decl {
	d := &InstanceDecl{Name: p.name("a name for the instance")}
	if p.accept("=") {
		d.Base = p.name("the name of an instance")
		if !p.acceptWord("with") {
			p.fail("'with' and what is different")
		}
	}
	p.expect("{", "before the sizes and values")
	if !p.at("}") {
		p.list(func() { d.Items = append(d.Items, p.instanceItem(false)) })
	}
	p.expect("}", "after the sizes and values")
	d.Span = p.since(t)
	return d
}

// Whole is an instance with the items of its base that it does not change. The base is among the
// declarations before it; without it the result is nil.
func (d *InstanceDecl) Whole(decls []Decl) *InstanceDecl {
	if d.Base.Text == "" {
		return d
	}
	for i, b := range decls {
		if b == Decl(d) {
			break
		}
		base, ok := b.(*InstanceDecl)
		if !ok || base.Name.Text != d.Base.Text {
			continue
		}
		if base = base.Whole(decls[:i]); base == nil {
			return nil
		}
		c := *d
		c.Base = Name{}
		c.Items = slices.DeleteFunc(slices.Clone(base.Items), func(item InstanceItem) bool {
			return slices.ContainsFunc(d.Items, func(own InstanceItem) bool {
				return own.Name.Text == item.Name.Text
			})
		})
		c.Items = append(c.Items, d.Items...)
		return &c
	}
	return nil
}

// instanceItem reads `name = value`, where the value may be a table, and with sweeps also
// first..last.
func (p *parser) instanceItem(sweeps bool) InstanceItem {
	t := p.tok()
	item := InstanceItem{Name: p.name("the name of a sort or of an immutable symbol")}
	p.expect("=", "and a size or value")
	if p.at("{") {
		item.Table = p.instanceTable()
	} else {
		item.Value = p.unary()
		if sweeps && p.accept("..") {
			item.Sweep = []*Expr{item.Value, p.unary()}
			item.Value = nil
		}
	}
	item.Span = p.since(t)
	return item
}

func (p *parser) instanceTable() *InstanceTable {
	t := p.next()
	table := &InstanceTable{}
	row := func() {
		start := p.tok()
		var r InstanceRow
		if p.accept("(") {
			p.list(func() { r.Args = append(r.Args, p.unary()) })
			p.expect(")", "after the arguments")
		} else {
			r.Args = append(r.Args, p.unary())
		}
		if p.accept(":") {
			r.Value = p.unary()
		}
		r.Span = p.since(start)
		table.Rows = append(table.Rows, r)
	}
	if !p.at("}") {
		p.list(row)
	}
	p.expect("}", "after the table")
	table.Span = p.since(t)
	return table
}

func (p *parser) expectDecl(t Token) Decl {
	d := &ExpectDecl{}
	p.expect("[", "and the name of a property")
	d.Property = p.name("the name of a property")
	p.expect("]", "after the property")
	p.before(d.Property, "in", "on")
	d.Verdict = p.name("a verdict: holds, violated, not inductive, unknown or nothing checked")
	if second := map[string]string{"not": "inductive",
		"nothing": "checked"}[d.Verdict.Text]; second != "" {
		if !p.atWord(second) {
			p.fail("'" + second + "'")
		}
		end := p.next()
		d.Verdict = Name{d.Verdict.Text + " " + second, d.Verdict.Span.To(p.span(end))}
	}
	p.before(d.Property, "on")
	if p.accept("in") {
		d.Instance = p.name("the name of an instance")
	}
	if p.acceptWord("states") {
		d.States = p.number()
	}
	if p.acceptWord("depth") {
		d.Depth = p.number()
	}
	d.Span = p.since(t)
	return d
}

// before refuses words in place of the instance of an expectation.
func (p *cursor) before(property Name, words ...string) {
	if !slices.Contains(words, p.text(p.tok())) {
		return
	}
	p.errs.Errorf(diag.Syntax, p.span(p.tok()),
		"an instance follows the verdict, after the word in").
		Suggest("Write it as in expect [%s] holds in %s.", property.Text, p.text(p.peek(1)))
	panic(bailout{})
}

func (p *cursor) number() *big.Int {
	if !p.at(Number) {
		p.fail("a number here")
	}
	n, _ := new(big.Int).SetString(p.text(p.next()), 10)
	return n
}

func (p *parser) traceDecl() Decl {
	t := p.next()
	d := &TraceDecl{Sat: t.Kind == "sat"}
	p.expect("trace", "after '"+string(t.Kind)+"'")
	p.expect("{", "before the steps of the trace")
	for !p.at("}") {
		d.Components = append(d.Components, p.traceComponent())
	}
	p.next()
	d.Span = p.since(t)
	return d
}

func (p *parser) traceComponent() TraceComponent {
	t := p.tok()
	var part TraceComponent
	switch {
	case p.accept("assert"):
		if p.accept("init") {
			part.Init = true
		} else {
			part.Assert = p.expr()
		}
	case p.accept("any"):
		p.expect("transition", "after 'any'")
		part.Any = true
	default:
		part.Calls = append(part.Calls, p.traceCall())
		for p.accept("|") {
			part.Calls = append(part.Calls, p.traceCall())
		}
	}
	part.Span = p.since(t)
	return part
}

func (p *parser) traceCall() TraceCall {
	c := TraceCall{Name: p.name("'assert', 'any transition' or the name of a transition")}
	if c.Applied = p.accept("("); c.Applied {
		if !p.at(")") {
			p.list(func() {
				if p.accept("*") {
					c.Args = append(c.Args, nil)
				} else {
					c.Args = append(c.Args, p.expr())
				}
			})
		}
		p.expect(")", "after the arguments")
	}
	return c
}
