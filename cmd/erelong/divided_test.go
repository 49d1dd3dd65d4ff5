//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// outcome is what a command prints, once it has ended, with its exit code. It has a group of
// processes, as in a terminal.
func outcome(t *testing.T, args []string, meanwhile func(group int)) (out string, code int) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	cmd.Env = append(os.Environ(), inTest+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	meanwhile(cmd.Process.Pid)
	_ = cmd.Wait()
	return text.String(), cmd.ProcessState.ExitCode()
}

// counter has few states on many levels, and workers wait for each other at the end of each one.
const counter = `
mutable constant x: 0..30000
init x = 0
action step() { require x < 30000; x := x + 1; }
safety [below] x != 30001
instance one {}
`

// An interrupt, which a terminal gives to a command and to its workers, saves the last whole level
// of an exploration that they divide. The command says how to go on from it.
func TestInterruptOfDividedExploration(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "counter.ere")
	if err := os.WriteFile(file, []byte(counter), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"check", "-q", file}
	divided := slices.Concat(args, []string{"--divide", "--checkpoint", dir, "--workers"})
	out, code := "", 0
	// What is interrupted before it has levels begins anew, as does what has the first one only.
	for wait := 150 * time.Millisecond; code != 130 && wait < 10*time.Second; wait *= 2 {
		out, code = outcome(t, append(divided, "local:3", "--checkpoint-every", "1h"),
			func(group int) {
				time.Sleep(wait)
				if err := syscall.Kill(-group, syscall.SIGINT); err != nil {
					t.Error(err)
				}
			})
		if !strings.Contains(out, "with --resume the same command goes on from depth") ||
			!strings.Contains(out, "holds up to k") {
			code = 0
		}
	}
	if code != 130 || !strings.Contains(out, "holds up to k") {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	idle := func(int) {}
	result := func(out string) []string { // without the time
		line := strings.Fields(strings.Split(out, "\n")[1])
		return line[:len(line)-1]
	}
	out, code = outcome(t, append(divided, "local:1", "--resume"), idle)
	want, code2 := outcome(t, args, idle)
	if !slices.Equal(result(out), result(want)) || code != code2 {
		t.Errorf("exit codes %d and %d; resumed:\n%sone process:\n%s", code, code2, out, want)
	}
}
