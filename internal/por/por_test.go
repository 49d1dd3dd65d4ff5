package por

import (
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
)

// watcher runs ground actions in the interpreter.
type watcher struct {
	*interp.Model
	*Analysis
	t    *testing.T
	seen map[string]*doings
}

// doings are the steps of the ground actions in a state.
type doings struct {
	state  interp.State
	steps  [][]string // for each ground action, the keys of its outcomes, sorted
	failed []bool     // for each ground action, whether its evaluation failed
	inside bool       // whether the state is within all ranges
}

func (w *watcher) size(s *logic.Sort) int64 {
	switch s.Kind {
	case logic.KindBool:
		return 2
	case logic.KindEnum:
		return int64(len(s.Members))
	case logic.KindRange:
		if hi := w.Instance.Values[s.Hi.Symbol]; hi != nil {
			return hi.Int.Int64() + 1
		}
		return s.Hi.Int.Int64() + 1
	}
	return int64(w.Instance.Sizes[s])
}

// grounded makes an action without parameters from an action with the values of its parameters at
// an index.
func (w *watcher) grounded(a *system.Action, place int64) *system.Action {
	out := &system.Action{Name: a.Name, Imperative: a.Imperative, Modifies: a.Modifies,
		Code: a.Code}
	for _, p := range slices.Backward(a.Params) {
		value := logic.Literal(p.Sort, place%w.size(p.Sort))
		place /= w.size(p.Sort)
		out.Code = append([]system.Stmt{system.Let{Var: p, Value: value}}, out.Code...)
	}
	return out
}

func (w *watcher) at(state interp.State) *doings {
	key := w.Key(state)
	if d := w.seen[key]; d != nil {
		return d
	}
	n := w.first[len(w.first)-1]
	d := &doings{state: state.Clone(), steps: make([][]string, n), failed: make([]bool, n),
		inside: true}
	w.seen[key] = d
	for _, p := range w.System.Properties {
		if p.Kind == system.Range {
			holds, err := w.Holds(p.Term, state)
			d.inside = d.inside && holds && err == nil
		}
	}
	if !d.inside {
		return d
	}
	for i, a := range w.System.Actions {
		for g := w.first[i]; g < w.first[i+1]; g++ {
			err := w.Steps(w.t.Context(), state, w.grounded(a, int64(g-w.first[i])), func(
				s interp.Step,
			) error {
				d.steps[g] = append(d.steps[g], w.Key(s.State))
				return nil
			})
			var action *interp.ActionError
			if d.failed[g] = errors.As(err, &action); err != nil && !d.failed[g] {
				w.t.Fatal(err)
			}
		}
	}
	for g := range d.steps {
		slices.Sort(d.steps[g])
		d.steps[g] = slices.Compact(d.steps[g])
	}
	return d
}

func (w *watcher) after(key string) *doings { return w.at(w.StateOfKey(key)) }

// both lists the keys of the states after a step of a and then a step of b. It reports whether
// every state in between is fit for a comparison.
func (w *watcher) both(d *doings, a, b int) (out []string, ok bool) {
	for _, key := range d.steps[a] {
		between := w.after(key)
		if !between.inside {
			return nil, false
		}
		if between.failed[b] != d.failed[b] ||
			(len(between.steps[b]) == 0) != (len(d.steps[b]) == 0) {
			w.t.Errorf("the independent %d changes whether %d is enabled", a, b)
		}
		out = append(out, between.steps[b]...)
	}
	slices.Sort(out)
	return slices.Compact(out), true
}

type tally struct {
	independent, commuting, guarded, kept int
	enabled, taken                        int // of the states, and of these in stubborn sets
	visible                               int // pairs that mend and break a part of a claim
}

// watch checks the results of an analysis in reachable states.
func watch(t *testing.T, sys *system.System, limit int, n *tally) {
	m, err := interp.NewModel(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	var claims []*logic.Term
	for _, p := range sys.Properties {
		if p.IsInvariant() {
			claims = append(claims, p.Term)
		}
	}
	a, err := New(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	withClaims, err := New(m, claims)
	if err != nil {
		t.Fatal(err)
	}
	w := &watcher{Model: m, Analysis: a, t: t, seen: map[string]*doings{}}
	claimed := &watcher{Model: m, Analysis: withClaims, t: t, seen: w.seen}
	chooser := withClaims.NewChooser()
	var queue []interp.State
	known := map[string]bool{}
	visit := func(s interp.State) error {
		if key := m.Key(s); !known[key] && len(queue) < limit {
			known[key] = true
			queue = append(queue, s.Clone())
		}
		return nil
	}
	if err := m.Initial(t.Context(), visit); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(queue) && !t.Failed(); i++ {
		d := w.at(queue[i])
		if !d.inside {
			continue
		}
		for g := range d.steps {
			for _, key := range d.steps[g] {
				_ = visit(m.StateOfKey(key))
			}
			w.pairs(d, g, n)
			w.enablers(d, g, n)
		}
		claimed.stubborn(d, chooser, n)
	}
	claimed.visible(claims, n)
	if t.Failed() {
		t.Log(sys)
	}
}

// pairs compares the two orders of a ground action and each ground action that is independent of
// it.
func (w *watcher) pairs(d *doings, a int, n *tally) {
	for b := range a {
		if w.dependent[a].Has(b) != w.dependent[b].Has(a) {
			w.t.Errorf("dependence of %d and %d is not symmetric", a, b)
		}
		if w.dependent[a].Has(b) || d.failed[a] || d.failed[b] {
			continue
		}
		n.independent++
		ab, ok := w.both(d, a, b)
		ba, ok2 := w.both(d, b, a)
		if !ok || !ok2 || len(d.steps[a]) == 0 || len(d.steps[b]) == 0 {
			continue
		}
		if n.commuting++; !slices.Equal(ab, ba) {
			w.t.Errorf("%d and %d do not commute in %v", a, b, d.state)
		}
	}
}

// enablers checks that a disabled ground action stays disabled until one of the given others is
// taken.
func (w *watcher) enablers(d *doings, g int, n *tally) {
	check := func(enabling Set, still func(*doings) bool) {
		for other := range d.steps {
			if enabling.Has(other) || d.failed[other] {
				continue
			}
			for _, key := range d.steps[other] {
				after := w.after(key)
				if n.kept++; after.inside && !still(after) {
					w.t.Errorf("%d enables %d, or lets it fail, in %v", other, g, d.state)
				}
			}
		}
	}
	off := func(d *doings) bool { return len(d.steps[g]) == 0 && !d.failed[g] }
	if off(d) {
		check(w.enabling[g], off)
	}
	for _, guard := range w.guards[g] {
		fails := func(d *doings) bool {
			holds, err := w.Holds(w.terms[guard.term], d.state)
			if err != nil {
				w.t.Errorf("a guard fails: %v", err)
			}
			return !holds && off(d)
		}
		if holds, _ := w.Holds(w.terms[guard.term], d.state); !holds && !d.failed[g] {
			if n.guarded++; !off(d) {
				w.t.Errorf("%d is enabled although a guard is false, in %v", g, d.state)
			}
			check(guard.enabling, fails)
		}
	}
}

func TestIndependenceOnGeneratedSystems(t *testing.T) {
	var n tally
	for seed := range int64(800) {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)),
			systemtest.Options{Actions: 4, Bits: 8})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { watch(t, sys, 60, &n) })
	}
	n.expect(t, tally{310_403, 119_286, 33_569, 640_688, 167_394, 142_833, 8917})
}

func TestIndependenceOnProcesses(t *testing.T) {
	var n tally
	for seed := range int64(800) {
		sys, _, err := ere.Compile("processes.ere",
			systemtest.Processes(rand.New(rand.NewSource(seed))))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { watch(t, sys, 60, &n) })
	}
	n.expect(t, tally{339_465, 25_173, 98_398, 525_565, 31_441, 24_175, 617})
}

// Values of a parameter that an argument cannot have make an evaluation fail: what comes after it
// in the order of evaluation is no guard.
func TestIndependenceWithFailures(t *testing.T) {
	sys, _, err := ere.Compile("ranges.ere", `type small = 0..2
type large = 0..4
mutable function f(small): small
mutable relation g(large)
mutable constant n: large
init (forall I: small. f(I) = 0) & (forall I: large. !g(I)) & n = 0
action put(k: large) { require n > 0; f(k) := 1; }
action ask(k: large) { require f(k) = 1; n := k; }
action both(k: large) { require g(k); require f(k) = 1; require n = 3; g(k) := false; }
action within(k: small) { require f(k) = 1; require !g(k); g(k) := true; n := k; }
action late(k: large) { require n = 3 & f(k) = 0; n := 0; }
action up() { require n < 4; n := n + 1; }
safety [few] forall K: small. f(K) = 1 -> n > 0
safety [none] !g(4)
instance only { }
`)
	if err != nil {
		t.Fatal(err)
	}
	var n tally
	watch(t, sys, 300, &n)
	if t.Logf("%+v", n); n.independent < 1000 || n.guarded < 1000 {
		t.Errorf("too little was compared: %+v", n)
	}
}

// expect compares with what is found now. Other generated systems need other numbers; a change of
// the analysis that finds less is to be seen.
func (n tally) expect(t *testing.T, least tally) {
	t.Helper()
	t.Logf("%+v", n)
	if n.independent < least.independent || n.commuting < least.commuting ||
		n.guarded < least.guarded || n.kept < least.kept || n.enabled < least.enabled ||
		n.taken > least.taken || n.visible < least.visible {
		t.Errorf("the analysis finds less than before: %+v, not %+v", n, least)
	}
}
