package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/testkit"
)

// A divided exploration whose command and workers are killed goes on from its checkpoint, with
// another number of workers, and gives what one process gives.
func TestDividedCheckpointAfterKill(t *testing.T) {
	testkit.InCI(t)
	dir := t.TempDir()
	path := filepath.Join("..", "..", "examples", "failure_detector", "strong_accuracy.ere")
	args := []string{"check", "-q", "--format", "json", path, "-i", "Delta=8,Phi=8", "-p",
		"strong_accuracy"}
	want, code := essenceOf(t, args...)
	args = append(args, "--divide", "--checkpoint", dir, "--checkpoint-every", "1ms", "--workers")
	cmd := exec.Command(os.Args[0], append(args, "local:3")...)
	cmd.Env = append(os.Environ(), "ERELONG_TEST_PROGRAM=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	manifests := func() []string {
		found, _ := filepath.Glob(filepath.Join(dir, "divided-*", engine.ManifestName))
		return found
	}
	for began := time.Now(); len(manifests()) == 0; time.Sleep(time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Error("there is no checkpoint")
			break
		}
	}
	_ = cmd.Process.Kill()
	if err := cmd.Wait(); err == nil {
		t.Error("the exploration was over before it was killed")
	}
	got, code2 := essenceOf(t, append(args, "local:2", "--resume")...)
	if diff := cmp.Diff(want, got); diff != "" || code != code2 {
		t.Errorf("exit codes %d and %d; one process -, killed and resumed +\n%s", code, code2, diff)
	}
}
