package derive_test

import (
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

const smallProtocol = `immutable constant Delta: int
immutable constant Phi: int
axiom Delta >= 0 & Phi >= 1
protocol x {
  message m(n: 0..1)
  timing partial_synchrony(Delta, Phi)
  var got: bool = false
  on m(n) { got := n = 1; }
  step { send m(0) to all; }
}
safety [never] !got(P)
instance i { process = 2, Delta = 0, Phi = 1 }
`

// What is said about the systems of a protocol are claims, and mistakes in them are reported.
func TestProtocolAbout(t *testing.T) {
	tests := []struct{ name, more, want string }{
		{"no system", "about nowhere { }", "no derived system is called 'nowhere'"},
		{"axiom", "about rounds { axiom Delta = 7 }", "would change what the derived system does"},
		{"action", "about untimed { action a() { } }", "would change what the derived system does"},
		{"trusted", "about untimed { trusted invariant false }",
			"would change what the derived system does"},
		{"init", "about rounds { init got(P) }", "would change what the derived system does"},
		{"two definitions", "about rounds { definition d() = true definition d() = false }",
			"'d' is declared twice"},
		{"two claims", "about untimed { safety [d] true }\nabout untimed { safety [d] true }",
			"'d' is declared twice"},
		{"a name of the file", "about rounds { definition got(q: process) = true }",
			"'got' is a name of the file"},
		{"a word", "about rounds { definition crashed(q: process) = true }",
			"'crashed' has a meaning of its own"},
		{"unknown name", "about untimed { invariant [z] nothing(P) }",
			"'nothing' is not declared"},
		{"not in this system", "about untimed { invariant [z] !stepping(P) }",
			"'stepping' is not declared"},
		{"expectation", "about rounds { invariant [w] !stepping(P) | true }\nexpect [w] holds",
			"'w' is a claim about one of the systems"},
		{"expectation without time", "about untimed { invariant [w] true }\nexpect [w] holds",
			"'w' is a claim about one of the systems"},
		{"assumption", "trusted invariant !m(P, Q, 1)\nabout untimed { invariant [w] true }",
			"there is no system without time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, list, err := derive.Read(t.Context(), "x.ere", smallProtocol+tt.more+"\n",
				derive.Options{})
			if err == nil || !strings.Contains(list.Error(), tt.want) {
				t.Errorf("%v\nwant %s", err, tt.want)
			}
			for _, d := range list.All {
				if d.Span.Source == nil || d.Span.Source.Name != "x.ere" {
					t.Errorf("not in the file: %v", d)
				}
			}
		})
	}
}

// A claim is decided without time only if it says the same there.
func TestCarriesOver(t *testing.T) {
	const derived = "derived relation flying(process): flying(P) <-> " +
		"(exists q: process, n: 0..1. m(P, q, n))\n" +
		"derived relation gone(process): gone(P) <-> !flying(P)\n"
	for claim, want := range map[string]bool{
		"m(P, Q, 1) -> got(P)":          true,
		"got(P) -> m(P, Q, 1)":          false,
		"got(P) -> flying(P)":           false,
		"got(P) -> !gone(P)":            false,
		"got(P) <-> m(P, Q, 1)":         false,
		"!(m(P, Q, 1) & !got(P))":       true,
		"forall q: process. crashed(q)": true,
	} {
		text := smallProtocol + derived + "safety [claim] " + claim + "\n"
		ds, _, err := derive.Read(t.Context(), "x.ere", text, derive.Options{Untimed: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(ds[0].Properties, "claim"); got != want {
			t.Errorf("%s: %v, want %v", claim, got, want)
		}
	}
}

// An assumption about messages says something else without time, so nothing is proved there.
func TestAssumptionsWithTime(t *testing.T) {
	for assumption, want := range map[string]bool{
		"trusted invariant got(P) -> !crashed(P)":                              true,
		"trusted invariant !m(P, Q, 1)":                                        false,
		"definition d() = exists p: process. m(p, p, 1)\ntrusted invariant !d": false,
		"init !m(P, Q, 1)":                                                     false,
		"derived relation d: (d <-> true) & !m(P, Q, 1)":                       false,
		"derived relation d: d <-> (exists r: process. m(r, r, 1))":            true,
	} {
		ds, list, err := derive.Read(t.Context(), "x.ere", smallProtocol+assumption+"\n",
			derive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		warned := slices.ContainsFunc(list.All, func(d *diag.Diagnostic) bool {
			return strings.Contains(d.Message, "nothing is proved without time")
		})
		if got := ds[0].Untimed != nil; got != want || warned == want {
			t.Errorf("%s: %v, warned %v", assumption, got, warned)
		}
	}
}

// A claim of a block about the system without time is not taken for one of the file, or of another
// system.
func TestClaimsOfBlocks(t *testing.T) {
	text := smallProtocol + "about rounds { safety [claim] false }\n" +
		"about untimed { safety [claim] true }\n"
	ds, _, err := derive.Read(t.Context(), "x.ere", text, derive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := ds[0].Untimed(t.Context())
	if err != nil || slices.Contains(other.Properties, "claim") ||
		!slices.Contains(other.Properties, "never") {
		t.Errorf("%v %v", other.Properties, err)
	}
}

// Names of the systems' own words, and places of messages about them.
func TestRoleWords(t *testing.T) {
	for part, want := range map[string]string{
		"var crashed_b: bool = false": "'crashed_b' has a meaning of its own",
		"var correct_a: bool = false": "'correct_a' has a meaning of its own",
		"var crashed_c: bool = false": "",
	} {
		text := strings.NewReplacer("message m(n: 0..1)", "message m(n: 0..1) from a to b",
			"var got", "role a { "+part+" step { send m(0) to all; } } role b { var got",
			"step { send m(0) to all; }\n}", "} }", ", process = 2", "", "process = 2", "a = 1, b = 1").
			Replace(smallProtocol)
		_, list, err := derive.Read(t.Context(), "x.ere", text, derive.Options{})
		if want == "" && err != nil || want != "" &&
			(err == nil || !strings.Contains(list.Error(), want)) {
			t.Errorf("%s: %v", part, err)
		}
	}
}

// An error in the sort of a field is at its place, once.
func TestPlacesInSorts(t *testing.T) {
	_, list, err := derive.Read(t.Context(), "x.ere",
		strings.Replace(smallProtocol, "n: 0..1", "n: nosort", 1), derive.Options{})
	if err == nil || len(list.All) != 1 || list.All[0].Span.Source.Name != "x.ere" {
		t.Errorf("%v", list)
	}
}

// What is counted of crashes and recoveries stays in its range, by induction.
func TestCrashesInRange(t *testing.T) {
	text := strings.Replace(smallProtocol, "  var got", "  faults recover(1)\n  var got", 1)
	ds, _, err := derive.Read(t.Context(), "x.ere", text, derive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	results, err := induction.Prove(testkit.Solving(t), ds[0].Spec.System, induction.Options{
		Options: discharge.Options{Drivers: testkit.Solvers(t)}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(results, func(r result.Result) bool {
		return r.Property == "range:crashes" && r.Verdict == result.Holds
	}) {
		t.Errorf("%+v", results)
	}
}

// A number of faults is one of all roles together.
func TestFaultsOfRoles(t *testing.T) {
	const text = `protocol x {
  message ask from client to server
  timing synchrony
  faults crash(2)
  role client { step { send ask to all; } }
  role server { on ask { } }
}
safety [one_up] (exists C. correct_client(C)) | (exists S. correct_server(S))
safety [servers_up] exists s: server. correct_server(s)
instance i { client = 2, server = 1 }
`
	ds, _, err := derive.Read(t.Context(), "x.ere", text, derive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sys := ds[0].Spec.System
	results, err := explicit.Check(t.Context(), sys, sys.Instance("i"), explicit.Options{
		Only: []string{"one_up", "servers_up"}})
	if err != nil || results[0].Verdict != result.Holds || results[1].Verdict != result.Violated {
		t.Errorf("%v, %v", results, err)
	}
	_, list, err := derive.Read(t.Context(), "x.ere",
		strings.Replace(text, "crash(2)", "crash(4)", 1), derive.Options{})
	if err == nil || !strings.Contains(list.Error(), "4 of 3 processes may be faulty in 'i'") {
		t.Errorf("four of three: %v", err)
	}
}

// A parameter of a model of time that is a number is refused with what to write. The word for a
// kind of fault takes no name away: the action is crash, and not crash_1.
func TestWordsOfProtocols(t *testing.T) {
	text := strings.Replace(smallProtocol, "  var got", "  faults crash(1)\n  var got", 1)
	ds, _, err := derive.Read(t.Context(), "x.ere", text, derive.Options{})
	if err != nil || !slices.ContainsFunc(ds[0].Spec.System.Actions, func(a *system.Action) bool {
		return a.Name == "crash"
	}) {
		t.Errorf("no action crash: %v", err)
	}
	_, list, err := derive.Read(t.Context(), "x.ere",
		strings.Replace(smallProtocol, "Delta, Phi)", "Delta, Phi, 3)", 1), derive.Options{})
	if err == nil || !strings.Contains(list.All[0].Fix, "give it in each instance: N = 3") {
		t.Errorf("a number as Gst: %v", list)
	}
}

// The name for each receiver stands for it wherever an expression mentions it.
func TestEveryInCollections(t *testing.T) {
	text := strings.NewReplacer("  var got", "  var friends(process): set[process] = {}\n"+
		"  var best: option[process] = none\n  var got",
		"send m(0) to all;", "send m(match best { none -> 0; some(b) -> if b = q then 1 else 0 }) "+
			"to every q with exists x in friends(q). x = self;").Replace(smallProtocol)
	ds, _, err := derive.Read(t.Context(), "x.ere", text, derive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text := ds[0].Spec.System.String(); !strings.Contains(text, "friends(self, Peer") {
		t.Error(text)
	}
}

// A role, and a kind of message, may have bounds of their own.
func TestOwnBounds(t *testing.T) {
	const text = `immutable constant Delta: int
immutable constant Phi: int
immutable constant Own: int
protocol x {
  message beat from a to b
  timing partial_synchrony(Delta, Phi)
  faults none
  role a { step { send beat to all; } }
  role b {
    timer silent: 0..4
    on beat { reset silent; }
  }
}
safety [heard] silent(B) <= 3
instance i { a = 1, b = 1, Delta = 1, Phi = 3, Own = 1 }
instance j { a = 1, b = 1, Delta = 3, Phi = 1, Own = 1 }
`
	for _, tt := range []struct {
		from, to, instance string
		want               result.Verdict
	}{
		{"faults", "timing b(Own) faults", "i", result.Violated},
		{"faults", "timing a(Own) faults", "i", result.Holds},
		{"faults", "timing beat(Own) faults", "j", result.Holds},
		{"faults", "timing beat(Delta) faults", "j", result.Violated},
	} {
		text := strings.Replace(text, tt.from, tt.to, 1)
		ds, _, err := derive.Read(t.Context(), "x.ere", text, derive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sys := ds[0].Spec.System
		results, err := explicit.Check(t.Context(), sys, sys.Instance(tt.instance),
			explicit.Options{Only: []string{"heard"}})
		if err != nil || results[0].Verdict != tt.want {
			t.Errorf("%s in %s: %v %v, want %s", tt.to, tt.instance, results, err, tt.want)
		}
	}
}
