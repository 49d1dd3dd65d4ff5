// Package discharge decides proof obligations: does a theory entail a goal?
//
// In: groups of obligations, each a theory over copies of a system's symbols with its goals. Out:
// for each obligation Holds, when a solver said unsat to the theory with the negated goal;
// NotInductive, when it said sat, with a small model as a trace if one was found; or Unknown with
// the reason. All answers come from a solver, of this run or, through a cache, of an earlier one:
// this package decides nothing by itself.
//
// An obligation is asked about by many methods (method.go). The first method runs alone and the
// others race (race.go); an obligation that is too hard as a whole is split (split.go), early where
// its goal is a disjunction that held before the step (asbefore.go).
package discharge

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// DefaultRlimit is a bound on the resources of one query, in units of z3. It stands for 2 to 20
// seconds.
const DefaultRlimit = 30_000_000

// Options are the settings of the solvers. The zero value is a good default.
type Options struct {
	Solving
	Drivers   []smt.Driver  // instead of Solvers, when they have been found already
	Lead      int64         // for the first attempt, which runs alone; 0 means a share of Rlimit
	Wall      time.Duration // guard for each query; 0 means one minute
	Rendering vc.Rendering
	// Queries in parallel, including the queries of races; 0 means one for each processor.
	Jobs   int
	Slots  Slots  // in the place of Jobs, for proofs that go on at the same time
	LogDir string // where every query is saved; empty for nowhere
	Cores  bool   // learn which hypotheses each proof needs
	// Constants stand for the members of enums in proofs (smt.Config).
	Constants bool
	// Split all obligations at once, not only the ones that are too hard as a whole.
	Split bool
	Cache *smt.Cache
	Note  func(string) // called with information for the user beside the verdicts; nil for none
	// Failed is called when a solver dies, or does not answer before the guard, possibly by several
	// goroutines. Nil for none.
	Failed func()
	// Each bounds the time for the obligations of one property together; nil for no limit.
	Each *result.Limit
	// Begin is called before each obligation that is asked about, from several goroutines.
	Begin func(name string)
	// Hard is called when the first attempt did not decide an obligation, and with failed when no
	// cheap attempt did, possibly by several goroutines. If it gives a reason, the obligation is
	// unknown, and later obligations get the first attempt only. Nil for none.
	Hard func(ctx context.Context, failed bool) (reason string)
	// Suspect is called when a step from a state that satisfies the hypotheses violates a goal,
	// possibly by several goroutines. Afterwards Violated may know more. Nil for none.
	Suspect func(ctx context.Context)
	// Violated says how a property is known to be violated, empty if unknown. Then no more
	// questions are asked about the property, nor about the properties of the same call, which may
	// rest on it. Nil for none.
	Violated func(property string) (how string)
	// Progress is called after each obligation, by one goroutine at a time. Total grows when
	// obligations must be checked again.
	Progress func(done, total int, o result.Obligation)
}

// Solving says which solvers are asked, and how. Commands, engines and jobs for other processes
// share it.
type Solving struct {
	Solvers []string // names, in the order of preference; none means all that are installed
	Rlimit  int64    // for each query, in units of z3; 0 means DefaultRlimit
	Seed    int
	Verify  bool // ask again about cached proofs, compare, and forget refuted ones
}

// Discharger decides obligations about one system. Only one goroutine may use it.
type Discharger struct {
	sys *system.System
	// Models mean nothing: proofs do not know all that is true of a sum or size.
	approximate bool
	opts        Options
	drivers     []smt.Driver
	health      *health
	tally       tally
	budget      budget

	slots       Slots
	preferences preferences
	notes       notes
	spent       atomic.Int64           // resources of all obligations
	givenUp     atomic.Pointer[string] // the reason that Hard gave, nil for none
	hopeless    sync.Map               // properties that are not seen to hold initially
	hard        *hard                  // nil but in Readily
}

// Slots bound the queries that run at the same time: each holds a slot.
type Slots chan struct{}

// NewSlots makes slots for a number of queries; 0 means one for each processor.
func NewSlots(queries int) Slots {
	if queries <= 0 {
		queries = runtime.NumCPU()
	}
	return make(Slots, queries)
}

// New finds the solvers. Its error says that there is no suitable one, and wraps smt.ErrNoSolver.
func New(ctx context.Context, sys *system.System, opts Options) (*Discharger, error) {
	drivers := opts.Drivers
	if len(drivers) == 0 {
		var err error
		if drivers, err = smt.Find(ctx, opts.Solvers); err != nil {
			return nil, fmt.Errorf("looking for solvers: %w", err)
		}
	}
	if opts.Rlimit <= 0 {
		opts.Rlimit = DefaultRlimit
	}
	if opts.Wall <= 0 {
		opts.Wall = time.Minute
	}
	if opts.Slots == nil {
		opts.Slots = NewSlots(opts.Jobs)
	}
	return &Discharger{
		sys: sys, approximate: len(sys.Folds()) > 0, opts: opts, drivers: drivers,
		health:      newHealth(len(drivers), opts.Failed),
		slots:       opts.Slots,
		preferences: preferences{last: map[string]method{}, givenUp: map[string]bool{}},
		notes:       notes{tell: opts.Note, told: map[string]bool{}},
	}, nil
}

// Obligation claims that a theory entails a goal. Its Verdict is Holds when a solver said unsat to
// the theory with the negated goal, and NotInductive when it said sat; the trace is then the model,
// if a small one was found.
type Obligation struct {
	result.Obligation
	Goal *logic.Term // over copies of the symbols, as the theory
	// Likely are the names of hypotheses that probably suffice: a proof is tried with these first.
	// Nil if nothing is known.
	Likely    []string
	Trace     *result.Trace
	small     *model   // the model in the trace
	provers   []string // for Holds: the solvers that the proof rests on
	hint      []string // names of the hypotheses that the last proof needed, nil if unknown
	quick     bool     // one attempt with each solver at a low limit, and no model
	firstOnly bool     // only the first attempt
	effort    effort
	// Modest says that nobody misses a proof: next to sizes and sums, where nothing shows that a
	// goal is false, not all effort is spent.
	Modest    bool
	alone     bool // it is the only one of its property without a proof
	Bounded   bool // facts about large new values stand in the goal
	inductive *inductive
	// It is counted once, though it may be asked about again, or before it is expected.
	expected, finished bool
}

// effort is how much is tried for a proof. With less than all of it, what has no proof has no
// verdict yet.
type effort int

const (
	everything effort = iota
	easy              // only the first attempt, at a low limit
	moderate          // all methods, at a share of the limit
)

// Group is a theory with the obligations that share it.
type Group struct {
	Theory      *vc.Theory
	Path        vc.Path
	Obligations []*Obligation
	Expected    bool // a model is likelier than a proof: small models come before the race
}

// isStep reports whether the obligations are about steps from states that need not be reachable.
func (g *Group) isStep() bool {
	return g.Path.Kind == result.ToInduction && len(g.Path.Steps) > 0
}

// Unmodified settles an obligation that needs no solver: the step changes no symbol of the formula.
func (o *Obligation) Unmodified() {
	o.Verdict, o.Solver, o.Method = result.Holds, result.Nobody(), "nothing in it changes"
}

// Reopen takes back that an obligation has no proof, where time ended before there was one.
func (o *Obligation) Reopen() {
	if c := o.Reason.Code; o.Verdict == result.Unknown &&
		(c == result.Interrupted || c == result.OutOfTime) {
		o.Verdict, o.Reason = "", result.Reason{}
	}
}

// Corollary settles an obligation that follows from others of its group, as another one shows, if
// that is proved.
func (o *Obligation) Corollary(shown *Obligation) {
	o.FollowsFrom(shown)
	o.InState = o.Verdict == result.Holds
}

// implied is added to the method of a proof where it serves another obligation.
const implied = ", of what implies it"

// FollowsFrom settles an obligation that another one implies, if that is proved. Nil is not proved.
func (o *Obligation) FollowsFrom(other *Obligation) {
	if other == nil || other.Verdict != result.Holds {
		return
	}
	o.Verdict, o.Solver, o.Seed, o.Cached = result.Holds, other.Solver, other.Seed, other.Cached
	o.provers, o.Needs = other.provers, other.Needs
	o.Method = other.Method
	if o.Solver != result.Nobody() && !strings.HasSuffix(o.Method, implied) {
		o.Method += implied
	}
}

// A chunk are obligations of a group that one set of solver processes works on, so that processors
// share the work on one big action. Each chunk has its theory read again, which costs more than an
// easy question. So where there are many obligations, chunks are larger. An answer may depend on
// the queries before it in the same process, so nothing here depends on the number of jobs.
const (
	chunkSize  = 16 // at least, unless the group has fewer
	chunkShare = 8  // of all obligations at most
)

// manyEasy is the number of obligations from which on the easy ones are decided first.
const manyEasy = 2

// Easily proves the obligations of a group that are easy. The others have no verdict yet.
func (d *Discharger) Easily(ctx context.Context, g *Group) {
	parallel(d, d.batches([]*Group{g}), func(b *batch) { d.batch(ctx, b, nil) })
	var chunks []*Group
	for some := range slices.Chunk(slices.DeleteFunc(slices.Clone(g.Obligations),
		func(o *Obligation) bool { return o.Verdict != "" }), chunkSize) {
		chunks = append(chunks, g.with(some))
	}
	parallel(d, chunks, func(g *Group) { d.chunk(ctx, g, nil, easy) })
}

// parallel does pieces of work, as many at the same time as there are slots.
func parallel[T any](d *Discharger, pieces []T, do func(T)) {
	work := make(chan T)
	var wait sync.WaitGroup
	for range min(cap(d.slots), len(pieces)) {
		wait.Go(func() {
			d.slots <- struct{}{}
			defer func() { <-d.slots }()
			for piece := range work {
				do(piece)
			}
		})
	}
	for _, piece := range pieces {
		work <- piece
	}
	close(work)
	wait.Wait()
}

// chunk decides the obligations of one chunk, one after the other, with processes of its own.
// Together lists all properties of the same call. With less than all effort, what is not proved is
// left for later, without a verdict: so one hard obligation does not take the time of many easy
// ones.
func (d *Discharger) chunk(ctx context.Context, g *Group, together []string, how effort) {
	a := newAsker(d, g)
	defer a.close()
	for _, o := range g.Obligations {
		if o.Verdict == "" {
			o.effort = how
		}
		switch {
		case o.Verdict != "" || how != everything && (ctx.Err() != nil || !a.mayBeEasy(o)):
			continue
		case ctx.Err() != nil:
			o.Verdict, o.Reason = result.Unknown, result.Ended(ctx, "")
		case slices.ContainsFunc(together, func(property string) bool {
			return d.Violated(property) != ""
		}):
			why := cmp.Or(d.Violated(o.Property), "something that is assumed is violated")
			o.Verdict, o.Reason = result.Unknown, result.Because(result.NotProved, why)
		case d.hard.gaveUp(o.Property):
			o.Verdict, o.Reason = result.Unknown, result.Because(result.NotProved,
				"another part of it has no proof")
		case d.leaves(o, together):
			o.Verdict, o.Reason = result.Unknown, result.Because(result.NotProved,
				"no proof was found with little effort, and nobody claims it")
		default:
			if d.opts.Begin != nil {
				d.opts.Begin(o.Name)
			}
			d.budget.settle(ctx, d.opts.Each, a, o)
		}
		d.hard.note(o, how)
		if o.Verdict == "" {
			if how == moderate && o.Modest && o.Initial {
				d.hopeless.Store(o.Property, true)
			}
			continue
		}
		d.spent.Add(o.Rlimit)
		d.tally.finish(d.opts.Progress, o)
	}
}

// leaves reports whether no more effort is spent on an obligation that nobody misses: all methods
// were tried at a low limit, or what it is about is not seen to hold initially.
func (d *Discharger) leaves(o *Obligation, together []string) bool {
	if !o.Modest || !d.approximate || len(together) < 2 {
		return false
	}
	_, hopeless := d.hopeless.Load(o.Property)
	return hopeless || o.effort == everything
}

// Violated says how a property is known to be violated, empty if unknown.
func (d *Discharger) Violated(property string) string {
	if d.opts.Violated == nil {
		return ""
	}
	return d.opts.Violated(property)
}

// budget is the time that the obligations of each property have taken.
type budget struct {
	mu    sync.Mutex
	spent map[string]time.Duration
}

// settle decides an obligation within the limit for its property.
func (b *budget) settle(ctx context.Context, each *result.Limit, a *asker, o *Obligation) {
	if each == nil {
		a.settle(ctx, o)
		return
	}
	b.mu.Lock()
	left := each.Time - b.spent[o.Property]
	b.mu.Unlock()
	if left <= 0 {
		o.Verdict, o.Reason = result.Unknown, each.Reached()
		return
	}
	within, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	began := time.Now()
	a.settle(within, o)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.spent == nil {
		b.spent = map[string]time.Duration{}
	}
	b.spent[o.Property] += time.Since(began)
	if within.Err() != nil && ctx.Err() == nil && o.Verdict == result.Unknown {
		o.Reason = each.Reached()
	}
}

// tally counts obligations for the progress report.
type tally struct {
	mu          sync.Mutex
	done, total int
}

func (t *tally) expect(list []*Obligation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, o := range list {
		if !o.expected {
			t.total++
		}
		o.expected = true
	}
}

func (t *tally) finish(report func(int, int, result.Obligation), o *Obligation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if o.expected && !o.finished {
		t.done++
		o.finished = true
	}
	if report != nil {
		report(t.done, t.total, o.Obligation)
	}
}

// Contradictory reports whether a theory is known to have no model. What describes such a model.
func (d *Discharger) Contradictory(ctx context.Context, what string, t *vc.Theory) bool {
	d.slots <- struct{}{}
	defer func() { <-d.slots }()
	o := &Obligation{Obligation: result.Obligation{Name: "search for " + what}, Goal: logic.False,
		quick: true}
	a := newAsker(d, &Group{Theory: t, Obligations: []*Obligation{o}})
	defer a.close()
	a.decide(ctx, o)
	return o.Verdict == result.Holds
}
