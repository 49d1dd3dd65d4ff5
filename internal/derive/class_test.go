package derive

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
)

// A construct outside the class is refused with its position, and the message names the condition.
func TestOutsideClass(t *testing.T) {
	const before = "immutable constant c: int\nalgorithm x {\n  message m\n  var a: bool = false\n  var n: int = c\n  timing synchrony\n  send m at s { }\n"
	const after = "\n}\nsafety !a(P, Q)"
	tests := []struct {
		name, item string // within the algorithm
		code       diag.Code
		want       string
	}{
		{"another peer", "compute at l { n := n(P); }", diag.OutsideClass, "the variable of another process or peer"},
		{"assigned for another peer", "compute at l { n(P) := 1; }", diag.OutsideClass, "the variable of another process or peer"},
		{"a process", "compute at l { a := P = P; }", diag.OutsideClass, "cannot name a process"},
		{"all processes", "compute at l { a := forall P: process. a; }", diag.OutsideClass, "speaks of processes"},
		{"a choice", "compute at l { choose k: 0..1; n := k; }", diag.OutsideClass,
			"deterministic"},
		{"any value", "compute at l { n := *; }", diag.OutsideClass, "deterministic"},
		{"a guard", "compute at l { require a; }", diag.OutsideClass, "can block"},
		{"who crashed", "compute at l { a := crashed(P); }", diag.OutsideClass, "cannot know which processes have crashed"},
		{"received elsewhere", "compute at l { a := received(m); }", diag.OutsideClass, "in a task of the kind receive only"},
		{"received from", "receive at l { a := received(m, P); }", diag.OutsideClass, "its sender is the peer at hand"},
		{"message with content", "receive at l { a := received(m(P)); }", diag.OutsideClass, "names no process"},
		{"an immutable target", "compute at l { c := 1; }", diag.OutsideClass, "not a variable of the algorithm"},
		{"old", "compute at l { n := old(n); }", diag.OutsideClass, "current values only"},
		{"start depends on a variable", "var k: int = n", diag.OutsideClass, "the same constant for all processes"},
		{"no such message", "receive at l { a := received(k); }", diag.AlgorithmForm, "no message 'k'"},
		{"send of no message", "send k at l { }", diag.AlgorithmForm, "no message 'k'"},
		{"a message as a formula", "compute at l { a := m; }", diag.AlgorithmForm, "is a message"},
		{"no such location", "compute at l then k { }", diag.AlgorithmForm, "no task at the location 'k'"},
		{"two tasks at a location", "compute at s { }", diag.Duplicate, "declared twice"},
		{"a name that nobody declared", "compute at l { n := k; }", diag.UnresolvedName, "'k' is not declared"},
		{"a sort", "compute at l { n := a; }", diag.SortMismatch, "has sort bool"},
		{"a guard that looks like a condition for sending", "compute at l { require a; n := 1; }",
			diag.OutsideClass, "can block"},
		{"a send that depends on what was received", "receive at l { if received(m) { send m; } }",
			diag.OutsideClass, "a send within a task"},
		{"a send to one process", "send m to q at l { }", diag.OutsideClass, "a send is to all"},
		{"a send within a task to one process", "receive at l { if received(m) { send m to q; } }",
			diag.OutsideClass, "a send within a task"},
		{"a message with a number", "message k(int)", diag.OutsideClass,
			"says nothing but its name"},
		{"a send with a number", "send m(3) at l { }", diag.OutsideClass, "says nothing but its name"},
		{"a word for a variable", "var crashed: bool = false", diag.Duplicate, "has a meaning of its own"},
		{"a word for what is bound", "compute at l { let correct = n; n := correct; }",
			diag.Duplicate, "has a meaning of its own"},
		{"a word of actions for a variable", "var old: bool = false", diag.Duplicate, "has a meaning of its own"},
		{"a word of actions for a location", "compute at assume { }", diag.Duplicate, "has a meaning of its own"},
		{"a value that grows", "compute at l { " + strings.Repeat("n := n + n; ", 40) + "}",
			diag.Unsupported, "of more than"},
		{"many ifs that depend on each other", "compute at l { " + strings.Repeat("if n = 1 { n := n + 1; } ", 40) + "}", diag.Unsupported, "of more than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := before + tt.item + after
			_, list, err := Read(t.Context(), "x.ere", text, Options{})
			if err == nil {
				t.Fatal("accepted")
			}
			d := list.All[0]
			if d.Code != tt.code ||
				!strings.Contains(d.Error(), tt.want) && !strings.Contains(d.Message, tt.want) {
				t.Errorf("%v", list)
			}
			if d.Span.Line() != strings.Count(before, "\n")+1 {
				t.Errorf("line %d", d.Span.Line())
			}
		})
	}
}

// A declaration beside an algorithm must have a meaning there.
func TestBesideAlgorithm(t *testing.T) {
	const algorithm = "algorithm x {\n  message m\n  var a: bool = false\n  timing synchrony\n  send m at s { }\n}\n"
	const timed = "immutable constant D: int\nimmutable constant F: int\naxiom D >= 0 & F >= 1\nalgorithm x {\n  message m\n  var a: bool = false\n" +
		"  timing partial_synchrony(D, F)\n  send m at s { }\n}\n"
	tests := []struct{ name, text, want string }{
		{"variable", algorithm + "mutable relation r", "global variable"},
		{"action", algorithm + "action b() { }", "its steps are its tasks"},
		{"transition", algorithm + "mutable relation r\ntransition b() modifies r new(r)", "global variable"},
		{"init", algorithm + "init true", "initial condition"},
		{"invariant", algorithm + "invariant true", "has no system to speak of"},
		{"theorem", algorithm + "theorem true", "not supported"},
		{"trace", algorithm + "sat trace { any transition }", "not supported"},
		{"second algorithm", algorithm + strings.Replace(algorithm, "x", "y", 1), "a second algorithm"},
		{"no timing", strings.Replace(algorithm, "timing synchrony", "", 1), "model of time is missing"},
		{"timing", strings.Replace(algorithm, "synchrony", "sychrony", 1), "no model of time"},
		{"parameters of the timing", strings.Replace(algorithm, "synchrony", "partial_synchrony(Delta)", 1), "takes the bound"},
		{"parameter that is no constant", strings.Replace(algorithm, "synchrony", "partial_synchrony(D, F)", 1), "not an immutable constant"},
		{"no tasks", "algorithm x { timing synchrony }", "without tasks"},
		{"about without algorithm", "about one_way { }", "has none"},
		{"reduce without algorithm", "reduce [p] within 3", "has none"},
		{"about nothing", algorithm + "about two_ways { }", "no derived system"},
		{"a property of the derived system", timed + "safety correct(P) & correct(Q) & receiver_timer = 0 -> !a(P, Q)", "'receiver_timer' is not declared"},
		{"a task that looks into the derived system", strings.Replace(timed, "{ }", "{ a := sender_timer = 0; }", 1) + "safety !a(P, Q)", "'sender_timer' is not declared"},
		{"a definition that does", timed + "definition d() = exists_msg(0)\nsafety correct(P) & d -> !a(P, Q)", "'exists_msg' is not declared"},
		{"a bound that does", timed + "temporal [p] eventually always (correct(P) & crashed(Q) -> a(P, Q))\nreduce [p] within sender_timer", "'sender_timer' is not declared"},
		{"an axiom about a system", timed + "safety !a(P, Q)\nabout one_way_with_crashes { axiom false }", "would change"},
		{"an initial condition about a system", timed + "safety !a(P, Q)\nabout one_way_with_crashes { init a }", "would change"},
		{"an action about a system", timed + "safety !a(P, Q)\nabout one_way_with_crashes { action b() { a := false; } }", "would change"},
		{"a symbol that tells processes apart", algorithm + "immutable relation leader(process)\nsafety leader(P) -> !a(P, Q)", "which only a property may"},
		{"an axiom about processes", algorithm + "axiom exists P: process, Q: process. P != Q\nsafety !a(P, Q)", "which only a property may"},
		{"a definition about processes", algorithm + "definition d() = exists Q. crashed(Q)\nsafety correct(P) & d -> !a(P, P)", "which only a property may"},
		{"an equation in a definition", algorithm + "definition d(p: process, q: process) = p = q\nsafety d(P, Q) -> !a(P, Q)", "which only a property may"},
		{"a trusted invariant about a system", timed + "safety !a(P, Q)\nabout one_way_with_crashes { trusted invariant !a }", "would change"},
		{"a symbol about a system", timed + "safety !a(P, Q)\nabout one_way_with_crashes { immutable constant k: int }", "would change"},
		{"another meaning for a name of a property", timed + "safety a(P, Q) -> K = 5\nabout one_way_with_crashes { definition K() = true }", "another meaning"},
		{"another meaning for a word", timed + "safety !a(P, Q)\nabout one_way_with_crashes { definition correct() = true }", "a meaning of its own"},
		{"a constant for a process", timed + "safety !a(D, F)", "has sort int"},
		{"a process for a number", timed + "safety P + 1 < P -> !a(P, Q)", "process"},
		{"a number for a process", timed + "safety !a(P, 3)", "has sort int"},
		{"a sort of that name", timed + "enum process { A, B }\nsafety !a(P, Q)", "a meaning of its own"},
		{"a member of that name", timed + "enum e { crashed, B }\nsafety !a(P, Q)", "a meaning of its own"},
		{"a variable of a property that hides one", timed + "safety forall a: int. a > 0 -> correct(P)", "must not hide it"},
		{"a bound for every value", strings.Replace(timed, "send m at s { }", "send m at s { }\n  receive at r { a := received(m); }", 1) +
			"temporal [p] eventually always (correct(P) & crashed(Q) -> a(P, Q))\nreduce [p] within K", "stands for every value"},
		{"a bound that depends on crashes", timed + "temporal [p] eventually always (correct(P) & crashed(Q) -> a(P, Q))\nreduce [p] within if crashed(Q) then 1 else 2",
			"'crashed' is a variable"},
		{"another start of the sender, for all processes", strings.Replace(timed, "send m", "sender starts s\n  receive at r { }\n  send m", 1) +
			"safety a(P, Q) -> a(Q, P)", "none of them is the sender"},
		{"copies that ages tell apart", strings.Replace(timed, "send m", "network copies(D)\n  send m", 1) + "safety !a(P, Q)", "their ages tell them apart"},
		{"copies without a number", strings.Replace(algorithm, "send m", "network copies(D)\n  send m", 1) + "safety !a(P, Q)", "not an immutable constant"},
		{"another network", strings.Replace(algorithm, "send m", "network lossy\n  send m", 1) + "safety !a(P, Q)", "'copies'"},
		{"a bound that varies", strings.Replace(timed, "send m at s { }", "var n: int = 0\n  send m at s { }\n  receive at r { }", 1) +
			"temporal [p] eventually always (correct(P) & correct(Q) -> a(P, Q))\nreduce [p] by n until n + 1", "'n' is a variable"},
		{"an expectation of nothing", algorithm + "safety [p] !a(P, Q)\nexpect [q] holds", "no property 'q'"},
		{"reduce nothing", algorithm + "reduce [p] within 3", "no property"},
		{"reduce another form", timed + "temporal [p] always (correct(P) & crashed(Q) -> a(P, Q))\nreduce [p] within 3",
			"of the form eventually always"},
		{"reduce a property of two processes", timed + "temporal [p] eventually always (crashed(Q) -> a(P, Q) & a(Q, P))\nreduce [p] within 3",
			"one process's variables about one peer"},
		{"reduce without a crash", timed + "temporal [p] eventually always (correct(P) -> a(P, Q))\nreduce [p] within 3",
			"require the peer to have crashed"},
		{"reduce without correct processes", strings.Replace(timed, "send m at s { }", "var n: int = 0\n  send m at s { }\n  receive at r { }", 1) +
			"temporal [p] eventually always (correct(P) -> a(P, Q))\nreduce [p] by n until 3",
			"require both processes to be correct"},
		{"reduce in synchrony", algorithm + "temporal [p] eventually always a(P, Q)\nreduce [p] within 3", "partial synchrony"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, list, err := Read(t.Context(), "x.ere", tt.text, Options{})
			if err == nil {
				t.Fatal("accepted")
			}
			if !strings.Contains(list.All[0].Message, tt.want) &&
				!strings.Contains(list.Error(), tt.want) {
				t.Errorf("%v", list)
			}
		})
	}
}

// A property outside the cutoff theorems is not reduced, and the message names the obstacle.
func TestNotReduced(t *testing.T) {
	const algorithm = "algorithm x {\n  message m\n  var a: bool = false\n  timing synchrony\n  send m at s { }\n  receive at r { a := received(m); }\n}\n" +
		"instance three { process = 3 }\ninstance none { }\n"
	tests := []struct{ property, want string }{
		{"safety a(P, Q) & a(Q, R) -> a(P, R)", "more than two processes"},
		{"safety (exists P. correct(P) & a(P, Q)) | crashed(Q)",
			"quantifier over processes inside"},
		{"temporal eventually (forall P: process, Q: process. a(P, Q))", "quantifier over processes inside"},
		{"safety distinct(P, Q, R) -> !a(P, Q)", "more than two processes"},
		{"safety P != Q & (if a(P, Q) then P else R) = Q -> !a(P, Q)", "more than two processes"},
		{"safety a(P, Q) & !(R = P) & !(R = Q) -> false", "more than two processes"},
	}
	for _, tt := range tests {
		ds, list, err := Read(t.Context(), "x.ere", algorithm+tt.property, Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.property, err)
			continue
		}
		if len(list.All) != 1 || list.All[0].Code != diag.NotReduced ||
			!strings.Contains(list.All[0].Message, tt.want) {
			t.Errorf("%s: %v", tt.property, list)
		}
		if len(ds) != 1 || ds[0].Name != Processes || len(ds[0].Reductions) != 1 ||
			len(ds[0].Spec.System.Instances) != 1 {
			t.Errorf("%s: %+v", tt.property, ds)
		}
	}
}

// If messages are never received, their ages have no bound, and the system with exact ages does not
// exist.
func TestEndlessAges(t *testing.T) {
	text := timedHead + "algorithm x {\n  message m\n  var a: bool = false\n  timing partial_synchrony(Delta, Phi)\n" +
		"  receive at r { a := received(m); }\n  send m at s then s { }\n}\nsafety [p] P != Q -> !a(P, Q)\ninstance one { Delta = 0, Phi = 1, Gst = 0, process = 1 }"
	for _, o := range encodings {
		ds, list, err := Read(t.Context(), "x.ere", text, o)
		if (err != nil) != o.KeepOld {
			t.Errorf("%+v: %v", o, err)
		}
		if o.KeepOld && !strings.Contains(list.Error(), "the ages of messages have no bound") {
			t.Errorf("%+v: %v", o, list)
		}
		// The theorems are not about a single process.
		if !o.KeepOld && !(len(ds) == 1 && slices.ContainsFunc(list.All, func(
			d *diag.Diagnostic,
		) bool {
			return d.Code == diag.NotReduced
		})) {
			t.Errorf("%+v: %v", o, list.All)
		}
	}
}

// A task or message without effect is pointed out.
func TestNoEffect(t *testing.T) {
	const text = `algorithm x {
  message sent, received_only, neither, fine
  var a: bool = false
  timing synchrony
  send sent at one { }
  send fine at two { }
  receive at three then one { a := received(fine) | received(received_only); }
  send received_only at four { }
  receive at five then one { a := received(sent); }
}
safety correct(P) -> a(P, Q) | !a(P, Q)`
	_, list, err := Read(t.Context(), "x.ere", text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range list.All {
		got = append(got, fmt.Sprintf("%s %d %s", d.Code, d.Span.Line(), d.Span.Text()))
	}
	want := []string{"W0604 2 sent", "W0604 2 received_only", "W0604 2 neither", "W0604 8 four", "W0604 9 five"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Any text gives systems or an error with a position; nothing panics.
func FuzzRead(f *testing.F) {
	for _, e := range diag.Catalogue() {
		f.Add(e.Example)
	}
	for _, path := range []string{"chandra_toueg.ere", "heartbeat/doubling.ere", "heartbeat/stubborn.ere"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "examples", path))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, o := range []Options{{}, {Unreduced: true}, {Counter: true, BigSteps: true},
			{KeepOld: true}} {
			_, list, err := Read(t.Context(), "x.ere", text, o)
			var d *diag.List
			if err == nil {
				continue
			}
			if !errors.As(err, &d) {
				t.Fatalf("an error without a position: %v", err)
			}
			for _, d := range list.All {
				if d.Span.IsZero() || d.Message == "" {
					t.Errorf("no position: %v", d)
				}
			}
		}
	})
}

// A quantifier over numbers makes no third process of a property: one sender and one receiver are
// enough.
func TestNumbersAreNoProcesses(t *testing.T) {
	d := read1(t, timedHead+`algorithm x {
  message m
  var n: 0..2 = 0
  timing partial_synchrony(Delta, Phi)
  send m at s { }
  receive at r { if received(m) & n < 2 { n := n + 1; } }
}
safety [p] forall P, Q. forall i: 0..1. correct(P) & correct(Q) -> n(P, Q) != i + 1
`, "p", Options{})
	if !strings.HasPrefix(d.Name, "one_way") {
		t.Errorf("the property needs %s", d.Name)
	}
}
