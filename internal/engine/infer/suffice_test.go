package infer

import (
	"context"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

const exclusion = `sort process
mutable relation waiting(process), inside(process)
mutable relation free
init !waiting(P) & !inside(P) & free
action ask(p: process) { require !waiting(p) & !inside(p); waiting(p) := true; }
action enter(p: process) {
  require waiting(p) & free;
  waiting(p) := false; inside(p) := true; free := false;
}
action leave(p: process) { require inside(p); inside(p) := false; free := true; }
`

// about gives the system without the claim of a text, and the question whether one step leads out
// of the claim, from a state in which it and lemmas are true.
func about(t *testing.T, text string) (*system.System, Question) {
	t.Helper()
	claim := testkit.Compile(t, exclusion+text)
	sys := *claim
	sys.Properties = nil
	return &sys, asked(func(ctx context.Context, lemmas []*system.Property) (*result.Trace, error) {
		with := *claim
		for _, l := range lemmas {
			trusted := *l
			trusted.Kind = system.Trusted
			with.Properties = append(slices.Clip(with.Properties), &trusted)
		}
		opts := induction.Options{}
		opts.Drivers = testkit.Solvers(t)[:1]
		results, err := induction.Prove(ctx, &with, opts)
		if err != nil {
			return nil, err
		}
		return results[0].Trace, nil
	})
}

// asked is a question that stays the same.
type asked func(context.Context, []*system.Property) (*result.Trace, error)

func (q asked) Counterexample(
	ctx context.Context, lemmas []*system.Property,
) (*result.Trace, error) {
	return q(ctx, lemmas)
}

func (asked) Refuted(context.Context) (bool, error) { return false, nil }

// The candidates answer the question, and are true in all states that are explored, here of an
// instance that is larger than the ones of the search.
func TestSuffice(t *testing.T) {
	sys, ask := about(t, "safety inside(P) & inside(Q) -> P = Q")
	var opts Options
	opts.Drivers = testkit.Solvers(t)[:1]
	found, err := Suffice(t.Context(), sys, ask, opts)
	if err != nil || len(found) == 0 {
		t.Fatalf("%d candidates: %v", len(found), err)
	}
	if trace, err := ask.Counterexample(t.Context(), found); err != nil || trace != nil {
		t.Errorf("the candidates do not suffice: %v", err)
	}
	in := &system.Instance{Name: "five"}
	in.Sizes = newInstances(sys).uniform(5).Sizes
	m, err := interp.NewModel(sys, in)
	if err != nil {
		t.Fatal(err)
	}
	w, err := explore(t.Context(), newStructure(m), nil, nil, 0, exploreAll)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range found {
		for _, state := range w.states {
			if holds, err := m.Holds(p.Term, state); err != nil || !holds {
				t.Errorf("%s is false in a reachable state: %v", p.Term, err)
				break
			}
		}
	}
}

// Nothing excludes a state that runs reach.
func TestNothingSuffices(t *testing.T) {
	sys, ask := about(t, "safety waiting(P) -> free")
	var opts Options
	opts.Drivers = testkit.Solvers(t)[:1]
	found, err := Suffice(t.Context(), sys, ask, opts)
	if err != nil || found != nil {
		t.Errorf("%d candidates: %v", len(found), err)
	}
}

// given is a question that is dropped once its counterexample is taken for reachable.
type given struct {
	asked
	refuted int
}

func (q *given) Counterexample(
	ctx context.Context, lemmas []*system.Property,
) (*result.Trace, error) {
	if q.refuted > 0 {
		return nil, nil
	}
	return q.asked(ctx, lemmas)
}

func (q *given) Refuted(context.Context) (bool, error) {
	q.refuted++
	return true, nil
}

// Where nothing excludes a state, another question may take the place of the first.
func TestRefuted(t *testing.T) {
	sys, ask := about(t, "safety waiting(P) -> free")
	var opts Options
	opts.Drivers = testkit.Solvers(t)[:1]
	q := &given{asked: ask.(asked)}
	if _, err := Suffice(t.Context(), sys, q, opts); err != nil || q.refuted != 1 {
		t.Errorf("refuted %d times: %v", q.refuted, err)
	}
}
