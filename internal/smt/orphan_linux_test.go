package smt

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// orphanEnv makes the test binary the program to kill: it starts the solver that the variable
// names.
const orphanEnv = "ERELONG_TEST_ORPHAN"

// TestOrphan kills a program while its solver works on a query: the solver ends, too.
func TestOrphan(t *testing.T) {
	if path := os.Getenv(orphanEnv); path != "" {
		s := NewSession(z3{path, "0"}, Config{Wall: time.Hour})
		_, err := s.Check(t.Context(), Query{})
		t.Fatal(err)
	}
	dir := t.TempDir()
	file, solver := filepath.Join(dir, "pid"), filepath.Join(dir, "z3")
	// The shell becomes the sleep, which reads nothing: a pipe that closes would not end it.
	script := fmt.Sprintf("#!/bin/sh\necho $$ > %s.tmp\nmv %s.tmp %s\nexec sleep 1000\n", file,
		file, file)
	if err := os.WriteFile(solver, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := exec.Command(exe, "-test.run=^TestOrphan$")
	program.Env = append(os.Environ(), orphanEnv+"="+solver)
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	var text []byte
	for len(text) == 0 {
		text, _ = os.ReadFile(file)
		time.Sleep(time.Millisecond)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if !runs(pid) {
		t.Fatal("the solver does not run")
	}
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = program.Wait() // it was killed
	for range 10_000 {
		if !runs(pid) {
			return
		}
		time.Sleep(time.Millisecond)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	t.Error("the solver goes on")
}

// runs reports whether a process is alive, and not only an entry in the system's table.
func runs(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// TestThreadsOfSolvers has solvers outlive the goroutines that started them, on whatever threads
// these ran.
func TestThreadsOfSolvers(t *testing.T) {
	each(t, Config{}, func(t *testing.T, s *Session) {
		for i := range 20 {
			started := make(chan error)
			go func() { // a goroutine that ends with its thread
				runtime.LockOSThread()
				_, err := s.Check(t.Context(), Query{Body: []string{"(assert true)"}})
				started <- err
			}()
			if err := <-started; err != nil {
				t.Fatalf("check %d: %v", i, err)
			}
		}
	})
}
