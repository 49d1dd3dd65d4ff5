package induction

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/vc"
)

// ways are settings that must not change verdicts.
func ways(t *testing.T) []Options {
	out := []Options{{Options: discharge.Options{Jobs: 2}},
		{Options: discharge.Options{Rendering: vc.Macro}},
		{Options: discharge.Options{Rendering: vc.Relational, Solving: discharge.Solving{Seed: 7}}}}
	for _, d := range testkit.Solvers(t) {
		out = append(out, Options{Options: discharge.Options{Drivers: []smt.Driver{d}}})
	}
	return out
}

func TestGeneratedSystems(t *testing.T) {
	all, ctx := ways(t), testkit.Solving(t)
	seen := map[string]int{}
	// where a proof needs a property that is not inductive
	seeds := []int64{180, 195, 219, 243, 279}
	for seed := range testkit.Size(18, 50) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		sys := generate(seed)
		opts := all[int(seed)%len(all)]
		results, err := Prove(ctx, sys, opts)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		c := comparison{t, seed, sys, newOracle(sys), results, seen}
		c.compare()
	}
	for _, want := range []string{"safety holds", "safety not inductive", "safety unknown", "invariant holds", "theorem holds", "theorem violated",
		"scenario holds", "scenario violated", "scenario no run", "safety nothing checked",
		"traces", "obligation holds", "obligation not inductive", "minimal states",
		"minimal steps"} {
		if seen[want] == 0 {
			t.Errorf("no system gave %q: %v", want, seen)
		}
	}
	t.Log(seen)
}

// comparison holds the results for one system against the oracle.
type comparison struct {
	t       *testing.T
	seed    int64
	sys     *system.System
	oracle  *oracle
	results []result.Result
	seen    map[string]int
}

func (c comparison) errorf(format string, args ...any) {
	c.t.Helper()
	c.t.Errorf("seed %d: %s\n%s", c.seed, fmt.Sprintf(format, args...), c.sys)
}

func (c comparison) compare() {
	expected := c.expected()
	if len(c.results) != len(expected) {
		c.errorf("%d results instead of %d", len(c.results), len(expected))
	}
	for _, r := range c.results {
		c.seen[string(r.Kind)+" "+string(r.Verdict)]++
		if want := expected[r.Property]; r.Verdict != want {
			c.errorf("%s %s: %s (%s), the oracle says %s", r.Kind, r.Property, r.Verdict,
				r.Reason.Text, want)
		}
		if p := c.sys.Property(r.Property); p != nil && p.IsInvariant() &&
			(r.Verdict == result.NotInductive || r.Verdict == result.Holds) {
			c.obligations(p, r)
		}
		c.trace(r)
		if r.Trace != nil {
			c.minimal(r)
		}
	}
}

// expected computes the verdicts by enumeration.
func (c comparison) expected() map[string]result.Verdict {
	out := map[string]result.Verdict{}
	var invariants []*system.Property
	for _, p := range c.sys.Properties {
		switch {
		case p.IsInvariant():
			invariants = append(invariants, p)
		case p.Kind == system.Theorem && c.oracle.theorem(p.Term):
			out[p.Name] = result.Holds
		case p.Kind == system.Theorem:
			out[p.Name] = result.Violated
		}
	}
	for _, sc := range c.sys.Scenarios {
		possible := c.oracle.possible(sc)
		switch {
		case possible == sc.Sat:
			out[sc.Name] = result.Holds
		case sc.Sat:
			out[sc.Name] = result.NoRun
		default:
			out[sc.Name] = result.Violated
		}
		if !possible && !sc.Sat && startsInitially(sc) && !c.oracle.hasInitial() {
			out[sc.Name] = result.NothingChecked
		}
	}
	alive := invariants
	for round := 0; ; round++ {
		var next []*system.Property
		for _, p := range alive {
			if c.preserved(p, alive) {
				next = append(next, p)
				continue
			}
			out[p.Name] = result.Unknown
			if round == 0 {
				out[p.Name] = result.NotInductive
			}
		}
		if len(next) == len(alive) {
			break
		}
		alive = next
	}
	for _, p := range alive {
		out[p.Name] = result.Holds
	}
	if !c.oracle.hasInitial() {
		for _, p := range invariants {
			out[p.Name] = result.NothingChecked
		}
	}
	return out
}

func (c comparison) preserved(p *system.Property, hypotheses []*system.Property) bool {
	if !c.oracle.initiation(p.Term) {
		return false
	}
	return !slices.ContainsFunc(c.sys.Actions, func(a *system.Action) bool {
		return !c.oracle.consecution(a, p.Term, hypotheses)
	})
}

// obligations compares each obligation of a property that the first round proved or refuted.
func (c comparison) obligations(p *system.Property, r result.Result) {
	var hypotheses []*system.Property
	for _, q := range c.sys.Properties {
		if q.IsInvariant() &&
			(r.Verdict == result.NotInductive || slices.Contains(r.Evidence.Invariant, q.Name)) {
			hypotheses = append(hypotheses, q)
		}
	}
	conjuncts := logic.Conjuncts(p.Term)
	if want := len(conjuncts) * (1 + len(c.sys.Actions)); len(r.Evidence.Obligations) != want {
		c.errorf("%s has %d obligations instead of %d", p.Name, len(r.Evidence.Obligations), want)
	}
	for _, o := range r.Evidence.Obligations {
		conjunct := conjuncts[o.Conjunct]
		proved := o.Action == "" && c.oracle.initiation(conjunct)
		for _, a := range c.sys.Actions {
			if a.Name == o.Action {
				proved = c.oracle.consecution(a, conjunct, hypotheses)
			}
		}
		want := result.NotInductive
		if proved {
			want = result.Holds
		}
		c.seen["obligation "+string(o.Verdict)]++
		if o.Verdict != want {
			c.errorf("%s, conjunct %d: %s by %s, the oracle says %s", o.Name, o.Conjunct, o.Verdict,
				o.Solver, want)
		}
		if asked := o.Queries != 0; asked == (o.Solver == result.Nobody() || o.Cached) {
			c.errorf("%s: %d queries to %q", o.Name, o.Queries, o.Solver)
		}
	}
}

// trace replays a trace.
func (c comparison) trace(r result.Result) {
	needs := r.Verdict == result.NotInductive || r.Verdict == result.Violated
	sc := slices.IndexFunc(c.sys.Scenarios, func(s *system.Scenario) bool {
		return s.Name == r.Property
	})
	if sc >= 0 {
		needs = r.Verdict == result.Holds && c.sys.Scenarios[sc].Sat ||
			r.Verdict == result.Violated && !c.sys.Scenarios[sc].Sat
	}
	if (r.Trace != nil) != needs {
		c.errorf("%s: trace %v, reason %q", r.Property, r.Trace, r.Reason.Text)
	}
	if r.Trace == nil {
		return
	}
	c.seen["traces"]++
	fixed := c.read(r.Trace.Params)
	var states []structure
	for _, s := range r.Trace.Steps {
		state := c.read(s.State)
		states = append(states, state)
		w := world{fixed: fixed, states: []structure{state}}
		for _, d := range c.sys.Derived {
			if !w.holds(d.Axiom) {
				c.errorf("%s: a state of the trace violates a definition: %v", r.Property, s)
			}
		}
		if r.Kind != "theorem" && !c.oracle.trusted(fixed, state) {
			c.errorf("%s: a state of the trace violates a trusted invariant: %v", r.Property, s)
		}
	}
	for _, a := range c.sys.Axioms {
		if !(world{fixed: fixed}).holds(a.Term) {
			c.errorf("%s: the trace violates an axiom: %v", r.Property, r.Trace)
		}
	}
	if r.Kind == "theorem" {
		if (world{fixed: fixed, states: states}).holds(c.sys.Property(r.Property).Term) {
			c.errorf("%s: the counterexample satisfies the theorem: %v", r.Property, r.Trace)
		}
		return
	}
	for i, s := range r.Trace.Steps[1:] {
		if !c.isStep(s, fixed, states[i], states[i+1]) {
			c.errorf("%s: step %d of the trace is not one of %s: %v", r.Property, i+1, s.Action,
				r.Trace)
		}
	}
	if sc >= 0 {
		c.follows(c.sys.Scenarios[sc], r.Trace, fixed, states)
		return
	}
	last := world{fixed: fixed, states: states[len(states)-1:]}
	if last.holds(c.sys.Property(r.Property).Term) {
		c.errorf("%s: the counterexample satisfies the property: %v", r.Property, r.Trace)
	}
	switch {
	case len(states) == 1 && !c.oracle.initial(fixed, states[0]):
		c.errorf("%s: the state of the trace is not initial: %v", r.Property, r.Trace)
	case len(states) == 2:
		for _, p := range c.sys.Properties {
			if p.IsInvariant() && !(world{fixed: fixed, states: states[:1]}).holds(p.Term) {
				c.errorf("%s: the first state violates %s: %v", r.Property, p.Name, r.Trace)
			}
		}
	}
}

// isStep reports whether an action leads from one state to the other with the arguments in the
// trace.
func (c comparison) isStep(s result.Step, fixed, pre, post structure) bool {
	if s.Action == vc.Stutter {
		return c.oracle.framed(&system.Action{}, pre, post)
	}
	for _, a := range c.sys.Actions {
		if a.Name != s.Action {
			continue
		}
		for _, t := range c.oracle.transitions(a, fixed, []structure{pre, post}) {
			fits := equal(t.pre, pre) && equal(t.post, post)
			for i, v := range slices.Concat(a.Params, a.Relation.Choices) {
				fits = fits && c.number(s.Args[i].Value) == t.vars[v]
			}
			if fits {
				return true
			}
		}
	}
	return false
}

func (c comparison) follows(
	sc *system.Scenario, tr *result.Trace, fixed structure, states []structure,
) {
	i := 0
	for _, part := range sc.Components {
		switch {
		case part.Assert != nil:
			if !(world{fixed: fixed, states: states[i : i+1]}).holds(part.Assert) {
				c.errorf("%s: state %d of the run violates an assertion: %v", sc.Name, i, tr)
			}
			continue
		case !part.Any && !slices.ContainsFunc(part.Calls, func(call system.ActionCall) bool {
			return call.Action.Name == tr.Steps[i+1].Action
		}):
			c.errorf("%s: step %d of the run is %s", sc.Name, i+1, tr.Steps[i+1].Action)
		}
		i++
	}
	if startsInitially(sc) && !c.oracle.initial(fixed, states[0]) {
		c.errorf("%s: the run does not start in an initial state: %v", sc.Name, tr)
	}
}

func equal(a, b structure) bool {
	for sym := range a {
		if !slices.Equal(a[sym], b[sym]) {
			return false
		}
	}
	return true
}

// read turns the bindings of a trace into tables.
func (c comparison) read(bindings []result.Binding) structure {
	out := structure{}
	for _, b := range bindings {
		i := slices.IndexFunc(c.sys.Symbols, func(s *logic.Symbol) bool { return s.Name == b.Name })
		sym := c.sys.Symbols[i]
		if len(sym.Args) == 0 {
			out[sym] = []int{c.number(b.Value)}
			continue
		}
		if b.Value.Kind != result.SetValue {
			c.errorf("%s has the value %s", b.Name, b.Value)
		}
		table := []int{0, 0}
		for _, row := range b.Value.Rows {
			table[c.number(row.Key[0])] = 1
		}
		out[sym] = table
	}
	return out
}

func (c comparison) number(v result.Value) int {
	switch {
	case v.Kind == result.BoolValue && v.Bool, v.Text == "node1", v.Text == "busy", v.Text == "1":
		return 1
	case v.Kind == result.BoolValue, v.Text == "node0", v.Text == "idle", v.Text == "0":
		return 0
	}
	c.errorf("a value of the trace is %s", v)
	return 0
}

// The results do not depend on the number of jobs, and repeat. What a query costs depends on
// whether its process is new, so all are.
func TestDeterministic(t *testing.T) {
	testkit.InCI(t)
	testkit.Solvers(t)
	summary := func(sys *system.System, jobs int) string {
		var b strings.Builder
		rs, err := Prove(t.Context(), sys, Options{Options: discharge.Options{Jobs: jobs}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rs {
			fmt.Fprintf(&b, "%s %s %s %s\n", r.Property, r.Verdict, r.Reason.Text, r.Kind)
			for _, o := range r.Evidence.Obligations {
				if o.Verdict == result.Holds { // time decides which way is first in a race
					o.Solver, o.Method, o.Rlimit, o.Queries = result.Solver{}, "", 0, 0
				}
				o.Elapsed = 0
				fmt.Fprintf(&b, "  %+v\n", o)
			}
			if r.Trace != nil {
				fmt.Fprintf(&b, "  %+v\n", *r.Trace)
			}
		}
		return b.String()
	}
	for seed := range testkit.Size(3, 5) {
		sys := generate(seed)
		first := summary(sys, 1)
		for _, jobs := range []int{1, 3} {
			if again := summary(sys, jobs); again != first {
				t.Errorf("seed %d, %d jobs:\n%s\ninstead of\n%s", seed, jobs, again, first)
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx := testkit.Solving(t)
	for seed := range testkit.Size(5, 10) {
		sys := generate(seed)
		ctx, cancel := context.WithCancel(ctx)
		full, err := Prove(ctx, sys, Options{Options: discharge.Options{Jobs: 1}})
		if err != nil {
			t.Fatal(err)
		}
		after := int(seed)
		opts := Options{Options: discharge.Options{Jobs: 1, Progress: func(
			done, total int, o result.Obligation,
		) {
			if done == after {
				cancel()
			}
		}}}
		if after == 0 {
			cancel()
			opts.Drivers = testkit.Solvers(t)
		}
		part, err := Prove(ctx, sys, opts)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if len(part) != len(full) {
			t.Fatalf("seed %d: %d results instead of %d", seed, len(part), len(full))
		}
		for i, r := range part {
			if r.Verdict != full[i].Verdict &&
				(r.Verdict != result.Unknown || !strings.HasPrefix(r.Reason.Text, "interrupted")) {
				t.Errorf("seed %d: %s: %s (%s), uninterrupted %s", seed, r.Property, r.Verdict,
					r.Reason.Text, full[i].Verdict)
			}
		}
	}
}
