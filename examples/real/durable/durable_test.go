package durable

import (
	"bufio"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// built builds a program of a module.
func built(t *testing.T, module, program string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-o", out, program)
	build.Dir = module
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", program, err, text)
	}
	return out
}

// killed runs the register until it has acknowledged some values, and kills it.
func killed(t *testing.T, program string, args []string, values int) {
	t.Helper()
	cmd := exec.Command(program, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for range values {
		if !lines.Scan() {
			t.Fatal("the program has ended by itself")
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) {
		t.Fatalf("it was not killed: %v", err)
	}
}

// The log of a register that is killed three times is a run. Where it is not synced, the first
// recovery that lost a value is none.
func TestCrashes(t *testing.T) {
	erelong := built(t, filepath.Join("..", "..", ".."), "./cmd/erelong")
	program := built(t, ".", "./cmd")
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"synced", "accepted: the ", nil},
		{"not synced", "stored is 0 in the log", []string{"-skip-sync"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			for _, values := range []int{3, 1, 7} {
				killed(t, program, append([]string{"-dir", folder}, c.args...), values)
			}
			out, _ := exec.Command(erelong, "trace", "durable.ere",
				filepath.Join(folder, "run.ndjson")).CombinedOutput()
			if !strings.Contains(string(out), c.want) {
				t.Errorf("%q is missing in\n%s", c.want, out)
			}
		})
	}
}
