package accel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/fast"
	"erelong.dev/erelong/internal/result"
)

const pool = `model pool {
  var x, y, k;
  states a, b;
  transition up := { from := a; to := a; guard := true; action := x' = x + 2, y' = y + 1; };
  transition go := { from := a; to := b; guard := true; action := ; };
  transition down := { from := b; to := b; guard := y > 0; action := x' = x + 4, y' = y - 1; };
}
strategy s {
  Region init := { state = a && x = 0 && y = 0 };
  Transitions all := { up, go, down };
  Transitions first := { up };
`

// A strategy is carried out: its tests have outcomes, and its regions are printed as formulas.
func TestStrategies(t *testing.T) {
	for _, c := range []struct{ text, tests, prints string }{
		{`print(post*(init, first));`, "", "state = a && x = 2*y"},
		{`print(post*(init, all) && {state = b});`, "",
			"state = b && x >= 2*y && x % 2 = 0 && (x + y) % 3 = 0"},
		{`print(post*({state = a && x = 7 && k = 2 && y < 3}, {go}));`, "",
			"state = a && x = 7 && y <= 2 && k = 2 || state = b && x = 7 && y <= 2 && k = 2"},
		{`print({state = a && k < 2 && x = 5 && y = 1});`, "",
			"state = a && x = 5 && y = 1 && k <= 1"},
		{`print({state = a && x = y + 3}); print({state = a && x + y >= 5}); print({state = a && 2*x <= y});`,
			"", "state = a && x = y + 3; state = a && x + y >= 5; state = a && 2*x <= y"},
		{`print({state = a && x > 3*y + 1}); print({state = a && 3*x = y});`,
			"", "state = a && x >= 3*y + 2; state = a && 3*x = y"},
		{`print(!{state = a});`, "", "state = b"},
		{`print(init && {x > 0});`, "", "false"},
		{`print({state = b && !(x = 2 && y = 1)});`, "", "state = b && !(x = 2 && y = 1)"},
		{`print(pre*({state = b && x = 5}, {go}));`, "", "state = a && x = 5 || state = b && x = 5"},
		{`boolean sixes := subSet({state = b && x = 6 && y = 0}, post*(init, all));
		  boolean fives := subSet({state = b && x = 5 && y = 0}, post*(init, all));
		  if sixes && !fives then print("six"); else print("five"); endif`,
			"sixes holds, fives violated", "six"},
		{`boolean same := equal(post*(init, first), {state = a && x = 2*y});
		  boolean other := equal({state = a && x = 2*y && x < 9}, post*(init, first));`,
			"same holds, other violated", ""},
		{`boolean apart := isEmpty(post*(init, all) && pre*({state = b && x = 7}, all));`,
			"apart holds", ""},
		{`Region r := {state = a && x = 5 && y = 0 && k = 0}; Transitions u := first;
		  while !isEmpty(r && {x < 9}) do r := r && {x > 9} || post*(r, u) && {x > 7}; u := u || {go}; endwhile
		  print(r); print(u);`, "line_13 holds",
			"state = a && x >= 9 && k = 0 && x = 2*y + 5; {up, go}"},
		{`while true do print("again"); endwhile print("never");`, "", strings.TrimSuffix(
			strings.Repeat("again; ", mostTurns), "; ") +
			"; stopped in line 12: more than 1000 turns of loops"},
	} {
		f, list, err := fast.Read(t.Context(), "pool.fst", pool+c.text+"\n}")
		if err != nil || f.Program == nil {
			t.Errorf("%s\n%v, %v", c.text, err, list)
			continue
		}
		out, err := Strategies(t.Context(), f.Program, Default)
		if err != nil {
			t.Errorf("%s\n%v", c.text, err)
			continue
		}
		var tests, prints []string
		for _, r := range out.Results {
			tests = append(tests, fmt.Sprint(r.Property, " ", r.Verdict))
			if r.Verdict == result.Violated && r.Reason.Text == "" {
				t.Errorf("%s\n%s: no reason", c.text, r.Property)
			}
		}
		for _, n := range out.Notes {
			n = strings.TrimPrefix(n, "strategy s ")
			prints = append(prints, strings.TrimPrefix(n, "prints: "))
		}
		if got := strings.Join(tests, ", "); got != c.tests {
			t.Errorf("%s\ntests: %s, want %s", c.text, got, c.tests)
		}
		if got := strings.Join(prints, "; "); got != c.prints {
			t.Errorf("%s\nprints: %s, want %s", c.text, got, c.prints)
		}
		if stopped := slices.ContainsFunc(out.Notes, func(n string) bool {
			return strings.Contains(n, "stopped")
		}); out.Whole == stopped {
			t.Errorf("%s\nwhole: %v", c.text, out.Whole)
		}
	}
}
