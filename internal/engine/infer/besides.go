package infer

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Next to sums and sizes a counterexample to induction means nothing, since solvers know laws of
// them only. So where no step reads them, the claims that do not read them either are searched for
// in the system without sums; the lemmas are invariants of the whole system.

// firstEffort bounds the search without sums, whose claims may need lemmas about sums.
const firstEffort = 100

// findInParts is find for the claims without sums, and then for all of them.
func findInParts(ctx context.Context, sys *system.System, opts Options) (*Outcome, error) {
	plain := opts
	plain.NoTotals = true
	without := withoutFolds(sys, &plain)
	if without == nil {
		return find(ctx, sys, opts)
	}
	if plain.Effort == 0 || plain.Effort > firstEffort {
		plain.Effort = firstEffort
	}
	first, err := find(ctx, without, plain)
	if err != nil || !first.Proved || ctx.Err() != nil {
		return find(ctx, sys, opts)
	}
	opts.Prefix += "further_"
	all, err := find(ctx, engine.Extended(sys, first.Lemmas), opts)
	switch {
	case err != nil:
		return nil, err
	case all.Proved || all.Part:
		all.Lemmas = append(slices.DeleteFunc(first.Lemmas, func(l Lemma) bool {
			return !slices.Contains(all.Kept, l.Name)
		}), all.Lemmas...)
		all.Kept = slices.DeleteFunc(all.Kept, func(name string) bool {
			return slices.ContainsFunc(first.Lemmas, func(l Lemma) bool { return l.Name == name })
		})
		return all, nil
	}
	first.Results = slices.DeleteFunc(first.Results, func(r result.Result) bool {
		return len(opts.Only) > 0 && !slices.Contains(opts.Only, r.Property)
	})
	first.Proved, first.Part = false, len(first.Results) > 0
	first.Partial, first.Reason = all.Partial, all.Reason
	first.Queries += all.Queries
	return first, nil
}

// withoutFolds is the system without sums and sizes, and without the claims that read them; nil
// where there are none, where steps read them, or where no claim is left. It takes the names of the
// other claims from the options.
func withoutFolds(sys *system.System, opts *Options) *system.System {
	if len(sys.Folds()) == 0 {
		return nil
	}
	folds := map[*logic.Symbol]bool{}
	for _, d := range sys.Folds() {
		folds[d.Symbol] = true
	}
	reads := func(t *logic.Term) bool {
		return t != nil && logic.Has(t, func(t *logic.Term) bool { return folds[t.Symbol] })
	}
	out := *sys
	for more := true; more; {
		more = false
		for _, d := range sys.Derived {
			if !folds[d.Symbol] && (reads(d.Axiom) || reads(d.Body)) {
				folds[d.Symbol], more = true, true
			}
		}
	}
	steps := false
	for _, f := range slices.Concat(sys.Axioms, sys.Inits) {
		steps = steps || reads(f.Term)
	}
	for _, a := range sys.Actions {
		steps = steps || reads(a.FairIf) || a.Relation == nil || reads(a.Relation.Formula())
	}
	if steps {
		return nil
	}
	out.Derived = slices.DeleteFunc(slices.Clone(sys.Derived), func(d *system.Derived) bool {
		return folds[d.Symbol]
	})
	out.Symbols = slices.DeleteFunc(slices.Clone(sys.Symbols), func(s *logic.Symbol) bool {
		return folds[s]
	})
	var names, implicit []string
	out.Properties = nil
	for _, p := range sys.Properties {
		switch {
		case reads(p.Term):
			continue
		case slices.Contains(opts.Only, p.Name):
			names = append(names, p.Name)
		case p.IsImplicit() && p.Kind != system.Range:
			implicit = append(implicit, p.Name)
		}
		out.Properties = append(out.Properties, p)
	}
	claims := slices.ContainsFunc(out.Properties, (*system.Property).IsInvariant)
	if len(opts.Only) > 0 {
		opts.Only = append(names, implicit...)
		claims = claims && len(opts.Only) > 0
	}
	if !claims {
		return nil
	}
	out.Scenarios, out.Expectations, out.Rankings, out.Fbiis = nil, nil, nil, nil
	return &out
}
