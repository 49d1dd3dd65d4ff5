package verify

import (
	"context"
	"slices"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// remembering carries out a part of the search, unless an earlier run has done so. The lemmas are
// what the part has beside what is known.
func (l *liveness) remembering(
	ctx context.Context, lemmas []engine.Lemma, part func(context.Context) error,
) error {
	what := []string{"liveness", l.p.Name}
	for _, x := range l.rank.Proved {
		if x.Scope == result.ScopeAll && x.Verdict == result.Holds {
			what = append(what, x.Property)
		}
	}
	for _, x := range engine.WriteLemmas(slices.Concat(l.assumed, lemmas)) {
		what = append(what, x.Name, x.Formula)
	}
	if l.found != nil {
		what = append(what, l.found.Reason.Text)
	}
	key := memory{l.run}.key(ctx, what...)
	e := memory{l.run}.recall(key)
	if e != nil && l.resume(ctx, e) {
		return nil
	}
	if err := l.within(ctx, part); err != nil {
		return err
	}
	if l.found != nil && (l.proved() || inVain(l.found.Reason) && !l.ledger.settled(l.p.Name)) {
		memory{l.run}.keep(ctx, key, &searchEnd{Results: []result.Result{*l.found}, Notes: l.told,
			Lemmas: engine.WriteLemmas(l.assumed)})
	}
	return nil
}

// resume takes the end of an earlier search for its own, if its proof is confirmed.
func (l *liveness) resume(ctx context.Context, e *searchEnd) (done bool) {
	if len(e.Results) != 1 || e.Results[0].Property != l.p.Name {
		return false
	}
	x := e.Results[0]
	if x.Verdict == result.Unknown {
		l.found, l.told = &x, e.Notes
		memory{l.run}.tellInVain(l.p.Name)
		return true
	}
	if x.Verdict != result.Holds || x.Evidence == nil || x.Evidence.Ranking == nil ||
		x.Evidence.Ranking.Proof == nil {
		return false
	}
	lemmas, err := engine.ReadLemmas(e.Lemmas, l.o.Of.Spec.Formula)
	if err != nil {
		return false // such as a name that only the earlier search had
	}
	began := time.Now()
	confirmed := l.confirm(ctx, e, x.Evidence)
	if confirmed == nil {
		return false // the search says what there is to say
	}
	l.assumed = lemmas
	x.Evidence.Obligations, x.Elapsed = confirmed, time.Since(began)
	l.found, l.told = &x, e.Notes
	return true
}

// confirm proves again what an earlier search has found, and gives the obligations; nil if not all
// are confirmed. Hints that the search found are read at the end of the file's text.
func (l *liveness) confirm(
	ctx context.Context, e *searchEnd, by *result.Evidence,
) []result.Obligation {
	spec := l.o.Of.Spec
	if hints := by.Ranking.Proof.Hints; hints != "" && l.sys.RankingOf(l.p) == nil {
		text := spec.System.Source
		var err error
		if spec, _, err = ere.ReadBeside(text.Name, text.Text+"\n"+hints,
			system.Beside(spec.System)); err != nil {
			return nil
		}
	}
	p := spec.System.Property(l.p.Name)
	lemmas, err := engine.ReadLemmas(e.Lemmas, spec.Formula)
	if p == nil || err != nil {
		return nil
	}
	opts := l.ranking()
	opts.Proved = l.rank.Proved
	confirmed, err := ranking.Confirm(ctx, engine.Extended(spec.System, lemmas), p, by.Invariant,
		by.Ranking.Proof, opts)
	if err != nil {
		return nil
	}
	return confirmed
}
