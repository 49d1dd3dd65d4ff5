package infer

import (
	"context"
	"math/rand"
	"slices"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine/refute"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// claims are the properties to prove, which are looked at in each explored state. Runs of explored
// instances reach deeper than package refute, which is asked first: where an instance is too large
// to be explored to the end, random walks are long runs.
type claims struct {
	sys   *system.System
	goals []*goal
	found []result.Result // the violations: the first run to one ends a search
	note  func(format string, args ...any)
}

// terms are the formulas to prove.
func (c *claims) terms() []*logic.Term { return formulas(c.goals) }

func (c *claims) violated() bool { return len(c.found) > 0 }

// refuteStates bounds the states of one shape in the search for violations.
const refuteStates = 5_000

// refute looks for violations in small instances of many shapes, before any proof. A short search
// asks no solver about runs.
func (c *claims) refute(ctx context.Context, opts Options) error {
	ctx, ended := effort.Begin(ctx, "a violation in small instances")
	defer ended()
	var names []string
	for _, g := range c.goals {
		names = append(names, g.property.Name)
	}
	if len(names) == 0 {
		return nil
	}
	found, err := refute.Find(ctx, c.sys, refute.Options{Options: opts.Options.Options,
		Only: names, States: refuteStates, Sink: opts.Sink, Subtask: "infer",
		Unsolved: opts.Effort > 0})
	if err != nil {
		return err
	}
	c.found = found.Results
	return nil
}

// violatedIn reports whether a property is false in a state of a world, and gives the run to it as
// a result. It is asked once, and forgets how the states were found.
func (c *claims) violatedIn(ctx context.Context, w *world) bool {
	defer func() { w.origins = nil }()
	for _, g := range c.goals {
		var bad []uint64
		if !hasValue(func() { bad = w.truth(w.ground(logic.Not(g.term), nil)) }) {
			continue
		}
		if i := first(bad); i >= 0 && c.show(ctx, w, w.path(w.states[i])) {
			return true
		}
	}
	return false
}

// path lists the states on the run by which a state was found.
func (w *world) path(st interp.State) []interp.State {
	path := []interp.State{st}
	for {
		source := w.origins[w.model.Key(st)].from
		if source == nil {
			slices.Reverse(path)
			return path
		}
		path, st = append(path, source), source
	}
}

// show makes a run to a violation a result, if the interpreter replays it. The run ends with the
// first state that violates some property.
func (c *claims) show(ctx context.Context, w *world, path []interp.State) bool {
	r := &run{model: w.model, first: path[0]}
	for _, st := range path {
		if violated := c.falseIn(w.structure, st); violated != nil {
			if !r.rebuild(ctx, path) {
				return false
			}
			property := violated.property
			r.shorten(ctx, func(st interp.State) bool {
				return c.falseIn(w.structure, st) == violated
			})
			t := w.model.TraceOf(r.first, r.steps...)
			t.Violates = property.Name
			if err := interp.Replay(ctx, c.sys, t, property); err != nil {
				c.note("a run to a violation of %s was found, but %v", property.Name, err)
				return false
			}
			c.found = append(c.found, result.Result{Property: property.Name, Kind: property.Kind,
				Verdict: result.Violated, Scope: w.model.Instance.Name, Engine: Name,
				Line: property.Span.Line(), Depth: int64(len(t.Steps)), Trace: t})
			return true
		}
	}
	return false
}

// falseIn gives the first property that is false in a state, nil for none.
func (c *claims) falseIn(of *structure, st interp.State) *goal {
	for _, g := range c.goals {
		if (sample{of, st}).holds(logic.Not(g.term)) {
			return g
		}
	}
	return nil
}

// run is a run of an instance.
type run struct {
	model *interp.Model
	first interp.State
	steps []interp.Step
}

// rebuild finds the actions between states.
func (r *run) rebuild(ctx context.Context, path []interp.State) bool {
	for _, next := range path[1:] {
		step, ok := r.step(ctx, r.last(), func(step interp.Step) bool {
			return slices.Equal(step.State, next)
		}, r.model.System.Actions...)
		if !ok {
			return false
		}
		r.steps = append(r.steps, step)
	}
	return true
}

func (r *run) last() interp.State {
	if len(r.steps) == 0 {
		return r.first
	}
	return r.steps[len(r.steps)-1].State
}

// step finds a step from a state.
func (r *run) step(
	ctx context.Context, from interp.State, is func(interp.Step) bool, actions ...*system.Action,
) (found interp.Step, ok bool) {
	for _, a := range actions {
		// An action without a value in this state has no such step.
		_ = r.model.Steps(ctx, from, a, func(step interp.Step) error {
			if is(step) {
				found, ok = step, true
				return interp.ErrStop
			}
			return nil
		})
		if ok {
			break
		}
	}
	return found, ok
}

// shorten leaves out steps that a violation does without, the last ones first.
func (r *run) shorten(ctx context.Context, violated func(interp.State) bool) {
	for again := true; again && ctx.Err() == nil; {
		again = false
		for skip := len(r.steps) - 1; skip >= 0; skip-- {
			if fewer := r.without(ctx, skip, violated); fewer != nil {
				r.steps, again = fewer.steps, true
				skip = min(skip, len(r.steps))
			}
		}
	}
}

// without takes the steps of a run except one, with the same arguments, until a state violates the
// property. It gives nil if a step is impossible, or none of them leads there.
func (r *run) without(ctx context.Context, skip int, violated func(interp.State) bool) *run {
	out := &run{r.model, r.first, slices.Clone(r.steps[:skip])}
	for at := out.last(); !violated(at); at = out.last() {
		i := len(out.steps) + 1
		if i == len(r.steps) {
			return nil
		}
		old := r.steps[i]
		step, ok := out.step(ctx, at, func(step interp.Step) bool {
			return slices.Equal(step.Args, old.Args)
		}, old.Action)
		if !ok {
			return nil
		}
		out.steps = append(out.steps, step)
	}
	return out
}

// Limits of the random walks for violations: how often walkers set out in an instance, where they
// do not come upon many successors, and after which vocabulary, since it is as expensive as a
// search with one.
const walkRounds, walkLevel = 20, 3

// walk takes random walks in the instances that were not explored to the end, and in larger ones,
// and looks at nothing but the properties. It is for a property with a counterexample to induction
// that no candidate excludes.
func (s *samples) walk(ctx context.Context, larger []*world) error {
	var worlds []*world
	for _, w := range s.worlds {
		if !w.complete && len(w.initial) > 0 {
			worlds = append(worlds, w)
		}
	}
	for i, w := range append(worlds, larger...) {
		name := w.model.Instance.Name
		s.claims.note("%s: looking for a violation by random walks", name)
		err := s.claims.walk(ctx, w, s.orders, rand.New(rand.NewSource(int64(i))))
		if s.claims.violated() || ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			s.claims.note("%s: %v", name, err)
		}
	}
	return nil
}

// walk takes random walks in an instance until one violates a property.
func (c *claims) walk(ctx context.Context, w *world, by orders, rng *rand.Rand) error {
	if len(w.initial) == 0 {
		var err error
		if w.initial, err = w.structure.initial(ctx, by, rng); err != nil ||
			len(w.initial) == 0 {
			return err
		}
	}
	x, err := newExpander(ctx, w.structure)
	if err != nil {
		return err
	}
	defer x.close()
	var bad []*ground
	for _, g := range c.goals {
		hasValue(func() { bad = append(bad, w.ground(logic.Not(g.term), nil)) })
	}
	violates := func(st interp.State) (is bool) {
		return slices.ContainsFunc(bad, func(g *ground) bool {
			return hasValue(func() { is = g.in(w.structure, st) }) && is
		})
	}
	for round := 0; round < walkRounds && x.seen < variedSuccessors; round++ {
		paths := make([][]interp.State, walkers)
		for i := range paths {
			paths[i] = []interp.State{w.initial[rng.Intn(len(w.initial))]}
		}
		for range walkSteps {
			now := make([]interp.State, walkers)
			for i, p := range paths {
				now[i] = p[len(p)-1]
			}
			next, _, err := x.successors(ctx, now, rng)
			if err != nil {
				return err
			}
			for i, st := range next {
				if st == nil {
					paths[i] = []interp.State{w.initial[rng.Intn(len(w.initial))]}
					continue
				}
				if paths[i] = append(paths[i], st); violates(st) && c.show(ctx, w, paths[i]) {
					return nil
				}
			}
		}
	}
	return nil
}
