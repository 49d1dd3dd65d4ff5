package lsp

import (
	"slices"
	"strings"

	"erelong.dev/erelong/internal/front/ere/names"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// The legend of semantic tokens. Apart from the standard types there are modifiers of the language:
// mutable and immutable symbols, fair actions, bound variables, and variables of an implied
// quantifier.
var (
	tokenTypes = []string{
		"keyword", "comment", "number", "operator", "type", "enum", "enumMember", "variable",
		"parameter", "function", "method",
		"property", "namespace", "event", "string",
	}
	tokenModifiers = []string{"declaration", "readonly", "modification", "mutable", "fair", "bound",
		"implied"}
)

func typeIndex(name string) uint32 { return uint32(slices.Index(tokenTypes, name)) }

func modifier(name string) uint32 { return 1 << slices.Index(tokenModifiers, name) }

var kindTypes = map[names.Kind]string{
	names.Sort: "type", names.Enum: "enum", names.Type: "type", names.Member: "enumMember",
	names.Relation: "variable",
	names.Constant: "variable", names.Function: "variable", names.Definition: "function",
	names.Transition: "method",
	names.Action:     "method", names.Formula: "property", names.Instance: "namespace",
	names.Parameter: "parameter",
	names.Variable:  "parameter", names.Implied: "parameter", names.Point: "parameter",
	names.Algorithm: "namespace", names.Protocol: "namespace", names.Role: "type",
	names.MessageName: "event", names.PeerVariable: "variable", names.Location: "enumMember",
	names.Field: "property",
}

// semantic gives the tokens of a text with their meanings.
func (a *analysis) semantic(documentParams) semanticTokens {
	out := semanticTokens{Data: []uint32{}}
	if a.tree == nil {
		return out
	}
	occurrences := map[int]*names.Occurrence{}
	for _, o := range a.names.Occurrences {
		occurrences[o.Span.Start] = o
	}
	last := position{}
	for _, t := range a.tree.Tokens {
		kind, mods, ok := a.meaning(t, occurrences[t.Start])
		if !ok {
			continue
		}
		at, end := a.text.position(t.Start), a.text.position(t.End)
		if end.Line != at.Line {
			continue // no token of the language has two lines
		}
		column := at.Character
		if at.Line == last.Line {
			column -= last.Character
		}
		out.Data = append(out.Data, uint32(at.Line-last.Line), uint32(column),
			uint32(end.Character-at.Character), kind, mods)
		last = at
	}
	return out
}

func (a *analysis) meaning(t syntax.Token, o *names.Occurrence) (kind, mods uint32, ok bool) {
	text := a.text.string[t.Start:t.End]
	switch t.Kind {
	case syntax.EOF, syntax.Bad:
		return 0, 0, false
	case syntax.Comment:
		return typeIndex("comment"), 0, true
	case syntax.Number:
		return typeIndex("number"), 0, true
	case syntax.Text:
		return typeIndex("string"), 0, true
	case syntax.Annotation:
		return typeIndex("keyword"), 0, true
	case syntax.Ident:
		if o == nil {
			return typeIndex("keyword"), 0, words[text] != "" || statementWords[text]
		}
		return typeIndex(kindTypes[o.Of.Kind]), modifiersOf(o), true
	}
	if isWordByte(text[0]) {
		return typeIndex("keyword"), 0, true
	}
	return typeIndex("operator"), 0, !strings.ContainsAny(text, "(){}[];,")
}

// statementWords are further words that are names elsewhere.
var statementWords = map[string]bool{
	"for": true, "message": true, "var": true, "timing": true, "network": true, "copies": true,
	"start": true, "sender": true,
	"starts": true, "send": true, "receive": true, "compute": true, "at": true, "within": true,
	"holds": true, "violated": true,
	"states": true, "depth": true, "count": true, "variable": true, "bound": true, "case": true,
	"await": true, "never": true, "pending": true,
	"forward": true, "backward": true, "received": true, "div": true, "mod": true,
}

func modifiersOf(o *names.Occurrence) (mods uint32) {
	if o.Declares {
		mods |= modifier("declaration")
	}
	if o.Writes {
		mods |= modifier("modification")
	}
	if o.Of.Local() {
		mods |= modifier("bound") | modifier("readonly")
		if o.Of.Kind == names.Implied || o.Of.Kind == names.Point {
			mods |= modifier("implied")
		}
		return mods
	}
	if o.Of.Kind == names.Field {
		return mods
	}
	if s := o.Of.Symbol(); s != nil {
		if s.Mutable {
			return mods | modifier("mutable")
		}
		return mods | modifier("readonly")
	}
	fair := ""
	switch n := o.Of.Node.(type) {
	case *syntax.ActionDecl:
		fair = n.Fairness
	case *syntax.DefinitionDecl:
		fair = n.Fairness
	}
	if fair != "" {
		mods |= modifier("fair")
	}
	if o.Of.Kind == names.PeerVariable {
		mods |= modifier("mutable")
	}
	return mods
}
