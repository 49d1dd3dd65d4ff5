package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTLAExamples compares what the examples in TLA+ are expected to say with what verify says, for
// the module and for its configuration.
func TestTLAExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/tla/*.tla")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	header := regexp.MustCompile(`(?s)\\\* From: .*\\\* Shows: .*\\\* Expect:  ([^\n]*)\n`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := header.FindSubmatch(text)
		if m == nil {
			t.Errorf("%s: no header with From, Shows and Expect", file)
			continue
		}
		for _, path := range []string{file, strings.TrimSuffix(file, ".tla") + ".cfg"} {
			if got := verdictsOf(t, path, strings.Contains(string(m[1]), "states")); got != string(m[1]) {
				t.Errorf("%s: %s, not %s", path, got, m[1])
			}
		}
	}
}

// verdictsOf are the verdicts on a model, and its states, as the examples say them.
func verdictsOf(t *testing.T, path string, states bool) string {
	t.Helper()
	var out, errs bytes.Buffer
	code := Main(t.Context(), []string{"verify", "--format", "json", path}, nil, &out, &errs)
	var report struct {
		Results []struct {
			Property, Verdict, Scope string
			States                   int
		}
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("%s: exit code %d: %s %v", path, code, errs.String(), err)
	}
	var parts, proved []string
	violated := false
	for _, r := range report.Results {
		if r.Scope == "all" {
			proved = append(proved, r.Property+" "+r.Verdict)
			continue
		}
		parts = append(parts, r.Property+" "+r.Verdict)
		violated = violated || r.Verdict == "violated"
	}
	if violated != (code != 0) {
		t.Errorf("%s: exit code %d", path, code)
	}
	if states && len(report.Results) > 0 {
		parts = append(parts, fmt.Sprintf("%d states", report.Results[0].States))
	}
	if len(proved) > 0 {
		parts = append(parts, "for all constants "+strings.Join(proved, ", "))
	}
	return strings.Join(parts, ", ")
}
