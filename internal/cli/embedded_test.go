//go:build embedz3

package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// With z3 inside no solver need be installed. The machine code comes from earlier runs, since
// compiling takes long.
func TestEmbedded(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "embedded"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_CACHE_HOME", cache)
			env.Setenv(cacheEnv, filepath.Join(env.WorkDir, ".cache"))
			return nil
		},
		Cmds: scriptCommands,
	})
}
