package infer

import (
	"cmp"
	"context"
	"maps"
	"math/rand"
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// A candidate is true in all samples, and may be false in a state that is like none of them. Such a
// lemma asks for others, which are as wrong. So before a candidate becomes a lemma, it is evaluated
// in trials: reachable states of instances of several other shapes. Only the states that refute one
// join the samples, so the search for candidates does not get slower with the number of trials.

// Limits of the trials.
const (
	mostTrials   = 8
	trialsAfter  = 8   // lemmas for each trial: the harder the search, the more they are worth
	fewWitnesses = 4   // states that refute a candidate
	manyDoubts   = 16  // candidates that are refuted at once
	fullWitness  = 512 // states of a world of such states
)

// try explores trials, and drops the lemmas that are false there. It reports whether there are
// some.
func (s *search) try(ctx context.Context) (dropped bool) {
	for s.linear == nil && !s.violated && ctx.Err() == nil &&
		s.drawn < min(mostTrials, s.lemmas/trialsAfter) {
		s.drawn++
		w := s.trial(ctx, int64(s.drawn))
		if s.violated {
			return dropped
		}
		if w == nil || len(w.states) == 0 {
			continue
		}
		s.trials = append(s.trials, w)
		var found []sample
		for _, g := range s.goals {
			if g.from != nil && g.from.form != nil {
				found = append(found, witnesses(w, g.from)...)
			}
		}
		if len(found) > 0 {
			s.witness(found)
			dropped = s.refuted() || dropped
		}
	}
	return dropped
}

// trial explores an instance to test lemmas, nil if there is none. For a system with records it is
// such an instance, once others have joined the samples.
func (s *search) trial(ctx context.Context, seed int64) *world {
	if shapes := slices.Concat(s.withRecords(1), s.withRecords(2)); len(shapes) > 0 {
		if s.level <= recordsLevel {
			return nil
		}
		w, err := s.exploreRecords(ctx, shapes[int(seed)%len(shapes)], seed)
		if err != nil {
			return nil
		}
		return w
	}
	m := s.shape(rand.New(rand.NewSource(seed)))
	if m == nil {
		return nil
	}
	w, err := explore(ctx, newStructure(m), s.orders, s.properties(), seed)
	if err != nil {
		return nil
	}
	s.note("%s: %d states to test lemmas", m.Instance.Name, len(w.states))
	if s.violatedIn(ctx, w) {
		return nil
	}
	return w
}

// shape draws the sizes of an instance: four elements of each order, since lemmas are about chains,
// and of some other sort; three of the others, or fewer where the state would have too many slots.
// It gives nil where there was such an instance before.
func (s *search) shape(rng *rand.Rand) *interp.Model {
	inst := s.uniform(3)
	var free []*logic.Sort
	for sort := range inst.Sizes {
		if s.orders[sort] != nil {
			inst.Sizes[sort] = 4
		} else {
			free = append(free, sort)
		}
	}
	slices.SortFunc(free, func(a, b *logic.Sort) int { return cmp.Compare(a.Name, b.Name) })
	rng.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	for i, sort := range free {
		if i == 0 {
			inst.Sizes[sort] = 4
		}
	}
	for i := 0; ; i++ {
		s.name(inst)
		m, err := interp.NewModel(s.finite, inst)
		switch {
		case err != nil || slices.ContainsFunc(s.trials, func(w *world) bool {
			return maps.Equal(w.model.Instance.Sizes, inst.Sizes)
		}):
			return nil
		case len(m.SlotSymbols()) <= manySlots:
			return m
		case i >= 2*len(free):
			return nil
		}
		if sort := free[len(free)-1-i%len(free)]; inst.Sizes[sort] > 2 {
			inst.Sizes[sort]--
		}
	}
}

// refutingStates gives some states of a trial in which a candidate is false, if there are any.
func (s *search) refutingStates(c *candidate) []sample {
	for _, w := range s.trials {
		if found := witnesses(w, c); len(found) > 0 {
			return found
		}
	}
	return nil
}

// witnesses are a few states of a world in which a candidate is false.
func witnesses(w *world, c *candidate) (out []sample) {
	w.forget() // what the candidate before has asked for
	v := c.form.view(w)
	if len(v.envs) == 0 {
		return nil
	}
	bad := c.excluded(v)
	n := count(bad)
	each := max(1, n/fewWitnesses)
	for i := range w.states {
		if bad[i/64]>>(i%64)&1 == 0 {
			continue
		}
		if n--; n%each == 0 {
			out = append(out, sample{w.structure, w.states[i]})
		}
	}
	return out
}

// witness adds reachable states to the samples.
func (s *search) witness(found []sample) {
	for len(found) > 0 {
		of := found[0].structure
		var states []interp.State
		found = slices.DeleteFunc(found, func(x sample) bool {
			if x.structure == of {
				states = append(states, x.state)
			}
			return x.structure == of
		})
		old := slices.IndexFunc(s.worlds, func(w *world) bool {
			return w.structure == of && len(w.states) < fullWitness
		})
		if old >= 0 {
			was := s.worlds[old]
			states = append(slices.Clip(was.states), states...)
			s.worlds = slices.Delete(s.worlds, old, old+1)
			for _, t := range s.templates {
				if t.pool != nil {
					t.pool.worlds = slices.DeleteFunc(t.pool.worlds, func(v *view) bool {
						return v.world == was
					})
				}
			}
		}
		w := newWorld(of, states...)
		s.worlds = append(s.worlds, w)
		for _, t := range s.templates {
			t.also(w)
		}
	}
}
