package flat

import (
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// declarer declares the parts of one symbol.
type declarer struct {
	f     *flattener
	d     *syntax.SymbolDecl
	keyed bool // what is declared are values of keys
}

// declare declares the parts of a value, at a path and for arguments. Text is how the file writes
// the value.
func (w *declarer) declare(path string, args []*syntax.SortExpr, t *typ, text string) {
	t = t.root()
	f := w.f
	under := func(args []*syntax.SortExpr, more ...*syntax.SortExpr) []*syntax.SortExpr {
		return append(args[:len(args):len(args)], more...)
	}
	switch t.form {
	case record:
		for i, name := range t.fields {
			w.declare(path+"_"+name, args, t.parts[i], text+"."+name)
		}
	case variant:
		if t.name == "option" {
			w.relation(path+"_some", args, text+" is some")
		} else {
			w.emit(path, args, &syntax.SortExpr{Name: t.enum}, text, t.ctors...)
		}
		for _, c := range t.ctors {
			for i, field := range c.fields {
				w.declare(path+fieldPath(t, c, i), args, c.parts[i], text+"."+field)
			}
		}
	case set:
		for _, a := range f.alternativesOf(t.parts[0]) {
			key := keyText(a, len(args))
			w.relation(path+a.suffix, under(args, a.sorts...), key+" in "+text)
		}
	case mapping:
		for _, a := range f.alternativesOf(t.parts[0]) {
			key := keyText(a, len(args))
			w.relation(path+"_has"+a.suffix, under(args, a.sorts...), key+" in keys("+text+")")
			values := &declarer{f, w.d, true}
			values.declare(path+itemPath(t.parts[1])+a.suffix, under(args, a.sorts...), t.parts[1],
				text+"["+key+"]")
		}
	case seq:
		l := location{symbol: w.d.Name.Text, path: path, span: w.d.Name.Span}
		w.emit(path+"_size", args, &syntax.SortExpr{Lo: build.Number(0), Hi: f.capacity(l, t)},
			"size("+text+")")
		w.declare(path+itemPath(t.parts[0]), under(args, f.positionSort(l, t)), t.parts[0],
			text+"[$"+itoa(len(args)+1)+"]")
	default:
		if t.name == "bool" {
			w.emit(path, args, nil, text)
			return
		}
		w.emit(path, args, t.sort, text)
	}
}

// headText is how the file writes a symbol with arguments.
func headText(a alternative) string {
	if len(a.keys) == 0 {
		return "$0"
	}
	texts := make([]string, len(a.keys))
	next := 1
	for i, key := range a.keys {
		texts[i] = keyPattern(key, &next)
	}
	return "$0(" + list(texts) + ")"
}

// keyText is how the file writes an element that is made of the arguments behind the first ones.
func keyText(a alternative, first int) string {
	next := first + 1
	return keyPattern(a.keys[0], &next)
}

// relation declares a relation that the file writes as a comparison.
func (w *declarer) relation(path string, args []*syntax.SortExpr, text string) {
	w.emit(path, args, nil, text)
	d := w.f.out[len(w.f.out)-1].(*syntax.SymbolDecl)
	d.Notation.Relates = true
}

// emit declares a symbol that holds a part; without a result it is a relation.
func (w *declarer) emit(
	path string, args []*syntax.SortExpr, result *syntax.SortExpr, text string, cases ...*ctor,
) {
	d := *w.d
	d.Name.Text = w.f.leafName(w.d.Name.Text, path)
	d.Args, d.Declared, d.Keyed = w.spanned(args), w.declared(), w.keyed
	d.Notation = &syntax.Notation{Name: w.d.Name.Text, Text: text}
	for _, c := range cases {
		d.Notation.Cases = append(d.Notation.Cases, c.name)
	}
	switch {
	case result == nil:
		d.Word, d.Result = "relation", nil
	case len(args) == 0:
		d.Word, d.Result = "constant", w.spanned([]*syntax.SortExpr{result})[0]
	default:
		d.Word, d.Result = "function", w.spanned([]*syntax.SortExpr{result})[0]
	}
	if w.d.Derived != nil {
		d.Derived = w.f.lowerClosed(w.d.Derived, top)
	}
	w.f.out = append(w.f.out, &d)
}

// declared is how the file declares the value.
func (w *declarer) declared() string {
	if w.d.Declared != "" {
		return w.d.Declared
	}
	out := w.d.Word + " " + w.d.Name.Text
	var args []string
	for _, a := range w.d.Args {
		args = append(args, a.Span.Text())
	}
	if len(args) > 0 {
		out += "(" + list(args) + ")"
	}
	if w.d.Result != nil {
		out += ": " + w.d.Result.Span.Text()
	}
	return out
}

// spanned gives sorts the position of the declaration.
func (w *declarer) spanned(sorts []*syntax.SortExpr) (out []*syntax.SortExpr) {
	for _, s := range sorts {
		c := *s
		if c.Span.IsZero() {
			c.Span = w.d.Name.Span
		}
		if c.Lo != nil {
			c.Lo, c.Hi = build.At(c.Lo, c.Span), build.At(c.Hi, c.Span)
		}
		out = append(out, &c)
	}
	return out
}
