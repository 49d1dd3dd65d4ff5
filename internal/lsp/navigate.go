package lsp

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/front/ere/names"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

func (a *analysis) definition(p positionParams) []location {
	if a.modular != nil {
		return a.modular.definition(p.Position)
	}
	o := a.at(p.Position)
	if o == nil {
		return nil
	}
	return []location{a.place(o.Of.Name.Span)}
}

func (a *analysis) references(p referenceParams) []location {
	if a.modular != nil {
		return a.modular.references(p.Position, p.Context.IncludeDeclaration)
	}
	out := []location{}
	o := a.at(p.Position)
	if o == nil {
		return out
	}
	for _, u := range o.Of.Uses {
		if p.Context.IncludeDeclaration || !u.Declares {
			out = append(out, a.location(u.Span))
		}
	}
	return out
}

func (a *analysis) highlights(p positionParams) []highlight {
	if a.modular != nil {
		return a.modular.highlights(p.Position)
	}
	out := []highlight{}
	o := a.at(p.Position)
	if o == nil {
		return out
	}
	for _, u := range o.Of.Uses {
		kind := highlightRead
		switch {
		case u.Declares:
			kind = highlightText
		case u.Writes:
			kind = highlightWrite
		}
		out = append(out, highlight{a.text.spanRange(u.Span), kind})
	}
	return out
}

func (s *server) prepareRename(a *analysis, p positionParams) (any, error) {
	o := a.at(p.Position)
	if o == nil || !a.own(o.Of.Name.Span) {
		return nil, nil
	}
	return prepareRename{a.text.spanRange(o.Span), o.Span.Text()}, nil
}

// spoken is a kind of declaration with its article.
func spoken(k names.Kind) string {
	switch k {
	case names.Implied, names.Point:
		return "a variable that stands for every value"
	case names.MessageName:
		return "the name of a message"
	}
	if strings.ContainsRune("aeiou", rune(k[0])) {
		return "an " + string(k)
	}
	return "a " + string(k)
}

// rename changes a name wherever it occurs. The text with the new name is checked: what would give
// it an error, because the name means something else there, is refused.
func (s *server) rename(a *analysis, p renameParams) (any, error) {
	o := a.at(p.Position)
	isString := o != nil && o.Of.Name.Text[0] == '"'
	if isString {
		p.NewName = `"` + strings.Trim(p.NewName, `"`) + `"`
	}
	switch {
	case o == nil:
		return nil, fmt.Errorf("there is no name here that is declared in this file")
	case !a.own(o.Of.Name.Span):
		return nil, fmt.Errorf("%s is declared in another file, at %s: rename it there, and here "+
			"by hand", o.Of.Name.Text, o.Of.Name.Span)
	case !isString && !syntax.IsName(p.NewName):
		return nil, fmt.Errorf("%q is not a name: write letters, digits and _, and no word of "+
			"the language", p.NewName)
	case p.NewName == o.Of.Name.Text:
		return workspaceEdit{map[string][]textEdit{}}, nil
	}
	for _, d := range a.declarations() {
		if d.Name.Text == p.NewName && (d.Kind == names.Field) == (o.Of.Kind == names.Field) {
			where := ""
			if !a.own(d.Name.Span) {
				where = " of " + d.Name.Span.Source.Name
			}
			return nil, fmt.Errorf("%s is already %s, in line %d%s", p.NewName, spoken(d.Kind),
				d.Name.Span.Line(), where)
		}
	}
	if (o.Of.Kind == names.Implied || o.Of.Kind == names.Point) && !syntax.IsCapital(p.NewName) {
		return nil, fmt.Errorf("%s stands for every value, because it begins with a capital "+
			"letter; %s would not", o.Of.Name.Text, p.NewName)
	}
	var edits []textEdit
	var b strings.Builder
	at := 0
	for _, u := range o.Of.Uses {
		edits = append(edits, textEdit{a.text.spanRange(u.Span), p.NewName})
		b.WriteString(a.text.string[at:u.Span.Start] + p.NewName)
		at = u.Span.End
	}
	b.WriteString(a.text.string[at:])
	if _, err := front.Read(a.ctx, a.name, b.String(), front.Options{}); err != nil &&
		len(a.systems) > 0 {
		return nil, fmt.Errorf("the text with this name has an error: %w", err)
	}
	return workspaceEdit{map[string][]textEdit{a.uri: edits}}, nil
}

// symbolKinds are the kinds of the protocol.
var symbolKinds = map[names.Kind]int{
	names.Sort: symbolTypeParameter, names.Enum: symbolEnum, names.Member: symbolEnumMember,
	names.Type:     symbolClass,
	names.Relation: symbolBoolean, names.Constant: symbolConstant, names.Function: symbolFunction,
	names.Definition: symbolFunction,
	names.Transition: symbolMethod, names.Action: symbolMethod, names.Formula: symbolProperty,
	names.Instance:  symbolObject,
	names.Algorithm: symbolNamespace, names.Protocol: symbolNamespace,
	names.Role: symbolTypeParameter, names.MessageName: symbolEvent,
	names.PeerVariable: symbolVariable, names.Location: symbolMethod, names.Field: symbolField,
}

func (a *analysis) symbols(documentParams) []documentSymbol {
	if a.modular != nil {
		return a.modular.symbols()
	}
	out := []documentSymbol{}
	if a.tree != nil {
		out = append(out, a.symbolsOf(a.tree.Decls)...)
	}
	return out
}

func (a *analysis) symbolsOf(decls []syntax.Decl) (out []documentSymbol) {
	for _, d := range decls {
		if syntax.IsOfStrings(d) {
			continue
		}
		if about, ok := d.(*syntax.AboutDecl); ok {
			out = append(out, documentSymbol{
				Name: "about " + about.Name.Text, Kind: symbolNamespace,
				Range:          a.text.spanRange(about.Span),
				SelectionRange: a.text.spanRange(about.Name.Span),
				Children:       a.symbolsOf(about.Decls),
			})
			continue
		}
		var parent *documentSymbol
		for _, n := range a.names.Declarations {
			if _, typ := d.(*syntax.TypeDecl); n.Node != d || n.Local() ||
				n.Kind == names.Field && !typ {
				continue
			}
			s := documentSymbol{
				Name: n.Name.Text, Kind: symbolKinds[n.Kind], Detail: detail(n),
				Range:          a.text.spanRange(within(d.Pos(), n.Name.Span)),
				SelectionRange: a.text.spanRange(n.Name.Span),
			}
			if n.Kind == names.Member || n.Kind == names.Field || n.Kind == names.MessageName ||
				n.Kind == names.PeerVariable || n.Kind == names.Location {
				s.Range = s.SelectionRange
				if parent != nil {
					parent.Children = append(parent.Children, s)
					continue
				}
			}
			out = append(out, s)
			parent = &out[len(out)-1]
		}
		if f, ok := d.(*syntax.FormulaDecl); ok && f.Name.Text == "" {
			head := f.Span
			head.End = head.Start + len(firstWord(f.Span.Text()))
			out = append(out, documentSymbol{
				Name: fmt.Sprintf("%s:%d", f.Word, f.Span.Line()), Kind: symbolProperty,
				Detail: f.Word,
				Range:  a.text.spanRange(f.Span), SelectionRange: a.text.spanRange(head),
			})
		}
	}
	return out
}

// within is a span that covers both: the parts of a list end before the list does.
func within(whole, part diag.Span) diag.Span { return whole.To(part) }

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

// detail is the word of a declaration.
func detail(d *names.Declaration) string {
	switch n := d.Node.(type) {
	case *syntax.SymbolDecl:
		return symbolText(n)
	case *syntax.FormulaDecl:
		return n.Word
	case *syntax.ActionDecl:
		return strings.TrimSpace(n.Fairness + " action")
	}
	return string(d.Kind)
}

// workspaceSymbols finds declarations in the open documents.
func (ds *documents) workspaceSymbols(query string) []symbolInformation {
	ds.mu.Lock()
	var snaps []*snapshot
	for _, d := range ds.docs {
		snaps = append(snaps, d.snapshot)
	}
	ds.mu.Unlock()
	slices.SortFunc(snaps, func(x, y *snapshot) int { return strings.Compare(x.uri, y.uri) })
	out := []symbolInformation{}
	for _, snap := range snaps {
		a, err := snap.analyse()
		if err != nil || a.names == nil {
			continue
		}
		for _, d := range a.names.Declarations {
			if !d.Local() && strings.Contains(strings.ToLower(d.Name.Text),
				strings.ToLower(query)) {
				out = append(out, symbolInformation{d.Name.Text, symbolKinds[d.Kind],
					a.location(d.Name.Span)})
			}
		}
	}
	return out
}
