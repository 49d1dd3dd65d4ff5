package verify

import (
	"context"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
)

// idle is an engine that does nothing but report this.
type idle struct{}

func (idle) Name() string { return "idle" }

func (idle) Accepts(t *engine.Task) string {
	if t.Method != engine.Prove || !t.Has(engine.Claim.IsInvariant) {
		return "no invariant is to be proved"
	}
	return ""
}

func (idle) Run(_ context.Context, t *engine.Task, to engine.Sink) (*engine.Findings, error) {
	to.Note("a note")
	found := &engine.Findings{Summary: "idle: done"}
	for _, name := range t.Names(engine.Claim.IsInvariant) {
		found.Results = append(found.Results,
			result.Result{Property: name, Verdict: result.Unknown, Scope: result.ScopeAll, Engine: "idle",
				Reason: result.Because(result.NotProved, "nothing was tried")})
	}
	return found, nil
}

// A new engine is its own package, with the methods of idle, and a line in engines. Everything else
// follows from Accepts.
func TestAnotherEngine(t *testing.T) {
	sys, _, err := ere.Compile("x.ere", "mutable relation p\ninit !p\nsafety [never] !p\nsafety [other] p -> p\n")
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	r, err := newRun(sys, Options{Only: []string{"never"}, Progress: func(p engine.Progress) {
		parts = append(parts, p.Text)
	}})
	if err != nil {
		t.Fatal(err)
	}
	for method, want := range map[engine.Method]bool{engine.Prove: true, engine.Explore: false,
		engine.Search: false} {
		all := accepting(append(r.engines(), idle{}), r.task(method))
		if got := slices.ContainsFunc(all, func(e engine.Engine) bool {
			return e.Name() == "idle"
		}); got != want {
			t.Errorf("%s: accepted %t", method, got)
		}
	}
	if _, err := r.give(t.Context(), r.task(engine.Prove), []engine.Engine{idle{}}); err != nil {
		t.Fatal(err)
	}
	results := r.ledger.results
	if len(results) != 1 || results[0].Property != "never" || results[0].Engine != "idle" ||
		!slices.Equal(r.ledger.notes, []string{"a note"}) ||
		!slices.Equal(parts, []string{"idle: done"}) {
		t.Errorf("%+v %q %q", r.ledger.results, r.ledger.notes, parts)
	}
}

// Every engine has a name of its own, and gives the reason when it refuses a task.
func TestEveryEngineRefuses(t *testing.T) {
	sys, _, err := ere.Compile("x.ere", "mutable relation p\ninit !p\n")
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRun(sys, Options{})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, e := range r.engines() {
		if e.Name() == "" || names[e.Name()] {
			t.Errorf("the name %q", e.Name())
		}
		names[e.Name()] = true
		if e.Accepts(&engine.Task{Method: "another", System: sys}) == "" {
			t.Errorf("%s accepts a method that does not exist", e.Name())
		}
		if e.Accepts(&engine.Task{Method: engine.Explore}) == "" {
			t.Errorf("%s accepts a task without a system", e.Name())
		}
	}
}
