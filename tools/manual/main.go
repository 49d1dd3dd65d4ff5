// Command manual writes the manual pages of the program, and completion scripts for shells.
//
// In: a folder. Out: man1/*.1 and completion/* in it. Pages have the date SOURCE_DATE_EPOCH, if it
// is given, so that the same sources give the same pages.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra/doc"

	"erelong.dev/erelong/internal/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manual FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

func write(folder string) error {
	root := cli.Root(strings.NewReader(""), io.Discard, io.Discard)
	root.DisableAutoGenTag = true
	pages, scripts := filepath.Join(folder, "man1"), filepath.Join(folder, "completion")
	for _, dir := range []string{pages, scripts} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	header := &doc.GenManHeader{Title: "ERELONG", Section: "1", Source: "erelong",
		Manual: "erelong"}
	if err := doc.GenManTree(root, header, pages); err != nil {
		return fmt.Errorf("writing the pages: %w", err)
	}
	for name, generate := range map[string]func(io.Writer) error{
		"erelong.bash": func(w io.Writer) error { return cli.BashCompletion(root, w, true) },
		"_erelong":     root.GenZshCompletion,
		"erelong.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"erelong.ps1":  root.GenPowerShellCompletionWithDesc,
	} {
		var b strings.Builder
		if err := generate(&b); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(scripts, name), []byte(b.String()),
			0o644); err != nil {
			return err
		}
	}
	return nil
}
