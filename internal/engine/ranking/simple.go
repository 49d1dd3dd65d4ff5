package ranking

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// mostSimple bounds the clauses that are asked about.
const mostSimple = 100

// Simple finds invariants of the simplest form, which proofs of liveness often need and which say
// nothing about the property: clauses of one or two literals about the same values, that each value
// is in one of several relations, that a literal is true of one value at most, what numbered.go
// says of functions to integers, and what implied.go says of relations of different values. They
// are true in the first states of all instances, and inductive together, beside the invariants of
// the system, as far as one attempt at each step shows (as in Houdini: Flanagan, Leino, FME 2001).
// It trusts the invariants, so this is no proof.
func Simple(
	ctx context.Context, sys *system.System, prop *system.Property, instances []*system.Instance,
	opts discharge.Options,
) ([]*system.Property, error) {
	sys, of := normal(sys, prop)
	prop = of[0]
	seen := walks(ctx, sys, instances, mostWanted)
	if !slices.ContainsFunc(seen, func(w *walk) bool { return len(w.states) > 0 }) {
		return nil, nil
	}
	holds := func(t *logic.Term) bool {
		return !slices.ContainsFunc(seen, func(w *walk) bool {
			for _, state := range w.states {
				if ok, err := w.model.Holds(t, state); err != nil || !ok {
					return true
				}
			}
			return false
		})
	}
	var out []*system.Property
	fresh := freshNames(sys, prop)
	for _, t := range slices.Concat(simplest(sys, holds), implied(sys, holds)) {
		same := func(p *system.Property) bool { return logic.Equal(p.Term, t) }
		if !slices.ContainsFunc(sys.Properties, same) && len(out) < mostSimple {
			out = append(out, &system.Property{Name: fresh(), Kind: system.Invariant, Term: t,
				Span: prop.Span})
		}
	}
	out, err := inductive(ctx, sys, preserved(ctx, sys, instances, out, nil), opts, probe)
	if err != nil {
		return nil, err
	}
	return needed(ctx, sys, out, instances, opts)
}

// needed leaves out what follows from the others, which says nothing.
func needed(
	ctx context.Context, sys *system.System, all []*system.Property, instances []*system.Instance,
	opts discharge.Options,
) ([]*system.Property, error) {
	for _, p := range slices.Backward(slices.Clone(all)) {
		with := *sys
		rest := slices.DeleteFunc(slices.Clone(all), func(q *system.Property) bool {
			return q == p
		})
		with.Properties = slices.Concat(sys.Properties, rest)
		follows, err := Follows(ctx, &with, p, instances, opts)
		if err != nil {
			return nil, err
		}
		if follows {
			all = rest
		}
	}
	return all, nil
}

// literal is an atom over the state, or its negation, that speaks of some values.
type literal struct {
	vars []*logic.Var
	term *logic.Term
}

// simplest lists the clauses that a test finds true, without the ones that have more literals than
// they need.
func simplest(sys *system.System, holds func(*logic.Term) bool) (out []*logic.Term) {
	var open []literal
	add := func(l literal) bool {
		t := logic.Forall(l.vars, l.term)
		if holds(t) {
			out = append(out, t)
			return true
		}
		return false
	}
	for _, l := range literals(sys) {
		if !add(l) {
			open = append(open, l)
		}
	}
	out = append(out, covers(open, holds)...)
	for _, n := range numberings(sys, open, holds) {
		out = append(out, n.clauses(integersOf(sys))...)
	}
	for i, l := range open {
		for _, m := range open[:i] {
			if len(l.vars) > 0 && len(m.vars) > 0 && !slices.Equal(l.vars, m.vars) ||
				logic.Equal(l.term, logic.Not(m.term)) || logic.Equal(m.term, logic.Not(l.term)) {
				continue
			}
			vars := l.vars
			if len(vars) == 0 {
				vars = m.vars
			}
			add(literal{vars, logic.Or(m.term, l.term)})
		}
		if len(l.vars) == 1 {
			a := l.vars[0]
			b := &logic.Var{Name: "V2", Sort: a.Sort}
			other := instantiate(l.term, l.vars, []*logic.Term{logic.Ref(b)})
			add(literal{[]*logic.Var{a, b}, logic.Or(logic.Not(l.term), logic.Not(other),
				logic.Eq(logic.Ref(a), logic.Ref(b)))})
		}
	}
	return out
}

// covers says that each value is in one of several relations, with as few of them as a test finds
// true: one clause of relations that are not negated, for the values of each kind.
func covers(open []literal, holds func(*logic.Term) bool) (out []*logic.Term) {
	var done [][]*logic.Var
	for _, l := range open {
		if len(l.vars) == 0 || slices.ContainsFunc(done, func(vars []*logic.Var) bool {
			return slices.Equal(vars, l.vars)
		}) {
			continue
		}
		done = append(done, l.vars)
		var any []*logic.Term
		for _, m := range open {
			if slices.Equal(m.vars, l.vars) && m.term.Op == logic.OpApp {
				any = append(any, m.term)
			}
		}
		clause := func(any []*logic.Term) *logic.Term {
			return logic.Forall(l.vars, logic.Or(any...))
		}
		if !holds(clause(any)) {
			continue
		}
		for _, t := range slices.Clone(any) {
			fewer := slices.DeleteFunc(slices.Clone(any), func(u *logic.Term) bool {
				return u == t
			})
			if holds(clause(fewer)) {
				any = fewer
			}
		}
		out = append(out, clause(any))
	}
	return out
}

// literals lists the literals of a system: relations and enums of the same variables, and
// comparisons of integers that have no arguments.
func literals(sys *system.System) (out []literal) {
	tuples := map[string][]*logic.Var{} // by sorts, so that equal ones have the same variables
	for _, sym := range sys.Symbols {
		if sym.Ghost || sym.Derived || slices.Contains(sym.Args, logic.Int) {
			continue
		}
		vars, ok := tuples[fmt.Sprint(sym.Args)]
		if !ok {
			vars = tuple(sym.Args, "V")
			tuples[fmt.Sprint(sym.Args)] = vars
		}
		value := logic.App(sym, logic.Pre, logic.Refs(vars)...)
		add := func(t *logic.Term) {
			out = append(out, literal{vars, t}, literal{vars, logic.Not(t)})
		}
		switch {
		case !sym.Mutable:
		case sym.Result == logic.Bool:
			add(value)
		case sym.Result.Kind == logic.KindEnum:
			for i := range sym.Result.Members {
				add(logic.Eq(value, logic.Member(sym.Result, i)))
			}
		}
	}
	numbers := integersOf(sys)
	for i, a := range numbers {
		for _, b := range numbers[:i] {
			if logic.MaxStep(a) < logic.Pre && logic.MaxStep(b) < logic.Pre {
				continue
			}
			out = append(out, literal{nil, logic.Le(a, b)}, literal{nil, logic.Le(b, a)},
				literal{nil, logic.Not(logic.Eq(a, b))})
		}
	}
	return out
}

// inductive keeps the formulas that are inductive together, as far as the given questions show.
func inductive(
	ctx context.Context, sys *system.System, open []*system.Property, opts discharge.Options,
	question func(*system.Property, *logic.Term) *discharge.Obligation,
) ([]*system.Property, error) {
	if len(open) == 0 {
		return nil, ctx.Err()
	}
	d, err := brief(ctx, sys, opts)
	if err != nil {
		return nil, err
	}
	first := &discharge.Group{Theory: vc.InitialState(sys), Path: vc.OneState()}
	for _, p := range open {
		first.Obligations = append(first.Obligations, question(p, p.Term))
	}
	for groups := []*discharge.Group{first}; len(groups) > 0 && len(open) > 0 && ctx.Err() == nil; {
		d.All(ctx, groups)
		failed := map[string]bool{}
		for _, g := range groups {
			for _, o := range g.Obligations {
				failed[o.Name] = failed[o.Name] || o.Verdict != result.Holds
			}
		}
		kept := slices.DeleteFunc(slices.Clone(open), func(p *system.Property) bool {
			return failed[p.Name]
		})
		if len(kept) == len(open) && groups[0] != first {
			break
		}
		open, groups = kept, nil
		for _, a := range sys.Actions {
			theory, path, post := stepOf(sys, a, open)
			g := &discharge.Group{Theory: theory, Path: path}
			for _, p := range open {
				if !vc.SameIn(p.Term, path.States[0], post) {
					g.Obligations = append(g.Obligations, question(p, vc.In(p.Term, post)))
				}
			}
			if len(g.Obligations) > 0 {
				groups = append(groups, g)
			}
		}
	}
	return open, ctx.Err()
}

// stepOf is the theory of a step, from a state in which some formulas are true, between states in
// which the invariants are.
func stepOf(
	sys *system.System, a *system.Action, also []*system.Property,
) (*vc.Theory, vc.Path, vc.Versions) {
	pre := vc.Versions{}
	post := pre.Next(sys, a.Modifies, 1)
	t := &vc.Theory{}
	t.Background(sys, sys.Trusted(), pre, post)
	for _, p := range also {
		t.Assume(vc.In(p.Term, pre))
	}
	for _, p := range sys.Properties {
		if p.IsInvariant() {
			t.Assume(vc.In(p.Term, pre), vc.In(p.Term, post))
		}
	}
	t.Step(a, pre, post)
	return t, vc.Path{Kind: result.ToInduction, States: []vc.Versions{pre, post},
		Steps: [][]vc.Alternative{{{Action: a.Name, Args: vc.Arguments(a)}}}}, post
}
