package certificate

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
)

// Engine is the engine's name in results.
const Engine = "recheck"

// Options are the settings of the solvers.
type Options struct {
	Drivers []smt.Driver // allowed to answer, at least one
	Rlimit  int64        // for each query, in units of z3; positive
	Seed    int
	Jobs    int    // questions at the same time; 0 means one for each processor
	LogDir  string // where every query is saved; empty for nowhere
	// Progress is called after each obligation, by one goroutine at a time.
	Progress func(done, total int, o result.Obligation)
}

// Outcome is the outcome of a recheck.
type Outcome struct {
	System  *system.System // of the text in the certificate
	Results []result.Result
	Solvers []string // name and version of each solver that answered
}

// Recheck derives all obligations anew and asks solvers. Each question goes first to the solvers
// that did not prove it, and then to the solver that did, with another seed. The error wraps
// ErrRefused when the certificate does not support its claims. A result holds when all obligations
// of its proof are discharged. It is not inductive when a solver refutes one of them.
func (c *Certificate) Recheck(ctx context.Context, opts Options) (*Outcome, error) {
	sys, plans, err := c.plans(ctx)
	if err != nil {
		return nil, err
	}
	if opts.Jobs <= 0 {
		opts.Jobs = runtime.NumCPU()
	}
	r := &rechecker{opts: opts}
	for _, p := range plans {
		r.total += len(p.questions)
	}
	out := &Outcome{System: sys}
	proved := map[subject]bool{}
	for _, p := range plans {
		results := r.prove(ctx, p)
		for i := range results {
			x := &results[i]
			j := slices.IndexFunc(p.rests, func(prop *system.Property) bool {
				return !proved[p.subject(prop)]
			})
			if x.Verdict == result.Holds && j >= 0 {
				x.Verdict, x.Reason = result.Unknown,
					result.Because(result.RestsOnUnproved,
						"its proof rests on "+p.rests[j].Name+", which is not proved; "+
							x.Reason.Text)
			}
			proved[p.subject(p.claimed[i])] = x.Verdict == result.Holds
			if x.Verdict == result.Holds && p.steps != "" {
				x.Reason.Text += "; the good state comes after at most " + p.steps + " steps"
			}
		}
		out.Results = append(out.Results, results...)
	}
	for _, x := range out.Results {
		for _, o := range x.Evidence.Obligations {
			if o.Verdict != result.Unknown && !slices.Contains(out.Solvers, o.Solver.String()) {
				out.Solvers = append(out.Solvers, o.Solver.String())
			}
		}
	}
	return out, nil
}

type rechecker struct {
	opts Options

	mu          sync.Mutex
	done, total int
}

// prove asks all questions of a proof, and sums up.
func (r *rechecker) prove(ctx context.Context, p *plan) []result.Result {
	answers := make([]result.Obligation, len(p.questions))
	open := make([]bool, len(p.questions))
	for i := range open {
		open[i] = true
	}
	r.parallel(p.groups(open, batchSize), func(a *asker, indices []int) {
		if len(indices) < manyQuestions {
			return
		}
		for i, o := range a.together(ctx, p, indices) {
			answers[indices[i]], open[indices[i]] = o, false
			r.finish(o)
		}
	})
	r.parallel(p.groups(open, chunk), func(a *asker, indices []int) {
		for _, i := range indices {
			answers[i] = a.settle(ctx, p.questions[i], p.provers[i], p.seeds[i])
			r.finish(answers[i])
		}
	})
	a := &asker{opts: r.opts, sessions: map[sessionKey]*smt.Session{}, quick: true}
	defer a.close()
	vacuous := a.settle(ctx, p.vacuous, noSolver, 0).Verdict == result.Holds
	return p.results(answers, vacuous)
}

// parallel works on groups of questions, each with solvers of its own.
func (r *rechecker) parallel(groups [][]int, do func(a *asker, indices []int)) {
	work := make(chan []int)
	var wait sync.WaitGroup
	for range min(r.opts.Jobs, len(groups)) {
		wait.Go(func() {
			for indices := range work {
				a := &asker{opts: r.opts, sessions: map[sessionKey]*smt.Session{}}
				do(a, indices)
				a.close()
			}
		})
	}
	for _, indices := range groups {
		work <- indices
	}
	close(work)
	wait.Wait()
}

// Sizes of groups of questions. They are constants, so that answers do not depend on the number of
// workers: a solver may learn from earlier questions.
const (
	chunk         = 16   // questions that one worker takes at a time
	manyQuestions = 200  // from which on questions are put together first
	batchSize     = 2500 // most of them in one question
)

// groups groups open questions that share a theory: a solver reads it once for all of them.
func (p *plan) groups(open []bool, size int) (out [][]int) {
	for i, q := range p.questions {
		if !open[i] {
			continue
		}
		last := len(out) - 1
		if last < 0 || p.questions[out[last][0]].theory != q.theory || len(out[last]) == size {
			out = append(out, nil)
			last++
		}
		out[last] = append(out[last], i)
	}
	return out
}

// together asks whether a theory entails all goals of some questions. It answers all of them or
// none.
func (a *asker) together(ctx context.Context, p *plan, indices []int) []result.Obligation {
	all := p.questions[indices[0]]
	all.Name = fmt.Sprintf("%s and %d others", all.Name, len(indices)-1)
	all.less = nil
	var goals []*logic.Term
	for _, i := range indices {
		if p.provers[i] != p.provers[indices[0]] || p.seeds[i] != p.seeds[indices[0]] {
			return nil
		}
		goals = append(goals, p.questions[i].goal)
	}
	all.goal = logic.And(goals...)
	quick := *a
	quick.quick = true
	proof := quick.settle(ctx, all, p.provers[indices[0]], p.seeds[indices[0]])
	if proof.Verdict != result.Holds {
		return nil
	}
	out := make([]result.Obligation, len(indices))
	for n, i := range indices {
		q := p.questions[i]
		out[n] = result.Obligation{Name: q.Name, Action: q.Action, Property: q.Property,
			Conjunct: q.Conjunct, Line: q.goal.Span.Line(),
			Verdict: result.Holds, Solver: proof.Solver, Seed: proof.Seed}
	}
	out[0].Queries, out[0].Rlimit, out[0].Elapsed = proof.Queries, proof.Rlimit, proof.Elapsed
	return out
}

func (r *rechecker) finish(o result.Obligation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	if r.opts.Progress != nil {
		r.opts.Progress(r.done, r.total, o)
	}
}

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
}

func (a *asker) close() {
	for _, s := range a.sessions {
		s.Close()
	}
}

// moreSeeds is with how many more seeds a tenth of the limit is spent before the whole is: where a
// proof takes luck, a few short attempts have more of it than a long one.
const moreSeeds = 3

// settle asks until a solver decides, first with a tenth of the limit: often one solver is quick
// where another is stuck.
func (a *asker) settle(
	ctx context.Context, q question, prover string, seed int,
) (out result.Obligation) {
	began := time.Now()
	out = result.Obligation{
		Name: q.Name, Action: q.Action, Property: q.Property, Conjunct: q.Conjunct,
		Line: q.goal.Span.Line(), Verdict: result.Unknown,
	}
	defer func() { out.Elapsed = time.Since(began) }()
	for _, less := range q.less {
		if part := a.settlePart(ctx, q, less, prover, seed); part.Verdict == result.Holds {
			return part
		}
	}
	others := []bool{false, true} // the solver's preferred rendering, then the other one
	if !q.theory.steps() {
		others = others[:1]
	}
	type try struct {
		limit int64
		seed  int // beyond the one of the options
	}
	short := max(a.opts.Rlimit/10, 1)
	tries := []try{{short, 0}}
	if !a.quick {
		for more := range moreSeeds {
			tries = append(tries, try{short, more + 1})
		}
		tries = append(tries, try{a.opts.Rlimit, 0})
	}
	var reasons []string
	for _, try := range tries {
		for _, d := range a.order(prover) {
			k := sessionKey{d, a.opts.Seed + try.seed}
			driver := a.opts.Drivers[d]
			if driver.Name() == prover && k.seed == seed {
				k.seed++
			}
			for _, other := range others {
				answer, err := a.ask(ctx, q, k, driver.Macros() != other, try.limit)
				if s := a.sessions[k]; s != nil && try.seed > 0 {
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
				case answer.Status == smt.Unsat:
					out.Verdict, out.Solver, out.Seed = result.Holds,
						result.Solver{Name: driver.Name(), Version: driver.Version()}, k.seed
					return out
				case answer.Status == smt.Sat:
					out.Verdict, out.Solver, out.Seed = result.NotInductive,
						result.Solver{Name: driver.Name(), Version: driver.Version()}, k.seed
					return out
				case answer.Exhausted:
					answer.Reason = "the resource limit was reached"
				}
				if text := smt.Label(driver) + ": " +
					answer.Reason; !slices.Contains(reasons, text) {
					reasons = append(reasons, text)
				}
			}
		}
	}
	out.Reason = result.Because(result.NotProved, strings.Join(reasons, "; "))
	return out
}

// settlePart asks with a part of the theory. Only a proof counts.
func (a *asker) settlePart(
	ctx context.Context, q question, less premises, prover string, seed int,
) result.Obligation {
	q.theory, q.less = less, nil
	quick := &asker{opts: a.opts, sessions: map[sessionKey]*smt.Session{}, quick: true}
	defer quick.close()
	return quick.settle(ctx, q, prover, seed)
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
	ctx context.Context, q question, k sessionKey, macros bool, limit int64,
) (smt.Answer, error) {
	base, err := a.script(q.theory, macros)
	if err != nil {
		return smt.Answer{}, fmt.Errorf("this cannot be given to a solver: %w", err)
	}
	body := base.Fork()
	if err := body.Assert(logic.Not(q.goal)); err != nil {
		return smt.Answer{}, fmt.Errorf("this cannot be given to a solver: %w", err)
	}
	s := a.sessions[k]
	if s == nil {
		s = smt.NewSession(a.opts.Drivers[k.driver],
			smt.Config{Seed: k.seed, LogDir: a.opts.LogDir})
		a.sessions[k] = s
	}
	query := smt.Query{Name: q.Name, Base: base.Lines(), Body: body.Lines(), Rlimit: limit,
		Wall: 15 * time.Second}
	if limit == a.opts.Rlimit {
		s.Close()
		query.Wall = time.Minute
	}
	return s.Check(ctx, query)
}

func (a *asker) script(t premises, macros bool) (*smt.Script, error) {
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

// results sums up the answers to the questions of a proof.
func (p *plan) results(answers []result.Obligation, vacuous bool) []result.Result {
	open := "" // why the proof as a whole fails
	for _, o := range answers {
		if o.Verdict != result.Holds && open == "" {
			open = fmt.Sprintf("%s: %s", o.Name, o.Reason)
			if o.Verdict == result.NotInductive {
				open = o.Name + " is false"
			}
		}
	}
	var out []result.Result
	for _, prop := range p.claimed {
		r := result.Result{
			Property: p.of.Reported(prop.Name), Kind: prop.Kind, Scope: result.ScopeAll,
			Engine: Engine, Line: prop.Span.Line(),
			Verdict: result.Holds,
			Evidence: &result.Evidence{Obligations: []result.Obligation{},
				Reductions: p.of.Reductions},
		}
		t := tally{}
		failed, unknown := "", ""
		for i, o := range answers {
			if o.Property != prop.Name {
				continue
			}
			r.Evidence.Obligations = append(r.Evidence.Obligations, o)
			r.Queries += o.Queries
			r.Elapsed += o.Elapsed
			t.add(o, p.provers[i])
			switch {
			case o.Verdict == result.NotInductive && failed == "":
				failed = fmt.Sprintf("REFUTED: %s finds that the obligation %s is false", o.Solver,
					p.questions[i].identity())
			case o.Verdict == result.Unknown && unknown == "":
				unknown = fmt.Sprintf("%s: %s", o.Name, o.Reason)
			}
		}
		r.Reason = result.Because(result.Remark, t.String())
		switch {
		case failed != "":
			r.Verdict, r.Reason = result.NotInductive,
				result.Because(result.NotProved, failed+"; "+r.Reason.Text)
		case vacuous:
			r.Verdict, r.Reason = result.NothingChecked,
				result.Because(result.Contradictory,
					"nothing satisfies what is assumed, so the proof says nothing; "+r.Reason.Text)
		case unknown != "":
			r.Verdict, r.Reason = result.Unknown,
				result.Because(result.NotProved, unknown+"; "+r.Reason.Text)
		case open != "" && prop.IsInvariant():
			r.Verdict, r.Reason = result.Unknown,
				result.Because(result.RestsOnUnproved,
					"its proof rests on "+open+"; "+r.Reason.Text)
		}
		r.Assumptions = p.premises
		out = append(out, r)
	}
	result.Assume(out, p.of.Spec.System.Assumptions())
	result.Assume(out, p.of.Assumptions)
	return out
}

// tally counts the obligations of a property by the solver that discharged them.
type tally struct {
	total, done int
	parts       []string
	counts      map[string]int
}

func (t *tally) add(o result.Obligation, prover string) {
	t.total++
	if o.Verdict != result.Holds {
		return
	}
	t.done++
	by := o.Solver.String()
	if o.Solver.Name == prover {
		by += fmt.Sprintf(", which proved it before, with seed %d", o.Seed)
	}
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	if t.counts[by] == 0 {
		t.parts = append(t.parts, by)
	}
	t.counts[by]++
}

func (t *tally) String() string {
	text := fmt.Sprintf("rechecked %d of %d obligations", t.done, t.total)
	for i, by := range t.parts {
		sep := "; "
		if i == 0 {
			sep = ": "
		}
		text += fmt.Sprintf("%s%d by %s", sep, t.counts[by], by)
	}
	return text
}
