package main

import (
	"slices"
	"testing"
)

// The census has 61 rows, of which 12 are about steps and 8 about liveness, and each file once.
func TestCensus(t *testing.T) {
	rows, err := tlapsRows(tlapsCensus)
	if err != nil {
		t.Fatal(err)
	}
	g := goals(rows, nil)
	if want := (tlapsGoals{rows: 61, withSteps: 12, withLive: 8}); g != want {
		t.Errorf("%+v, not %+v", g, want)
	}
	var files []string
	for _, r := range rows {
		files = append(files, r.files...)
	}
	slices.Sort(files)
	if n := len(slices.Compact(slices.Clone(files))); n != len(files) || n != 73 {
		t.Errorf("%d files, %d of them different; not 73", len(files), n)
	}
}

// A row is proved where all claims of all of its files are.
func TestGoals(t *testing.T) {
	rows, err := tlapsRows("# a comment\nTR 12 A B steps Above\nSL 1 C\n")
	if err != nil {
		t.Fatal(err)
	}
	say := func(property, word string) verdict {
		kind := "safety"
		if property == "Live" {
			kind = "liveness"
		}
		return verdict{Property: property, Verdict: word, Kind: kind, Scope: "all"}
	}
	a := rows[0].sorted([]verdict{say("Inv", "holds"), say("Above_safety", "unknown")})
	b := rows[0].sorted(nil)
	c := rows[1].sorted([]verdict{say("Inv", "unknown"), say("Inv", "holds"), say("Live", "holds")})
	one := say("Inv", "holds")
	one.Scope = "N=3"
	if d := rows[0].sorted([]verdict{one}); d.safety != (tally{1, 0}) {
		t.Errorf("proved in one instance: %+v", d)
	}
	if a.safety != (tally{1, 1}) || a.steps != (tally{1, 0}) || c.live != (tally{1, 1}) {
		t.Errorf("%+v, %+v", a, c)
	}
	by := map[string]map[string]outcome{"prove": {"A": a, "B": b, "C": c}, "infer": {"A": a},
		"live": {"C": c}}
	want := tlapsGoals{rows: 2, given: 2, withSteps: 1, withLive: 1, live: 1}
	if g := goals(rows, by); g != want {
		t.Errorf("%+v, not %+v", g, want)
	}
}
