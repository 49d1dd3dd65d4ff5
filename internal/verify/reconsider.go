package verify

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
)

// reconsider handles a proof beside a violation, which the interpreter has replayed. If a part of
// the proof comes from an earlier run, the solvers are asked again. A cached answer that they do
// not confirm was wrong, and is dropped from the cache. A confirmed proof stays a contradiction,
// and Run takes it back.
func (r *run) reconsider(ctx context.Context) error {
	if r.o.Induct.Cache == nil || r.o.Induct.Verify {
		return nil
	}
	doubtful := map[string]string{} // the contradiction of a proof, by the property
	for _, c := range result.Contradictions(r.ledger.results) {
		if x := r.ledger.results[c.Claim]; x.Engine == induction.Name && fromCache(x.Evidence) {
			doubtful[x.Property] = c.Text
		}
	}
	if len(doubtful) == 0 {
		return nil
	}
	r.ledger.drop(func(x result.Result) bool {
		return x.Engine == induction.Name
	})
	r.o.Induct.Verify = true
	if err := r.prove(ctx); err != nil {
		return err
	}
	for _, x := range r.ledger.results {
		if text := doubtful[x.Property]; text != "" && x.Engine == induction.Name &&
			x.Verdict != result.Holds {
			r.ledger.add(nil, "ALARM: "+text+
				". The proof was that of an earlier run, in the cache of proofs, and the "+
				"solvers do not confirm it: "+
				"it is not used. Delete the cache if you do not know how that came about")
		}
	}
	return nil
}

// fromCache reports whether a part of a proof comes from an earlier run.
func fromCache(e *result.Evidence) bool {
	return e != nil && slices.ContainsFunc(e.Obligations, func(o result.Obligation) bool {
		return o.Cached
	})
}
