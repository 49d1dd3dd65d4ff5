package derive

import (
	"strings"
	"testing"
)

// A block about a system that decides the property chooses this system, unless there is one about
// the usual system.
func TestAboutChooses(t *testing.T) {
	const text = timedHead + `algorithm x {
  message m
  var n: 0..2 = 0
  timing partial_synchrony(Delta, Phi)
  send m at s { }
  receive at r { if received(m) & n < 2 { n := n + 1; } }
}
safety [p] correct(P) & correct(Q) -> n(P, Q) <= 2
`
	const crashing = "safety [q] correct(P) -> n(P, Q) <= 2\n"
	tests := []struct {
		name, more string
		o          Options
		want       string // the system of p
		refused    string
	}{
		{"nothing is said", "", Options{}, "one_way", ""},
		{"another encoding", "about one_way_in_rounds { invariant [i] n >= 0 }", Options{}, "one_way_in_rounds", ""},
		{"with two differences", "about one_way_with_counter_in_rounds { invariant [i] n >= 0 }",
			Options{}, "one_way_with_counter_in_rounds", ""},
		{"a pass is stronger", "about one_way_in_rounds { invariant [i] n >= 0 }",
			Options{Counter: true}, "one_way_with_counter", ""},
		{"the usual one comes first", "about one_way_in_rounds { }\nabout one_way { invariant [i] n >= 0 }", Options{}, "",
			"no derived system is called 'one_way_in_rounds'"},
		{"the first of two", "about one_way_in_rounds { }\nabout one_way_with_counter { }",
			Options{}, "", "no derived system is called 'one_way_with_counter'"},
		{"not a system", "about one_way_slowly { }", Options{}, "", "no derived system is called 'one_way_slowly'"},
		{"it has crashes, which p does not need", "about one_way_with_crashes { }", Options{}, "", "no derived system is called"},
		{"a system for each property", crashing + "about one_way_in_rounds { }", Options{}, "one_way_in_rounds", ""},
		{"a round as one step hides crashes", crashing + "about one_way_with_crashes_in_rounds { }",
			Options{}, "", "no derived system is called"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ds, list, err := Read(t.Context(), "x.ere", text+tt.more+"\n", tt.o)
			switch {
			case tt.refused != "" && (err == nil || !strings.Contains(list.Error(), tt.refused)):
				t.Errorf("want %q, got %v", tt.refused, list)
			case tt.refused == "" && err != nil:
				t.Error(err)
			case tt.refused == "" && ds[0].Name != tt.want:
				t.Errorf("p is decided on %s, want %s", ds[0].Name, tt.want)
			}
			if tt.refused == "" && err == nil && strings.Contains(tt.more, "invariant [i]") &&
				tt.o == (Options{}) && ds[0].Spec.System.Property("i") == nil {
				t.Error("the invariant is not part of the system")
			}
		})
	}
}
