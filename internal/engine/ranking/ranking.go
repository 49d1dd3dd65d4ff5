// Package ranking proves liveness for all instances by ranking functions (Yao, Tao, Gu, Nieh:
// Mostly automated verification of liveness properties for distributed protocols with ranking
// functions, POPL 2024; here: the paper).
//
// In: a system with liveness properties forall V. trigger ~> good, perhaps with hints. Out: Holds
// with the ranking functions, or Unknown with the steps in which no function decreases, and a run
// of an instance that takes such a step.
//
// # Why it is right
//
// Assume a fair run with a state where the trigger is true, after which good is never true. Then
// the property is pending for ever, by the obligations of wellFormed (Eq. 12). Some action can
// always be taken (Eq. 11), so the run is infinite. Each of its steps belongs to a part. In the
// part, the ranking function of the part's tier decreases, and the functions of the tiers before do
// not grow. The functions are integers and never negative, so this cannot go on for ever (Theorem
// 3). The parts cover all steps, because each split is by a condition and its negation. Solvers
// discharge every one of these obligations; soundness does not depend on how the functions were
// found.
//
// Fairness is prophecy (section 7): each fair action has, for all values of its parameters, the
// number of steps that are left until it is taken. No bound on these numbers is assumed, so `holds`
// is about all fair runs. The bound of section 2 only serves to say how long a run takes. The
// paper's fairness-free protocol is the system as it is written, since it does not read the
// numbers: invariants are proved of it (Theorem 2).
//
// Every variable is an integer that is not negative, so factors are not negative either, and only
// the upper bounds among the deltas of Algorithm 2 matter. The search finds the tiers: each
// decreases in as many parts as possible. Factors are numbers; the polynomials of the paper arise
// when tiers are joined into one function (bound.go).
//
// A lexicographic order (lexicographic.go) is an ordinal in place of an integer, and decreases only
// finitely often, too.
//
// Counts are of finitely many values: an uninterpreted sort whose values are counted is finite, as
// it is in every instance.
//
// # The parts of the method
//
// Each uses only the ones before it. A problem is the question about one property, and what has to
// be proved without functions. Candidates are the variables that functions may be made of, with the
// user's hints. A partition is all steps in parts, which conditions split. Steps answers questions
// about the steps of parts, by states and steps that were seen or by solvers. Deltas bounds the
// growth of variables in parts. The search puts variables together to tiers. A proof is tiers over
// all parts: it states its obligations, and is written down. A reader makes one from what is
// written. Bounds are on the number of steps of a proof, and an observer compares them with runs.
// A diagnosis says what is missing where there is no proof. A trial runs these for one property;
// trying (fit.go) does so for functions that only fit runs.
package ranking

import (
	"context"
	"fmt"
	"slices"
	"time"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Name is the engine's name in results.
const Name = "rank"

// Options are the settings of a proof.
type Options struct {
	discharge.Options
	Only      []string           // names of the properties; none means all liveness properties
	Proved    []result.Result    // results for this system; invariants without one are proved
	Instances []*system.Instance // searched for runs that take a step in which nothing decreases
	// Bounds the questions about cases of a property without hints, which then have a tenth of the
	// limit of resources; 0 means a search of minutes.
	Effort int
	// Measured restricts the search to measures that fit small instances, for a property without
	// hints.
	Measured bool
	// Observe has the bounds compared with the runs of the instances. Rounds, if it is not empty,
	// is the action whose steps are counted apart from the others.
	Observe  bool
	Rounds   string
	Sink     engine.Sink    // for the progress of the search
	Fits     *Fits          // kept from one attempt to the next, for the same system
	track    *tracker       // of the property that is proved
	possible []*possibility // found once for all properties
	walks    []*walk        // of the instances, once for all properties
	fitted   bool           // with measures that fit instances, in this order
	unfitted bool           // without them
}

// Prove gives a result for each liveness property. An error means that the proof could not be
// attempted.
func Prove(ctx context.Context, sys *system.System, opts Options) ([]result.Result, error) {
	sys, _ = normal(sys)
	var wanted []*system.Property
	var invariants []string
	for _, p := range sys.Properties {
		switch {
		case p.Kind == system.Liveness &&
			(len(opts.Only) == 0 || slices.Contains(opts.Only, p.Name)):
			wanted = append(wanted, p)
		case p.IsInvariant():
			invariants = append(invariants, p.Name)
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	proved, why, err := prove(ctx, sys, invariants, opts)
	if err != nil {
		return nil, fmt.Errorf("proving liveness of %s: %w", sys.Name, err)
	}
	if opts.possible, err = provedPossible(ctx, sys, proved, opts.Options); err != nil {
		return nil, fmt.Errorf("proving liveness of %s: %w", sys.Name, err)
	}
	opts.walks = walks(ctx, sys, opts.Instances, mostWalked)
	var out []result.Result
	for _, prop := range wanted {
		began := time.Now()
		r := result.Result{Property: prop.Name, Kind: prop.Kind, Line: prop.Span.Line(),
			Scope:  result.ScopeAll,
			Engine: Name, Verdict: result.Unknown, Reason: why, Evidence: &result.Evidence{}}
		within, cancel := opts.Each.Bound(ctx)
		if why.Code == result.NoInitialState {
			r.Verdict = result.NothingChecked
		}
		if !why.Given() {
			opts.track = &tracker{to: opts.Sink, property: prop.Name}
			opts.Begin, opts.Progress = opts.track.begin, nil
			if err := live(within, sys, prop, proved, opts, &r); err != nil && within.Err() == nil {
				cancel()
				return nil, fmt.Errorf("proving %s: %w", prop.Name, err)
			}
		}
		if ended := result.Over(within); ended.Given() && r.Verdict != result.Holds {
			if opts.track != nil {
				ended = ended.Then("; the proof had come to: " + opts.track.at())
			}
			r.Verdict, r.Reason = result.Unknown, ended
		}
		cancel()
		r.Elapsed = time.Since(began)
		out = append(out, r)
	}
	return out, nil
}
