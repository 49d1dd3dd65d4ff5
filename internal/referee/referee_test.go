package referee

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/certificate"
	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/engine/temporal"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// combinations are unusual combinations of options; each specification is explored with one of
// them.
var combinations = map[string]explicit.Options{
	"por, dfs": {Reduction: explicit.Reduction{PartialOrder: true},
		Strategy: explicit.Strategy{Search: explicit.DepthFirst}},
	"por, hash": {Reduction: explicit.Reduction{PartialOrder: true},
		Storage: explicit.Storage{Store: explicit.Hash}},
	"por, bitstate": {Reduction: explicit.Reduction{PartialOrder: true},
		Storage: explicit.Storage{Store: explicit.Bitstate}},
	"por, disk": {Reduction: explicit.Reduction{PartialOrder: true},
		Storage: explicit.Storage{Memory: 1}},
	"symmetry, dfs": {Reduction: explicit.Reduction{Symmetry: true},
		Strategy: explicit.Strategy{Search: explicit.DepthFirst}},
	"symmetry, hash": {Reduction: explicit.Reduction{Symmetry: true},
		Storage: explicit.Storage{Store: explicit.Hash}},
	"symmetry, bitstate": {Reduction: explicit.Reduction{Symmetry: true},
		Storage: explicit.Storage{Store: explicit.Bitstate}},
	"hash, disk": {Storage: explicit.Storage{Store: explicit.Hash, Memory: 1}},
	"dfs, disk": {Strategy: explicit.Strategy{Search: explicit.DepthFirst},
		Storage: explicit.Storage{Memory: 1}},
	"packed": {Storage: explicit.Storage{Store: explicit.Packed}},
	"packed, por": {Storage: explicit.Storage{Store: explicit.Packed},
		Reduction: explicit.Reduction{PartialOrder: true}},
	"packed, symmetry": {Storage: explicit.Storage{Store: explicit.Packed},
		Reduction: explicit.Reduction{Symmetry: true}},
	"few bits": {Storage: explicit.Storage{Store: explicit.Bitstate,
		Memory: 1}}, // so that states are missed
}

// mostStates is the size of the largest instance that is compared.
const mostStates = 300

type match struct {
	t        *testing.T
	seed     int64
	text     string
	spec     *spec
	graph    *graph
	sys      *system.System
	compared map[string]int
	dir      string // for what does not fit into memory
}

func (m *match) errorf(format string, args ...any) {
	m.t.Helper()
	m.t.Errorf("seed %d: %s\n%s", m.seed, fmt.Sprintf(format, args...), m.text)
}

// expectation is what this package found of a property: the states of a shortest run to a
// violation, 0 for none. A property of runs that is violated has -1.
func (m *match) expectation(name string) int {
	if name == result.Deadlock {
		return m.graph.nearestDeadlock()
	}
	for x, depth := range m.graph.ranges {
		if name == "range:"+x.name {
			return depth
		}
	}
	for _, p := range m.spec.properties {
		switch {
		case p.name != name:
		case p.kind == "safety" || p.kind == "invariant":
			return m.graph.nearest(p.p)
		case m.graph.violated(p):
			return -1
		}
	}
	return 0
}

// unlimited reports whether an exploration can see all there is: no state is outside of a range,
// and no violation ends it.
func (m *match) unlimited(results []result.Result) bool {
	if len(m.graph.ranges) > 0 {
		return false
	}
	for _, r := range results {
		if r.Verdict == result.Violated {
			return false
		}
	}
	return true
}

// explicit compares an exploration.
func (m *match) explicit(what string, opts explicit.Options) {
	opts.Deadlock, opts.Threads, opts.Memory = true, 1, cmp.Or(opts.Memory, 1<<24)
	opts.SpillDir = m.dir
	x, err := explicit.Explore(m.t.Context(), m.sys, m.sys.Instances[0], opts)
	if err != nil {
		m.errorf("%s: %v", what, err)
		return
	}
	results, stats := x.Results, x.Stats
	exact := opts.Store != explicit.Hash && opts.Store != explicit.Bitstate &&
		opts.Search != explicit.RandomWalks
	shortest := opts.Search != explicit.DepthFirst && opts.Search != explicit.RandomWalks &&
		!opts.PartialOrder && opts.Store != explicit.Bitstate
	unlimited := m.unlimited(results)
	for _, r := range results {
		m.compared[what]++
		want := m.expectation(r.Property)
		switch {
		case len(m.graph.states) == 0 && r.Verdict == result.NothingChecked:
		case r.Verdict == result.Violated && want > 0 &&
			(r.Depth == int64(want) || !shortest && r.Depth > int64(want)) && r.Trace != nil:
		case r.Verdict == result.Holds && want == 0 && exact && len(m.graph.ranges) == 0:
		case (r.Verdict == result.HoldsUpTo || r.Verdict == result.HoldsInitially) &&
			r.Reason.Text != "" && (!exact || !unlimited) &&
			(!shortest || !exact || want == 0 || int64(want) > r.Depth):
			if !exact && unlimited && opts.Search != explicit.RandomWalks &&
				!strings.Contains(r.Reason.Text, "odds that it missed one") {
				m.errorf("%s: %s: %s: %s", what, r.Property, r.Verdict, r.Reason.Text)
			}
		default:
			m.errorf("%s: %s: %s, depth %d (%s); want %d", what, r.Property, r.Verdict, r.Depth,
				r.Reason.Text, want)
		}
	}
	if opts.PartialOrder && stats.Complete && stats.States < int64(len(m.graph.states)) {
		m.compared["por, with fewer states"]++
	}
	if exact && shortest && !opts.Symmetry && stats.Complete && unlimited {
		g := m.graph
		if stats.States != int64(len(g.states)) || stats.Transitions != int64(g.taken) ||
			stats.Initial != int64(g.initial) || stats.Deadlocks != int64(g.dead) {
			m.errorf("%d states, %d transitions, %d initial, %d dead; want %d, %d, %d, %d",
				stats.States, stats.Transitions, stats.Initial, stats.Deadlocks,
				len(g.states), g.taken, g.initial, g.dead)
		}
	}
}

// temporal compares the properties of runs.
func (m *match) temporal() {
	results, err := temporal.Check(m.t.Context(), m.sys, m.sys.Instances[0], temporal.Options{})
	if err != nil {
		m.errorf("temporal: %v", err)
		return
	}
	for _, r := range results {
		m.compared["temporal"]++
		want := m.expectation(r.Property)
		switch {
		case len(m.graph.states) == 0 && r.Verdict == result.NothingChecked:
		case r.Verdict == result.Violated && want != 0 && r.Trace != nil:
		case r.Verdict == result.Holds && want == 0 && len(m.graph.ranges) == 0:
		case r.Verdict == result.HoldsUpTo && want == 0 && len(m.graph.ranges) > 0:
		default:
			m.errorf("temporal: %s: %s (%s); want %d", r.Property, r.Verdict, r.Reason.Text, want)
		}
		if r.Verdict != result.NothingChecked && r.States != int64(len(m.graph.states)) {
			m.errorf("temporal: %d states; want %d", r.States, len(m.graph.states))
		}
	}
}

// solvers compares what needs one: nothing holds in general that is violated here, and a bounded
// search finds what is near.
func (m *match) solvers(depth int) {
	asking := discharge.Options{Solving: discharge.Solving{Rlimit: 200_000}, Jobs: 1}
	results, err := bmc.Check(m.t.Context(), m.sys, m.sys.Instances[0],
		bmc.Options{Options: asking, Depth: depth})
	if err != nil {
		m.errorf("bmc: %v", err)
	}
	for _, r := range results {
		m.compared["bmc"]++
		want := m.expectation(r.Property)
		switch {
		case r.Verdict == result.Violated && r.Depth == int64(want):
		case r.Verdict == result.HoldsUpTo && (want == 0 || want > depth+1),
			r.Verdict == result.Unknown, r.Verdict == result.NothingChecked:
		case len(m.graph.ranges) > 0 && r.Verdict == result.HoldsUpTo && want == 0:
		default:
			m.errorf("bmc: %s: %s, depth %d (%s); want %d", r.Property, r.Verdict, r.Depth,
				r.Reason.Text, want)
		}
	}
	for _, k := range []int{1, 2} {
		results, err := induction.Prove(m.t.Context(), m.sys,
			induction.Options{Options: asking, Induction: k})
		if err != nil {
			m.errorf("induct: %v", err)
		}
		for _, r := range results {
			m.compared[fmt.Sprintf("induction %d", k)]++
			if want := m.expectation(r.Property); r.Verdict == result.Violated ||
				r.Verdict == result.Holds && want != 0 {
				m.errorf("induction %d: %s: %s; want %d", k, r.Property, r.Verdict, want)
			}
		}
		if k == 1 { // no other is checked again
			m.certificate(results)
		}
	}
	for _, p := range m.spec.properties {
		if p.kind != "leads to" {
			continue
		}
		results, err := ranking.Prove(m.t.Context(), m.sys,
			ranking.Options{Options: asking, Only: []string{p.name}, Effort: 20})
		if err != nil {
			m.errorf("rank: %v", err)
		}
		for _, r := range results {
			m.compared["rank"]++
			if r.Verdict == result.Holds && m.expectation(r.Property) != 0 {
				m.errorf("rank: %s holds", r.Property)
			}
		}
	}
}

// certificate writes proofs down and has them checked again.
func (m *match) certificate(results []result.Result) {
	c, err := certificate.New("test", certificate.Source{System: m.sys, Results: results})
	if err != nil {
		m.errorf("certificate: %v", err)
	}
	if c == nil {
		return
	}
	var text bytes.Buffer
	if err := c.Write(&text); err != nil {
		m.errorf("certificate: %v", err)
	}
	read, err := certificate.Read(&text)
	if err != nil {
		m.errorf("certificate: %v", err)
		return
	}
	drivers, err := smt.Find(m.t.Context(), nil)
	if err != nil {
		m.errorf("certificate: %v", err)
		return
	}
	out, err := read.Recheck(m.t.Context(),
		certificate.Options{Drivers: drivers, Rlimit: 3_000_000, Jobs: 1})
	if err != nil {
		m.errorf("certificate: %v", err)
		return
	}
	for _, r := range out.Results {
		m.compared["certificates, "+string(r.Verdict)]++
		if want := m.expectation(r.Property); r.Verdict != result.Holds || want != 0 {
			m.errorf("certificate: %s: %s (%s); want %d", r.Property, r.Verdict, r.Reason.Text,
				want)
		}
	}
}

// TestSpecifications is the comparison: of hundreds of specifications, in a long run of ten
// thousand.
func TestSpecifications(t *testing.T) {
	count, solving := testkit.Size(75, 150), int64(15)
	if testkit.Long() {
		count, solving = 10_000, 20
	}
	if _, err := smt.Find(t.Context(), nil); err != nil {
		solving = count + 1
	}
	dir := t.TempDir()
	compared, violated, held, large := map[string]int{}, 0, 0, 0
	for seed := range count {
		s := generate(seed)
		g := reach(s, mostStates)
		if g == nil {
			large++
			continue
		}
		m := &match{t: t, seed: seed, text: s.String(), spec: s, graph: g, compared: compared,
			dir: dir}
		sys, _, err := ere.Compile("random.ere", m.text)
		if err != nil {
			m.errorf("%v", err)
			continue
		}
		m.sys = sys
		for _, p := range s.properties {
			if m.expectation(p.name) != 0 {
				violated++
			} else {
				held++
			}
		}
		m.explicit("exploration", explicit.Options{})
		m.explicit("por", explicit.Options{Reduction: explicit.Reduction{PartialOrder: true}})
		m.explicit("symmetry", explicit.Options{Reduction: explicit.Reduction{Symmetry: true}})
		m.explicit("dfs", explicit.Options{Strategy: explicit.Strategy{Search: explicit.DepthFirst}})
		m.explicit("hash", explicit.Options{Storage: explicit.Storage{Store: explicit.Hash}})
		m.explicit("bitstate", explicit.Options{Storage: explicit.Storage{Store: explicit.Bitstate}})
		m.explicit("walks",
			explicit.Options{Strategy: explicit.Strategy{Search: explicit.RandomWalks, Walks: 5,
				WalkLength: 20}})
		m.explicit("disk", explicit.Options{Storage: explicit.Storage{Memory: 1}})
		name := pick(&generator{Rand: rand.New(rand.NewSource(seed))},
			slices.Sorted(maps.Keys(combinations)))
		m.explicit(name, combinations[name])
		m.temporal()
		if seed%solving == solving-1 {
			m.solvers(6)
		}
		if t.Failed() && !testkit.Long() {
			break
		}
	}
	if n := compared["certificates, holds"]; solving <= count && n < 5 {
		t.Errorf("only %d proofs were checked again", n)
	}
	t.Logf("%d specifications, %d too large; %d properties violated, %d not; compared: %v", count,
		large, violated, held, compared)
}
