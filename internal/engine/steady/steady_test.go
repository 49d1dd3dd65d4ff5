package steady

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// taskOf asks for all claims of a system.
func taskOf(sys *system.System) *engine.Task {
	t := &engine.Task{Method: engine.Accelerate, System: sys}
	for _, p := range sys.Properties {
		t.Claims = append(t.Claims, engine.Claim{Name: p.Name, Property: p})
	}
	return t
}

// TestNoActions has a system without actions: its runs are its initial states.
func TestNoActions(t *testing.T) {
	sys := testkit.Compile(t, "mutable relation f\nmutable constant c: int\ninit c = 0\n"+
		"safety [no] !f\nsafety [zero] c <= 0\n")
	e := &Engine{Options: discharge.Options{Drivers: testkit.Solvers(t)}}
	found, err := e.Run(testkit.Solving(t), taskOf(sys), engine.Sink{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]result.Verdict{"no": result.Violated, "zero": result.Holds}
	for _, r := range found.Results {
		if r.Verdict != want[r.Property] {
			t.Errorf("%s is %s", r.Property, r.Verdict)
		}
		delete(want, r.Property)
	}
	if len(want) > 0 {
		t.Errorf("open: %v; %q", want, found.Notes)
	}
}

// TestRefused has systems whose runs are not a fixed number of pieces, or whose actions do not add
// numbers. In the first one, on and off may be taken again and again, so c has any value.
func TestRefused(t *testing.T) {
	const head = "mutable relation f\nmutable constant c: int\nimmutable constant n: int\n" +
		"init !f & c = 0\nsafety c <= 1\n"
	for _, x := range []struct{ text, why string }{
		{"action on() { require !f; f := true; c := c + 1; }\naction off() { require f; f := false; }",
			"f may change more than once"},
		{"action flip() { f := !f; c := c + 1; }", "f may change more than once"},
		{"action double() { c := c + c; }", "double adds no number to c"},
		{"action more() { c := c + n; }", "more adds no number to c"},
		{"action guess() { c := *; }", "something is chosen in guess"},
		{"action add(k: 1..2) { c := c + k; }", "something is chosen in add"},
		{"mutable constant r: 0..2\ninit r = 0\naction step() { c := c + 1; }",
			"r is neither an integer without a range nor a truth value"},
		{"sort s\nmutable relation g(s)\naction step() { c := c + 1; }", "g has arguments"},
		{"trusted invariant c <= 1\naction step() { c := c + 1; }", "is assumed without proof"},
	} {
		sys := testkit.Compile(t, head+x.text+"\n")
		if why := (&Engine{}).Accepts(taskOf(sys)); !strings.Contains(why, x.why) {
			t.Errorf("%s: %q, not %q", x.text, why, x.why)
		}
	}
}
