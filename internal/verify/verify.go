// Package verify chooses engines for the properties of a system, and runs them in parallel.
//
// In: a system, and the request. Out: results of all engines, in the order of the file, with a row
// for every property; a property that no engine can check is marked as unchecked. Small instances
// are explored (package explicit), because people can read their counterexamples, and their
// temporal properties are checked (package temporal). In parallel the other properties are proved
// for all instances (package induction). Runs of a bounded number of steps are searched on demand,
// and where there is no instance to explore (package bmc).
package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/engine/refute"
	"erelong.dev/erelong/internal/engine/steady"
	"erelong.dev/erelong/internal/engine/zone"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
)

// Options select the engines and their settings.
type Options struct {
	Explore  bool
	Prove    bool
	Infer    bool   // look for invariants where a proof needs them
	Live     bool   // prove liveness by ranking functions
	LiveOnly bool   // only liveness: see RunAll
	Observe  bool   // compare the bounds of liveness with the runs of the instances
	Rounds   string // the action whose steps are bounded apart, empty for all with fewer steps
	Rests    bool   // also the invariants that liveness rests on
	Bound    bool   // search runs of a bounded number of steps with solvers
	Levels   bool   // results of an exploration have their Levels
	Stop     bool   // explore the smallest instance first, and none after one with a violation
	// Explore from all states that satisfy the properties, instead of the initial states.
	Inductive bool
	// To explore; empty for all of the file, or a default one if it has none; with Bound, for all
	// instances.
	Instances []*system.Instance
	// The instances among them that are explored here; empty for all. RunAll sets it where Take is
	// given.
	Explored []*system.Instance
	// Swarm is the number of searches of each instance, where Explicit.Search is explicit.Swarm.
	Swarm int
	// Take reports whether the next unit of the run is for this process; nil for all. It is asked
	// for every unit, in order.
	Take     func() bool
	methods  []engine.Method   // of all processes together, where Take is given
	Only     []string          // names of properties; empty for all
	Explicit explicit.Options  // limits; Only and Progress are set here
	Induct   induction.Options // solvers and limits; Only and Progress are set here
	Bmc      bmc.Options       // depth, solvers and limits; Only and Progress are set here
	Zone     zone.Options      // of networks
	// GuessStates limits the default instance (every sort with two elements), which is used when
	// the file names none. Without sorts nothing is guessed, and it is WholeShare times as much.
	GuessStates int64
	GuessTime   time.Duration // of the processor
	// Effort bounds the work of each search for invariants or ranking functions, in units of
	// package effort; 0 for no limit.
	Effort int64
	// steps of the runs that are searched where there is no default instance, and a proof is asked
	// for, too
	GuessDepth int
	// for a property; an exploration and a bounded search look at all properties together
	Each      *result.Limit
	Progress  func(engine.Progress) // called from several goroutines, one at a time
	Elsewhere Elsewhere             // where tasks are carried out; nil for here
	// Of has the text of the system; nil where the ends of searches are not kept. RunAll sets it.
	Of     *derive.Derived
	Others bool // the file has claims of another kind, which the caller decides
	// violated are violations that are known before the run.
	violated []result.Result
	looked   steady.Looked // where they were looked for
}

// Limits of the program's own choices; see Options.
const (
	GuessStates = 20_000
	WholeShare  = 50
	GuessTime   = time.Minute // a guard; the count should end the search before
	GuessDepth  = 5
	Effort      = 100 * effort.Million
)

// Default is `erelong verify` without options, but without the cache of proofs.
func Default() Options {
	return Options{
		Explore: true, Prove: true, Live: true, Infer: true,
		GuessStates: GuessStates, GuessTime: GuessTime, GuessDepth: GuessDepth, Effort: Effort,
		Induct: induction.Options{Induction: 1},
	}
}

// Outcome is the outcome of a run.
type Outcome struct {
	Results []result.Result
	// Untimed are the results of the system of a protocol without time, as far as results rest on
	// them.
	Untimed []result.Result
	Notes   []string
	Solvers []string       // name and version of each solver that answered
	Lemmas  []engine.Lemma // invariants that were found, and that proofs rest on
	// Instances are the finite instances that results are about.
	Instances []result.Instance
	// Superfluous names the invariants of the file that no proof of the run used, as far as is
	// known.
	Superfluous []string
	// Refused says which instances could not be explored, and why; the errors are diag.Lists where
	// the file is at fault.
	Refused []error
	// NoSolver is set when a proof was asked for and there is no solver.
	NoSolver error
}

// Refusal joins the errors of all instances that could not be explored.
func (o *Outcome) Refusal() error {
	all := &diag.List{}
	for _, err := range o.Refused {
		var list *diag.List
		if !errors.As(err, &list) {
			return errors.Join(o.Refused...)
		}
		all.All = append(all.All, list.All...)
	}
	all.Sort()
	return all
}

// noteMajorities says what proofs know of majorities.
func noteMajorities(l *ledger) {
	forAll := func(x result.Result) bool {
		return x.Verdict == result.Holds && x.Scope == result.ScopeAll
	}
	if len(l.sys.Majorities) > 0 && slices.ContainsFunc(l.soFar(), forAll) {
		l.add(nil, "majorities are reduced to sets any two of which meet: what holds for all "+
			"such sets holds for them")
	}
}

// Run carries out the options. A claim that an engine could not decide is a result, or a note. An
// error means that a part of the request failed; the outcome, if there is one, then has the
// finished results. When ctx is cancelled, the results are the finished ones.
func Run(ctx context.Context, sys *system.System, o Options) (*Outcome, error) {
	r, err := newRun(sys, o)
	if err != nil {
		return nil, err
	}
	defer r.declareSafe()
	o = r.o
	if !o.Induct.Verify {
		smt.KeepVersions(ctx, o.Induct.Cache)
	}
	var wg sync.WaitGroup
	var exploreErr, proveErr, boundErr error
	explorations := outlived{r}
	exploring, endProved := explorations.whileUnproved(ctx)
	if o.Explore {
		wg.Go(func() {
			exploreErr = r.explore(exploring)
			r.begun()
		})
	} else {
		r.begun()
	}
	if o.Prove || o.Live {
		wg.Go(func() {
			if o.Prove {
				proveErr = r.prove(ctx)
				r.endSearch()
			}
			if proveErr == nil && !o.Inductive {
				proveErr = r.proveFurther(ctx)
				endProved()
			}
		})
	}
	if o.Bound {
		wg.Go(func() { boundErr = r.bound(ctx) })
	}
	wg.Wait()
	explorations.byProof()
	r.noteShort()
	err = errors.Join(exploreErr, proveErr, boundErr)
	if err == nil {
		err = r.reconsider(ctx)
	}
	if err == nil && !o.Inductive {
		r.dropBesideWhole()
	}
	if err == nil {
		r.newReview().all(ctx)
		r.diagnose(ctx)
	}
	if len(sys.Properties)+len(sys.Scenarios) == 0 && len(r.ledger.results) == 0 && !o.Others &&
		sys.Computed == nil {
		r.ledger.add(nil, "the file states nothing to check: no safety, invariant, theorem, "+
			"liveness, temporal or trace declaration")
	}
	noteMajorities(r.ledger)
	rows := unchecked{r, result.Over(ctx)}
	rows.proofs()
	r.dropUnasked()
	result.Void(r.ledger.results)
	result.Assume(r.ledger.results, sys.Assumptions())
	if ctx.Err() != nil && err != nil && errors.Is(err, ctx.Err()) {
		err = nil // finished results count
	}
	if err == nil {
		if r.unexplored != "" && len(r.ledger.results) > 0 {
			r.ledger.add(nil, r.unexplored)
		}
		rows.all()
	}
	r.ledger.sort(slices.Concat(o.Explored, o.Instances))
	known := r.ledger
	return &Outcome{Results: known.results, Notes: known.notes, Solvers: known.solvers(),
		Lemmas: known.lemmas, Instances: r.about(), Refused: known.refused,
		NoSolver: known.noSolver}, err
}

type run struct {
	sys    *system.System
	o      Options
	claims []engine.Claim // the requested claims, and the unasked ones
	// unasked are claims on which the requested ones rest: that arguments lie in their ranges.
	unasked []engine.Claim
	ledger  *ledger
	sights  sights

	telling sync.Mutex    // of progress
	shown   chan struct{} // closed by begun
	showing sync.Once
	small   *refute.Outcome                             // by inSmall
	guess   func() (in *system.Instance, whyNot string) // is Guess, the same instance each time
	// safe is done when proofs show that no run violates a claim.
	safe        context.Context
	declareSafe context.CancelFunc
	short       *short // by boundInstead
	fits        ranking.Fits
	// unexplored is the reason why the guessed instance is of no use, empty if it is.
	unexplored string
	porters    porters     // of tasks for Options.Elsewhere
	failed     atomic.Bool // something failed that need not fail again
}

// dropBesideWhole drops what is not proved where the exploration of the only instance says that it
// holds. A file that expects what a proof says keeps it.
func (r *run) dropBesideWhole() {
	r.ledger.drop(func(x result.Result) bool {
		return x.Engine == induction.Name && x.Scope == result.ScopeAll &&
			(x.Verdict == result.NotInductive || x.Verdict == result.Unknown) &&
			r.ledger.wholly(x.Property)
	})
}

func (r *run) progress(p engine.Progress) {
	if p.Unit == "states" && p.Done >= headStart {
		r.begun()
	}
	if r.o.Progress == nil {
		return
	}
	r.telling.Lock()
	defer r.telling.Unlock()
	r.o.Progress(p)
}

// newRun determines the requested claims.
func newRun(sys *system.System, o Options) (*run, error) {
	r := &run{sys: sys, o: o, ledger: &ledger{sys: sys}, shown: make(chan struct{}),
		guess: sync.OnceValues(func() (*system.Instance, string) { return Guess(sys) })}
	r.o.Induct.Failed = func() { r.failed.Store(true) }
	r.safe, r.declareSafe = context.WithCancel(context.Background())
	deadlock := o.Explore && slices.Contains(o.Only, result.Deadlock) &&
		!isClaim(sys, result.Deadlock)
	names := slices.DeleteFunc(slices.Clone(o.Only), func(n string) bool {
		return deadlock && n == result.Deadlock
	})
	if len(names) > 0 || !deadlock {
		var err error
		if r.claims, err = engine.Claims(sys, names); err != nil {
			return nil, err
		}
	}
	if deadlock {
		r.claims = append(r.claims, engine.NoDeadlock)
	}
	if len(o.Only) > 0 && !o.Inductive {
		r.unasked = unasked(sys, o.Only)
		r.claims = append(r.claims, r.unasked...)
	}
	note, err := leaveProofs(&r.o, sys)
	if note != "" {
		r.ledger.add(nil, note)
	}
	r.ledger.add(o.violated, sys.Remarks...)
	return r, err
}

// named gives the names of the claims that satisfy a condition.
func (r *run) named(is func(engine.Claim) bool) []string {
	return (&engine.Task{Claims: r.claims}).Names(is)
}

// task is the request as a task for some method.
func (r *run) task(m engine.Method) *engine.Task {
	return &engine.Task{Method: m, System: r.sys, Claims: r.claims, Named: len(r.o.Only) > 0,
		Limits: engine.Limits{Each: r.o.Each}}
}

// sink receives the events of engines.
func (r *run) sink() engine.Sink {
	return engine.Sink{Progress: r.progress, Note: func(text string) { r.ledger.add(nil, text) }}
}

// accepting lists the engines that accept a task.
func accepting(engines []engine.Engine, t *engine.Task) []engine.Engine {
	return slices.DeleteFunc(engines, func(e engine.Engine) bool { return e.Accepts(t) != "" })
}

// give has engines decide a task, and keeps their findings.
func (r *run) give(
	ctx context.Context, t *engine.Task, engines []engine.Engine,
) ([]result.Result, error) {
	return r.settleAll(r.begin(ctx, t, engines, r.sink()))
}

// partOf names a task in the progress.
func partOf(t *engine.Task) string {
	if t.Instance != nil {
		return t.Instance.Name
	}
	return string(t.Method)
}

func (r *run) prove(ctx context.Context) error {
	t := r.task(engine.Prove)
	t.Satisfiable = r.satisfiable(ctx)
	results, err := r.give(ctx, t, accepting(r.engines(), t))
	if len(results) > 0 && err == nil {
		r.progress(engine.Progress{Subtask: "proof", Finished: true,
			Text: fmt.Sprintf("proof: %d of %s decided", decided(results),
				engine.Counted(len(results), "property", "properties"))})
	}
	return r.ledger.unsolved(err)
}

// decided counts the decisive results.
func decided(results []result.Result) (n int) {
	for _, x := range results {
		if x.Verdict != result.Unknown {
			n++
		}
	}
	return n
}

func isClaim(sys *system.System, name string) bool {
	return sys.Property(name) != nil || slices.ContainsFunc(sys.Scenarios, func(
		s *system.Scenario,
	) bool {
		return s.Name == name
	})
}
