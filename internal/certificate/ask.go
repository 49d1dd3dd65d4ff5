package certificate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
)

// asker asks the questions of one chunk. It is used by one goroutine.
type asker struct {
	opts     Options
	sessions map[sessionKey]*smt.Session
	quick    bool // low limits only

	theory  premises // of the scripts
	scripts [2]*smt.Script
}

type sessionKey struct {
	driver int
	seed   int
	part   bool // of the theory
}

func (a *asker) close() {
	for _, s := range a.sessions {
		s.Close()
	}
}

// moreSeeds is with how many more seeds a tenth of the limit is spent before the whole is: where a
// proof takes luck, a few short attempts have more of it than a long one.
const moreSeeds = 3

// firstLook is the share of the limit with which each solver is asked first: often one is quick
// where another is stuck.
const firstLook = 60

// statedShare is the share of the limit for the part of a theory that the certificate names.
const statedShare = 3

// try is one way to ask a question.
type try struct {
	part    premises // of the theory; nil for all of it. Only a proof counts.
	driver  int
	seed    int  // beyond the one of the options
	other   bool // the rendering that the solver does not prefer
	limit   int64
	renewed bool // in a process of its own
}

// firstTries are the ways to ask a question with little effort.
func (a *asker) firstTries(q question, prover string) (out []try) {
	if look := a.opts.Rlimit / firstLook; look > 0 {
		for _, d := range a.order(prover) {
			for _, part := range append(slices.Clone(q.less), nil) {
				out = append(out, try{part: part, driver: d, limit: look})
			}
		}
	}
	return out
}

// tries are the other ways, first with a tenth of the limit.
func (a *asker) tries(q question, prover string) (out []try) {
	order, all, short := a.order(prover), a.opts.Rlimit, max(a.opts.Rlimit/10, 1)
	with := func(part premises, seed int, limit int64) {
		theory := q.theory
		if part != nil {
			theory = part
		}
		for _, d := range order {
			x := try{part: part, driver: d, seed: seed, limit: limit, renewed: seed > 0}
			if out = append(out, x); theory.steps() {
				x.other = true
				out = append(out, x)
			}
		}
	}
	if q.stated != nil {
		with(q.stated, 0, max(all/statedShare, 1))
	}
	for _, part := range q.less {
		with(part, 0, short)
	}
	with(nil, 0, short)
	if !a.quick {
		for more := range moreSeeds {
			with(nil, more+1, short)
		}
		if q.stated != nil {
			with(q.stated, 0, all)
		}
		with(nil, 0, all)
	}
	return out
}

// settle asks in some ways until a solver decides.
func (a *asker) settle(
	ctx context.Context, q question, prover string, seed int, ways []try,
) (out result.Obligation) {
	began := time.Now()
	out = result.Obligation{
		Name: q.Name, Action: q.Action, Property: q.Property, Conjunct: q.Conjunct,
		Line: q.goal.Span.Line(), Verdict: result.Unknown,
	}
	defer func() { out.Elapsed = time.Since(began) }()
	var reasons []string
	for _, try := range ways {
		driver := a.opts.Drivers[try.driver]
		k := sessionKey{try.driver, a.opts.Seed + try.seed, try.part != nil}
		if driver.Name() == prover && k.seed == seed {
			k.seed++
		}
		answer, err := a.ask(ctx, q, k, try)
		if s := a.sessions[k]; s != nil && try.renewed {
			s.Close()
			delete(a.sessions, k)
		}
		if ctx.Err() != nil {
			out.Reason = result.Ended(ctx, "")
			return out
		}
		out.Queries++
		out.Rlimit += answer.Rlimit
		switch {
		case err != nil:
			answer.Reason = err.Error()
		case answer.Status == smt.Unsat, answer.Status == smt.Sat && try.part == nil:
			out.Verdict, out.Solver, out.Seed = result.Holds,
				result.Solver{Name: driver.Name(), Version: driver.Version()}, k.seed
			if answer.Status == smt.Sat {
				out.Verdict = result.NotInductive
			}
			return out
		case answer.Exhausted:
			answer.Reason = "the resource limit was reached"
		}
		if text := smt.Label(driver) + ": " + answer.Reason; try.part == nil &&
			!slices.Contains(reasons, text) {
			reasons = append(reasons, text)
		}
	}
	out.Reason = result.Because(result.NotProved, strings.Join(reasons, "; "))
	return out
}

// order lists the solvers: first other programs than the prover's, then the rest. An obligation
// that needed no solver counts as proved by the preferred one.
func (a *asker) order(prover string) (out []int) {
	if prover == noSolver {
		prover = a.opts.Drivers[0].Name()
	}
	var akin []int
	for i, d := range a.opts.Drivers {
		if program(d.Name()) == program(prover) {
			akin = append(akin, i)
		} else {
			out = append(out, i)
		}
	}
	return append(out, akin...)
}

// program is the name of a solver without its build: z3 and z3-wasm are one program.
func program(solver string) string {
	name, _, _ := strings.Cut(solver, "-")
	return name
}

// ask puts a question once. With the full limit the solver is a fresh process, which has learned
// nothing.
func (a *asker) ask(
	ctx context.Context, q question, k sessionKey, try try,
) (smt.Answer, error) {
	macros := a.opts.Drivers[k.driver].Macros() != try.other
	base, err := a.script(q.theory, try.part, macros)
	if err != nil {
		return smt.Answer{}, fmt.Errorf("this cannot be given to a solver: %w", err)
	}
	body := base.Fork()
	goal := q.goal
	if other, ok := try.part.(instead); ok {
		goal = other.goal
	}
	if err := body.Assert(logic.Not(goal)); err != nil {
		return smt.Answer{}, fmt.Errorf("this cannot be given to a solver: %w", err)
	}
	s := a.sessions[k]
	if s == nil {
		s = smt.NewSession(a.opts.Drivers[k.driver],
			smt.Config{Seed: k.seed, LogDir: a.opts.LogDir})
		a.sessions[k] = s
	}
	query := smt.Query{Name: q.Name, Base: base.Lines(), Body: body.Lines(), Rlimit: try.limit,
		Wall: 15 * time.Second}
	if try.limit > a.opts.Rlimit/10 { // the guard of a short question would end it too early
		query.Wall = time.Minute
	}
	if try.limit == a.opts.Rlimit {
		s.Close()
	}
	return s.Check(ctx, query)
}

// script is a theory for a solver, or a part of it.
func (a *asker) script(t, part premises, macros bool) (*smt.Script, error) {
	if part != nil {
		return part.script(macros)
	}
	if a.theory != t {
		a.theory, a.scripts = t, [2]*smt.Script{}
	}
	i := 0
	if macros {
		i = 1
	}
	if a.scripts[i] == nil {
		s, err := t.script(macros)
		if err != nil {
			return nil, err
		}
		a.scripts[i] = s
	}
	return a.scripts[i], nil
}
