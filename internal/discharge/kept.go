package discharge

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/vc"
)

// kept holds the cache entries for one obligation. Its zero value has none.
type kept struct {
	// names in the cache: of the query, and of the goal and the step without the named hypotheses
	key, hint string
	proof     *smt.Proof
}

// recall looks an obligation up. An unreadable entry counts as missing, with a note.
func (a *asker) recall(o *Obligation) kept {
	if a.in.opts.Cache == nil || o.quick {
		return kept{}
	}
	key, err := a.key(a.group.Theory, o.Goal, &a.wholeKey)
	if err != nil {
		return kept{} // the solvers' answer will give the reason
	}
	hint, err := a.key(a.group.Theory.Only(func(vc.Hypothesis) bool { return false }), o.Goal,
		&a.hintKey)
	if err != nil {
		return kept{}
	}
	k := kept{key: key, hint: hint}
	if k.proof, err = a.in.opts.Cache.Proof(key); err != nil {
		a.in.notes.once("cache", err.Error()+"; it is not used")
	}
	if h, err := a.in.opts.Cache.Hint(hint); err == nil && h != nil {
		o.hint = h.Needs // an unreadable hint is no loss
	}
	return k
}

// baseKey is the part of a key that all obligations of a group share.
type baseKey struct {
	script *smt.Script
	key    string
}

// key names the question of an obligation, in the rendering without definitions; it does not depend
// on the way of asking.
func (a *asker) key(t *vc.Theory, goal *logic.Term, shared *baseKey) (string, error) {
	if shared.script == nil {
		s, err := t.Script(vc.Relational)
		if err != nil {
			return "", fmt.Errorf("naming a query: %w", err)
		}
		*shared = baseKey{s, smt.Key(s.Lines())}
	}
	body := shared.script.Fork()
	if err := body.Assert(logic.Not(goal)); err != nil {
		return "", fmt.Errorf("naming a query: %w", err)
	}
	return smt.Key(append([]string{shared.key}, body.Lines()...)), nil
}

// keep saves a proof of this run. A failure to save does not lose the proof.
func (a *asker) keep(o *Obligation, k kept) {
	if k.key == "" || o.Verdict != result.Holds {
		return
	}
	err := a.in.opts.Cache.SaveProof(k.key, &smt.Proof{
		Solver: o.Solver.String(), Method: o.Method, Seed: o.Seed, Rlimit: o.Rlimit, Needs: o.Needs,
		Provers: o.provers, Date: time.Now().UTC(),
	})
	if err == nil && o.Needs != nil && o.Rlimit > a.lead {
		err = a.in.opts.Cache.SaveHint(k.hint, &smt.Hint{Needs: o.Needs})
	}
	if err != nil {
		a.in.notes.once("keep", err.Error()+"; the proofs of this run are as good as ever")
	}
}

// settle decides an obligation: from an earlier run, from the solvers, or from both, which must
// agree.
func (a *asker) settle(ctx context.Context, o *Obligation) {
	k := a.recall(o)
	if k.proof != nil && !a.in.opts.Verify && a.in.believes(k.proof) {
		a.believe(o, k)
		return
	}
	a.decide(ctx, o)
	if o.Verdict == "" {
		return
	}
	refuted := o.Verdict == result.NotInductive
	if k.proof == nil || o.Verdict == result.Holds || o.Reason.Ended() ||
		!refuted && !a.in.opts.Verify {
		a.keep(o, k)
		return
	}
	reason := fmt.Sprintf("an earlier run proved it with %s on %s, but now it is %s",
		k.proof.Solver, k.proof.Date.Format(time.DateOnly), o.Verdict)
	if o.Reason.Given() {
		reason += ": " + o.Reason.Text
	}
	if refuted {
		reason += "; that proof is dropped"
		if err := a.in.opts.Cache.DropProof(k.key); err != nil {
			reason += ", but it is still there: " + err.Error()
		}
	}
	a.in.notes.once("verify "+k.key, o.Name+": "+reason)
	o.Verdict, o.Reason, o.Trace = result.Unknown, result.Because(result.NotProved, reason), nil
}

// believe takes a proof that is kept.
func (a *asker) believe(o *Obligation, k kept) {
	o.Verdict, o.Cached = result.Holds, a.in.opts.Cache.Earlier
	o.Solver, o.Method, o.Seed, o.Rlimit, o.Needs = result.ParseSolver(k.proof.Solver),
		k.proof.Method, k.proof.Seed, k.proof.Rlimit, k.proof.Needs
}

// believes reports whether a proof of an earlier run counts: the solvers that it rests on may
// answer in this run, in the same versions.
func (d *Discharger) believes(p *smt.Proof) bool {
	mayAnswer := func(label string) bool {
		return slices.ContainsFunc(d.drivers, func(x smt.Driver) bool {
			return smt.Label(x) == label
		})
	}
	return len(p.Provers) > 0 && !slices.ContainsFunc(p.Provers, func(label string) bool {
		return !mayAnswer(label)
	})
}

// notes passes information to the user, each kind once.
type notes struct {
	mu   sync.Mutex
	tell func(string)
	told map[string]bool
}

func (n *notes) once(kind, text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.tell == nil || n.told[kind] {
		return
	}
	n.told[kind] = true
	n.tell(text)
}
