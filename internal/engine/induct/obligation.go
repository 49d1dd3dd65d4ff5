package induct

import (
	"context"
	"sync"

	"erelong/internal/logic"
	"erelong/internal/verdict"
)

// obligation claims that a theory entails a goal. Its Verdict is Holds when a solver said unsat to the theory with the
// negated goal, and NotInductive when it said sat; the model is then the trace, if a small one was found.
type obligation struct {
	verdict.Obligation
	goal  *logic.Term // over copies of the symbols, as the theory
	trace *verdict.Trace
	quick bool // one attempt with each solver at a low limit, and no model
}

// group is a theory with the obligations that share it.
type group struct {
	theory      *theory
	picture     picture
	obligations []*obligation
}

// interrupted is the reason of what was not finished.
const interrupted = "interrupted"

// chunkSize bounds the obligations that one set of solver processes works on, so that two processors share the work on
// one big action. It is a constant because an answer may depend on the queries before it in the same process, and must
// not depend on the number of jobs.
const chunkSize = 16

// discharge works on all obligations, some in parallel.
func (p *prover) discharge(ctx context.Context, groups []*group) {
	var chunks []*group
	for _, g := range groups {
		p.tally.expect(len(g.obligations))
		for from := 0; from < len(g.obligations); from += chunkSize {
			c := *g
			c.obligations = g.obligations[from:min(from+chunkSize, len(g.obligations))]
			chunks = append(chunks, &c)
		}
	}
	work := make(chan *group)
	var wait sync.WaitGroup
	for range min(p.opts.Jobs, len(chunks)) {
		wait.Go(func() {
			for g := range work {
				p.dischargeChunk(ctx, g)
			}
		})
	}
	for _, c := range chunks {
		work <- c
	}
	close(work)
	wait.Wait()
}

// dischargeChunk works on the obligations of one chunk, one after the other, with processes of its own.
func (p *prover) dischargeChunk(ctx context.Context, g *group) {
	a := newAsker(p, g)
	defer a.close()
	for _, o := range g.obligations {
		switch {
		case ctx.Err() != nil:
			o.Verdict, o.Reason = verdict.Unknown, interrupted
		case o.Verdict == "":
			a.decide(ctx, o)
		}
		p.tally.finish(p.opts.Progress, o.Obligation)
	}
}

// tally counts obligations for the progress report.
type tally struct {
	mu          sync.Mutex
	done, total int
}

func (t *tally) expect(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total += n
}

func (t *tally) finish(report func(int, int, verdict.Obligation), o verdict.Obligation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	if report != nil {
		report(t.done, t.total, o)
	}
}
