package lease

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
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

// check gives what erelong says of the log of a run in virtual time, and its exit code.
func check(t *testing.T, program string, o Options, options ...string) (string, int) {
	t.Helper()
	var log bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		if err := o.Run(t.Context(), &log); err != nil {
			t.Fatal(err)
		}
	})
	path := filepath.Join(t.TempDir(), "log.ndjson")
	if err := os.WriteFile(path, log.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"trace", "lease.ere", path}, options...)
	out, err := exec.Command(program, args...).CombinedOutput()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return string(out), exit.ExitCode()
	case err != nil:
		t.Fatal(err)
	}
	return string(out), 0
}

const accepted, noRun = 0, 14

// Under any schedule within the bounds the log is a run of the protocol, whose lease is exclusive;
// and the bounds that are measured are not greater.
func TestConformance(t *testing.T) {
	program := erelong(t)
	if out, err := exec.Command(program, "check", "lease.ere", "-i", "log").
		CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for seed := range uint64(10) {
		o := Default()
		o.Seed = seed
		out, code := check(t, program, o, "--bounds")
		if code != accepted || !strings.Contains(out, "\n  Delta = 1, Phi = 2, and every larger") &&
			!strings.Contains(out, "\n  Delta = 2, Phi = 2, and every larger") {
			t.Errorf("seed %d: exit code %d\n%s", seed, code, out)
		}
	}
}

// A planted bug, and bounds that are not kept, are found.
func TestMistakes(t *testing.T) {
	program := erelong(t)
	for _, tt := range []struct {
		change func(*Options)
		want   string
	}{
		{func(o *Options) { o.Bug = Hasty }, "holder(server0) is none in the log, and some(client"},
		{func(o *Options) { o.Bug = Long }, "is true in the log, and false in the model"},
		{func(o *Options) { o.Bug = Forget }, "in the log, and some(client"},
		{func(o *Options) { o.Bounds.Delta = 9 }, "ask_of_age"},
		{func(o *Options) { o.Bounds.Phi = 6 }, "waited_"},
	} {
		o := Default()
		tt.change(&o)
		out, code := check(t, program, o)
		if code != noRun || !strings.Contains(out, tt.want) {
			t.Errorf("%+v: exit code %d, without %q\n%s", o, code, tt.want, out)
		}
	}
}
