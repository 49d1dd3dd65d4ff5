package report

import (
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/verdict"
)

// liveResult is the result of a failed liveness proof, with a run to the step where no function
// decreases.
func liveResult() verdict.Result {
	return verdict.Result{
		Property: "served", Kind: "liveness", Verdict: verdict.Unknown, Scope: verdict.ScopeAll, Engine: "rank",
		Trace: &verdict.Trace{Kind: verdict.Witness, Loop: -1, Shows: "nothing decreases in stay()",
			Steps: []verdict.Step{{State: []verdict.Binding{{Name: "x", Value: verdict.Int("1")}}}},
			Why: &verdict.Why{Text: "x > 0 & C = D", Value: verdict.Bool(true), Witness: []verdict.Binding{{Name: "C", Value: verdict.Atom("client", "client0")}},
				Parts: []*verdict.Why{{Text: "x > 0", Value: verdict.Bool(true)}, {Text: "C = D", Value: verdict.Bool(true)}}},
		},
		Evidence: &verdict.Evidence{
			Ranking: &verdict.Ranking{Pending: "x > 0"},
			Search: &verdict.Search{
				Variables: []verdict.RankVariable{{Name: "y"}, {Name: "x", Limit: "3"}, {Name: "left_down"}},
				Steps: []verdict.RankStep{
					{Step: "down()", Grows: []int{1, -1, verdict.Unbounded}}, {Step: "stay()", Grows: []int{0, 0, -1}},
					{Step: "still()", Grows: []int{0, 0, 0}}, {Step: "up()", Impossible: true}},
				Constraints: 7,
				Stages:      []verdict.Stage{{Name: verdict.StageDeltas, Elapsed: 1500 * time.Millisecond}, {Name: verdict.StageSynthesis, Elapsed: 2 * time.Millisecond}},
			},
			Obligations: []verdict.Obligation{{Name: "rank 1 is not negative", Verdict: verdict.Holds, Elapsed: 12 * time.Millisecond}},
		},
	}
}

// The liveness command and the HTML page show the whole search, other commands only its result.
func TestSearchIsReported(t *testing.T) {
	lines := []string{
		"variables: served", "v1 = x, at least 0, at most 3", "v2 = left_down, at least 0", "1 variable that decreases nowhere",
		"steps: served", "down(): v1 by -1 at most, v2 by any", "stay(): v2 by -1 at most", "still(): none grows or decreases", "up(): impossible",
		"time: served", "deltas 1.50s, synthesis 2ms with 7 constraints", "obligations: served", "rank 1 is not negative: holds, 12ms",
	}
	text := func(command string) string {
		var b strings.Builder
		r := &Report{Command: command, Results: []verdict.Result{liveResult()}}
		if err := WriteText(&b, r, Options{}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	live, at := text("live"), 0
	for _, want := range lines {
		i := strings.Index(live[at:], want)
		if i < 0 {
			t.Fatalf("%q is missing in\n%s", want, live[at:])
		}
		at += i
	}
	if verify := text("verify"); strings.Contains(verify, "v1") || !strings.Contains(verify, "rank: served") {
		t.Errorf("%s", verify)
	}
	page := htmlText(t, &Report{Results: []verdict.Result{liveResult()}}, Options{})
	for _, want := range []string{"v1 = x, at least 0, at most 3", "up(): impossible", "deltas 1.50s", "nothing decreases in stay()", "for C = client0"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in the page", want)
		}
	}
	json := jsonText(t, &Report{Results: []verdict.Result{liveResult()}})
	for _, want := range []string{`"variables":[{"name":"y"},{"name":"x","limit":"3"},`, `{"step":"down()","impossible":false,"grows":[1,-1,"any"]}`,
		`{"step":"up()","impossible":true,"grows":[]}`, `"constraints":7,"stages":[{"name":"deltas","seconds":1.5},`, `"shows":"nothing decreases in stay()"`} {
		if !strings.Contains(json, want) {
			t.Errorf("%s is missing in\n%s", want, json)
		}
	}
}
