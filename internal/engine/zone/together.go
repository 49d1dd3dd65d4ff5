package zone

import (
	"context"
	"fmt"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/timed"
)

// target is the formula of the states that a query asks for or forbids; nil where the search for
// them depends on more of the query than when it ends. The search for one of several such targets
// has the same zones as the search for each.
func target(q *timed.Query) *timed.Formula {
	if q.Refused != "" || len(q.Named) > 0 {
		return nil
	}
	var f *timed.Formula
	switch q.Kind {
	case timed.Possibly:
		f = q.Formula
	case timed.Invariantly:
		f = timed.Not(q.Formula)
	}
	if f == nil || f.Speaks(timed.Timing) || f.Speaks(timed.Deadlock) || f.Speaks(timed.Alive) {
		return nil
	}
	return f
}

// together answers queries of a kind by one search, if there is none of the states that any of them
// is about: queries that are slow one by one mostly are about states that do not exist. Else it
// gives no answers, and they are decided one by one.
func (e *Engine) together(
	ctx context.Context, t *engine.Task, kind timed.QueryKind, asked []*timed.Query,
	answers map[string]*result.Result, to engine.Sink,
) error {
	all := &timed.Formula{Op: timed.Or}
	var open []*timed.Query
	for _, q := range asked {
		if f := target(q); f != nil && q.Kind == kind && answers[q.Text] == nil {
			open, all.Args = append(open, q), append(all.Args, f)
		}
	}
	if len(open) < 2 {
		return nil
	}
	limited := *t
	if l := t.Limits.Each; l != nil { // the time of all of them
		all := *l
		all.Time *= time.Duration(len(open))
		limited.Limits.Each = &all
	}
	x, err := e.within(ctx, &limited, &timed.Query{Kind: timed.Possibly, Formula: all,
		Text: fmt.Sprintf("%d queries at once", len(open))}, 0, to)
	if err != nil || x.Verdict == result.Holds {
		return err
	}
	for i, q := range open {
		own := newResult(t, q)
		own.States, own.Transitions, own.Depth = x.States, x.Transitions, x.Depth
		own.Reason = x.Reason
		if i == 0 {
			own.Elapsed = x.Elapsed // it is spent once
		}
		switch {
		case x.Verdict == result.Unknown:
		case q.Kind == timed.Possibly:
			own.Verdict = result.NoRun
		default:
			own.Verdict = result.Holds
		}
		answers[q.Text] = own
	}
	return nil
}
