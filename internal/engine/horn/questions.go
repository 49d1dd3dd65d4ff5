package horn

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/smt"
)

// questions are the conversations with a solver about a problem.
type questions struct {
	p        *problem
	driver   smt.Driver
	strategy string
	seed     int
	log      string
	plain    *smt.Session // about formulas
	limit    int64        // of resources
}

// attempts is how often a question is asked, with other seeds.
const attempts = 4

// patience is the guard of a question, which its resources limit earlier.
const patience = 10 * time.Minute

// invariant finds the invariants of all values of the control: first of the ones that are left when
// steps are composed, by their edges, then of the others, one by one.
func (q *questions) invariant(
	ctx context.Context, left []*edge, gone []block,
) (*Answer, error) {
	known := map[int]*logic.Term{}
	for _, b := range gone {
		known[b.place] = logic.True // it is in no clause
	}
	a, err := q.solve(ctx, left, known, q.seed)
	for i := len(gone) - 1; i >= 0 && a == nil && err == nil; i-- {
		// These are simple questions, but Spacer may be stuck on one.
		for again := range attempts {
			delete(known, gone[i].place)
			if a, err = q.solve(ctx, gone[i].edges, known, q.seed+again); a == nil || a.Violated ||
				err != nil {
				break
			}
		}
		if a != nil && a.Violated {
			a = &Answer{Reason: "the invariant that was found is too weak between its places"}
		}
	}
	if a != nil || err != nil {
		return a, err
	}
	return &Answer{Lemmas: q.p.lemmas(known)}, nil
}

// solve finds the invariants that are not known, of the values of the control that the edges have.
// The solution goes into known, without the conjuncts that it does without; an answer says why
// there is none.
func (q *questions) solve(
	ctx context.Context, edges []*edge, known map[int]*logic.Term, seed int,
) (*Answer, error) {
	session := smt.NewSession(q.driver,
		smt.Config{Strategy: q.strategy, Seed: seed, Wall: patience, LogDir: q.log})
	defer session.Close()
	c := newClauses(q.p, known)
	for _, e := range edges {
		if err := c.rule(e); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNotHorn, err)
		}
	}
	a, err := session.Check(ctx, smt.Query{Name: "horn", Body: c.script.Lines(), Rlimit: q.limit})
	switch {
	case err != nil:
		return nil, fmt.Errorf("solving Horn clauses: %w", err)
	case a.Status == smt.Unsat:
		return &Answer{Violated: true}, nil
	case a.Status == smt.Unknown:
		return &Answer{Reason: a.Reason}, nil
	}
	model, err := session.Model(ctx)
	if err != nil {
		return nil, fmt.Errorf("solving Horn clauses: %w", err)
	}
	found, err := c.read(model)
	if err != nil {
		return &Answer{Reason: err.Error()}, nil
	}
	for i := range c.invs {
		known[i] = logic.False // no edge leads there
	}
	maps.Copy(known, found)
	return nil, q.weaken(ctx, edges, known, slices.Sorted(maps.Keys(found)))
}

// weaken drops conjuncts of invariants as long as they are a solution without them. A clause of an
// edge to a place holds all the more when the invariant there is weaker, so only the edges from it
// are asked about, the edge that needed the conjunct before first.
func (q *questions) weaken(
	ctx context.Context, edges []*edge, known map[int]*logic.Term, places []int,
) error {
	for _, i := range places {
		var out []*edge
		for _, e := range edges {
			if e.from == i {
				out = append(out, e)
			}
		}
		all := logic.Conjuncts(known[i])
		for k := len(all) - 1; k >= 0; k-- {
			whole := known[i]
			fewer := slices.Delete(slices.Clone(all), k, k+1)
			known[i] = logic.And(fewer...)
			broken, err := q.firstBroken(ctx, out, known)
			if err != nil {
				return err
			}
			if broken < 0 {
				all = fewer
				continue
			}
			known[i] = whole
			e := out[broken]
			copy(out[1:broken+1], out[:broken])
			out[0] = e
		}
	}
	return nil
}

// firstBroken gives the index of the first edge whose clause the invariants violate, as the solver
// says, or -1 if there is none.
func (q *questions) firstBroken(
	ctx context.Context, edges []*edge, known map[int]*logic.Term,
) (int, error) {
	for i, e := range edges {
		c := newClauses(q.p, known)
		body, err := c.counterexample(e)
		if err != nil {
			return 0, err
		}
		a, err := q.plain.Check(ctx, smt.Query{Name: "solution", Body: body, Rlimit: q.limit})
		if err != nil {
			return 0, fmt.Errorf("checking a solution of Horn clauses: %w", err)
		}
		if a.Status != smt.Unsat {
			return i, nil
		}
	}
	return -1, nil
}
