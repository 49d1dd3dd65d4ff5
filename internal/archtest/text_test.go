package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// messages are the fields that hold words for people. Programs decide by codes, types and errors.As
// instead.
var messages = []string{"Reason", "Theorem", "Detail", "Note", "Notes", "Summary", "Message", "Alarm", "Function"}

// searches are the functions of package strings that tell texts apart.
var searches = []string{"Contains", "HasPrefix", "HasSuffix", "Cut", "CutPrefix", "CutSuffix", "EqualFold", "Index", "Fields", "Split", "SplitN"}

// matches are the methods of regular expressions that do so.
var matches = []string{"MatchString", "FindString", "FindStringSubmatch", "FindAllString"}

// allowed are the reads that nothing can replace, by their file, with why.
var allowed = map[string]string{
	"internal/smt/wasmz3/instance.go": "the first line of an error is shown; the list of calls after it is not",
	"internal/itf/json.go":            "encoding/json tells the end of a text from a wrong last byte by the message alone",
}

// phrases are the comparisons with texts of several words that nothing can replace, by their file,
// with why. Such a text is almost always a message; a name in code is one word.
var phrases = map[string]string{
	"bench/main.go":                     "what the program prints of itself, since it is measured from outside",
	"internal/report/expect.go":         "words that UPPAAL writes into its files",
	"internal/front/ere/check/check.go": "words of the language: strong fair",
	"internal/front/front.go":           "the first line of Ivy's files",
	"internal/itf/json.go":              "encoding/json tells the end of a text from a wrong last byte by the message alone",
}

func TestControlFlowReadsNoMessages(t *testing.T) {
	noReads(t, readsOfMessages, allowed, "a message decides here")
}

func TestControlFlowReadsNoPhrases(t *testing.T) {
	noReads(t, readsOfPhrases, phrases, "a text of several words decides here")
}

// noReads looks for reads in the whole module, apart from its tests and the allowed files and
// folders; the name of a folder ends with a slash.
func noReads(t *testing.T, reads func(*ast.File) []read, allowed map[string]string, why string) {
	t.Helper()
	root, used := filepath.Join("..", ".."), map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		for _, found := range reads(file) {
			if path := allowedAs(allowed, filepath.ToSlash(rel)); path != "" {
				used[path] = true
				continue
			}
			t.Errorf("%s: %s: %s", set.Position(found.pos), why, found.what)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for path := range allowed {
		if !used[path] {
			t.Errorf("%s is allowed what the others are not, and does not do it", path)
		}
	}
}

// allowedAs is the allowed file or folder to which a path belongs, empty if there is none.
func allowedAs(allowed map[string]string, path string) string {
	for of := range allowed {
		if of == path || strings.HasSuffix(of, "/") && strings.HasPrefix(path, of) {
			return of
		}
	}
	return ""
}

func TestReadsOfMessages(t *testing.T) {
	for _, c := range []struct {
		expr string
		want bool
	}{
		{`r.Reason == "interrupted"`, true},
		{`r.Reason.Text != interrupted`, true},
		{`"x" == o.Alarm`, true},
		{`strings.HasPrefix(r.Reason.Text, "stopped")`, true},
		{`strings.Contains(err.Error(), "no solver")`, true},
		{`strings.Cut(x.Theorem, ": ")`, true},
		{`counted.MatchString(tier.Function)`, true},
		{`r.Reason.Code == result.Interrupted`, false},
		{`r.Reason.Text == ""`, false},
		{`r.Reason.Text == other.Reason.Text`, false},
		{`strings.Contains(name, "x")`, false},
		{`p.Kind == system.Theorem`, false},
		{`errors.Is(err, io.EOF)`, false},
	} {
		if got := len(readsOfMessages(expression(t, c.expr))) > 0; got != c.want {
			t.Errorf("%s: %t", c.expr, got)
		}
	}
}

func TestReadsOfPhrases(t *testing.T) {
	for _, c := range []struct {
		expr string
		want bool
	}{
		{`strings.HasPrefix(expected, "an expression")`, true},
		{`strings.Contains(e, " receives nothing")`, true},
		{`bytes.Contains(e, []byte("no solver"))`, true},
		{`x == "cut short"`, true},
		{`map[bool]int{"cut short" != x: 1}`, true},
		{`func() { switch x { case "cut short": } }`, true},
		{`x == "safety"`, false},
		{`strings.Contains(x, ": ")`, false},
		{`strings.Join(x, " receives nothing")`, false},
	} {
		if got := len(readsOfPhrases(expression(t, c.expr))) > 0; got != c.want {
			t.Errorf("%s: %t", c.expr, got)
		}
	}
}

// expression is a file with one expression.
func expression(t *testing.T, text string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nvar _ = "+text, 0)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

type read struct {
	pos  token.Pos
	what string
}

// readsOfMessages lists the comparisons of messages with other texts than the empty one and
// messages themselves.
func readsOfMessages(file *ast.File) (out []read) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op != token.EQL && n.Op != token.NEQ {
				break
			}
			x, y := message(n.X), message(n.Y)
			if x != "" && y == "" && !isEmpty(n.Y) || y != "" && x == "" && !isEmpty(n.X) {
				out = append(out, read{n.Pos(), x + y})
			}
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || len(n.Args) == 0 {
				break
			}
			p, ok := f.X.(*ast.Ident)
			search := ok && p.Name == "strings" && slices.Contains(searches, f.Sel.Name)
			if m := message(n.Args[0]); m != "" && (search || slices.Contains(matches, f.Sel.Name)) {
				out = append(out, read{n.Pos(), fmt.Sprintf("%s of %s", f.Sel.Name, m)})
			}
		}
		return true
	})
	return out
}

// words are two words in a row.
var words = regexp.MustCompile(`[[:alpha:]] [[:alpha:]]`)

// readsOfPhrases lists the comparisons with literals of several words.
func readsOfPhrases(file *ast.File) (out []read) {
	compared := func(e ast.Expr) {
		if text := literal(e); words.MatchString(text) {
			out = append(out, read{e.Pos(), text})
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				compared(n.X)
				compared(n.Y)
			}
		case *ast.CaseClause:
			for _, e := range n.List {
				compared(e)
			}
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || len(n.Args) < 2 || !slices.Contains(searches, f.Sel.Name) {
				break
			}
			if p, ok := f.X.(*ast.Ident); ok && (p.Name == "strings" || p.Name == "bytes") {
				compared(n.Args[1])
			}
		}
		return true
	})
	return out
}

// literal is the text of a literal, also as bytes; empty for other expressions.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ := strconv.Unquote(e.Value)
			return text
		}
	case *ast.CallExpr:
		if _, bytes := e.Fun.(*ast.ArrayType); bytes && len(e.Args) == 1 {
			return literal(e.Args[0])
		}
	}
	return ""
}

// message names the message that an expression gives, empty for none.
func message(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		if e.Sel.Name == "Text" {
			if inner, ok := e.X.(*ast.SelectorExpr); ok && inner.Sel.Name == "Reason" {
				return "Reason.Text"
			}
		}
		if p, ok := e.X.(*ast.Ident); ok && (p.Name == "system" || p.Name == "result") {
			return "" // a constant of the package
		}
		if slices.Contains(messages, e.Sel.Name) {
			return e.Sel.Name
		}
	case *ast.CallExpr:
		if f, ok := e.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Error" && len(e.Args) == 0 {
			return "Error()"
		}
	}
	return ""
}

// isEmpty reports whether an expression is the empty text, nil, or a zero value.
func isEmpty(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return err == nil && text == ""
	case *ast.Ident:
		return e.Name == "nil"
	case *ast.ParenExpr:
		return isEmpty(e.X)
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	}
	return false
}
