package result

import (
	"context"
	"slices"
	"testing"
	"time"
)

func TestEnded(t *testing.T) {
	limit := TimeLimit(time.Nanosecond, "--timeout", OutOfTime)
	ended, cancel := limit.Bound(t.Context())
	defer cancel()
	<-ended.Done()
	within, cancel := context.WithCancel(ended)
	defer cancel()
	interrupt, stop := context.WithCancel(t.Context())
	stop()
	none, stop := (*Limit)(nil).Bound(t.Context())
	defer stop()
	for _, c := range []struct {
		ctx   context.Context
		want  Reason
		ended bool
	}{
		{ended, Reason{OutOfTime, "stopped at the limit of 1ns (--timeout)"}, true},
		{within, Reason{OutOfTime, "stopped at the limit of 1ns (--timeout)"}, true},
		{interrupt, Reason{Interrupted, "interrupted"}, true},
		{none, Reason{}, false},
	} {
		if got := Over(c.ctx); got != c.want || got.Ended() != c.ended || got.Given() != c.ended ||
			ByUser(c.ctx) != (c.want.Code == Interrupted) {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
}

func TestUnfinished(t *testing.T) {
	holds := Obligation{Name: "a", Verdict: Holds}
	left := Obligation{Name: "b", Verdict: Unknown, Reason: Because(Interrupted, "stopped")}
	hard := Obligation{Name: "c", Verdict: Unknown, Reason: Because(NotProved, "interrupted: stopped (--x)")}
	results := []Result{
		{Property: "p", Kind: "safety", Verdict: Violated, Scope: "two"},
		{Property: "q", Kind: "safety", Verdict: Unknown, Scope: ScopeAll,
			Evidence: &Evidence{Obligations: []Obligation{holds, left, hard}}},
	}
	u := UnfinishedOf(results, nil)
	if u == nil || u.Proved != 1 || u.Total != 3 || !slices.Equal(u.Left, []string{"b"}) ||
		!slices.Equal(u.Done, []string{"p"}) || !slices.Equal(u.Open, []string{"q"}) {
		t.Errorf("%+v", u)
	}
	results[1].Evidence.Obligations = []Obligation{holds, hard}
	if u := UnfinishedOf(results, nil); u != nil {
		t.Errorf("nothing was ended: %+v", u)
	}
}
