package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"erelong/internal/verdict"
)

// What is proved of an example or of someone else's model is proved again from its certificate.
func TestCertificates(t *testing.T) {
	needSolver(t)
	for _, path := range glob(t, "../../examples/*.ere", "../../examples/*/*.ere", "../../../shared/models/mypyvy/examples/*.pyv") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			if os.Getenv("ERELONG_LONG") == "" && strings.Contains(path, "paxos") {
				t.Skip("it takes long: make test-long")
			}
			file := filepath.Join(t.TempDir(), "certificate.json")
			var out, errOut bytes.Buffer
			code := Main(t.Context(), []string{"prove", "-q", "--certificate", file, path}, nil, &out, &errOut)
			if _, err := os.Stat(file); err != nil {
				if !strings.Contains(errOut.String(), "nothing was proved for all instances") {
					t.Errorf("exit code %d\n%s%s", code, &out, &errOut)
				}
				return
			}
			out.Reset()
			errOut.Reset()
			if code := Main(t.Context(), []string{"prove", "-q", "--format", "json", "--recheck", file, path}, nil, &out, &errOut); code != verdict.ExitHolds {
				t.Errorf("exit code %d\n%s", code, &errOut)
			}
			var got struct {
				Results []struct{ Property, Verdict, Reason string }
			}
			if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got.Results) == 0 {
				t.Fatalf("%v: %s", err, &out)
			}
			for _, r := range got.Results {
				if r.Verdict != string(verdict.Holds) || !strings.HasPrefix(r.Reason, "rechecked ") {
					t.Errorf("%s: %s (%s)", r.Property, r.Verdict, r.Reason)
				}
			}
		})
	}
}
