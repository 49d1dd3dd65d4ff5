// Package horn asks a solver of constrained Horn clauses for an inductive invariant.
//
// In: a system whose state is made of constants (truth values, integers, members of enums), with
// formulas without quantifiers; and goals, formulas to be true in each reachable state. Out: lemmas
// with which the goals are inductive, as the solver says; or that a goal is violated; or nothing.
// The lemmas are not trusted: package induction proves them.
//
// The clauses say that Inv holds in initial states, is preserved by each step, and implies the
// goals; a solution of Inv is an inductive invariant. The solver is Spacer, in z3 (Komuravelli,
// Gurfinkel, Chaki: SMT-based model checking for recursive programs, FMSD 2016). Three encodings
// make its work easier. Inv is split by an enum that controls the system, such as a location, and
// steps through locations without loops are composed into one (large blocks: Beyer et al., FMCAD
// 2009; edges.go). A solution for the remaining locations is completed by a second question. And a
// number of few values is given bit by bit (values.go).
package horn

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
)

// Options are the settings of the solver.
type Options struct {
	Drivers []smt.Driver // of which the first that solves Horn clauses is asked
	Rlimit  int64        // resources of each question, in units of z3; 0 for no limit
	Seed    int
	// Equalities has the solver take equalities as facts of their own, which some systems need.
	Equalities bool
	LogDir     string
}

// Answer is a solver's answer.
type Answer struct {
	// Lemmas are conjuncts of an inductive invariant that implies the goals; nil without one.
	Lemmas   []*logic.Term
	Violated bool   // the solver says that a goal is false in a reachable state
	Reason   string // why there is neither
}

// ErrNotHorn says that a system has no Horn clauses in the solver's theories.
var ErrNotHorn = errors.New("no Horn clauses without quantifiers")

// Find asks for an invariant. The error is ErrNotHorn, with what stands in the way, or that of the
// solver.
func Find(
	ctx context.Context, sys *system.System, goals []*logic.Term, o Options,
) (*Answer, error) {
	i := slices.IndexFunc(o.Drivers, smt.Driver.Horn)
	if i < 0 {
		return nil, fmt.Errorf("%w: no solver that is there solves Horn clauses", ErrNotHorn)
	}
	p, err := newProblem(sys)
	if err != nil {
		return nil, err
	}
	edges, err := p.edges(goals)
	if err != nil {
		return nil, err
	}
	q := &questions{
		p:      p,
		driver: o.Drivers[i], strategy: smt.Horn, seed: o.Seed, log: o.LogDir,
		plain: smt.NewSession(o.Drivers[i], smt.Config{Seed: o.Seed, LogDir: o.LogDir}),
		limit: o.Rlimit,
	}
	if o.Equalities {
		q.strategy = smt.HornEqualities
	}
	defer q.plain.Close()
	// A violation is mostly seen at the places that are left, which are simpler without the others.
	left, gone := p.eliminate(edges, false)
	a, err := q.invariant(ctx, left, gone)
	if err == nil && a.Lemmas == nil && !a.Violated && len(gone) > 0 {
		left, gone = p.eliminate(edges, true)
		a, err = q.invariant(ctx, left, gone)
	}
	return a, err
}

// problem is a system in the terms of clauses: numbers and truth values.
type problem struct {
	sys    *system.System
	state  []*logic.Symbol // without the control, and what is derived
	values sets            // of numbers with few of them
	at     map[int64]sets  // the same, for each value of the control
	// control is an enum on which Inv is split: a predicate for each member. Nil for none.
	control *logic.Symbol
}

func newProblem(sys *system.System) (*problem, error) {
	p := &problem{sys: sys, control: control(sys)}
	for _, s := range sys.Symbols {
		if len(s.Args) > 0 || s.Result.Kind == logic.KindUninterpreted {
			return nil, fmt.Errorf("%w: %s is no truth value, number or member of an enum",
				ErrNotHorn, s.Name)
		}
		if !s.Derived && s != p.control {
			p.state = append(p.state, s)
		}
	}
	p.values, p.at = smallSets(sys, p.control)
	return p, nil
}

// control chooses the enum that most actions compare with a member, such as a location.
func control(sys *system.System) (best *logic.Symbol) {
	count := map[*logic.Symbol]int{}
	for _, a := range sys.Actions {
		for _, g := range a.Relation.Guard {
			for _, c := range logic.Conjuncts(g) {
				if c.Op != logic.OpEq || c.Args[0].Op != logic.OpApp ||
					c.Args[1].Op != logic.OpMember {
					continue
				}
				s := c.Args[0].Symbol
				if !s.Mutable || s.Derived || len(s.Args) > 0 {
					continue
				}
				if count[s]++; best == nil || count[s] > count[best] {
					best = s
				}
			}
		}
	}
	return best
}

// places is the number of predicates.
func (p *problem) places() int {
	if p.control == nil {
		return 1
	}
	return len(p.control.Result.Members)
}

// lemmas are the conjuncts of a solution, and the values of numbers with few of them. What is said
// of all values of the control that are reached is said once.
func (p *problem) lemmas(known map[int]*logic.Term) (out []*logic.Term) {
	places := make([][]*logic.Term, p.places())
	live := 0
	count := map[string]int{}
	for i := range places {
		f := known[i]
		if f == nil || p.at[int64(i)] == nil {
			f = logic.False // no edge leads there
		}
		if places[i] = logic.Conjuncts(f); f.IsFalse() {
			continue
		}
		live++
		for _, s := range p.state {
			if p.values[s] != nil && s.Result.Kind != logic.KindEnum {
				places[i] = append(places[i], among(s, p.at[int64(i)][s]))
			}
		}
		for _, c := range places[i] {
			count[c.String()]++
		}
	}
	said := map[string]bool{}
	for i, conjuncts := range places {
		here := logic.True
		if p.control != nil {
			here = logic.Eq(logic.App(p.control, logic.Pre), logic.Member(p.control.Result, i))
		}
		for _, c := range conjuncts {
			text := c.String()
			switch {
			case c.IsFalse() || count[text] < live:
				out = append(out, logic.Implies(here, c))
			case !said[text]:
				said[text] = true
				out = append(out, c)
			}
		}
	}
	return slices.DeleteFunc(out, (*logic.Term).IsTrue)
}
