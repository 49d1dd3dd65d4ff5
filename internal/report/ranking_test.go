package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/result"
)

// liveResult is the result of a failed liveness proof, with a run to the step where no function
// decreases.
func liveResult() result.Result {
	return result.Result{
		Property: "served", Kind: "liveness", Verdict: result.Unknown, Scope: result.ScopeAll,
		Engine: "rank",
		Trace: &result.Trace{Kind: result.Witness, Loop: -1, Shows: "nothing decreases in stay()",
			Steps: []result.Step{{State: []result.Binding{{Name: "x", Value: result.Int("1")}}}},
			Why: &result.Why{Text: "x > 0 & C = D", Value: result.Bool(true),
				Witness: []result.Binding{{Name: "C", Value: result.Atom("client", "client0")}},
				Subformulas: []*result.Why{{Text: "x > 0", Value: result.Bool(true)},
					{Text: "C = D", Value: result.Bool(true)}}},
		},
		Evidence: &result.Evidence{
			Ranking: &result.Ranking{Pending: "x > 0", Steps: "2 * x + 1",
				Fewer: []result.ActionBound{{Actions: []string{"down", "stay"}, Steps: "x + 1"}},
				Observed: []result.Observed{
					{Instance: "one", Waits: 2, States: 4,
						Count: result.Count{Steps: 5, Bound: 1007},
						Fewer: []result.Count{{Steps: 1, Bound: 4}}},
					{Instance: "two", Why: "it has more than 20000 states"}}},
			Search: &result.Search{
				Variables: []result.RankVariable{{Name: "y"}, {Name: "x", Limit: "3"}, {Name: "left_down"}},
				Steps: []result.RankStep{
					{Step: "down()", Grows: []int{1, -1, result.Unbounded}},
					{Step: "stay()", Grows: []int{0, 0, -1}},
					{Step: "still()", Grows: []int{0, 0, 0}}, {Step: "up()", Impossible: true}},
				Constraints: 7,
				Stages: []result.Stage{{Name: result.StageDeltas,
					Elapsed: 1500 * time.Millisecond},
					{Name: result.StageSynthesis, Elapsed: 2 * time.Millisecond}},
			},
			Obligations: []result.Obligation{{Name: "rank 1 is not negative", Verdict: result.Holds,
				Elapsed: 12 * time.Millisecond}},
		},
	}
}

// With its option, the command shows the bounds and nothing else.
func TestBoundsAreReported(t *testing.T) {
	var b strings.Builder
	other := result.Result{Property: "other", Kind: result.Liveness, Verdict: result.Unknown,
		Scope: result.ScopeAll, Reason: result.Because(result.NotProved, "nothing decreases")}
	wrong := result.Result{Property: "wrong", Kind: result.Temporal, Verdict: result.Violated,
		Scope: "one"}
	r := &Report{Command: "live", Results: []result.Result{liveResult(), other, wrong},
		Notes: []string{"a note"}}
	if err := WriteText(&b, r, Options{Bounds: true}); err != nil {
		t.Fatal(err)
	}
	const want = `served: at most 2 * x + 1 steps
  of down, stay: at most x + 1
  one: the longest takes 5 steps, at most 1,007; of down, stay 1, at most 4; with M_a = 2 for each fair action
  two: nothing to compare: it has more than 20000 states
other: no bound, since it is not proved: nothing decreases
wrong: no bound, since it is violated in one: erelong live shows a run
note: a note
`
	if b.String() != want {
		t.Errorf("%s instead of\n%s", b.String(), want)
	}
}

// A brief text counts long lists, and leaves out a long bound.
func TestBriefSearch(t *testing.T) {
	long := liveResult()
	r := long.Evidence.Ranking
	r.Tiers = []result.Tier{{Function: "x"}}
	for i := range 50 {
		r.Tiers[0].Steps = append(r.Tiers[0].Steps, fmt.Sprintf("down() case %d", i+1))
		long.Evidence.Obligations = append(long.Evidence.Obligations,
			result.Obligation{Name: "more", Verdict: result.Holds})
		r.Steps += " + 1000000"
	}
	text := func(brief bool) string {
		var b strings.Builder
		if err := WriteText(&b, &Report{Command: "live", Results: []result.Result{long}},
			Options{Brief: brief}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, want := range []string{
		"x decreases in down() case 1; ", "down() case 8; 42 more\n", "  51 lines, which --all shows\n",
		"erelong live --bound prints it\n", "up(): impossible\n",
	} {
		if brief, whole := text(true), text(false); !strings.Contains(brief, want) ||
			strings.Contains(whole, "--") || !strings.Contains(whole, "case 50") {
			t.Errorf("%q is missing in\n%s\nor in the other text something is:\n%s", want, brief,
				whole)
		}
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
		r := &Report{Command: command, Results: []result.Result{liveResult()}}
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
	page := htmlText(t, &Report{Results: []result.Result{liveResult()}}, Options{})
	for _, want := range []string{"v1 = x, at least 0, at most 3", "up(): impossible", "deltas 1.50s", "nothing decreases in stay()", "for C = client0"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in the page", want)
		}
	}
	json := jsonText(t, &Report{Results: []result.Result{liveResult()}})
	for _, want := range []string{`"variables":[{"name":"y"},{"name":"x","limit":"3"},`, `{"step":"down()","impossible":false,"grows":[1,-1,"any"]}`,
		`{"step":"up()","impossible":true,"grows":[]}`, `"constraints":7,"stages":[{"name":"deltas","seconds":1.5},`, `"shows":"nothing decreases in stay()"`} {
		if !strings.Contains(json, want) {
			t.Errorf("%s is missing in\n%s", want, json)
		}
	}
}
