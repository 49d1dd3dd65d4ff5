package lsp

import (
	"slices"
	"strings"

	"erelong.dev/erelong/internal/front/ere/names"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// inlay shows what the text implies: the quantifiers around a formula with capital letters, the
// sorts of variables, and which actions are not fair where runs matter.
func (a *analysis) inlay(p rangeParams) []inlayHint {
	out := []inlayHint{}
	if a.tree == nil {
		return out
	}
	from, to := a.text.offset(p.Range.Start), a.text.offset(p.Range.End)
	inside := func(offset int) bool { return from <= offset && offset <= to }
	implied := map[int][]string{}
	var starts []int
	for _, d := range a.names.Declarations {
		switch {
		case d.Kind == names.Implied:
			at := d.Scope.Start
			if implied[at] == nil {
				starts = append(starts, at)
			}
			implied[at] = append(implied[at], a.declared(d))
		case d.Local() && d.Kind != names.Point && d.Sort == nil && inside(d.Name.Span.End):
			if sort := a.sortOf(d); sort != "" {
				out = append(out, inlayHint{Position: a.text.position(d.Name.Span.End),
					Label: ": " + sort, Kind: hintType})
			}
		}
	}
	for _, at := range starts {
		if inside(at) {
			out = append(out, inlayHint{Position: a.text.position(at), Label: "forall " +
				strings.Join(implied[at], ", ") + ".", Kind: hintParameter, PaddingRight: true})
		}
	}
	if slices.ContainsFunc(a.tree.Decls, isAboutRuns) {
		for _, d := range a.tree.Decls {
			if x, ok := d.(*syntax.ActionDecl); ok && x.Fairness == "" && inside(x.Span.Start) {
				out = append(out, inlayHint{Position: a.text.position(x.Span.Start),
					Label: "unfair", Kind: hintParameter, PaddingRight: true})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y inlayHint) int {
		if x.Position.Line != y.Position.Line {
			return x.Position.Line - y.Position.Line
		}
		return x.Position.Character - y.Position.Character
	})
	return out
}

func isAboutRuns(d syntax.Decl) bool {
	f, ok := d.(*syntax.FormulaDecl)
	return ok && (f.Word == "liveness" || f.Word == "temporal")
}
