package verify

import (
	"bytes"
	"errors"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
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

// One exploration of a computed system finds what two find, also where a boundary leaves states out
// in which properties are false.
func TestComputedOneExploration(t *testing.T) {
	one, two, bounded := 0, 0, 0
	for seed := range int64(testkit.Size(60, 200)) {
		plain, err := systemtest.Generate(rand.New(rand.NewSource(seed)),
			systemtest.Options{Bits: 7})
		if err != nil {
			t.Fatal(err)
		}
		sys, err := computed.Of(plain, plain.Instances[0])
		if err != nil {
			t.Fatal(err)
		}
		c := sys.Computed
		c.Stutters, c.Deadlock = seed%2 == 0, seed%3 == 0
		sys.Properties = append(sys.Properties, &system.Property{Name: "again",
			Kind: system.Temporal, Term: logic.Temporal(logic.OpAlways,
				logic.Temporal(logic.OpEventually, sys.Properties[0].Term))})
		r, task := exploring(t, sys)
		if seed%4 == 1 {
			c.Boundary = []*system.Formula{{Term: sys.Properties[1].Term}}
			bounded++
		}
		if c.Deadlock {
			task.Claims = append(task.Claims, engine.NoDeadlock)
		}
		states, _ := compareOne(t, r, task)
		if slices.ContainsFunc(states.Results, isViolated) {
			two++
		} else {
			one++
		}
	}
	if one < 10 || two < 10 || bounded < 10 {
		t.Errorf("%d explorations of what holds, %d of what is violated, %d with a boundary", one,
			two, bounded)
	}
}

// A run that stays in a state for ever, though it could go on, says so.
func TestComputedStutters(t *testing.T) {
	sys := computedModel(t)
	sys.Computed.Stutters = true
	sys.Properties = append(sys.Properties, &system.Property{Name: "reaches",
		Kind: system.Temporal,
		Term: logic.Temporal(logic.OpEventually, logic.Not(sys.Properties[1].Term))})
	o := Default()
	o.Only = []string{"reaches"}
	out, err := Run(t.Context(), sys, o)
	if err != nil || len(out.Results) != 1 || out.Results[0].Verdict != result.Violated {
		t.Fatalf("%+v, %v", out, err)
	}
	var text bytes.Buffer
	if err := report.WriteTrace(&text, out.Results[0].Trace, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "loop back to state 0: "+result.Stutter) {
		t.Error(text.String())
	}
}
