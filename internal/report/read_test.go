package report

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/result"
)

// What is written and read is written in the same way again.
func TestJSONIsReadBack(t *testing.T) {
	all := reports()
	all["verdicts"] = allVerdicts()
	for name, r := range all {
		text := jsonText(t, r)
		got, err := ReadJSON(strings.NewReader(text))
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again := jsonText(t, got[0]); again != text {
			t.Errorf("%s: read and written it is\n%s\nwant\n%s", name, again, text)
		}
		var b strings.Builder
		if err := WriteHTML(&b, got[0], Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	two, err := ReadJSON(strings.NewReader(jsonText(t, all["example"]) + jsonText(t, all["live"])))
	if err != nil || len(two) != 2 {
		t.Errorf("two reports: %d, %v", len(two), err)
	}
	for _, bad := range []string{"", "{}", "[]", `{"schema":"erelong/result/1"}`,
		`{"schema":"erelong/result/2","results":[{"trace":{}}]}`,
		`{"schema":"erelong/result/2","warnings":[{"line":1,"column":-4}]}`, "x"} {
		if _, err := ReadJSON(strings.NewReader(bad)); !errors.Is(err, ErrNotSaved) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestCompare(t *testing.T) {
	row := func(property string, v result.Verdict, states int64,
		elapsed time.Duration) result.Result {
		return result.Result{Property: property, Kind: result.Safety, Verdict: v, Scope: "two",
			Engine: "explicit", States: states, Elapsed: elapsed}
	}
	before := &Report{Results: []result.Result{
		row("same", result.Holds, 5, time.Second), row("worse", result.Holds, 5, 0),
		row("gone", result.Violated, 5, 0),
		row("slow", result.Holds, 7, time.Second), row("quick", result.Holds, 7, time.Minute),
		row("short", result.Holds, 7, time.Millisecond),
	}}
	after := &Report{Results: []result.Result{
		row("same", result.Holds, 5, time.Second), row("worse", result.Violated, 3, 0),
		row("added", result.Unknown, 5, 0),
		row("slow", result.Holds, 8, time.Minute), row("quick", result.Holds, 7, time.Second),
		row("short", result.Holds, 7, time.Millisecond*900),
	}}
	want := []string{
		"worse: violated, before holds in the instances explored",
		"added is new: unknown",
		"gone is gone: it was violated",
		"slow, scope two, by explicit: 8 states, before 7",
		"slow, scope two, by explicit: slower, 1m0s, before 1.00s",
		"quick, scope two, by explicit: faster, 1.00s, before 1m0s",
	}
	if got := Compare(before, after); !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := Compare(before, before); got != nil {
		t.Errorf("a run and itself: %v", got)
	}
}
