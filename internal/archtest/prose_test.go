package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// vague matches words that make a reader look back for what they stand for. The noun itself is
// clearer.
var vague = regexp.MustCompile(`(?i)\b(likewise|those|so\s+many|it\s+does\s+so|so\s+it\s+does)\b`)

// No comment of a Go file and no page has a vague word.
func TestProse(t *testing.T) {
	root := filepath.Join("..", "..")
	comments, pages := 0, 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == ".git"):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		switch filepath.Ext(name) {
		case ".go":
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			for _, group := range file.Comments {
				comments++
				checkProse(t, name, set.Position(group.Pos()).Line, group.Text())
			}
		case ".md":
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			pages++
			checkProse(t, name, 1, string(text))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if comments == 0 || pages == 0 {
		t.Errorf("found %d comments and %d pages", comments, pages)
	}
}

// checkProse reports the vague words of a text that begins in a line of a file.
func checkProse(t *testing.T, name string, line int, text string) {
	t.Helper()
	for _, at := range vague.FindAllStringIndex(text, -1) {
		t.Errorf("%s:%d: %q: name the thing instead", name, line+strings.Count(text[:at[0]], "\n"),
			text[at[0]:at[1]])
	}
}

func TestVagueWords(t *testing.T) {
	for text, want := range map[string]bool{
		"The others, likewise.": true, "Those of a state.": true, "so\nmany states": true, "and so it does": true,
		"thoseof, so manyfold": false, "the states of a run": false,
	} {
		if got := vague.MatchString(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
