package flat_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/certificate"
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/engine/infer"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/flat/oracletest"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// mostNodes is the size of the largest instance that the oracle explores for proofs.
const mostNodes = 2

// steps is the length of the runs that bounded searches look for.
const steps = 4

// proving is the number of generated systems that proofs are compared on; 10,000 take hours.
func proving() int64 {
	switch {
	case testkit.Long():
		return 10_000
	case testkit.CI():
		return testkit.Size(40, 1000)
	}
	return 12
}

// TestGeneratedProofs compares what engines with solvers say of generated systems with the oracle.
func TestGeneratedProofs(t *testing.T) {
	ctx, counts := testkit.Solving(t), tally{}
	for seed := range proving() {
		text := oracletest.Generate(rand.New(rand.NewSource(seed)))
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) {
			compareProofs(ctx, t, text, counts, seed)
		}) {
			t.Log(text)
		}
	}
	t.Log(counts)
	for _, want := range []string{"compared", "induction 1 holds",
		"induction 1 open although violated",
		"bmc violated", "bmc of all instances violated", "recheck holds"} {
		if counts[want] == 0 {
			t.Errorf("no system gave %q", want)
		}
	}
}

// trial is a system with what the oracle finds in its small instances.
type trial struct {
	t       *testing.T
	text    string
	file    *syntax.File
	sys     *system.System
	reports map[int]*oracletest.Report // by the number of nodes
	counts  tally
}

// compareProofs has the proof engines decide a text. A seed decides which of the slow ones do.
func compareProofs(ctx context.Context, t *testing.T, text string, counts tally, seed int64) {
	t.Helper()
	errs := &diag.List{}
	c := &trial{t: t, text: text, counts: counts, reports: map[int]*oracletest.Report{},
		file: syntax.Parse(diag.NewSource("generated.ere", text), errs)}
	if errs.Err() != nil {
		t.Fatal(errs)
	}
	for nodes := 1; nodes <= mostNodes; nodes++ {
		switch r := c.explored(nodes); {
		case r.Passing:
			counts["leave a range within a step"]++
			return
		case r.Overflow:
			counts["leave a range"]++
		}
	}
	sys, list, err := ere.Compile("generated.ere", text)
	if err != nil {
		for _, d := range list.All {
			if d.Severity == diag.Error {
				counts["refused: "+d.Message]++
			}
		}
		return
	}
	c.sys = sys
	counts["compared"]++
	asking := discharge.Options{Solving: discharge.Solving{Rlimit: 200_000}, Jobs: 1}
	for k := 1; k <= 1+int(seed%2); k++ {
		results, err := induction.Prove(ctx, sys, induction.Options{Options: asking, Induction: k})
		if err != nil {
			t.Fatal(err)
		}
		c.proofs(fmt.Sprintf("induction %d", k), results)
		if k == 1 && seed%4 == 0 {
			c.certificate(ctx, results)
		}
	}
	c.searches(ctx, asking)
	if seed%4 == 1 {
		c.lemmas(ctx, asking)
	}
}

// machine is the oracle of an instance.
func (c *trial) machine(nodes int) *oracletest.Machine {
	return oracletest.New(c.file, map[string]int{"node": nodes})
}

// nodes is the number of nodes of an instance.
func (c *trial) nodes(inst *system.Instance) int {
	for s, n := range inst.Sizes {
		if s.Name == "node" {
			return n
		}
	}
	c.t.Fatalf("an instance without nodes: %v", inst)
	return 0
}

// explored is what the oracle finds in an instance.
func (c *trial) explored(nodes int) *oracletest.Report {
	if c.reports[nodes] == nil {
		c.reports[nodes] = c.machine(nodes).Explore(mostStates)
	}
	return c.reports[nodes]
}

// nearest is the number of states of a shortest run of an instance to a violation of a property, 0
// for none among the states that the oracle saw.
func (c *trial) nearest(property string, nodes int) int {
	r := c.explored(nodes)
	kind, name, implicit := strings.Cut(property, ":")
	switch {
	case r.Overflow: // what it finds behind a state outside of a range says nothing
		return 0
	case !implicit:
		return r.Violated[property]
	case kind == "defined":
		return r.Undefined[name]
	}
	return 0
}

// vague reports whether the oracle does not say when a property is violated first: one that has no
// value in some state is violated or not, which another claim is about.
func (c *trial) vague(property string, nodes int) bool {
	r := c.explored(nodes)
	kind, _, implicit := strings.Cut(property, ":")
	return r.Overflow || r.Undefined[property] > 0 || implicit && kind != "defined"
}

// proofs checks that nothing is proved that some instance refutes.
func (c *trial) proofs(engine string, results []result.Result) {
	c.t.Helper()
	// All ranges are proved to be kept, all steps to be no errors.
	inside, valued := true, true
	whole := strings.HasPrefix(engine, "induction") // it has a result for each claim
	for _, r := range results {
		holds := r.Verdict == result.Holds
		kind, _, implicit := strings.Cut(r.Property, ":")
		switch {
		case !implicit:
			c.counts[engine+" "+string(r.Verdict)]++
		case kind == "argument":
			valued = valued && holds
		case kind != "defined":
			inside = inside && holds
		}
		shown := false // some instance may have the violation
		for nodes := 1; nodes <= mostNodes; nodes++ {
			depth := c.nearest(r.Property, nodes)
			shown = shown || depth > 0 || c.vague(r.Property, nodes) || c.explored(nodes).TooMany
			switch {
			case depth > 0 && holds:
				c.t.Errorf("%s: %s holds, but with %d nodes it is violated in state %d", engine,
					r.Property, nodes, depth)
			case depth > 0:
				c.counts[engine+" open although violated"]++
			}
		}
		if r.Verdict == result.Violated && !shown {
			c.t.Errorf("%s: %s is violated, and the oracle does not find it", engine, r.Property)
		}
	}
	for nodes := 1; nodes <= mostNodes && whole; nodes++ {
		r := c.explored(nodes)
		if r.Overflow && inside && valued {
			c.t.Errorf("%s: all ranges are kept, but one is left with %d nodes", engine, nodes)
		}
		if r.Failed > 0 && !r.Overflow && valued {
			c.t.Errorf("%s: no step is an error, but one is with %d nodes, in state %d", engine,
				nodes, r.Failed)
		}
	}
}

// certificate writes proofs down and has them checked again.
func (c *trial) certificate(ctx context.Context, results []result.Result) {
	c.t.Helper()
	cert, err := certificate.New("test", certificate.Source{System: c.sys, Results: results})
	if err != nil {
		c.t.Fatal(err)
	}
	if cert == nil {
		return
	}
	var b bytes.Buffer
	if err := cert.Write(&b); err != nil {
		c.t.Fatal(err)
	}
	read, err := certificate.Read(&b)
	if err != nil {
		c.t.Fatal(err)
	}
	drivers, err := smt.Find(ctx, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	out, err := read.Recheck(ctx,
		certificate.Options{Drivers: drivers, Rlimit: 3_000_000, Jobs: 1})
	if err != nil {
		c.t.Fatal(err)
	}
	c.proofs("recheck", out.Results)
	for _, r := range out.Results {
		if r.Verdict != result.Holds && r.Verdict != result.Unknown {
			c.t.Errorf("recheck: %s is %s: %v", r.Property, r.Verdict, r.Reason)
		}
	}
}

// searches compares the runs that bounded searches find, in the instance of the file and in all.
func (c *trial) searches(ctx context.Context, asking discharge.Options) {
	c.t.Helper()
	for _, inst := range []*system.Instance{c.sys.Instances[0], nil} {
		engine := "bmc"
		if inst == nil {
			engine = "bmc of all instances"
		}
		results, err := bmc.Check(ctx, c.sys, inst,
			bmc.Options{Options: asking, Depth: steps, Budget: 4_000_000})
		if err != nil {
			c.t.Fatalf("%s: %v", engine, err)
		}
		for _, r := range results {
			c.counts[engine+" "+string(r.Verdict)]++
			switch {
			case r.Verdict == result.Violated:
				c.shortest(engine, r)
			case r.Verdict == result.HoldsUpTo && inst != nil:
				c.longer(engine, r, c.nodes(inst))
			case r.Verdict == result.HoldsUpTo:
				for nodes := 1; nodes <= mostNodes; nodes++ {
					c.longer(engine, r, nodes)
				}
			}
		}
	}
}

// longer checks that no run of an instance is as short as the ones of which a search found none.
func (c *trial) longer(engine string, r result.Result, nodes int) {
	c.t.Helper()
	if want := c.nearest(r.Property, nodes); want > 0 && int64(want) <= r.Depth {
		c.t.Errorf("%s: %s %s %d states, but with %d nodes it is violated in state %d", engine,
			r.Property, r.Verdict, r.Depth, nodes, want)
	}
}

// shortest checks that a run is one of the oracle, and a shortest one of its instance.
func (c *trial) shortest(engine string, r result.Result) {
	c.t.Helper()
	inst, err := interp.InstanceOf(c.sys, r.Trace)
	if err != nil {
		c.t.Fatalf("%s: %v", engine, err)
	}
	nodes := c.nodes(inst)
	r.Trace.View = c.sys.View
	replay(c.t, c.machine(nodes), r.Trace.Shown())
	want, all := c.nearest(r.Property, nodes), c.explored(nodes)
	if all.TooMany && want == 0 || c.vague(r.Property, nodes) {
		return
	}
	if int64(want) != r.Depth && (all.Failed == 0 || r.Depth <= int64(all.Failed)) {
		c.t.Errorf("%s: %s is violated in state %d with %d nodes; the oracle has %d", engine,
			r.Property, r.Depth, nodes, want)
	}
}

// lemmas checks what a search for invariants proves, and each invariant that it finds.
func (c *trial) lemmas(ctx context.Context, asking discharge.Options) {
	c.t.Helper()
	out, err := infer.Find(ctx, c.sys,
		infer.Options{Options: induction.Options{Options: asking}, Effort: 300})
	if err != nil {
		c.t.Fatalf("infer: %v", err)
	}
	if out.Proved {
		c.proofs("infer", out.Results)
	}
	with := *c.sys
	with.Properties = nil
	for _, l := range append(out.Lemmas, out.Partial...) {
		with.Properties = append(with.Properties,
			&system.Property{Name: l.Name, Kind: system.Safety, Term: l.Term})
		c.counts["lemmas"]++
	}
	for nodes := 1; nodes <= mostNodes && len(with.Properties) > 0; nodes++ {
		instances, err := ere.Instances(&with, fmt.Sprintf("node = %d", nodes))
		if err != nil {
			c.t.Fatal(err)
		}
		results, err := explicit.Check(ctx, &with, instances[0], explicit.Options{Threads: 1,
			Limits: engine.Limits{States: 2000}})
		if err != nil {
			c.t.Fatal(err)
		}
		for _, r := range results {
			if r.Verdict == result.Violated && !strings.Contains(r.Property, ":") {
				c.t.Errorf("infer: %s is no invariant with %d nodes", r.Property, nodes)
			}
		}
	}
}
