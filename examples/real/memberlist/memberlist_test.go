package memberlist

import (
	"bytes"
	"errors"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// program is erelong, of the module above.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "erelong")
	if err != nil {
		log.Fatal(err)
	}
	program = filepath.Join(dir, "erelong")
	build := exec.Command("go", "build", "-o", program, "./cmd/erelong")
	build.Dir = filepath.Join("..", "..", "..")
	out, err := build.CombinedOutput()
	if err != nil {
		log.Fatalf("building erelong: %v\n%s", err, out)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// check gives what erelong says of a log, and its exit code.
func check(t *testing.T, spec string, recorded []byte, args ...string) (string, int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.ndjson")
	if err := os.WriteFile(path, recorded, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, append([]string{"trace", spec, path}, args...)...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// record runs a scenario in virtual time.
func record(t *testing.T, s Scenario) []byte {
	t.Helper()
	var log bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		if err := s.Run(&log); err != nil {
			t.Fatal(err)
		}
	})
	return log.Bytes()
}

// Logs of three to five nodes, of which one is cut off for a while and another one crashes, while a
// fifth of all messages is lost, are runs of the specification.
func TestConformance(t *testing.T) {
	for i, instance := range []string{"three", "four", "five"} {
		s := Scenario{Nodes: 3 + i, Loss: .2, CutOff: 8 * time.Second, Length: 40 * time.Second,
			Seed: 1}
		out, code := check(t, "swim.ere", record(t, s), "-i", instance)
		t.Log(out)
		if code != 0 || !strings.Contains(out, "accepted: ") {
			t.Errorf("%s: exit code %d", instance, code)
		}
	}
}

// The bound is proved, and holds in a small instance.
func TestProof(t *testing.T) {
	_, z3 := exec.LookPath("z3")
	_, cvc5 := exec.LookPath("cvc5")
	if z3 != nil && cvc5 != nil {
		t.Skip("no solver: neither z3 nor cvc5 is in the path")
	}
	verify := exec.Command(program, "verify", "--expect", "swim.ere", "-i", "small")
	out, err := verify.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
