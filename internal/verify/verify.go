// Package verify chooses engines for the properties of a system, and runs them side by side.
//
// In: a system, and what is asked for. Out: results of all engines, in the order of the file, with a row for every property:
// what no engine can check is said to be unchecked. Small instances are explored (package explicit), because their
// counterexamples are what people read, and so are their temporal properties checked (package temporal); at the same time the
// others are proved for all instances (package induct). Runs of a bounded number of steps are searched on demand, and where
// there is no instance to explore (package bmc).
package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"erelong/internal/diag"
	"erelong/internal/discharge"
	"erelong/internal/engine/bmc"
	"erelong/internal/engine/explicit"
	"erelong/internal/engine/fbii"
	"erelong/internal/engine/induct"
	"erelong/internal/engine/refute"
	"erelong/internal/interp"
	"erelong/internal/logic"
	"erelong/internal/smt"
	"erelong/internal/symmetry"
	"erelong/internal/system"
	"erelong/internal/verdict"
)

// Options say what to run.
type Options struct {
	Explore   bool
	Prove     bool
	Live      bool               // prove liveness by ranking functions
	LiveOnly  bool               // nothing but liveness: see RunAll
	Rests     bool               // and the invariants on which it rests
	Bound     bool               // search runs of a bounded number of steps with solvers
	Levels    bool               // results of an exploration have their Levels
	Inductive bool               // explore from all states that satisfy the properties, instead of from the initial ones
	Instances []*system.Instance // to explore; empty for all of the file, or a default one when it has none; with Bound, for all that there are
	Only      []string           // names of properties; empty for all
	Explicit  explicit.Options   // limits; Only and Progress are set here
	Induct    induct.Options     // solvers and limits; Only and Progress are set here
	Bmc       bmc.Options        // depth, solvers and limits; Only and Progress are set here
	// Guess allows the default instance (every sort with two elements) when the file names none, with these limits.
	GuessStates int64
	GuessTime   time.Duration
	GuessDepth  int            // steps of the runs that are searched where there is no default instance, and a proof is asked for, too
	Each        *verdict.Limit // for a property; an exploration and a bounded search look at all properties together
	Progress    func(Event)    // called from several goroutines, one at a time
}

// Limits of what the program chose itself; see Options.
const (
	GuessStates = 20_000
	GuessTime   = time.Minute // a guard, which the count is meant to make needless
	GuessDepth  = 5
)

// Event is progress: Text is a line; Done says that a part is finished, so that the line is worth keeping. With a Unit, Count
// says how many of these there are so far, and Total how many there will be, 0 if nobody knows.
type Event struct {
	Part  string // the instance, or "proof"
	Text  string
	Done  bool
	Unit  string
	Count int64
	Total int64
}

// Outcome is what a run found.
type Outcome struct {
	Results []verdict.Result
	Notes   []string
	Solvers []string // name and version of those that answered
	// Refused says which instances could not be explored, and why; the errors are diag.Lists where the file is at fault.
	Refused []error
	// NoSolver is set when a proof was asked for and no solver is there.
	NoSolver error
}

// Refusal is one error for all instances that could not be explored.
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

// ErrNoProperty says that a property was asked for that the file does not have.
var ErrNoProperty = errors.New("there is no property")

// Run does what the options say. What an engine could not do is a result, or a note. An error means that not everything
// could be done; what was finished before is in the outcome then, if there is one. When ctx is cancelled the results are
// those that were finished.
func Run(ctx context.Context, sys *system.System, o Options) (*Outcome, error) {
	for _, name := range o.Only {
		if !isClaim(sys, name) && (name != verdict.Deadlock || !o.Explore) {
			return nil, fmt.Errorf("%w %q; the file has: %s", ErrNoProperty, name, claims(sys))
		}
	}
	r := &run{sys: sys, o: o}
	var wg sync.WaitGroup
	var exploreErr, proveErr, boundErr error
	if o.Explore {
		wg.Go(func() { exploreErr = r.explore(ctx) })
	}
	if o.Prove {
		wg.Go(func() { proveErr = r.prove(ctx) })
	}
	if o.Bound {
		wg.Go(func() { boundErr = r.bound(ctx) })
	}
	wg.Wait()
	err := errors.Join(exploreErr, proveErr, boundErr)
	if err == nil {
		err = r.reconsider(ctx)
	}
	if err == nil && o.Live && !o.Inductive {
		err = r.live(ctx)
	}
	if err == nil {
		r.contradictions(ctx)
		r.vacuity(ctx)
		r.diagnose(ctx)
	}
	verdict.Blame(ctx, r.results)
	verdict.Void(r.results)
	verdict.Assume(r.results, sys.Assumptions())
	if ctx.Err() != nil && err != nil && errors.Is(err, ctx.Err()) {
		err = nil // what was finished counts
	}
	if err == nil {
		if r.unexplored != "" && len(r.results) > 0 {
			r.add(nil, r.unexplored)
		}
		r.addUnchecked(ctx)
	}
	r.sort()
	return &Outcome{Results: r.results, Notes: r.notes, Solvers: r.solvers(), Refused: r.refused, NoSolver: r.noSolver}, err
}

type run struct {
	sys *system.System
	o   Options

	mu       sync.Mutex
	results  []verdict.Result
	notes    []string
	refused  []error
	noSolver error
	sights   []*sight
	small    *refute.Outcome  // by foundSmall
	guessed  *system.Instance // by guess
	whyNot   string
	// unexplored is why the instance that was guessed is of no use, empty if it is.
	unexplored string
}

func (r *run) add(results []verdict.Result, notes ...string) {
	for i := range results {
		results[i].Whole = results[i].Scope != verdict.ScopeAll && r.sys.OneInstance()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.results = append(r.results, results...)
	r.notes = append(r.notes, notes...)
}

func (r *run) progress(e Event) {
	if r.o.Progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.o.Progress(e)
}

// only selects among the names asked for those that an engine can check.
func (r *run) only(can func(*system.Property) bool) (names []string, none bool) {
	if len(r.o.Only) == 0 {
		return nil, !slices.ContainsFunc(r.sys.Properties, can) && len(r.sys.Scenarios) == 0
	}
	for _, n := range r.o.Only {
		if p := r.sys.Property(n); isClaim(r.sys, n) && (p == nil || can(p)) {
			names = append(names, n)
		}
	}
	return names, len(names) == 0
}

func (r *run) explore(ctx context.Context) error {
	names, none := r.only((*system.Property).IsInvariant)
	names = slices.DeleteFunc(names, func(n string) bool { return r.sys.Property(n) == nil }) // scenarios
	asked := slices.Contains(r.o.Only, verdict.Deadlock) && !isClaim(r.sys, verdict.Deadlock)
	expected := slices.ContainsFunc(r.sys.Instances, r.expectsOfDeadlock)
	none = !asked && (none && !expected && !r.o.Explicit.Deadlock || len(r.o.Only) > 0 && len(names) == 0)
	runs := r.temporalNames()
	if none && len(runs) == 0 {
		return nil
	}
	instances := r.o.Instances
	if len(instances) == 0 {
		instances = r.sys.Instances
	}
	opts := r.o.Explicit
	opts.Only, opts.Deadlock = names, opts.Deadlock || asked
	if asked && names == nil {
		opts.Only = []string{} // nothing else
	}
	guessed := false
	if len(instances) == 0 {
		in, why := r.guess()
		if in == nil {
			return r.boundInstead(ctx, "no finite instance was explored: "+why)
		}
		if r.useless(ctx, in) {
			return nil
		}
		instances, guessed = []*system.Instance{in}, true
		if opts.MaxStates == 0 {
			opts.MaxStates = r.o.GuessStates
		}
		var cancel context.CancelFunc
		ctx, cancel = r.guarded(ctx)
		defer cancel()
	}
	for _, in := range instances {
		var err error
		if !none {
			err = r.exploreStates(ctx, in, opts)
		}
		if err == nil && len(runs) > 0 {
			err = r.checkTemporal(ctx, in, runs, opts.MaxStates)
		}
		switch {
		case err == nil:
		case !IsRefusal(err):
			return err
		case guessed:
			return r.boundInstead(ctx, fmt.Sprintf("no finite instance was explored: %v", err))
		default:
			r.refuse(in, err)
		}
	}
	return nil
}

// refuse keeps the reason why an instance is not explored. It ends nothing else.
func (r *run) refuse(in *system.Instance, err error) {
	if d := interp.Diagnostic(err, in); d != nil {
		err = &diag.List{All: []*diag.Diagnostic{d}}
	} else {
		err = fmt.Errorf("instance %s: %w", in.Name, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused = append(r.refused, err)
}

// expectsOfDeadlock reports whether the file says what to expect of deadlocks in an instance, and all is to be checked.
func (r *run) expectsOfDeadlock(in *system.Instance) bool {
	return len(r.o.Only) == 0 && !r.o.Inductive && slices.ContainsFunc(r.sys.Expectations, func(e *system.Expectation) bool {
		return e.Instance == in && e.Property == verdict.Deadlock && !isClaim(r.sys, e.Property)
	})
}

// exploreStates checks the properties of states on an instance.
func (r *run) exploreStates(ctx context.Context, in *system.Instance, opts explicit.Options) error {
	var stats explicit.Stats
	opts.Stats, opts.Signs = &stats, r.signsFor((*system.Property).IsInvariant, opts.Only)
	opts.Deadlock = opts.Deadlock || r.expectsOfDeadlock(in)
	opts.Progress = func(p explicit.Progress) {
		r.progress(Event{Part: in.Name, Unit: "states", Count: p.States,
			Text: fmt.Sprintf("exploring %s: %d states, depth %d, %d to expand", in.Name, p.States, p.Depth, p.Frontier)})
	}
	check := explicit.Check
	if r.o.Inductive {
		check = inductive
	}
	within, cancel := r.o.Each.Bound(ctx)
	defer cancel()
	results, err := check(within, r.sys, in, opts)
	if err != nil {
		return err
	}
	verdict.Blame(within, results)
	if r.o.Levels {
		for i := range results {
			results[i].Levels = stats.Levels[:min(len(stats.Levels), int(results[i].Depth))]
		}
	}
	r.lifted(results, in, opts.MaxStates)
	r.add(results, r.remarks(in, &stats, opts.Deadlock)...)
	text := fmt.Sprintf("explored %s: %s, depth %d", in.Name, counted(int(stats.States), "state", "states"), stats.Depth)
	if stats.Bits {
		text += ", with a set of bits"
	}
	r.progress(Event{Part: in.Name, Done: true, Text: text})
	return nil
}

// IsRefusal reports whether an error says that an instance cannot be explored, rather than that something broke.
func IsRefusal(err error) bool {
	var size *interp.SizeError
	var value *interp.ValueError
	var infinite *interp.InfiniteError
	var many *interp.TooManyError
	var asymmetric *symmetry.Error
	return errors.As(err, &many) || errors.As(err, &asymmetric) || errors.As(err, &size) || errors.As(err, &value) || errors.As(err, &infinite)
}

// remarks are about what is reachable, so with Inductive there are none.
func (r *run) remarks(in *system.Instance, s *explicit.Stats, deadlock bool) (notes []string) {
	if r.o.Inductive {
		return nil
	}
	if s.Unreduced != "" {
		notes = append(notes, fmt.Sprintf("%s: no partial order reduction was done: %s", in.Name, s.Unreduced))
	}
	if s.Deadlocks > 0 && !deadlock {
		notes = append(notes, fmt.Sprintf("%s: %d of %d states have no successor; --deadlock shows a run to one", in.Name, s.Deadlocks, s.States))
	}
	if s.States > 0 {
		r.saw(&sight{in: in, complete: s.Complete, bound: -1, shown: s.Shown, missing: s.Vacuous, idle: s.NeverEnabled})
	}
	return notes
}

// guarded bounds the time that is spent on what the user did not choose.
func (r *run) guarded(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.o.GuessTime == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, r.o.GuessTime, &verdict.Limit{Text: fmt.Sprintf(
		"the limit of %s for an instance that the file does not name; an instance in the file, --instance or --max-states lifts it", r.o.GuessTime)})
}

// lifted names the options that lift the limits at which the exploration of an instance ended.
func (r *run) lifted(results []verdict.Result, in *system.Instance, maxStates int64) {
	option := "; --max-states sets it"
	if in == r.guessed && r.o.Explicit.MaxStates == 0 {
		option = " for an instance that the file does not name; an instance in the file, --instance or --max-states lifts it"
	}
	for i := range results {
		x := &results[i]
		if rest, ok := strings.CutPrefix(x.Reason, fmt.Sprintf("stopped at the limit of %d states a run", r.o.Explicit.MaxDepth)); ok {
			x.Reason = strings.TrimSuffix(x.Reason, rest) + "; --max-depth sets it" + rest
		} else if rest, ok := strings.CutPrefix(x.Reason, fmt.Sprintf("stopped at the limit of %d states", maxStates)); ok {
			x.Reason = strings.TrimSuffix(x.Reason, rest) + option + rest
		}
	}
}

// guess is the instance of Guess, the same one each time.
func (r *run) guess() (*system.Instance, string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.guessed == nil {
		r.guessed, r.whyNot = Guess(r.sys)
	}
	return r.guessed, r.whyNot
}

// Guess makes the instance that is explored when the file names none: every uninterpreted sort has two elements. It gives
// nil and the reason when an integer parameter would need a value that only a person can choose.
func Guess(sys *system.System) (*system.Instance, string) {
	in := &system.Instance{Name: "size2", Sizes: map[*logic.Sort]int{}, Values: map[*logic.Symbol]*logic.Term{}}
	for _, s := range sys.Sorts {
		if s.Kind == logic.KindUninterpreted {
			in.Sizes[s] = 2
		}
	}
	for _, s := range sys.Symbols {
		if !s.Mutable && s.Result == logic.Int {
			return nil, fmt.Sprintf("the file names no instance, and %s may be any integer; add one: instance small { ... %s = 1 }", s.Name, s.Name)
		}
	}
	return in, ""
}

func (r *run) prove(ctx context.Context) error {
	names, none := r.only(func(p *system.Property) bool { return p.IsInvariant() || p.Kind == system.Theorem })
	opts := r.o.Induct
	opts.Only, opts.Satisfiable = names, r.satisfiable(ctx)
	opts.Note = func(text string) { r.add(nil, text) }
	opts.Each = r.o.Each
	r.tellObligations(&opts.Options, "proof", "proving")
	if !r.o.Inductive && !r.o.LiveOnly {
		opts.Hard = r.hard()
	}
	var results []verdict.Result
	var err error
	if !none {
		results, err = induct.Prove(ctx, r.sys, opts)
	}
	if err == nil {
		var more []verdict.Result
		more, err = fbii.Prove(ctx, r.sys, r.o.Only, opts.Options)
		results = append(results, more...)
	}
	switch {
	case errors.Is(err, smt.ErrNoSolver):
		r.mu.Lock()
		r.noSolver = err
		r.mu.Unlock()
		return nil
	case err != nil:
		return err
	}
	if len(results) > 0 {
		r.add(results)
		r.progress(Event{Part: "proof", Done: true, Text: fmt.Sprintf("proof: %d of %s decided", decided(results), counted(len(results), "property", "properties"))})
	}
	return nil
}

// counted writes a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// decided counts the results that are an answer.
func decided(results []verdict.Result) (n int) {
	for _, x := range results {
		if x.Verdict != verdict.Unknown {
			n++
		}
	}
	return n
}

// tellObligations makes the progress of obligations events: how many are done, and which is being asked about.
func (r *run) tellObligations(o *discharge.Options, part, doing string) {
	var mu sync.Mutex
	finished, of, last := 0, 0, ""
	tell := func() {
		text := doing
		if of > 0 {
			text += fmt.Sprintf(": %d of %d obligations", finished, of)
		}
		if last != "" {
			text += ", now " + last
		}
		r.progress(Event{Part: part, Unit: "obligations", Count: int64(finished), Total: int64(of), Text: text})
	}
	o.Begin = func(name string) {
		mu.Lock()
		defer mu.Unlock()
		last = name
		tell()
	}
	o.Progress = func(done, total int, _ verdict.Obligation) {
		mu.Lock()
		defer mu.Unlock()
		finished, of = done, total
		tell()
	}
}

// solvers lists the solvers that answered an obligation.
func (r *run) solvers() (out []string) {
	for _, x := range r.results {
		if x.Evidence == nil {
			continue
		}
		for _, o := range x.Evidence.Obligations {
			if o.Solver != "" && !slices.Contains(out, o.Solver) {
				out = append(out, o.Solver)
			}
		}
	}
	slices.Sort(out)
	return out
}

// addUnchecked gives every property without a result one that says so.
func (r *run) addUnchecked(ctx context.Context) {
	ended := verdict.Over(ctx)
	have := map[string]bool{}
	for _, x := range r.results {
		have[x.Property] = true
	}
	missing := func(name, kind string, line int, why string) {
		if have[name] || len(r.o.Only) > 0 && !slices.Contains(r.o.Only, name) {
			return
		}
		v := verdict.NothingChecked
		if ended != "" {
			v, why = verdict.Unknown, ended
		}
		r.results = append(r.results, verdict.Result{Property: name, Kind: kind, Verdict: v, Scope: verdict.ScopeAll, Line: line, Reason: why})
	}
	for _, p := range r.sys.Properties {
		why := "no engine that was asked can check it"
		switch {
		case p.Kind == system.Trusted:
			continue
		case r.unexplored != "" && (p.IsInvariant() || p.IsTemporal()):
			why = r.unexplored
		case p.IsTemporal():
			why = r.whyNotTemporal(p)
		case p.Kind == system.Theorem && !r.o.Prove:
			why = "theorems are proved by verify and prove"
		case r.noSolver != nil:
			why = r.noSolver.Error()
		}
		missing(p.Name, string(p.Kind), p.Span.Line(), why)
	}
	for _, s := range r.sys.Scenarios {
		why := "no engine that was asked can check it"
		switch {
		case r.noSolver != nil:
			why = r.noSolver.Error()
		case !r.o.Prove:
			why = "whether such a run exists is decided by verify and prove"
		}
		missing(s.Name, "scenario", s.Span.Line(), why)
	}
}

// sort puts the results in the order of the file; for one property what holds in general comes first.
func (r *run) sort() {
	order := map[string]int{"deadlock": -1}
	for i, p := range r.sys.Properties {
		order[p.Name] = i
	}
	for i, s := range r.sys.Scenarios {
		order[s.Name] = len(r.sys.Properties) + i
	}
	scope := func(x verdict.Result) int {
		if x.Scope == verdict.ScopeAll {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(r.results, func(a, b verdict.Result) int {
		if d := order[a.Property] - order[b.Property]; d != 0 {
			return d
		}
		return scope(a) - scope(b)
	})
}

func isClaim(sys *system.System, name string) bool {
	return sys.Property(name) != nil || slices.ContainsFunc(sys.Scenarios, func(s *system.Scenario) bool { return s.Name == name })
}

func claims(sys *system.System) string {
	var out string
	for _, p := range sys.Properties {
		out += " " + p.Name
	}
	for _, s := range sys.Scenarios {
		out += " " + s.Name
	}
	if out == "" {
		return "none"
	}
	return out[1:]
}
