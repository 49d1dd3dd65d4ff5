package explicit_test

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// oracle computes the reachable states as a fixpoint over all states of a model, from the relations
// of the actions.
type oracle struct {
	*interp.Model
	t           *testing.T
	all         []interp.State
	depth       map[int]int // index in all -> states on a shortest run to it
	levels      int
	transitions int
	deadlocks   int
	outside     int // reachable states that violate a range
}

func newOracle(t *testing.T, m *interp.Model) *oracle {
	t.Helper()
	o := &oracle{Model: m, t: t, depth: map[int]int{}}
	var domains [][]int64
	for _, mutable := range []bool{false, true} {
		for _, s := range m.System.Symbols {
			if d := m.System.DerivedOf(s); s.Mutable != mutable || d != nil && d.Body != nil {
				continue
			}
			points := 1
			for _, a := range s.Args {
				points *= len(o.values(a))
			}
			values := o.values(s.Result)
			if v := m.Instance.Values[s]; v != nil {
				values = []int64{o.literal(v)}
			} else if s.Result.Kind == logic.KindRange {
				values = append(values, values[0]-1, values[len(values)-1]+1)
			}
			for range points {
				domains = append(domains, values)
			}
		}
	}
	o.enumerate(domains, nil)
	for i, s := range o.all {
		if m.Check(s, true) == nil {
			o.depth[i] = 1
		}
	}
	for changed := true; changed; {
		changed = false
		o.levels++
		for i := range o.all {
			if o.depth[i] == o.levels {
				changed = o.expand(i) || changed
			}
		}
	}
	if len(o.depth) == 0 {
		o.levels = 0
	}
	return o
}

func (o *oracle) enumerate(domains [][]int64, s interp.State) {
	if len(domains) == 0 {
		if o.Check(s, false) == nil {
			o.all = append(o.all, s.Clone())
		}
		return
	}
	for _, v := range domains[0] {
		o.enumerate(domains[1:], append(s, v))
	}
}

func (o *oracle) values(s *logic.Sort) []int64 {
	lo, hi := int64(0), int64(0)
	switch s.Kind {
	case logic.KindBool:
		hi = 1
	case logic.KindEnum:
		hi = int64(len(s.Members)) - 1
	case logic.KindUninterpreted:
		hi = int64(o.Instance.Sizes[s]) - 1
	case logic.KindRange:
		lo, hi = o.literal(s.Lo), o.literal(s.Hi)
	case logic.KindInt:
		return nil // fixed by the instance
	}
	var out []int64
	for v := lo; v <= hi; v++ {
		out = append(out, v)
	}
	return out
}

// literal is the value of a literal, or of a parameter that the instance fixes.
func (o *oracle) literal(t *logic.Term) int64 {
	if t.Op == logic.OpApp {
		t = o.Instance.Values[t.Symbol]
	}
	v, err := o.Eval(t)
	if err != nil {
		o.t.Fatal(err)
	}
	return v
}

func (o *oracle) inRange(s interp.State) bool {
	for _, p := range o.System.Properties {
		if p.Kind == system.Range && !o.holds(p, s) {
			return false
		}
	}
	return true
}

func (o *oracle) holds(p *system.Property, s interp.State) bool {
	holds, err := o.Holds(p.Term, s)
	if err != nil && p.Kind == system.Range {
		o.t.Fatal(err)
	}
	return holds
}

// expand adds the unknown successors of a state, and reports whether there are any.
func (o *oracle) expand(i int) (found bool) {
	if !o.inRange(o.all[i]) {
		o.outside++
		return false
	}
	before := o.transitions
	for _, a := range o.System.Actions {
		taken := map[int]bool{}
		o.eachArgs(a.Params, nil, func(args []interp.Arg) {
			for j, post := range o.all {
				if taken[j] {
					continue
				}
				related, err := o.Related(context.Background(), a, args, o.all[i], post)
				if err != nil && o.inRange(post) {
					o.t.Fatal(err)
				}
				if !related {
					continue
				}
				taken[j] = true
				o.transitions++
				if o.depth[j] == 0 {
					o.depth[j] = o.levels + 1
					found = true
				}
			}
		})
	}
	if o.transitions == before {
		o.deadlocks++
	}
	return found
}

func (o *oracle) eachArgs(params []*logic.Var, args []interp.Arg, visit func([]interp.Arg)) {
	if len(params) == 0 {
		visit(args)
		return
	}
	for _, v := range o.values(params[0].Sort) {
		o.eachArgs(params[1:], append(args, interp.Arg{Var: params[0], Value: v}), visit)
	}
}

// violation is the depth of the first state that violates a property, and the number of states up
// to this depth; 0 if none.
func (o *oracle) violation(p *system.Property) (depth, states int) {
	for i, d := range o.depth {
		if !o.holds(p, o.all[i]) && (depth == 0 || d < depth) {
			depth = d
		}
	}
	for _, d := range o.depth {
		if d <= depth {
			states++
		}
	}
	return depth, states
}

func TestExplorationAgreesWithFixpoint(t *testing.T) {
	verdicts := map[result.Verdict]int{}
	seeds := testkit.Size(25, 150)
	for seed := range seeds {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)), systemtest.Options{Bits: 6})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			compareWithFixpoint(t, sys, verdicts)
		})
	}
	t.Log(verdicts)
	for _, v := range []result.Verdict{result.Holds, result.Violated} {
		if verdicts[v] < int(2*seeds/3) {
			t.Errorf("only %d results are %q", verdicts[v], v)
		}
	}
}

func compareWithFixpoint(t *testing.T, sys *system.System, verdicts map[result.Verdict]int) {
	m, err := interp.NewModel(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	o := newOracle(t, m)
	results, stats := checkStats(t, sys, explicit.Options{})
	if stats.Complete {
		got := fmt.Sprint(stats.States, stats.Transitions, stats.Depth, stats.Deadlocks)
		want := fmt.Sprint(len(o.depth), o.transitions, o.levels, o.deadlocks)
		if got != want {
			t.Errorf("states, transitions, depth, deadlocks: %s; want %s\n%s", got, want, sys)
		}
		levels := make([]int64, o.levels)
		for _, d := range o.depth {
			levels[d-1]++
		}
		if !slices.Equal(stats.Levels, levels) {
			t.Errorf("levels %v; want %v\n%s", stats.Levels, levels, sys)
		}
	}
	for _, p := range sys.Properties {
		if !p.IsInvariant() {
			continue
		}
		got := results[p.Name]
		verdicts[got.Verdict]++
		want := result.Result{Verdict: result.Holds, Depth: int64(o.levels),
			States: int64(len(o.depth))}
		switch depth, states := o.violation(p); {
		case len(o.depth) == 0:
			want.Verdict = result.NothingChecked
		case depth > 0:
			want.Verdict, want.Depth, want.States = result.Violated, int64(depth), int64(states)
		case o.outside > 0:
			want.Verdict = result.HoldsUpTo
		}
		if (got.Verdict == result.HoldsUpTo || got.Verdict == result.HoldsInitially) &&
			!stats.Complete && p.Kind != system.Safety {
			// The search stopped at the violation of the safety properties: this one is violated
			// later or never.
			if want.Verdict == result.Violated && want.Depth <= got.Depth ||
				!strings.HasPrefix(got.Reason.Text, "the search stopped at the violation of ") {
				t.Errorf("%s: %s; the fixpoint says %s, depth %d\n%s", p.Name, summary(got),
					want.Verdict, want.Depth, sys)
			}
			continue
		}
		if got.Verdict != want.Verdict || got.Depth != want.Depth || got.States != want.States {
			t.Errorf("%s: %s; want %s, %d states, depth %d\n%s", p.Name, summary(got), want.Verdict,
				want.States, want.Depth, sys)
		}
	}
}
