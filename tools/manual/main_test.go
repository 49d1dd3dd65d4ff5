package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every command has a page that groff reads without a warning, and bash reads its script.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "man1", "*.1"))
	if err != nil || len(pages) < 15 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, name := range []string{"erelong", "erelong-verify", "erelong-lsp", "erelong-report"} {
		text, err := os.ReadFile(filepath.Join(dir, "man1", name+".1"))
		if err != nil || !strings.Contains(string(text), ".SH SYNOPSIS") ||
			!strings.Contains(string(text), "Nov 2023") {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	if groff, err := exec.LookPath("groff"); err == nil {
		for _, page := range pages {
			if out, err := exec.Command(groff, "-man", "-ww", "-z",
				page).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s: %v\n%s", page, err, out)
			}
		}
	}
	if bash, err := exec.LookPath("bash"); err == nil {
		if out, err := exec.Command(bash, "-n", filepath.Join(dir, "completion",
			"erelong.bash")).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
