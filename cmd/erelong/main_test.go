//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// inTest has the test binary be the program.
const inTest = "ERELONG_IN_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(inTest) != "" {
		main()
	}
	end, err := testkit.Alone()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	end()
	os.Exit(code)
}

const lock = `
sort p
mutable relation held(p)
init !held(X)
action get(x: p) { require !held(Y); held(x) := true; }
fair action put(x: p) { require held(x); held(x) := false; }
safety [one] held(X) & held(Y) -> X = Y
liveness [freed] held(X) ~> !held(X)
instance two { p = 2 }
`

// An interrupt while a solver starts, which comes as two signals, leaves the table of the results.
func TestInterruptWhileASolverStarts(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, silent := range []string{"--version", ""} { // the call on which the solver hangs
		for _, command := range []string{"verify", "prove", "live"} {
			t.Run(command+silent, func(t *testing.T) {
				dir := t.TempDir()
				began := filepath.Join(dir, "began")
				if err := syscall.Mkfifo(began, 0o600); err != nil {
					t.Skip("no named pipes: ", err)
				}
				file := filepath.Join(dir, "lock.ere")
				solver := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = --version ] && [ '%s' != --version ]; then\n"+
					"  echo 'Z3 version 4.13.0 - 64 bit'\n  exit\nfi\nexec 3> '%s'\necho >&3\nexec sleep 1000\n", silent, began)
				for path, text := range map[string]string{file: lock,
					filepath.Join(dir, "z3"): solver} {
					if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
						t.Fatal(err)
					}
				}
				cmd := exec.Command(program, command, "--solver", "z3", file)
				var out, log bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &log
				cmd.Env = append(os.Environ(), inTest+"=1", "ERELONG_CACHE=off",
					"PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				pipe, err := os.Open(began) // until the solver has begun
				if err != nil {
					t.Fatal(err)
				}
				if _, err := pipe.Read(make([]byte, 1)); err != nil {
					t.Fatal(err)
				}
				interrupt := func() {
					if err := cmd.Process.Signal(os.Interrupt); err != nil {
						t.Fatal(err)
					}
				}
				interrupt()
				_, _ = io.Copy(io.Discard, pipe) // until the solver has ended
				interrupt()
				var exit *exec.ExitError
				if err := cmd.Wait(); !errors.As(err, &exit) || !exit.Exited() {
					t.Fatalf("%v\n%s%s", err, &out, &log)
				}
				want := "interrupted; what was finished is above"
				if !strings.HasPrefix(out.String(), "property") ||
					!strings.Contains(log.String(), want) {
					t.Errorf("%s%s", &out, &log)
				}
			})
		}
	}
}
