package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var reference = regexp.MustCompile(`(?:href|src)="([^"]*)"`)

// Every link of the site leads to one of its files, and nothing comes from elsewhere; the search
// knows every page.
func TestSite(t *testing.T) {
	out := t.TempDir()
	if err := write(filepath.Join("..", ".."), out); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"playground/index.html": ""}
	err := filepath.WalkDir(out, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, err2 := filepath.Rel(out, name)
		files[filepath.ToSlash(rel)] = string(text)
		if err == nil {
			err = err2
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for name, text := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			to, anchor, anchored := strings.Cut(m[1], "#")
			to, _, _ = strings.Cut(to, "?")
			if strings.Contains(to, "://") && !strings.Contains(m[0], "src") {
				continue
			}
			seen++
			target := path.Join(path.Dir(name), to)
			if to == "" {
				target = name
			}
			text, ok := files[target]
			if !ok || anchored && !strings.Contains(text, `id="`+anchor+`"`) {
				t.Errorf("%s: %s leads nowhere", name, m[0])
			}
		}
	}
	if seen < 500 {
		t.Errorf("only %d links were found", seen)
	}
	var index []entry
	list := strings.TrimSuffix(strings.TrimPrefix(files["index.js"], "const index = "), ";\n")
	if err := json.Unmarshal([]byte(list), &index); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, e := range index {
		known[e.Page] = true
		if _, ok := files[e.Page]; !ok || e.Title == "" {
			t.Errorf("the search leads to %q, %q", e.Page, e.Title)
		}
	}
	for name := range files {
		if path.Ext(name) == ".html" && name != "playground/index.html" && !known[name] {
			t.Errorf("the search does not know %s", name)
		}
	}
	if !strings.Contains(files["index.html"], `playground/index.html?name=lock.ere&amp;text=sort&#43;client`) &&
		!strings.Contains(files["index.html"], `playground/index.html?name=lock.ere&amp;text=sort+client`) {
		t.Error("the lock of README.md cannot be tried")
	}
}
