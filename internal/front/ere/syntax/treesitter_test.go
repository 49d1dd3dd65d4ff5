package syntax

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var treeSitter = filepath.Join("..", "..", "..", "..", "editors", "tree-sitter")

var updateCorpus = flag.Bool("update", false, "write the trees of the corpus anew")

// trees has Neovim parse texts with the grammar for tree-sitter, as an editor would, and run the
// query for colours on them. It skips where there is no Neovim or no C compiler.
func trees(t *testing.T, texts []string) (out struct {
	Trees []string
	Found []int // nodes that have a colour
}) {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler (cc)")
	}
	neovim, err := exec.LookPath("nvim")
	if err != nil {
		t.Skip("there is no Neovim (nvim)")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	run := func(env []string, name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Env = append(os.Environ(), env...)
		if printed, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, printed)
		}
	}
	dir := t.TempDir()
	library := filepath.Join(dir, "erelong.so")
	run(nil, compiler, "-shared", "-fPIC", "-O0", "-I", filepath.Join(treeSitter, "src"),
		filepath.Join(treeSitter, "src", "parser.c"), "-o", library)
	query, err := os.ReadFile(filepath.Join(treeSitter, "queries", "highlights.scm"))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := json.Marshal(map[string]any{"grammar": library, "texts": texts,
		"query": string(query)})
	if err != nil {
		t.Fatal(err)
	}
	planFile, answer := filepath.Join(dir, "plan.json"), filepath.Join(dir, "trees.json")
	if err := os.WriteFile(planFile, plan, 0o644); err != nil {
		t.Fatal(err)
	}
	run([]string{"ERELONG_PLAN=" + planFile, "ERELONG_RESULT=" + answer}, neovim, "--headless",
		"-u", "NONE", "-i", "NONE", "-c", "luafile testdata/treesitter.lua")
	read, err := os.ReadFile(answer)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(read, &out); err != nil {
		t.Fatal(err)
	}
	if len(out.Trees) != len(texts) {
		t.Fatalf("%d trees of %d texts", len(out.Trees), len(texts))
	}
	return out
}

// The grammar for tree-sitter reads every example, and the texts of docs/grammar.md, without an
// error; what it does not accept has one; and the texts of its corpus have the trees that the
// corpus says.
func TestTreeSitter(t *testing.T) {
	type sample struct{ name, text, tree, file string }
	var all []sample
	examples, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "examples", "*.ere"))
	if err != nil {
		t.Fatal(err)
	}
	deeper, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "examples", "*", "*.ere"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(examples, deeper...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, sample{name: path, text: string(text)})
	}
	if len(all) < 30 {
		t.Fatalf("there are %d examples", len(all))
	}
	g := readGrammar(t)
	for seed := range int64(500) {
		g.Rand, g.out, g.runs = rand.New(rand.NewSource(seed)), nil, false
		g.make("declaration", 0)
		all = append(all,
			sample{name: fmt.Sprintf("seed %d", seed),
				text: strings.ReplaceAll(strings.Join(g.out, " "), " "+joint, "")})
	}
	wrong := []string{"sort", "action a { }", "safety [p] x +", "init x = ", "instance i { a }",
		"mutable relation r(", "expect [p] perhaps", "axiom a b", "axiom r .f", "axiom { a: }",
		"mutable constant c: set[]", "axiom {x for}", "action a() { match m { b -> c } }"}
	for _, text := range wrong {
		all = append(all, sample{name: "wrong", text: text, tree: "error"})
	}
	files, err := filepath.Glob(filepath.Join(treeSitter, "test", "corpus", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for _, s := range corpus(t, file) {
			all = append(all, sample{s[0], s[1], s[2], file})
		}
	}
	var texts []string
	for _, s := range all {
		texts = append(texts, s.text)
	}
	got := trees(t, texts)
	for i, s := range all {
		tree := got.Trees[i]
		failed := strings.HasPrefix(tree, "error: ")
		switch {
		case s.tree == "error":
			if !failed {
				t.Errorf("%q is accepted: %s", s.text, tree)
			}
		case failed:
			t.Errorf("%s: an error in the tree\n%s\n%s", s.name, s.text, tree)
		case got.Found[i] == 0:
			t.Errorf("%s has no colours", s.name)
		case s.tree != "" && !*updateCorpus && strings.Join(strings.Fields(s.tree), " ") != tree:
			t.Errorf("%s: the tree is\n%s\nand not\n%s", s.name, tree, s.tree)
		}
	}
	if !*updateCorpus {
		return
	}
	written := map[string]string{}
	for i, s := range all {
		if s.file != "" {
			written[s.file] += fmt.Sprintf("%s\n%s\n%s\n\n%s\n\n---\n\n%s\n\n", bar, s.name, bar,
				strings.TrimSpace(s.text), indented(got.Trees[i]))
		}
	}
	for file, text := range written {
		if err := os.WriteFile(file, []byte(strings.TrimSpace(text)+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Zed has the query for colours in its own folder.
func TestQueriesOfEditors(t *testing.T) {
	var texts []string
	for _, folder := range []string{filepath.Join(treeSitter, "queries"),
		filepath.Join(treeSitter, "..", "zed", "languages", "erelong")} {
		text, err := os.ReadFile(filepath.Join(folder, "highlights.scm"))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	if texts[0] != texts[1] {
		t.Error("editors/tree-sitter/queries/highlights.scm and the one of Zed differ")
	}
}

const bar = "================================================================================"

// corpus reads a file of tests as tree-sitter has them: a name between two bars, a text, a line of
// dashes, and the tree.
func corpus(t *testing.T, file string) (out [][3]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), bar+"\n")
	if len(parts)%2 != 1 {
		t.Fatalf("%s: a test has a name between two bars", file)
	}
	for i := 1; i < len(parts); i += 2 {
		source, tree, ok := strings.Cut(parts[i+1], "\n---\n")
		if !ok {
			t.Fatalf("%s: %s has no tree", file, parts[i])
		}
		out = append(out, [3]string{strings.TrimSpace(parts[i]), source, tree})
	}
	return out
}

// indented lays out a tree, with a line for each node.
func indented(tree string) string {
	var b strings.Builder
	depth := 0
	for i, word := range strings.Fields(tree) {
		field := strings.HasSuffix(word, ":")
		switch {
		case i > 0 && (field || strings.HasPrefix(word, "(")) &&
			!strings.HasSuffix(b.String(), ": "):
			b.WriteString("\n" + strings.Repeat("  ", depth))
		}
		b.WriteString(word)
		if field {
			b.WriteString(" ")
		}
		depth += strings.Count(word, "(") - strings.Count(word, ")")
	}
	return b.String()
}
