package verify

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest/computed"
	"erelong.dev/erelong/internal/testkit"
)

// computedModel is a computed system with a deadlock after three steps.
func computedModel(t *testing.T) *system.System {
	t.Helper()
	sys := testkit.Compile(t, `type count = 0..3
mutable constant n: count
init n = 0
action step() { require n < 3; n := n + 1; }
safety [small] n <= 3
safety [smaller] n <= 2
instance whole {}
`)
	same, err := computed.Of(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	same.Computed.Deadlock = true
	return same
}

// A run of all engines explores a computed system, and says why it proves nothing of it.
func TestComputed(t *testing.T) {
	sys := computedModel(t)
	out, err := Run(t.Context(), sys, Default())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]result.Verdict{"small": result.Holds, "smaller": result.Violated,
		result.Deadlock: result.Violated}
	for _, r := range out.Results {
		if v, ok := want[r.Property]; ok && r.Verdict == v {
			delete(want, r.Property)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v, in %+v", want, out.Results)
	}
	notes := strings.Join(out.Notes, "\n")
	for _, text := range []string{"not given to provers", "states generated"} {
		if !strings.Contains(notes, text) {
			t.Errorf("no note says %q:\n%s", text, notes)
		}
	}
	all := &report.Report{Results: out.Results, Notes: out.Notes}
	var text, page, data bytes.Buffer
	err = errors.Join(report.WriteText(&text, all, report.Options{}),
		report.WriteHTML(&page, all, report.Options{}), report.WriteJSON(&data, all))
	for _, b := range []*bytes.Buffer{&text, &page, &data} {
		if err != nil || !strings.Contains(b.String(), "smaller") {
			t.Errorf("%v\n%s", err, b.String())
		}
	}
}

// What needs formulas is refused in the user's words.
func TestComputedRefused(t *testing.T) {
	sys := computedModel(t)
	var option *engine.OptionError
	_, _, err := Infer(t.Context(), sys, Default())
	if !errors.As(err, &option) || !strings.Contains(err.Error(), computed.Language) {
		t.Errorf("infer: %v", err)
	}
	o := Default()
	o.Inductive = true
	if _, err = Run(t.Context(), sys, o); !errors.As(err, &option) {
		t.Errorf("inductive: %v", err)
	}
	o = Default()
	o.Explore = false
	out, err := Run(t.Context(), sys, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range out.Results {
		if r.Verdict != result.NothingChecked || r.Reason.Code != result.Unsupported {
			t.Errorf("without an exploration, %s is %s: %s", r.Property, r.Verdict, r.Reason.Text)
		}
	}
}
