package main

import "testing"

// What differs from TLC is wrong; what the limit ended, or TLC does not end, is not.
func TestJudge(t *testing.T) {
	explored := verdict{Property: "Inv", Verdict: "holds", Engine: "explicit", States: 3,
		Generated: 5}
	whole := verdict{Property: "Live", Verdict: "holds", Engine: "temporal", States: 6,
		Generated: 10}
	bad := verdict{Property: "Inv", Verdict: "violated", Engine: "explicit", States: 2}
	late := verdict{Property: "Live", Verdict: "unknown", Engine: "temporal", States: 2}
	good := tlaModel{Result: success, Distinct: 3, Total: 5}
	fails := tlaModel{Result: "safety failure", Error: "Invariant Inv is violated."}
	other := tlaModel{Result: "safety failure", Error: "Invariant Invariance is violated."}
	for _, x := range []struct {
		name    string
		model   tlaModel
		results []verdict
		verdict string
		wrong   bool
	}{
		{"equal, beside a larger search", good, []verdict{explored, whole}, "holds", false},
		{"the property alone", tlaModel{Result: success, Distinct: 6, Total: 10},
			[]verdict{whole}, "holds", false},
		{"other counts", good, []verdict{whole}, "holds", true},
		{"a violation that TLC does not find", good, []verdict{bad}, "violated", true},
		{"the limit", good, []verdict{explored, late}, open, false},
		{"a failure", fails, []verdict{bad}, "violated", false},
		{"no failure", fails, []verdict{explored}, "holds", true},
		{"another failure", other, []verdict{bad}, "violated", true},
		{"a failure before the limit", fails, []verdict{late, bad}, "violated", false},
		{"without counts of TLC", tlaModel{Result: "timeout"}, []verdict{explored}, "holds", false},
		{"nothing but assumptions", tlaModel{Result: success}, nil, "holds", false},
	} {
		var m Measured
		x.model.judge(&m, x.results)
		if m.Verdict != x.verdict || (m.Wrong != "") != x.wrong {
			t.Errorf("%s: %s, %q", x.name, m.Verdict, m.Wrong)
		}
	}
}
