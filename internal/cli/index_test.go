package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// examples/README.md lists the examples from their headers. `go test ./internal/cli -run Index
// -update` writes it.
func TestIndexOfExamples(t *testing.T) {
	const root = "../../examples/"
	files := glob(t, root+"*.ere", root+"*/*.ere", root+"*/*.xta")
	slices.SortFunc(files, func(a, b string) int {
		return strings.Compare(filepath.Dir(a)+"\x00"+a, filepath.Dir(b)+"\x00"+b)
	})
	var b strings.Builder
	b.WriteString("# Examples\n\n`erelong verify --expect FILE` says what the table expects; a test runs them all. The table is made of the headers of the files,\n" +
		"by `go test ./internal/cli -run Index -update`.\n\n| file | what it is | expected |\n|---|---|---|\n")
	for _, path := range files {
		title, expected := header(t, path)
		if title == "" || expected == "" {
			t.Errorf("%s: its header does not say what it is, or what is expected", path)
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.ToSlash(name)
		cell := strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`)
		b.WriteString("| [" + name + "](" + name + ") | " + cell.Replace(title) + " | " +
			cell.Replace(expected) + " |\n")
	}
	if *update {
		if err := os.WriteFile(root+"README.md", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(root + "README.md"); err != nil || string(have) != b.String() {
		t.Errorf("examples/README.md is not what the headers say (%v): go test ./internal/cli -run Index -update", err)
	}
}

var beginning = regexp.MustCompile(`^(#|//) ?`)

// header gives the first sentence of a file, and the text under Expect.
func header(t *testing.T, path string) (title, expected string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		mark := beginning.FindString(line)
		if mark == "" {
			break
		}
		lines = append(lines, strings.TrimSpace(line[len(mark):]))
	}
	paragraph := func(from int) string {
		to := from
		for to < len(lines) && lines[to] != "" && (to == from || !strings.HasPrefix(lines[to], "Expect")) {
			to++
		}
		return strings.Join(lines[from:to], " ")
	}
	if len(lines) > 0 {
		title, _, _ = strings.Cut(paragraph(0), " From: ")
		title, _, _ = strings.Cut(title+" ", ". ")
		title = strings.TrimSpace(title)
	}
	for i, line := range lines {
		if word, _, found := strings.Cut(line, ":"); found && (word == "Expect" || word == "Expected") {
			_, expected, _ = strings.Cut(paragraph(i), ":")
		}
	}
	return strings.TrimSuffix(title, "."), strings.TrimSpace(expected)
}
