package ranking

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// The states of runs are reachable, and the steps between them are steps of the system.
func TestRunsAreReachable(t *testing.T) {
	from, to := seeds(t, int(testkit.Size(40, 200)))
	states, steps := 0, 0
	for seed := from; seed < min(to, from+400); seed++ {
		text := generated(seed)
		sys := testkit.Compile(t, text)
		for i, r := range runsOf(t.Context(), sys, sys.Instances[:1])[:1] {
			w, err := walkThrough(t.Context(), sys, sys.Instances[i], 20_000, nil, nil)
			if err != nil || !w.whole {
				continue
			}
			reachable := map[string]bool{}
			for _, s := range w.states {
				reachable[w.model.Key(s)] = true
			}
			for _, s := range r.States {
				if states++; !reachable[r.Model.Key(s)] {
					t.Fatalf("seed %d: a state of a run is not reachable\n%s", seed, text)
				}
			}
			for _, s := range r.Edges {
				steps++
				found := false
				err := w.model.Steps(t.Context(), r.States[s.From], s.Action,
					func(x interp.Step) error {
						if found = w.model.Key(x.State) == r.Model.Key(r.States[s.To]) &&
							slices.Equal(x.Args, s.Args); found {
							return interp.ErrStop
						}
						return nil
					})
				if err != nil && !errors.Is(err, interp.ErrStop) || !found {
					t.Fatalf("seed %d: a step of a run is none by %s: %v\n%s", seed, s.Action.Name,
						err, text)
				}
			}
		}
	}
	if states < 50 || steps < 100 {
		t.Errorf("%d states and %d steps", states, steps)
	}
}

// handover has a live property whose proof needs that a token is held by nobody while it is on its
// way.
const handover = `
	sort process
	mutable relation waiting(process)
	mutable relation holds(process)
	mutable relation free, odd
	init !waiting(P) & !holds(P) & free & !odd
	action ask(p: process) {
		require !waiting(p) & !holds(p);
		waiting(p) := true;
		odd := !odd;
	}
	strong fair action enter(p: process) {
		require waiting(p) & free;
		waiting(p) := false; holds(p) := true; free := false;
	}
	fair action leave(p: process) { require holds(p); holds(p) := false; free := true; }
	liveness [served] waiting(P) ~> holds(P)
	instance two { process = 2 }
`

// Where ranking functions that fit the runs are not proved, a counterexample is a state without
// the missing invariant. With it there is none, and it is needed.
func TestFitted(t *testing.T) {
	sys := testkit.Compile(t, handover+`
		invariant [held] free | exists P. holds(P)
		invariant [one] !(holds(P) & free)
		invariant [either] odd | !odd | free`)
	lemmas := slices.Clone(sys.Properties[1:])
	bare := *sys
	bare.Properties = sys.Properties[:1]
	opts := options(t)
	opts.Instances = sys.Instances
	fit, err := Fitted(t.Context(), &bare, bare.Properties[0], opts)
	if err != nil || fit == nil {
		t.Fatalf("nothing fits: %v", err)
	}
	trace, err := fit.Counterexample(t.Context(), nil)
	if err != nil || trace == nil {
		t.Fatalf("no counterexample without the invariants: %v", err)
	}
	in, err := interp.InstanceOf(&bare, trace)
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.NewModel(&bare, in)
	if err != nil {
		t.Fatal(err)
	}
	state, err := m.StateOf(slices.Concat(trace.Params, trace.Steps[0].State)...)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(lemmas, func(p *system.Property) bool {
		holds, err := m.Holds(p.Term, state)
		return err == nil && !holds
	}) {
		t.Errorf("the invariants are true in the counterexample")
	}
	if trace, err = fit.Counterexample(t.Context(), lemmas); err != nil || trace != nil {
		t.Errorf("there is a counterexample with the invariants: %v; %s\n%v", err, fit.open[0].name, trace)
	}
	var names []string
	for _, p := range fit.Needed(lemmas) {
		names = append(names, p.Name)
	}
	if text := strings.Join(names, " "); !strings.Contains(text, "held") ||
		strings.Contains(text, "either") {
		t.Errorf("needed: %s", text)
	}
}

// Nothing fits where a run never gets to what is good.
func TestNothingFits(t *testing.T) {
	sys := testkit.Compile(t, strings.Replace(handover, "strong fair", "fair", 1))
	opts := options(t)
	opts.Instances = sys.Instances
	fit, err := Fitted(t.Context(), sys, sys.Properties[0], opts)
	if err != nil || fit != nil {
		t.Errorf("ranking functions fit: %v", err)
	}
}

// Where a counterexample is in an instance that refutes what fits small ones, the ranking functions
// are fitted to it, too. No lemma is needed then.
func TestFittedAgain(t *testing.T) {
	sys := testkit.Compile(t, `
		immutable constant k: int
		axiom k >= 0
		type number = 0..k
		mutable constant n: number
		mutable constant m: number
		init n = k & m = k
		fair action down() { require n > 0; n := n - 1; }
		action up() { require k > 5 & n < k & m > 0; n := n + 1; m := m - 1; }
		liveness [l] true ~> n = 0
		instance one { k = 1 }
	`)
	opts := options(t)
	opts.Instances, opts.Fits = sys.Instances, &Fits{}
	prop := sys.Property("l")
	fit, err := Fitted(t.Context(), sys, prop, opts)
	if err != nil || fit == nil {
		t.Fatalf("nothing fits: %v", err)
	}
	has := func() bool {
		return slices.ContainsFunc(fit.measures, func(v *variable) bool {
			return v.String() == "m"
		})
	}
	if has() {
		t.Fatal("the small instances do not need m")
	}
	trace, err := fit.Counterexample(t.Context(), nil)
	if err != nil || trace != nil || !has() {
		t.Errorf("%v; %v; m is a measure: %v", err, trace, has())
	}
	if r := prove1(t, opts, sys); r.Verdict != result.Holds {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}
