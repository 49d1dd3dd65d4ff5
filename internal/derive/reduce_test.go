package derive

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// generateDetector writes a failure detector that may learn from its mistakes or not, with the
// property p that it makes none in the end, and a reduction of p that may be too hopeful.
func generateDetector(r *rand.Rand) string {
	pick := func(from ...string) string { return from[r.Intn(len(from))] }
	const most = 7
	learn := pick("limit := limit + 1;", "limit := limit + 1;", "limit := limit + limit;", "",
		"if limit < 3 { limit := limit + 1; }", "if limit > 1 { limit := limit - 1; }")
	rest := pick("suspected := true;", "suspected := true;", "suspected := !suspected;",
		"if silent = limit { suspected := true; }")
	heard := pick("silent := 0;", "silent := 0;", "if silent > 0 { silent := silent - 1; }")
	// heeded is the number of silent receives that is tolerated.
	heeded := pick("limit", "limit", "2")
	idle := pick("", "", "if suspected & limit > 2 { suspected := false; }",
		"if limit > 1 { suspected := true; }")
	return timedHead + fmt.Sprintf(`algorithm detector {
  message beat
  var suspected: bool = false
  var limit: int = %d
  var silent: 0..%d = 0
  timing partial_synchrony(Delta, Phi, Gst)
  send beat at pulse { %s }
  receive at listen {
    if received(beat) {
      %s
      if suspected { suspected := false; %s }
    } else if silent < %s & silent < %d { silent := silent + 1; }
    else { %s }
  }
}
temporal [p] eventually always (correct(P) & correct(Q) -> !suspected(P, Q))
reduce [p] by limit until %s
`, 1+r.Intn(2), most, idle, heard, learn, heeded, most, rest,
		pick("2 * Phi + Delta", "2 * Phi + Delta", "Phi + Delta", "1"))
}

// TestReducedByGrowth compares a property with the properties of states that it is reduced to: if
// they hold in an instance, it holds there, decided as written with two whole processes. A limit
// that grows for ever is beyond an exploration; then the part that asks for no mistakes with a
// large one is violated.
func TestReducedByGrowth(t *testing.T) {
	testkit.InCI(t)
	t.Parallel()
	n := 12
	if testkit.Long() {
		n = 2000
	}
	r := rand.New(rand.NewSource(1))
	count := map[string]int{}
	for i := range n {
		delta, phi, gst := r.Intn(2), 1+r.Intn(2), r.Intn(4)
		if i%3 == 2 { // the explorations of many of these are too large
			delta, phi, gst = r.Intn(4), 1+r.Intn(3), r.Intn(9)
		}
		text := generateDetector(r)
		for _, processes := range []int{2, 3} {
			text += fmt.Sprintf("instance n%d { Delta = %d, Phi = %d, Gst = %d, process = %d }\n",
				processes, delta, phi, gst, processes)
		}
		d := read1(t, text, "p", Options{BigSteps: true})
		sys := d.Spec.System
		results, err := explicit.Check(t.Context(), sys, sys.Instance("n2"),
			explicit.Options{Only: d.Sufficient["p"], Limits: engine.Limits{States: 20_000}})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		parts := result.Holds
		for _, p := range results {
			if p.Verdict != result.Holds {
				parts = p.Verdict
				name := p.Property[strings.Index(p.Property, ":"):]
				count[fmt.Sprintf("%s%s", p.Verdict, name)]++
			}
		}
		for _, in := range []struct {
			name string
			Options
		}{{"n2", Options{Unreduced: true}}, {"n2", Options{BigSteps: true}}, {"n2", Options{}},
			{"n3", Options{Unreduced: true}}} {
			v, known := limited(t, text, in.name, in.Options)
			if !known {
				continue
			}
			if delta > 1 || phi > 2 || gst > 3 || in.name == "n3" {
				count["larger"]++
			}
			count[fmt.Sprintf("%s by parts, %s", parts, v)]++
			if parts == result.Holds && v != result.Holds {
				t.Fatalf("%+v: the parts hold, but the property is %s\n%s", in, v, text)
			}
		}
	}
	t.Log(count)
	for _, want := range []string{"holds by parts, holds", "violated by parts, violated",
		"violated:enough", "violated:grows", "larger"} {
		if count[want] == 0 {
			t.Errorf("never %s: %v", want, count)
		}
	}
}
