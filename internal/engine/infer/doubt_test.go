package infer

import (
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/testkit"
)

const relay = `
sort node
mutable relation ready(node), sent(node), lost(node)
init !ready(N) & !sent(N) & !lost(N)
action prepare(n: node) { ready(n) := true; }
action send(n: node, m: node) { require ready(n) & n != m; sent(m) := true; }
action lose(n: node) { require lost(n) & sent(n); ready(n) := false; lost(n) := true; }
safety lost(N) -> sent(N)
`

// A candidate that is true in the samples and false in a trial is refuted by states of that: they
// join the samples, and then neither this candidate nor a weaker one that is false there is left.
func TestDoubts(t *testing.T) {
	s := relayed(t)
	of := s.trials.shape(rand.New(rand.NewSource(1)))
	trial, err := explore(t.Context(), of, s.samples.orders, nil, 0, exploreAll)
	if err != nil {
		t.Fatal(err)
	}
	from := s.all(t)
	s.trials.worlds = append(s.trials.worlds, trial)
	refuted := 0
	for _, c := range from {
		states := s.trials.refuting(c)
		if is := slices.ContainsFunc(trial.states, func(st interp.State) bool {
			return !(sample{trial.structure, st}).holds(c.term)
		}); is != (len(states) > 0) {
			t.Errorf("%s: false in the trial is %v, with %d witnesses", c.term, is, len(states))
		}
		for _, x := range states {
			if x.holds(c.term) {
				t.Errorf("%s is true in a witness", c.term)
			}
		}
		if len(states) == 0 {
			continue
		}
		refuted++
		s.clauses.witness(states)
		for _, t0 := range s.clauses.templates {
			if slices.Contains(t0.pool.candidates, c) {
				t.Errorf("%s is still a candidate", c.term)
			}
		}
	}
	if refuted == 0 || refuted == len(from) {
		t.Errorf("%d of %d candidates are refuted", refuted, len(from))
	}
	if len(s.samples.worlds) != 2 {
		t.Errorf("there are %d worlds: witnesses of one trial are one world", len(s.samples.worlds))
	}
	if again := s.trials.shape(rand.New(rand.NewSource(1))); again != nil {
		t.Errorf("%v is tried again", again.model.Instance.Sizes)
	}
}

// relayed is a search whose only samples are initial states.
func relayed(t *testing.T) *search {
	t.Helper()
	sys := testkit.Compile(t, relay)
	s := newSearch(sys, Options{}, nil)
	of, err := s.samples.structure(s.samples.uniform(3))
	if err != nil {
		t.Fatal(err)
	}
	initial, err := of.initial(t.Context(), nil, rand.New(rand.NewSource(0)))
	if err != nil {
		t.Fatal(err)
	}
	s.samples.worlds = []*world{newWorld(of, initial...)}
	s.goals.all = []*goal{{property: sys.Properties[0], term: sys.Properties[0].Term}}
	s.level = 1
	s.grow()
	return s
}

// all grows the candidates that exclude any of the states of the instance.
func (s *search) all(t *testing.T) (out []*candidate) {
	t.Helper()
	of := s.samples.worlds[0].structure
	for number := range 1 << len(of.symbols) {
		st := make(interp.State, len(of.symbols))
		for slot := range st {
			st[slot] = int64(number >> slot & 1)
		}
		w := newWorld(of, st)
		for _, r := range s.clauses.rate(t.Context(), s.clauses.templates, w, s.goals) {
			if !slices.Contains(out, r.candidate) {
				out = append(out, r.candidate)
			}
		}
	}
	return out
}

// Of several candidates, one is taken that no step leads out of.
func TestPreferred(t *testing.T) {
	s := relayed(t)
	sys := s.sys
	at := sample{s.samples.worlds[0].structure, nil}
	for _, c := range s.all(t) {
		kept := s.questions.preserved(t.Context(), s.goals.all, at, c)
		ind, err := s.questions.induction(at.model.Instance, questionConflicts)
		if err != nil {
			t.Fatal(err)
		}
		_, _, found, err := ind.Counterexample(t.Context(),
			[]*logic.Term{sys.Properties[0].Term, c.term}, c.term, nil, 0)
		if err != nil || kept == found {
			t.Errorf("%s: preserved is %v, a step out of it is found: %v, %v", c.term, kept, found,
				err)
		}
	}
	// lost(n) and not sent(n): only what says that nothing is lost excludes it forever.
	var ctis []sample
	for number := range 1 << len(at.symbols) {
		st := make(interp.State, len(at.symbols))
		lost := false
		for slot, sym := range at.symbols {
			st[slot] = int64(number >> slot & 1)
			lost = lost || sym.Name == "lost" && st[slot] == 1
		}
		if lost {
			ctis = append(ctis, sample{at.structure, st})
		}
	}
	best, _ := s.prefer(t.Context(), ctis[len(ctis)-1:])
	if best == nil || !s.questions.preserved(t.Context(), s.goals.all, at, best) {
		t.Errorf("%v is preferred", best)
	}
	if worse := s.clauses.rate(t.Context(), s.clauses.templates, newWorld(at.structure,
		ctis[len(ctis)-1].state), s.goals); s.questions.preserved(t.Context(), s.goals.all, at,
		worse[0].candidate) {
		t.Errorf("%s comes first, and is preserved, too", worse[0].term)
	}
}
