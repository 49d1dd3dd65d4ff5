package verify

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// unchecked gives rows to the claims about which a run has nothing to say, with the reason.
type unchecked struct {
	*run
	ended result.Reason // why the run ended, if that was before its work was done
}

// proofs gives a row to every claim whose proof was asked for and had not begun when the run
// ended, so that no proof is missing in silence.
func (u unchecked) proofs() {
	if !u.ended.Given() || u.sys == nil || u.o.Inductive {
		return
	}
	for _, m := range []struct {
		asked  bool
		method engine.Method
	}{{u.o.Prove, engine.Prove}, {u.o.Live, engine.Rank}} {
		t := u.task(m.method)
		if !m.asked {
			continue
		}
		for _, e := range accepting(u.engines(), t) {
			u.ledger.add(slices.DeleteFunc(undecided(e, t, u.ended), func(x result.Result) bool {
				return slices.ContainsFunc(u.ledger.of(x.Property), func(y result.Result) bool {
					return y.Scope == result.ScopeAll || isViolated(y)
				})
			}))
		}
	}
}

// all gives every property without a result the verdict that nothing was checked.
func (u unchecked) all() {
	for _, p := range u.sys.Properties {
		why := result.Because(result.NotAsked, "no engine that was asked can check it")
		switch {
		case p.Kind == system.Trusted:
			continue
		case u.sys.Computed != nil && !u.o.Explore:
			why = result.Because(result.Unsupported, notProved(u.sys))
		case len(u.sys.Folds()) > 0 && !u.o.Explore:
			why = result.Because(result.Unsupported, notSummed(u.sys.Folds()[0]))
		case u.unexplored != "" && (p.IsInvariant() || p.IsTemporal()):
			why = result.Because(result.NoInitialState, u.unexplored)
		case len(u.ledger.refused) > 0 && u.o.Explore && (p.IsInvariant() || p.IsTemporal()):
			why = result.Because(result.Unsupported, notExplored(u.ledger.refused[0]))
		case p.IsTemporal():
			why.Text = u.whyNotTemporal(p)
		case p.Kind == system.Theorem && !u.o.Prove:
			why.Text = "theorems are proved by verify and prove"
		case u.ledger.noSolver != nil:
			why = result.Because(result.NoSolver, u.ledger.noSolver.Error())
		}
		u.row(p.Name, p.Kind, p.Span.Line(), why)
	}
	u.unread()
	for _, s := range u.sys.Scenarios {
		why := result.Because(result.NotAsked, "no engine that was asked can check it")
		switch {
		case u.ledger.noSolver != nil:
			why = result.Because(result.NoSolver, u.ledger.noSolver.Error())
		case !u.o.Prove:
			why.Text = "whether such a run exists is decided by verify and prove"
		}
		u.row(s.Name, result.Scenario, s.Span.Line(), why)
	}
}

// notExplored is the reason where an instance cannot be explored.
func notExplored(err error) string {
	if first := diag.First(err); first != nil {
		return "it cannot be explored: " + first.Message
	}
	return "it cannot be explored: " + err.Error()
}

// unread gives rows to the claims of the file that the system does not state.
func (u unchecked) unread() {
	if !u.asksAll() {
		return
	}
	for _, c := range u.sys.Unread {
		u.ledger.add([]result.Result{{Property: c.Name, Kind: system.Safety,
			Verdict: result.NothingChecked, Scope: result.ScopeAll, Line: c.Line,
			Reason: result.Because(result.Unsupported, c.Why)}})
	}
}

// asksAll reports whether all is asked for that the file claims.
func (u unchecked) asksAll() bool {
	unasked := func(p *system.Property) bool {
		return !p.Tried && !slices.Contains(u.o.Only, p.Name)
	}
	return len(u.o.Only) == 0 || !slices.ContainsFunc(u.sys.Properties, unasked)
}

// row is the result for a claim that has none yet and was asked for.
func (u unchecked) row(name string, kind result.Kind, line int, why result.Reason) {
	if len(u.ledger.of(name)) > 0 || len(u.o.Only) > 0 && !slices.Contains(u.o.Only, name) {
		return
	}
	x := result.Result{Property: name, Kind: kind, Verdict: result.NothingChecked,
		Scope: result.ScopeAll, Line: line, Reason: why}
	switch {
	case u.ended.Given():
		x.Verdict, x.Reason = result.Unknown, u.ended
	case u.elsewhere(name):
		return
	}
	u.ledger.add([]result.Result{x})
}

// elsewhere reports whether another process may have a result for a claim, because a method of the
// whole run serves it.
func (u unchecked) elsewhere(name string) bool {
	if u.o.Take == nil {
		return false
	}
	return slices.ContainsFunc(u.o.methods, func(m engine.Method) bool {
		t := u.task(m)
		t.Named = true
		t.Claims = slices.DeleteFunc(slices.Clone(u.claims), func(c engine.Claim) bool {
			return c.Name != name
		})
		return len(accepting(u.engines(), t)) > 0
	})
}

// whyNotTemporal is the reason why a temporal property was not checked.
func (u unchecked) whyNotTemporal(p *system.Property) string {
	if why := u.sys.Unbounded(nil); why != "" {
		return why
	}
	if u.o.Explore && !u.o.Inductive {
		return fmt.Sprintf("%s properties are checked on finite instances, and none was explored",
			p.Kind)
	}
	if p.Kind == system.Liveness {
		return "liveness properties are checked on finite instances by verify and check, and " +
			"proved by verify and live"
	}
	return fmt.Sprintf("%s properties are checked on finite instances only, by verify and check",
		p.Kind)
}
