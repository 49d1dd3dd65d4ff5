package ranking

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// Limits of ranking functions that fit runs.
const (
	fitRounds   = 8   // attempts, each with the steps that refute the one before
	fitSteps    = 30  // of an action, in the first attempt
	fitMore     = 8   // that refute one claim
	fitSamples  = 200 // states for what is said of one state
	fitPossible = 300 // states of an instance for the question when an action can be taken
)

// Fit is ranking functions that fit the runs of instances: no step that was seen refutes them. What
// the invariants do not prove of them says which invariants are missing.
type Fit struct {
	p        *problem
	measures []*variable // of the hints, in their order
	quick    *discharge.Discharger
	// again looks for other measures after a counterexample: ones that fit its instance, too, or
	// else, if it is taken for reachable, without the measure that grows there. It is nil where
	// measures are not what was found.
	again          func(ctx context.Context, reachable bool) (*Fit, error)
	explored       int                // instances of counterexamples, without effect
	invariants     []*system.Property // of the system
	open           []*unproved
	counterexample *result.Trace   // the last
	needs          map[string]bool // names of lemmas in proofs; of all lemmas where that is unknown
}

// mostExplored bounds the instances of counterexamples that are explored without effect before an
// invariant is looked for.
const mostExplored = 8

// unproved is an obligation of the ranking functions, with the current invariants.
type unproved struct {
	name  string
	about *variable // that changes as is claimed; nil for other claims
	group func(*discharge.Obligation) *discharge.Group
	// knowing states the same with facts about finite sorts, from fewer to more.
	knowing []func(*discharge.Obligation) *discharge.Group
}

// Fitted looks for ranking functions that fit the runs of instances: with the hints of the file, or
// with measures that fit graphs of instances. It is nil where none fit, and where a choice has to
// be made.
func Fitted(
	ctx context.Context, sys *system.System, prop *system.Property, opts Options,
) (*Fit, error) {
	sys, of := normal(sys, prop)
	return fittedTo(ctx, sys, of[0], opts)
}

// fittedTo is Fitted for a system in normal form.
func fittedTo(
	ctx context.Context, sys *system.System, prop *system.Property, opts Options,
) (*Fit, error) {
	own := sys.RankingOf(prop)
	hints := own
	if own == nil {
		var err error
		if hints, err = opts.Fits.measures(ctx, sys, prop, opts.Instances); err != nil {
			return nil, err
		}
	}
	if hints == nil || len(hints.Choices) > 0 {
		return nil, nil
	}
	t, err := try(ctx, sys, prop, hints, runsOf(ctx, sys, opts.Instances), opts.Options)
	if err != nil {
		return nil, err
	}
	if own != nil {
		return t.guided(ctx)
	}
	f := t.measured(ctx)
	f.again = func(ctx context.Context, reachable bool) (*Fit, error) {
		var refuted *system.Measure
		if reachable {
			refuted = f.refuted(hints)
		}
		some, err := opts.Fits.refute(ctx, prop, f.counterexample, refuted)
		if err != nil || !some {
			return nil, err
		}
		return fittedTo(ctx, sys, prop, opts)
	}
	return f, nil
}

// trying is the set-up of searches for ranking functions that fit runs.
type trying struct {
	p      *problem
	c      *candidates
	quick  *discharge.Discharger
	known  map[*system.Action][]*witness // that each search looks at
	steps  map[*system.Action][]*witness // of the runs
	states samples
}

// try sets up searches with given hints.
func try(
	ctx context.Context, sys *system.System, prop *system.Property, hints *system.Ranking,
	seen []*interp.Graph, opts discharge.Options,
) (*trying, error) {
	var invariants []*system.Property
	for _, q := range sys.Properties {
		if q.IsInvariant() && q.Kind != system.Safety {
			invariants = append(invariants, q)
		}
	}
	p := newProblem(sys, prop, hints, invariants, likely(sys, seen, fitPossible)...)
	t := &trying{p: p, c: newCandidates(p, hints), known: map[*system.Action][]*witness{}}
	opts.Constants, opts.Cores = true, true
	var err error
	if t.quick, err = brief(ctx, p.sys, opts); err != nil {
		return nil, err
	}
	t.steps, t.states = p.witnesses(seen)
	for a, all := range t.steps {
		t.known[a] = spread(all, fitSteps)
	}
	return t, nil
}

// fresh is a search that takes for proved what no run refutes.
func (t *trying) fresh() *search {
	by, parts := newSteps(t.p, solvers{t.quick, t.quick}), newPartition(t.p)
	by.samples, by.fitted = spread(t.states, fitSamples), true
	for _, root := range parts.roots {
		root.witnesses = t.known[root.action]
	}
	return newSearch(t.c, parts, by, &notes{})
}

// choosePending takes the trigger, if no step ends it before it is good, and else all states.
func (t *trying) choosePending(ctx context.Context) {
	if t.c.given.Pending == nil {
		if _, o := (solvers{t.quick, t.quick}).decide(ctx, t.p.persists); o != nil {
			t.p.pending = logic.True
		}
	}
}

// measured are the ranking functions of measures that fit graphs.
func (t *trying) measured(ctx context.Context) *Fit {
	t.choosePending(ctx)
	s := t.fresh()
	return s.fit(inTurn(s))
}

// guided looks for ranking functions with the hints of the file.
func (t *trying) guided(ctx context.Context) (*Fit, error) {
	t.c.along(t.p.orders(ctx, t.quick))
	t.choosePending(ctx)
	for range fitRounds {
		s := t.fresh()
		_, tiers, left := s.find(ctx, Options{})
		if len(left) > 0 || ctx.Err() != nil {
			s.steps.close()
			return nil, ctx.Err()
		}
		claims := s.proof(s.minimise(ctx, tiers), nil).claims()
		s.steps.close()
		if !t.refute(claims) {
			return s.fit(claims), nil // from here on solvers decide
		}
	}
	return nil, nil
}

// refute adds the steps of the runs that refute claims to the known ones, and reports whether there
// are some.
func (t *trying) refute(claims []stepClaim) (refuted bool) {
	for _, c := range claims {
		n := 0
		for _, w := range t.steps[c.part.action] {
			if n < fitMore && w.refutes(c.part.implies(c.goal)) {
				t.known[c.part.action] = append(t.known[c.part.action], w)
				n++
			}
		}
		refuted = refuted || n > 0
	}
	return refuted
}

// spread gives some elements of a list, evenly.
func spread[T any](all []T, most int) (out []T) {
	n := min(len(all), most)
	for i := range n {
		out = append(out, all[i*len(all)/n])
	}
	return out
}

// likely are the claims about when actions can be taken that no state refutes, the first of each
// action. It looks at some states of each graph, at most the given number.
func likely(sys *system.System, seen []*interp.Graph, most int) (out []*possibility) {
	for _, c := range possibilities(sys) {
		claim := logic.Forall(c.action.Params, logic.Implies(c.when, c.chosen))
		if slices.ContainsFunc(out, func(p *possibility) bool { return p.action == c.action }) ||
			slices.ContainsFunc(seen, func(r *interp.Graph) bool {
				return slices.ContainsFunc(spread(r.States, most),
					func(state interp.State) bool {
						holds, err := r.Model.Holds(claim, state)
						return err != nil || !holds
					})
			}) {
			continue
		}
		out = append(out, c)
	}
	return out
}

// stepClaim is a formula about the steps of a part.
type stepClaim struct {
	part *part
	goal *logic.Term
	what string
	v    *variable // nil for a claim about none
}

// claims lists what ranking functions rest on: how their variables change in the parts, and that
// the other parts have no steps.
func (f *proof) claims() (out []stepClaim) {
	for i, t := range f.tiers {
		for _, part := range t.parts {
			for _, v := range used(f.tiers[:i+1]) {
				if h, ok := part.change[v]; ok {
					out = append(out, stepClaim{part, v.grows(part.action, h),
						fmt.Sprintf("%s grows by at most %d", v, h), v})
				}
			}
		}
	}
	for _, part := range f.ruledOut() {
		out = append(out, stepClaim{part, logic.False, "not while it is pending", nil})
	}
	return out
}

// inTurn lists what the measures of the hints rest on, in their order: that each of them is never
// negative; that none grows in a step in which none before it becomes smaller; and that some become
// smaller in each step, unless that follows from a claim that some action can be taken.
func inTurn(s *search) (out []stepClaim) {
	claim := func(in *part, v *variable, h int) {
		out = append(out, stepClaim{in, v.grows(in.action, h),
			fmt.Sprintf("%s grows by at most %d", v, h), v})
	}
	tick := someTicks(s)
	for _, rest := range s.start {
		for _, v := range s.c.measures {
			by := s.parts.mayDecrease(rest.action, v)
			if by == nil {
				claim(rest, v, 0)
				continue
			}
			halves := rest.split(by)
			claim(halves[0], v, -1)
			claim(halves[1], v, 0)
			rest = halves[1]
		}
		if !tick {
			out = append(out, stepClaim{rest, logic.False, "not while it is pending", nil})
		}
	}
	return out
}

// someTicks reports whether an action that is awaited can be taken in all states that were seen.
func someTicks(s *search) bool {
	claims := s.c.p.progressClaims(s.c.measures)
	return len(claims) > 0 && claims[0].Obligations[0].Name == awaited &&
		!s.steps.samples.refuted(claims[0].Obligations[0].Goal)
}

// fit lists the obligations: the claims about steps, which may show that the functions do not fit;
// that it stays pending until it is good; and the strongest claim that some action can be taken of
// the ones that no state refutes.
func (s *search) fit(claims []stepClaim) *Fit {
	p, measures := s.c.p, s.c.measures
	f := &Fit{p: p, measures: measures, quick: s.steps.quick, invariants: p.invariants,
		needs: map[string]bool{}}
	var about *variable
	add := func(name string, group func(*discharge.Obligation) *discharge.Group) {
		f.open = append(f.open, &unproved{name: name, about: about, group: group})
	}
	for _, v := range measures {
		if !v.opaque() {
			about = v
			add(v.String()+" is not negative", func(o *discharge.Obligation) *discharge.Group {
				o.Goal = logic.Le(logic.IntLit(0), v.term)
				return p.here(o)
			})
		}
	}
	for _, c := range claims {
		about = c.v
		add(c.part.String()+": "+c.what, func(o *discharge.Obligation) *discharge.Group {
			theory, picture := p.step(c.part.action, true)
			o.Action, o.Goal = c.part.action.Name, p.claim(c.part, c.goal)
			return &discharge.Group{Theory: theory, Path: picture,
				Obligations: []*discharge.Obligation{o}}
		})
	}
	about = nil
	for i, g := range p.wellFormed() {
		for j, o := range g.Obligations {
			add(o.Name, func(o *discharge.Obligation) *discharge.Group {
				g := p.wellFormed()[i]
				o.Goal, o.Action = g.Obligations[j].Goal, g.Obligations[j].Action
				g.Obligations = []*discharge.Obligation{o}
				return g
			})
		}
	}
	if u := s.progress(); u != nil {
		f.open = append(f.open, u)
	}
	return f
}

// progress is the strongest claim that some action can be taken of the ones that no state refutes;
// nil where all are refuted.
func (s *search) progress() (u *unproved) {
	for i, g := range s.c.p.progressClaims(s.c.measures) {
		name := g.Obligations[0].Name
		again := func(o *discharge.Obligation) *discharge.Group {
			g := s.c.p.progressClaims(s.c.measures)[i]
			o.Goal = g.Obligations[0].Goal
			g.Obligations[0] = o
			return g
		}
		switch {
		case u != nil && plainly(name) == u.name:
			u.knowing = append(u.knowing, again)
		case u != nil:
			return u
		case !s.steps.samples.refuted(g.Obligations[0].Goal):
			u = &unproved{name: name, group: again}
		}
	}
	return u
}

// ask asks about an obligation. Facts about finite sorts join only where nothing refutes it without
// them: they are true in each counterexample that solvers find, since it has finitely many
// elements, and with them solvers look for one in vain.
func (f *Fit) ask(ctx context.Context, u *unproved) *discharge.Obligation {
	if len(u.knowing) > 0 {
		for _, state := range slices.Insert(slices.Clone(u.knowing), 0, u.group) {
			o := f.p.obligation(u.name, nil).Probe()
			f.quick.All(ctx, []*discharge.Group{state(o)})
			if o.Verdict == result.Holds {
				return o
			}
			if o.Verdict == result.NotInductive {
				break
			}
		}
	}
	o := f.p.obligation(u.name, nil)
	f.quick.All(ctx, []*discharge.Group{u.group(o)})
	return o
}

// Counterexample gives a state in which an obligation of the ranking functions fails although the
// invariants of the system and some lemmas are true in it, reachable or not; nil where no solver
// finds one. It is asked with more lemmas each time.
func (f *Fit) Counterexample(
	ctx context.Context, lemmas []*system.Property,
) (*result.Trace, error) {
	f.p.invariants = slices.Concat(f.invariants, lemmas)
	for len(f.open) > 0 && ctx.Err() == nil {
		o := f.ask(ctx, f.open[0])
		if o.Verdict == result.NotInductive && o.Trace != nil {
			f.counterexample = f.ofOriginal(o.Trace)
			if f.open[0].about == nil || f.explored == mostExplored {
				return f.counterexample, nil
			}
			other, err := f.replaced(ctx, false)
			if err != nil || !other {
				f.explored++
				return f.counterexample, err
			}
			f.p.invariants = slices.Concat(f.invariants, lemmas)
			continue
		}
		if o.Verdict != result.Holds || o.Needs == nil { // any of them may be needed
			for _, l := range lemmas {
				f.needs[l.Name] = true
			}
		}
		for _, name := range o.Needs {
			f.needs[name] = true
		}
		f.open = f.open[1:]
	}
	return nil, ctx.Err()
}

// refuted is the measure that the first open obligation is about; nil if it is about none.
func (f *Fit) refuted(hints *system.Ranking) *system.Measure {
	if len(f.open) == 0 || f.open[0].about == nil {
		return nil
	}
	i := slices.Index(f.measures, f.open[0].about)
	if i < 0 || len(f.measures) != len(hints.Measures) {
		return nil
	}
	return hints.Measures[i]
}

// Refuted takes the last counterexample for a state that runs reach. It has other ranking functions
// found, and reports whether there are some.
func (f *Fit) Refuted(ctx context.Context) (bool, error) { return f.replaced(ctx, true) }

// replaced has other ranking functions take the place of the ones so far, if there are some.
func (f *Fit) replaced(ctx context.Context, reachable bool) (bool, error) {
	if f.again == nil {
		return false, nil
	}
	other, err := f.again(ctx, reachable)
	if err != nil || other == nil || other.again == nil {
		return false, err
	}
	maps.Copy(other.needs, f.needs)
	other.explored = f.explored
	*f = *other
	return true, nil
}

// Needed keeps the lemmas that proofs of the obligations used.
func (f *Fit) Needed(lemmas []*system.Property) []*system.Property {
	return slices.DeleteFunc(slices.Clone(lemmas), func(l *system.Property) bool {
		return !slices.ContainsFunc(vc.ConjunctNames(l.Name, l.Term), func(name string) bool {
			return f.needs[name]
		})
	})
}

// ofOriginal leaves out what the user's system does not have: the values of the property's
// variables.
func (f *Fit) ofOriginal(t *result.Trace) *result.Trace {
	p, out := f.p, *t
	out.Params = slices.DeleteFunc(slices.Clone(t.Params), func(b result.Binding) bool {
		return !slices.ContainsFunc(p.original.Symbols, func(sym *logic.Symbol) bool {
			return sym.Name == b.Name
		})
	})
	return &out
}
