package sim

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/zone"
	"erelong.dev/erelong/internal/front/uppaal"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/timed"
)

func network(t *testing.T, path string) *timed.Network {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, path, string(text))
}

// within reports whether clock values are in a zone, by its text alone.
func within(t *testing.T, zone []string, state []result.Binding) bool {
	t.Helper()
	value := func(text string) *big.Rat {
		if r, ok := new(big.Rat).SetString(text); ok {
			return r
		}
		for _, b := range state {
			if b.Name == text {
				r, _ := new(big.Rat).SetString(b.Value.Text)
				return r
			}
		}
		t.Fatalf("the state has no clock %q", text)
		return nil
	}
	for _, c := range zone {
		words := strings.Fields(c)
		var sides []*big.Rat
		var signs []string
		for i := 0; i < len(words); i++ {
			switch w := words[i]; w {
			case "<", "<=", "=":
				signs = append(signs, w)
			case "-":
				i++
				last := sides[len(sides)-1]
				last.Sub(last, value(words[i]))
			default:
				sides = append(sides, new(big.Rat).Set(value(w)))
			}
		}
		for i, sign := range signs {
			order := sides[i].Cmp(sides[i+1])
			if order > 0 || order == 0 && sign == "<" || order < 0 && sign == "=" {
				return false
			}
		}
	}
	return true
}

// Random choices in every model: each of them can be taken, the clock values are in the zone, and
// the same address gives the same state again.
func TestTimedChoices(t *testing.T) {
	paths, err := filepath.Glob("../../examples/*/*.xta")
	if err != nil || len(paths) < 4 {
		t.Fatalf("%v: %v", paths, err)
	}
	for i, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			net := network(t, path)
			x, err := NewTimedExplorer(net, nil, "")
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(uint64(i), 1))
			at, zones, waits := Address{First: 1}, 0, 0
			for range 40 {
				v, err := x.View(t.Context(), at)
				if err != nil {
					t.Fatalf("%+v: %v", at, err)
				}
				if v.Zone != nil {
					zones++
				}
				if !within(t, v.Zone, x.run[v.Address.At].shown.State) {
					t.Fatalf("%+v: the clocks %v are not in the zone %v", at,
						x.run[v.Address.At].shown.State, v.Zone)
				}
				var some []Choice
				for _, c := range v.Choices {
					if c.Number > 0 {
						some = append(some, c)
					}
				}
				if len(some) == 0 {
					break
				}
				c := some[r.IntN(len(some))]
				if c.Action == "wait" {
					waits++
				}
				if at, err = x.Take(t.Context(), v.Address, c.Number); err != nil {
					t.Fatalf("%+v: %s cannot be taken: %v", v.Address, c.Call, err)
				}
			}
			if zones == 0 && !net.Prioritised() && !net.Selective() || waits == 0 {
				t.Errorf("%d zones and %d delays were seen", zones, waits)
			}
			first, err := x.View(t.Context(), at)
			if err != nil {
				t.Fatal(err)
			}
			y, err := NewTimedExplorer(net, nil, "")
			if err != nil {
				t.Fatal(err)
			}
			again, err := y.View(t.Context(), at)
			if err != nil ||
				fmt.Sprint(first.State[0], first.Zone, first.Choices) !=
					fmt.Sprint(again.State[0], again.Zone, again.Choices) {
				t.Errorf("the address %+v gives another state: %v", at, err)
			}
		})
	}
}

const gate = `
clock x, y; chan open; broadcast chan bell; int n;
process P() { state a { x <= 3 }, b; init a; trans a -> b { guard x > 1; sync open!; assign y := 0, n := n + 1; }, b -> a { guard y == 2; sync bell!; assign x := 0; }; }
process Q() { state c, d; init c; trans c -> d { sync open?; }, d -> c { sync bell?; }; }
p = P(); q = Q(); system p, q;
`

func parsed(t *testing.T, path, text string) *timed.Network {
	t.Helper()
	net, err := uppaal.Read(path, text, "", "")
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// The steps and delays of a small model, by hand: the gate opens strictly after 1 and until 3.
func TestTimedView(t *testing.T) {
	x, err := NewTimedExplorer(parsed(t, "gate.xta", gate), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	see := func(a Address) *View {
		t.Helper()
		v, err := x.View(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	calls := func(v *View) string {
		var out []string
		for _, c := range v.Choices {
			out = append(out, c.Call)
		}
		return strings.Join(out, "; ")
	}
	v := see(Address{First: 1})
	if got, want := calls(v), "wait 1/2; wait 1; wait 2; wait 3"; got != want {
		t.Errorf("the choices are %s and not %s", got, want)
	}
	if got, want := strings.Join(v.Zone, ", "), "x <= 3, y <= 3, y = x"; got != want {
		t.Errorf("the zone is %s and not %s", got, want)
	}
	v = see(Address{First: 1, Steps: []int{3}, At: 1})
	if got, want := calls(v), "open: p a -> b, q c -> d; wait 1/2; wait 1"; got != want {
		t.Errorf("after 2 the choices are %s and not %s", got, want)
	}
	v = see(Address{First: 1, Steps: []int{3, 1}, At: 2})
	if got, want := strings.Join(v.Zone, ", "), "1 < x, y - x < -1, x - y <= 3"; got != want {
		t.Errorf("the zone is %s and not %s", got, want)
	}
	if v.Deadlock || v.Run[2].Call == "" {
		t.Errorf("after the step: %+v", v)
	}
	v = see(Address{First: 1, Steps: []int{3, 1, 2, 2}, At: 4})
	if len(v.Choices) == 0 || v.Deadlock {
		t.Errorf("the choices are %s", calls(v))
	}
	if _, err := x.View(t.Context(), Address{First: 1, Steps: []int{9}}); err == nil {
		t.Error("a step that does not exist is taken")
	}
}

// A run that the engine has found can be stepped on from each of its states.
func TestTimedRecorded(t *testing.T) {
	for _, text := range []string{gate + "", door} {
		net := parsed(t, "gate.xta", text)
		q := &timed.Query{Text: "E<> deadlock or later", Kind: timed.Possibly,
			Formula: &timed.Formula{Op: timed.Data,
				Eval: func(m *timed.Memory) int32 {
					if m.Cells[0] == 1 {
						return 1
					}
					return 0
				}}}
		r, err := zone.Check(t.Context(), net, q, zone.Options{})
		if err != nil || r.Run == nil {
			t.Fatalf("%+v: %v", r, err)
		}
		trace, err := zone.Trace(net, r)
		if err != nil {
			t.Fatal(err)
		}
		x, err := NewTimedExplorer(net, trace, "")
		if err != nil {
			t.Fatal(err)
		}
		again, err := x.Trace(t.Context(), Address{})
		if err != nil || len(again.Steps) != len(trace.Steps) {
			t.Fatalf("%v: %+v", err, again)
		}
		for i, s := range trace.Steps {
			if fmt.Sprint(s.State, s.Args, s.Sync) !=
				fmt.Sprint(again.Steps[i].State, again.Steps[i].Args, again.Steps[i].Sync) {
				t.Errorf("state %d is %+v and was %+v", i, again.Steps[i], s)
			}
		}
		a, err := x.Take(t.Context(), Address{At: 0}, 1)
		if err != nil || a.First != 1 || len(a.Steps) != 1 {
			t.Errorf("a step from the first state leads to %+v: %v", a, err)
		}
	}
}

const door = "clock x; process P() { state a { x <= 3 }, b; init a; trans a -> b { guard x > 1; }; } p = P(); system p;\n"
