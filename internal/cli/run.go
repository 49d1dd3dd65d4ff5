package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"erelong/internal/cutoff"
	"erelong/internal/discharge"
	"erelong/internal/engine/bmc"
	"erelong/internal/engine/explicit"
	"erelong/internal/engine/induct"
	"erelong/internal/logic"
	"erelong/internal/report"
	"erelong/internal/smt"
	"erelong/internal/system"
	"erelong/internal/verdict"
	"erelong/internal/verify"
)

// runFlags are the flags of verify, check, prove and bmc.
type runFlags struct {
	explore, prove, bound, live bool // which engines the command is about

	properties []string
	instances  []string
	pass       string
	format     string
	html       string
	itf        string
	given      func(flag string) bool
	all        bool
	full       bool
	hide       []string
	chart      bool
	expect     bool
	quiet      bool

	inductive bool
	symmetry  bool
	partial   bool
	deadlock  bool
	levels    bool
	maxStates int64
	maxDepth  int64

	threads    int
	memory     string
	spillDir   string
	store      string
	checkpoint string
	every      time.Duration
	resume     bool
	search     string
	walkSeed   int64
	walks      int64
	walkLength int64

	depth int

	solvers []string
	rlimit  int64
	seed    int
	jobs    int
	queries string

	proofs proofFlags

	certificate string
	induction   int
	simple      bool
}

func (f *runFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	f.given = fl.Changed
	fl.StringSliceVarP(&f.properties, "property", "p", nil, "check only these properties")
	fl.StringVar(&f.pass, "pass", "", passUsage)
	fl.StringVar(&f.format, "format", "text", "text or json")
	fl.StringVar(&f.html, "html", "", "write a report that needs no network to this file")
	fl.StringVar(&f.itf, "itf", "", "write the first counterexample as an ITF trace to this file (.itf.json)")
	fl.BoolVar(&f.all, "all", false, "show auxiliary invariants that hold, too")
	fl.BoolVar(&f.full, "full", false, "show every variable in every state of a trace, not only what changes")
	fl.StringSliceVar(&f.hide, "hide", nil, "leave these variables out of traces")
	fl.BoolVar(&f.chart, "chart", false, "of timed automata: show a trace as a sequence chart, with a column for each process (--hide PROCESS leaves one out)")
	fl.BoolVar(&f.expect, "expect", false, "exit with 0 exactly if all expectations of the file are met, else with 10")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress")
	if f.bound {
		fl.IntVar(&f.depth, "depth", bmc.DefaultDepth, "steps of the longest run")
		fl.StringArrayVarP(&f.instances, "instance", "i", nil, "search this instance: a name of the file, or as in node=3,N=4 (may be repeated)")
	}
	if f.explore {
		fl.StringArrayVarP(&f.instances, "instance", "i", nil, "explore this instance: a name of the file, or as in node=3,N=4 (may be repeated)")
		fl.BoolVar(&f.inductive, "inductive", false, "explore from all states that satisfy the safety properties and invariants: are they inductive?")
		fl.BoolVar(&f.symmetry, "symmetry", false, "explore one state of all that differ by a permutation of elements of sorts; counts are of those (on for scalar sets of timed automata, unless =false)")
		fl.BoolVar(&f.partial, "por", false, "partial order reduction: leave out orders of steps that do not matter to the verdicts; counts are of what remains, counterexamples need not be shortest, and temporal properties are checked without it")
		fl.BoolVar(&f.deadlock, "deadlock", false, "a reachable state without successor is an error (-p deadlock looks for nothing else)")
		fl.BoolVar(&f.levels, "levels", false, "show how many states each depth has")
		fl.Int64Var(&f.maxStates, "max-states", 0, "stop an exploration after so many states (0: no limit)")
		fl.Int64Var(&f.maxDepth, "max-depth", 0, "explore only runs of so many states (0: no limit)")
		fl.IntVar(&f.threads, "threads", 0, "threads of an exploration (0: one a processor); results do not depend on it")
		fl.StringVar(&f.memory, "memory", "", "memory for states, as in 512M or 8G; more go to disk (default: three quarters of the machine's)")
		fl.StringVar(&f.spillDir, "spill-dir", "", "where states go that do not fit into memory (default: the system's folder for temporary files)")
		fl.StringVar(&f.store, "store", explicit.Exact, "what is kept of a state: exact, hash or bitstate; the last two may miss states, so nothing is said to hold")
		fl.StringVar(&f.checkpoint, "checkpoint", "", "save explorations in this folder, now and then and at an interrupt")
		fl.DurationVar(&f.every, "checkpoint-every", 30*time.Second, "how often to do so")
		fl.BoolVar(&f.resume, "resume", false, "go on from what --checkpoint saved")
		fl.StringVar(&f.search, "search", explicit.BreadthFirst, "bfs, dfs (counterexamples need not be shortest) or random (walks)")
		fl.Int64Var(&f.walkSeed, "seed-walk", 0, "random seed of the walks")
		fl.Int64Var(&f.walks, "walks", 1000, "number of random walks")
		fl.Int64Var(&f.walkLength, "walk-length", 1000, "states of a random walk")
	}
	if f.prove || f.bound {
		fl.StringSliceVar(&f.solvers, "solver", nil, "solvers to use, in this order: z3, cvc5, and z3-wasm where it is part of the program (default: ERELONG_SOLVER, else all that are there)")
		fl.Int64Var(&f.rlimit, "rlimit", discharge.DefaultRlimit, "resources of one query, in units of z3")
		fl.IntVar(&f.seed, "seed", 0, "random seed of the solvers")
		fl.IntVarP(&f.jobs, "jobs", "j", 0, "queries at the same time (0: one a processor)")
		fl.StringVar(&f.queries, "save-queries", "", "save every query in this folder, as a file that the bare solver runs")
	}
	if f.prove {
		f.proofs.register(cmd)
		fl.StringVar(&f.certificate, "certificate", "", "write what was proved to this file (.json), for prove --recheck")
		fl.IntVar(&f.induction, "induction", 1, "prove by induction over so many consecutive states: k-induction")
		fl.BoolVar(&f.simple, "simple-path", false, "with --induction of 2 or more: those states are distinct, as on every shortest run to a violation")
	}
}

const passUsage = "of a file with an algorithm, only the derived system of this name (see docs/algorithms.md)"

// limits of what the program chose itself; see verify.Guess.
const (
	guessStates = 20_000
	guessTime   = 10 * time.Second
	guessDepth  = 5 // steps of the runs that are searched when there is no instance to choose
)

// run does the work of the commands verify, check, prove and bmc.
func (f *runFlags) run(ctx context.Context, s *streams, command, path string) error {
	if isTimed(path) {
		return f.runTimed(ctx, s, command, path)
	}
	if f.chart {
		return usage("--chart is for timed automata")
	}
	solvers, err := f.settings()
	if err != nil {
		return err
	}
	exploration, err := f.exploration()
	if err != nil {
		return err
	}
	systems, err := derive(s, path, f.pass, cutoff.Options{Unreduced: f.countsProcesses()})
	if err != nil {
		return err
	}
	if err := f.fits(systems); err != nil {
		return err
	}
	sys := systems[0].Spec.System
	solving := discharge.Options{Solvers: solvers, Rlimit: f.rlimit, Seed: f.seed, Jobs: f.jobs, LogDir: f.queries}
	proving, note := solving, ""
	if f.prove {
		if note, err = f.proofs.apply(&proving); err != nil {
			return err
		}
	}
	o := verify.Options{
		Explore: f.explore, Prove: f.prove, Live: f.explore && f.prove, LiveOnly: f.live, Rests: f.certificate != "", Bound: f.bound, Inductive: f.inductive, Levels: f.levels, Only: f.properties,
		Explicit:    exploration,
		Induct:      induct.Options{Options: proving, Induction: f.induction, SimplePath: f.simple},
		Bmc:         bmc.Options{Options: solving, Depth: f.depth},
		GuessStates: guessStates, GuessTime: guessTime, GuessDepth: guessDepth,
	}
	m := newMeter(s)
	if !f.quiet {
		o.Progress = m.event
		ctx = smt.WithNotice(ctx, func(text string) { m.event(verify.Event{Text: text, Done: true}) })
	}
	var outcome *verify.Outcome
	var stability *verdict.Stability
	if f.proofs.stability > 0 {
		outcome, stability, err = f.proofs.stable(ctx, systems, o)
	} else {
		outcome, err = verify.RunAll(ctx, systems, o, f.chosen)
	}
	m.done()
	if err != nil {
		if errors.Is(err, verify.ErrNoProperty) {
			return &exitError{verdict.ExitUsage, err}
		}
		if verify.IsRefusal(err) {
			return &exitError{verdict.ExitFile, err}
		}
		var checkpoint *explicit.CheckpointError
		if errors.As(err, &checkpoint) {
			return usage("%v", err)
		}
		return err
	}
	if note != "" {
		outcome.Notes = append(outcome.Notes, note)
	}
	r := &report.Report{
		Version: Version(), File: path, Command: command, Results: outcome.Results, Notes: outcome.Notes, Stability: stability,
		Expectations: f.expectations(systems, outcome.Results),
		Environment:  report.Environment{Date: time.Now(), CPUs: runtime.NumCPU(), Solvers: outcome.Solvers},
	}
	if err := f.write(s, sys, r); err != nil {
		return err
	}
	if err := f.writeCertificate(s, systems, outcome.Results); err != nil {
		return err
	}
	return f.verdict(ctx, s, outcome, r)
}

// settings checks the flags of output and limits, and gives the names of the solvers that were asked for.
func (f *runFlags) settings() (solvers []string, err error) {
	if f.format != "text" && f.format != "json" {
		return nil, usage("--format %s is not supported: write text or json", f.format)
	}
	if f.maxStates < 0 || f.maxDepth < 0 || f.depth < 0 || (f.prove || f.bound) && f.rlimit <= 0 || f.jobs < 0 {
		return nil, usage("limits, --depth and --jobs must not be negative, and --rlimit must be positive")
	}
	if f.prove && (f.induction < 1 || f.simple && f.induction == 1) {
		return nil, usage("--induction must be positive, and --simple-path needs at least 2: one state is distinct anyway")
	}
	if f.certificate != "" && len(f.properties) > 0 {
		return nil, usage("--certificate with --property would leave out what the proof rests on: choose one")
	}
	solvers = f.solvers
	if env := os.Getenv("ERELONG_SOLVER"); len(solvers) == 0 && env != "" {
		solvers = strings.Split(env, ",")
	}
	for _, name := range solvers {
		if !slices.Contains(smt.Names(), name) {
			return nil, usage("there is no solver %q; erelong knows %s", name, strings.Join(smt.Names(), ", "))
		}
	}
	return solvers, nil
}

// exploration gives the options of the exploration.
func (f *runFlags) exploration() (explicit.Options, error) {
	o := explicit.Options{
		Deadlock: f.deadlock, Symmetry: f.symmetry, PartialOrder: f.partial, MaxStates: f.maxStates, MaxDepth: f.maxDepth, Threads: f.threads,
		SpillDir: f.spillDir, Store: f.store, Checkpoint: f.checkpoint, Every: f.every, Resume: f.resume,
		Search: f.search, Seed: f.walkSeed, Walks: f.walks, WalkLength: f.walkLength,
	}
	if !f.explore {
		return o, nil
	}
	if f.memory != "" {
		n, err := parseBytes(f.memory)
		if err != nil {
			return o, err
		}
		o.Memory = n
	}
	if f.threads < 0 || f.walks < 1 || f.walkLength < 1 {
		return o, usage("--threads must not be negative, and --walks and --walk-length must be positive")
	}
	if f.levels && f.search != explicit.BreadthFirst {
		return o, usage("--levels needs the search %s: others do not go by depth", explicit.BreadthFirst)
	}
	if f.partial && f.inductive {
		return o, usage("--por is about reachable states, and --inductive is not: choose one")
	}
	if err := o.Valid(); err != nil {
		return o, usage("%v", err)
	}
	return o, nil
}

// parseBytes reads a size such as 512M.
func parseBytes(text string) (int64, error) {
	units := map[string]int64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
	digits := strings.TrimRight(text, "KMGTkmgt")
	unit, ok := units[strings.ToUpper(text[len(digits):])]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !ok || n < 1 || n > (1<<62)/unit {
		return 0, usage("--memory %s: write a number of bytes, as in 512M or 8G", text)
	}
	return n * unit, nil
}

// expectations compares with what the file expects; that is about all reachable states, so with --inductive, --symmetry and
// --por, and of bounded runs, there is nothing to compare.
func (f *runFlags) expectations(systems []*cutoff.Derived, results []verdict.Result) (out []report.Expectation) {
	if f.inductive || f.symmetry || f.partial || f.bound || f.pass != "" && f.pass != checkPass {
		return nil
	}
	for _, d := range systems {
		out = append(out, expectations(d.Spec.System, results, f.explore && f.prove)...)
	}
	return out
}

// countsProcesses reports whether an instance says how many processes of an algorithm there are: then it is not reduced.
func (f *runFlags) countsProcesses() bool {
	return slices.ContainsFunc(f.instances, func(text string) bool {
		return slices.ContainsFunc(strings.Split(text, ","), func(item string) bool {
			name, _, ok := strings.Cut(item, "=")
			return ok && strings.TrimSpace(name) == cutoff.ProcessSort
		})
	})
}

// fits refuses what cannot be done with the systems of a file.
func (f *runFlags) fits(systems []*cutoff.Derived) error {
	for _, h := range f.hide {
		if !slices.ContainsFunc(systems, func(d *cutoff.Derived) bool {
			return slices.ContainsFunc(d.Spec.System.Symbols, func(x *logic.Symbol) bool { return x.Name == h })
		}) {
			return usage("--hide: the file has no symbol %q", h)
		}
	}
	switch {
	case f.checkpoint != "" && len(systems) > 1:
		return usage("--checkpoint with several derived systems: choose one with --pass")
	}
	return nil
}

// verdict is the exit code.
func (f *runFlags) verdict(ctx context.Context, s *streams, outcome *verify.Outcome, r *report.Report) error {
	if ctx.Err() != nil {
		return &exitError{verdict.ExitInterrupted, fmt.Errorf("interrupted; what was finished is above")}
	}
	code := verdict.ExitCode(r.Results)
	if code == verdict.ExitHolds && r.Stability != nil && len(r.Stability.Brittle()) > 0 {
		code = verdict.ExitUnknown
	}
	met := !slices.ContainsFunc(r.Expectations, func(e report.Expectation) bool { return !e.Met })
	violated := code == verdict.ExitDeadlock || code == verdict.ExitSafety || code == verdict.ExitLiveness
	switch {
	case outcome.NoSolver != nil && !violated:
		return &exitError{verdict.ExitSolver, outcome.NoSolver}
	case f.expect && len(r.Expectations) == 0:
		return usage("--expect: the file states no expectation that this command can check")
	case f.expect && met:
		return nil
	case f.expect || code == 0 && !met:
		code = verdict.ExitExpectation
	}
	if code == 0 {
		return nil
	}
	return &exitError{code: code}
}

// chosen finds the instances that were asked for.
func (f *runFlags) chosen(sys *system.System) (out []*system.Instance, err error) {
	for _, text := range f.instances {
		if !strings.Contains(text, "=") {
			in := sys.Instance(text)
			if in == nil {
				var names []string
				for _, i := range sys.Instances {
					names = append(names, i.Name)
				}
				return nil, usage("the file has no instance %q; it has: %s", text, strings.Join(names, ", "))
			}
			out = append(out, in)
			continue
		}
		in, err := parseInstance(sys, text)
		if err != nil {
			return nil, err
		}
		out = append(out, in)
	}
	return out, nil
}

// parseInstance reads an instance such as client=3,M_period=4.
func parseInstance(sys *system.System, text string) (*system.Instance, error) {
	in := &system.Instance{Name: text, Sizes: map[*logic.Sort]int{}, Values: map[*logic.Symbol]*logic.Term{}}
	for item := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(item), "=")
		if !ok {
			return nil, usage("--instance %s: %q is not of the form name=value", text, item)
		}
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		n, numErr := strconv.ParseInt(value, 10, 64)
		found := false
		for _, srt := range sys.Sorts {
			if srt.Name == name && srt.Kind == logic.KindUninterpreted {
				found = true
				if numErr != nil || n < 1 || n > 1<<16 {
					return nil, usage("--instance %s: the size of %s is a number from 1 to 65536", text, name)
				}
				in.Sizes[srt] = int(n)
			}
		}
		for _, sym := range sys.Symbols {
			if sym.Name != name || sym.Mutable || len(sym.Args) > 0 {
				continue
			}
			found = true
			member := slices.Index(sym.Result.Members, value)
			switch {
			case sym.Result.Base() == logic.Int && numErr == nil:
				in.Values[sym] = logic.IntLit(n)
			case sym.Result == logic.Bool && (value == "true" || value == "false"):
				in.Values[sym] = logic.BoolLit(value == "true")
			case member >= 0:
				in.Values[sym] = logic.Member(sym.Result, member)
			default:
				return nil, usage("--instance %s: %s has sort %s, and %s is no value of it", text, name, sym.Result, value)
			}
		}
		if !found {
			return nil, usage("--instance %s: the file has no uninterpreted sort and no immutable constant %q", text, name)
		}
	}
	for _, srt := range sys.Sorts {
		if srt.Kind == logic.KindUninterpreted && in.Sizes[srt] == 0 {
			return nil, usage("--instance %s: the size of the sort %s is missing", text, srt.Name)
		}
	}
	return in, nil
}

// write prints the report, and writes the files that were asked for.
func (f *runFlags) write(s *streams, sys *system.System, r *report.Report) error {
	o := report.Options{
		Color: s.color(), Width: s.width(), Full: f.full, Hide: f.hide, Chart: f.chart, File: r.File, Snippet: sys.Source.Line,
	}
	if f.html != "" {
		if err := writeFile(f.html, func(w io.Writer) error { return report.WriteHTML(w, r, o) }); err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
	}
	if f.itf != "" {
		if err := f.writeITF(s, r); err != nil {
			return fmt.Errorf("writing the trace: %w", err)
		}
	}
	if f.format == "json" {
		if err := report.WriteJSON(s.out, r); err != nil {
			return fmt.Errorf("writing the results: %w", err)
		}
		return nil
	}
	shown := *r
	if !f.all {
		shown.Results, shown.Notes = withoutAuxiliary(r)
	}
	if err := report.WriteText(s.out, &shown, o); err != nil {
		return fmt.Errorf("writing the results: %w", err)
	}
	for _, t := range traces(shown.Results) {
		if _, err := fmt.Fprintln(s.out); err != nil {
			return fmt.Errorf("writing a trace: %w", err)
		}
		if err := report.WriteTrace(s.out, t, o); err != nil {
			return fmt.Errorf("writing a trace: %w", err)
		}
	}
	return nil
}

// traces picks what is shown: for each property its shortest run to a violation; failing that, any other trace but the
// witnesses of what was claimed to exist.
func traces(results []verdict.Result) (out []*verdict.Trace) {
	best := map[string]*verdict.Trace{}
	var order []string
	for _, r := range results {
		if r.Trace == nil || r.Trace.Kind == verdict.Witness && r.Verdict == verdict.Holds {
			continue
		}
		b := best[r.Property]
		if b == nil {
			order = append(order, r.Property)
		}
		run, bestRun := r.Trace.Kind != verdict.ToInduction, b != nil && b.Kind != verdict.ToInduction
		if b == nil || run && !bestRun || run == bestRun && len(r.Trace.Steps) < len(b.Steps) {
			best[r.Property] = r.Trace
		}
	}
	for _, name := range order {
		out = append(out, best[name])
	}
	return out
}

func (f *runFlags) writeITF(s *streams, r *report.Report) error {
	for _, x := range r.Results {
		if x.Trace != nil {
			if err := writeFile(f.itf, func(w io.Writer) error { return verdict.WriteITF(w, x.Trace) }); err != nil {
				return err
			}
			if isTimed(r.File) {
				_, err := fmt.Fprintf(s.err, "the trace is in %s\n", f.itf)
				return err
			}
			_, err := fmt.Fprintf(s.err, "the trace is in %s; step on from its end with: erelong sim %s --trace %s --step\n", f.itf, r.File, f.itf)
			return err
		}
	}
	_, err := fmt.Fprintf(s.err, "no trace was written to %s: there is no counterexample\n", f.itf)
	return err
}

// withoutAuxiliary leaves out the invariants and ranges that hold, of bounded runs those that hold up to the depth, and when
// something is violated also those that were not decided because the search stopped there. Notes say so.
func withoutAuxiliary(r *report.Report) ([]verdict.Result, []string) {
	outcomes := verdict.Outcomes(r.Results)
	violated := slices.ContainsFunc(outcomes, func(o verdict.Outcome) bool { return o.Verdict == verdict.Violated })
	bounded := r.Command == "bmc"
	hidden := map[string]bool{}
	hold, open := 0, 0
	for _, o := range outcomes {
		if o.Kind != string(system.Invariant) && o.Kind != string(system.Range) {
			continue
		}
		switch {
		case o.Verdict == verdict.Holds:
			hold++
		case o.Verdict == verdict.HoldsUpTo && (violated || bounded):
			open++
		default:
			continue
		}
		hidden[o.Property] = true
	}
	shown := slices.DeleteFunc(slices.Clone(r.Results), func(x verdict.Result) bool { return hidden[x.Property] })
	if len(shown) == 0 {
		return r.Results, r.Notes
	}
	var notes []string
	note := func(n int, one, many string) {
		switch {
		case n == 1:
			notes = append(notes, "1 auxiliary invariant "+one+" (--all shows it)")
		case n > 1:
			notes = append(notes, fmt.Sprintf("%d auxiliary invariants %s (--all shows them)", n, many))
		}
	}
	note(hold, "holds, too", "hold, too")
	if bounded {
		note(open, "holds up to the depth, too", "hold up to the depth, too")
	} else {
		note(open, "was not decided: the search stopped at the violation", "were not decided: the search stopped at the violation")
	}
	return shown, append(notes, r.Notes...)
}

// writeFile writes a file as a whole: a failure leaves no half-written one behind.
func writeFile(path string, write func(io.Writer) error) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".erelong-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = os.Remove(tmp.Name())
		}
	}()
	if err = write(tmp); err != nil {
		return err
	}
	if err = tmp.Chmod(0o644); err != nil {
		return err
	}
	if err = tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
