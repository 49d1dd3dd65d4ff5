package verify

import (
	"cmp"
	"context"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
	"erelong.dev/erelong/internal/vc"
)

// ofAll handles claims about all instances. A sign that is true in some instance is possible.
// Solvers are asked about the other signs, and may prove them impossible. Without a proof there is
// no note on all instances, but an instance that was explored for this gets its own note.
func (v *review) ofAll(ctx context.Context) (explored []*sight, never *sight) {
	never = &sight{bound: -1}
	broken := v.broken()
	about := func(x result.Result) bool {
		return x.Scope == result.ScopeAll && x.Engine != "" && x.Kind != system.Theorem &&
			x.Kind != result.Scenario &&
			x.Verdict != result.NothingChecked && x.Verdict != result.Violated &&
			(x.Verdict == result.Holds || !broken)
	}
	if !slices.ContainsFunc(v.ledger.results, about) {
		return nil, never
	}
	steps, told := v.depth(result.ScopeAll), v.scopes()
	unseen := v.unseen(result.ScopeAll)
	if broken {
		unseen.missing = slices.DeleteFunc(unseen.missing, func(s vacuity.Sign) bool {
			return !slices.ContainsFunc(v.ledger.results, func(x result.Result) bool {
				return x.Property == s.Property && about(x)
			})
		})
	}
	for _, in := range v.examples {
		if steps < 0 {
			unseen.missing, unseen.idle = vacuity.Wander(ctx, v.sys, in, unseen.missing,
				unseen.idle)
		}
		looked := func(x vacuity.Sign) bool {
			return slices.ContainsFunc(v.sights.of[in], func(s *sight) bool {
				return slices.ContainsFunc(s.missing, x.Equal)
			})
		}
		open := func(x vacuity.Sign) bool { return !looked(x) }
		if unseen.empty() ||
			len(v.sights.of[in]) > 0 && !slices.ContainsFunc(unseen.missing, open) {
			continue
		}
		s := v.glimpse(ctx, in, unseen.missing, steps)
		if s == nil {
			continue
		}
		v.sights.add(s)
		if s.complete && !slices.Contains(told, in.Name) {
			explored = append(explored, s)
		}
		unseen.missing = slices.DeleteFunc(unseen.missing, func(x vacuity.Sign) bool {
			return slices.ContainsFunc(s.shown, x.Equal)
		})
		unseen.idle = slices.DeleteFunc(unseen.idle, func(a string) bool {
			return !slices.Contains(s.idle, a)
		})
	}
	switch {
	case unseen.empty() || ctx.Err() != nil:
	case steps >= 0:
		if s := v.search(ctx, nil, steps, unseen); s != nil {
			never = s
		}
	case broken: // the answers of solvers are not worth the wait
	default:
		never = v.impossible(ctx, unseen)
	}
	for _, s := range explored { // another instance may have shown it since
		s.missing = slices.DeleteFunc(s.missing, func(x vacuity.Sign) bool {
			return !slices.ContainsFunc(unseen.missing, x.Equal)
		})
		s.idle = slices.DeleteFunc(s.idle, func(a string) bool {
			return !slices.Contains(unseen.idle, a)
		})
	}
	return explored, never
}

// impossible proves unseen signs and actions impossible in every instance, if solvers can do so
// quickly: from the axioms, the trusted invariants and the proved invariants. Without a proof they
// are left out.
func (v *review) impossible(ctx context.Context, unseen *sight) *sight {
	never := &sight{bound: -1}
	unseen = unseen.few()
	d := v.glancer(ctx, len(unseen.missing)+len(unseen.idle))
	if d == nil {
		return never
	}
	initial := v.reachable(vc.Versions{})
	initial.Initial(v.sys)
	inSome, initially := questions(v.reachable(vc.Versions{})), questions(initial)
	groups := []*discharge.Group{inSome, initially}
	asked := make([]*discharge.Obligation, 0, len(unseen.missing)+len(unseen.idle))
	for _, x := range unseen.missing {
		if x.Initial {
			asked = append(asked, ask(initially, x.Term))
		} else {
			asked = append(asked, ask(inSome, x.Term))
		}
	}
	for _, name := range unseen.idle {
		step := questions(v.step(name))
		groups, asked = append(groups, step), append(asked, ask(step, logic.True))
	}
	answer(ctx, d, groups)
	for i, o := range asked {
		switch {
		case o.Verdict != result.Holds:
		case i < len(unseen.missing):
			never.missing = append(never.missing, unseen.missing[i])
		default:
			never.idle = append(never.idle, unseen.idle[i-len(unseen.missing)])
		}
	}
	return never
}

// questions is a group about a theory, without any question yet.
func questions(t *vc.Theory) *discharge.Group {
	return &discharge.Group{Theory: t, Path: vc.Path{States: []vc.Versions{{}}}}
}

// ask adds an obligation that holds if a formula cannot be true.
func ask(g *discharge.Group, term *logic.Term) *discharge.Obligation {
	o := &discharge.Obligation{Goal: logic.Not(term),
		Obligation: result.Obligation{Name: "is it possible?"}}
	g.Obligations = append(g.Obligations, o.FirstAttempt())
	return o
}

// answer puts some questions at a time, until too many of them stay open: the others are likely to
// be as hard then.
func answer(ctx context.Context, d *discharge.Discharger, groups []*discharge.Group) {
	open := 0
	for _, g := range groups {
		for some := range slices.Chunk(g.Obligations, glancesAtOnce) {
			if open >= openGlances || ctx.Err() != nil {
				return
			}
			part := *g
			part.Obligations = some
			d.All(ctx, []*discharge.Group{&part})
			for _, o := range some {
				if o.Verdict == result.Unknown {
					open++
				}
			}
		}
	}
}

// Questions that may stay open together have a share of what the proofs took, or at least
// leastGlances; each has at least leastGlance. What is impossible is so for a simple reason,
// mostly.
const (
	glanceShare  = 10
	leastGlances = discharge.DefaultRlimit / 50
	leastGlance  = discharge.DefaultRlimit / 1500

	glancesAtOnce = 4
	openGlances   = 6
	mostGlances   = 100 // actions that are asked about
)

// glancer asks solvers some questions that may stay open; nil without solvers.
func (v *review) glancer(ctx context.Context, questions int) *discharge.Discharger {
	spent := int64(0)
	for _, x := range v.ledger.results {
		if x.Evidence != nil {
			for _, o := range x.Evidence.Obligations {
				spent += o.Rlimit
			}
		}
	}
	opts := v.o.Induct.Options
	all := cmp.Or(opts.Rlimit, discharge.DefaultRlimit)
	opts.Lead = min(max(spent/glanceShare, leastGlances)/int64(max(questions, 1)), all/30)
	opts.Lead = max(opts.Lead, min(leastGlance, all))
	opts.Progress, opts.Note, opts.Cache = nil, nil, nil
	d, err := discharge.New(ctx, v.sys, opts)
	if err != nil {
		return nil
	}
	return d
}

// reachable assumes the known facts of every reachable state.
func (v *review) reachable(states ...vc.Versions) *vc.Theory {
	t := &vc.Theory{}
	t.Background(v.sys, v.sys.Trusted(), states...)
	for _, x := range v.ledger.results {
		if x.Scope != result.ScopeAll || x.Verdict != result.Holds || x.Evidence == nil {
			continue
		}
		for _, name := range x.Evidence.Invariant {
			known := func(h vc.Hypothesis) bool { return h.Name == name }
			if p := v.sys.Property(name); p != nil && !slices.ContainsFunc(t.Hypotheses, known) {
				t.AssumeAs(name, p.Term)
			}
		}
	}
	return t
}

// step assumes a step of an action from a reachable state.
func (v *review) step(name string) *vc.Theory {
	t := v.reachable(vc.Versions{})
	for _, a := range v.sys.Actions {
		if a.Name == name {
			post := vc.Versions{}.Next(v.sys, a.Modifies, 1)
			t.Background(v.sys, v.sys.Trusted(), post)
			t.Step(a, vc.Versions{}, post)
		}
	}
	return t
}

// vacuityOfTheorems notes the antecedents of theorems that the axioms exclude.
func (v *review) vacuityOfTheorems(ctx context.Context) {
	signs := slices.DeleteFunc(vacuity.Theorems(v.sys), func(s vacuity.Sign) bool {
		return !slices.ContainsFunc(v.ledger.results, func(x result.Result) bool {
			return x.Property == s.Property && x.Verdict == result.Holds
		})
	})
	if len(signs) == 0 || ctx.Err() != nil {
		return
	}
	d := v.glancer(ctx, len(signs))
	if d == nil {
		return
	}
	var groups []*discharge.Group
	for _, s := range signs {
		states := []vc.Versions{{}}
		if v.sys.Property(s.Property).States == 2 {
			states = append(states, states[0].Next(v.sys, vc.StateSymbols(v.sys), 1))
		}
		t := &vc.Theory{}
		t.Background(v.sys, nil, states...)
		g := questions(t)
		ask(g, vc.In(s.Term, states...))
		groups = append(groups, g)
	}
	d.All(ctx, groups)
	for i, g := range groups {
		if g.Obligations[0].Verdict == result.Holds {
			v.ledger.remark(result.ScopeAll, signs[i].Property, signs[i].Missing("in any instance"))
		}
	}
}
