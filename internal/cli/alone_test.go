package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// What a user has set for the program does not reach the tests: neither variables, nor a file
// erelong.toml above the folder for temporary files.
func TestAlone(t *testing.T) {
	testkit.InCI(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	write(t, filepath.Join(tmp, "erelong.toml"), "no settings\n")
	c := exec.CommandContext(t.Context(), self, "-test.run", "^TestScripts$/^(limits|project)$")
	c.Env = append(os.Environ(), "TMPDIR="+tmp, "TMP="+tmp, "ERELONG_MAX_STATES=1",
		"ERELONG_MAX_STATE=1", "ERELONG_FULL=1")
	if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("%v: %s", err, out)
	}
}
