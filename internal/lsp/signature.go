package lsp

import (
	"strings"

	"erelong.dev/erelong/internal/front/ere/names"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// signature shows the arguments of the symbol, definition or action whose argument list is open at
// a position. It is found from the tokens, so it is shown while the list is being written.
func (a *analysis) signature(p positionParams) *signatureHelp {
	if a.tree == nil {
		return nil
	}
	offset := a.text.offset(p.Position)
	type open struct {
		name   string
		commas int
	}
	var stack []open
	before := ""
	for _, t := range a.tree.Tokens {
		if t.Start >= offset || t.Kind == syntax.EOF {
			break
		}
		if t.Kind == syntax.Comment {
			continue
		}
		text := a.text.string[t.Start:t.End]
		switch text {
		case "(", "[", "{":
			stack = append(stack, open{name: before})
		case ")", "]", "}":
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		case ",":
			if len(stack) > 0 {
				stack[len(stack)-1].commas++
			}
		}
		if before = ""; t.Kind == syntax.Ident {
			before = text
		}
	}
	if len(stack) == 0 || stack[len(stack)-1].name == "" {
		return nil
	}
	inner := stack[len(stack)-1]
	for _, d := range a.declarations() {
		if d.Local() || d.Name.Text != inner.name {
			continue
		}
		if params, ok := parametersOf(d); ok {
			return a.help(d, params, inner.commas)
		}
	}
	return nil
}

// parametersOf lists the parameters of what can be applied.
func parametersOf(d *names.Declaration) (out []string, ok bool) {
	var binders []*syntax.Binder
	if d.Kind == names.Field {
		return nil, false
	}
	switch n := d.Node.(type) {
	case *syntax.TypeDecl:
		return constructorFields(d)
	case *syntax.SymbolDecl:
		for _, s := range n.Args {
			out = append(out, s.Span.Text())
		}
		return out, len(out) > 0
	case *syntax.DefinitionDecl:
		binders = n.Params
	case *syntax.ActionDecl:
		binders = n.Params
	default:
		return nil, false
	}
	for _, b := range binders {
		text := b.Name.Text
		if b.Sort != nil {
			text += ": " + b.Sort.Span.Text()
		}
		out = append(out, text)
	}
	return out, len(out) > 0
}

func (a *analysis) help(d *names.Declaration, params []string, active int) *signatureHelp {
	label := d.Name.Text + "(" + strings.Join(params, ", ") + ")"
	if s := d.Symbol(); s != nil && s.Result != nil {
		label += ": " + s.Result.Span.Text()
	}
	out := signature{Label: label}
	for _, text := range params {
		out.Parameters = append(out.Parameters, parameter{text})
	}
	if doc := a.comment(d); doc != "" {
		m := markdown(doc)
		out.Documentation = &m
	}
	return &signatureHelp{Signatures: []signature{out}, ActiveParameter: min(active, len(params)-1)}
}
