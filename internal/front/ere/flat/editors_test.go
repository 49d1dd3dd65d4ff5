package flat

import (
	"os"
	"path/filepath"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

func examples(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../../../examples/data/*.ere")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	out := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[file] = string(text)
	}
	return out
}

func parsed(text string) *syntax.File {
	return syntax.Parse(diag.NewSource("x.ere", text), &diag.List{})
}

// A field with another name at all of its places leaves a file without errors. A field with another
// name at all places but one, behind a period, does not.
func TestFieldsAreRenamed(t *testing.T) {
	renamed := 0
	for file, text := range examples(t) {
		for _, f := range TypesOf(parsed(text)).Fields() {
			for left := -1; left < len(f.Places); left++ {
				if left >= 0 && text[f.Places[left].Start-1] != '.' {
					continue
				}
				out := []byte(text)
				for i, p := range f.Places {
					if i != left {
						copy(out[p.Start:], "Q")
					}
				}
				errs := &diag.List{}
				tree := syntax.Parse(diag.NewSource(file, string(out)), errs)
				if File(t.Context(), tree, errs); (errs.Err() == nil) != (left < 0) {
					t.Errorf("%s: %s at %v, except place %d: %v", file, f.Name, f.Places, left,
						errs.Err())
				}
			}
			renamed++
		}
	}
	if renamed < 20 {
		t.Errorf("%d fields", renamed)
	}
}

// Types are found in texts that end anywhere.
func TestTypesOfUnfinishedTexts(t *testing.T) {
	for _, text := range examples(t) {
		for end := 0; end < len(text); end += 29 {
			TypesOf(parsed(text[:end])).Fields()
			TypesOf(parsed(text[:end] + text[min(end+17, len(text)):])).Fields()
		}
	}
}
