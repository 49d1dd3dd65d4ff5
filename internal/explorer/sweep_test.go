package explorer

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/report"
)

const steps = `
immutable constant Phi: int
immutable constant Delta: int
immutable constant limit: int
mutable constant x: int
init x = 0
action step() {
  require x < Delta;
  x := x + Phi;
}
safety [below] x < limit
instance d2p2 { Delta = 2, Phi = 2, limit = 5 }
`

func TestSweep(t *testing.T) {
	s := service(t, map[string]string{"steps.ere": steps, "one.ere": lock})
	d := asked[*Description](t, s, "file", request{File: "steps.ere"})
	if d.Sweep != "Phi=1..3,Delta=1..3,limit=5" {
		t.Errorf("the sweep to begin with is %q", d.Sweep)
	}
	run := check(t, s, request{File: "steps.ere", Command: checkCommand,
		Instances: []string{"Delta=1..6,Phi=1..3,limit=5"}})
	a := asked[*SweepAnswer](t, s, "sweep", request{Run: run})
	if a.Property != "below" || a.X != "Phi" || a.Y != "Delta" ||
		strings.Count(a.SVG, `data-x=`) != 18 {
		t.Fatalf("%+v", a)
	}
	for j, row := range a.Points {
		for i, p := range row {
			phi, delta := i+1, j+1
			reached := (delta + phi - 1) / phi * phi // the first multiple of Phi from Delta on
			if want := fmt.Sprintf("Delta=%d,Phi=%d,limit=5", delta, phi); p.Instance != want ||
				(p.Result >= 0) != (reached >= 5) {
				t.Errorf("point (%d, %d) is %+v", phi, delta, p)
			}
		}
	}
	if !strings.Contains(a.Text, "for every smaller Phi and Delta") {
		t.Errorf("the front is %q", a.Text)
	}
	turned := asked[*SweepAnswer](t, s, "sweep", request{Run: run, X: "Delta", Y: "Phi",
		Measure: "states"})
	if turned.X != "Delta" || len(turned.Points) != 3 ||
		!strings.Contains(turned.SVG, `class="cell shade`) {
		t.Errorf("%+v", turned)
	}
	alone := check(t, s, request{File: "steps.ere", Command: checkCommand})
	if a := asked[*SweepAnswer](t, s, "sweep", request{Run: alone}); a.Note == "" || a.SVG != "" {
		t.Errorf("one instance gives %+v", a)
	}
}

// Saved results are shown as a sweep, and not as verdicts of the present text.
func TestSavedSweep(t *testing.T) {
	s := service(t, map[string]string{"steps.ere": steps})
	run := check(t, s, request{File: "steps.ere", Command: checkCommand,
		Instances: []string{"Delta=1..6,Phi=1..3,limit=5"}})
	r, err := s.run(run)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := report.WriteJSON(&b, r.report); err != nil {
		t.Fatal(err)
	}
	before := asked[*SweepAnswer](t, s, "sweep", request{Run: run})
	kept := asked[map[string]int](t, s, "saved", request{File: "steps.ere", Text: b.String()})
	after := asked[*SweepAnswer](t, s, "sweep", request{Run: kept["run"]})
	if after.Text != before.Text || after.Points[5][2].Result != -1 {
		t.Errorf("%q, %+v", after.Text, after.Points[5][2])
	}
	list := asked[map[string][]Summary](t, s, "runs", request{})["runs"]
	if last := list[len(list)-1]; !last.Saved || last.Digest != "" || list[0].Saved {
		t.Errorf("%+v", list)
	}
	for _, bad := range []string{"", "{}", `{"schema":"x"}`, b.String() + b.String()} {
		body := fmt.Appendf(nil, `{"file":"steps.ere","text":%q}`, bad)
		if _, err := s.Answer(t.Context(), "saved", body); err == nil {
			t.Errorf("%.20q was read", bad)
		}
	}
}
