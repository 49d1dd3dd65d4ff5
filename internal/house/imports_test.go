// Package house holds no code: its tests keep the rules of the house: imports in one direction, links, plain words.
package house

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// levels lists the packages from top to bottom, the packages of one level on one line. A package
// may import only packages of levels below its own. ARCHITECTURE.md shows the same list.
var levels = [][]string{
	{"cmd/erelong", "bench", "tools/embedz3", "tools/licences", "tools/strip"},
	{"internal/cli", "."},
	{"internal/sim"},
	{"internal/certificate", "internal/report", "internal/verify"},
	{"internal/engine/infer", "internal/engine/rank"},
	{"internal/engine/refute"},
	{"internal/engine/bmc", "internal/engine/explicit", "internal/engine/fbii", "internal/engine/induct", "internal/engine/temporal", "internal/engine/zone",
		"internal/export"},
	{"internal/engine", "internal/front"},
	{"internal/testkit", "internal/compile", "internal/symmetry", "internal/cutoff", "internal/independence", "internal/explain", "internal/discharge",
		"internal/vacuity"},
	{"internal/engine/explicit/store", "internal/interp", "internal/unroll", "internal/lang", "internal/lang/strip", "internal/front/uppaal"},
	{"internal/smt", "internal/lang/check", "internal/lang/format", "internal/lang/lint", "internal/system/systemtest"},
	{"internal/itf", "internal/lang/syntax", "internal/system", "internal/smt/wasmz3"},
	{"internal/logic", "internal/verdict", "internal/wasm/unwind", "internal/timed"},
	{"internal/diag", "internal/wasm", "internal/cutoff/oracletest"},
}

func TestImportsGoDownwards(t *testing.T) {
	level := map[string]int{}
	for i, packages := range levels {
		for _, p := range packages {
			level[path.Join("erelong", p)] = i
		}
	}
	root := filepath.Join("..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		self := path.Join("erelong", filepath.ToSlash(rel))
		from, ok := level[self]
		if !ok {
			t.Errorf("%s is not in the list of levels", self)
			return nil
		}
		seen++
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if !strings.HasPrefix(imported, "erelong/") {
				continue
			}
			if to, ok := level[imported]; !ok || to <= from {
				t.Errorf("%s imports %s, which is not below it", name, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Error("no files found")
	}
}
