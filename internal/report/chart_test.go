package report

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/result"
)

// ring is a run of a sender, a channel between two others, and a crash that all processes receive.
func ring() *result.Trace {
	step := func(time, action, channel string, processes ...string) result.Step {
		s := result.Step{Action: action,
			Sync: &result.Sync{Time: time, Channel: channel, Processes: processes}}
		for _, name := range []string{"P0", "idle", "Channel", "P1"} {
			s.State = append(s.State,
				result.Binding{Name: name, Value: result.Atom("location", "a")})
		}
		return s
	}
	return &result.Trace{
		Kind: result.Counterexample, Violates: "A[] not P1.late", Loop: -1,
		Steps: []result.Step{
			step("0", "", ""),
			step("1/2", "P0 a -> b, Channel a -> a", "send[0]", "P0", "Channel"),
			step("1/2", "P1 a -> b", "", "P1"),
			step("3", "Channel a -> a, P1 b -> c", "rcv[0]", "Channel", "P1"),
			step("3", "P1 c -> a, P0 b -> a", "reply", "P1", "P0"),
			step("7/2", "Channel a -> off, P0 a -> off, P1 a -> off", "crash", "Channel", "P0",
				"P1"),
			step("4", "wait", ""),
		},
	}
}

func TestChart(t *testing.T) {
	golden(t, "chart.txt", traceText(t, ring(), Options{Chart: true}))
	golden(t, "chart-hidden.txt",
		traceText(t, ring(), Options{Chart: true, Hide: []string{"Channel"}}))
	loop := ring()
	loop.Loop = 2
	golden(t, "chart-loop.txt", traceText(t, loop, Options{Chart: true, Width: 40}))
	golden(t, "chart-elements.txt", traceText(t, lockTrace(), Options{Chart: true}))
	induction := lockTrace()
	induction.Kind = result.ToInduction
	if got, want := traceText(t, induction, Options{Chart: true}),
		traceText(t, induction, Options{}); got != want {
		t.Errorf("the states of a counterexample to induction are not shown:\n%s", got)
	}
	page := htmlText(t,
		&Report{Results: []result.Result{{Property: "p", Trace: ring()},
			{Property: "q", Trace: lockTrace()}}}, Options{})
	for _, want := range []string{"send[0]: P0 a -&gt; b", `<a href="#result-0-state-3" data-state="3">`, `id="result-0-state-3"`, `<a href="#result-1-state-3" data-state="3">`} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is missing in\n%s", want, page)
		}
	}
}
