package syntax

import "erelong.dev/erelong/internal/front/parse"

// reader reads names and symbols.
type reader struct {
	*parse.Cursor
	bullets []parse.Token // of the lists around the next token
}

// since is where an expression stands that began with a token.
func (r *reader) since(t parse.Token) At { return At{r.Since(t)} }

// name reads a name.
func (r *reader) name(what string) Name {
	if !r.At(parse.Word) {
		r.expected(what)
	}
	return r.as(r.Next())
}

// field reads the name of a field or of a module, which may be a reserved word.
func (r *reader) field(what string) Name {
	if !r.fieldAt(0) {
		r.expected(what)
	}
	return r.as(r.Next())
}

// fieldAt reports whether a token ahead can be the name of a field.
func (r *reader) fieldAt(n int) bool {
	t := r.Ahead(n)
	return t.Kind == parse.Word || reserved[string(t.Kind)] || t.Kind == "WF_" || t.Kind == "SF_"
}

// as is a token as a name.
func (r *reader) as(t parse.Token) Name { return Name{r.Text(t), r.Span(t)} }

// symbol reads the symbol of an operator as its name.
func (r *reader) symbol() Name {
	t := r.Next()
	return Name{operators[t.Kind].name, r.Span(t)}
}

// expect reads a symbol or a reserved word.
func (r *reader) expect(k parse.Kind) parse.Token {
	if !r.At(k) {
		r.expected("'" + string(k) + "'")
	}
	return r.Next()
}
