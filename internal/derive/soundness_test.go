package derive

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/temporal"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// encodings are all ways to derive a system with one sender and one receiver.
var encodings = []Options{{}, {BigSteps: true}, {KeepOld: true}, {KeepOld: true, BigSteps: true},
	{Counter: true},
	{Counter: true, BigSteps: true}, {Counter: true, KeepOld: true},
	{Counter: true, KeepOld: true, BigSteps: true}}

// verdictOf is the verdict of a property in an instance of the system that decides it.
func verdictOf(t *testing.T, text, property, instance string, o Options) (result.Verdict, string) {
	t.Helper()
	d := read1(t, text, property, o)
	sys := d.Spec.System
	in := sys.Instance(instance)
	if in == nil {
		t.Fatalf("no instance %s\n%s", instance, text)
	}
	var results []result.Result
	var err error
	if p := sys.Property(property); p.Kind == system.Temporal {
		results, err = temporal.Check(t.Context(), sys, in,
			temporal.Options{Only: []string{property}})
	} else {
		results, err = explicit.Check(t.Context(), sys, in,
			explicit.Options{Only: []string{property}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return results[0].Verdict, d.Name
}

const timedHead = "immutable constant Delta: int\nimmutable constant Phi: int\nimmutable constant Gst: int\naxiom Delta >= 0 & Phi >= 1 & Gst >= 0\n"

// Every system that decides a property gives the verdict that follows from the algorithm: all
// encodings, and all processes.
func TestSameVerdict(t *testing.T) {
	tests := []struct {
		name, text, instance string
		want                 result.Verdict
	}{
		{"a task that is never reached sends nothing", `algorithm x {
  message m
  message k
  var heard: bool = false
  timing partial_synchrony(Delta, Phi)
  send m at here { }
  receive at there then here { heard := heard | received(k); }
  send k at nowhere then here { }
}
temporal [p] eventually always (correct(P) & correct(Q) -> heard(P, Q))`, "Delta = 1, Phi = 1, Gst = 0", result.Violated},
		{"before the bounds hold, messages arrive one by one", `algorithm x {
  message m
  var n: 0..2 = 0
  timing partial_synchrony(Delta, Phi, Gst)
  send m at one { }
  send m at two { }
  receive at three then three { if received(m) & n < 2 { n := n + 1; } }
}
safety [p] P != Q -> n(P, Q) <= 1`, "Delta = 0, Phi = 1, Gst = 5", result.Violated},
		{"and so they do for the process itself", `algorithm x {
  message m
  var n: 0..2 = 0
  timing partial_synchrony(Delta, Phi, Gst)
  send m at one { }
  send m at two { }
  receive at three then three { if received(m) & n < 2 { n := n + 1; } }
}
safety [p] P = Q | n(P, Q) <= 1`, "Delta = 0, Phi = 1, Gst = 5", result.Violated},
		{"from the start they do not", `algorithm x {
  message m
  var n: 0..2 = 0
  timing partial_synchrony(Delta, Phi, Gst)
  send m at one { }
  send m at two { }
  receive at three then three { if received(m) & n < 2 { n := n + 1; } }
}
safety [p] P != Q & correct(P) & correct(Q) -> n(P, Q) <= 1`, "Delta = 0, Phi = 1, Gst = 0",
			result.Holds},
		{"other messages overtake", `algorithm x {
  message m
  message k
  var seen: bool = false
  var n: 0..2 = 0
  timing partial_synchrony(Delta, Phi, Gst)
  send m at one { }
  send m at two { }
  send k at three { }
  receive at four then four {
    if received(m) & seen & n < 2 { n := n + 1; }
    if received(k) { seen := true; }
  }
}
safety [p] n(P, Q) <= 1`, "Delta = 0, Phi = 1, Gst = 5", result.Violated},
		{"a message of the time before stabilisation has Delta rounds from then on",
			oldMessage("2"), "Delta = 2, Phi = 1, Gst = 1",
			result.Violated},
		{"but no more", oldMessage("3"), "Delta = 2, Phi = 1, Gst = 1",
			result.Holds},
		{"processes crash together", `algorithm x {
  message m
  var heard: bool = false
  timing partial_synchrony(Delta, Phi)
  send m at s { }
  receive at r { if received(m) { heard := true; } }
}
temporal [p] P != Q & (eventually (crashed(P) & heard(P, Q)))
  -> (eventually (crashed(P) & correct(Q))) | (eventually (crashed(Q) & correct(P))) | always correct(Q)`,
			"Delta = 0, Phi = 1, Gst = 0", result.Violated},
		{"a process that outlives another takes its steps", `algorithm x {
  message m
  var n: 0..1 = 0
  timing partial_synchrony(Delta, Phi)
  send m at s { n := 1 - n; }
  receive at r { n := 1 - n; }
}
temporal [p] P != Q & (eventually (crashed(Q) & correct(P) & n(P, Q) = 0)) & (eventually crashed(P))
  -> (eventually (crashed(Q) & n(P, Q) = 1))`,
			"Delta = 0, Phi = 1, Gst = 0", result.Holds},
		{"a let ends with its block, and what it hides is there again", `algorithm x {
  message m
  var n: 0..2 = 0
  timing partial_synchrony(Delta, Phi)
  send m at s { }
  receive at r {
    let k = 1;
    if received(m) { let k = 2; let k = k; n := k; }
    if n = 2 { let j = k; n := j; } else { n := 0; }
  }
}
safety [p] correct(P) & correct(Q) -> n(P, Q) <= 1`, "Delta = 1, Phi = 1, Gst = 0", result.Holds},
		{"a quantifier over numbers around a property stays", `algorithm x {
  message m
  var n: 0..2 = 0
  timing partial_synchrony(Delta, Phi)
  send m at s { }
  receive at r { if received(m) & n < 2 { n := n + 1; } }
}
safety [p] forall P, Q. forall i: 0..1. correct(P) & correct(Q) -> n(P, Q) != i + 1`, "Delta = 1, Phi = 1, Gst = 0", result.Violated},
		{"names of the file are not names of the system", `immutable constant K: int
immutable constant P: int
immutable constant Self: int
immutable constant Age: int
immutable constant hole__0: int
immutable constant epc: int
immutable constant pc: int
immutable constant timer: int
immutable constant got_m: int
immutable constant rpc: int
immutable constant round: int
enum Send { SSched, Schedule, location, age, send, sender_timer, exists_msg }
axiom K = 1 & P = 1 & Self = 1 & Age = 1 & hole__0 = 1 & epc = 1 & pc = 1 & timer = 1 & got_m = 1 & rpc = 1 & round = 1
algorithm x {
  message m
  var silent: 0..2 = 0
  var suspected: bool = false
  timing partial_synchrony(Delta, Phi)
  send m at deliver { }
  receive at listen {
    if received(m) { silent := 0; suspected := false; } else if silent < K * P * Self * Age * hole__0 * got_m { silent := silent + rpc; } else {
      suspected := true;
    }
  }
}
temporal [p] X != Y -> eventually always (correct(X) & correct(Y) -> !suspected(X, Y) & !suspected(Y, X))`, "Delta = 1, Phi = 1, Gst = 0", result.Holds},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := timedHead + tt.text + "\ninstance i { " + tt.instance + ", process = 2 }\n"
			for _, name := range []string{"K", "P", "Self", "Age", "hole__0", "epc", "pc", "timer",
				"got_m", "rpc", "round"} {
				if strings.Contains(text, "constant "+name+":") {
					text = strings.Replace(text, ", process = 2", ", "+name+" = 1, process = 2", 1)
				}
			}
			decided := map[string]bool{}
			for _, o := range append(slices.Clone(encodings), Options{Unreduced: true}) {
				if name := read1(t, text, "p", o).Name; decided[name] {
					continue // the property needs the same system as with other options
				}
				got, system := verdictOf(t, text, "p", "i", o)
				decided[system] = true
				if got != tt.want {
					t.Errorf("%s: %s, want %s", system, got, tt.want)
				}
			}
		})
	}
}

// A number that is negative in an instance is negative in every derived system.
func TestNegativeValue(t *testing.T) {
	text := timedHead + `immutable constant c: int
algorithm x {
  message m
  var n: int = c
  timing partial_synchrony(Delta, Phi)
  send m at s { }
  receive at r { }
}
safety [one] n(P, Q) >= 0
safety [two] n(P, Q) + n(Q, P) >= 0
safety [three] correct(P) & correct(Q) -> n(P, Q) >= 0
instance i { c = -1, Delta = 0, Phi = 1, Gst = 0 }
`
	for _, p := range []string{"one", "two", "three"} {
		if v, system := verdictOf(t, text, p, "i", Options{}); v != result.Violated {
			t.Errorf("%s: %s in %s", p, v, system)
		}
	}
}

// The text of a system never depends on the form of an expression in it.
func TestParts(t *testing.T) {
	either := expr("a | b")
	for got, want := range map[expr]expr{
		exprOf("%s -> c", either):                  "(a | b) -> c",
		exprOf("!%s", conjunction(either, either)): "!((a | b) & (a | b))",
		exprOf("%s = %s", name("x"), number(3)):    "x = 3",
		disjunction():                              "false",
		conjunction():                              "true",
		conjunction(either):                        "a | b",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	n := &names{taken: map[string]bool{"K": true, "K_1": true}, given: map[string]name{}}
	if got := fmt.Sprintf("%s %s %s %s", n.of("K"), n.of("K"), n.of("K_2"), n.of("J")); got != "K_2 K_2 K_2_1 J" {
		t.Error(got)
	}
}

// oldMessage is an algorithm that says when a message is received in the process's round n or
// later.
func oldMessage(n string) string {
	return strings.Replace(`algorithm x {
  message m
  var late: bool = false
  var n: 0..3 = 0
  timing partial_synchrony(Delta, Phi, Gst)
  send m at one { }
  receive at two then two {
    late := late | received(m) & n >= N;
    if n < 3 { n := n + 1; }
  }
}
safety [p] P != Q & correct(P) & correct(Q) -> !late(P, Q)`, "N", n, 1)
}

// In a derived system all ages lie in their range, plainly: no claim says so, which would stand
// behind all choices of a step.
func TestAgesAreInRange(t *testing.T) {
	for _, timing := range []string{"Delta, Phi", "Delta, Phi, Gst"} {
		text := timedHead + strings.Replace(`algorithm x {
  message m, k
  var heard: bool = false
  timing partial_synchrony(Delta, Phi, Gst)
  compute at one { }
  send m at two { }
  receive at three { heard := received(m) | received(k); }
  send m at four { }
}
safety [p] P != Q -> !heard(P, Q)`, "Delta, Phi, Gst", timing, 1)
		for _, o := range append(slices.Clone(encodings), Options{Unreduced: true}) {
			for _, p := range read1(t, text, "p", o).Spec.System.Properties {
				if p.Kind == system.Argument {
					t.Errorf("%s, %+v: %s", timing, o, p.Term)
				}
			}
		}
	}
}
