package detector

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// erelong builds the program of the module above.
func erelong(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "erelong")
	build := exec.Command("go", "build", "-o", program, "./cmd/erelong")
	build.Dir = filepath.Join("..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building erelong: %v\n%s", err, out)
	}
	return program
}

// check gives what erelong says of a log, and its exit code.
func check(t *testing.T, program string, log []byte, declarations string) (string, int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.ndjson")
	if err := os.WriteFile(path, log, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, "trace", "detector.ere", path, "--observe",
		declarations).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		return string(out), exit.ExitCode()
	}
	return string(out), 0
}

// In virtual time, a correct detector conforms, and each planted bug is found and explained.
func TestConformance(t *testing.T) {
	program := erelong(t)
	for _, c := range []struct {
		bug  Bug
		code int
		want []string
	}{
		{NoBug, 0, []string{"accepted: the "}},
		{Fixed, 14, []string{"receive(", "is 3 in the log, and 4 in the model"}},
		{Twice, 14, []string{"require message(from, p, number) = due", "is handled"}},
		{WakeRace, 14, []string{"count(", "is not possible", "require forall K: number. message(of, p, K) != due"}},
	} {
		t.Run("bug "+string(c.bug), func(t *testing.T) {
			var log bytes.Buffer
			synctest.Test(t, func(t *testing.T) {
				if err := (Scenario{Rounds: 60, Period: 10 * time.Millisecond, Bug: c.bug,
					Seed: 1}).Run(&log); err != nil {
					t.Fatal(err)
				}
			})
			out, code := check(t, program, log.Bytes(), "detector.observe")
			if code != c.code {
				t.Errorf("exit code %d", code)
			}
			for _, w := range c.want {
				if !strings.Contains(out, w) {
					t.Errorf("%q is missing", w)
				}
			}
			t.Log(out)
		})
	}
}

// Over UDP and in real time, whatever the machine does to the timing, the log is a run.
func TestUDP(t *testing.T) {
	var log bytes.Buffer
	if err := (Scenario{Rounds: 40, Period: 5 * time.Millisecond, UDP: true}).Run(&log); err !=
		nil {
		t.Skipf("no sockets: %v", err)
	}
	if out, code := check(t, erelong(t), log.Bytes(), "udp.observe"); code != 0 {
		t.Error(out)
	} else {
		t.Log(out)
	}
}
