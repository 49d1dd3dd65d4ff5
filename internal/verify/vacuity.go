package verify

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
)

// Limits of the searches that only decide whether a formula is ever true. An open question gives no
// note.
const (
	glimpsedStates = 20_000
	glimpsedWork   = 1 << 20
	brokenStates   = 300         // beside a violation, or with many initial states
	manyInitial    = 1000        // initial states
	glimpsed       = 4           // instances, for properties proved of all
	glimpseGuard   = time.Minute // of processor time; the counts should end it long before
)

// sight lists the observations on the reachable states of an instance, or without one of all
// instances.
type sight struct {
	in *system.Instance
	// All reachable states, or with a bound, all states within this number of steps.
	complete bool
	bound    int            // negative for none
	shown    []vacuity.Sign // signs that are true in some state
	missing  []vacuity.Sign // signs that are true in no state
	idle     []string       // actions that are never enabled
}

// where describes the observed states in words.
func (s *sight) where() string {
	var words []string
	switch {
	case s.bound == 0:
		words = append(words, "in initial states")
	case s.bound == 1:
		words = append(words, "in runs of at most 1 step")
	case s.bound > 1:
		words = append(words, fmt.Sprintf("in runs of at most %d steps", s.bound))
	}
	if s.in == nil {
		words = append(words, "in any instance")
	}
	return strings.Join(words, ", ")
}

// saw records the observations of an engine on an instance.
func (r *run) saw(s *sight) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sights == nil {
		r.sights = map[*system.Instance][]*sight{}
	}
	r.sights[s.in] = append(r.sights[s.in], s)
}

// vacuity notes verdicts with an empty reason: a trigger or an antecedent that is never true, an
// action that is never enabled. It treats all engines the same. It uses their observations on
// instances. An instance whose reachable states no engine explored is explored here. For all
// instances, solvers are asked about everything that no exploration has shown to be possible.
func (r *run) vacuity(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	seen := map[string]*sight{}
	for _, scope := range r.scopes() {
		if in := r.instance(scope); in != nil {
			seen[scope] = r.sightOf(ctx, in)
		}
	}
	own, never := r.ofAll(ctx)
	for _, scope := range r.scopes() {
		if s := seen[scope]; s != nil && s.complete {
			r.tell(ctx, scope, s.without(never))
		}
	}
	for _, s := range own {
		r.tell(ctx, result.ScopeAll, s.without(never))
	}
	r.tell(ctx, result.ScopeAll, never)
	r.vacuityOfTheorems(ctx)
}

// without leaves out everything that is never true in any instance, since a note about one instance
// adds nothing.
func (s *sight) without(never *sight) *sight {
	out := *s
	out.missing = slices.DeleteFunc(slices.Clone(s.missing), func(x vacuity.Sign) bool {
		return slices.ContainsFunc(never.missing, x.Equal)
	})
	out.idle = slices.DeleteFunc(slices.Clone(s.idle), func(a string) bool {
		return slices.Contains(never.idle, a)
	})
	return &out
}

// broken reports whether some property is violated. Beside a violation, vacuity of other results
// matters little.
func (r *run) broken() bool {
	return slices.ContainsFunc(r.results, isViolated)
}

// scopes lists the instances with results, in the order of the results.
func (r *run) scopes() (out []string) {
	listed := map[string]bool{}
	for _, x := range r.results {
		if x.Engine != "" && x.Verdict != result.NothingChecked && x.Scope != result.ScopeAll &&
			!listed[x.Scope] {
			listed[x.Scope] = true
			out = append(out, x.Scope)
		}
	}
	return out
}

// signs gives the signs of the properties that have a row with this scope.
func (r *run) signs(scope string) []vacuity.Sign {
	return slices.DeleteFunc(vacuity.Signs(r.sys), func(s vacuity.Sign) bool {
		return !slices.ContainsFunc(r.results, func(x result.Result) bool {
			return x.Property == s.Property && x.Scope == scope && x.Engine != "" &&
				x.Verdict != result.NothingChecked
		})
	})
}

// instance finds an explored instance.
func (r *run) instance(name string) *system.Instance {
	r.naming.Do(func() {
		r.byName = map[string]*system.Instance{}
		for _, in := range slices.Concat(r.o.Instances, r.sys.Instances, r.examples()) {
			if r.byName[in.Name] == nil {
				r.byName[in.Name] = in
			}
		}
	})
	return r.byName[name]
}

// depth is the number of steps of the runs in the results of a scope, negative for all runs.
func (r *run) depth(scope string) int {
	steps := -1
	for _, x := range r.results {
		if x.Scope == scope && x.Engine == bmc.Name &&
			(x.Verdict == result.HoldsUpTo || x.Verdict == result.HoldsInitially) {
			steps = max(steps, int(x.Depth)-1)
		}
	}
	return steps
}

// sightOf gives the observations on an instance: the engines' own, or, where none explored its
// reachable states, the observations of a cheap exploration. It is nil where there is a violation,
// which is more important, and where nothing is known.
func (r *run) sightOf(ctx context.Context, in *system.Instance) *sight {
	var out *sight
	looked := false
	for _, s := range r.sights[in] {
		switch {
		case !s.complete:
		case out == nil:
			c := *s
			out = &c
		default: // each looked for the signs of its own properties
			out.shown, out.missing = slices.Concat(out.shown, s.shown),
				slices.Concat(out.missing, s.missing)
		}
		looked = true
	}
	violated := func(x result.Result) bool {
		return x.Scope == in.Name && x.Verdict == result.Violated
	}
	if looked || slices.ContainsFunc(r.results, violated) {
		return out
	}
	steps := r.depth(in.Name)
	s := r.glimpse(ctx, in, r.signs(in.Name), steps)
	if s != nil {
		r.saw(s)
	}
	if unseen := r.unseen(in.Name); (s == nil || !s.complete) && steps >= 0 && !unseen.empty() {
		s = r.search(ctx, in, steps, unseen)
	}
	return s
}

// glimpse explores an instance, or its runs up to a number of steps, as far as that is cheap.
func (r *run) glimpse(
	ctx context.Context, in *system.Instance, signs []vacuity.Sign, steps int,
) *sight {
	ctx, cancel := effort.Processor(ctx, glimpseGuard, context.DeadlineExceeded)
	defer cancel()
	opts := explicit.Options{
		Only: []string{}, MaxStates: glimpsedStates, Threads: r.o.Explicit.Threads,
		Memory: r.o.Explicit.Memory, SpillDir: r.o.Explicit.SpillDir,
		Vacuity: true, Signs: append([]vacuity.Sign{}, signs...), Brief: true,
		Work: glimpsedWork,
	}
	if r.broken() || vacuity.ManyInitial(ctx, r.sys, in, manyInitial) {
		opts.MaxStates = brokenStates
	}
	if steps >= 0 {
		opts.MaxDepth = int64(steps) + 1
	}
	x, err := explicit.Explore(ctx, r.sys, in, opts)
	if err != nil || ctx.Err() != nil || x.Stats.States == 0 {
		return nil
	}
	stats := &x.Stats
	s := &sight{in: in, complete: stats.Complete, bound: -1, shown: stats.Shown,
		missing: stats.Vacuous, idle: stats.NeverEnabled}
	if !stats.Complete && steps >= 0 && stats.Depth == opts.MaxDepth {
		s.complete, s.bound = true, steps
	}
	for _, sign := range signs {
		if never, known := vacuity.NeverInitially(ctx, r.sys, in, sign); sign.Initial && known &&
			never {
			s.missing = append(s.missing, sign)
		} else if sign.Initial && known {
			s.shown = append(s.shown, sign)
		}
	}
	return s
}

// unseen lists the signs and actions that were not seen in any instance.
func (r *run) unseen(scope string) *sight {
	out := &sight{bound: -1}
	all := slices.Concat(slices.Collect(maps.Values(r.sights))...)
	for _, x := range r.signs(scope) {
		if !slices.ContainsFunc(all, func(s *sight) bool {
			return slices.ContainsFunc(s.shown, x.Equal)
		}) {
			out.missing = append(out.missing, x)
		}
	}
	for _, a := range r.sys.Actions {
		if !slices.ContainsFunc(all, func(s *sight) bool {
			return !slices.Contains(s.idle, a.Name)
		}) {
			out.idle = append(out.idle, a.Name)
		}
	}
	return out
}

func (s *sight) empty() bool { return len(s.missing) == 0 && len(s.idle) == 0 }

// few leaves out actions where there are many: nothing is said about them.
func (s *sight) few() *sight {
	out := *s
	out.idle = s.idle[:min(len(s.idle), mostGlances)]
	return &out
}

// search asks solvers which of the unseen signs and actions are possible in runs up to a number of
// steps, of an instance or of all.
func (r *run) search(ctx context.Context, in *system.Instance, steps int, unseen *sight) *sight {
	ctx, cancel := effort.Processor(ctx, glimpseGuard, context.DeadlineExceeded)
	defer cancel()
	unseen = unseen.few()
	signs := slices.DeleteFunc(slices.Clone(unseen.missing), func(s vacuity.Sign) bool {
		return s.Initial
	})
	watched, names := vacuity.Watched(r.sys, signs, unseen.idle)
	opts := r.o.Bmc
	opts.Only, opts.Depth = names, steps
	opts.Rlimit = max(cmp.Or(opts.Rlimit, discharge.DefaultRlimit)/glimpseShare, 1)
	results, err := bmc.Check(ctx, watched, in, opts)
	if err != nil {
		return nil
	}
	s := &sight{in: in, complete: true, bound: steps}
	for i, x := range results {
		switch {
		case x.Verdict != result.HoldsUpTo && x.Verdict != result.HoldsInitially ||
			x.Depth <= int64(steps):
		case i < len(signs):
			s.missing = append(s.missing, signs[i])
		default:
			s.idle = append(s.idle, unseen.idle[i-len(signs)])
		}
	}
	return s
}

// glimpseShare is the share of a query's limit that a question about vacuity may have.
const glimpseShare = 10

// tell adds notes on missing signs and idle actions.
func (r *run) tell(ctx context.Context, scope string, s *sight) {
	prefix := ""
	if s.in != nil {
		prefix = s.in.Name + ": "
	}
	for _, sign := range r.signs(scope) {
		if slices.ContainsFunc(s.missing, sign.Equal) {
			r.remark(scope, sign.Property, prefix+sign.Missing(s.where()))
		}
	}
	for _, sign := range s.missing {
		if sign.Run {
			r.remark(scope, sign.Property, prefix+sign.Missing(s.where()))
		}
	}
	if s.bound == 0 {
		return // no step was examined
	}
	blocked := r.blocked(ctx, s)
	for _, a := range s.idle {
		text := strings.TrimSpace(fmt.Sprintf("%sthe action %s is never enabled %s", prefix, a,
			s.where()))
		if p := blocked[a]; p != nil {
			text += fmt.Sprintf(": the trusted invariant %s in line %d excludes its steps", p.Name,
				p.Span.Line())
		}
		r.remark(scope, "", text)
	}
	if len(s.idle) == len(r.sys.Actions) && len(s.idle) > 1 {
		r.remark(scope, "", strings.TrimSpace(prefix+"no action is ever enabled "+s.where()))
	}
}

// blocked finds trusted invariants that exclude steps of the actions that are never enabled, in
// some instance.
func (r *run) blocked(ctx context.Context, s *sight) map[string]*system.Property {
	if s.in != nil {
		return vacuity.Blocked(ctx, r.sys, s.in, s.idle)
	}
	for _, in := range r.examples() {
		if out := vacuity.Blocked(ctx, r.sys, in, s.idle); len(out) > 0 {
			return out
		}
	}
	return nil
}

// remark adds a note, also to the results that it concerns: the results of a property, or, without
// one, all results of the scope about runs.
func (r *run) remark(scope, property, text string) {
	r.notes = append(r.notes, text)
	for i := range r.results {
		x := &r.results[i]
		concerns := x.Property == property || property == "" && x.Kind != system.Theorem
		if (x.Scope == scope || scope == result.ScopeAll) && x.Engine != "" &&
			x.Verdict != result.NothingChecked && concerns {
			x.Vacuity = append(x.Vacuity, text)
		}
	}
}
