package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// edit replaces the bytes from one offset of a file to another.
type edit struct {
	from, to int
	text     string
}

// site is a place of a file with one fault that can be planted there.
type site struct {
	file     string // with slashes, from the root of the module
	function string // "T.method" or "function"; "" in a declaration of variables
	kind     string
	before   string // on one line
	after    string
	number   int // 1, 2, ... among the sites that otherwise look the same
	line     int
	edits    []edit
}

// key describes the site without its line, so that it stays the same while other code changes.
func (s site) key() string {
	where := s.file
	if s.function != "" {
		where += " " + s.function
	}
	key := fmt.Sprintf("%s: %s: %s => %s", where, s.kind, s.before, s.after)
	if s.number > 1 {
		key += fmt.Sprintf(" (%d)", s.number)
	}
	return key
}

// plant gives the text with the fault.
func (s site) plant(text []byte) []byte {
	edits := slices.SortedFunc(slices.Values(s.edits), func(a, b edit) int {
		return cmp.Compare(a.from, b.from)
	})
	var out []byte
	end := 0
	for _, e := range edits {
		out = append(append(out, text[end:e.from]...), e.text...)
		end = e.to
	}
	return append(out, text[end:]...)
}

// sitesOf lists the sites of the package in a folder of the module. Files for other systems than
// the ones with a build constraint would need are not told apart: what is not compiled is not
// killed, and shows up.
func sitesOf(root string, t target) ([]site, error) {
	names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(t.pkg), "*.go"))
	if err != nil {
		return nil, err
	}
	var out []site
	for _, name := range names {
		base := filepath.Base(name)
		if strings.HasSuffix(base, "_test.go") || slices.Contains(t.leaveOut, base) ||
			len(t.only) > 0 && !slices.Contains(t.only, base) {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		found, err := sitesIn(path.Join(t.pkg, base), text)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no place for a fault", t.pkg)
	}
	return out, nil
}

// sitesIn lists the sites of one file.
func sitesIn(file string, text []byte) ([]site, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &finder{file: file, text: text, set: set, seen: map[string]int{}}
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				f.function = nameOf(d)
				f.last = lastStatement(d.Body)
				ast.Inspect(d.Body, f.visit)
			}
		case *ast.GenDecl:
			// Constants are names of numbers, and limits of work.
			if d.Tok == token.VAR {
				f.function = ""
				ast.Inspect(d, f.visit)
			}
		}
	}
	return f.out, nil
}

func nameOf(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + d.Name.Name
		default:
			return d.Name.Name
		}
	}
}

func lastStatement(b *ast.BlockStmt) ast.Stmt {
	if len(b.List) == 0 {
		return nil
	}
	return b.List[len(b.List)-1]
}

// pick orders sites so that the first N are spread over the files, in proportion to what the files
// hold, and within a file over the kinds of faults. The order depends on the seed and on the
// descriptions of the sites alone, so a change elsewhere hardly changes it.
func pick(sites []site, seed int) []site {
	hash := func(s site) uint64 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%s %d", s.key(), seed)
		x := h.Sum64() // mixed once more: similar keys have similar sums
		x = (x ^ x>>33) * 0xff51afd7ed558ccd
		return x ^ x>>33
	}
	byFile := map[string][]site{}
	for _, s := range sites {
		byFile[s.file] = append(byFile[s.file], s)
	}
	type ranked struct {
		site
		rank float64
	}
	var all []ranked
	for _, in := range byFile {
		slices.SortFunc(in, func(a, b site) int { return cmp.Compare(hash(a), hash(b)) })
		turn, kinds := make([]int, len(in)), map[string]int{}
		order := make([]int, len(in))
		for i, s := range in {
			turn[i], order[i] = kinds[s.kind], i
			kinds[s.kind]++
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(turn[a], turn[b]) })
		offset := float64(hash(in[0])%1000) / 1000
		for place, i := range order {
			all = append(all, ranked{in[i], (float64(place) + offset) / float64(len(in))})
		}
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(hash(a.site), hash(b.site)))
	})
	out := make([]site, len(all))
	for i, r := range all {
		out[i] = r.site
	}
	return out
}
