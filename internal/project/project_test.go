package project

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The nearest file counts, its paths begin in its folder, and a command's own value comes first.
func TestFind(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		Name:          "timeout = \"5m\"\n",
		"a/" + Name:   "files = [\"*.x\", \"sub/1.x\"]\nlimit = 3\n[check]\nlimit = 4\nlist = [1, true, \"z\"]\n",
		"a/1.x":       "",
		"a/2.x":       "",
		"a/sub/1.x":   "",
		"a/sub/deep/": "",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if text == "" && filepath.Ext(name) == "" {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(root, "a", "sub", "deep"))
	s, err := Find(".")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{filepath.FromSlash("../../1.x"), filepath.FromSlash("../../2.x"),
		filepath.FromSlash("../1.x")}; !slices.Equal(s.Files, want) {
		t.Errorf("the files are %q, want %q", s.Files, want)
	}
	for _, c := range []struct {
		command, option string
		want            []string
	}{
		{"check", "limit", []string{"4"}}, {"prove", "limit", []string{"3"}},
		{"check", "list", []string{"1", "true", "z"}}, {"check", "timeout", nil},
	} {
		if v, _ := s.Option(c.command, c.option); !slices.Equal(v.Texts, c.want) {
			t.Errorf("%s of %s is %q, want %q", c.option, c.command, v.Texts, c.want)
		}
	}
	if err := s.Check(map[string][]string{"check": {"limit", "list"}}); err != nil {
		t.Error(err)
	}
	if s.Check(map[string][]string{"check": {"limit"}}) == nil {
		t.Error("an unknown option is accepted")
	}
}
