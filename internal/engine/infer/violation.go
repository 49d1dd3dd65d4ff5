package infer

import (
	"context"
	"math/rand"
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Violations in explored instances. These reach deeper than the search of refute.go: where an
// instance is too large to be explored to the end, random walks are long runs.

// violatedIn reports whether a property is false in a state of a world, and gives the run to it as
// a result. It is asked once, and forgets how the states were found.
func (s *search) violatedIn(ctx context.Context, w *world) bool {
	defer func() { w.origins = nil }()
	for _, g := range s.claims {
		var bad []uint64
		if !hasValue(func() { bad = w.truth(w.ground(logic.Not(g.term), nil)) }) {
			continue
		}
		if i := first(bad); i >= 0 && s.show(ctx, w, w.path(w.states[i])) {
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
func (s *search) show(ctx context.Context, w *world, path []interp.State) bool {
	r := &run{model: w.model, first: path[0]}
	for _, st := range path {
		if violated := s.falseIn(w.structure, st); violated != nil {
			if !r.rebuild(ctx, path) {
				return false
			}
			property := violated.property
			r.shorten(ctx, func(st interp.State) bool {
				return s.falseIn(w.structure, st) == violated
			})
			t := w.model.TraceOf(r.first, r.steps...)
			t.Violates = property.Name
			if err := interp.Replay(ctx, s.sys, t, property); err != nil {
				s.note("a run to a violation of %s was found, but %v", property.Name, err)
				return false
			}
			s.violates(result.Result{Property: property.Name, Kind: property.Kind,
				Verdict: result.Violated, Scope: w.model.Instance.Name, Engine: Name,
				Line: property.Span.Line(), Depth: int64(len(t.Steps)), Trace: t})
			return true
		}
	}
	return false
}

// falseIn gives the first property that is false in a state, nil for none.
func (s *search) falseIn(of *structure, st interp.State) *goal {
	for _, g := range s.claims {
		if (sample{of, st}).holds(logic.Not(g.term)) {
			return g
		}
	}
	return nil
}

// violates ends the search with a violation.
func (s *search) violates(r result.Result) {
	s.violated = true
	s.out.Results = append(s.out.Results, r)
	s.out.Reason = result.Because(result.Remark, r.Property+" is violated in "+r.Scope)
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

// walkForViolations takes random walks in the instances that were not explored to the end, and in
// larger ones, and looks at nothing but the properties. It is for a property with a counterexample
// to induction that no candidate excludes.
func (s *search) walkForViolations(ctx context.Context) error {
	var worlds []*world
	for _, w := range s.worlds {
		if !w.complete && len(w.initial) > 0 {
			worlds = append(worlds, w)
		}
	}
	for _, p := range s.probes {
		if m := p.ind.Model(); len(m.SlotSymbols()) <= manySlots {
			worlds = append(worlds, newWorld(newStructure(m)))
		}
	}
	for i, w := range worlds {
		s.note("%s: looking for a violation by random walks", w.model.Instance.Name)
		err := s.walks(ctx, w, rand.New(rand.NewSource(int64(i))))
		if s.violated || ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			s.note("%s: %v", w.model.Instance.Name, err)
		}
	}
	return nil
}

// walks takes random walks in an instance until one violates a property.
func (s *search) walks(ctx context.Context, w *world, rng *rand.Rand) error {
	if len(w.initial) == 0 {
		var err error
		if w.initial, err = w.structure.initial(ctx, s.orders, rng); err != nil ||
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
	for _, g := range s.claims {
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
				if paths[i] = append(paths[i], st); violates(st) && s.show(ctx, w, paths[i]) {
					return nil
				}
			}
		}
	}
	return nil
}
