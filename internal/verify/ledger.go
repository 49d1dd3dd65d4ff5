package verify

import (
	"context"
	"errors"
	"slices"
	"sync"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
)

// ledger is what a run knows so far. Several goroutines write into it.
type ledger struct {
	sys *system.System

	mu       sync.Mutex
	results  []result.Result
	notes    []string
	refused  []error
	noSolver error
	lemmas   []engine.Lemma
	watches  []*watch // by whileOpen
}

// add adds results and notes.
func (l *ledger) add(results []result.Result, notes ...string) {
	for i := range results {
		x := &results[i]
		x.Whole = x.Whole || l.sys != nil && x.Scope != result.ScopeAll && l.sys.OneInstance()
		if l.sys != nil && isViolated(*x) {
			l.doubt(x)
		}
		if x.Trace != nil && l.sys != nil {
			x.Trace.View = l.sys.View
			l.doubtMajorities(x)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.results = append(l.results, results...)
	l.notes = append(l.notes, notes...)
	l.endSettled()
}

// addOnce adds a note unless it is there.
func (l *ledger) addOnce(note string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.notes, note) {
		l.notes = append(l.notes, note)
	}
}

// doubt takes back the violation of a property where a state need be none of the system.
func (l *ledger) doubt(x *result.Result) {
	if p := l.sys.Property(x.Property); p != nil && p.Doubt != "" {
		x.Verdict, x.Trace = result.Unknown, nil
		x.Reason = result.Because(result.NotProved,
			"there is a state in which it is false, which says nothing: "+p.Doubt)
	}
}

// doubtMajorities takes back what rests on a run that a solver found with sets that need not be the
// majorities of any instance: all that it knows of them is that two of them meet. Proofs are about
// all such sets, and runs of instances have the real ones.
func (l *ledger) doubtMajorities(x *result.Result) {
	if len(l.sys.Majorities)+len(l.sys.Coded) == 0 || x.Scope != result.ScopeAll ||
		x.Trace.Kind == result.ToInduction {
		return
	}
	if len(l.sys.Coded) > 0 {
		x.Verdict, x.Trace = result.Unknown, nil
		x.Reason = result.Because(result.NotProved, "there is a run in which some values of "+
			l.sys.Coded[0].Name+" are missing, and it need not be one of an instance; explore one")
		return
	}
	x.Verdict, x.Trace = result.Unknown, nil
	x.Reason = result.Because(result.NotProved, "there is a run with sets any two of which meet, "+
		"and they need not be the majorities; explore an instance")
}

// replace adds results in the place of the ones that they supersede.
func (l *ledger) replace(superseded func(result.Result) bool, by []result.Result, notes ...string) {
	l.mu.Lock()
	l.results = slices.DeleteFunc(l.results, superseded)
	l.mu.Unlock()
	l.add(by, notes...)
}

// soFar are the results so far.
func (l *ledger) soFar() []result.Result {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.results)
}

// of gives the results for a property so far.
func (l *ledger) of(name string) []result.Result {
	return slices.DeleteFunc(l.soFar(), func(x result.Result) bool { return x.Property != name })
}

// drop takes results back.
func (l *ledger) drop(is func(result.Result) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.results = slices.DeleteFunc(l.results, is)
}

// proves reports whether all of these claims are proved for all instances, and none is violated.
func (l *ledger) proves(names []string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	proved := map[string]bool{}
	for _, x := range l.results {
		if isViolated(x) {
			return false
		}
		if x.ForAll() && x.Verdict == result.Holds {
			proved[x.Property] = true
		}
	}
	return !slices.ContainsFunc(names, func(name string) bool { return !proved[name] })
}

// violated reports whether some run violates a property. The lock is held, or no engine is at work.
func (l *ledger) violated(name string) bool {
	return slices.ContainsFunc(l.results, func(x result.Result) bool {
		return x.Property == name && x.Verdict == result.Violated
	})
}

// addLemmas keeps invariants that proofs rest on.
func (l *ledger) addLemmas(lemmas []engine.Lemma) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range lemmas {
		if !slices.ContainsFunc(l.lemmas, func(k engine.Lemma) bool { return k.Name == x.Name }) {
			l.lemmas = append(l.lemmas, x)
		}
	}
}

// refuse records the reason why an instance is not explored. The run goes on.
func (l *ledger) refuse(in *system.Instance, err error) {
	err = engine.Refusal(err, in)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused = append(l.refused, err)
}

// remark adds a note, also to the results that it concerns: the results of a property, or, without
// one, all results of the scope about runs.
func (l *ledger) remark(scope, property, text string) {
	l.notes = append(l.notes, text)
	for i := range l.results {
		x := &l.results[i]
		concerns := x.Property == property || property == "" && x.Kind != system.Theorem
		if (x.Scope == scope || scope == result.ScopeAll) && x.Engine != "" &&
			x.Verdict != result.NothingChecked && concerns {
			x.Vacuity = append(x.Vacuity, text)
		}
	}
}

// watch is a search that ends when its claims are settled.
type watch struct {
	names []string
	end   context.CancelFunc
}

// whileOpen is a context that also ends when each of the claims is settled.
func (l *ledger) whileOpen(
	ctx context.Context, names ...string,
) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	w := &watch{names, cancel}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watches = append(l.watches, w)
	l.endSettled()
	return ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.watches = slices.DeleteFunc(l.watches, func(x *watch) bool { return x == w })
		cancel()
	}
}

// endSettled ends the searches whose claims are settled; the lock is held.
func (l *ledger) endSettled() {
	for _, w := range l.watches {
		if !slices.ContainsFunc(w.names, func(name string) bool { return !l.isSettled(name) }) {
			w.end()
		}
	}
}

// settled reports whether no search can say more about a claim: a run violates it, or the only
// instance was explored to its end.
func (l *ledger) settled(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.isSettled(name)
}

func (l *ledger) isSettled(name string) bool {
	p := l.sys.Property(name)
	return l.violated(name) || p != nil && p.IsInvariant() && l.wholly(name)
}

// wholly reports whether the exploration of the only instance says that a property holds, which is
// about all runs, and the file expects nothing of a proof.
func (l *ledger) wholly(name string) bool {
	return !slices.ContainsFunc(l.sys.Expectations, func(e *system.Expectation) bool {
		return e.Property == name && e.Instance == nil
	}) && slices.ContainsFunc(l.results, func(x result.Result) bool {
		return x.Property == name && x.Whole && x.Verdict == result.Holds
	})
}

// solvers lists the solvers that answered an obligation.
func (l *ledger) solvers() (out []string) {
	for _, x := range l.results {
		if x.Evidence == nil {
			continue
		}
		for _, o := range x.Evidence.Obligations {
			if s := o.Solver.String(); o.Solver.Version != "" && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	slices.Sort(out)
	return out
}

// unsolved notes that there is no solver, if that is the error. It returns any other error.
func (l *ledger) unsolved(err error) error {
	if !errors.Is(err, smt.ErrNoSolver) {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.noSolver = err
	return nil
}

// unsearched says of properties whose search was ended why no more is known.
func (l *ledger) unsearched(open []engine.Claim, ended result.Reason) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.results {
		x := &l.results[i]
		if x.Engine == induction.Name && x.Scope == result.ScopeAll &&
			!l.isSettled(x.Property) &&
			slices.ContainsFunc(open, func(c engine.Claim) bool { return c.Name == x.Property }) {
			x.Reason = ended.Of("the search for invariants with which it is inductive")
		}
	}
}
