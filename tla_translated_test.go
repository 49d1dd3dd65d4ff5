package erelong_test

import (
	"os"
	"strings"
	"testing"

	"erelong.dev/erelong"
	"erelong.dev/erelong/internal/front/tla"
	"erelong.dev/erelong/internal/front/tla/tlatest"
	"erelong.dev/erelong/internal/testkit"
)

// TestTranslated compares models as they are computed with their translations: what is proved is
// proved of a translation, so it has to have the same states in an instance, and the same verdict.
func TestTranslated(t *testing.T) {
	for name, model := range map[string]func(uint64) tlatest.Model{
		"elements": tlatest.Typed, "ranges": tlatest.Ranged, "sums": tlatest.Summed,
		"keys": tlatest.Keyed, "numbers": tlatest.Indexed, "within data": tlatest.Embedded,
		"folds": tlatest.Folded,
	} {
		t.Run(name, func(t *testing.T) { compareTranslated(t, model) })
	}
}

func compareTranslated(t *testing.T, model func(seed uint64) tlatest.Model) {
	t.Helper()
	compared, violated, refused := 0, 0, 0
	seeds := testkit.Size(16, 250)
	for seed := range uint64(seeds) {
		m := model(seed)
		files := map[string]string{"S.tla": m.Module, "T.tla": m.Inner, "S.cfg": m.Config}
		read := readFrom(files)
		text, err := tla.Text(t.Context(), "S.tla", m.Module, read)
		if err != nil && strings.Contains(err.Error(), "is not translated") {
			refused++
			continue
		} else if err != nil {
			t.Fatalf("%d: %v\n%s", seed, err, m.Module)
		}
		want := claimIn(t, &erelong.Loader{ReadFile: read}, "S.tla", m.Module)
		got := claimIn(t, &erelong.Loader{ReadFile: read}, "S.ere", text)
		if want.Verdict == erelong.Unknown { // an expression without a value
			if got.Verdict == erelong.Holds {
				t.Errorf("%d: the translation holds, and %s\n%s%s", seed, want.Reason, m.Module,
					text)
			}
			continue
		}
		compared++
		if want.Verdict == erelong.Violated {
			violated++
		}
		steps := strings.Contains(m.Config, "PROPERTY") // its violation is no state
		kept := strings.Contains(m.Module, tlatest.Kept) && want.Verdict == erelong.Holds
		if got.Verdict != want.Verdict || got.Depth != want.Depth && !steps && !kept ||
			want.Verdict == erelong.Holds && got.States != want.States && !kept {
			t.Fatalf("%d: the translation: %v, depth %d, %d states; not %v, %d, %d\n%s%s", seed,
				got.Verdict, got.Depth, got.States, want.Verdict, want.Depth, want.States, m.Module,
				text)
		}
	}
	t.Logf("%d compared, %d violated, %d refused", compared, violated, refused)
	if violated < compared/10 || violated > compared*9/10 || compared < 12 ||
		refused > int(seeds)/40 {
		t.Errorf("%d compared, %d violated, %d refused", compared, violated, refused)
	}
}

// TestSaidAgain says claims of translations in TLA+ again: in the module, they have the verdict of
// the claim.
func TestSaidAgain(t *testing.T) {
	said, violated, why := 0, 0, map[string]int{}
	for seed := range uint64(testkit.Size(36, 250)) {
		m := tlatest.Typed(seed)
		if strings.Contains(m.Config, "PROPERTY") {
			continue
		}
		files := map[string]string{"S.tla": m.Module, "T.tla": m.Inner, "S.cfg": m.Config}
		read := readFrom(files)
		spec, _, err := tla.Open(t.Context(), t.Context(), "S.tla", m.Module, read)
		if err != nil {
			t.Fatal(err)
		}
		formula := spec.System.Property("Claim").Term.String()
		defs, err := tla.Say("S.tla", m.Module, read, []string{"claim"}, []string{formula})
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		if defs[0].Why != "" {
			why[defs[0].Why]++
			continue
		}
		want := claimIn(t, &erelong.Loader{ReadFile: read}, "S.tla", m.Module)
		if defs[0].Name != "Claim_" {
			t.Fatalf("%s is a name of the module", defs[0].Name)
		}
		again := strings.Replace(m.Module, "\nClaim == ", "\nFirst == ", 1)
		again = strings.Replace(again, "\n====", "\nClaim == "+defs[0].Text+"\n====", 1)
		files["S.tla"] = again
		got := claimIn(t, &erelong.Loader{ReadFile: read}, "S.tla", again)
		if want.Verdict == erelong.Unknown {
			continue
		}
		said++
		if want.Verdict == erelong.Violated {
			violated++
		}
		if got.Verdict != want.Verdict || got.Depth != want.Depth {
			t.Fatalf("%d: said again: %v, depth %d, not %v, %d\n%s\n%s", seed, got.Verdict,
				got.Depth, want.Verdict, want.Depth, formula, again)
		}
	}
	if said < 4 || violated < said/10 || violated > said*9/10 {
		t.Errorf("%d said again, %d violated; the others: %v", said, violated, why)
	}
}

// claimIn explores a text, and gives the result of its claim.
func claimIn(t *testing.T, l *erelong.Loader, name, text string) erelong.Result {
	t.Helper()
	out, ok := resultsIn(t, l, name, text)["Claim"]
	if !ok {
		t.Fatalf("no result of Claim in\n%s", text)
	}
	return out
}

// resultsIn explores a text, and gives the results by their properties.
func resultsIn(t *testing.T, l *erelong.Loader, name, text string) map[string]erelong.Result {
	t.Helper()
	spec, err := l.Parse(t.Context(), name, text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	report, err := spec.Verify(t.Context(), erelong.Options{NoProof: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	out := map[string]erelong.Result{}
	for _, r := range report.Results {
		out[r.Property] = r
	}
	return out
}

// readFrom reads the files of a map.
func readFrom(files map[string]string) func(path string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	}
}
