//go:build with_tla

package etcdraft

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
func check(t *testing.T, program string, log []byte, args ...string) (string, int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.ndjson")
	if err := os.WriteFile(path, log, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, append([]string{"trace", "raft.ere", path}, args...)...)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	t.Logf("%d lines, %v of processor time, %v\n%s", bytes.Count(log, []byte("\n")),
		cmd.ProcessState.UserTime(), time.Since(start), out)
	return string(out), cmd.ProcessState.ExitCode()
}

// record runs something in virtual time: the library sleeps in its trace points.
func record(t *testing.T, nodes int, seed uint64, run func(*cluster) error) []byte {
	t.Helper()
	var log bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		if err := run(newCluster(nodes, &log, seed)); err != nil {
			t.Fatal(err)
		}
	})
	return log.Bytes()
}

// Logs of three and of five nodes, with crashes and partitions, are runs of the specification.
// RAFT_EVENTS makes them longer.
func TestConformance(t *testing.T) {
	program := erelong(t)
	for _, c := range []struct {
		instance string
		nodes    int
	}{{"three", 3}, {"five", 5}} {
		events := 6000
		if os.Getenv("RAFT_EVENTS") != "" {
			events = 100_000
		}
		log := record(t, c.nodes, 1, func(x *cluster) error { return x.run(events) })
		out, code := check(t, program, log, "-i", c.instance)
		if code != 0 || !strings.Contains(out, "accepted: ") {
			t.Errorf("%s: exit code %d", c.instance, code)
		}
		for _, never := range []string{"win", "refuse_append", "answer_heartbeat", "restart"} {
			if strings.Contains(out, "never taken: "+never) {
				t.Errorf("%s: %s is not exercised", c.instance, never)
			}
		}
	}
}

// A node that loses its vote in a crash votes twice, which is found and explained.
func TestDoubleVote(t *testing.T) {
	program := erelong(t)
	for _, mistake := range []bool{false, true} {
		log := record(t, 3, 1, func(x *cluster) error { return x.twoCandidates(mistake) })
		out, code := check(t, program, log, "-i", "three", "--mutants", "-1")
		switch {
		case !mistake && code != 0:
			t.Errorf("without the mistake: exit code %d", code)
		case mistake && (code != 14 || !strings.Contains(out, "voted(node1, M)")):
			t.Errorf("with the mistake: exit code %d", code)
		}
	}
}
