package syntax

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

// ParseConfig reads a configuration of TLC. The result is nil after an error.
func ParseConfig(src *diag.Source, errs *diag.List) *Config {
	l := &lexer{src: src, errs: errs}
	if !errs.Textual(src) || !l.rest() {
		return nil
	}
	for i := range l.out {
		l.out[i].Column = 0 // columns say nothing here
	}
	c := &config{reader: reader{Cursor: parse.NewCursor(src, l.out, errs)}}
	if !parse.Catch(c.all) {
		return nil
	}
	return &c.out
}

// config reads a configuration.
type config struct {
	reader
	out Config
}

// sections are the words with which a part of a configuration begins.
var sections = set("CONSTANT", "CONSTANTS", "CONSTRAINT", "CONSTRAINTS", "ACTION_CONSTRAINT",
	"ACTION_CONSTRAINTS", "INVARIANT", "INVARIANTS", "INIT", "NEXT", "VIEW", "SYMMETRY",
	"SPECIFICATION", "PROPERTY", "PROPERTIES", "ALIAS", "POSTCONDITION", "POSTCONDITIONS",
	"CHECK_DEADLOCK", "_PERIODIC", "_POSSIBLE", "_RL_REWARD")

// all reads the parts up to the end.
func (c *config) all() {
	for !c.At(parse.EOF) {
		t := c.Peek()
		c.part(t, c.Text(t))
	}
}

// part reads a part that begins with a word.
func (c *config) part(t parse.Token, word string) {
	switch word {
	case "CONSTANT", "CONSTANTS":
		c.list(c.constant)
	case "INVARIANT", "INVARIANTS":
		c.names(&c.out.Invariants)
	case "PROPERTY", "PROPERTIES":
		c.names(&c.out.Properties)
	case "CONSTRAINT", "CONSTRAINTS":
		c.names(&c.out.Constraints)
	case "ACTION_CONSTRAINT", "ACTION_CONSTRAINTS":
		c.names(&c.out.ActionConstraints)
	case "SPECIFICATION":
		c.one(t, &c.out.Specification)
	case "INIT":
		c.one(t, &c.out.Init)
	case "NEXT":
		c.one(t, &c.out.Next)
	case "SYMMETRY":
		var all Name
		if len(c.out.Symmetry) > 0 {
			all = c.out.Symmetry[0]
		}
		c.one(t, &all)
		c.out.Symmetry = []Name{all}
	case "VIEW":
		c.one(t, &c.out.View)
	case "ALIAS":
		c.one(t, &c.out.Alias)
	case "POSTCONDITION", "POSTCONDITIONS":
		c.names(&c.out.Postconditions)
	case "_POSSIBLE":
		c.names(&c.out.Possible)
	case "CHECK_DEADLOCK":
		c.deadlock(t)
	case "TYPE", "TYPE_CONSTRAINT", "_PERIODIC", "_RL_REWARD":
		c.Fail(c.Span(t), diag.Unsupported, "%s is not supported in a configuration", word)
	default:
		c.expected("a word such as CONSTANT, INVARIANT or SPECIFICATION")
	}
}

// list reads what follows a word, up to the next one.
func (c *config) list(item func()) {
	for c.Next(); !c.At(parse.EOF) && !sections[c.Text(c.Peek())]; {
		item()
	}
}

// names reads names.
func (c *config) names(to *[]Name) {
	c.list(func() { *to = append(*to, c.entry()) })
}

// one reads a name that may be given once.
func (c *config) one(t parse.Token, to *Name) {
	c.Next()
	if to.Text != "" {
		c.Errs.Errorf(diag.Duplicate, c.Span(t), "%s is given twice", c.Text(t)).
			Because(to.Span, "the first one")
		parse.Bail()
	}
	*to = c.entry()
}

// entry reads the name of a definition.
func (c *config) entry() Name {
	switch {
	case sections[c.Text(c.Peek())]:
		c.expected("a name")
	case c.At(","):
		c.Errs.Errorf(diag.Syntax, c.Span(c.Peek()), "expected a name, found ','").
			Suggest("The parts of a list stand side by side, without commas.")
		parse.Bail()
	}
	return c.name("a name")
}

// deadlock reads CHECK_DEADLOCK TRUE or FALSE.
func (c *config) deadlock(t parse.Token) {
	c.Next()
	if c.out.CheckDeadlock != nil {
		c.Fail(c.Span(t), diag.Duplicate, "CHECK_DEADLOCK is given twice")
	}
	check := c.AtWord("TRUE")
	if !check && !c.AtWord("FALSE") {
		c.expected("TRUE or FALSE")
	}
	c.Next()
	c.out.CheckDeadlock = &check
}

// constant reads C = value, C(1) = value, C = [M] value, C <- D, or C <- [M] D.
func (c *config) constant() {
	a := Assignment{Name: c.replaced()}
	if c.Accept("<-") {
		r := Replacement{Name: a.Name}
		r.Module = c.within()
		r.By = c.replaced()
		c.out.Replacements = append(c.out.Replacements, r)
		return
	}
	if c.Accept("(") {
		c.Commas(func() { a.Params = append(a.Params, c.value()) })
		c.Expect(")")
	}
	c.expect("=")
	a.Module = c.within()
	a.Value = c.value()
	if operators[c.Peek().Kind] != nil && c.Ahead(1).Kind != "<-" {
		c.Errs.Errorf(diag.Syntax, c.Span(c.Peek()), "a value in a configuration is no expression").
			Suggest("Define it in the module, and write %s <- its name.", a.Name.Text)
		parse.Bail()
	}
	c.out.Assignments = append(c.out.Assignments, a)
}

// within reads the name of a module in brackets, if it is there.
func (c *config) within() (n Name) {
	if c.Accept("[") {
		n = c.field("the name of a module")
		c.expect("]")
	}
	return n
}

// replaced reads the name of a constant or of a definition, which may be the symbol of an operator,
// or M!x.
func (c *config) replaced() Name {
	if operators[c.Peek().Kind] != nil {
		return c.symbol()
	}
	n := c.entry()
	for c.Accept("!") {
		more := c.entry()
		n = Name{n.Text + "!" + more.Text, n.Span.To(more.Span)}
	}
	return n
}

// value reads a number, a string, a set of values, or the name of a model value.
func (c *config) value() Expr {
	switch t := c.Peek(); {
	case c.Accept("-"):
		c.expect(number)
		at := c.since(t)
		return &Number{at, "-" + c.Text(c.Previous())}
	case c.Accept(number):
		return &Number{c.since(t), c.Text(t)}
	case c.Accept(quote):
		return &String{c.since(t), t.Text}
	case c.Accept("{"):
		c.Enter()
		s := &SetOf{}
		if !c.At("}") {
			c.Commas(func() { s.Elems = append(s.Elems, c.value()) })
		}
		c.expect("}")
		c.Leave()
		s.At = c.since(t)
		return s
	}
	n := c.entry()
	return &Apply{At: At{n.Span}, Name: n}
}
