package verify

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
)

// Elsewhere carries out tasks in other processes. Carry gives what the engine of this name finds
// there, by RunTask. A LostError means that nothing was decided, and that the engine here should
// not try; any other error means that the engine here says what is wrong with the task.
type Elsewhere interface {
	Carry(
		ctx context.Context, name string, t *engine.Task, o Options, to engine.Sink,
	) (*engine.Findings, error)
}

// LostError is the reason why nobody finished a task.
type LostError struct{ Reason result.Reason }

func (e *LostError) Error() string { return e.Reason.Text }

// RunTask is what a process does that carries out a task for another one: it gives the task to the
// engine of this name. The findings include what a proof finds on its way.
func RunTask(
	ctx context.Context, name string, t *engine.Task, o Options, to engine.Sink,
) (*engine.Findings, error) {
	o.Elsewhere, o.Progress = nil, to.Progress
	r := &run{sys: t.System, o: o, claims: t.Claims, ledger: &ledger{sys: t.System},
		shown: make(chan struct{})}
	for _, e := range r.engines() {
		if e.Name() != name {
			continue
		}
		if why := e.Accepts(t); why != "" {
			return nil, fmt.Errorf("the engine %s does not accept the task: %s", name, why)
		}
		if t.Method == engine.Rank {
			var cancel context.CancelFunc
			ctx, cancel = r.limited(ctx)
			defer cancel()
		}
		found, err := e.Run(ctx, t, r.sink())
		if err != nil {
			return nil, err
		}
		found.Results, found.Notes = append(r.ledger.results, found.Results...),
			append(r.ledger.notes, found.Notes...)
		return found, nil
	}
	return nil, fmt.Errorf("there is no engine %q", name)
}

// pending is a task that an engine carries out, or will when the findings are asked for.
type pending struct {
	task     *engine.Task
	findings func() (*engine.Findings, error)
}

// begin gives a task to engines. Tasks for other processes begin at once; an engine here begins
// when its findings are asked for, and so the engines here run one after the other.
func (r *run) begin(
	ctx context.Context, t *engine.Task, engines []engine.Engine, to engine.Sink,
) (out []pending) {
	for _, e := range engines {
		p := pending{t, func() (*engine.Findings, error) { return e.Run(ctx, t, to) }}
		if r.o.Elsewhere != nil {
			p.findings = r.porters.carried(ctx, e, t, r.o, to)
		}
		out = append(out, p)
	}
	return out
}

// mostElsewhere is the number of tasks that are elsewhere at the same time.
const mostElsewhere = 1024

// porters carry tasks elsewhere, some at a time. The other tasks wait, and take no stack.
type porters struct {
	mu      sync.Mutex
	busy    int
	waiting []func()
}

func (p *porters) give(task func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy == mostElsewhere {
		p.waiting = append(p.waiting, task)
		return
	}
	p.busy++
	go p.carry(task)
}

func (p *porters) carry(task func()) {
	for task != nil {
		task()
		task = p.next()
	}
}

// next is the task that a porter carries next, nil to end.
func (p *porters) next() func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) == 0 {
		p.busy--
		return nil
	}
	task := p.waiting[0]
	p.waiting = p.waiting[1:]
	return task
}

// carried has a task carried out elsewhere.
func (p *porters) carried(
	ctx context.Context, e engine.Engine, t *engine.Task, o Options, to engine.Sink,
) func() (*engine.Findings, error) {
	var found *engine.Findings
	var err error
	done := make(chan struct{})
	p.give(func() {
		defer close(done)
		found, err = o.Elsewhere.Carry(ctx, e.Name(), t, o, to)
	})
	return func() (*engine.Findings, error) {
		<-done
		var lost *LostError
		switch {
		case errors.As(err, &lost):
			return &engine.Findings{Results: undecided(e, t, lost.Reason)}, nil
		case err != nil && ctx.Err() != nil:
			return &engine.Findings{Results: undecided(e, t, result.Over(ctx))}, nil
		case errors.As(err, new(*engine.CheckpointError)):
			return nil, err
		case err != nil:
			return e.Run(ctx, t, to)
		}
		return found, nil
	}
}

// abandon waits for tasks elsewhere whose context has ended. A task here never begins.
func abandon(all []pending, o Options) {
	if o.Elsewhere == nil {
		return
	}
	for _, p := range all {
		_, _ = p.findings() // nobody wants them
	}
}

// undecided gives a result for each claim of a task that is for an engine.
func undecided(e engine.Engine, t *engine.Task, why result.Reason) (out []result.Result) {
	scope := result.ScopeAll
	if t.Instance != nil {
		scope = t.Instance.Name
	}
	for _, c := range t.Claims {
		one := *t
		one.Claims, one.Named = []engine.Claim{c}, true
		if e.Accepts(&one) != "" {
			continue
		}
		x := result.Result{Property: c.Name, Kind: result.Deadlock, Verdict: result.Unknown,
			Scope: scope, Engine: e.Name(), Reason: why}
		switch {
		case c.Property != nil:
			x.Kind, x.Line = c.Property.Kind, c.Property.Span.Line()
		case c.Scenario != nil:
			x.Kind, x.Line = result.Scenario, c.Scenario.Span.Line()
		}
		out = append(out, x)
	}
	return out
}

// settle keeps the findings of a task.
func (r *run) settle(p pending) ([]result.Result, error) {
	found, err := p.findings()
	if err != nil {
		return nil, err
	}
	if s := found.Seen; s != nil {
		r.sights.add(&sight{in: p.task.Instance, complete: s.Complete, bound: -1, shown: s.Shown,
			missing: s.Missing, idle: s.Idle})
	}
	r.ledger.add(found.Results, found.Notes...)
	if found.Summary != "" {
		r.progress(engine.Progress{Subtask: partOf(p.task), Finished: true, Text: found.Summary})
	}
	return found.Results, nil
}

// settleAll keeps the findings of several engines for a task, up to the first error.
func (r *run) settleAll(all []pending) (out []result.Result, err error) {
	for _, p := range all {
		results, err := r.settle(p)
		if err != nil {
			return out, err
		}
		out = append(out, results...)
	}
	return out, nil
}
