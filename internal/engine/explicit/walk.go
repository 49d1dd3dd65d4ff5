package explicit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/result"
)

// walker takes random walks: from an initial state, again and again to a successor, each with the
// same probability. It looks for violations on the way, and remembers nothing else.
type walker struct {
	*explore.Space
	*claims
	opts    Options
	x       *explore.Expander
	initial *store.Store // the initial states
	runs    [][]uint64   // the walks that show the verdicts; claim.state is the index here
	steps   int64
	longest int64
	walk    [][]uint64 // the packed states of this walk
}

// swarmStream tells the random numbers of a swarm from the ones of walks.
const swarmStream = 1 << 63

// initialStates bounds the number of initial states among which a walk chooses.
const initialStates = 1 << 20

// walks checks an instance by random walks. A property without a violation is at most HoldsUpTo.
func walks(
	ctx context.Context, sp *explore.Space, cs *claims, opts Options, begin time.Time,
) (_ *Exploration, err error) {
	w := &walker{Space: sp, claims: cs, opts: opts, initial: store.New(sp.Program.Words())}
	if w.x, err = explore.NewExpander(sp); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.x.Worker.Close()) }()
	s := &search{Search: &explore.Search{Space: sp, Store: w.initial}, claims: cs,
		opts: Options{Storage: Storage{Memory: opts.Memory}}}
	s.MaxStates = max(1, min(initialStates, s.memory()/4/int64(8*sp.Program.Words()+8)))
	s.files.memory = math.MaxInt64 // they stay there
	s.Workers = []*explore.Expander{w.x}
	var stopped result.Reason
	if err := s.initial(ctx); err != nil && !errors.Is(err, store.ErrLimit) {
		switch {
		case ctx.Err() != nil:
			stopped = result.Ended(ctx, "").Then(" before the first walk")
		case program.IsEvaluation(err):
			stopped = engine.Unevaluated(err, err.Error())
			for _, c := range cs.list {
				c.decide(result.Unknown, stopped, -1, 0, 0, 0)
			}
		default:
			return nil, err
		}
	}
	done := int64(0)
	var told engine.Ticker
	var p *swarmSearch
	if opts.Search == Swarm && !stopped.Given() && w.initial.Len() > 0 {
		p = newSwarmSearch(w, rand.New(rand.NewPCG(uint64(opts.Seed), swarmStream)))
		if err := p.run(ctx); err != nil && ctx.Err() == nil {
			return nil, err
		}
		stopped = result.Because(result.Bounded, p.told())
		if ctx.Err() != nil {
			stopped = result.Ended(ctx, p.told())
		}
	}
	for ; !stopped.Given() && w.initial.Len() > 0 && done < opts.Walks; done++ {
		rng := rand.New(rand.NewPCG(uint64(opts.Seed), uint64(done)))
		if err := w.takeWalk(ctx, rng); err != nil {
			if ctx.Err() == nil {
				return nil, err
			}
			break
		}
		if w.enough().Given() {
			done++
			break
		}
		if told.Due() {
			opts.tell(w.Instance.Name, w.steps, w.longest, 0)
		}
	}
	if !stopped.Given() && w.initial.Len() > 0 {
		stopped = result.Because(result.Bounded,
			fmt.Sprintf("%d random walks of at most %d states were taken, %d steps in all, with "+
				"seed %d", done, opts.WalkLength, w.steps, opts.Seed))
	}
	stats := Stats{States: done, Transitions: w.steps, Depth: w.longest,
		Initial: int64(w.initial.Len()), PeakBytes: peakBytes()}
	if stopped.Given() {
		stats.States = max(stats.States, 1)
	}
	if p != nil {
		stats.States, stats.Sample = p.found, p.seen.cut()
	}
	w.finish(&stats, cmp.Or(stopped, engine.Bound(sp.System)), 0, begin)
	results, err := w.results(context.WithoutCancel(ctx), sp.Model, func(i int) (*run, error) {
		return retrace(context.WithoutCancel(ctx), sp, w.runs[i])
	})
	return &Exploration{results, stats}, err
}

// takeWalk takes one walk.
func (w *walker) takeWalk(ctx context.Context, rng *rand.Rand) error {
	words := w.Program.Words()
	var buf []uint64
	first := rng.IntN(w.initial.Len())
	state, err := w.initial.Keys(first, first+1, &buf)
	if err != nil {
		return err
	}
	w.walk = w.walk[:0]
	t := &explore.Task{}
	for n := int64(1); n <= w.opts.WalkLength; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.walk = append(w.walk, slices.Clone(state))
		w.longest = max(w.longest, n)
		if err := w.look(ctx, t, n == w.opts.WalkLength); err != nil {
			return err
		}
		if t.Len() == 0 || t.Failed != nil {
			break
		}
		i := rng.IntN(t.Len())
		state = slices.Clone(t.States[i*words : (i+1)*words])
		w.steps++
	}
	return nil
}

// look expands the last state of the walk, or only checks it, and draws the conclusions.
func (w *walker) look(ctx context.Context, t *explore.Task, onlyCheck bool) error {
	t.Reset(w.Space, w.initial, 0, 1)
	if err := w.x.Expand(ctx, t, w.walk[len(w.walk)-1], onlyCheck); err != nil {
		return err
	}
	deadlock := -1
	if len(t.Deadlocks) > 0 {
		deadlock = 0
	}
	show := func(c *claim, v result.Verdict, why result.Reason, _ int) { w.show(c, v, why) }
	w.judge(t.Events, deadlock, show)
	w.judgeBeyond(t.Beyond, show)
	if t.Failed != nil {
		for _, c := range w.open() {
			w.show(c, result.Unknown, engine.Unevaluated(t.Failed, t.Failed.Error()))
		}
	}
	return nil
}

func (w *walker) show(c *claim, v result.Verdict, reason result.Reason) {
	n := int64(len(w.walk))
	if c.beyond {
		n++
	}
	c.decide(v, reason, len(w.runs), n, n, w.steps)
	w.runs = append(w.runs, slices.Concat(w.walk...))
}
