package lsp

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// formatting lays the text out. A text with syntax errors stays as it is.
func (s *server) formatting(a *analysis, _ documentParams) (any, error) {
	format := front.Of(a.name, a.text.string).Format
	if format == nil {
		return nil, fmt.Errorf("erelong does not lay out files of %s", a.language)
	}
	out, err := format(a.name, a.text.string)
	var list *diag.List
	switch {
	case errors.As(err, &list):
		return []textEdit{}, nil
	case err != nil:
		return nil, err
	}
	return a.text.difference(out), nil
}

// difference is the edit that makes another text of a text: the lines between the first and the
// last that differ.
func (t text) difference(other string) []textEdit {
	if t.string == other {
		return []textEdit{}
	}
	o := newText(other)
	lineOf := func(t text, i int) string {
		if i+1 < len(t.lines) {
			return t.string[t.lines[i]:t.lines[i+1]]
		}
		return t.string[t.lines[i]:]
	}
	first, n := 0, min(len(t.lines), len(o.lines))
	for first < n-1 && lineOf(t, first) == lineOf(o, first) {
		first++
	}
	last := 0
	for last < n-1-first && lineOf(t, len(t.lines)-1-last) == lineOf(o, len(o.lines)-1-last) {
		last++
	}
	start := t.lines[first]
	end, otherEnd := len(t.string), len(other)
	if last > 0 {
		end, otherEnd = t.lines[len(t.lines)-last], o.lines[len(o.lines)-last]
	}
	return []textEdit{{t.rangeOf(start, end), other[o.lines[first]:otherEnd]}}
}

// folding gives the parts of more than one line: what is in braces, declarations, and comments.
func (a *analysis) folding(documentParams) []foldingRange {
	out := []foldingRange{}
	if a.tree == nil {
		return out
	}
	seen := map[int]bool{}
	add := func(start, end int, kind string) {
		if end > start && !seen[start] {
			seen[start] = true
			out = append(out, foldingRange{start, end, kind})
		}
	}
	var open []int
	comment, last := -1, -1 // the first and the last line of a block of comments
	for i, t := range a.tree.Tokens {
		line := a.text.line(t.Start)
		alone := i == 0 || a.text.line(a.tree.Tokens[i-1].Start) != line
		if t.Kind == syntax.Comment && alone {
			if comment < 0 || line != last+1 {
				add(comment, last, "comment")
				comment = line
			}
			last = line
			continue
		}
		if comment >= 0 {
			add(comment, last, "comment")
			comment, last = -1, -1
		}
		switch t.Kind {
		case "{":
			open = append(open, line)
		case "}":
			if len(open) > 0 {
				add(open[len(open)-1], line-1, "region")
				open = open[:len(open)-1]
			}
		}
	}
	for _, d := range a.tree.Decls {
		add(a.text.line(d.Pos().Start), a.text.line(d.Pos().End), "region")
	}
	slices.SortFunc(out, func(x, y foldingRange) int {
		return cmp.Compare(x.StartLine, y.StartLine)
	})
	return out
}

// selection gives, for each position, the parts of the tree around it, from the inside out.
func (a *analysis) selection(p selectionParams) []selectionRange {
	out := []selectionRange{}
	for _, at := range p.Positions {
		offset := a.text.offset(at)
		spans := []diag.Span{{Start: 0, End: len(a.text.string)}}
		if a.tree != nil {
			for _, d := range a.tree.Decls {
				if s := d.Pos(); s.Start <= offset && offset <= s.End {
					around(reflect.ValueOf(d), offset, &spans)
				}
			}
		}
		slices.SortStableFunc(spans, func(x, y diag.Span) int {
			return cmp.Compare(y.End-y.Start, x.End-x.Start)
		})
		var current *selectionRange
		last := diag.Span{Start: -1}
		for _, s := range spans {
			if last.Start >= 0 && (s.Start < last.Start || s.End > last.End ||
				s.Start == last.Start && s.End == last.End) {
				continue
			}
			current, last = &selectionRange{a.text.rangeOf(s.Start, s.End), current}, s
		}
		out = append(out, *current)
	}
	return out
}

var spanType = reflect.TypeFor[diag.Span]()

// around collects the spans in a tree that contain an offset.
func around(v reflect.Value, offset int, to *[]diag.Span) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			around(v.Elem(), offset, to)
		}
	case reflect.Slice:
		for i := range v.Len() {
			around(v.Index(i), offset, to)
		}
	case reflect.Struct:
		if v.Type() == spanType {
			if s := v.Interface().(diag.Span); !s.IsZero() && s.Start <= offset && offset <= s.End {
				*to = append(*to, s)
			}
			return
		}
		if !strings.HasSuffix(v.Type().PkgPath(), "/syntax") {
			return
		}
		for i := range v.NumField() {
			around(v.Field(i), offset, to)
		}
	}
}

// actions offers the fixes of the diagnostics in a range.
func (s *server) actions(a *analysis, p codeActionParams) (any, error) {
	out := []codeAction{}
	from, to := a.text.offset(p.Range.Start), a.text.offset(p.Range.End)
	wanted := func(kind string) bool {
		return len(p.Context.Only) == 0 || slices.ContainsFunc(p.Context.Only,
			func(k string) bool { return k == kind || strings.HasPrefix(kind, k+".") })
	}
	for _, d := range a.diagnostics {
		if !wanted("quickfix") || !a.own(d.Span) || d.Span.Start > to || d.Span.End < from {
			continue
		}
		shown := []diagnostic{a.diagnostic(d)}
		if d.Edit != nil && a.own(d.Edit.Span) {
			out = append(out, codeAction{
				Title: editTitle(d.Edit), Kind: "quickfix", Diagnostics: shown, IsPreferred: true,
				Edit: a.edit(d.Edit.Span, d.Edit.New),
			})
		}
		if diag.IsLint(d.Code) && d.Code != diag.MeantNothing {
			at := diag.Span{Source: d.Span.Source, Start: a.text.end(a.text.line(d.Span.Start))}
			at.End = at.Start
			out = append(out, codeAction{
				Title: fmt.Sprintf("It is meant: # meant: %s", d.Code), Kind: "quickfix",
				Diagnostics: shown,
				Edit:        a.edit(at, fmt.Sprintf("  # meant: %s", d.Code)),
			})
		}
		if d.Code != "" {
			out = append(out, codeAction{
				Title: "Explain " + string(d.Code), Kind: "quickfix", Diagnostics: shown,
				Command: &command{"Explain " + string(d.Code), commandExplain,
					[]any{string(d.Code)}},
			})
		}
	}
	if wanted("quickfix") {
		out = append(out, s.lemmaActions(a, from, to)...)
	}
	return out, nil
}

func editTitle(e *diag.Edit) string {
	switch {
	case e.New == "":
		return fmt.Sprintf("Delete '%s'", e.Span.Text())
	case e.Span.Start == e.Span.End:
		return fmt.Sprintf("Insert '%s'", strings.TrimSpace(e.New))
	}
	return fmt.Sprintf("Replace '%s' by '%s'", e.Span.Text(), e.New)
}

func (a *analysis) edit(span diag.Span, text string) *workspaceEdit {
	return &workspaceEdit{map[string][]textEdit{a.uri: {{a.text.spanRange(span), text}}}}
}
