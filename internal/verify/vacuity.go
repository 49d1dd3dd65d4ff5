package verify

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine"
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

// sights are the observations of all engines, by instance.
type sights struct {
	mu sync.Mutex
	of map[*system.Instance][]*sight
}

func (all *sights) add(s *sight) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.of == nil {
		all.of = map[*system.Instance][]*sight{}
	}
	all.of[s.in] = append(all.of[s.in], s)
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

// vacuity notes verdicts with an empty reason: a trigger or an antecedent that is never true, an
// action that is never enabled. It treats all engines the same. It uses their observations on
// instances. An instance whose reachable states no engine explored is explored here. For all
// instances, solvers are asked about everything that no exploration has shown to be possible.
func (v *review) vacuity(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	seen := map[string]*sight{}
	for _, scope := range v.scopes() {
		if in := v.instance(scope); in != nil {
			seen[scope] = v.sightOf(ctx, in)
		}
	}
	own, never := v.ofAll(ctx)
	for _, scope := range v.scopes() {
		if s := seen[scope]; s != nil && s.complete {
			v.tell(ctx, scope, s.without(never))
		}
	}
	for _, s := range own {
		v.tell(ctx, result.ScopeAll, s.without(never))
	}
	v.tell(ctx, result.ScopeAll, never)
	v.vacuityOfTheorems(ctx)
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
func (v *review) broken() bool {
	return slices.ContainsFunc(v.ledger.results, isViolated)
}

// scopes lists the instances with results, in the order of the results.
func (v *review) scopes() (out []string) {
	listed := map[string]bool{}
	for _, x := range v.ledger.results {
		if x.Engine != "" && x.Verdict != result.NothingChecked && x.Scope != result.ScopeAll &&
			!listed[x.Scope] {
			listed[x.Scope] = true
			out = append(out, x.Scope)
		}
	}
	return out
}

// signs gives the signs of the properties that have a row with this scope.
func (v *review) signs(scope string) []vacuity.Sign {
	return slices.DeleteFunc(vacuity.Signs(v.sys), func(s vacuity.Sign) bool {
		return !slices.ContainsFunc(v.ledger.results, func(x result.Result) bool {
			return x.Property == s.Property && x.Scope == scope && x.Engine != "" &&
				x.Verdict != result.NothingChecked
		})
	})
}

// depth is the number of steps of the runs in the results of a scope, negative for all runs.
func (v *review) depth(scope string) int {
	steps := -1
	for _, x := range v.ledger.results {
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
func (v *review) sightOf(ctx context.Context, in *system.Instance) *sight {
	var out *sight
	looked := false
	for _, s := range v.sights.of[in] {
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
	if looked || slices.ContainsFunc(v.ledger.results, violated) {
		return out
	}
	steps := v.depth(in.Name)
	s := v.glimpse(ctx, in, v.signs(in.Name), steps)
	if s != nil {
		v.sights.add(s)
	}
	if unseen := v.unseen(in.Name); (s == nil || !s.complete) && steps >= 0 && !unseen.empty() {
		s = v.search(ctx, in, steps, unseen)
	}
	return s
}

// glimpse explores an instance, or its runs up to a number of steps, as far as that is cheap.
func (v *review) glimpse(
	ctx context.Context, in *system.Instance, signs []vacuity.Sign, steps int,
) *sight {
	ctx, cancel := effort.Processor(ctx, glimpseGuard, context.DeadlineExceeded)
	defer cancel()
	opts := explicit.Options{
		Only:      []string{},
		Limits:    engine.Limits{States: glimpsedStates},
		Threads:   v.o.Explicit.Threads,
		Storage:   explicit.Storage{Memory: v.o.Explicit.Memory, SpillDir: v.o.Explicit.SpillDir},
		Witnesses: explicit.Witnesses{Vacuity: true, Signs: append([]vacuity.Sign{}, signs...)},
		Strategy:  explicit.Strategy{Brief: true},
		Work:      glimpsedWork,
	}
	if v.broken() || vacuity.ManyInitial(ctx, v.sys, in, manyInitial) {
		opts.Limits.States = brokenStates
	}
	if steps >= 0 {
		opts.Limits.Depth = int64(steps) + 1
	}
	x, err := explicit.Explore(ctx, v.sys, in, opts)
	if err != nil || ctx.Err() != nil || x.Stats.States == 0 {
		return nil
	}
	stats := &x.Stats
	s := &sight{in: in, complete: stats.Complete, bound: -1, shown: stats.Shown,
		missing: stats.Vacuous, idle: stats.NeverEnabled}
	if !stats.Complete && steps >= 0 && stats.Depth == opts.Limits.Depth {
		s.complete, s.bound = true, steps
	}
	for _, sign := range signs {
		if never, known := vacuity.NeverInitially(ctx, v.sys, in, sign); sign.Initial && known &&
			never {
			s.missing = append(s.missing, sign)
		} else if sign.Initial && known {
			s.shown = append(s.shown, sign)
		}
	}
	return s
}

// unseen lists the signs and actions that were not seen in any instance.
func (v *review) unseen(scope string) *sight {
	out := &sight{bound: -1}
	all := slices.Concat(slices.Collect(maps.Values(v.sights.of))...)
	for _, x := range v.signs(scope) {
		if !slices.ContainsFunc(all, func(s *sight) bool {
			return slices.ContainsFunc(s.shown, x.Equal)
		}) {
			out.missing = append(out.missing, x)
		}
	}
	for _, a := range v.sys.Actions {
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
func (v *review) search(ctx context.Context, in *system.Instance, steps int, unseen *sight) *sight {
	ctx, cancel := effort.Processor(ctx, glimpseGuard, context.DeadlineExceeded)
	defer cancel()
	unseen = unseen.few()
	signs := slices.DeleteFunc(slices.Clone(unseen.missing), func(s vacuity.Sign) bool {
		return s.Initial
	})
	watched, names := vacuity.Watched(v.sys, signs, unseen.idle)
	opts := v.o.Bmc
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
func (v *review) tell(ctx context.Context, scope string, s *sight) {
	prefix := ""
	if s.in != nil {
		prefix = s.in.Name + ": "
	}
	for _, sign := range v.signs(scope) {
		if slices.ContainsFunc(s.missing, sign.Equal) {
			v.ledger.remark(scope, sign.Property, prefix+sign.Missing(s.where()))
		}
	}
	for _, sign := range s.missing {
		if sign.Run {
			v.ledger.remark(scope, sign.Property, prefix+sign.Missing(s.where()))
		}
	}
	if s.bound == 0 {
		return // no step was examined
	}
	blocked := v.blocked(ctx, s)
	for _, a := range s.idle {
		text := strings.TrimSpace(fmt.Sprintf("%sthe action %s is never enabled %s", prefix,
			v.sys.View.Title(a),
			s.where()))
		if p := blocked[a]; p != nil {
			text += fmt.Sprintf(": the trusted invariant %s in line %d excludes its steps", p.Name,
				p.Span.Line())
		}
		v.ledger.remark(scope, "", text)
	}
	if len(s.idle) == len(v.sys.Actions) && len(s.idle) > 1 {
		v.ledger.remark(scope, "", strings.TrimSpace(prefix+"no action is ever enabled "+s.where()))
	}
}

// blocked finds trusted invariants that exclude steps of the actions that are never enabled, in
// some instance.
func (v *review) blocked(ctx context.Context, s *sight) map[string]*system.Property {
	if s.in != nil {
		return vacuity.Blocked(ctx, v.sys, s.in, s.idle)
	}
	for _, in := range v.examples {
		if out := vacuity.Blocked(ctx, v.sys, in, s.idle); len(out) > 0 {
			return out
		}
	}
	return nil
}
