package testkit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ours are the variables that tests read themselves.
var ours = []string{"ERELONG_TEST", "ERELONG_REQUIRE", "ERELONG_IN_TEST", "ERELONG_REWRITES",
	"ERELONG_BROWSER", "ERELONG_PICTURES", "ERELONG_PLAYGROUND", "ERELONG_PROGRAM", "ERELONG_TLC",
	"ERELONG_IVY", "ERELONG_FORTE"}

// Alone is for packages whose tests run the program: what a user has set for it does not reach the
// tests. It removes the program's variables from the environment, and makes a folder for temporary
// files, which is the root of a checkout, so that no erelong.toml above it counts. The function
// that comes out removes the folder.
func Alone() (end func(), err error) {
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "ERELONG_") || strings.HasPrefix(name, "ERELONG_TEST_") ||
			slices.Contains(ours, name) {
			continue
		}
		if err := os.Unsetenv(name); err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp("", "erelong-tests-*")
	if err != nil {
		return nil, err
	}
	end = func() { _ = os.RemoveAll(dir) }
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		return end, err
	}
	for _, name := range []string{"TMPDIR", "TMP"} {
		if err := os.Setenv(name, dir); err != nil {
			return end, err
		}
	}
	return end, nil
}
