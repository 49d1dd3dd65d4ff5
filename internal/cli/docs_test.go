package cli

import (
	"cmp"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// A block is a fenced block of a page: its info string, and its text.
type block struct{ info, text string }

var fence = regexp.MustCompile("^( *)```(.*)$")

// blocksOf gives the blocks of a page in their order, without the indentation of their fences.
func blocksOf(page string) (out []block) {
	var in *block
	indent := ""
	for line := range strings.Lines(page) {
		m := fence.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		switch {
		case m != nil && in == nil:
			indent, in = m[1], &block{info: m[2]}
		case m != nil:
			out, in = append(out, *in), nil
		case in != nil:
			in.text += strings.TrimPrefix(line, indent)
		}
	}
	return out
}

// pagesOf are the pages for users, from the root of the project.
func pagesOf(t *testing.T) (names []string) {
	t.Helper()
	for _, path := range glob(t, "../../README.md", "../../docs/*.md", "../../examples/real/*.md",
		"../../examples/real/*/*.md") {
		name, err := filepath.Rel("../..", path)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, filepath.ToSlash(name))
	}
	return names
}

// quick are the pages whose commands an ordinary run of the tests types.
var quick = []string{"README.md"}

// What a page shows after `$ ` is typed in a shell, in a folder with the files of the page and the
// examples, and must print what stands below it. A block with a name such as `ere lock.ere` is
// what the reader writes into this file. In an output `...` stands for any lines, or for any part
// of a line. How long something takes, and the width of columns, is not compared.
func TestPages(t *testing.T) {
	for _, name := range pagesOf(t) {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		blocks := blocksOf(string(text))
		if !slices.ContainsFunc(blocks, func(b block) bool { return typed(b.text) }) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if !slices.Contains(quick, name) {
				testkit.InCI(t)
			}
			testkit.Solvers(t)
			shell := newReader(t)
			for _, b := range blocks {
				shell.follow(b)
			}
		})
	}
}

// typed reports whether a block shows commands with what they print.
func typed(text string) bool { return strings.HasPrefix(text, "$ ") }

// A reader types what a page shows.
type reader struct {
	*testing.T
	dir string
}

func newReader(t *testing.T) *reader {
	t.Helper()
	dir, bin := t.TempDir(), t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(bin, "erelong"))
	}
	root, err2 := filepath.Abs("../..")
	for _, e := range []error{err, err2, os.Symlink(filepath.Join(root, "examples"),
		filepath.Join(dir, "examples"))} {
		if e != nil {
			t.Fatal(e)
		}
	}
	t.Setenv("ERELONG_TEST_PROGRAM", "1")
	t.Setenv("ERELONG_CACHE", "off")
	t.Setenv("CLONE", root)
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return &reader{t, dir}
}

// follow does what a block asks for.
func (r *reader) follow(b block) {
	r.Helper()
	if _, name, found := strings.Cut(b.info, " "); found {
		r.write(name, b.text)
		return
	}
	if !typed(b.text) {
		return
	}
	for part := range strings.SplitSeq("\n"+b.text, "\n$ ") {
		if command, want, _ := strings.Cut(part, "\n"); command != "" {
			r.run(command, want)
		}
	}
}

// run types a command.
func (r *reader) run(command, want string) {
	r.Helper()
	var out, errs strings.Builder
	c := exec.CommandContext(r.Context(), "sh", "-c", command)
	c.Dir, c.Stdout, c.Stderr = r.dir, &out, &errs
	if err := c.Run(); c.ProcessState == nil {
		r.Fatalf("%s: %v", command, err)
	}
	if want == "" {
		if c.ProcessState.ExitCode() != 0 {
			r.Errorf("$ %s ends with code %d:\n%s%s", command, c.ProcessState.ExitCode(), &out, &errs)
		}
		return
	}
	// A page may show what stands on the terminal: both outputs, one after the other.
	shown := pattern(want)
	for _, text := range []string{out.String(), errs.String() + out.String(),
		out.String() + errs.String()} {
		if shown.MatchString(bare(text)) {
			return
		}
	}
	r.Errorf("$ %s\nthe page shows:\n%s\nit prints:\n%s%s", command, want, &out, &errs)
}

var (
	duration = regexp.MustCompile(`<?\b\d+(\.\d+)?(ms|s|µs)\b`)
	spaces   = regexp.MustCompile(` +`)
)

// bare is an output without what is not compared.
func bare(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = duration.ReplaceAllString(strings.TrimSpace(line), "TIME")
		if line = spaces.ReplaceAllString(line, " "); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// pattern matches an output that is as a page shows it.
func pattern(want string) *regexp.Regexp {
	var b strings.Builder
	for line := range strings.Lines(bare(want)) {
		if line == "...\n" {
			b.WriteString(`(.*\n)*`)
			continue
		}
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, `.*`))
	}
	return regexp.MustCompile("^" + b.String() + "$")
}

// Declarations of the languages, by which a block of a page changes a file.
var declaration = regexp.MustCompile(`^(?:(?:strong )?(?:fair )?(?:un)?(action) (\w+)|` +
	`(?:safety|invariant|liveness|temporal) \[(\w+)\]|(?:definition|instance) (\w+)|(\w+)(?:\(.*\))? ==)`)

// write puts a block into a file. In a specification, each declaration of the block takes the place
// of the one with its name, and what is new comes at the end.
func (r *reader) write(name, text string) {
	r.Helper()
	path := filepath.Join(r.dir, name)
	old, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		r.Fatal(err)
	}
	if ext := filepath.Ext(name); len(old) > 0 && (ext == ".ere" || ext == ".tla") {
		text = changed(string(old), text)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
}

// changed is a file after the declarations of a block.
func changed(file, block string) string {
	if strings.HasPrefix(block, "----") { // a module
		return block
	}
	parts, end := declarations(file), ""
	if i := strings.LastIndex(file, "\n===="); i >= 0 {
		parts, end = declarations(file[:i+1]), file[i+1:]
	}
	for _, d := range declarations(block) {
		i := slices.IndexFunc(parts, func(p declared) bool { return p.key != "" && p.key == d.key })
		if i < 0 {
			parts = append(parts, d)
		} else {
			parts[i] = d
		}
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(strings.TrimRight(p.text, "\n") + "\n")
	}
	return b.String() + end
}

// declared is a part of a file; what declares nothing of its own has no key.
type declared struct{ key, text string }

// declarations splits a text where a line begins with a letter.
func declarations(text string) (out []declared) {
	for line := range strings.Lines(text) {
		if begins := line[0] >= 'A' && line[0] != '|' && line[0] != '}'; begins || len(out) == 0 {
			key := ""
			if m := declaration.FindStringSubmatch(line); m != nil {
				key = m[1] + cmp.Or(m[2:]...)
			}
			out = append(out, declared{key: key})
		}
		out[len(out)-1].text += line
	}
	return out
}

var flagName = regexp.MustCompile(`(?:^|[\s\[(])--([a-z][a-z-]*)`)

// Every command that a page names is there, with every option that the page gives it.
func TestCommandsOfPages(t *testing.T) {
	root := Root(strings.NewReader(""), io.Discard, io.Discard)
	mention := regexp.MustCompile("(?m)(?:`|^\\$ |^|&& |; )erelong ([a-z-]+)([^`\n#|&>;]*)")
	seen := 0
	for _, name := range append(pagesOf(t), "examples/README.md") {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mention.FindAllStringSubmatch(code(string(text)), -1) {
			if seen++; m[1] == "help" {
				continue
			}
			c, _, err := root.Find([]string{m[1]})
			if err != nil || c == root {
				t.Errorf("%s: there is no command %q: %s", name, m[1], m[0])
				continue
			}
			for _, f := range flagName.FindAllStringSubmatch(m[2], -1) {
				if f[1] != "help" && c.Flags().Lookup(f[1]) == nil {
					t.Errorf("%s: %s has no option --%s: %s", name, m[1], f[1], m[0])
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d commands were found", seen)
	}
}

// A row of a table is one line: a browser ends the table at any other.
func TestTablesOfPages(t *testing.T) {
	for _, name := range append(pagesOf(t), "examples/README.md", "CHANGELOG.md", "ARCHITECTURE.md") {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		code := false
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); fence.MatchString(line) {
				code = !code
			}
			if !code && strings.HasPrefix(line, "|") && !strings.HasSuffix(line, "|") {
				t.Errorf("%s: the row of a table goes on in another line: %s", name, line)
			}
		}
	}
}

// code is what a page has in code, a span or a line of a block on each line.
func code(page string) string {
	var b strings.Builder
	for _, block := range blocksOf(page) {
		b.WriteString(block.text + "\n")
	}
	for _, span := range regexp.MustCompile("`[^`\n]+`").FindAllString(page, -1) {
		b.WriteString(span + "\n")
	}
	return b.String()
}

// erelong help has every page of docs: its headings, and what is in its blocks.
func TestHelpHasThePages(t *testing.T) {
	root := Root(strings.NewReader(""), io.Discard, io.Discard)
	for _, path := range glob(t, "../../docs/*.md") {
		name := strings.TrimSuffix(filepath.Base(path), ".md")
		if name == "README" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c, _, err := root.Find([]string{name})
		if err != nil || c.Name() != name || !c.IsAdditionalHelpTopicCommand() {
			t.Errorf("there is no topic %s: %v", name, err)
			continue
		}
		var shown strings.Builder
		c.SetOut(&shown)
		c.HelpFunc()(c, nil)
		for _, b := range blocksOf(string(text)) {
			for line := range strings.Lines(b.text) {
				if !strings.Contains(shown.String(), strings.TrimSpace(line)) {
					t.Errorf("the topic %s lacks %q", name, line)
				}
			}
		}
		if strings.Contains(shown.String(), ".md)") || strings.Contains(shown.String(), "|---") ||
			c.Short == "" {
			t.Errorf("the topic %s has marks of its page:\n%s", name, &shown)
		}
	}
}
