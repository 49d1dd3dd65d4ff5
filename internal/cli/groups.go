package cli

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/result"
)

// The groups of options of the commands that check properties. A handler reads a whole group or
// none of it.

// reportOptions are about the results as a whole.
type reportOptions struct {
	formats []string // FORMAT or FORMAT=FILE
	html    string
	sarif   string
	junit   string
	quiet   bool
}

func (o *reportOptions) flags(fl *pflag.FlagSet) {
	fl.StringSliceVar(&o.formats, "format", formatNames()[:1], enumerated(formatNames())+`, or several as in text,json,sarif=out/lock.sarif: the first without
a file is printed, any other goes to its file, or beside the specification`)
	fl.StringVar(&o.html, "html", "", "write a report that needs no network to this file")
	fl.StringVar(&o.sarif, "sarif", "",
		"write the results as SARIF 2.1.0 to this file, for code scanning")
	fl.StringVar(&o.junit, "junit", "",
		"write the results as JUnit's XML to this file, for build servers")
	fl.BoolVarP(&o.quiet, "quiet", "q", false, "no progress")
}

// traceOptions are about how a trace is shown.
type traceOptions struct {
	full bool
	hide []string
}

func (o *traceOptions) flags(fl *pflag.FlagSet) {
	fl.BoolVar(&o.full, "full", false,
		"show every variable in every state of a trace, not only what changes")
	fl.StringSliceVar(&o.hide, "hide", nil,
		"leave these variables out of traces; of a sequence chart, these processes")
}

// chartOptions are about traces as charts.
type chartOptions struct{ chart bool }

func (o *chartOptions) flags(fl *pflag.FlagSet) {
	fl.BoolVar(&o.chart, "chart", false,
		"show a trace as a sequence chart, with a column for each process or element "+
			"(of timed automata --hide PROCESS leaves one out)")
}

// itfOptions are about traces for other programs.
type itfOptions struct{ itf string }

func (o *itfOptions) flags(fl *pflag.FlagSet) {
	fl.StringVar(&o.itf, "itf", "",
		"write a counterexample as an ITF trace to this file (.itf.json), a run to a violation "+
			"first; or all traces to this folder (FOLDER/)")
}

// auxiliaryOptions are about invariants that hold and were not asked for.
type auxiliaryOptions struct{ all bool }

func (o *auxiliaryOptions) flags(fl *pflag.FlagSet) {
	fl.BoolVar(&o.all, "all", false,
		"show auxiliary invariants that hold, too, and long lists of a proof")
}

// expectOptions are about the expectations of a file.
type expectOptions struct{ expect bool }

func (o *expectOptions) flags(fl *pflag.FlagSet) {
	fl.BoolVar(&o.expect, "expect", false,
		"exit with 0 exactly if all expectations of the file are met, else with 10")
}

// proofOptions are about properties that hold in the explored instances, without a proof for all.
type proofOptions struct{ require bool }

func (o *proofOptions) flags(fl *pflag.FlagSet) {
	fl.BoolVar(&o.require, "require-proof", false,
		"exit with 30 where a property holds in the instances explored only, and is not proved "+
			"for all")
}

// boundsOptions are about the bounds on the number of steps in proofs of liveness.
type boundsOptions struct {
	bound  bool
	rounds string
}

func (o *boundsOptions) flags(fl *pflag.FlagSet) {
	fl.BoolVar(&o.bound, "bound", false,
		"print only how many steps it takes at most, and beside it how many it takes in the "+
			"instances")
	fl.StringVar(&o.rounds, "rounds", "",
		"with --bound: count the steps of this action, such as one that ends a round")
}

// fits refuses an action that is not in the file.
func (o *boundsOptions) fits(systems []*derive.Derived) error {
	var names []string
	for _, d := range systems {
		for _, a := range d.Spec.System.Actions {
			names = append(names, a.Name)
		}
	}
	if o.rounds == "" || slices.Contains(names, o.rounds) {
		return nil
	}
	return usage("--rounds %s: there is no such action; the file has %s", o.rounds,
		enumerated(names))
}

// selectionOptions choose among the properties.
type selectionOptions struct{ properties []string }

func (o *selectionOptions) flags(fl *pflag.FlagSet) {
	fl.StringSliceVarP(&o.properties, "property", "p", nil, "check only these properties")
}

// queryFileOptions name a file of queries.
type queryFileOptions struct{ path string }

func (o *queryFileOptions) flags(fl *pflag.FlagSet) {
	fl.StringVar(&o.path, "query", "",
		"of timed automata: check the queries in this file, one a line, instead of the model's own")
}

// wholeOptions limit the time of a whole run.
type wholeOptions struct{ total time.Duration }

func (o *wholeOptions) flags(fl *pflag.FlagSet) {
	fl.DurationVar(&o.total, "timeout", 0,
		"end the whole run after this time, as in 30s or 5m, and report what was finished (0: "+
			"no limit)")
}

// timeOptions limit the time, also for each property.
type timeOptions struct {
	wholeOptions
	each time.Duration
}

func (o *timeOptions) flags(fl *pflag.FlagSet) {
	o.wholeOptions.flags(fl)
	fl.DurationVar(&o.each, "limit-per-property", 0,
		"give up a property after this time; what looks at all properties together, as an "+
			"exploration, ends then, too (0: no limit)")
}

// perProperty is the limit for each property, nil for none.
func (o *timeOptions) perProperty() *result.Limit {
	if o.each <= 0 {
		return nil
	}
	return result.TimeLimit(o.each, "--limit-per-property", result.PropertyOutOfTime)
}

func (o *timeOptions) bound(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if o.each < 0 {
		return ctx, nil, usage("--limit-per-property must not be negative")
	}
	return o.wholeOptions.bound(ctx)
}

// bound ends a context when the time for the whole run is over.
func (o *wholeOptions) bound(ctx context.Context) (context.Context, context.CancelFunc, error) {
	switch {
	case o.total < 0:
		return ctx, nil, usage("--timeout must not be negative")
	case o.total == 0:
		return ctx, func() {}, nil
	}
	within, cancel := result.TimeLimit(o.total, "--timeout", result.OutOfTime).Bound(ctx)
	return context.WithValue(within, withoutLimit{}, ctx), cancel, nil
}

// withoutLimit is the key of a context that ends only when the user interrupts.
type withoutLimit struct{}

// interruptible is the context of work before the first result: it does not end with the time for
// the run.
func interruptible(ctx context.Context) context.Context {
	if outer, ok := ctx.Value(withoutLimit{}).(context.Context); ok {
		return outer
	}
	return ctx
}

// throughout makes a context end with the time for the run while files are read, too.
func throughout(ctx context.Context) context.Context {
	return context.WithValue(ctx, withoutLimit{}, nil)
}

// passOptions select how a specification is read, and a system that is derived from an algorithm.
type passOptions struct {
	pass    string
	noLints bool
}

func (o *passOptions) flags(fl *pflag.FlagSet) {
	fl.StringVar(&o.pass, "pass", "", passUsage)
	fl.BoolVar(&o.noLints, "no-lints", false,
		"no warnings about what is allowed and rarely meant (W0701 to W0708)")
}

const passUsage = "of a file with an algorithm, only the derived system of this name (erelong " +
	"help algorithms)"

// instanceOptions choose instances.
type instanceOptions struct{ instances []string }

func (o *instanceOptions) flags(fl *pflag.FlagSet) {
	fl.StringArrayVarP(&o.instances, "instance", "i", nil,
		"explore or search this instance: a name of the file, or as in node=3,N=2..4 (may be "+
			"repeated)")
}

// shardOptions choose a part of the work.
type shardOptions struct {
	shard string
	next  int // the number of the next unit, over all files of the call
	taken int // the units of this part so far
}

func (o *shardOptions) flags(fl *pflag.FlagSet) {
	fl.StringVar(&o.shard, "shard", "",
		"do only the part I/N of the work: every N-th exploration or proof, beginning with the "+
			"I-th. The parts 1/N to N/N together\ndo everything, so each can run on a machine "+
			"of its own")
}

// given reports whether only a part is done.
func (o *shardOptions) given() bool { return o != nil && o.shard != "" }

// take is verify.Options.Take, nil for everything.
func (o *shardOptions) take() (func() bool, error) {
	if !o.given() {
		return nil, nil
	}
	first, all, _ := strings.Cut(o.shard, "/")
	i, err := strconv.Atoi(first)
	n, err2 := strconv.Atoi(all)
	if err != nil || err2 != nil || i < 1 || i > n {
		return nil, usage("--shard %s: write a part and the number of parts, as in 1/4, 2/4, "+
			"3/4 and 4/4", o.shard)
	}
	return func() bool {
		own := o.next%n == i-1
		if o.next++; own {
			o.taken++
		}
		return own
	}, nil
}

// limitOptions end an exploration early.
type limitOptions struct {
	maxStates int64
	set       func() bool // on the command line or elsewhere
}

func (o *limitOptions) flags(fl *pflag.FlagSet) {
	fl.Int64Var(&o.maxStates, "max-states", 0,
		"stop an exploration after this number of states (0: no limit; where the file names no "+
			"instance the default is 20,000)")
	f := fl.Lookup("max-states")
	o.set = func() bool { return f.Changed }
}

// effortOptions bound the work of searches for proofs, and show it. The value before the command
// line is read is the default.
type effortOptions struct {
	millions int64
	explain  bool
}

func (o *effortOptions) flags(fl *pflag.FlagSet) {
	fl.Int64Var(&o.millions, "effort", o.millions,
		"give up a search for invariants or ranking functions after this work, in million units "+
			"of resources of z3, of which 5 stand for a second (0: no limit)")
	fl.BoolVar(&o.explain, "explain-search", false,
		"show which ways to find a proof were tried, how often, and how much work each took "+
			"(not with --workers)")
}

// units is the limit in units of package effort.
func (o *effortOptions) units() (int64, error) {
	if o.millions < 0 || o.millions > math.MaxInt64/effort.Million {
		return 0, usage("--effort %d is no number of million units of work", o.millions)
	}
	return o.millions * effort.Million, nil
}

// depthOptions end the runs of an exploration early.
type depthOptions struct{ maxDepth int64 }

func (o *depthOptions) flags(fl *pflag.FlagSet) {
	fl.Int64Var(&o.maxDepth, "max-depth", 0,
		"explore only runs of up to this number of states (0: no limit)")
}

// symmetryOptions are about states that differ by a permutation.
type symmetryOptions struct {
	symmetry bool
	set      func() bool // on the command line or elsewhere
	given    func() bool // on the command line
}

func (o *symmetryOptions) flags(fl *pflag.FlagSet) {
	fl.BoolVar(&o.symmetry, "symmetry", false,
		"explore one of the states that differ by a permutation of elements of sorts, and count "+
			"only that one (on for scalar sets of timed automata, unless =false)")
	f := fl.Lookup("symmetry")
	o.set = func() bool { return f.Changed }
	o.given = func() bool { return given(fl, "symmetry") }
}

// searchOptions are the order of a search, and its threads.
type searchOptions struct {
	search  string
	threads int
	set     func() bool              // the search, on the command line or elsewhere
	given   func(option string) bool // on the command line
}

func (o *searchOptions) flags(fl *pflag.FlagSet) {
	fl.StringVar(&o.search, "search", explicit.BreadthFirst,
		"bfs, dfs (counterexamples need not be shortest) or random (walks; not of timed automata)")
	fl.IntVar(&o.threads, "threads", 0,
		"threads of an exploration (0: one a processor); results do not depend on it")
	f := fl.Lookup("search")
	o.set = func() bool { return f.Changed }
	o.given = func(option string) bool { return given(fl, option) }
}

// exploreOptions are the explicit engine's own options.
type exploreOptions struct {
	inductive bool
	deadlock  bool
	levels    bool
	stop      bool
	memory    string // text of the storage's memory
	swarm     int
	given     func(option string) bool // on the command line

	explicit.Reduction // but symmetry
	explicit.Storage
	explicit.Strategy // but the search
	checkpoint        explore.Checkpoint
}

func (o *exploreOptions) flags(fl *pflag.FlagSet) {
	fl.BoolVar(&o.inductive, "inductive", false,
		"explore from all states that satisfy the safety properties and invariants: are they "+
			"inductive?")
	fl.BoolVar(&o.PartialOrder, "por", false,
		"partial order reduction: leave out orders of steps that do not matter to the verdicts; "+
			"counts are of what remains, counterexamples need not be shortest, and temporal "+
			"properties are checked without it")
	fl.BoolVar(&o.deadlock, "deadlock", false,
		"a reachable state without successor is an error (-p deadlock looks for nothing else)")
	fl.BoolVar(&o.stop, "stop-at-violation", false,
		"end an exploration at its first violation; explore the smallest instance first, and no "+
			"further one after a violation")
	fl.BoolVar(&o.levels, "levels", false, "show how many states each depth has")
	fl.StringVar(&o.memory, "memory", "",
		"memory for states, as in 512M or 8G; more go to disk; states for temporal properties "+
			"cannot, and end the check (default: three quarters of the machine's)")
	fl.StringVar(&o.SpillDir, "spill-dir", "",
		"where states go that do not fit into memory (default: the system's folder for "+
			"temporary files)")
	fl.StringVar(&o.Store, "store", explicit.Exact,
		"what is kept of a state: exact, packed, hash or bitstate; packed is exact in less "+
			"memory, slower, without disk and checkpoints, for states of at most 64 bits; the "+
			"last two may miss states, so nothing is said to hold")
	fl.StringVar(&o.checkpoint.Dir, "checkpoint", "",
		"save explorations in this folder, now and then and at an interrupt; with --divide the "+
			"workers do so\n(erelong worker --saves)")
	fl.DurationVar(&o.checkpoint.Every, "checkpoint-every", explore.SaveEvery, "how often to do so")
	fl.BoolVar(&o.checkpoint.Resume, "resume", false, "go on from what --checkpoint saved")
	fl.IntVar(&o.swarm, "swarm", 0,
		"explore by this number of searches with random orders of steps, hashes and depths, for "+
			"an instance that is too large:\neach finds up to --max-states states (0: about a "+
			"million), and the reason says what they saw together")
	fl.Int64Var(&o.Seed, "seed-walk", 0, "random seed of the walks, and of a swarm")
	fl.Int64Var(&o.Walks, "walks", explicit.DefaultWalks, "number of random walks")
	fl.Int64Var(&o.WalkLength, "walk-length", explicit.DefaultWalks, "states of a random walk")
	o.given = func(option string) bool { return given(fl, option) }
}

// boundOptions are the options of bounded search.
type boundOptions struct{ depth int }

func (o *boundOptions) flags(fl *pflag.FlagSet) {
	fl.IntVar(&o.depth, "depth", bmc.DefaultDepth, "steps of the longest run")
}

// solveOptions are about the solvers and their queries.
type solveOptions struct {
	discharge.Solving
	jobs    int
	queries string
}

func (o *solveOptions) flags(fl *pflag.FlagSet) {
	fl.StringSliceVar(&o.Solvers, "solver", nil,
		"solvers to use, in this order: z3, cvc5, and z3-wasm where it is part of the program "+
			"(default: ERELONG_SOLVER, else all that are there)")
	fl.Int64Var(&o.Rlimit, "rlimit", discharge.DefaultRlimit,
		"resources of one query, in units of z3")
	fl.IntVar(&o.Seed, "seed", 0, "random seed of the solvers")
	fl.IntVarP(&o.jobs, "jobs", "j", 0, "queries at the same time (0: one a processor)")
	fl.StringVar(&o.queries, "save-queries", "",
		"save every query in this folder, as a file that the bare solver runs")
}

// certificateOptions are about certificates of proofs.
type certificateOptions struct{ certificate string }

func (o *certificateOptions) flags(fl *pflag.FlagSet) {
	fl.StringVar(&o.certificate, "certificate", "",
		"write what was proved to this file (.json), for prove --recheck")
}

// inductionOptions are the kind of induction.
type inductionOptions struct {
	induction int
	simple    bool
}

func (o *inductionOptions) flags(fl *pflag.FlagSet) {
	fl.IntVar(&o.induction, "induction", 1,
		"prove by induction over this number of consecutive states: k-induction")
	fl.BoolVar(&o.simple, "simple-path", false,
		"with --induction of 2 or more: the states are distinct, as on every shortest run to a "+
			"violation")
}

// recheckFlag is the option that makes prove read a certificate.
const recheckFlag = "recheck"

// recheckOptions say that the file is a certificate to check again.
type recheckOptions struct{ recheck bool }

func (o *recheckOptions) flags(fl *pflag.FlagSet) {
	fl.BoolVar(&o.recheck, recheckFlag, false,
		"the file is a certificate: check it again, with the other solver")
}
