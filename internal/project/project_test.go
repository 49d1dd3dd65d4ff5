package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	files, err := s.Files()
	if want := []string{filepath.FromSlash("../../1.x"), filepath.FromSlash("../../2.x"),
		filepath.FromSlash("../1.x")}; err != nil || !slices.Equal(files, want) {
		t.Errorf("the files are %q, %v, want %q", files, err, want)
	}
	if got := s.Path("keys/"); got != filepath.FromSlash("../../keys/") {
		t.Errorf("a folder is %q", got)
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
	known := Known{Everywhere: []string{"limit"},
		Of: map[string][]string{"check": {"limit", "list"}}, Refused: func(string) string { return "" }}
	if err := s.Check(known); err != nil {
		t.Error(err)
	}
	known.Of["check"] = []string{"limit"}
	if s.Check(known) == nil {
		t.Error("an unknown option is accepted")
	}
}

// Each key has its place, however it is written.
func TestPlaces(t *testing.T) {
	text := "# \"a\" = 1\n\"a\" = 1\nx = \"\"\"\nb = 2\n\"\"\"\nc.d = 3\n  [ e ]\nb = \"two [f]\"\ng = { h = 1 }\n"
	_, err := read(t.TempDir(), text)
	if err == nil {
		t.Fatal("a table in a table is accepted")
	}
	if at := err.Error(); !strings.Contains(at, ":9:1:") {
		t.Errorf("the table in a table is at %s", at)
	}
	s, err := read(t.TempDir(), strings.Replace(text, "g = { h = 1 }\n", "", 1))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range s.Lines() {
		_, line, _ = strings.Cut(line, Name+":")
		got = append(got, line)
	}
	want := []string{"2:1: a = 1", "3:1: x = b = 2\n", "6:1: d = 3, of c", "8:1: b = two [f], of e"}
	if !slices.Equal(got, want) {
		t.Errorf("the places are %q, want %q", got, want)
	}
	if s.headers["e"].String() == "-" {
		t.Error("the header of e has no place")
	}
}

// A text that is no TOML is reported where it ceases to be, also for what is given twice.
func TestBroken(t *testing.T) {
	for text, place := range map[string]string{"a = 1\nb = [\n": ":2:", "a = 1\na = 2\n": ":2:",
		"a = 1\n\nc = = 2\n": ":3:"} {
		_, err := read(t.TempDir(), text)
		if err == nil || !strings.Contains(err.Error(), Name+place) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
