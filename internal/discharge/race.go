package discharge

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/vc"
)

// outcome is the outcome of an attempt.
type outcome struct {
	*attempt
	smt.Answer
	err   error
	names map[string]string // of hypotheses, by their labels in the core
	slot  bool              // it ran in a slot of its own
	asked bool              // a solver was asked
}

// decides reports whether the outcome decides the question.
func (r *outcome) decides() bool {
	return r.err == nil && (r.Status == smt.Unsat || r.Status == smt.Sat && r.scope == whole)
}

// errContradiction says that two solvers gave opposite answers to one question. One of them is
// wrong.
var errContradiction = errors.New(
	"the solvers contradict each other: one says sat, the other unsat")

// ask puts a question until an attempt decides it, and gives nil when none does. The first attempt
// runs alone, at a low limit, in a running process; it decides most questions, and these need no
// race. Then the others run: one in the slot of this asker, and in parallel as many more as there
// are free slots. The first decisive attempt ends the others. All limits are in the solvers'
// resources, so an obligation that some method proves within its limit is proved in every run; only
// the order of the methods depends on time.
func (a *asker) ask(
	ctx context.Context, o *Obligation, p part, attempts []*attempt, limit int64,
) (*outcome, error) {
	if lead := attempts[0]; !lead.hopeless {
		alone := a.lead
		if a.in.preferences.tired(o) {
			alone = max(alone/tiredShare, 1)
		}
		r := a.start(ctx, o, p, lead, min(limit, alone))()
		a.book(o, r)
		lead.hopeless = true // the same method is tried again in a new process
		if r.decides() {
			return r, nil
		}
		if r.Exhausted && limit >= a.lead {
			a.in.preferences.tire(o)
		}
	}
	if !o.quick && a.tooHard(ctx, false) != "" {
		return nil, nil
	}
	todo := slices.DeleteFunc(slices.Clone(attempts[1:]), func(at *attempt) bool {
		return at.hopeless
	})
	a.in.preferences.order(o, todo)

	racing, end := context.WithCancel(ctx)
	defer end()
	results := make(chan *outcome)
	running := 0
	next := func(slot bool) {
		if len(todo) == 0 || racing.Err() != nil {
			if slot {
				<-a.in.slots
			}
			return
		}
		at := todo[0]
		todo = todo[1:]
		running++
		run := a.start(racing, o, p, at, limit)
		go func() {
			r := run()
			r.slot = slot
			results <- r
		}()
	}
	next(false)
	var winner *outcome
	var err error
	for running > 0 {
		var free chan struct{}
		if len(todo) > 0 && racing.Err() == nil {
			free = a.in.slots
		}
		select {
		case free <- struct{}{}:
			next(true)
		case r := <-results:
			running--
			a.book(o, r)
			switch {
			case r.decides() && winner == nil:
				winner = r
				end()
			case r.decides() && winner.Status != r.Status:
				err = errContradiction
			}
			next(r.slot)
		}
	}
	if err != nil {
		return nil, err
	}
	return winner, nil
}

// start prepares an attempt and gives a function that runs it, possibly in another goroutine.
// Attempts that run in parallel have sessions of their own.
func (a *asker) start(
	ctx context.Context, o *Obligation, p part, at *attempt, limit int64,
) func() *outcome {
	r := &outcome{attempt: at}
	fail := func(err error) func() *outcome {
		r.err = err
		return func() *outcome { return r }
	}
	if err := a.in.health.check(at.driver); err != nil {
		return fail(err)
	}
	cores := a.in.opts.Cores && (at.core || !at.fresh && !o.firstOnly)
	base, names, err := a.base(o, at.method, cores)
	if err != nil {
		return fail(err)
	}
	body := base.Fork()
	if err := p.write(body); err != nil {
		return fail(fmt.Errorf("this cannot be given to a solver: %w", err))
	}
	query := smt.Query{Name: o.Name, Base: base.Lines(), Body: body.Lines(), Rlimit: limit,
		Wall: a.wall(limit)}
	config := smt.Config{Seed: a.in.opts.Seed + at.seed, Strategy: at.strategy, Cores: cores,
		Constants: a.in.opts.Constants, Large: a.large, LogDir: a.in.opts.LogDir}
	var session *smt.Session
	if at.fresh {
		session = smt.NewSession(a.in.drivers[at.driver], config)
	} else {
		if a.leads[at.method] == nil {
			a.leads[at.method] = smt.NewSession(a.in.drivers[at.driver], config)
		}
		session = a.leads[at.method]
	}
	r.names = names
	return func() *outcome {
		r.asked = true
		r.Answer, r.err = session.Check(ctx, query)
		if at.fresh {
			session.Close()
		}
		return r
	}
}

// book records an outcome: on the obligation, which then names the last solver that answered, on
// the attempt, and for the health of the solver.
func (a *asker) book(o *Obligation, r *outcome) {
	if errors.Is(r.err, context.Canceled) || errors.Is(r.err, context.DeadlineExceeded) {
		return
	}
	if r.asked {
		a.in.health.book(r.driver, r.err)
		o.Queries++
		o.Rlimit += r.Rlimit
	}
	switch {
	case r.err != nil:
		// the machine may be busy
		r.reason, r.hopeless = r.err.Error(), !errors.Is(r.err, smt.ErrGuard)
		return
	case r.Status == smt.Unknown && r.Exhausted:
		r.reason = "the resource limit was reached"
	case r.Status == smt.Unknown:
		r.attempt.reason, r.hopeless = r.Answer.Reason, true
	case !r.decides():
		r.reason, r.hopeless = "some hypotheses were left out", true
	}
	o.Solver = solverOf(a.in.drivers[r.driver])
	if r.decides() {
		o.Method, o.Seed = r.attempt.String(), a.in.opts.Seed+r.seed
	}
	if r.Status == smt.Unsat {
		a.in.preferences.learn(o, r.method)
	}
}

// needs gives the names of the hypotheses that a proof used, nil if unknown. Labels make queries
// more expensive. The first attempt, which is cheap, has them; otherwise the question is put again
// with labels, at a low limit, once it is known to be provable below that.
func (a *asker) needs(ctx context.Context, o *Obligation, p part, r *outcome) []string {
	if a.in.opts.Cores && r.fresh && !o.quick && r.Rlimit < a.quick {
		again := &attempt{method: r.method, seed: r.seed, fresh: true, core: true}
		r = a.start(ctx, o, p, again, min(a.lead+2*r.Rlimit, a.quick))()
		if r.err == nil {
			o.Queries++
		}
	}
	if r.err != nil || r.Status != smt.Unsat || r.Core == nil {
		return nil
	}
	out := []string{}
	for _, label := range r.Core {
		if name, ok := r.names[label]; ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// base gives the theory for a method, and, if asked for, the names of its hypotheses by their
// labels.
func (a *asker) base(o *Obligation, w method, labels bool) (*smt.Script, map[string]string, error) {
	if w.scope == whole && !labels {
		s, err := a.script(w.rendering)
		return s, nil, err
	}
	if b, ok := a.labelled[w.rendering]; ok && w.scope == whole {
		return b.script, b.names, nil
	}
	theory := a.group.Theory
	switch w.scope {
	case related:
		theory = relatedTo(theory, o.Goal)
	case singly:
		theory = withSingleLaws(theory, o.Goal)
	case ordered:
		theory = withOrder(theory)
	case needed:
		theory = theory.Only(func(h vc.Hypothesis) bool { return slices.Contains(o.hint, h.Name) })
	case likely:
		theory = theory.Only(func(h vc.Hypothesis) bool {
			return slices.Contains(o.Likely, h.Name)
		})
	case bounded:
		theory = withoutLarge(theory)
	}
	var b labelled
	var err error
	if labels {
		b.script, b.names, err = theory.Labelled(w.rendering)
	} else {
		b.script, err = theory.Script(w.rendering)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("this cannot be given to a solver: %w", err)
	}
	if w.scope == whole {
		a.labelled[w.rendering] = b
	}
	return b.script, b.names, nil
}

// labelled is a theory whose hypotheses have labels.
type labelled struct {
	script *smt.Script
	names  map[string]string
}
