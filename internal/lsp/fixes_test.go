package lsp

import (
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front"
)

// checked gives the diagnostics of a text.
func checked(t *testing.T, name, text string) []*diag.Diagnostic {
	t.Helper()
	file, err := front.Read(t.Context(), name, text, front.Options{})
	if list, ok := err.(*diag.List); ok {
		return list.All
	}
	return file.Warnings.All
}

// An edit that fixes a diagnostic leaves a text without this diagnostic. The texts are the examples
// of the catalogue, and a few that have an edit each.
func TestFixes(t *testing.T) {
	texts := map[string]diag.Code{
		"sort node\nmutable relation waiting(node)\ninit !wating(N)":                                          diag.UnresolvedName,
		"mutable relation r(node)\ninit !r(N)":                                                                diag.UnresolvedSort,
		"mutable relation r, s\ninit !r & !s\ntransition t() modifies r new(r) & new(s)":                      diag.NotModified,
		"sort a\nsort b\nmutable relation r(a, b)\ninit !r(X, Y)\ninstance i { a = 2 }":                       diag.MissingSize,
		"immutable relation r\ninit r":                                                                        diag.NoMutable,
		"mutable constant x: int\ninit x = 0\naction a() { x := 1; }\nsafety [low] x < 2\nexpect [lov] holds": diag.UnknownTarget,
		"sort s\nmutable relation r(s)\ninit !r(N)\naction a(n: s, m: s) { r(n) := true; }\n" +
			"safety [p] r(N) | !r(N)": diag.UnusedParameter,
		"mutable constant x: int\ninit x = 0\naction a() {\n  x := (1\n}\n": diag.Syntax,
	}
	for text, code := range texts {
		list := checked(t, "x.ere", text)
		if !slices.ContainsFunc(list, func(d *diag.Diagnostic) bool {
			return d.Code == code &&
				d.Edit != nil
		}) {
			t.Errorf("no edit for %s in\n%s\n%v", code, text, &diag.List{All: list})
		}
	}
	for _, e := range diag.Catalogue() {
		texts[e.Example] = e.Code
	}
	edits := 0
	for text := range texts {
		for _, d := range checked(t, "x.ere", text) {
			if d.Edit == nil {
				continue
			}
			edits++
			s := d.Edit.Span
			fixed := text[:s.Start] + d.Edit.New + text[s.End:]
			for _, other := range checked(t, "x.ere", fixed) {
				if other.Code == d.Code && other.Message == d.Message {
					t.Errorf("the edit for\n%s\nin\n%s\nleaves it in\n%s", d.Error(), text, fixed)
				}
			}
		}
	}
	if edits < 10 {
		t.Errorf("only %d edits", edits)
	}
}

// What is missing has no edit where its text is not known.
func TestNoFix(t *testing.T) {
	text := "mutable relation r\ninit !r\nsafety [p] r | !r\ninstance one { }\nexpect [p] holds in one states\n"
	list := checked(t, "x.ere", text)
	if len(list) != 1 || list[0].Code != diag.Syntax || list[0].Edit != nil {
		t.Errorf("%+v", list[0])
	}
}

// After an error in a statement the rest of the action still has its names and sorts.
func TestNamesBesideErrors(t *testing.T) {
	c := start(t, nil)
	text := strings.Replace(spec, "held(n) := true;", "held(n) := ;\n  at(n) = 3;", 1)
	c.open(lockURI, text)
	if list := c.diagnostics(lockURI); len(list) != 2 {
		t.Errorf("%+v", list)
	}
	var h *hover
	c.request("textDocument/hover", at(lockURI, text, "steps;", 1), &h)
	if h == nil || !strings.Contains(h.Contents.Value, "steps: 0..last") {
		t.Errorf("%+v", h)
	}
}
