package verify

import (
	"context"
	"math/rand"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/cti"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

func prove(t *testing.T, sys *system.System) []result.Result {
	t.Helper()
	out, err := Run(testkit.Solving(t), sys, Options{Prove: true, Induct: induction.Options{}})
	if err != nil {
		t.Fatal(err)
	}
	return out.Results
}

// naive finds all reachable states with the interpreter; nil when there are more than a limit, or
// an action has no value.
func naive(t *testing.T, m *interp.Model, limit int) []interp.State {
	t.Helper()
	var out []interp.State
	seen := map[string]bool{}
	add := func(s interp.State) error {
		if k := m.Key(s); !seen[k] {
			seen[k] = true
			out = append(out, s.Clone())
		}
		return nil
	}
	if err := m.Initial(t.Context(), add); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(out); i++ {
		if len(out) > limit {
			return nil
		}
		for _, a := range m.System.Actions {
			if err := m.Steps(t.Context(), out[i], a, func(s interp.Step) error {
				return add(s.State)
			}); err != nil {
				return nil
			}
		}
	}
	return out
}

// checkDiagnosis compares the diagnosis of a counterexample to induction with a naive search, and
// gives the proposed clauses.
func checkDiagnosis(
	t *testing.T, sys *system.System, p *system.Property, tr *result.Trace, results []result.Result,
) []*logic.Term {
	t.Helper()
	m, err := modelOf(sys, tr)
	if err != nil {
		t.Fatal(err)
	}
	pre, err := m.StateOf(slices.Concat(tr.Params, tr.Steps[0].State)...)
	if err != nil {
		t.Fatal(err)
	}
	last, err := m.StateOf(slices.Concat(tr.Params, tr.Steps[len(tr.Steps)-1].State)...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Holds(p.Term, last); err == nil && (tr.Why == nil || tr.Why.Value.Bool) {
		t.Errorf("%s is not explained: %v", p.Name, tr.Why)
	}
	states := naive(t, m, 3000)
	if states == nil {
		return nil
	}
	holds := func(f *logic.Term, s interp.State) bool {
		ok, err := m.Holds(f, s)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	reached := slices.ContainsFunc(states, func(s interp.State) bool {
		return slices.Equal(s, pre)
	})
	violated := slices.ContainsFunc(states, func(s interp.State) bool { return !holds(p.Term, s) })
	d := tr.Diagnosis
	switch {
	case violated != (d.Finding == result.Reachable):
		t.Errorf("%s is violated: %t, but the finding is %s\n%s", p.Name, violated, d.Finding, sys)
	case !violated &&
		(reached || d.Finding != result.Unreachable || d.States != int64(len(states))):
		t.Errorf("%s: state 0 reached: %t, of %d; the finding is %s of %d\n%s", p.Name, reached,
			len(states), d.Finding, d.States, sys)
	}
	if violated {
		i := slices.IndexFunc(results, func(r result.Result) bool {
			return r.Property == p.Name && r.Verdict == result.Violated
		})
		if i < 0 {
			t.Fatalf("%s is violated, and no result says so", p.Name)
		}
		if err := interp.Replay(t.Context(), sys, results[i].Trace, p); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		return nil
	}
	clauses := cti.Candidates(t.Context(), sys, tr, m)
	for _, c := range clauses {
		if holds(c, pre) {
			t.Errorf("%s: %s is true in state 0\n%s", p.Name, c, sys)
		}
		for _, s := range states {
			if !holds(c, s) {
				t.Errorf("%s: %s is false in a reachable state\n%s", p.Name, c, sys)
				break
			}
		}
	}
	return clauses
}

// claimWhatHolds adds a property to a generated system that is true in all reachable states of some
// small instances: if it is not inductive, it need not be violated.
func claimWhatHolds(t *testing.T, sys *system.System, rng *rand.Rand) {
	t.Helper()
	small := systemtest.Unnamed(sys)
	states := map[*interp.Model][]interp.State{}
	var m *interp.Model
	for size := 1; size <= 2; size++ {
		for limit := range int64(3) {
			in := &system.Instance{Sizes: map[*logic.Sort]int{},
				Values: map[*logic.Symbol]*logic.Term{}}
			for s := range small.Sizes {
				in.Sizes[s] = size
			}
			for s, v := range small.Values {
				in.Values[s] = v
				if s.Result.Base() == logic.Int {
					in.Values[s] = logic.IntLit(limit)
				}
			}
			next, err := interp.NewModel(sys, in)
			if err != nil {
				t.Fatal(err)
			}
			if found := naive(t, next, 1000); len(found) > 0 {
				m, states[next] = next, found
			}
		}
	}
	if m == nil {
		return
	}
	other := states[m][len(states[m])-1].Clone()
	for i, s := range m.SlotSymbols() {
		if s.Mutable && s.Result == logic.Bool && rng.Intn(2) == 0 {
			other[i] = 1 - other[i]
		}
	}
	cti.Clauses(m, other, func(c *logic.Term) (taken, enough bool) {
		for m, found := range states {
			for _, s := range found {
				if ok, err := m.Holds(c, s); err != nil || !ok {
					return false, false
				}
			}
		}
		if rng.Intn(4) > 0 { // not always the simplest, which is often inductive
			return false, false
		}
		sys.Properties = append(sys.Properties,
			&system.Property{Name: "clause", Kind: system.Safety, Term: c})
		return true, true
	})
}

func TestDiagnosesOfGeneratedSystems(t *testing.T) {
	testkit.Solvers(t)
	found := map[result.Finding]int{}
	proposed := 0
	for seed := range testkit.Size(25, 60) {
		rng := rand.New(rand.NewSource(seed))
		sys, err := systemtest.Generate(rng, systemtest.Options{Bits: 6, Properties: 1, Actions: 2})
		if err != nil {
			t.Fatal(err)
		}
		if seed%5 > 0 {
			sys.Properties = slices.DeleteFunc(sys.Properties, func(p *system.Property) bool {
				return p.Kind != system.Range
			})
			claimWhatHolds(t, sys, rng)
		}
		results := prove(t, sys)
		for _, r := range results {
			if r.Trace == nil || r.Trace.Diagnosis == nil ||
				r.Trace.Diagnosis.Finding == result.NotExplored {
				continue
			}
			found[r.Trace.Diagnosis.Finding]++
			proposed += len(checkDiagnosis(t, sys, sys.Property(r.Property), r.Trace, results))
		}
	}
	t.Log(found, proposed)
	if found[result.Reachable] == 0 || found[result.Unreachable] == 0 || proposed == 0 {
		t.Errorf("findings %v, %d candidates", found, proposed)
	}
}

const lockServer = `
sort node
mutable relation server
mutable relation held(node)
init server
init !held(N)
action lock(n: node) { require server; server := false; held(n) := true; }
action unlock(n: node) { require held(n); held(n) := false; server := true; }
safety [mutex] held(A) & held(B) -> A = B
`

const phases = `
enum phase { idle, wait, work }
sort process
mutable function at(process): phase
mutable constant turn: process
init at(P) = idle
action ask(p: process) { require at(p) = idle & (forall Q. at(Q) = idle); at(p) := wait; turn := p; }
action enter(p: process) { require at(p) = wait; at(p) := work; }
action leave(p: process) { require at(p) = work; at(p) := idle; }
safety [mutex] at(P) = work & at(Q) = work -> P = Q
`

const counter = `
immutable constant limit: int
mutable constant x: int
mutable constant y: int
axiom limit > 0
init x = 0 & y = 0
action step() { x := x + y; }
safety [natural] x >= 0
`

// The candidates can be pasted into the file, and the solvers then confirm their ratings.
func TestCandidatesCanBePasted(t *testing.T) {
	testkit.Solvers(t)
	for name, text := range map[string]string{"lock server": lockServer, "phases": phases,
		"counter": counter} {
		t.Run(name, func(t *testing.T) {
			sys, _, err := ere.Compile("x.ere", text)
			if err != nil {
				t.Fatal(err)
			}
			results := prove(t, sys)
			r := results[0]
			if r.Verdict != result.NotInductive || r.Trace == nil || r.Trace.Diagnosis == nil {
				t.Fatalf("%s: %s (%s)", r.Property, r.Verdict, r.Reason)
			}
			if len(checkDiagnosis(t, sys, sys.Property(r.Property), r.Trace, results)) == 0 {
				t.Error("nothing is proposed")
			}
			for _, c := range r.Trace.Diagnosis.Candidates {
				pasted, _, err := ere.Compile("x.ere", text+c.Formula+"\n")
				if err != nil {
					t.Errorf("%s: %v", c.Formula, err)
					continue
				}
				var holds int
				again, err := induction.Prove(testkit.Solving(t), pasted, induction.Options{})
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range again {
					if x.Verdict == result.Holds {
						holds++
					}
				}
				if (holds == len(again)) != (c.Inductive && c.Suffices) {
					t.Errorf("%s: inductive %t, suffices %t, but %d of %d hold", c.Formula,
						c.Inductive, c.Suffices, holds, len(again))
				}
			}
		})
	}
}

func TestFirstCandidates(t *testing.T) {
	testkit.Solvers(t)
	for _, test := range []struct{ name, text, want string }{
		{"lock server", lockServer, "invariant forall N1:node. server -> !held(N1)"},
		{"counter", counter, "invariant 0 <= y"},
	} {
		sys, _, err := ere.Compile("x.ere", test.text)
		if err != nil {
			t.Fatal(err)
		}
		d := prove(t, sys)[0].Trace.Diagnosis
		if len(d.Candidates) == 0 || d.Candidates[0].Formula != test.want ||
			!d.Candidates[0].Inductive || !d.Candidates[0].Suffices {
			t.Errorf("%s: %+v", test.name, d)
		}
	}
}

// A search at its limit and an instance that cannot be explored are reported, and no candidate is
// proposed.
func TestLimitsOfADiagnosis(t *testing.T) {
	testkit.Solvers(t)
	for _, test := range []struct {
		name, text string
		want       result.Finding
	}{
		{"too many states", `
mutable constant x: int
mutable constant y: int
init x = 0 & y = 0
action up() { y := y + 1; }
action step() { x := x + y; }
safety [natural] x >= 0`, result.NotFound},
		{"a choice of any integer", `
mutable constant x: int
mutable constant y: int
init x = 0 & y = 0
action choose_y() { y := *; assume y > 0; }
action step() { x := x + y; }
safety [natural] x >= 0`, result.NotExplored},
		{"an initial state", `
mutable constant x: int
init x = 0
action up(k: 1..1) { assume x >= 0; x := x + k; }
safety [p] x != 0`, result.Reachable},
		{"after 400 steps, which a glance does not reach", `
mutable constant x: int
init x = 0
action up(k: 1..1) { x := x + k; }
safety [p] x != 400`, result.Reachable},
	} {
		t.Run(test.name, func(t *testing.T) {
			sys, _, err := ere.Compile("x.ere", test.text)
			if err != nil {
				t.Fatal(err)
			}
			d := prove(t, sys)[0].Trace.Diagnosis
			if d == nil || d.Finding != test.want || len(d.Candidates) > 0 ||
				(d.Reason != "") != (test.want == result.NotExplored) {
				t.Errorf("%+v", d)
			}
		})
	}
}

// The violations of other people's models are found and shown, within few states.
func TestUnsafeModels(t *testing.T) {
	ctx := testkit.Solving(t)
	dir := testkit.Shared(t, "models", "mypyvy", "unsafe")
	for name, want := range map[string]struct {
		property string
		states   int
		instance string
	}{
		"consensus_unsafe.pyv":              {"safety:55", 6, "node=1,quorum=1,value=1"},
		"lockserv_unsafe.pyv":               {"mutex", 13, "node=2"},
		"sharded-kv_unsafe.pyv":             {"keys_unique", 4, "key=1,value=1,node=2"},
		"paxos_forall_choosable_unsafe.pyv": {"safety:87", 6, "node=1,value=1,quorum=1,round=2"},
	} {
		t.Run(strings.TrimSuffix(name, "_unsafe.pyv"), func(t *testing.T) {
			sys, _, err := ere.Load(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range prove(t, sys) {
				if r.Verdict != result.Violated {
					continue
				}
				if r.Property != want.property || len(r.Trace.Steps) != want.states ||
					r.Scope != want.instance || r.Trace.Why == nil {
					t.Errorf("%s is violated in %d states of %s", r.Property, len(r.Trace.Steps),
						r.Scope)
				}
				if err := interp.Replay(context.WithoutCancel(ctx), sys, r.Trace,
					sys.Property(r.Property)); err != nil {
					t.Error(err)
				}
				return
			}
			t.Error("nothing is violated")
		})
	}
}
