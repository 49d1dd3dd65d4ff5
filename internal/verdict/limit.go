package verdict

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Limit is the cause with which a context ends that is bounded in time: it names the limit, and what lifts it.
type Limit struct {
	Text string
	Time time.Duration // of Bound
	Code Code          // of what was stopped there
}

// TimeLimit is a bound that the user set by an option. The code says what it bounds.
func TimeLimit(d time.Duration, option string, code Code) *Limit {
	return &Limit{fmt.Sprintf("the limit of %s (%s)", d, option), d, code}
}

func (l *Limit) Error() string { return l.Text }

// Reached is the reason of what was stopped at the limit.
func (l *Limit) Reached() Reason { return Reason{l.Code, "stopped at " + l.Text} }

// Bound ends a context after the time of the limit. A nil limit is none.
func (l *Limit) Bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if l == nil {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, l.Time, l)
}

// Ended says why something was not finished when its context is done: at a limit, or because the user interrupted it. After
// says where that was, such as "after 5 states".
func Ended(ctx context.Context, after string) Reason {
	if after != "" {
		after = " " + after
	}
	var l *Limit
	if errors.As(context.Cause(ctx), &l) {
		return Reason{l.Code, fmt.Sprintf("stopped%s at %s", after, l.Text)}
	}
	return Reason{Interrupted, "interrupted" + after}
}

// Over is Ended for a context of which it is not known whether it is done. It is zero if the context goes on.
func Over(ctx context.Context) Reason {
	if ctx.Err() == nil {
		return Reason{}
	}
	return Ended(ctx, "")
}

// ByUser reports whether a context ended because the user interrupted, and not at a limit.
func ByUser(ctx context.Context) bool { return Over(ctx).Code == Interrupted }

// Unfinished is how far a run came that a limit or the user ended.
type Unfinished struct {
	Done   []string // properties with a verdict
	Open   []string // properties without one, or of which it is known for the first steps only
	Proved int      // obligations of the proofs that were begun
	Total  int
	Left   []string // the names of those that nobody answered
}

// UnfinishedOf sums up what was done and what is left. Nil says that nothing was ended before its time.
func UnfinishedOf(results []Result) *Unfinished {
	u := &Unfinished{}
	early := false
	for _, r := range results {
		early = early || r.Reason.Ended()
		if r.Evidence == nil {
			continue
		}
		for _, o := range r.Evidence.Obligations {
			u.Total++
			switch {
			case o.Verdict == Holds:
				u.Proved++
			case o.Reason.Ended():
				u.Left, early = append(u.Left, o.Name), true
			}
		}
	}
	if !early {
		return nil
	}
	for _, o := range Outcomes(results) {
		switch o.Verdict {
		case Unknown, HoldsUpTo, HoldsInitially, NothingChecked:
			u.Open = append(u.Open, o.Property)
		default:
			u.Done = append(u.Done, o.Property)
		}
	}
	return u
}
