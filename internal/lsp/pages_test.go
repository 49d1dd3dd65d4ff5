package lsp

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// page gives the settings of docs/editors.md that begin with some words in a block of a language.
func page(t *testing.T, language, begins string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "editors.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```"+language+
		"\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	for _, b := range blocks {
		if strings.HasPrefix(b[1], begins) {
			return b[1]
		}
	}
	t.Fatalf("docs/editors.md has no settings that begin with %q", begins)
	return ""
}

// The settings on the page make an editor show the mistakes of a file: the editor reads the
// settings as they stand, opens a file by its name alone, and prints the messages that it shows.
func TestSettings(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	// The settings name the program erelong: a script of this name makes the test binary a server.
	script := "#!/bin/sh\n" + serverEnv + "=1 exec '" + self + "'\n"
	file := filepath.Join(dir, "lock.ere")
	for path, text := range map[string]string{
		filepath.Join(dir, "erelong"): script, file: spec + "immutable relation spare(node)\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	lua, lisp := filepath.Join(dir, "settings.lua"), filepath.Join(dir, "settings.el")
	for _, c := range []struct {
		name, program, settings, text string
		args                          []string
	}{
		{"neovim", "nvim", lua, page(t, "lua", "vim.api.nvim_create_autocmd({ \"BufRead\""),
			[]string{"--headless", "-u", "NONE", "-i", "NONE", "-c", "luafile " + lua,
				"-c", "edit " + file, "-c", "luafile testdata/shown.lua"}},
		{"emacs", "emacs", lisp, page(t, "elisp", "(define-derived-mode"),
			[]string{"--batch", "-q", "--eval", "(progn (require 'package) (package-initialize))",
				"-l", lisp, "--eval", "(setq shown-file \"" + file + "\")", "-l", "testdata/shown.el"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			program, err := exec.LookPath(c.program)
			if err != nil {
				t.Skipf("there is no %s", c.program)
			}
			if err := os.WriteFile(c.settings, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, program, c.args...)
			cmd.Env = append(os.Environ(),
				"PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"),
				"HOME="+dir)
			out, err := cmd.CombinedOutput()
			if strings.Contains(string(out), "no eglot") {
				t.Skip("Emacs has no eglot")
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if !strings.Contains(string(out), "the relation 'spare' is not used") {
				t.Errorf("it prints\n%s", out)
			}
		})
	}
}
