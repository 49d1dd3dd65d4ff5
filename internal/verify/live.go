package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/infer"
	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// shortEffort bounds the questions about cases of a property without hints. Most properties that
// are proved without hints need no cases.
const shortEffort = 200

// supportEffort bounds the search for lemmas that imply what a proof of liveness asks for. It finds
// them early (bakery.ere: after 32 questions and one proof) or not at all.
const supportEffort = 100

// live proves liveness for all instances, where exploration found no run that violates the
// property. A missing proof is a result if the user asked for one, by the command or by hints, or
// if there is no other result; otherwise it is a note.
func (r *run) live(ctx context.Context) error {
	t := r.task(engine.Rank)
	t.System = r.withLemmas()
	t.Claims, t.Proved = slices.DeleteFunc(slices.Clone(t.Claims), func(c engine.Claim) bool {
		return r.violated(c.Name)
	}), r.results
	engines := accepting(r.engines(), t)
	if len(engines) == 0 || r.noSolver != nil || ctx.Err() != nil {
		return nil
	}
	known, noted := len(r.lemmas), len(r.notes)
	if err := r.prepare(ctx, t); err != nil {
		return r.unsolved(err)
	}
	t.System = r.withLemmas()
	for _, p := range r.begin(ctx, t, engines) {
		found, err := p.findings()
		if err != nil {
			return r.unsolved(err)
		}
		if err := r.support(ctx, t, found.Results, noted); err != nil {
			return r.unsolved(err)
		}
		r.lemmas = append(r.lemmas[:known:known], slices.DeleteFunc(r.lemmas[known:],
			func(l engine.Lemma) bool { return isOpen(found.Results, l.For) })...)
		for _, x := range found.Results {
			if x.Verdict == result.Holds || r.o.LiveOnly || len(r.of(x.Property)) == 0 ||
				r.sys.RankingOf(r.sys.Property(x.Property)) != nil {
				r.add([]result.Result{x})
			} else {
				note := fmt.Sprintf("%s: not proved for all instances: %s", x.Property, x.Reason)
				if x.Evidence != nil && x.Evidence.Search != nil && !x.Reason.Ended() {
					note += "; erelong live searches further"
				}
				r.add(nil, note)
			}
		}
		r.progress(engine.Progress{Subtask: "liveness", Finished: true, Text: found.Summary})
	}
	return nil
}

// isOpen reports whether a property has a result that is no proof.
func isOpen(results []result.Result, property string) bool {
	return slices.ContainsFunc(results, func(x result.Result) bool {
		return x.Property == property && x.Verdict != result.Holds
	})
}

// withLemmas is the system with the invariants that inference found, which a proof of liveness may
// need, too. They are proved again there, together with the invariants of the file.
func (r *run) withLemmas() *system.System { return r.with(nil) }

// with is the system with the invariants that inference found, and with more.
func (r *run) with(more []engine.Lemma) *system.System {
	lemmas := slices.Concat(r.lemmas, more)
	if len(lemmas) == 0 {
		return r.sys
	}
	out := *r.sys
	out.Properties = slices.Clone(r.sys.Properties)
	for _, l := range lemmas {
		out.Properties = append(out.Properties, &system.Property{Name: l.Name,
			Kind: system.Invariant, Term: l.Term, Span: l.Term.Span})
	}
	return &out
}

// prepare looks for formulas that proofs of liveness ask for, where the file has no invariants.
// With hints the proof is tried first.
func (r *run) prepare(ctx context.Context, t *engine.Task) error {
	if !r.o.Infer || r.hasInvariants() {
		return nil
	}
	for _, c := range t.Claims {
		if !c.IsLiveness() || r.sys.RankingOf(c.Property) != nil {
			continue
		}
		lemmas, err := r.readily(ctx, c.Property)
		if err == nil && lemmas == nil {
			lemmas, err = r.supporting(ctx, c.Property, false)
		}
		if err != nil {
			return err
		}
		r.lemmas = append(r.lemmas, lemmas...)
	}
	return nil
}

// hasInvariants reports whether the file has invariants.
func (r *run) hasInvariants() bool {
	return slices.ContainsFunc(r.sys.Properties, func(p *system.Property) bool {
		return p.Kind == system.Invariant
	})
}

// readily gives simple invariants with which the strongest formula that a proof asks for is
// inductive; nil where there are none, where it is inductive without, or where nothing is asked
// for. Beside other engines the proof is tried first.
func (r *run) readily(ctx context.Context, p *system.Property) ([]engine.Lemma, error) {
	if !r.o.LiveOnly {
		return nil, nil
	}
	strongest := func() (alone []engine.Lemma, asked, ok bool, err error) {
		wanted := r.wanted(ctx, p)
		if len(wanted) == 0 {
			return nil, false, false, nil
		}
		n, alone, err := r.first(ctx, p, wanted[:1])
		return alone, true, n == 0, err
	}
	if _, asked, ok, err := strongest(); !asked || ok || err != nil {
		return nil, err
	}
	for n := range finders {
		lemmas, err := r.beside(ctx, p, finders[:n+1], func() ([]engine.Lemma, bool, error) {
			alone, _, ok, err := strongest()
			return alone, ok, err
		})
		if lemmas != nil || err != nil {
			return lemmas, err
		}
	}
	return nil, nil
}

// support looks for invariants where liveness is not proved, and proves it again with them. A proof
// takes the place of the result that there was. A proof removes what the first attempt noted about
// the property: the notes from a number on are its own.
func (r *run) support(
	ctx context.Context, t *engine.Task, results []result.Result, noted int,
) error {
	if !r.o.Infer {
		return nil
	}
	first := len(r.lemmas)
	for i, x := range results {
		c := slices.IndexFunc(t.Claims, func(c engine.Claim) bool { return c.Name == x.Property })
		if x.Verdict != result.Unknown || x.Reason.Ended() || c < 0 || ctx.Err() != nil {
			continue
		}
		own := *t
		own.Claims = t.Claims[c : c+1]
		before, p := r.lemmas, own.Claims[0].Property
		more := len(before) > first // which were found for other properties
		for _, find := range r.supports(ctx, p, x) {
			lemmas, err := find()
			if err != nil {
				return err
			}
			if len(lemmas) == 0 && !more || ctx.Err() != nil {
				continue
			}
			more = false
			r.lemmas = slices.Concat(r.lemmas, lemmas)
			own.System = r.withLemmas()
			again, err := (&ranking.Engine{Options: r.ranking()}).Run(ctx, &own, engine.Sink{
				Progress: r.progress})
			if err != nil {
				return err
			}
			if again.Results[0].Verdict == result.Holds {
				results[i] = again.Results[0]
				r.notes = append(r.notes[:noted:noted], slices.DeleteFunc(r.notes[noted:],
					func(n string) bool { return strings.HasPrefix(n, p.Name+": ") })...)
				break
			}
		}
		if results[i].Verdict != result.Holds {
			r.lemmas = before
		}
	}
	return nil
}

// supports are the ways to find invariants for a property that has no proof, in the order in which
// they are tried. Beside other engines all are tried only where the attempt ended before its
// search, for want of what they find; after a search, simple invariants are, where the file has
// none.
func (r *run) supports(
	ctx context.Context, p *system.Property, x result.Result,
) (out []func() ([]engine.Lemma, error)) {
	if !r.o.LiveOnly && (x.Evidence == nil || x.Evidence.Search != nil) {
		if x.Evidence == nil || r.hasInvariants() {
			return nil
		}
		return append(out, func() ([]engine.Lemma, error) {
			return r.beside(ctx, p, finders[:1], func() ([]engine.Lemma, bool, error) {
				return nil, true, nil
			})
		})
	}
	out = append(out, func() ([]engine.Lemma, error) { return r.supporting(ctx, p, true) })
	for n := range finders {
		out = append(out, func() ([]engine.Lemma, error) {
			return r.beside(ctx, p, finders[:n+1], func() ([]engine.Lemma, bool, error) {
				more, err := r.supporting(ctx, p, false)
				return more, true, err
			})
		})
	}
	return append(out, func() ([]engine.Lemma, error) { return r.fitting(ctx, p) })
}

// finder finds invariants that a proof of a liveness property may need.
type finder struct {
	name string
	find func(context.Context, *system.System, *system.Property, []*system.Instance,
		discharge.Options) ([]*system.Property, error)
}

// finders are tried one after the other, each beside what the ones before it found.
var finders = []finder{{"simple", ranking.Simple}, {"established", ranking.Established}}

// beside looks for invariants that say nothing about a property, with some finders, and for what a
// proof asks for beside them. They are nothing without it.
func (r *run) beside(
	ctx context.Context, p *system.Property, finders []finder,
	more func() ([]engine.Lemma, bool, error),
) ([]engine.Lemma, error) {
	before := r.lemmas
	defer func() { r.lemmas = before }()
	r.lemmas = slices.Clone(before)
	last := len(before)
	for _, f := range finders {
		last = len(r.lemmas)
		for _, found := range r.once(ctx, f, p) {
			r.lemmas = append(r.lemmas, engine.Lemma{Name: found.Name, Term: found.Term,
				For: p.Name})
		}
	}
	if len(r.lemmas) == last {
		return nil, nil
	}
	lemmas, ok, err := more()
	if err != nil || !ok {
		return nil, err
	}
	return append(r.lemmas[len(before):], lemmas...), nil
}

// wanted is what a proof asks for, the strongest first.
func (r *run) wanted(ctx context.Context, p *system.Property) []*system.Property {
	return r.once(ctx, finder{"wanted", ranking.Wanted}, p)
}

// once gives what is found for a property beside the invariants that are known, and looks for it
// the first time only. It is nothing where that fails: the results that there are say why.
func (r *run) once(ctx context.Context, f finder, p *system.Property) []*system.Property {
	key := f.name + " " + p.Name
	for _, l := range r.lemmas {
		key += " " + l.Name + " " + l.Term.String()
	}
	found, ok := r.found[key]
	if !ok {
		var err error
		found, err = f.find(ctx, r.withLemmas(), p, r.ranking().Instances, r.o.Induct.Options)
		if err != nil {
			return nil
		}
		if r.found == nil {
			r.found = map[string][]*system.Property{}
		}
		r.found[key] = found
	}
	return found
}

// first gives the first of the formulas that follows from what is known, or is inductive by itself,
// as a lemma, by its number; -1 where there is none.
func (r *run) first(
	ctx context.Context, p *system.Property, wanted []*system.Property,
) (n int, alone []engine.Lemma, err error) {
	instances := r.ranking().Instances
	for i, w := range wanted {
		follows, err := ranking.Follows(ctx, r.withLemmas(), w, instances, r.o.Induct.Options)
		inductive := false
		if err == nil && !follows {
			inductive, err = ranking.Inductive(ctx, r.withLemmas(), w, instances,
				r.o.Induct.Options)
		}
		switch {
		case ctx.Err() != nil:
			return -1, nil, nil
		case err != nil:
			return -1, nil, err
		case follows:
			return i, nil, nil
		case inductive:
			return i, []engine.Lemma{{Name: w.Name, Term: w.Term, For: p.Name}}, nil
		}
	}
	return -1, nil, nil
}

// supporting looks for invariants that imply what a proof of a liveness property asks of all
// states where it is pending: the strongest that is inductive by itself, or that is so with lemmas.
// The safety properties of the file, where they are not proved, have lemmas that such a proof often
// needs, too: they are looked for beside it, if open says so.
func (r *run) supporting(
	ctx context.Context, p *system.Property, open bool,
) ([]engine.Lemma, error) {
	wanted := r.wanted(ctx, p)
	n, alone, err := r.first(ctx, p, wanted)
	if err != nil {
		return nil, err
	}
	if n >= 0 {
		wanted = wanted[:n] // what is stronger is worth more
	}
	var goals [][]*system.Property
	for _, w := range wanted {
		goals = append(goals, []*system.Property{w})
		if more := r.unproved(); open && len(more) > 0 {
			goals = append(goals, append(more, w))
		}
	}
	with := *r.withLemmas()
	with.Properties = slices.Concat(with.Properties, wanted)
	for _, g := range goals {
		lemmas, err := r.lemmasOf(ctx, &with, g, supportEffort)
		if err != nil {
			return nil, err
		}
		if lemmas != nil {
			w := g[len(g)-1]
			follows, err := ranking.Follows(ctx, r.with(lemmas), w, r.ranking().Instances,
				r.o.Induct.Options)
			if err != nil && ctx.Err() == nil {
				return nil, err
			}
			lemmas = lemmasFor(p, lemmas, w.Name)
			if !follows {
				lemmas = append(lemmas, engine.Lemma{Name: w.Name, Term: w.Term, For: p.Name})
			}
			return lemmas, nil
		}
	}
	return alone, nil
}

// unproved lists the safety properties that are not proved for all instances.
func (r *run) unproved() (out []*system.Property) {
	for _, q := range r.sys.Properties {
		if q.Kind == system.Safety && !slices.ContainsFunc(r.results, func(x result.Result) bool {
			return x.Property == q.Name && x.Scope == result.ScopeAll && x.Verdict == result.Holds
		}) {
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
func (r *run) lemmasOf(
	ctx context.Context, sys *system.System, goals []*system.Property, most int64,
) ([]engine.Lemma, error) {
	key := "lemmas"
	for _, g := range goals {
		key += " " + g.Name
	}
	for _, p := range sys.Properties {
		key += "\n" + p.Name + ": " + p.Term.String()
	}
	if lemmas, ok := r.searched[key]; ok {
		return lemmas, nil
	}
	effort := min(cmp.Or(r.o.InferEffort, most), most)
	t := r.task(engine.Infer)
	t.System, t.Named, t.Claims = sys, true, nil
	for _, g := range goals {
		t.Claims = append(t.Claims, engine.Claim{Name: g.Name, Property: g})
	}
	opts := r.o.Induct.Options
	opts.Rlimit = min(cmp.Or(opts.Rlimit, supportRlimit), supportRlimit)
	found, err := (&infer.Engine{Options: opts, Effort: effort}).Run(ctx, t,
		engine.Sink{Progress: r.progress})
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
	if r.searched == nil {
		r.searched = map[string][]engine.Lemma{}
	}
	r.searched[key] = lemmas
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

// ranking gives the settings of the search for ranking functions. Beside other engines it is a
// short attempt; with its own command it takes its time.
func (r *run) ranking() ranking.Options {
	opts := ranking.Options{Options: r.o.Induct.Options, Instances: r.o.Instances,
		Observe: r.o.Observe, Rounds: r.o.Rounds}
	if len(opts.Instances) == 0 {
		opts.Instances = r.sys.Instances
	}
	if in, _ := Guess(r.sys); len(opts.Instances) == 0 && in != nil {
		opts.Instances = []*system.Instance{in}
	}
	if !r.o.LiveOnly {
		opts.Effort = shortEffort
	}
	return opts
}

// of gives the results for a property so far.
func (r *run) of(name string) (out []result.Result) {
	for _, x := range r.results {
		if x.Property == name {
			out = append(out, x)
		}
	}
	return out
}
