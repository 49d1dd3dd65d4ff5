package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What one function, file and type may have. Above that, it does more than one thing. A type with
// at most dataMethods is plain data, and may have any number of fields.
const (
	maxFunction = 80  // lines
	maxFile     = 500 // lines
	maxMethods  = 40
	maxFields   = 20
	dataMethods = 2
)

// large are the parts that are larger, with what they have. A number may only become smaller. What
// comes within the limits is taken from its list. Parsers and elaborators have a method for each
// construct.
var large = map[string]map[string]int{
	"function": {
		"internal/front/ere/check/checker.ranking": 90,
		"internal/front/ere/syntax/scan":           86,
	},
	"methods": {
		"internal/front/ere/check/checker":  45,
		"internal/front/ere/rewrite/source": 49,
		"internal/front/ere/syntax/parser":  80,
		"internal/front/uppaal/elaborator":  63,
	},
	"fields": {},
}

// TestSizes measures the whole module; of tests, only the files.
func TestSizes(t *testing.T) {
	measured := measure(t)
	limits := map[string]int{"function": maxFunction, "file": maxFile, "methods": maxMethods,
		"fields": maxFields}
	for kind, limit := range limits {
		for _, name := range slices.Sorted(maps.Keys(measured[kind])) {
			n, most := measured[kind][name], max(limit, large[kind][name])
			if kind == "fields" && measured["methods"][name] <= dataMethods {
				continue
			}
			if n > most {
				t.Errorf("%s: %d instead of at most %d: %s", name, n, most, kind)
			}
		}
		for name := range large[kind] {
			if measured[kind][name] <= limit {
				t.Errorf("%s is within the limit (%s): take it from the list", name, kind)
			}
		}
	}
}

// measure gives the lines of functions and files, and the methods and fields of types, by names.
func measure(t *testing.T) map[string]map[string]int {
	t.Helper()
	out := map[string]map[string]int{"function": {}, "file": {}, "methods": {}, "fields": {}}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if path, err = filepath.Rel(root, path); err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		out["file"][path] = set.File(file.FileStart).LineCount()
		if strings.HasSuffix(path, "_test.go") {
			return nil
		}
		room := strings.TrimSuffix(path, filepath.Base(path))
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				name := room + n.Name.Name
				if n.Recv != nil {
					of := room + receiver(n.Recv.List[0].Type)
					out["methods"][of]++
					name = of + "." + n.Name.Name
				}
				out["function"][name] = max(out["function"][name],
					set.Position(n.End()).Line-set.Position(n.Pos()).Line+1)
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok {
					for _, f := range s.Fields.List {
						out["fields"][room+n.Name.Name] += max(1, len(f.Names))
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// receiver is the name of the type of a method.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
