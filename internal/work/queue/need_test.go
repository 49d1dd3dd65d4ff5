package queue

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/verify"
	"erelong.dev/erelong/internal/work"
)

// A worker takes from a queue if and only if it has what the jobs there need.
func TestNeeds(t *testing.T) {
	tags := []string{"memory=64G", "site=a"}
	var all []need
	for _, solves := range []bool{false, true} {
		for set := range 1 << 4 {
			n := need{solves: solves}
			for i, tag := range append(slices.Clone(tags), "solver=cvc5", "solver=z3") {
				if set>>i&1 == 1 {
					n.tags = append(n.tags, tag)
				}
			}
			all = append(all, n)
		}
	}
	tokens := map[string]bool{}
	for _, n := range all {
		tokens[n.token()] = true
	}
	if len(tokens) != len(all) {
		t.Errorf("%d queues for %d needs", len(tokens), len(all))
	}
	for _, p := range []Presence{
		{}, {Solvers: []string{"z3"}}, {Tags: tags}, {Tags: tags[:1], Solvers: []string{"cvc5"}},
		{Tags: tags, Solvers: []string{"cvc5", "z3"}},
	} {
		var takes []string
		for _, n := range p.needs() {
			takes = append(takes, n.token())
		}
		for _, n := range all {
			solverTags := slices.ContainsFunc(n.tags, func(tag string) bool {
				return strings.HasPrefix(tag, "solver=")
			})
			if !n.solves && solverTags {
				continue // no job has this need
			}
			if got, want := slices.Contains(takes, n.token()), n.met(&p); got != want {
				t.Errorf("%+v takes what needs %v: %v, want %v", p, n, got, want)
			}
		}
	}
}

// A job that needs a tag goes to a worker that has it. Where there is none, this is said by name.
func TestTags(t *testing.T) {
	s := start(t)
	worker(t, s, "plain", "v1")
	worker(t, s, "large", "v1", "memory=64G", "site=a")
	c := connect(t, s, "v1")
	source, tasks := small(t, 6)
	var notes []string
	for _, needs := range [][]string{{"memory=64G"}, {"memory=64G", "site=a"}} {
		r := begin(t, c, "", &notes)
		r.Needs, r.fresh = needs, true
		for _, task := range tasks {
			carriedOut(t, &Spread{Run: r, Source: source}, task)
		}
		if r.tally.done["large"] != len(tasks) || len(r.tally.done) != 1 {
			t.Errorf("what needs %v was done by %v", needs, r.tally.done)
		}
	}
	j, err := source.Job("v1", "explicit", tasks[0], verify.Default())
	if err != nil {
		t.Fatal(err)
	}
	r := begin(t, c, "", &notes)
	r.Needs, r.fresh, r.patience = []string{"memory=128G"}, true, 100*time.Millisecond
	_, err = r.Do(t.Context(), j, engine.Sink{})
	var lost *verify.LostError
	if !errors.As(err, &lost) || !strings.Contains(err.Error(), "with memory=128G") ||
		!strings.Contains(err.Error(), "large has ") {
		t.Errorf("%v", err)
	}
	err = c.Fit(t.Context(), r.Needs, 1, 0)
	if err == nil || !strings.Contains(err.Error(), "with memory=128G") {
		t.Errorf("%v", err)
	}
	proof := &work.Job{Method: engine.Prove}
	proof.Options.Solving.Solvers = []string{"cvc5"}
	if n := needOf(proof, r.Needs); n.String() != "memory=128G and solver=cvc5" {
		t.Errorf("a proof by cvc5 needs %v", n)
	}
}
