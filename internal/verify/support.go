package verify

import (
	"cmp"
	"context"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/infer"
	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// supportEffort bounds the search for lemmas that imply what a proof of liveness asks for. It finds
// them early (bakery.ere: after 32 questions and one proof) or not at all.
const supportEffort = 100

// with is the system with the invariants that the proof may use, and with more. They are proved
// again there, together with the invariants of the file.
func (l *liveness) with(more []engine.Lemma) *system.System {
	return engine.Extended(l.sys, slices.Concat(l.assumed, more))
}

// prepare looks for formulas that a proof of liveness asks for, where the file has no invariants.
// With hints the proof is tried first.
func (l *liveness) prepare(ctx context.Context) error {
	if !l.o.Infer || l.hasInvariants() || l.sys.RankingOf(l.p) != nil {
		return nil
	}
	lemmas, err := l.readily(ctx)
	if err == nil && lemmas == nil {
		lemmas, err = l.supporting(ctx, false)
	}
	l.assumed = append(l.assumed, lemmas...)
	return err
}

// hasInvariants reports whether the file has invariants.
func (l *liveness) hasInvariants() bool {
	return slices.ContainsFunc(l.sys.Properties, func(p *system.Property) bool {
		return p.Kind == system.Invariant
	})
}

// readily gives simple invariants with which the strongest formula that a proof asks for is
// inductive; nil where there are none, where it is inductive without, or where nothing is asked
// for.
func (l *liveness) readily(ctx context.Context) ([]engine.Lemma, error) {
	strongest := func() (alone []engine.Lemma, asked, ok bool, err error) {
		wanted := l.wanted(ctx)
		if len(wanted) == 0 {
			return nil, false, false, nil
		}
		n, alone, err := l.first(ctx, wanted[:1])
		return alone, true, n == 0, err
	}
	if _, asked, ok, err := strongest(); !asked || ok || err != nil {
		return nil, err
	}
	for n := range finders {
		lemmas, err := l.beside(ctx, finders[:n+1], func() ([]engine.Lemma, bool, error) {
			alone, _, ok, err := strongest()
			return alone, ok, err
		})
		if lemmas != nil || err != nil {
			return lemmas, err
		}
	}
	return nil, nil
}

// supports are the ways to find invariants for a property that has no proof, in the order in which
// they are tried.
func (l *liveness) supports() (out []func(context.Context) ([]engine.Lemma, error)) {
	if !l.o.Infer {
		return nil
	}
	out = append(out, func(ctx context.Context) ([]engine.Lemma, error) {
		return l.supporting(ctx, true)
	})
	for n := range finders {
		out = append(out, func(ctx context.Context) ([]engine.Lemma, error) {
			return l.beside(ctx, finders[:n+1], func() ([]engine.Lemma, bool, error) {
				more, err := l.supporting(ctx, false)
				return more, true, err
			})
		})
	}
	if l.hasInvariants() || l.sys.RankingOf(l.p) != nil {
		return slices.Insert(out, 0, l.fitting)
	}
	return out // the turns of measures do the rest
}

// finder finds invariants that a proof of a liveness property may need.
type finder struct {
	name string
	find func(context.Context, *system.System, *system.Property, []*system.Instance,
		discharge.Options) ([]*system.Property, error)
}

// finders are tried one after the other, each beside what the ones before it found.
var finders = []finder{{"simple invariants", ranking.Simple},
	{"what steps establish", ranking.Established}}

// beside looks for invariants that say nothing about a property, with some finders, and for what a
// proof asks for beside them. They are nothing without it.
func (l *liveness) beside(
	ctx context.Context, finders []finder,
	more func() ([]engine.Lemma, bool, error),
) ([]engine.Lemma, error) {
	before := l.assumed
	defer func() { l.assumed = before }()
	l.assumed = slices.Clone(before)
	last := len(before)
	for _, f := range finders {
		last = len(l.assumed)
		for _, found := range l.once(ctx, f) {
			l.assumed = append(l.assumed, engine.Lemma{Name: found.Name, Term: found.Term,
				For: l.p.Name})
		}
	}
	if len(l.assumed) == last {
		return nil, nil
	}
	lemmas, ok, err := more()
	if err != nil || !ok {
		return nil, err
	}
	return append(l.assumed[len(before):], lemmas...), nil
}

// wanted is what a proof asks for, the strongest first.
func (l *liveness) wanted(ctx context.Context) []*system.Property {
	return l.once(ctx, finder{"what a proof asks for", ranking.Wanted})
}

// once gives what is found for the property beside the invariants that are known, and looks for it
// the first time only. It is nothing where that fails: the results that there are say why.
func (l *liveness) once(ctx context.Context, f finder) []*system.Property {
	key := f.name
	for _, x := range l.assumed {
		key += " " + x.Name + " " + x.Term.String()
	}
	found, ok := l.seen[key]
	if !ok {
		var err error
		ctx, ended := effort.Begin(ctx, f.name)
		found, err = f.find(ctx, l.with(nil), l.p, l.ranking().Instances, l.o.Induct.Options)
		ended()
		if err != nil || ctx.Err() != nil {
			if ctx.Err() == nil {
				l.failed.Store(true)
			}
			return nil
		}
		l.seen[key] = found
	}
	return found
}

// first gives the first of the formulas that follows from what is known, or is inductive by itself,
// as a lemma, by its number; -1 where there is none.
func (l *liveness) first(
	ctx context.Context, wanted []*system.Property,
) (n int, alone []engine.Lemma, err error) {
	ctx, ended := effort.Begin(ctx, "proofs of what a proof asks for")
	defer ended()
	instances := l.ranking().Instances
	for i, w := range wanted {
		follows, err := ranking.Follows(ctx, l.with(nil), w, instances, l.o.Induct.Options)
		inductive := false
		if err == nil && !follows {
			inductive, err = ranking.Inductive(ctx, l.with(nil), w, instances,
				l.o.Induct.Options)
		}
		switch {
		case ctx.Err() != nil:
			return -1, nil, nil
		case err != nil:
			return -1, nil, err
		case follows:
			return i, nil, nil
		case inductive:
			return i, []engine.Lemma{{Name: w.Name, Term: w.Term, For: l.p.Name}}, nil
		}
	}
	return -1, nil, nil
}

// supporting looks for invariants that imply what a proof of a liveness property asks of all
// states where it is pending: the strongest that is inductive by itself, or that is so with lemmas.
// The safety properties of the file, where they are not proved, have lemmas that such a proof often
// needs, too: they are looked for beside it, if open says so.
func (l *liveness) supporting(ctx context.Context, open bool) ([]engine.Lemma, error) {
	wanted := l.wanted(ctx)
	n, alone, err := l.first(ctx, wanted)
	if err != nil {
		return nil, err
	}
	if n >= 0 {
		wanted = wanted[:n] // what is stronger is worth more
	}
	var goals [][]*system.Property
	for _, w := range wanted {
		goals = append(goals, []*system.Property{w})
		if more := l.unproved(); open && len(more) > 0 {
			goals = append(goals, append(more, w))
		}
	}
	with := *l.with(nil)
	with.Properties = slices.Concat(with.Properties, wanted)
	for _, g := range goals {
		lemmas, err := l.lemmasOf(ctx, &with, g, supportEffort)
		if err != nil {
			return nil, err
		}
		if lemmas != nil {
			w := g[len(g)-1]
			follows, err := ranking.Follows(ctx, l.with(lemmas), w, l.ranking().Instances,
				l.o.Induct.Options)
			if err != nil && ctx.Err() == nil {
				return nil, err
			}
			lemmas = lemmasFor(l.p, lemmas, w.Name)
			if !follows {
				lemmas = append(lemmas, engine.Lemma{Name: w.Name, Term: w.Term, For: l.p.Name})
			}
			return lemmas, nil
		}
	}
	return alone, nil
}

// unproved lists the safety properties that were not proved for all instances before the searches
// for invariants began.
func (l *liveness) unproved() (out []*system.Property) {
	for _, q := range l.sys.Properties {
		proof := func(x result.Result) bool {
			return x.Property == q.Name && x.Scope == result.ScopeAll && x.Verdict == result.Holds
		}
		if q.Kind == system.Safety && !slices.ContainsFunc(l.rank.Proved, proof) {
			out = append(out, q)
		}
	}
	return out
}

// supportRlimit bounds each question to solvers of that search. A formula that is this hard is
// mostly hard for any lemmas, and the attempts at a proof are many.
const supportRlimit = discharge.DefaultRlimit / 10

// lemmasOf gives lemmas with which properties are proved; nil where none are found. It is a short
// attempt, since most searches are in vain. Its effort is counted, so that load does not matter.
// The same search is made only once.
func (l *liveness) lemmasOf(
	ctx context.Context, sys *system.System, goals []*system.Property, most int64,
) ([]engine.Lemma, error) {
	key := "lemmas"
	for _, g := range goals {
		key += " " + g.Name
	}
	for _, p := range sys.Properties {
		key += "\n" + p.Name + ": " + p.Term.String()
	}
	if lemmas, ok := l.searched[key]; ok {
		return lemmas, nil
	}
	ctx, ended := effort.Begin(ctx, "lemmas for what a proof asks for")
	defer ended()
	t := l.run.task(engine.Infer)
	t.System, t.Named, t.Claims = sys, true, nil
	for _, g := range goals {
		t.Claims = append(t.Claims, engine.Claim{Name: g.Name, Property: g})
	}
	opts := l.o.Induct.Options
	opts.Rlimit = min(cmp.Or(opts.Rlimit, supportRlimit), supportRlimit)
	search := &infer.Engine{Options: opts, Effort: most, NoTotals: true, Prefix: l.p.Name + "_"}
	found, err := search.Run(ctx, t, engine.Sink{Progress: l.progress})
	switch {
	case ctx.Err() != nil:
		return nil, nil
	case err != nil:
		return nil, err
	}
	var lemmas []engine.Lemma
	if found.Inferred != nil && len(found.Inferred.Open) == 0 {
		lemmas = append([]engine.Lemma{}, found.Inferred.Lemmas...)
	}
	l.searched[key] = lemmas
	return lemmas, nil
}

// lemmasFor are lemmas of which some were found for a formula that a property asks for: they are
// for the property.
func lemmasFor(p *system.Property, lemmas []engine.Lemma, asked string) []engine.Lemma {
	out := slices.Clone(lemmas)
	for i := range out {
		if out[i].For == asked {
			out[i].For = p.Name
		}
	}
	return out
}
