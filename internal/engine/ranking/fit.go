package ranking

import (
	"context"
	"fmt"
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
	search     *search
	invariants []*system.Property // of the system
	open       []*unproved
	needs      map[string]bool // names of lemmas in proofs; of all lemmas where that is unknown
}

// unproved is an obligation of the ranking functions, with the current invariants.
type unproved struct {
	name  string
	group func(*discharge.Obligation) *discharge.Group
}

// Fitted looks for ranking functions that fit the runs of instances: with measures that fit graphs
// of instances, with the hints of the file, or with guesses. It is nil where none fit, and where a
// choice has to be made.
func Fitted(
	ctx context.Context, sys *system.System, prop *system.Property, opts Options,
) (*Fit, error) {
	sys, of := normal(sys, prop)
	prop = of[0]
	own := sys.RankingOf(prop)
	var seen []*interp.Graph
	all := append([]*system.Ranking{own}, guesses(sys, prop, own)...)
	var measured *system.Ranking
	if own == nil {
		var err error
		if measured, err = opts.Fits.measures(ctx, sys, prop, opts.Instances); err != nil {
			return nil, err
		}
		if measured != nil {
			all = slices.Insert(all, 0, measured)
		}
	}
	for _, hints := range all {
		if hints != nil && len(hints.Choices) > 0 {
			continue
		}
		if seen == nil {
			seen = runsOf(ctx, sys, opts.Instances)
		}
		f, err := fit(ctx, sys, prop, hints, seen, opts.Options, hints != nil && hints == measured)
		if err != nil || f != nil || ctx.Err() != nil {
			return f, err
		}
	}
	return nil, nil
}

// fit looks for ranking functions with given hints.
func fit(
	ctx context.Context, sys *system.System, prop *system.Property, hints *system.Ranking,
	seen []*interp.Graph, opts discharge.Options, fitted bool,
) (*Fit, error) {
	var invariants []*system.Property
	for _, q := range sys.Properties {
		if q.IsInvariant() && q.Kind != system.Safety {
			invariants = append(invariants, q)
		}
	}
	p := newProblem(sys, prop, hints, invariants, likely(sys, seen)...)
	named, vars, whole, single := p.candidates(hints)
	opts.Constants, opts.Cores = true, true
	quick, err := brief(ctx, p.sys, opts)
	if err != nil {
		return nil, err
	}
	steps, states := p.witnesses(seen)
	known := map[*system.Action][]*witness{}
	for a, all := range steps {
		known[a] = spread(all, fitSteps)
	}
	fresh := func() *search {
		s := newSearch(p, prop)
		s.quick, s.full, s.named, s.effortLimit = quick, quick, named, maxEffort
		s.samples, s.fitted = spread(states, fitSamples), true
		for _, root := range s.roots {
			root.witnesses = known[root.action]
		}
		s.start = slices.Clone(s.roots)
		return s
	}
	s := fresh()
	distances := p.distances(s.orders(ctx))
	if hints == nil || hints.Pending == nil {
		if _, o := s.decide(ctx, s.persists); o != nil {
			p.pending = logic.True
		}
	}
	for range fitRounds {
		s := fresh()
		given := Options{guessing: hints != nil, fitted: fitted}
		_, tiers, left := s.find(ctx, hints, given, vars, p.turns(), whole, distances, single)
		if len(left) > 0 || ctx.Err() != nil {
			s.close()
			return nil, ctx.Err()
		}
		claims := s.claims(s.minimise(ctx, tiers))
		s.close()
		refuted := false
		for _, c := range claims {
			n := 0
			for _, w := range steps[c.part.action] {
				if n < fitMore && w.refutes(c.part.implies(c.goal)) {
					known[c.part.action] = append(known[c.part.action], w)
					n++
				}
			}
			refuted = refuted || n > 0
		}
		if !refuted {
			s.fitted = false // from here on solvers decide
			return s.fit(claims), nil
		}
	}
	return nil, nil
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
// action.
func likely(sys *system.System, seen []*interp.Graph) (out []*possibility) {
	for _, c := range possibilities(sys) {
		claim := logic.Forall(c.action.Params, logic.Implies(c.when, c.chosen))
		if slices.ContainsFunc(out, func(p *possibility) bool { return p.action == c.action }) ||
			slices.ContainsFunc(seen, func(r *interp.Graph) bool {
				return slices.ContainsFunc(spread(r.States, fitPossible),
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
}

// claims lists what ranking functions rest on: how their variables change in the parts, and that
// the other parts have no steps.
func (s *search) claims(tiers []*tier) (out []stepClaim) {
	for i, t := range tiers {
		for _, part := range t.parts {
			for _, v := range used(tiers[:i+1]) {
				if h, ok := part.change[v]; ok {
					out = append(out, stepClaim{part, v.grows(part.action, h),
						fmt.Sprintf("%s grows by at most %d", v, h)})
				}
			}
		}
	}
	for _, part := range s.ruledOut(tiers) {
		out = append(out, stepClaim{part, logic.False, "not while it is pending"})
	}
	return out
}

// fit lists the obligations: that it stays pending until it is good, the strongest claim that some
// action can that no state refutes, and the claims about steps.
func (s *search) fit(claims []stepClaim) *Fit {
	p := s.p
	f := &Fit{search: s, invariants: p.invariants, needs: map[string]bool{}}
	add := func(name string, group func(*discharge.Obligation) *discharge.Group) {
		f.open = append(f.open, &unproved{name, group})
	}
	for i, g := range s.wellFormed() {
		for j, o := range g.Obligations {
			add(o.Name, func(o *discharge.Obligation) *discharge.Group {
				g := s.wellFormed()[i]
				o.Goal, o.Action = g.Obligations[j].Goal, g.Obligations[j].Action
				g.Obligations = []*discharge.Obligation{o}
				return g
			})
		}
	}
	for i, g := range s.progressClaims() {
		if s.refuted(g.Obligations[0].Goal) {
			continue
		}
		add(g.Obligations[0].Name, func(o *discharge.Obligation) *discharge.Group {
			g := s.progressClaims()[i]
			o.Goal = g.Obligations[0].Goal
			g.Obligations[0] = o
			return g
		})
		break
	}
	for _, c := range claims {
		add(c.part.String()+": "+c.what, func(o *discharge.Obligation) *discharge.Group {
			theory, picture := p.step(c.part.action, true)
			o.Action, o.Goal = c.part.action.Name, s.claim(c.part, c.goal)
			return &discharge.Group{Theory: theory, Path: picture,
				Obligations: []*discharge.Obligation{o}}
		})
	}
	return f
}

// Counterexample gives a state in which an obligation of the ranking functions fails although the
// invariants of the system and some lemmas are true in it, reachable or not; nil where no solver
// finds one. It is asked with more lemmas each time.
func (f *Fit) Counterexample(
	ctx context.Context, lemmas []*system.Property,
) (*result.Trace, error) {
	s := f.search
	s.p.invariants = slices.Concat(f.invariants, lemmas)
	for len(f.open) > 0 && ctx.Err() == nil {
		o := s.obligation(f.open[0].name, nil)
		s.quick.All(ctx, []*discharge.Group{f.open[0].group(o)})
		if o.Verdict == result.NotInductive && o.Trace != nil {
			return f.ofOriginal(o.Trace), nil
		}
		if o.Verdict == result.Holds && o.Needs == nil {
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
	p, out := f.search.p, *t
	out.Params = slices.DeleteFunc(slices.Clone(t.Params), func(b result.Binding) bool {
		return !slices.ContainsFunc(p.original.Symbols, func(sym *logic.Symbol) bool {
			return sym.Name == b.Name
		})
	})
	return &out
}
