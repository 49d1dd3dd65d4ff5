package infer

import (
	"cmp"
	"context"
	"maps"
	"math/rand"
	"slices"

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

// trials are the instances whose states test lemmas.
type trials struct {
	samples *samples
	worlds  []*world // of reachable states
	drawn   int      // how many were made, or were not possible
}

// draw explores another trial, nil if there is none. For a system with records it is such an
// instance, once others have joined the samples.
func (t *trials) draw(ctx context.Context, recorded bool) *world {
	t.drawn++
	s, seed := t.samples, int64(t.drawn)
	var w *world
	if s.records != nil && len(s.records.fields) > 0 {
		if !recorded {
			return nil
		}
		shapes := slices.Concat(s.records.shapes(1), s.records.shapes(2))
		w = s.exploreRecords(ctx, shapes[int(seed)%len(shapes)], seed)
	} else if of := t.shape(rand.New(rand.NewSource(seed))); of != nil {
		var err error
		w, err = explore(ctx, of, s.orders, s.claims.terms(), seed, exploreAll)
		if err != nil {
			return nil
		}
		s.claims.note("%s: %d states to test lemmas", of.model.Instance.Name, len(w.states))
		s.claims.violatedIn(ctx, w)
	}
	if w == nil || len(w.states) == 0 || s.claims.violated() {
		return nil
	}
	t.worlds = append(t.worlds, w)
	return w
}

// shape draws the sizes of an instance: four elements of each order, since lemmas are about chains,
// and of some other sort; three of the others, or fewer where the state would have too many slots.
// It gives nil where there was such an instance before.
func (t *trials) shape(rng *rand.Rand) *structure {
	inst := t.samples.uniform(3)
	var free []*logic.Sort
	for sort := range inst.Sizes {
		if t.samples.orders[sort] != nil {
			inst.Sizes[sort] = 4
		} else {
			free = append(free, sort)
		}
	}
	slices.SortFunc(free, func(a, b *logic.Sort) int { return cmp.Compare(a.Name, b.Name) })
	rng.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	if len(free) > 0 {
		inst.Sizes[free[0]] = 4
	}
	for i := 0; ; i++ {
		t.samples.name(inst)
		of, err := t.samples.structure(inst)
		switch {
		case err != nil || slices.ContainsFunc(t.worlds, func(w *world) bool {
			return maps.Equal(w.model.Instance.Sizes, inst.Sizes)
		}):
			return nil
		case len(of.symbols) <= manySlots:
			return of
		case i >= 2*len(free):
			return nil
		}
		if sort := free[len(free)-1-i%len(free)]; inst.Sizes[sort] > 2 {
			inst.Sizes[sort]--
		}
	}
}

// refuting gives some states of a trial in which a candidate is false, if there are any.
func (t *trials) refuting(c *candidate) []sample {
	for _, w := range t.worlds {
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
