// Package strip takes away from a specification what helps a proof.
//
// In: a text. Out: the text without invariants, hints, proofs, traces, expectations, and
// definitions that nothing else uses; or without hints for liveness only. What is left says what
// the system is and what is to be proved, so it shows what a search finds alone. Trusted invariants
// stay: they are assumptions.
package strip

import (
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/format"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// Source strips a text. Without temporal, properties of runs go, too. The error is a *diag.List of
// what is no syntax.
func Source(name, text string, temporal bool) (string, error) {
	return source(name, text, func(d syntax.Decl) bool { return helps(d, temporal) })
}

// Hints takes away the hints for liveness alone.
func Hints(name, text string) (string, error) {
	return source(name, text, func(d syntax.Decl) bool {
		_, ok := d.(*syntax.RankDecl)
		return ok
	})
}

// source strips a text of some declarations, and of definitions that nothing else uses.
func source(name, text string, goes func(syntax.Decl) bool) (string, error) {
	errs := &diag.List{}
	f := syntax.Parse(diag.NewSource(name, text), errs)
	if err := errs.Err(); err != nil {
		return "", err
	}
	kept := slices.DeleteFunc(slices.Clone(f.Decls), goes)
	for n := -1; n != len(kept); {
		n = len(kept)
		kept = slices.DeleteFunc(kept, func(d syntax.Decl) bool { return unused(f, d, kept) })
	}
	return format.Source(name, without(f, kept))
}

// helps reports whether a declaration is there for a proof, or for a test.
func helps(d syntax.Decl, temporal bool) bool {
	switch d := d.(type) {
	case *syntax.FormulaDecl:
		return d.Word == "invariant" || d.Word == "theorem" ||
			!temporal && (d.Word == "temporal" || d.Word == "liveness")
	case *syntax.RankDecl, *syntax.FbiiDecl, *syntax.TraceDecl, *syntax.ExpectDecl,
		*syntax.AboutDecl:
		return true
	case *syntax.ReduceDecl:
		return !temporal
	}
	return false
}

// unused reports whether a declaration is a definition whose name occurs in no other one.
func unused(f *syntax.File, d syntax.Decl, among []syntax.Decl) bool {
	def, ok := d.(*syntax.DefinitionDecl)
	if !ok || def.Transition || def.States > 1 {
		return false
	}
	return !slices.ContainsFunc(among, func(other syntax.Decl) bool {
		if other == d {
			return false
		}
		at := other.Pos()
		return slices.ContainsFunc(f.Tokens, func(t syntax.Token) bool {
			return at.Start <= t.Start && t.End <= at.End &&
				f.Source.Text[t.Start:t.End] == def.Name.Text
		})
	})
}

// without is the text with only the declarations that are kept. Comments directly above a
// declaration go with it.
func without(f *syntax.File, kept []syntax.Decl) string {
	text, at := f.Source.Text, 0
	var b strings.Builder
	for _, d := range f.Decls {
		if slices.Contains(kept, d) {
			continue
		}
		from := d.Pos().Start
		for from > at {
			line := strings.LastIndexByte(strings.TrimRight(text[:from], " \t"+"\n"), '\n') + 1
			above := strings.TrimSpace(text[line:from])
			if !strings.HasPrefix(above, "#") || strings.Contains(text[line:from], "\n\n") ||
				line < at {
				break
			}
			from = line
		}
		b.WriteString(text[at:max(from, at)])
		at = d.Pos().End
	}
	return b.String() + text[at:]
}
