package uppaal

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/timed"
)

// parseQuery reads one query of a .q file or of an XML file.
func (p *parser) parseQuery() *query {
	start := p.peek()
	q := &query{}
	two := p.peek().text + p.ahead(1).text + p.ahead(2).text
	until := (p.is("A") || p.is("E")) && p.ahead(1).text == "[" && !strings.HasSuffix(two, "]")
	switch {
	case p.ahead(1).text == ":" && ecdar[p.peek().text]:
		q.refused = p.peek().text +
			": is a question of ECDAR about specifications of components, which are not supported"
	case strings.HasPrefix(two, "Pr["):
		q.refused = "Pr[...] asks how likely something is: statistical queries are not supported"
	case p.is("bounds"):
		q.refused = "bounds queries are not supported"
	case (p.is("sup") || p.is("inf")) && (p.ahead(1).text == "{" || p.ahead(1).text == ":"):
		p.extreme(q)
	case strings.HasPrefix(two, "E[<") || strings.HasPrefix(two, "E[#") || p.is("simulate"):
		q.refused = "statistical queries are not supported"
	case until:
		q.refused = two[:1] + "[p U q] and " + two[:1] + "[p W q] (until) are not supported"
	case p.is("control"):
		q.refused = "control: asks for a strategy, and strategies are not supported"
	case p.is("strategy") || p.is("control") || p.is("minE") || p.is("maxE") ||
		p.is("saveStrategy") || p.is("loadStrategy"):
		q.refused = "strategies are not supported"
	case two == "A[]" || two == "E<>" || two == "A<>" || two == "E[]":
		p.pos += 3
		q.kind, q.left = two, p.expression()
	default:
		q.left = p.expression()
		p.expect("-->")
		q.kind, q.right = "-->", p.expression()
	}
	if q.refused != "" {
		p.pos = len(p.tokens) - 1
	}
	if p.is("under") {
		q.refused = "strategies are not supported"
		p.pos = len(p.tokens) - 1
	}
	q.span = p.from(start)
	return q
}

// ecdar are the queries of UPPAAL's tool for specifications of components.
var ecdar = map[string]bool{"refinement": true, "consistency": true, "specification": true,
	"implementation": true, "sat": true, "get-component": true}

// extreme reads sup{condition}: measures, where the condition is optional.
func (p *parser) extreme(q *query) {
	q.kind = p.next().text
	q.left = &expr{op: "num", value: 1, text: "bool"}
	if p.accept("{") {
		q.left = p.expression()
		p.expect("}")
	}
	p.expect(":")
	q.measures = p.update()
}

// elaborateQuery makes a query of the network. An error in it concerns this query only.
func (l *loader) elaborateQuery(q *query) (out *timed.Query) {
	out = &timed.Query{Text: q.text, Span: q.span, Recorded: q.recorded, Value: q.value,
		Refused: q.refused}
	if q.refused != "" {
		return out
	}
	before := len(l.list.All)
	defer func() {
		if r := recover(); r != nil {
			if _, mine := r.(bail); !mine {
				panic(r)
			}
			if len(l.list.All) == before { // the model is not needed any more
				return
			}
			out.Refused = l.list.All[before].Message
			l.list.All = l.list.All[:before]
		}
	}()
	c := &elaborator{loader: &loader{}, scope: l.global, pure: true}
	*c.loader = *l
	c.loader.query = true
	side := func(e *expr) *timed.Formula { return c.formula(c.expr(e), e.span) }
	out.Kind = map[string]timed.QueryKind{"A[]": timed.Invariantly, "E<>": timed.Possibly,
		"A<>": timed.Inevitably,
		"E[]": timed.Always, "-->": timed.LeadsTo, "sup": timed.Supremum,
		"inf": timed.Infimum}[q.kind]
	out.Formula = side(q.left)
	if q.right != nil {
		out.Then = side(q.right)
	}
	for _, e := range q.measures {
		m := timed.Measure{Text: e.span.Text()}
		if v := c.expr(e); v.clocks != nil {
			m.Clocks = &[2]timed.Clock{v.clocks.i, v.clocks.j}
		} else {
			v = c.asNumber(v, e.span)
			m.Number = timed.Number{Eval: v.eval, Lo: v.lo, Hi: v.hi}
		}
		out.Measures = append(out.Measures, m)
	}
	l.mem = c.loader.mem // a quantifier may have taken cells
	out.Named = c.mentioned
	return out
}

// process gives the process that an expression names, nil for other expressions.
func (c *elaborator) process(e *expr) *instantiated {
	switch e.op {
	case "name":
		return c.named[e.text]
	case "call":
		if e.kids[0].op != "name" ||
			c.templates[e.kids[0].text] == nil && c.instances[e.kids[0].text] == nil {
			return nil
		}
		var params []*variable
		if t := c.templates[e.kids[0].text]; t != nil {
			params = t.params
		} else {
			params = c.instances[e.kids[0].text].params
		}
		texts := make([]string, len(e.kids)-1)
		for i, k := range e.kids[1:] {
			n := c.atom(k)
			if !n.constant {
				c.fail(diag.MutableHere, k.span, "the name of a process is constant")
			}
			value := c.evaluate(n, k.span)
			texts[i] = fmt.Sprint(value)
			if i >= len(params) || n.typ.kind == scalarKind {
				continue
			}
			if t := c.in(c.global).declared(params[i]); t.kind == scalarKind {
				c.mentioned = append(c.mentioned, timed.Element{Set: t.set, Value: value})
			}
		}
		p := c.named[e.kids[0].text+"("+strings.Join(texts, ",")+")"]
		if p == nil {
			c.fail(diag.UnresolvedName, e.span, "there is no process %s(%s) in the system line",
				e.kids[0].text, strings.Join(texts, ","))
		}
		return p
	}
	return nil
}

// namesProcess reports whether an expression is a process with arguments.
func (c *elaborator) namesProcess(e *expr) bool {
	if e.op == "call" && e.kids[0].op == "name" &&
		(c.templates[e.kids[0].text] != nil || c.instances[e.kids[0].text] != nil) {
		return true
	}
	return slices.ContainsFunc(e.kids, c.namesProcess)
}

// member is a location or a variable of a process.
func (c *elaborator) member(p *instantiated, e *expr) *value {
	for i, l := range p.template.locations {
		if l.name == e.text {
			k, n := p.index, int32(i)
			return &value{typ: boolType, hi: 1, eval: func(m *timed.Memory) int32 {
				return b2i(m.Cells[k] == n)
			}}
		}
	}
	for s := p.scope; s != c.global; s = s.up {
		if x := s.names[e.text]; x != nil && x.val != nil {
			return x.val
		}
	}
	c.fail(diag.UnresolvedName, e.span, "the process has no location and no variable %s", e.text)
	return nil
}
