package discharge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"erelong/internal/logic"
	"erelong/internal/smt"
	"erelong/internal/unroll"
	"erelong/internal/verdict"
)

// asker asks solvers about the obligations of one group. It is used by one goroutine.
type asker struct {
	in       *Discharger
	group    *Group
	scripts  map[unroll.Rendering]*smt.Script
	sessions map[sessionKey]*smt.Session
}

type sessionKey struct {
	driver    int
	rendering unroll.Rendering
	models    bool
}

func newAsker(d *Discharger, g *Group) *asker {
	return &asker{in: d, group: g, scripts: map[unroll.Rendering]*smt.Script{}, sessions: map[sessionKey]*smt.Session{}}
}

func (a *asker) close() {
	for _, s := range a.sessions {
		s.Close()
	}
}

// attempt is one way to put the question.
type attempt struct {
	driver    int
	rendering unroll.Rendering
	fresh     bool   // in a new process: what a solver learned for other obligations can lead it astray
	reason    string // why the answer was unknown
	hopeless  bool   // a higher limit cannot help
}

// attempts lists the ways in the order in which they are tried: the first solver with the rendering that suits it and
// with the other one, then the next solver.
func (a *asker) attempts() []*attempt {
	var out []*attempt
	for i, d := range a.in.drivers {
		order := []unroll.Rendering{unroll.Relational, unroll.Macro}
		if d.Macros() {
			order = []unroll.Rendering{unroll.Macro, unroll.Relational}
		}
		if r := a.in.opts.Rendering; r != unroll.Auto {
			order = []unroll.Rendering{r}
		}
		if len(a.group.Theory.Updates) == 0 {
			order = order[:1] // there is nothing that could be rendered in two ways
		}
		if i == 0 {
			out = append(out, &attempt{driver: i, rendering: order[0]})
		}
		for _, r := range order {
			out = append(out, &attempt{driver: i, rendering: r, fresh: true})
		}
	}
	return out
}

// decide gives the obligation its verdict. All ways are tried at a tenth of the limit first: often one of them is quick
// where the others are stuck. Then small models are tried, and then the full limit.
func (a *asker) decide(ctx context.Context, o *Obligation) {
	began := time.Now()
	defer func() { o.Elapsed = time.Since(began) }()
	attempts := a.attempts()
	if a.try(ctx, o, attempts, a.in.quickLimit()) || o.quick {
		return
	}
	if tr := a.smallModel(ctx, o, -1); tr != nil {
		o.Verdict, o.Reason, o.Trace = verdict.NotInductive, "", tr
		return
	}
	a.try(ctx, o, attempts, a.in.opts.Rlimit)
}

// quickLimit is the limit of a query that is not the last try.
func (d *Discharger) quickLimit() int64 { return max(d.opts.Rlimit/10, 1) }

// try goes through the attempts until one decides the obligation, and reports whether nothing is left to be done.
func (a *asker) try(ctx context.Context, o *Obligation, attempts []*attempt, limit int64) bool {
	o.Verdict = verdict.Unknown
	for _, at := range attempts {
		if at.hopeless {
			continue
		}
		answer, err := a.entails(ctx, o, at, limit)
		switch {
		case ctx.Err() != nil:
			o.Reason = Interrupted
			return true
		case err != nil:
			at.reason, at.hopeless = err.Error(), true
			continue
		}
		switch answer.Status {
		case smt.Unsat:
			o.Verdict, o.Reason = verdict.Holds, ""
			return true
		case smt.Sat:
			o.Verdict, o.Reason = verdict.NotInductive, ""
			if !o.quick {
				o.Trace = a.smallModel(ctx, o, at.driver)
			}
			return true
		}
		at.reason, at.hopeless = answer.Reason, !answer.Exhausted
		if answer.Exhausted {
			at.reason = "the resource limit was reached"
		}
	}
	o.Reason = a.reasons(attempts)
	return false
}

// reasons tells why each solver gave no answer.
func (a *asker) reasons(attempts []*attempt) string {
	var parts []string
	for _, at := range attempts {
		text := at.reason
		if label := smt.Label(a.in.drivers[at.driver]); !strings.HasPrefix(text, label) {
			text = label + ": " + text
		}
		if !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "; ")
}

// entails asks whether the theory and the negated goal have a model.
func (a *asker) entails(ctx context.Context, o *Obligation, at *attempt, limit int64) (smt.Answer, error) {
	base, err := a.script(at.rendering)
	if err != nil {
		return smt.Answer{}, err
	}
	body := base.Fork()
	if err := body.Assert(logic.Not(o.Goal)); err != nil {
		return smt.Answer{}, err
	}
	k := sessionKey{at.driver, at.rendering, false}
	if at.fresh {
		a.session(k).Close()
	}
	return a.check(ctx, o, k, body, limit)
}

// script gives the theory in a rendering.
func (a *asker) script(r unroll.Rendering) (*smt.Script, error) {
	if s, ok := a.scripts[r]; ok {
		return s, nil
	}
	s, err := a.group.Theory.Script(r)
	if err != nil {
		return nil, fmt.Errorf("this cannot be given to a solver: %w", err)
	}
	a.scripts[r] = s
	return s, nil
}

func (a *asker) session(k sessionKey) *smt.Session {
	s, ok := a.sessions[k]
	if !ok {
		opts := a.in.opts
		s = smt.NewSession(a.in.drivers[k.driver], smt.Config{Seed: opts.Seed, Models: k.models, Wall: opts.Wall, LogDir: opts.LogDir})
		a.sessions[k] = s
	}
	return s
}

// check asks one query and books it on the obligation.
func (a *asker) check(ctx context.Context, o *Obligation, k sessionKey, body *smt.Script, limit int64) (smt.Answer, error) {
	if err := a.in.health.check(k.driver); err != nil {
		return smt.Answer{}, err
	}
	q := smt.Query{Name: o.Name, Base: a.scripts[k.rendering].Lines(), Body: body.Lines(), Rlimit: limit, Wall: a.in.opts.Wall}
	if limit < a.in.opts.Rlimit {
		q.Wall /= 4
	}
	answer, err := a.session(k).Check(ctx, q)
	a.in.health.book(k.driver, err)
	o.Queries++
	o.Rlimit += answer.Rlimit
	if err == nil {
		o.Solver = smt.Label(a.in.drivers[k.driver])
	}
	return answer, err
}
