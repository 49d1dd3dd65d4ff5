package verify

import (
	"cmp"
	"fmt"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/system"
)

// notProved is the reason why nothing of a computed system is given to solvers.
func notProved(sys *system.System) string {
	return fmt.Sprintf("%s is explored here, and not given to provers; erelong prove and "+
		"erelong infer prove what can be translated, for all values of the constants",
		sys.Computed.Language())
}

// notSummed is the reason why a system with sizes, sums or greatest values is not given to some
// engines.
func notSummed(fold *system.Derived) string {
	return fmt.Sprintf("line %d computes with a size, a sum or a greatest value: the file is "+
		"explored in instances, and what is invariant is proved; nothing else is proved",
		fold.Symbol.Span.Line())
}

// The usual limits are divided by foldShare for a question, and by foldSearch for a search for
// invariants, next to sizes, sums and greatest values, where instances are explored as well: no
// model refutes a claim there, so every claim that does not follow would take all of the limit.
const (
	foldShare  = 10
	foldSearch = 4
)

// leaveProofs leaves the methods that need formulas out of a request about a computed system.
// The note says that they are left out.
func leaveProofs(o *Options, sys *system.System) (note string, err error) {
	if folds := sys.Folds(); len(folds) > 0 {
		no := sys.Uncountable()
		if o.Live || o.Bound || o.Prove && no != nil {
			note = notSummed(folds[0])
		}
		o.Prove = o.Prove && no == nil
		if usual := int64(discharge.DefaultRlimit); o.Explore &&
			cmp.Or(o.Induct.Rlimit, usual) == usual {
			o.Induct.Rlimit = usual / foldShare
		}
		if o.Explore && o.Effort == Effort {
			o.Effort /= foldSearch
		}
		o.Live, o.Bound, o.Observe = false, false, false
		return note, nil
	}
	if sys.Computed == nil {
		return "", nil
	}
	if o.Inductive {
		return "", engine.Unfit(sys.NeedsFormulas("be explored from all states that satisfy its " +
			"properties"))
	}
	if o.Prove || o.Live || o.Bound {
		note = notProved(sys)
	}
	o.Prove, o.Live, o.Bound, o.Infer, o.Observe = false, false, false, false, false
	return note, nil
}
