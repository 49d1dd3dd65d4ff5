package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)

// Every link from a page to a file of the project leads somewhere.
func TestLinks(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(
		name string, d fs.DirEntry, err error,
	) error {
		if err == nil && d.IsDir() && d.Name() == "node_modules" {
			return filepath.SkipDir // packages that tests have fetched
		}
		if err != nil || d.IsDir() || filepath.Ext(name) != ".md" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			seen++
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", name, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Error("no links found")
	}
}
