package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/verify"
)

// settings are the settings of the run but for the exploration, with a note about solvers.
func (a *analysis) settings(
	ctx context.Context, path string, systems []*derive.Derived,
) (*verify.Options, string, error) {
	o := verify.Default()
	o.Explore, o.Prove, o.Live = a.explores(), a.proves(), a.explores() && a.proves()
	o.Infer = o.Live && a.certificate() == ""
	o.LiveOnly, o.Bound = a.live(), a.Bound != nil
	o.Rests = a.certificate() != "" || a.showsAll()
	o.Only, o.Each = a.Selection.properties, a.Time.perProperty()
	if a.certificate() == "" {
		o.Only = chosen(a.Selection, systems)
	}
	o.Others = front.Program(ctx, path, systems[0].Spec.System.Source.Text) != nil
	if a.explores() && a.Limit.set() {
		o.GuessStates, o.GuessTime = 0, 0 // the user sets the limits
	}
	if b := a.Output.Bounds; b != nil {
		o.Observe, o.Rounds = b.bound, b.rounds
		if err := b.fits(systems); err != nil {
			return nil, "", err
		}
	}
	if a.Explore != nil {
		o.Inductive, o.Levels, o.Stop = a.Explore.inductive, a.Explore.levels, a.Explore.stop
		o.Swarm = a.Explore.swarm
	}
	var err error
	if a.Effort != nil {
		if o.Effort, err = a.Effort.units(); err != nil {
			return nil, "", err
		}
	}
	if o.Take, err = a.Shard.take(); err != nil {
		return nil, "", err
	}
	note, err := a.solving(&o)
	return &o, note, err
}

// solving sets the options of the engines that use solvers. The note names a request that cannot be
// met.
func (a *analysis) solving(o *verify.Options) (note string, err error) {
	if a.Solve == nil {
		return "", nil
	}
	solving, err := a.Solve.options()
	if err != nil {
		return "", err
	}
	if a.Bound != nil {
		if a.Bound.depth < 0 {
			return "", usage("--depth must not be negative")
		}
		o.Bmc = bmc.Options{Options: solving, Depth: a.Bound.depth}
	} else {
		o.Bmc.Options = solving
	}
	if !a.proves() {
		return "", nil
	}
	o.Induct.Options = solving
	stable := a.Stability != nil && a.Stability.runs > 0
	if a.Stability != nil && (a.Stability.runs < 0 || a.Stability.runs == 1) {
		return "", usage("--stability needs at least 2 runs")
	}
	if a.Induction != nil {
		o.Induct.Induction, o.Induct.SimplePath = a.Induction.induction, a.Induction.simple
		if a.Induction.induction < 1 || a.Induction.simple && a.Induction.induction == 1 {
			return "", usage("--induction must be positive, and --simple-path needs at least 2: " +
				"one state is distinct anyway")
		}
	}
	if a.certificate() != "" && len(a.Selection.properties) > 0 {
		return "", usage("--certificate with --property would leave out what the proof rests " +
			"on: choose one")
	}
	note, err = a.Cache.apply(&o.Induct.Options, stable)
	o.Induct.Cores = o.Induct.Cores || a.certificate() != "" // it says what each proof used
	return note, err
}

// options gives the solver options of engines.
func (o *solveOptions) options() (discharge.Options, error) {
	if o.Rlimit <= 0 || o.jobs < 0 {
		return discharge.Options{},
			usage("--rlimit must be positive, and --jobs must not be negative")
	}
	how := o.Solving
	for _, name := range how.Solvers {
		if !slices.Contains(smt.Names(), name) {
			return discharge.Options{},
				usage("--solver: there is no solver %q; erelong knows %s", name,
					strings.Join(smt.Names(), ", "))
		}
	}
	return discharge.Options{Solving: how, Jobs: o.jobs, LogDir: o.queries}, nil
}

// exploration gives the options of the exploration.
func (a *analysis) exploration() (explicit.Options, error) {
	var o explicit.Options
	if !a.explores() {
		return o, nil
	}
	o.Limits.States, o.Limits.Depth = a.Limit.maxStates, a.Depth.maxDepth
	if x := a.Explore; x != nil {
		n, err := parseBytes("memory", x.memory)
		if err != nil {
			return o, err
		}
		o.Deadlock, o.Threads, o.Checkpoint = x.deadlock, a.Search.threads, x.checkpoint
		o.Reduction, o.Storage, o.Strategy = x.Reduction, x.Storage, x.Strategy
		o.Symmetry, o.Memory, o.Search = a.Symmetry.symmetry, n, a.Search.search
		a.withoutProject(&o)
		switch {
		case o.Search == explicit.Swarm, x.swarm < 0:
			return o, usage("write --swarm N, with a number of searches")
		case x.swarm > 0 && a.Search.given("search"):
			return o, usage("--swarm is a search of its own: leave --search out")
		case x.swarm > 0:
			o.Search = explicit.Swarm
		}
		switch {
		case o.Threads < 0 || x.Walks < 1 || x.WalkLength < 1:
			return o, usage("--threads must not be negative, and --walks and --walk-length must " +
				"be positive")
		case x.inductive && o.PartialOrder:
			return o, usage("--por is about reachable states, and --inductive is not: choose one")
		case x.inductive && o.Search != explicit.BreadthFirst:
			return o, usage("--inductive needs the search %s: it is about all states, and not "+
				"about runs", explicit.BreadthFirst)
		}
	}
	if err := o.Valid(); err != nil {
		return o, usage("%v", err)
	}
	return o, nil
}

// withoutProject leaves out what a project sets for ordinary explorations where this one is asked
// to be another one.
func (a *analysis) withoutProject(o *explicit.Options) {
	x := a.Explore
	if (x.inductive || x.swarm > 0) && !x.given("por") {
		o.PartialOrder = false
	}
	if x.swarm > 0 && !a.Symmetry.given() {
		o.Symmetry = false
	}
	if x.inductive && !a.Search.given("search") {
		o.Search = explicit.BreadthFirst
	}
}

// parseBytes reads a size such as 512M; none is 0.
func parseBytes(option, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	units := map[string]int64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
	digits := strings.TrimRight(text, "KMGTkmgt")
	unit, ok := units[strings.ToUpper(text[len(digits):])]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !ok || n < 1 || n > (1<<62)/unit {
		return 0, usage("--%s %s: write a number of bytes, as in 512M or 8G", option, text)
	}
	return n * unit, nil
}

// idle names the options without effect beside others.
func (a *analysis) idle() (out []idleOption) {
	out = a.Output.idle()
	because := func(why string, flags ...string) {
		for _, f := range flags {
			out = append(out, idleOption{f, why})
		}
	}
	if x := a.Explore; x != nil {
		switch a.Search.search {
		case explicit.RandomWalks:
			because("random walks keep no states, and --walks and --walk-length bound them",
				"threads", "memory", "spill-dir", "max-states", "max-depth", "levels")
		case explicit.DepthFirst:
			because("a depth-first search has one thread", "threads")
			because("a depth-first search does not go by depth", "levels", "max-depth")
		}
		if a.Search.search != explicit.RandomWalks {
			because("only --search random takes walks", "walks", "walk-length")
			if x.swarm == 0 {
				because("only --search random and --swarm are random", "seed-walk")
			}
		}
		if x.swarm > 0 {
			because("each search of a swarm has one thread, and few bits for a state", "threads",
				"memory", "spill-dir", "levels")
		}
		if x.checkpoint.Dir == "" {
			because("there is no --checkpoint", "checkpoint-every")
		} else {
			because("states that do not fit into memory go to the folder of --checkpoint",
				"spill-dir")
		}
	}
	out = append(out, a.spread.idle()...)
	if a.Cache != nil && a.Cache.cache != cacheOff { // off says the same
		if a.Stability != nil && a.Stability.runs > 0 {
			because("each of the runs that --stability compares asks anew", "cache")
		}
		if a.Solve != nil && a.Solve.queries != "" {
			because("queries that --save-queries keeps are asked anew", "cache")
		}
	}
	return out
}

// claim makes claims of the formulas that the user names: they are no help for others then.
func claim(systems []*derive.Derived, names []string) {
	for _, d := range systems {
		for _, p := range d.Spec.System.Properties {
			if p.Tried && slices.Contains(names, p.Name) {
				p.Tried = false
				if p.Kind == system.Invariant {
					p.Kind = system.Safety
				}
			}
		}
	}
}

// chosen names the properties that the user chooses: without a word, all that the file claims. None
// stands for all properties of a system.
func chosen(o *selectionOptions, systems []*derive.Derived) (names []string) {
	if len(o.properties) > 0 {
		return o.properties
	}
	some := false
	for _, d := range systems {
		for _, p := range d.Spec.System.Properties {
			if p.Tried {
				some = true
			} else {
				names = append(names, p.Name)
			}
		}
	}
	if !some {
		return nil
	}
	return names
}
