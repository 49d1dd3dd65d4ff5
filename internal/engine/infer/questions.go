package infer

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// questions are put to SAT solvers, one for each instance: does a step lead out of the goals?
type questions struct {
	samples  *samples
	integers bool // the search is one for bounds
	ground   map[*system.Instance]*bmc.Induction
	scratch  map[*system.Instance]*scratch
	known    map[*system.Instance][]*transition // counterexamples that were found
	asked    int64                              // how many counterexamples were asked for
	probes   []*probe
	// whether there are probes of larger instances than at first
	probedLarger bool
}

func newQuestions(about *samples, integers bool) *questions {
	return &questions{samples: about, integers: integers,
		ground:  map[*system.Instance]*bmc.Induction{},
		scratch: map[*system.Instance]*scratch{}, known: map[*system.Instance][]*transition{}}
}

// questionConflicts bounds a question about an instance. One that is harder counts as one without a
// counterexample, until a proof for all instances is asked for.
const questionConflicts = 10_000

// of gives the questions about an instance.
func (q *questions) of(inst *system.Instance) (*bmc.Induction, error) {
	if ind := q.ground[inst]; ind != nil {
		return ind, nil
	}
	ind, err := q.induction(inst, questionConflicts)
	if err == nil {
		q.ground[inst] = ind
	}
	return ind, err
}

// induction is a solver for an instance, with a limit for each question.
func (q *questions) induction(inst *system.Instance, limit int64) (*bmc.Induction, error) {
	of, err := q.samples.structure(inst)
	if err != nil {
		return nil, err
	}
	ind, err := bmc.NewInduction(q.samples.finite, inst, q.samples.start(inst, of))
	if err != nil {
		return nil, err
	}
	ind.Limit = limit
	return ind, nil
}

// transition is a step of a counterexample to induction.
type transition struct{ pre, post evaluated }

// evaluated is a state with memoised values of formulas.
type evaluated struct {
	sample
	values map[*logic.Term]bool
}

func (e evaluated) holds(f *logic.Term) bool {
	is, ok := e.values[f]
	if !ok {
		is = e.sample.holds(f)
		e.values[f] = is
	}
	return is
}

// holds reports whether a closed formula is true in a state; a formula without a value is not.
func (s sample) holds(f *logic.Term) (is bool) {
	return hasValue(func() { is = s.eval(f, nil) == 1 }) && is
}

// batch is how many counterexamples are collected before a lemma is chosen.
const batch, linearBatch = 6, 24

// counterexamples gives a few states in which all goals hold and from which a step leads to a state
// in which this goal does not. States found for other goals come first.
func (q *questions) counterexamples(
	ctx context.Context, inst *system.Instance, goals []*goal, g *goal,
) (ctis []*transition, err error) {
	ind, err := q.of(inst)
	if err != nil {
		return nil, err
	}
	most := batch
	if q.integers {
		most = linearBatch
	}
	for _, t := range q.known[inst] {
		if len(ctis) < most && !t.post.holds(g.term) &&
			!slices.ContainsFunc(goals, func(g *goal) bool { return !t.pre.holds(g.term) }) {
			ctis = append(ctis, t)
		}
	}
	if len(ctis) > 0 {
		return ctis, nil
	}
	var avoid []interp.State
	assumed := formulas(goals)
	var of *structure
	if w := q.samples.worldOf(inst); w != nil {
		of = w.structure
	} else {
		of = newStructure(ind.Model())
	}
	for len(ctis) < most {
		pre, step, found, err := ind.Counterexample(ctx, assumed, g.term, avoid, len(ctis))
		if errors.Is(err, bmc.ErrHard) || bmc.Refused(err) {
			break // the proof for all instances says whether there is one
		}
		if err != nil {
			return nil, err
		}
		q.asked++
		if !found {
			break
		}
		t := &transition{evaluated{sample{of, pre}, map[*logic.Term]bool{}},
			evaluated{sample{of, step.State}, map[*logic.Term]bool{}}}
		q.known[inst] = append(q.known[inst], t)
		ctis = append(ctis, t)
		avoid = append(avoid, pre)
	}
	return ctis, nil
}

// leaves reports whether a step on an instance is found from where all goals hold to where some of
// these do not. An error means that this is unknown.
func leaves(ctx context.Context, ind *bmc.Induction, goals, these []*goal) (bool, error) {
	assumed := formulas(goals)
	for _, g := range these {
		if _, _, found, err := ind.Counterexample(ctx, assumed, g.term, nil, 0); found ||
			err != nil {
			return found, err
		}
	}
	return false, nil
}

// inductive reports whether all goals are inductive together on the instances.
func inductive(ctx context.Context, inductions []*bmc.Induction, goals []*goal) bool {
	return !slices.ContainsFunc(inductions, func(ind *bmc.Induction) bool {
		left, err := leaves(ctx, ind, goals, goals)
		return left || err != nil
	})
}

// scratch asks about candidates, most of which are not taken: what is known of them would slow the
// other questions down.
type scratch struct {
	ind   *bmc.Induction
	asked int
}

// Limits of these questions.
const (
	manyScratched    = 100
	scratchConflicts = 500
)

// preserved reports whether no step on the instance of a state leads out of a candidate, where all
// goals and the candidate hold.
func (q *questions) preserved(ctx context.Context, goals []*goal, at sample, c *candidate) bool {
	inst := at.model.Instance
	x := q.scratch[inst]
	if x == nil || x.asked == manyScratched {
		ind, err := q.induction(inst, scratchConflicts)
		if err != nil {
			return false
		}
		x = &scratch{ind: ind}
		q.scratch[inst] = x
	}
	x.asked++
	_, _, found, err := x.ind.Counterexample(ctx, append(formulas(goals), c.term), c.term, nil, 0)
	return !found && err == nil
}

// probe is a larger instance: no state of it is explored until the goals are not inductive there.
type probe struct {
	inst *system.Instance
	ind  *bmc.Induction
}

// Limits of probes: the conflicts of a question, and the slots of a state.
const (
	probeConflicts = 5_000
	probeSlots     = 400
)

// probe makes probes of larger instances: with many elements of one sort, and some of all.
func (q *questions) probe(ctx context.Context, many, some int) {
	if q.integers {
		return
	}
	s := q.samples
	add := func(inst *system.Instance) {
		of, err := s.structure(inst)
		if err != nil || ctx.Err() != nil || len(of.symbols) > probeSlots || s.covers(inst) {
			return
		}
		if ind, err := q.of(inst); err == nil {
			ind.Limit = probeConflicts
			q.probes = append(q.probes, &probe{inst, ind})
		}
	}
	for _, size := range []int{2, 3} {
		for _, sort := range s.sys.Sized() {
			inst := s.uniform(size)
			inst.Sizes[sort] = many
			s.name(inst)
			add(inst)
		}
	}
	add(s.uniform(some))
}

// worlds are the probes that can be walked through.
func (q *questions) worlds() (out []*world) {
	for _, p := range q.probes {
		if m := p.ind.Model(); len(m.SlotSymbols()) <= manySlots {
			out = append(out, newWorld(newStructure(m)))
		}
	}
	return out
}

// reduceConflicts bounds a question of whether the lemmas do without one of them.
const reduceConflicts = 2_000

// manyLemmas about integers are worth a reduction: small instances tell less about what
// is needed in general than a proof does, which is dear with many lemmas.
const manyLemmas = 60

// fewInstances with integers are asked whether a lemma is needed, and the others about the result.
const fewInstances = 4

// reduce keeps a subset of the lemmas that makes the properties inductive on the instances, so that
// unneeded ones need no proof. Lemmas that exclude a counterexample outside of the instances stay,
// unless all are asked about. Each goal names the lemmas that it was proved with; of these, the
// most complicated ones are left out where the others suffice. A probe is asked about the result,
// and about each lemma only if the result is not inductive there.
func (q *questions) reduce(ctx context.Context, all []*goal, general bool) []*goal {
	var inductions, larger []*bmc.Induction
	for i, inst := range q.samples.asked {
		if ind, err := q.of(inst); err == nil {
			if q.integers && i >= fewInstances {
				larger = append(larger, ind)
			} else {
				inductions = append(inductions, ind)
			}
			usual := ind.Limit
			ind.Limit = reduceConflicts
			defer func() { ind.Limit = usual }()
		}
	}
	if len(inductions) == 0 {
		return all
	}
	for _, p := range q.probes {
		larger = append(larger, p.ind)
	}
	stays := func(g *goal) bool { return g.property != nil || g.beyondInstances && !general }
	goals := all
	fewer := used(all, append(larger, inductions...), stays)
	if inductive(ctx, inductions, fewer) && inductive(ctx, larger, fewer) {
		goals = fewer
	}
	if q.integers && len(goals) <= manyLemmas {
		q.samples.claims.note("%d of %d lemmas are used", len(goals), len(all))
		return goals
	}
	sorted := slices.Clone(goals)
	slices.SortStableFunc(sorted, func(a, b *goal) int { return cmp.Compare(b.cost(), a.cost()) })
	for again := true; again; {
		least := goals
		for _, g := range sorted {
			if fewer := keep(least, func(x *goal) bool { return x != g }); !stays(g) &&
				inductive(ctx, inductions, fewer) {
				least = fewer
			}
		}
		i := slices.IndexFunc(larger, func(ind *bmc.Induction) bool {
			return !inductive(ctx, []*bmc.Induction{ind}, least)
		})
		if again = i >= 0; again {
			inductions, larger = append(inductions, larger[i]), slices.Delete(larger, i, i+1)
		} else {
			goals = least
		}
	}
	q.samples.claims.note("%d of %d lemmas are needed", len(goals), len(all))
	return goals
}

// used keeps the goals that stay, and the ones by which they were proved on instances.
func used(all []*goal, inductions []*bmc.Induction, stays func(*goal) bool) []*goal {
	used := map[*logic.Term]bool{}
	var use func(t *logic.Term)
	use = func(t *logic.Term) {
		if used[t] {
			return
		}
		used[t] = true
		for _, ind := range inductions {
			for _, c := range ind.Core(t) {
				use(c)
			}
		}
	}
	for _, g := range all {
		if stays(g) {
			use(g.term)
		}
	}
	return keep(all, func(g *goal) bool { return used[g.term] })
}

// dispensable reports whether what was proved with a lemma on the instances has a proof without it:
// lemmas that were found later may say more.
func (q *questions) dispensable(ctx context.Context, all []*goal, lemma *goal) bool {
	if q.integers {
		return false
	}
	others := keep(all, func(g *goal) bool { return g != lemma })
	for _, inst := range q.samples.asked {
		ind := q.ground[inst]
		if ind == nil {
			continue
		}
		if left, err := leaves(ctx, ind, others, keep(others, func(g *goal) bool {
			return slices.Contains(ind.Core(g.term), lemma.term)
		})); left || err != nil {
			return false
		}
	}
	return true
}

// core gives the goals by which one was proved on the instances; asked says that there are some.
func (q *questions) core(t *logic.Term) (core []*logic.Term, asked bool) {
	for _, inst := range q.samples.asked {
		if ind := q.ground[inst]; ind != nil {
			core, asked = append(core, ind.Core(t)...), true
		}
	}
	return core, asked
}
