package lsp

import (
	"fmt"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/names"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// hover says what the name at a position stands for: its declaration, its sort, the comment above
// it, and, of a property, the outcome of its verification.
func (s *server) hover(a *analysis, p positionParams) (any, error) {
	if a.modular != nil {
		return a.modular.hover(p.Position), nil
	}
	o := a.at(p.Position)
	if o == nil {
		if word, span := a.word(p.Position); words[word] != "" {
			at := a.text.spanRange(span)
			return &hover{Contents: markdown("`" + word + "`: " + words[word]), Range: &at}, nil
		}
		return a.hoverFunction(p.Position), nil
	}
	parts := []string{fenced(a.declared(o.Of))}
	if note := a.about(o.Of); note != "" {
		parts = append(parts, note)
	}
	if doc := a.comment(o.Of); doc != "" {
		parts = append(parts, doc)
	}
	if o.Of.Kind == names.Formula {
		if st := s.statusOf(a.snapshot, o.Of.Name.Text); st != nil && st.State != stateStale {
			parts = append(parts, "**"+st.State+"**"+withDetail(st))
			if found := s.lemmasOf(a.snapshot, o.Of.Node.Pos()); len(found) > 0 {
				parts = append(parts, "It is inductive with these invariants, which were found:",
					fenced(strings.Join(found, "")))
			}
			if st.Trace != "" {
				parts = append(parts, "```text\n"+clipped(st.Trace, 60)+"\n```")
			}
		}
	}
	at := a.text.spanRange(o.Span)
	return &hover{Contents: markdown(strings.Join(parts, "\n\n")), Range: &at}, nil
}

func withDetail(st *propertyStatus) string {
	if st.Detail == "" {
		return ""
	}
	return " " + st.Detail
}

func markdown(text string) markup { return markup{"markdown", text} }

func fenced(code string) string { return "```erelong\n" + code + "\n```" }

// declared is the text of a declaration.
func (a *analysis) declared(d *names.Declaration) string {
	name := d.Name.Text
	if d.Local() {
		sort := a.sortOf(d)
		if sort == "" {
			return name
		}
		return name + ": " + sort
	}
	if d.Kind == names.Field {
		return a.fieldText(d)
	}
	if text := constructor(d); text != "" {
		return text
	}
	switch n := d.Node.(type) {
	case *syntax.SymbolDecl:
		return symbolText(n)
	case *syntax.EnumDecl:
		if syntax.IsOfStrings(n) {
			return name
		}
		return clipped(n.Span.Text(), 12)
	case *syntax.SortDecl:
		return "sort " + name
	case *syntax.AlgorithmDecl:
		for _, v := range n.Vars {
			if v.Name == d.Name {
				return v.Span.Text()
			}
		}
		for _, t := range n.Tasks {
			if t.Location == d.Name {
				return clipped(t.Span.Text(), 30)
			}
		}
		if d.Kind == names.MessageName {
			return "message " + name
		}
		return "algorithm " + name
	case *syntax.ProtocolDecl:
		return ofProtocol(n, d)
	}
	return clipped(d.Node.Pos().Text(), 30)
}

// ofProtocol is the declaration of a name within a protocol.
func ofProtocol(n *syntax.ProtocolDecl, d *names.Declaration) string {
	for _, m := range n.Messages {
		if m.Name == d.Name {
			return "message " + m.Span.Text()
		}
	}
	for _, v := range n.Variables() {
		if v.Name == d.Name {
			return v.Span.Text()
		}
	}
	return string(d.Kind) + " " + d.Name.Text
}

// symbolText is the declaration of one symbol, which may be one of a list.
func symbolText(n *syntax.SymbolDecl) string {
	word := map[bool]string{true: "mutable ", false: "immutable "}[n.Mutable]
	switch {
	case n.Derived != nil:
		word = "derived "
	case n.Ghost:
		word = "ghost "
	}
	text := word + n.Word + " " + n.Name.Text
	if len(n.Args) > 0 {
		var args []string
		for _, s := range n.Args {
			args = append(args, s.Span.Text())
		}
		text += "(" + strings.Join(args, ", ") + ")"
	}
	if n.Result != nil {
		text += ": " + n.Result.Span.Text()
	}
	if n.Derived != nil {
		text += ": " + clipped(n.Derived.Span.Text(), 20)
	}
	return text
}

// about says more of a declaration than its text does.
func (a *analysis) about(d *names.Declaration) string {
	switch d.Kind {
	case names.Implied:
		return "A capital letter that is not declared stands for every value: `forall " +
			a.declared(d) + ".` stands around the formula."
	case names.Point:
		return "A capital letter in the target of an assignment stands for every value of the " +
			"argument."
	case names.Variable, names.Parameter:
		return "A " + string(d.Kind) + "."
	case names.Member:
		if t, ok := d.Node.(*syntax.TypeDecl); ok {
			return "A constructor of the type `" + t.Name.Text + "`."
		}
		if syntax.IsOfStrings(d.Node) {
			return "A string. The type `" + syntax.Strings + "` has all strings of the file."
		}
		return "A member of the enum `" + d.Node.(*syntax.EnumDecl).Name.Text + "`."
	case names.Field:
		if t, ok := d.Node.(*syntax.TypeDecl); ok {
			return "A field of the type `" + t.Name.Text + "`."
		}
		return "A field."
	case names.Location:
		return "A location of the algorithm: where a process is about to take this step."
	case names.MessageName:
		if _, ok := d.Node.(*syntax.ProtocolDecl); ok {
			return "In a property, `" + d.Name.Text + "(P, Q, ...)`: one is in transit from P to Q."
		}
	case names.PeerVariable:
		if _, ok := d.Node.(*syntax.ProtocolDecl); ok {
			return "Each process has this variable. In a property, the process is its first " +
				"argument."
		}
		return "Each process has this variable once for each of its peers."
	}
	return ""
}

// comment is the comment above a declaration, or at the end of its line.
func (a *analysis) comment(d *names.Declaration) string {
	if d.Local() || !a.own(d.Name.Span) {
		return ""
	}
	at := d.Name.Span.Start
	if d.Kind != names.Member && d.Kind != names.MessageName && d.Kind != names.PeerVariable &&
		d.Kind != names.Location {
		at = d.Node.Pos().Start
	}
	line := a.text.line(at)
	var lines []string
	for l := line - 1; l >= 0; l-- {
		text, ok := strings.CutPrefix(strings.TrimSpace(a.lineText(l)), "#")
		if !ok {
			break
		}
		lines = append([]string{strings.TrimPrefix(text, " ")}, lines...)
	}
	if a.tree == nil {
		return strings.Join(lines, "\n")
	}
	end := a.text.end(line)
	for _, t := range a.tree.Tokens {
		if t.Kind == syntax.Comment && t.Start > d.Name.Span.Start && t.Start < end {
			lines = append(lines, strings.TrimSpace(strings.TrimPrefix(a.text.string[t.Start:t.End],
				"#")))
		}
	}
	return strings.Join(lines, "\n")
}

func (s *snapshot) lineText(line int) string {
	if line < 0 || line >= len(s.text.lines) {
		return ""
	}
	return s.text.string[s.text.lines[line]:s.text.end(line)]
}

// clipped is a text of at most this number of lines.
func clipped(text string, most int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) <= most {
		return strings.Join(lines, "\n")
	}
	return strings.Join(lines[:most], "\n") + fmt.Sprintf("\n... %d more lines", len(lines)-most)
}

// word is the word at a position, empty if there is none.
func (a *analysis) word(p position) (string, diag.Span) {
	if a.tree == nil {
		return "", diag.Span{}
	}
	at := a.text.offset(p)
	for _, t := range a.tree.Tokens {
		if t.Start <= at && at <= t.End && t.Kind != syntax.Comment && t.End > t.Start {
			if text := a.text.string[t.Start:t.End]; words[text] != "" {
				return text, diag.Span{Source: a.tree.Source, Start: t.Start, End: t.End}
			}
		}
	}
	return "", diag.Span{}
}
