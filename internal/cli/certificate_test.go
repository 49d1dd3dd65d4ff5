package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// Bounds, in bytes, on the certificates that an ordinary run of the tests checks again, and a full
// one. A long run checks all.
const fewChecked, mostChecked = 30_000, 150_000

// proofOf are the arguments that make a command write its proofs to a file, and its results as
// JSON.
func proofOf(file string) []string {
	return []string{"-q", "--format", "json", "--certificate", file}
}

// checkAgain checks the certificate of a file again, when something was proved for all instances:
// each result that says so has its proof in the certificate. The output is the JSON of the proof.
func checkAgain(ctx context.Context, t *testing.T, path, certificate, output, messages string) {
	t.Helper()
	type report struct {
		Results []struct {
			Property, Kind, Verdict, Engine string
			Reason                          result.Reason
		}
	}
	var proved, got report
	if err := json.Unmarshal([]byte(output), &proved); err != nil {
		t.Fatalf("%v: %s%s", err, output, messages)
	}
	file, err := os.Stat(certificate)
	if err != nil {
		if !strings.Contains(messages, "nothing was proved for all instances") {
			t.Errorf("no certificate\n%s%s", output, messages)
		}
		return
	}
	if !testkit.Long() && (file.Size() > testkit.Size(fewChecked, mostChecked) ||
		strings.Contains(path, "paxos") && strings.HasSuffix(path, ".pyv")) {
		return // its obligations take long by themselves: make test-long
	}
	var out, errOut bytes.Buffer
	code := Main(ctx,
		[]string{"prove", "-q", "--format", "json", "--recheck", certificate, path}, nil, &out, &errOut)
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got.Results) == 0 {
		t.Fatalf("%v: %s", err, &out)
	}
	want := ExitHolds
	rechecked := map[string]bool{}
	for _, r := range got.Results {
		switch {
		case strings.HasPrefix(r.Reason.Text, "not certified") &&
			r.Verdict == string(result.NothingChecked):
			want = ExitNothingChecked
			continue
		case r.Verdict != string(result.Holds) ||
			!strings.HasPrefix(r.Reason.Text, "rechecked ") && !strings.HasPrefix(r.Reason.Text, "it follows"):
			t.Errorf("%s: %s (%s)", r.Property, r.Verdict, r.Reason.Text)
		}
		rechecked[r.Property] = true
	}
	if code != want {
		t.Errorf("exit code %d of the recheck, want %d\n%s", code, want, &errOut)
	}
	for _, r := range proved.Results {
		if slices.Contains([]string{ranking.Name, induction.Name}, r.Engine) &&
			r.Kind != "scenario" && r.Verdict == string(result.Holds) && !rechecked[r.Property] {
			t.Errorf("%s is proved, but not rechecked", r.Property)
		}
	}
}
