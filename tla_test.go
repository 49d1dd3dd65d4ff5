package erelong_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"erelong.dev/erelong"
	"erelong.dev/erelong/internal/front/tla/tlatest"
	"erelong.dev/erelong/internal/testkit"
)

// writeModel writes the files of a model into a folder.
func writeModel(t *testing.T, m tlatest.Model, dir string) {
	t.Helper()
	for name, text := range map[string]string{"S.tla": m.Module, "T.tla": m.Inner,
		"S.cfg": m.Config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// tlaOutcome is the result of a model, and what was counted where the search came to its end.
type tlaOutcome struct {
	result              string // holds, violated, deadlock, temporal, error
	generated, distinct int64
}

var tlcCounts = regexp.MustCompile(`(?m)^(\d+) states generated, (\d+) distinct states found, 0`)

var errorsIn = regexp.MustCompile(`(?s)Error: .*`)

// tlcOutcome is the outcome by the output of TLC.
func tlcOutcome(out string) tlaOutcome {
	for text, result := range map[string]string{"Error: Invariant ": "violated",
		"Error: The invariant of ": "violated", // one about constants
		"Error: Deadlock reached":  "deadlock", "Error: Action property ": "temporal",
		"Error: Temporal properties were violated":       "temporal",
		"Error: Temporal property Temporal was violated": "temporal"} {
		if strings.Contains(out, text) {
			return tlaOutcome{result: result}
		}
	}
	if strings.Contains(out, "is equal to FALSE") { // a constraint that no state satisfies
		return tlaOutcome{result: "holds"}
	}
	if !strings.Contains(out, "No error has been found") {
		return tlaOutcome{result: "error"}
	}
	o := tlaOutcome{result: "holds"}
	if m := tlcCounts.FindStringSubmatch(out); m != nil {
		o.generated, _ = strconv.ParseInt(m[1], 10, 64)
		o.distinct, _ = strconv.ParseInt(m[2], 10, 64)
	}
	return o
}

// tlaVerified is our outcome of the model in a folder. Of several violations it is the one that TLC
// found, which ends with its first one.
func tlaVerified(t *testing.T, dir, theirs string) (tlaOutcome, string) {
	t.Helper()
	spec, err := erelong.Load(context.Background(), filepath.Join(dir, "S.cfg"))
	if err != nil {
		return tlaOutcome{result: "error"}, err.Error()
	}
	report, err := spec.Verify(context.Background(), erelong.Options{NoProof: true})
	if err != nil {
		return tlaOutcome{result: "error"}, err.Error()
	}
	out, text := tlaOutcome{result: "holds"}, ""
	for _, r := range report.Results {
		text += fmt.Sprintln(r.Property, r.Verdict, r.Reason)
		result := out.result
		switch {
		case r.Verdict == erelong.Violated && r.Kind == "deadlock":
			result = "deadlock"
		case r.Verdict == erelong.Violated && r.Kind == "temporal":
			result = "temporal"
		case r.Verdict == erelong.Violated:
			result = "violated"
		case r.Verdict == erelong.Unknown:
			result = "error"
		}
		if out.result != theirs || out.result == "holds" {
			out.result = result
		}
		if r.Kind != "temporal" {
			out.generated, out.distinct = r.Generated, r.States
		}
	}
	return out, text
}

// leaves reports whether a model has a property of steps and a constraint: TLC checks the property
// on steps that leave the constraint, too.
func leaves(m tlatest.Model) bool {
	return strings.Contains(m.Config, "CONSTRAINT") && strings.Contains(m.Module, "Temporal == [][")
}

// TestModelsOfTLC compares the outcomes of generated models with the ones of TLC.
func TestModelsOfTLC(t *testing.T) {
	classpath := os.Getenv("ERELONG_TLC")
	if classpath == "" {
		t.Skip("TLC is not there: ERELONG_TLC is its class path")
	}
	program, err := filepath.Abs("internal/front/tla/testdata/Check.java")
	if err != nil {
		t.Fatal(err)
	}
	n := int(testkit.Size(15, 400))
	args := []string{"-XX:+UseSerialGC", "-cp", classpath, program}
	models := make([]tlatest.Model, n)
	dirs := make([]string, n)
	root := t.TempDir()
	for i := range models {
		models[i], dirs[i] = tlatest.Generated(uint64(i)), filepath.Join(root, fmt.Sprint(i))
		if err := os.Mkdir(dirs[i], 0o700); err != nil {
			t.Fatal(err)
		}
		writeModel(t, models[i], dirs[i])
	}
	text, err := exec.CommandContext(t.Context(), "java", append(args, dirs...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	codes := regexp.MustCompile(`(?m)^code (-?\d+)$`).FindAllStringSubmatch(string(text), -1)
	if len(codes) != n {
		t.Fatalf("TLC ends %d of %d models: %s", len(codes), n, text)
	}
	found := map[string]int{}
	for i, m := range models {
		out, _ := os.ReadFile(filepath.Join(dirs[i], "out"))
		theirs := tlcOutcome(string(out))
		found[theirs.result]++
		ours, said := tlaVerified(t, dirs[i], theirs.result)
		if theirs.distinct == 0 { // or the constraint holds in no initial state
			ours.generated, theirs.generated, ours.distinct = 0, 0, 0
		}
		if leaves(m) && theirs.result == "temporal" && ours.result == "holds" {
			found["leaves the constraint"]++ // see docs/tla.md
			continue
		}
		if ours != theirs {
			t.Errorf("%d: %v, TLC %v\n%s\n%s%s\nTLC:\n%s", i, ours, theirs, said, m.Module, m.Config,
				errorsIn.FindString(string(out)))
		}
	}
	t.Log(found)
}
