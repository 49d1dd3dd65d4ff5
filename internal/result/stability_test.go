package result

import (
	"slices"
	"testing"
)

func TestCompare(t *testing.T) {
	run := func(v Verdict, rlimit int64, more ...Obligation) []Result {
		obligations := append([]Obligation{{Name: "a keeps p", Property: "p", Verdict: v,
			Rlimit: rlimit}}, more...)
		return []Result{
			{Property: "p", Verdict: v, Evidence: &Evidence{Obligations: obligations}},
			{Property: "live", Verdict: NothingChecked},
		}
	}
	second := Obligation{Name: "a keeps p", Property: "p", Conjunct: 1, Verdict: Holds, Rlimit: 5}
	tests := []struct {
		name     string
		runs     [][]Result
		brittle  []string
		min, med int64
		max      int64
	}{
		{"stable", [][]Result{run(Holds, 30), run(Holds, 10), run(Holds, 20)}, nil, 10, 20, 30},
		{"brittle", [][]Result{run(Holds, 1), run(Unknown, 9)}, []string{"a keeps p"}, 1, 9, 9},
		{"conjuncts are told apart", [][]Result{run(Holds, 1, second), run(Holds, 1, second)}, nil,
			6, 6, 6},
		{"not asked in every run", [][]Result{run(Holds, 1, second), run(Holds, 1)}, []string{"a keeps p"}, 1, 6, 6},
	}
	for _, tt := range tests {
		s := Compare(tt.runs)
		var brittle []string
		for _, x := range s.Brittle() {
			brittle = append(brittle, x.Name)
		}
		if !slices.Equal(brittle, tt.brittle) || s.Runs != len(tt.runs) {
			t.Errorf("%s: brittle are %q", tt.name, brittle)
		}
		if len(s.Properties) != 1 || s.Properties[0].Min != tt.min ||
			s.Properties[0].Median != tt.med || s.Properties[0].Max != tt.max {
			t.Errorf("%s: %+v", tt.name, s.Properties)
		}
	}
	differ := [][]Result{{{Property: "p", Verdict: Holds, Evidence: &Evidence{}}},
		{{Property: "p", Verdict: Unknown, Evidence: &Evidence{}}}}
	if b := Compare(differ).Brittle(); len(b) != 1 || b[0].Name != "p" {
		t.Errorf("a property that differs without an obligation: %+v", b)
	}
}
