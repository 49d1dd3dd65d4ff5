package zone

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"erelong.dev/erelong/internal/front/uppaal"
	"erelong.dev/erelong/internal/timed"
)

// What many runs of a large network reach is found, although the zones before it are too many.
func TestWalks(t *testing.T) {
	var several []string
	for _, p := range []string{"1", "3", "4", "5", "6", "7", "8"} {
		several = append(several, "P("+p+").wait")
	}
	query := "E<> " + strings.Join(several, " && ")
	r := check(t, example(t, "fischer", 10), query, Options{MaxStates: 5000})[0]
	if r.Answer != Satisfied || r.Run == nil || r.Visited > 5000 {
		t.Errorf("answer %d after %d zones: %s", r.Answer, r.Visited, r.Reason)
	}
	if r := check(t, example(t, "fischer", 10), query,
		Options{MaxStates: 5000, Shortest: true})[0]; r.Answer != Unknown {
		t.Errorf("without walks the answer is %d, so this says nothing of them", r.Answer)
	}
}

// Walks look at as many steps as they may, and at the ones of one state more at most.
func TestWalksLookAtSteps(t *testing.T) {
	net, err := uppaal.Read("m.xta", example(t, "fischer", 6), "m.q",
		"A[] not (P(1).cs and P(2).cs)")
	if err != nil {
		t.Fatal(err)
	}
	f := reached(net.Queries[0])
	a, err := analyse(t.Context(), net, []*timed.Formula{f})
	if err != nil {
		t.Fatal(err)
	}
	const budget, most = 5000, 100
	w, s := newWalker(net, a, f), newStroller(net, a, f)
	if w.walk(t.Context(), budget) != nil || s.stroll(t.Context(), budget) {
		t.Error("a walk meets what cannot be reached")
	}
	if w.looked < budget || w.looked > budget+most {
		t.Errorf("walks look at %d steps", w.looked)
	}
	if n := budget * s.share(); s.looked < n || s.looked > n+most {
		t.Errorf("walks with exact values look at %d steps", s.looked)
	}
}

// A walk meets a formula only if a state in which it holds can be reached, and its steps can be
// made with exact delays.
func TestWalksAgainstRegions(t *testing.T) {
	met, not := 0, 0
	generated := func(t *rapid.T) {
		text := model(t, shape{clocks: 2, most: 3, ranked: rapid.Bool().Draw(t, "ranked"),
			broadcasts: rapid.Bool().Draw(t, "broadcasts")})
		o := regionsOf(t, text)
		net := o.net
		for _, q := range net.Queries {
			f := reached(q)
			a, err := analyse(t.Context(), net, []*timed.Formula{f})
			if err != nil {
				t.Fatal(err)
			}
			w := newWalker(net, a, f)
			path := w.walk(context.Background(), 300)
			switch {
			case path == nil && w.explorer.steps.Memory.Fault == nil:
				not++
				continue
			case path == nil:
				continue
			case o.fewest(f) < 0:
				t.Fatalf("%s: a walk meets what cannot be reached\n%s", q.Text, text)
			}
			met++
			run, err := schedule(net, path, f, zone{})
			if err != nil {
				t.Fatalf("%s: %v\n%s", q.Text, err, text)
			}
			if err := timed.Replay(net, run, f); err != nil {
				t.Fatalf("%s: %v\n%s", q.Text, err, text)
			}
		}
	}
	for range 5 { // some models have few states
		if rapid.Check(t, generated); met >= 10 && not >= 50 {
			break
		}
	}
	if met < 10 || not < 50 {
		t.Errorf("%d walks met the formula, %d did not", met, not)
	}
}
