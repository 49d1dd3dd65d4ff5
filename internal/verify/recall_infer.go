package verify

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// recallLemmas gives the end of an earlier search for invariants, if its proof is confirmed. Done
// says that there need be no search; the findings are nil if the earlier one was in vain.
func (s inference) recallLemmas(
	ctx context.Context, key string, names []string,
) (found *engine.Findings, e *searchEnd, done bool) {
	e = memory(s).recall(key)
	switch {
	case e == nil:
		return nil, nil, false
	case len(e.Results) == 0:
		memory(s).tellInVain(names...)
		return nil, e, true
	}
	lemmas, err := engine.ReadLemmas(e.Lemmas, s.o.Of.Spec.Formula)
	if err != nil {
		return nil, nil, false
	}
	found = &engine.Findings{Results: e.Results, Notes: e.Notes,
		Inferred: &engine.Inferred{Lemmas: lemmas, Kept: e.Kept, Open: e.Open}}
	if !s.confirm(ctx, found) {
		return nil, nil, false
	}
	return found, e, true
}

// confirm proves the results that invariants have again, with these invariants.
func (s inference) confirm(ctx context.Context, found *engine.Findings) bool {
	sys := *s.sys
	own := slices.Clone(s.sys.Properties)
	sys.Properties = slices.DeleteFunc(own, func(p *system.Property) bool {
		return p.Kind == system.Invariant && !slices.Contains(found.Inferred.Kept, p.Name)
	})
	opts := s.o.Induct
	for _, x := range found.Results {
		opts.Only = append(opts.Only, x.Property)
	}
	again, err := induction.Prove(ctx, engine.Extended(&sys, found.Inferred.Lemmas), opts)
	if err != nil {
		return false
	}
	for i := range found.Results {
		x := &found.Results[i]
		n := slices.IndexFunc(again, func(y result.Result) bool { return y.Property == x.Property })
		if n < 0 || x.Verdict != result.Holds || again[n].Verdict != result.Holds {
			return false
		}
		x.Evidence, x.Queries, x.Elapsed = again[n].Evidence, again[n].Queries, again[n].Elapsed
	}
	return true
}

// keepLemmas keeps the end of a search for invariants.
func (s inference) keepLemmas(
	ctx context.Context, key string, found *engine.Findings, why result.Reason, notes []string,
) {
	switch {
	case found == nil && inVain(why):
		memory(s).keep(ctx, key, &searchEnd{Reason: why, Notes: notes})
	case found != nil && found.Inferred != nil &&
		!slices.ContainsFunc(found.Results, isViolated):
		memory(s).keep(ctx, key, &searchEnd{Results: found.Results, Notes: found.Notes,
			Lemmas: engine.WriteLemmas(found.Inferred.Lemmas), Kept: found.Inferred.Kept,
			Open: found.Inferred.Open})
	}
}
