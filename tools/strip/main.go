// Command strip removes the parts of specifications that help a proof.
//
// In: files. Out: each file, in the directory of -out and under its own name, without invariants,
// hints, proofs, traces, expectations, and unused definitions. The rest states the system and its
// claims, so it shows what `erelong infer` finds alone. Trusted invariants stay: they are
// assumptions. -temporal=false also removes properties of runs.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"erelong/internal/diag"
	"erelong/internal/lang/format"
	"erelong/internal/lang/syntax"
)

func main() {
	out := flag.String("out", "", "the directory for the files; it is made if there is none")
	temporal := flag.Bool("temporal", true, "keep temporal and liveness properties")
	flag.Parse()
	if *out == "" || flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: strip -out DIR FILE...")
		os.Exit(2)
	}
	for _, path := range flag.Args() {
		if err := file(path, *out, *temporal); err != nil {
			fmt.Fprintln(os.Stderr, "strip:", err)
			os.Exit(1)
		}
	}
}

func file(path, dir string, temporal bool) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, err = strip(path, text, temporal)
	if err != nil {
		return fmt.Errorf("stripping %s: %w", path, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, filepath.Base(path)), text, 0o644)
}

// strip gives a text without the parts that help a proof.
func strip(name string, text []byte, temporal bool) ([]byte, error) {
	errs := &diag.List{}
	f := syntax.Parse(diag.NewSource(name, string(text)), errs)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	kept := slices.DeleteFunc(slices.Clone(f.Decls), func(d syntax.Decl) bool { return helps(d, temporal) })
	for n := -1; n != len(kept); {
		n = len(kept)
		kept = slices.DeleteFunc(kept, func(d syntax.Decl) bool { return unused(f, d, kept) })
	}
	laid, err := format.Source(name, without(f, kept))
	return []byte(laid), err
}

// helps reports whether a declaration serves a proof or a test.
func helps(d syntax.Decl, temporal bool) bool {
	switch d := d.(type) {
	case *syntax.FormulaDecl:
		return d.Word == "invariant" || d.Word == "theorem" || !temporal && (d.Word == "temporal" || d.Word == "liveness")
	case *syntax.RankDecl, *syntax.FbiiDecl, *syntax.TraceDecl, *syntax.ExpectDecl, *syntax.AboutDecl:
		return true
	case *syntax.ReduceDecl:
		return !temporal
	}
	return false
}

// unused reports whether a declaration is a definition whose name occurs in no other declaration.
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
			return at.Start <= t.Start && t.End <= at.End && f.Source.Text[t.Start:t.End] == def.Name.Text
		})
	})
}

// without is the text with only the kept declarations. Comments directly above a declaration go
// with it.
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
			if !strings.HasPrefix(above, "#") || strings.Contains(text[line:from], "\n\n") || line < at {
				break
			}
			from = line
		}
		b.WriteString(text[at:max(from, at)])
		at = d.Pos().End
	}
	return b.String() + text[at:]
}
