package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// seedOf is a seed of the solvers with which all obligations of a file are proved again. Not all
// seeds do that for one of the 53 obligations of the hybrid broadcast.
func seedOf(path string) string {
	if filepath.Base(path) == "hybrid_broadcast.ere" {
		return "2"
	}
	return "0"
}

// Proofs of an example, or of someone else's model, are checked again from their certificate.
func TestCertificates(t *testing.T) {
	testkit.Solvers(t)
	for _, path := range glob(t, "../../examples/*.ere", "../../examples/*/*.ere", "../../../shared/models/mypyvy/examples/*.pyv") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			command := "prove"
			if strings.Contains(string(text), "\nliveness ") {
				command = "verify"
			}
			if os.Getenv("ERELONG_LONG") == "" && (strings.Contains(path, "paxos") && command == "prove" || strings.Contains(path, "tlb")) {
				t.Skip("it takes long: make test-long")
			}
			file := filepath.Join(t.TempDir(), "certificate.json")
			var out, errOut bytes.Buffer
			code := Main(t.Context(), []string{command, "-q", "--format", "json", "--certificate", file, path}, nil, &out, &errOut)
			type report struct {
				Results []struct {
					Property, Kind, Verdict, Engine string
					Reason                          result.Reason
				}
			}
			var proved, got report
			if err := json.Unmarshal(out.Bytes(), &proved); err != nil {
				t.Fatalf("%v: %s%s", err, &out, &errOut)
			}
			if _, err := os.Stat(file); err != nil {
				if !strings.Contains(errOut.String(), "nothing was proved for all instances") {
					t.Errorf("exit code %d\n%s%s", code, &out, &errOut)
				}
				return
			}
			out.Reset()
			errOut.Reset()
			code = Main(t.Context(), []string{"prove", "-q", "--format", "json", "--seed", seedOf(path), "--recheck", file, path}, nil, &out, &errOut)
			if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got.Results) == 0 {
				t.Fatalf("%v: %s", err, &out)
			}
			want := ExitHolds
			rechecked := map[string]bool{}
			for _, r := range got.Results {
				switch {
				case strings.HasPrefix(r.Reason.Text, "not certified") && r.Verdict == string(result.NothingChecked):
					want = ExitNothingChecked
					continue
				case r.Verdict != string(result.Holds) || !strings.HasPrefix(r.Reason.Text, "rechecked ") && !strings.HasPrefix(r.Reason.Text, "it follows"):
					t.Errorf("%s: %s (%s)", r.Property, r.Verdict, r.Reason.Text)
				}
				rechecked[r.Property] = true
			}
			if code != want {
				t.Errorf("exit code %d, want %d\n%s", code, want, &errOut)
			}
			for _, r := range proved.Results {
				if slices.Contains([]string{ranking.Name, induction.Name}, r.Engine) && r.Kind != "scenario" && r.Verdict == string(result.Holds) && !rechecked[r.Property] {
					t.Errorf("%s is proved, but not rechecked", r.Property)
				}
			}
		})
	}
}
