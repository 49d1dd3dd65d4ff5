package erelong_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong"
	"erelong.dev/erelong/internal/testkit"
)

// A proof is about every instance, an exploration about one.
func TestProofsAndExplorations(t *testing.T) {
	testkit.Solvers(t)
	spec, err := erelong.Parse(t.Context(), "lock.ere", lock)
	if err != nil {
		t.Fatal(err)
	}
	report, err := spec.Verify(t.Context(), erelong.Options{})
	if err != nil || report.Err() != nil {
		t.Fatal(err, report.Err())
	}
	if p := report.Properties; len(p) != 1 || !p[0].ForAll {
		t.Errorf("it is not proved for all: %+v", p)
	}
	ways := map[string]bool{}
	for _, r := range report.Results {
		ways[r.Instance] = r.ForAll
	}
	if len(ways) != 2 || !ways[""] || ways["three"] {
		t.Errorf("results are %v", ways)
	}
}

func TestOptions(t *testing.T) {
	spec, err := erelong.Load(t.Context(), filepath.Join("examples", "token_ring.ere"))
	if err != nil {
		t.Fatal(err)
	}
	if names := spec.Properties(); len(names) == 0 {
		t.Error("no property is named")
	}
	_, err = spec.Verify(t.Context(), erelong.Options{Properties: []string{"nothing"}})
	if !errors.Is(err, erelong.ErrNoProperty) {
		t.Errorf("an unknown property gives %v", err)
	}
	_, err = spec.Verify(t.Context(),
		erelong.Options{Instances: []string{"nothing = "}, NoProof: true})
	if err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("a wrong instance gives %v", err)
	}
	report, err := spec.Verify(t.Context(),
		erelong.Options{Timeout: time.Nanosecond, NoProof: true})
	if err != nil {
		t.Fatal(err)
	}
	if report.Err() == nil {
		t.Error("without time, all properties hold")
	}
	for _, r := range report.Results {
		if !strings.Contains(r.Reason, "Options.Timeout") {
			t.Errorf("%s: the reason does not name the limit: %q", r.Property, r.Reason)
		}
		if r.Code != erelong.OutOfTime {
			t.Errorf("%s: the code of the reason is %q", r.Property, r.Code)
		}
	}
	if _, err := erelong.Load(t.Context(), "no such file"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there gives %v", err)
	}
}

// The zero value of the options looks for invariants, as `erelong verify` does without options.
func TestInference(t *testing.T) {
	testkit.Solvers(t)
	text, err := os.ReadFile(filepath.Join("examples", "tutorial", "lock.ere"))
	if err != nil {
		t.Fatal(err)
	}
	var bare []string
	for _, line := range strings.Split(string(text), "\n") {
		word, _, _ := strings.Cut(line, " ")
		if word != "invariant" && word != "liveness" && word != "expect" {
			bare = append(bare, line)
		}
	}
	spec, err := erelong.Parse(t.Context(), "lock.ere", strings.Join(bare, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	report, err := spec.Verify(t.Context(), erelong.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p := report.Properties; len(p) != 1 || p[0].Verdict != erelong.Holds || !p[0].ForAll {
		t.Errorf("it is not proved for all: %+v", report.Results)
	}
}

// Another module tests a specification with the package.
func TestOutside(t *testing.T) {
	testkit.InCI(t)
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	// The same versions, so that nothing is fetched.
	_, requirements, _ := bytes.Cut(mod, []byte("\n"))
	module := "erelong.dev/erelong"
	dir := t.TempDir()
	files := map[string]string{
		"go.sum": string(sums),
		"go.mod": "module example.org/outside\n" + string(requirements) + "\nrequire " + module +
			" v0.0.0\nreplace " + module + " => " + root + "\n",
		"lock.ere": lock,
		"lock_test.go": `package outside

import (
	"testing"

	"` + module + `"
)

func TestLock(t *testing.T) {
	spec, err := erelong.Load(t.Context(), "lock.ere")
	if err != nil {
		t.Fatal(err)
	}
	report, err := spec.Verify(t.Context(), erelong.Options{NoProof: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Err(); err != nil {
		t.Error(err, report.Violations())
	}
}
`,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, "go", "test", "-mod=mod", "-v", ".")
	run.Dir = dir
	run.Env = append(os.Environ(), "GOPROXY=off")
	if out, err := run.CombinedOutput(); err != nil ||
		!bytes.Contains(out, []byte("PASS: TestLock")) {
		t.Errorf("%v\n%s", err, out)
	}
}
