package certificate

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

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

// prove asks all questions of a proof, and sums up: first with little effort, then with what
// is proved of the same step, then with all effort, and once more with what is proved by then.
func (r *rechecker) prove(ctx context.Context, p *plan) []result.Result {
	x := &progress{plan: p, answers: make([]result.Obligation, len(p.questions))}
	r.keeps(ctx, x)
	r.parallel(x.groups(batchSize), func(a *asker, indices []int) {
		if len(indices) < manyQuestions {
			return
		}
		for i, o := range a.together(ctx, p, indices) {
			x.answers[indices[i]] = o
			r.finish(o)
		}
	})
	r.each(ctx, x, (*asker).firstTries)
	r.byLemmas(ctx, x)
	r.each(ctx, x, (*asker).tries)
	r.byLemmas(ctx, x)
	for _, o := range x.answers {
		if o.Verdict == result.Unknown {
			r.finish(o)
		}
	}
	a := &asker{opts: r.opts, sessions: map[sessionKey]*smt.Session{}, quick: true}
	defer a.close()
	vacuous := a.settle(ctx, p.vacuous, noSolver, 0, a.tries(p.vacuous, noSolver)).Verdict ==
		result.Holds
	return p.results(x.answers, vacuous)
}

// progress is a proof with the answers so far.
type progress struct {
	*plan
	answers []result.Obligation
}

// isOpen reports whether nothing decides a question yet.
func (x *progress) isOpen(i int) bool {
	v := x.answers[i].Verdict
	return v == "" || v == result.Unknown
}

// each asks every open question in some ways.
func (r *rechecker) each(
	ctx context.Context, x *progress, ways func(a *asker, q question, prover string) []try,
) {
	r.parallel(x.groups(chunk), func(a *asker, indices []int) {
		for _, i := range indices {
			q := x.questions[i]
			x.ask(ctx, a, i, ways(a, q, x.provers[i]))
			if !x.isOpen(i) {
				r.finish(x.answers[i])
			}
		}
	})
}

// ask asks an open question in some ways.
func (x *progress) ask(ctx context.Context, a *asker, i int, ways []try) {
	before := x.answers[i]
	o := a.settle(ctx, x.questions[i], x.provers[i], x.seeds[i], ways)
	o.Queries, o.Rlimit, o.Elapsed = o.Queries+before.Queries, o.Rlimit+before.Rlimit,
		o.Elapsed+before.Elapsed
	if o.Verdict == result.Unknown && o.Reason.Text == "" {
		o.Reason = before.Reason
	}
	x.answers[i] = o
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
func (x *progress) groups(size int) (out [][]int) {
	for i, q := range x.questions {
		if !x.isOpen(i) {
			continue
		}
		last := len(out) - 1
		if last < 0 || x.questions[out[last][0]].theory != q.theory || len(out[last]) == size {
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
	prover := p.provers[indices[0]]
	proof := quick.settle(ctx, all, prover, p.seeds[indices[0]], quick.tries(all, prover))
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
