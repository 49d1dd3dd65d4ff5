package uppaal

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
	"erelong.dev/erelong/internal/timed"
)

// parseQuery reads one query of a .q file or of an XML file.
func (p *parser) parseQuery() *query {
	start := p.Peek()
	q := &query{}
	two := p.Peek().Text + p.Ahead(1).Text + p.Ahead(2).Text
	until := (p.AtWord("A") || p.AtWord("E")) && p.Ahead(1).Kind == "[" &&
		!strings.HasSuffix(two, "]")
	switch {
	case p.Ahead(1).Kind == ":" && ecdar[p.Peek().Text]:
		q.refused = p.Peek().Text +
			": is a question of ECDAR about specifications of components, which are not supported"
	case strings.HasPrefix(two, "Pr["):
		q.refused = "Pr[...] asks how likely something is: statistical queries are not supported"
	case p.AtWord("bounds"):
		q.refused = "bounds queries are not supported"
	case (p.AtWord("sup") || p.AtWord("inf")) && (p.Ahead(1).Kind == "{" || p.Ahead(1).Kind == ":"):
		p.extreme(q)
	case strings.HasPrefix(two, "E[<") || strings.HasPrefix(two, "E[#") || p.AtWord("simulate"):
		q.refused = "statistical queries are not supported"
	case until:
		q.refused = two[:1] + "[p U q] and " + two[:1] + "[p W q] (until) are not supported"
	case p.AtWord("control"):
		q.refused = "control: asks for a strategy, and strategies are not supported"
	case strategies[start.Text]:
		q.refused = "strategies are not supported"
	case two == "A[]" || two == "E<>" || two == "A<>" || two == "E[]":
		p.Next()
		p.Next()
		p.Next()
		q.kind, q.left = two, p.expression()
	default:
		q.left = p.expression()
		p.Expect("-->")
		q.kind, q.right = "-->", p.expression()
	}
	if q.refused == "" && p.AtWord("under") {
		q.refused = "strategies are not supported"
	}
	for q.refused != "" && !p.At(parse.EOF) {
		p.Next()
	}
	q.span = p.Since(start)
	return q
}

// ecdar are the queries of UPPAAL's tool for specifications of components.
var ecdar = map[string]bool{"refinement": true, "consistency": true, "specification": true,
	"implementation": true, "sat": true, "get-component": true}

// strategies are the first words of queries about strategies.
var strategies = map[string]bool{"strategy": true, "minE": true, "maxE": true,
	"saveStrategy": true, "loadStrategy": true}

// extreme reads sup{condition}: measures, where the condition is optional.
func (p *parser) extreme(q *query) {
	q.kind = p.Next().Text
	q.left = &expr{op: "num", value: 1, text: "bool"}
	if p.Accept("{") {
		q.left = p.expression()
		p.Expect("}")
	}
	p.Expect(":")
	q.measures = p.expressions()
}

// elaborateQuery makes a query of the network. What is not supported concerns this query only; a
// name that looks like a misspelt one is an error of the file.
func (l *loader) elaborateQuery(q *query) (out *timed.Query) {
	out = &timed.Query{Text: q.text, Span: q.span, Recorded: q.recorded, Value: q.value,
		Refused: q.refused}
	if q.refused != "" {
		return out
	}
	before := len(l.list.All)
	if !parse.Catch(func() { l.fillQuery(q, out) }) && len(l.list.All) > before &&
		l.list.All[before].Fix == "" {
		out.Refused = l.list.All[before].Message
		l.list.All = l.list.All[:before]
	}
	return out
}

func (l *loader) fillQuery(q *query, out *timed.Query) {
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
	var known []string
	for _, l := range p.template.locations {
		known = append(known, l.name)
	}
	for s := p.scope; s != c.global; s = s.up {
		known = slices.AppendSeq(known, maps.Keys(s.names))
	}
	c.noMember(e, known)
	return nil
}

// noMember fails because of a name that a process does not have. That is an error of the file and
// not of the query alone: a location that is misspelt makes E<> false.
func (c *elaborator) noMember(e *expr, known []string) {
	slices.Sort(known)
	known = slices.Compact(known)
	near, distance := "", len(e.text)/3+2
	for _, k := range known {
		if d := diag.Distance(e.text, k); d < distance {
			near, distance = k, d
		}
	}
	d := c.list.Errorf(diag.UnresolvedName, e.span,
		"the process has no location and no variable %s", e.text)
	more := ""
	if near != "" {
		d.DidYouMean(near)
		parse.Bail()
	}
	if len(known) > mostKnown {
		known, more = known[:mostKnown], ", ..."
	}
	d.Suggest("It has %s%s.", strings.Join(known, ", "), more)
	parse.Bail()
}
