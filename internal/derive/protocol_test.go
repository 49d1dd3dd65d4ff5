package derive_test

import (
	"os"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/names"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
)

// Each mistake is named at its place, with what to do about it.
func TestProtocolErrors(t *testing.T) {
	const head = "immutable constant Delta: int\nimmutable constant Phi: int\n" +
		"immutable constant Gst: int\nmutable constant shared: int\nghost constant note: int\n" +
		"definition flying(p: process) = exists n: 0..1. ping(p, p, n)\n" +
		"derived relation landing(process): landing(P) <-> flying(P)\n" +
		"definition twice(p: process) = landing(p)\n" +
		"definition dead() = exists p: process. crashed(p)\n" +
		"definition theirs(p: process) = a(p) = 0\n" +
		"immutable function one_way(process): int\n" +
		"ghost function changing(process, process): int\n"
	tests := []struct{ name, part, want, fix string }{
		{"reply", "step { reply ping(1); }", "a reply to nobody", "Write send ping to"},
		{"message", "step { send pong(1) to all; }", "there is no message 'pong'", "mean 'ping'"},
		{"payload", "step { send ping to all; }", "'ping' has one field, and no value here", ""},
		{"payload out of range", "step { send ping(a) to all; send ping(2) to self; }",
			"2 is outside of 0..1, the range of 'n' of ping", "declare a greater one"},
		{"reply out of range", "on ping(x) { reply ping(1 - 2); }", "-1 is outside of 0..1", ""},
		{"fields", "on ping(x, y) { }", "'ping' has one field, and 2 names here", ""},
		{"twice", "on ping(x) { } on ping(y) { }", "'ping' is received twice", "into one"},
		{"hidden", "on ping(a) { }", "'a' is already declared", "another name"},
		{"receiver", "on ping(self) { }", "'self' is the process that takes a step", "another name"},
		{"blocks", "step { require a = 1; }", "a condition that can block a step", "Write if"},
		{"argument", "on ping(x) from p { a := a(p); }",
			"'a' has one argument here, and is declared with no argument", "its own variables"},
		{"peer", "step { a := 0; b := true; }", "'b' has no argument here", ""},
		{"timer", "timer t", "the timer 't' has no bound", "0..n"},
		{"endless timer", "timer t: int", "the timer 't' has no bound", "0..n"},
		{"reset", "step { reset a; }", "'a' is no timer of this process", "timer NAME"},
		{"after", "after 2 steps of a { }", "'a' is no timer of this process", "timer NAME"},
		{"crashed", "step { if crashed(self) { } }", "does not see who is faulty", "properties"},
		{"transit", "step { if ping(self, self, 1) { } }", "does not see what is in transit",
			"on ping"},
		{"word", "var self: bool = true", "'self' has a meaning of its own", "another name"},
		{"assigned", "step { nowhere := 1; }", "'nowhere' is no variable of this process", "var"},
		{"shared", "", "'shared' is no process's", "ghost"},
		{"crashes", "faults crash(3)", "3 of 2 processes may be faulty in 'i'", "at most as many"},
		{"fault", "faults malicious", "there is no kind of fault 'malicious'", "faults crash"},
		{"liars", "faults byzantine(7)", "7 of 2 processes may be faulty in 'i'", "at most as many"},
		{"faulty", "faults omission step { if faulty(self) { } }", "does not see who is faulty",
			"properties"},
		{"same word", "faults omission faults byzantine",
			"'byzantine' beside 'omission': one word, faulty(P), would stand for both",
			"One of crash and recover"},
		{"two of a kind", "faults crash faults crash(1)", "this is given twice", ""},
		{"none and some", "faults crash faults none", "no faults, and faults", "Leave"},
		{"both words", "faults crash faults omission step { if crashed(self) { } }",
			"does not see who is faulty", ""},
		{"no copies", "network copies", "how many copies of a message", "copies(2)"},
		{"aged copies", "network copies(2)", "a number of copies where messages have ages", "Leave"},
		{"lossy number", "network lossy(2)", "network lossy has no number", "copies(2)"},
		{"drift of nothing", "timing drift(Phi)", "a drift where there are no clocks", "clock NAME"},
		{"drift", "clock c: 0..3 timing drift", "drift takes one parameter", "timing drift(D)"},
		{"drift by what", "clock c: 0..3 timing drift(a)",
			"'a' is not an immutable constant of sort int", ""},
		{"clock", "clock c", "the clock 'c' has no bound", "0..n"},
		{"steps of a clock", "clock c: 0..3 after 2 steps of c { }",
			"'c' is a clock: it counts rounds", "after 2 rounds of c"},
		{"rounds of a timer", "timer t: 0..3 after 2 rounds of t { }",
			"'t' is a timer: it counts steps", "after 2 steps of t"},
		{"bound of nothing", "timing pong(Delta)", "there is no message and no role 'pong'", "write"},
		{"two bounds", "timing ping(Phi) timing ping(Phi)", "this is given twice", ""},
		{"bound of a pair", "timing ping(one_way)",
			"'one_way' is not an immutable function of the sender and the receiver",
			"immutable function one_way(process, process): int"},
		{"changing bound", "timing ping(changing)", "'changing' is not an immutable function", ""},
		{"bound of a process", "timing process(changing)",
			"not an immutable function of the process", "changing(process): int"},
		{"copies", "network duplicating", "messages are duplicated before the bounds hold",
			"Gst"},
		{"reliable", "network reliable network fifo", "a network that is reliable, and more",
			"Leave this out"},
		{"two networks", "network fifo network fifo", "this is given twice", ""},
		{"other word", "faults omission var faulty: bool = true", "'faulty' has a meaning", ""},
		{"no faults", "faults none(1)", "how many of no faults?", "faults none"},
		{"disk", "disk d: bool = true", "'d' is kept on disk, and nobody recovers", "faults recover"},
		{"network", "network slow", "there is no network 'slow'", "network lossy"},
		{"lossy", "network lossy", "these hold from the start", "Gst"},
		{"roles", "role r { step { } }", "which role sends 'ping'?", "from ROLE to ROLE"},
		{"model", "timing lockstep", "a second model of time", "write a file for each model"},
		{"hidden by every", "step { send ping(0) to every b with b != self; }",
			"'b' is already declared", "another name"},
		{"sort of receivers", "step { send ping(0) to every q: process; }",
			"a sort for each receiver", "Leave it out: the receivers are all processes to which ping"},
		{"hidden self", "step { send ping(0) to every self; }", "'self' is already declared", ""},
		{"hidden parameter", "on ping(x) { send ping(x) to every x; }", "'x' is already declared",
			""},
		{"hidden sender", "on ping(x) from q { send ping(x) to every q; }",
			"'q' is already declared", ""},
		{"hidden local", "step { let q = self; send ping(0) to every q; }",
			"'q' is already declared", ""},
		{"hidden choice", "step { choose q: process; send ping(0) to every q; }",
			"'q' is already declared", ""},
		{"hidden in a condition", "step { send ping(0) to every q with exists q: 0..1. q = a; }",
			"'q' is already declared", ""},
		{"definition", "step { if flying(self) { } }", "'flying' speaks of 'ping'", "arguments"},
		{"derived", "step { if landing(self) { } }", "'landing' speaks of 'ping'", "arguments"},
		{"two definitions", "step when twice(self) { }", "'twice' speaks of 'ping'", ""},
		{"definition of crashes", "step { a := if dead then 0 else 1; }",
			"'dead' speaks of 'crashed'", ""},
		{"definition of others", "step { send ping(0) to every q with theirs(q); }",
			"'theirs' speaks of 'a'", ""},
		{"start", "var c: bool = dead", "depends on the state: 'crashed'", "constants"},
		{"start of others", "var c: bool = forall q: process. b(self, q)",
			"depends on the state: 'b'", ""},
		{"never", "timer t: 0..3 after 5 steps of t { }", "this never happens: 't' stops at 3",
			"0..5"},
		{"capital value", "step { send ping(if b(P) then 0 else 1) to self; }",
			"'P' is not declared", "forall"},
		{"capital receiver", "step { send ping(0) to P; }", "'P' is not declared", "to all"},
		{"capital with", "step { send ping(0) to every q with b(P); }", "'P' is not declared", ""},
		{"capital when", "step when b(P) { }", "'P' is not declared", ""},
		{"capital if", "step { if b(P) { } }", "'P' is not declared", ""},
		{"capital choice", "step { choose q: process with q = P; a := 0; }",
			"'P' is not declared", ""},
		{"capital timer", "timer t(process): 0..3 after 2 steps of t(P) { }",
			"'P' is not declared", ""},
		{"capital reset", "timer t(process): 0..3 step { reset t(P); }",
			"'P' is not declared", ""},
		{"capital elsewhere", "step { b(P) := b(Q); }", "'Q' is not declared", ""},
		{"sort of processes", "} sort process definition none_of() = false protocol y on x {",
			"'process' is declared twice", ""},
		{"forged by nobody", "forge ping(x) when x = 0", "nobody makes up a message",
			"faults byzantine"},
		{"forged twice", "faults byzantine forge ping(x) when x = 0 forge ping(y) when y = 0",
			"two conditions for 'ping'", "into one: forge ping when A & B"},
		{"forged fields", "faults byzantine forge ping when true",
			"'ping' has one field, and no name here", ""},
		{"forged message", "faults byzantine forge pong when true", "there is no message 'pong'",
			"mean 'ping'"},
		{"forged freely", "faults byzantine forge ping(x)", "'when' and the condition", ""},
		{"forged in transit", "faults byzantine forge ping(x) from p when ping(p, p, x)",
			"'ping' is in transit, and gone when it is received", "ping_sent(P, Q, ...)"},
		{"forged by a definition", "faults byzantine forge ping(x) from p when twice(p)",
			"'ping' is in transit", ""},
		{"forged capital", "faults byzantine forge ping(x) when a(P) = x", "'P' is not declared",
			"forall"},
		{"forged by a ghost", "faults byzantine forge ping(x) when note = x", "ghost", ""},
		{"forged by time", "faults byzantine forge ping(x) from p when acted(p)",
			"'acted' is not declared", ""},
		{"forged from self", "faults byzantine forge ping(x) from self when true",
			"'self' is the process", "another name"},
		{"forged parameter", "faults byzantine forge ping(x) from p to p when true",
			"'p' is already declared", "another name"},
		{"record", "faults byzantine step { if ping_sent(self, self, 1) { } }",
			"does not see what others send", "forge"},
		{"number of crashes", "faults crash(size(process) - 1)",
			"the greatest number of faults is made of numbers", "immutable constant"},
		{"local definition", "definition one() = a = 1", "found 'definition'",
			"A definition stands beside the protocol"},
		{"no number of crashes", "faults crash(a)", "is made of numbers", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := head
			if tt.name != "shared" {
				text = strings.Replace(text, "mutable constant shared: int\n", "", 1)
			}
			text += "protocol x {\n  message ping(n: 0..1)\n  timing partial_synchrony(Delta, Phi)\n" +
				"  var a: 0..3 = 0\n  var b(process): bool = false\n" + tt.part +
				"\n}\nsafety a(P) <= 3\n" +
				"instance i { process = 2, Delta = 1, Phi = 1, Gst = 1 }\n"
			_, list, err := derive.Read(t.Context(), "x.ere", text, derive.Options{})
			if err == nil {
				t.Fatalf("no error; want %s", tt.want)
			}
			for _, d := range list.All {
				if strings.Contains(d.Message, tt.want) && strings.Contains(d.Fix, tt.fix) &&
					!d.Span.IsZero() {
					return
				}
			}
			t.Errorf("%v\nwant %s, %s", err, tt.want, tt.fix)
		})
	}
}

// A declaration beside a protocol says how many processes a role may have.
func TestRoleExtent(t *testing.T) {
	for declared, want := range map[string]logic.Extent{"sort server @finite": logic.Finite,
		"sort server @infinite": logic.Infinite, "": logic.AnySize} {
		ds, _, err := derive.Read(t.Context(), "x.ere", declared+"\nprotocol x {\n"+
			"  message m from client to server\n  timing asynchrony\n"+
			"  role client { step { send m to all; } }\n  role server { on m { } }\n}\nsafety true\n",
			derive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range ds[0].Spec.System.Sorts {
			if s.Name == "server" && s.Extent != want || s.Name == "client" && s.Extent != logic.AnySize {
				t.Errorf("%s: %s is %q", declared, s, s.Extent)
			}
		}
	}
}

func TestProtocolTiming(t *testing.T) {
	for timing, want := range map[string]string{
		"asynchrony(Gst)":                    "asynchrony takes no parameters",
		"synchrony(Gst)":                     "synchrony takes no parameters",
		"partial_synchrony(Delta)":           "partial_synchrony takes",
		"partial_synchrony(Delta, 3)":        "",
		"synchrony\n  network fifo":          "an order of messages where they have no ages",
		"asynchrony\n  network duplicating":  "copies of messages where messages in transit are a set",
		"synchrony\n  timing m(Delta)":       "a bound where there are none",
		"lockstep":                           "there is no model of time 'lockstep'",
		"partial_synchrony(Delta, Nowhere)":  "'Nowhere' is not an immutable constant",
		"partial_synchrony(Delta, Phi, Gst)": "-",
	} {
		text := "immutable constant Delta: int\nimmutable constant Phi: int\n" +
			"immutable constant Gst: int\nprotocol x {\n  message m\n  timing " + timing +
			"\n  step { send m to all; }\n}\nsafety true\n"
		_, _, err := derive.Read(t.Context(), "x.ere", text, derive.Options{})
		if want == "-" {
			if err != nil {
				t.Errorf("%s: %v", timing, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", timing, err, want)
		}
	}
}

// A name of a protocol that is renamed wherever it occurs leaves the meaning as it is.
func TestProtocolNames(t *testing.T) {
	const suffix = "_renamed"
	plain := func(text string) string {
		ds, _, err := derive.Read(t.Context(), "x.ere", text, derive.Options{})
		if err != nil {
			t.Errorf("%v", err)
			return ""
		}
		return strings.ReplaceAll(ds[0].Spec.System.String(), suffix, "")
	}
	for _, file := range []string{"lease_by_acks.ere", "ping_ack.ere", "ping_again.ere",
		"signed_broadcast.ere", "lease_by_clock.ere"} {
		read, err := os.ReadFile("../../examples/partial_synchrony/" + file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(read)
		want := plain(text)
		table := names.Of(syntax.Parse(diag.NewSource("x.ere", text), &diag.List{}))
		for _, d := range table.Declarations {
			if d.Kind == names.Point || d.Kind == names.Implied {
				continue // names of the system are chosen around it
			}
			var b strings.Builder
			at := 0
			for _, o := range d.Uses {
				b.WriteString(text[at:o.Span.End] + suffix)
				at = o.Span.End
			}
			if plain(b.String()+text[at:]) != want {
				t.Errorf("%s: renaming the %s %s changes the system", file, d.Kind,
					d.Name.Text)
			}
		}
	}
}
