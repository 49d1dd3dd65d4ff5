package derive

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// generate writes a small algorithm of the class with a property of pairs of processes.
func generate(r *rand.Rand, timing string) string {
	pick := func(from ...string) string { return from[r.Intn(len(from))] }
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("immutable constant Delta: int\nimmutable constant Phi: int\nimmutable constant Gst: int\naxiom Delta >= 0 & Phi >= 1 & Gst = 2")
	line("algorithm generated {\n  message m")
	line("  var a: bool = %s\n  var n: 0..2 = %d\n  timing %s", pick("true", "false"), r.Intn(2),
		timing)
	kinds := []string{"send m", "receive", "compute"}
	r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	kinds = kinds[:2+r.Intn(2)]
	for i, k := range kinds {
		change := pick("", "n := if n < 2 then n + 1 else n;", "if n = 2 { a := !a; } else { n := n + 1; }", "a := n = 1;", "n := if a then 0 else n;")
		if k == "receive" {
			change = pick("if received(m) { n := 0; a := true; } else "+pick("if n < 2 { n := n + 1; }", "{ a := false; }"),
				"a := received(m);", "let old_n = n; n := if received(m) then 0 else if n < 2 then n + 1 else 2; a := old_n = 2 & n = 2 | a & n < 2;")
		}
		then := ""
		if r.Intn(4) == 0 {
			then = fmt.Sprintf(" then l%d", r.Intn(len(kinds)))
		}
		line("  %s at l%d%s { %s }", k, i, then, change)
	}
	line("}")
	value := pick("a(P, Q)", "!a(P, Q)", "n(P, Q) < 2", "n(P, Q) > 0 | a(P, Q)", "n(P, Q) = 0 -> a(P, Q)", "n(P, Q) < 2 | !a(P, Q)")
	line("safety [p] %s -> %s", pick("correct(P) & correct(Q)", "correct(P) & crashed(Q)", "true", "correct(P)", "P != Q & correct(P)"), value)
	for delta := 0; delta <= 1; delta++ {
		for phi := 1; phi <= 2; phi++ {
			line("instance d%dp%d { Delta = %d, Phi = %d }", delta, phi, delta, phi)
			line("instance d%dp%dn4 { Delta = %d, Phi = %d, process = 4 }", delta, phi, delta, phi)
			line("instance d%dp%dn3 { Delta = %d, Phi = %d, process = 3 }", delta, phi, delta, phi)
			line("instance d%dp%dn2 { Delta = %d, Phi = %d, process = 2 }", delta, phi, delta, phi)
			line("instance d%dp%dn1 { Delta = %d, Phi = %d, process = 1 }", delta, phi, delta, phi)
		}
	}
	return b.String()
}

// violated explores an instance, and reports whether the property is violated, and whether that is
// known.
func violated(t *testing.T, sys *system.System, instance string) (is, known bool) {
	t.Helper()
	in := sys.Instance(instance)
	if in == nil {
		t.Fatalf("no instance %s", instance)
	}
	results, err := explicit.Check(t.Context(), sys, in,
		explicit.Options{Only: []string{"p"}, Limits: engine.Limits{States: 10_000},
			Reduction: explicit.Reduction{Symmetry: true}})
	if err != nil {
		t.Fatal(err)
	}
	return results[0].Verdict == result.Violated,
		results[0].Verdict == result.Violated || results[0].Verdict == result.Holds
}

func read(t *testing.T, text string, o Options) *system.System {
	t.Helper()
	ds, _, err := Read(t.Context(), "generated.ere", text, o)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(ds) != 1 {
		t.Fatalf("%d systems", len(ds))
	}
	return ds[0].Spec.System
}

// With three processes, or four where they fit, or one, a property holds if and only if it holds in
// the reduced system.
func TestCutoff(t *testing.T) {
	for _, timing := range []string{"synchrony", "asynchrony", "partial_synchrony(Delta, Phi)", "partial_synchrony(Delta, Phi, Gst)"} {
		t.Run(timing, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewSource(1))
			compared, wrong := 0, 0
			algorithms := testkit.Size(3, 12)
			for range algorithms {
				text := generate(r, timing)
				full := read(t, text, Options{Unreduced: true})
				reduced := read(t, text, Options{})
				for _, in := range []string{"d0p1", "d1p2"} {
					if !strings.HasPrefix(timing, "partial") && in != "d0p1" {
						continue
					}
					want, known := violated(t, reduced, in)
					if !known {
						continue
					}
					for _, n := range []string{"n2", "n3", "n4"} {
						got, known := violated(t, full, in+n)
						if !known {
							break // more processes have more states
						}
						compared++
						if got {
							wrong++
						}
						if got != want {
							t.Fatalf("%s%s: violated is %v, in the reduced system %v\n%s", in, n,
								got, want, text)
						}
					}
					if one, known := violated(t, full, in+"n1"); known && one && !want {
						t.Fatalf("%s: violated with one process, but not in the reduced system\n%s",
							in, text)
					}
				}
			}
			some := int(algorithms / 2)
			if compared < 3*some || wrong < some || compared-wrong < some {
				t.Errorf("%d compared, %d of them violated", compared, wrong)
			}
		})
	}
}

// All encodings of one sender and one receiver give the same verdict, and the same values of the
// variables.
func TestEncodings(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(2))
	for i := range testkit.Size(3, 12) {
		text := generate(r, []string{"partial_synchrony(Delta, Phi)", "partial_synchrony(Delta, Phi, Gst)"}[i%2])
		for _, in := range []string{"d0p1", "d0p2", "d1p1", "d1p2"} {
			var want string
			for i, o := range []Options{{}, {KeepOld: true}, {Counter: true}, {BigSteps: true},
				{KeepOld: true, BigSteps: true}, {Counter: true, BigSteps: true}} {
				if o.KeepOld && endless(text) {
					continue // refused
				}
				got := reachable(t, read(t, text, o), in)
				if i == 0 {
					want = got
				} else if got != want {
					t.Fatalf("%s, %+v:\n%s\nwant\n%s\n%s", in, o, got, want, text)
				}
			}
		}
	}
}

// endless reports whether an algorithm has no system with exact ages.
func endless(text string) bool {
	_, list, err := Read(context.Background(), "generated.ere", text, Options{KeepOld: true})
	return err != nil && strings.Contains(list.Error(), "the ages of messages have no bound")
}

// reachable lists the values that the variables of the algorithm have in reachable states.
func reachable(t *testing.T, sys *system.System, instance string) string {
	t.Helper()
	values := states(t, sys, instance, func(sym *logic.Symbol) bool {
		return slices.Contains([]string{"a", "n", "sender_crashed", "receiver_crashed"}, sym.Name)
	})
	return strings.Join(slices.Sorted(maps.Keys(values)), "; ")
}

// states gives the reachable states as text, restricted to the symbols that matter. It explores
// naively.
func states(
	t *testing.T, sys *system.System, instance string, matters func(*logic.Symbol) bool,
) map[string]bool {
	t.Helper()
	m, err := interp.NewModel(sys, sys.Instance(instance))
	if err != nil {
		t.Fatal(err)
	}
	seen, values := map[string]bool{}, map[string]bool{}
	var queue []interp.State
	visit := func(s interp.State) error {
		k := m.Key(s)
		if seen[k] {
			return nil
		}
		seen[k] = true
		queue = append(queue, s.Clone())
		var text []string
		for i, sym := range m.SlotSymbols() {
			if sym.Mutable && matters(sym) {
				value := fmt.Sprint(s[i])
				if sym.Result.Kind == logic.KindEnum {
					value = sym.Result.Members[s[i]]
				}
				text = append(text, fmt.Sprintf("%s%v=%s", sym.Name, m.SlotArguments()[i], value))
			}
		}
		slices.Sort(text)
		values[strings.ReplaceAll(strings.Join(text, " ")+" ", "[]", "")] = true
		return nil
	}
	if err := m.Initial(t.Context(), visit); err != nil {
		t.Fatal(err)
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for _, a := range sys.Actions {
			if err := m.Steps(t.Context(), s, a, func(step interp.Step) error {
				return visit(step.State)
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return values
}
