package verdict

import (
	"context"
	"slices"
	"testing"
	"time"
)

func TestBlame(t *testing.T) {
	limit := TimeLimit(time.Nanosecond, "--timeout")
	ended, cancel := limit.Bound(t.Context())
	defer cancel()
	<-ended.Done()
	interrupt, stop := context.WithCancel(t.Context())
	stop()
	none, stop := (*Limit)(nil).Bound(t.Context())
	defer stop()
	for _, c := range []struct {
		ctx          context.Context
		reason, want string
	}{
		{ended, "interrupted", "stopped at the limit of 1ns (--timeout)"},
		{ended, "interrupted; 2 of 3", "stopped at the limit of 1ns (--timeout); 2 of 3"},
		{ended, "with 4 steps: interrupted", "with 4 steps: stopped at the limit of 1ns (--timeout)"},
		{ended, "z3: resource limit", "z3: resource limit"},
		{interrupt, "interrupted", "interrupted"},
		{none, "interrupted", "interrupted"},
	} {
		results := []Result{{Reason: c.reason, Evidence: &Evidence{Obligations: []Obligation{{Reason: c.reason}}}}}
		Blame(c.ctx, results)
		if got := results[0].Reason; got != c.want || results[0].Evidence.Obligations[0].Reason != c.want {
			t.Errorf("%q became %q, want %q", c.reason, got, c.want)
		}
	}
}

func TestUnfinished(t *testing.T) {
	holds := Obligation{Name: "a", Verdict: Holds}
	left := Obligation{Name: "b", Verdict: Unknown, Reason: "interrupted"}
	hard := Obligation{Name: "c", Verdict: Unknown, Reason: "z3: resource limit"}
	results := []Result{
		{Property: "p", Kind: "safety", Verdict: Violated, Scope: "two"},
		{Property: "q", Kind: "safety", Verdict: Unknown, Scope: ScopeAll, Evidence: &Evidence{Obligations: []Obligation{holds, left, hard}}},
	}
	u := UnfinishedOf(results)
	if u == nil || u.Proved != 1 || u.Total != 3 || !slices.Equal(u.Left, []string{"b"}) || !slices.Equal(u.Done, []string{"p"}) || !slices.Equal(u.Open, []string{"q"}) {
		t.Errorf("%+v", u)
	}
	results[1].Evidence.Obligations = []Obligation{holds, hard}
	if u := UnfinishedOf(results); u != nil {
		t.Errorf("nothing was ended: %+v", u)
	}
}
