package result

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Limit is the cause of the end of a context that is bounded in time: it names the limit and the
// option that lifts it.
type Limit struct {
	Text string
	Time time.Duration // of Bound
	Code Code          // of the stopped work
}

// TimeLimit is a bound that the user sets by an option. The code says what it bounds.
func TimeLimit(d time.Duration, option string, code Code) *Limit {
	return &Limit{fmt.Sprintf("the limit of %s (%s)", d, option), d, code}
}

func (l *Limit) Error() string { return l.Text }

// Reached is the reason of work that stopped at the limit.
func (l *Limit) Reached() Reason { return Reason{l.Code, "stopped at " + l.Text} }

// Bound ends a context after the time of the limit. A nil limit never ends it.
func (l *Limit) Bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if l == nil {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, l.Time, l)
}

// Part ends a context after a part of the time that is left to it, one in several; without a limit
// it is the context itself.
func Part(ctx context.Context, several int) (context.Context, context.CancelFunc) {
	end, limited := ctx.Deadline()
	if !limited {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(end)/time.Duration(several))
}

// Ended gives the reason for unfinished work when its context is done: a limit, or the user's
// interruption. After gives the position, such as "after 5 states".
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

// Over is Ended for a context that may not be done. It is zero if the context goes on.
func Over(ctx context.Context) Reason {
	if ctx.Err() == nil {
		return Reason{}
	}
	return Ended(ctx, "")
}

// ByUser reports whether the user interrupted a context.
func ByUser(ctx context.Context) bool { return Over(ctx).Code == Interrupted }

// Unfinished is the progress of an interrupted run.
type Unfinished struct {
	Done   []string // properties with a verdict
	Open   []string // properties without one, or with a verdict for the first steps only
	Proved int      // proved obligations of the started proofs
	Total  int
	Left   []string // names of the obligations without an answer
}

// UnfinishedOf sums up the finished and the open work, with actions as a view shows them. Nil means
// that the run was not interrupted.
func UnfinishedOf(results []Result, view *View) *Unfinished {
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
				name := o.Name
				if rest, ok := strings.CutPrefix(name, o.Action); ok && o.Action != "" {
					name = view.Title(o.Action) + rest
				}
				u.Left, early = append(u.Left, name), true
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
