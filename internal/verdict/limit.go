package verdict

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Limit is the cause with which a context ends that is bounded in time: it names the limit, and what lifts it.
type Limit struct {
	Text string
	Time time.Duration // of Bound
}

// TimeLimit is a bound that the user set by an option.
func TimeLimit(d time.Duration, option string) *Limit {
	return &Limit{fmt.Sprintf("the limit of %s (%s)", d, option), d}
}

func (l *Limit) Error() string { return l.Text }

// Reached is the reason of what was stopped at the limit.
func (l *Limit) Reached() string { return "stopped at " + l.Text }

// Bound ends a context after the time of the limit. A nil limit is none.
func (l *Limit) Bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if l == nil {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, l.Time, l)
}

// interrupted is the reason of what was not finished because the user interrupted it.
const interrupted = "interrupted"

// Ended says why something was not finished when its context is done: at a limit, or because the user interrupted it. After
// says where that was, such as "after 5 states".
func Ended(ctx context.Context, after string) string {
	if after != "" {
		after = " " + after
	}
	var l *Limit
	if errors.As(context.Cause(ctx), &l) {
		return fmt.Sprintf("stopped%s at %s", after, l.Text)
	}
	return interrupted + after
}

// Over is Ended for a context of which it is not known whether it is done. It is empty if the context goes on.
func Over(ctx context.Context) string {
	if ctx.Err() == nil {
		return ""
	}
	return Ended(ctx, "")
}

// Interrupted reports whether a context ended because the user interrupted, and not at a limit.
func Interrupted(ctx context.Context) bool { return Over(ctx) == interrupted }

// Blame puts the limit at which a context ended in place of "interrupted", which engines give as their reason.
func Blame(ctx context.Context, results []Result) {
	why := Over(ctx)
	if why == "" || why == interrupted {
		return
	}
	blame := func(reason *string) {
		if rest, ok := strings.CutPrefix(*reason, interrupted); ok {
			*reason = why + rest
		} else if rest, ok := strings.CutSuffix(*reason, ": "+interrupted); ok {
			*reason = rest + ": " + why
		}
	}
	for i := range results {
		blame(&results[i].Reason)
		if e := results[i].Evidence; e != nil {
			for j := range e.Obligations {
				blame(&e.Obligations[j].Reason)
			}
		}
	}
}

// ended reports whether a reason is that of a limit that the user set, or of an interrupt.
func ended(reason string) bool {
	return strings.HasPrefix(reason, interrupted) || strings.Contains(reason, "stopped ") && strings.Contains(reason, " (--")
}

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
		early = early || ended(r.Reason)
		if r.Evidence == nil {
			continue
		}
		for _, o := range r.Evidence.Obligations {
			u.Total++
			switch {
			case o.Verdict == Holds:
				u.Proved++
			case ended(o.Reason):
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
