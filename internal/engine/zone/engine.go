package zone

import (
	"context"
	"fmt"
	"slices"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/timed"
)

// Name is the engine's name in results.
const Name = "zone"

// ScopeModel is the scope of results for a network without an instance: its only scope.
const ScopeModel = "model"

// patience is the time of a query before the other queries have their turn. The verdicts do not
// depend on it.
const patience = 2 * time.Second

// Engine decides the queries of a network.
type Engine struct{ Options Options }

// Name is the engine's name in results.
func (e *Engine) Name() string { return Name }

// Accepts gives the reason why there is nothing to decide.
func (e *Engine) Accepts(t *engine.Task) string {
	switch {
	case t.Method != engine.Explore || t.Network == nil:
		return "zones are for networks of timed automata"
	case len(t.Claims) == 0:
		return "the model has no queries"
	}
	return ""
}

// Run decides the queries. Slow queries are put off until the others are answered. A query that the
// file asks again has the answer of the first one.
func (e *Engine) Run(
	ctx context.Context, t *engine.Task, to engine.Sink,
) (*engine.Findings, error) {
	answers := map[string]*result.Result{}
	var asked []*timed.Query
	for _, c := range t.Claims {
		if _, before := answers[c.Query.Text]; !before {
			answers[c.Query.Text] = nil
			asked = append(asked, c.Query)
		}
	}
	each := func(wait time.Duration) error {
		for _, q := range asked {
			if answers[q.Text] != nil {
				continue
			}
			var err error
			if answers[q.Text], err = e.within(ctx, t, q, wait, to); err != nil {
				return err
			}
		}
		return nil
	}
	if len(asked) > 1 {
		if err := each(patience); err != nil {
			return nil, err
		}
		for _, kind := range []timed.QueryKind{timed.Invariantly, timed.Possibly} {
			if err := e.together(ctx, t, kind, asked, answers, to); err != nil {
				return nil, err
			}
		}
	}
	if err := each(0); err != nil {
		return nil, err
	}
	found := &engine.Findings{}
	for _, c := range t.Claims {
		x := *answers[c.Query.Text]
		if x.Line = line(t.Network, c.Query); !slices.Contains(asked, c.Query) {
			x.Elapsed = 0 // it is spent once
		}
		found.Results = append(found.Results, x)
	}
	return found, nil
}

// Claims lists the queries of a network, or the queries with the given texts.
func Claims(net *timed.Network, names []string) (out []engine.Claim, err error) {
	for _, name := range names {
		if !slices.ContainsFunc(net.Queries, func(q *timed.Query) bool { return q.Text == name }) {
			return nil, fmt.Errorf("the file has no query %q", name)
		}
	}
	for _, q := range net.Queries {
		if len(names) == 0 || slices.Contains(names, q.Text) {
			out = append(out, engine.Claim{Name: q.Text, Query: q})
		}
	}
	return out, nil
}

// within decides a query. It gives nil if this takes longer than wait, which is not a limit of the
// task.
func (e *Engine) within(
	ctx context.Context, t *engine.Task, q *timed.Query, wait time.Duration, to engine.Sink,
) (*result.Result, error) {
	limit := t.Limits.Each
	own := wait > 0 && (limit == nil || wait < limit.Time)
	within, cancel := limit.Bound(ctx)
	if own {
		within, cancel = context.WithTimeout(ctx, wait)
	}
	defer cancel()
	start := time.Now()
	opts := e.Options
	opts.MaxStates = t.Limits.States
	opts.Progress = func(visited, waiting int64) {
		to.Tell(engine.Progress{Subtask: fmt.Sprint(q.Text, start), Unit: "zones", Done: visited,
			Text: fmt.Sprintf("%s: %d zones visited, %d to expand", q.Text, visited, waiting)})
	}
	x, err := decide(within, t, q, opts)
	if err == nil || within.Err() == nil {
		return x, err
	}
	x = newResult(t, q)
	x.Elapsed = time.Since(start)
	switch {
	case ctx.Err() != nil:
		x.Reason = result.Over(ctx)
	case own:
		return nil, nil
	default:
		x.Reason = limit.Reached()
	}
	return x, nil
}

// newResult is the row of an undecided query.
func newResult(t *engine.Task, q *timed.Query) *result.Result {
	x := &result.Result{Property: q.Text, Kind: kind(q), Verdict: result.Unknown, Scope: ScopeModel,
		Engine: Name, Whole: true, Line: line(t.Network, q)}
	if t.Instance != nil {
		x.Scope, x.Whole = t.Instance.Name, false
	}
	return x
}

// line is the line of a query in the file of the network, 0 if it is in another file.
func line(net *timed.Network, q *timed.Query) int {
	if q.Span.Source != net.Source {
		return 0
	}
	return q.Span.Line()
}

// decide decides one query.
func decide(
	ctx context.Context, t *engine.Task, q *timed.Query, opts Options,
) (*result.Result, error) {
	start := time.Now()
	found, err := Check(ctx, t.Network, q, opts)
	if err != nil {
		return nil, err
	}
	x := newResult(t, q)
	x.States, x.Transitions, x.Depth = found.Stored, found.Steps, found.Depth
	x.Elapsed, x.Value = time.Since(start), found.Value
	reason := found.Reason
	switch found.Answer {
	case Satisfied:
		x.Verdict = result.Holds
	case NotSatisfied:
		x.Verdict = Denied(q)
	}
	if found.Visited > found.Stored {
		reason = join(reason, fmt.Sprintf("%d zones visited, %d kept", found.Visited, found.Stored))
	}
	if found.Value != "" {
		reason = join("the value is "+found.Value, reason)
	}
	if reason != "" {
		x.Reason = result.Because(result.Remark, reason)
		if found.Answer == Unknown {
			x.Reason.Code = found.Code
		}
	}
	if found.Run == nil {
		return x, nil
	}
	if x.Trace, err = Trace(t.Network, found); err != nil {
		return nil, err
	}
	x.Trace.Kind, x.Trace.Violates = result.Counterexample, x.Property
	switch {
	case x.Verdict == result.Holds:
		x.Trace.Kind, x.Trace.Violates = result.Witness, ""
		x.Trace.Shows = shows(q, x)
	case x.Kind == result.Deadlock:
		x.Trace.Violates = result.Deadlock
	}
	if t.Instance != nil {
		x.Trace.Instance = t.Instance.Name
	}
	return x, nil
}

// shows says why a run is what a query asks for; it is empty for a query about all runs.
func shows(q *timed.Query, x *result.Result) string {
	switch q.Kind {
	case timed.Possibly:
		return fmt.Sprintf("%s: state %d is such a state", x.Property, len(x.Trace.Steps)-1)
	case timed.Always:
		return x.Property + ": this is such a run"
	}
	return ""
}

// Denied is the verdict on a query that is not satisfied. A query that asks for a run has no run to
// show.
func Denied(q *timed.Query) result.Verdict {
	if q.Kind == timed.Possibly || q.Kind == timed.Always {
		return result.NoRun
	}
	return result.Violated
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

func kind(q *timed.Query) result.Kind {
	switch {
	case q.Refused != "" || q.Kind == timed.Invariantly && q.Formula.Op != timed.Alive:
		return system.Safety
	case q.Kind == timed.Invariantly:
		return result.Deadlock
	case q.Kind == timed.Possibly || q.Kind == timed.Always:
		return result.Scenario
	}
	return system.Liveness
}
