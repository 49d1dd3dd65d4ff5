package explicit

import (
	"errors"
	"fmt"
	"math/rand"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// reductions counts the results of comparisons.
type reductions struct{ compared, reduced, violated, deadlocks, unknown int }

// compareReduced compares a reduced search with an unreduced one. All properties are made
// invariants, so that a search goes on until each is decided.
func (n *reductions) compareReduced(
	t *testing.T, name string, sys *system.System, inst *system.Instance, vary func(*Options),
) {
	t.Helper()
	c := *sys
	c.Properties = nil
	for _, p := range sys.Properties {
		q := *p
		if q.Kind == system.Safety {
			q.Kind = system.Invariant
		}
		c.Properties = append(c.Properties, &q)
	}
	plain, plainStats, err := checkStats(t.Context(), &c, inst,
		Options{Deadlock: true, Limits: engine.Limits{States: 5_000}, Threads: 1,
			tuning: tuning{program: program.Interpreted}})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if plainStats.States == 5_000 {
		return
	}
	opts := Options{Deadlock: true, Reduction: Reduction{PartialOrder: true}, Threads: 1}
	vary(&opts)
	reduced, stats, err := checkStats(t.Context(), &c, inst, opts)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, sys)
	}
	n.compared++
	// A failing evaluation ends a search, and the order decides what was found before.
	failed := false
	for i := range plain {
		failed = failed || plain[i].Verdict == result.Unknown ||
			reduced[i].Verdict == result.Unknown
	}
	for i, p := range plain {
		r := reduced[i]
		open := p.Verdict == result.Holds || p.Verdict == result.HoldsUpTo ||
			p.Verdict == result.HoldsInitially
		switch {
		case p.Verdict == result.Violated && p.Property == "deadlock":
			n.deadlocks++
		case p.Verdict == result.Violated:
			n.violated++
		case p.Verdict == result.Unknown:
			n.unknown++
		}
		if p.Verdict != r.Verdict && (!failed || r.Verdict == result.Holds || open) {
			t.Errorf("%s, %s: %s (%s); reduced %s (%s)\n%s", name, p.Property, p.Verdict, p.Reason,
				r.Verdict, r.Reason, sys)
		}
		if r.Verdict == result.Violated && !strings.HasPrefix(r.Reason.Text, "found ") {
			t.Errorf("%s, %s: nothing says that the counterexample need not be a shortest one: %q",
				name, r.Property, r.Reason)
		}
	}
	if plainStats.Complete != stats.Complete {
		t.Errorf("%s: complete %t; reduced %t", name, plainStats.Complete, stats.Complete)
	}
	if !stats.Complete {
		return
	}
	if stats.States > plainStats.States || stats.Transitions > plainStats.Transitions {
		t.Errorf("%s: %d states, %d transitions; reduced %d, %d", name, plainStats.States,
			plainStats.Transitions, stats.States, stats.Transitions)
	}
	if stats.Transitions < plainStats.Transitions {
		n.reduced++
	}
	if plainStats.Deadlocks != stats.Deadlocks ||
		!cmp.Equal(plainStats.NeverEnabled, stats.NeverEnabled) ||
		!cmp.Equal(plainStats.Vacuous, stats.Vacuous) {
		t.Errorf("%s: %+v\nreduced %+v\n%s", name, plainStats, stats, sys)
	}
}

// expect holds that seeds showed as much as least says of a thousand.
func (n *reductions) expect(t *testing.T, seeds int64, least reductions) {
	t.Helper()
	t.Logf("%+v", *n)
	for _, x := range [][2]int{{n.compared, least.compared}, {n.reduced, least.reduced},
		{n.violated, least.violated}, {n.deadlocks, least.deadlocks}, {n.unknown, least.unknown}} {
		if x[0] < x[1]*int(seeds)/1000 {
			t.Errorf("too few of something: %+v", *n)
		}
	}
}

// variant makes options that do not change the results of a search.
func variant(seed int64) func(*Options) {
	return func(o *Options) {
		if seed%4 > 0 { // else what users get
			o.program = program.InterpretedBindings
		}
		if seed%3 == 1 {
			o.Search = DepthFirst
		}
	}
}

// Both kinds of programs give the values of the parameters.
func TestBindings(t *testing.T) {
	seen := map[uint16]int{}
	for seed := range testkit.Size(15, 60) {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)), systemtest.Options{Bits: 8})
		if err != nil {
			t.Fatal(err)
		}
		m, err := interp.NewModel(sys, sys.Instances[0])
		if err != nil {
			t.Fatal(err)
		}
		var steps [2]map[string]bool
		for i, makes := range []program.Make{program.Bindings, program.InterpretedBindings} {
			steps[i] = map[string]bool{}
			p, err := makes(t.Context(), m, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			w, err := p.Worker()
			if err != nil {
				t.Fatal(err)
			}
			err = m.Initial(t.Context(), func(s interp.State) error {
				packed, err := p.Pack(s)
				if err != nil {
					return err
				}
				b, err := w.Expand(packed)
				if err != nil || len(b.Failed) > 0 {
					return err
				}
				for k := range b.Source {
					after := p.Unpack(b.States[k*p.Words() : (k+1)*p.Words()])
					steps[i][fmt.Sprint(s, b.Action[k], b.Binding[k], after)] = true
					seen[b.Binding[k]]++
				}
				return nil
			})
			if err := errors.Join(err, w.Close(), p.Close()); err != nil {
				t.Fatal(err)
			}
		}
		// The interpreter goes on where a value leaves a range.
		for step := range steps[0] {
			if !steps[1][step] {
				t.Errorf("seed %d: only the compiled program has the step %s\n%s", seed, step, sys)
			}
		}
	}
	if len(seen) < 8 {
		t.Errorf("only %d bindings were seen", len(seen))
	}
}

// Generated systems of all kinds. Their actions are rarely independent.
func TestReductionAgreesOnGeneratedSystems(t *testing.T) {
	var n reductions
	seeds := testkit.Size(75, 250)
	for seed := range seeds {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)),
			systemtest.Options{Actions: 4})
		if err != nil {
			t.Fatal(err)
		}
		n.compareReduced(t, fmt.Sprint("seed ", seed), sys, sys.Instances[0], variant(seed))
	}
	n.expect(t, seeds, reductions{compared: 950, reduced: 100, violated: 700, deadlocks: 15})
}

// Generated systems of processes with many independent steps.
func TestReductionAgreesOnProcesses(t *testing.T) {
	var n reductions
	seeds := testkit.Size(150, 700)
	for seed := range seeds {
		text := systemtest.Processes(rand.New(rand.NewSource(seed)))
		sys, _, err := ere.Compile("processes.ere", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		n.compareReduced(t, fmt.Sprint("seed ", seed), sys, sys.Instances[0], variant(seed))
	}
	n.expect(t, seeds,
		reductions{compared: 900, reduced: 130, violated: 200, deadlocks: 450, unknown: 10})
}

// The reduction depends on the states alone: not on threads, nor on the store of the states.
func TestReductionIsCanonical(t *testing.T) {
	for seed := range testkit.Size(8, 40) {
		sys, _, err := ere.Compile("processes.ere",
			systemtest.Processes(rand.New(rand.NewSource(seed))))
		if err != nil {
			t.Fatal(err)
		}
		opts := Options{
			Deadlock:  true,
			Reduction: Reduction{PartialOrder: true},
			Threads:   1,
			tuning:    tuning{program: program.InterpretedBindings},
		}
		want, wantStats := explored(t, sys, sys.Instances[0], opts)
		for _, threads := range []int{2, 5} {
			opts.Threads, opts.Memory, opts.SpillDir = threads, 1, t.TempDir()
			got, stats := explored(t, sys, sys.Instances[0], opts)
			if diff := cmp.Diff(want, got, ignoreTimes) +
				cmp.Diff(wantStats, stats, ignoreTimes); diff != "" {
				t.Errorf("seed %d, %d threads: %s", seed, threads, diff)
			}
		}
	}
}

// Systems in which a step must not be put off, each for a reason of its own.
func TestReductionDoesNotHide(t *testing.T) {
	for name, c := range map[string]struct{ text, property, want string }{
		"a violation behind an endless loop": {`
mutable relation on
mutable relation bad
init !on & !bad
action flip() { on := !on; }
action spoil() { bad := true; }
invariant [p] !bad`, "p", "violated"},
		"a violation that is mended": {`
mutable constant a: 0..2
mutable relation b
init a = 0 & !b
action step() { require a < 2; a := a + 1; }
action set() { b := true; }
invariant [p] !(a = 1 & b)`, "p", "violated"},
		"a violation outside of a range": {`
mutable constant x: 0..2
mutable relation y
mutable relation z
init x = 0 & !y & !z
action jump() { require !z; choose stay: bool; if (stay) { z := true; } else { x := 3; } }
action set() { y := true; }
invariant [p] !(y & x = 3)`, "p", "violated"},
		"a range behind another one": {`
mutable constant x: 0..1
mutable constant y: 0..1
init x = 0 & y = 0
action a() { x := x + 1; }
action b() { y := y + 1; }
invariant [p] true`, "range:y", "violated"},
		"a property that fails": {`
mutable constant count: 0..2
mutable relation mark(0..1)
mutable relation a
init count = 0 & a & !mark(N)
action drop() { require a; a := false; }
action up() { require count < 2; count := 2; }
invariant [p] (a & count * 9223372036854775807 > 5) | true`, "p", "unknown"},
		"an action that fails": {`
mutable constant count: 0..2
mutable relation mark(0..1)
mutable relation on
mutable relation safe
init count = 0 & !on & !mark(N) & !safe
action tick() { safe := true; }
action up() { require count < 2; count := 2; }
action look() { require safe | count * 9223372036854775807 < 0; require on; on := false; }
invariant [p] !on`, "p", "unknown"},
		"a step that a trusted property forbids until another one": {`
mutable relation a
mutable relation b
init !a & !b
action set() { a := true; }
action allow() { b := true; }
trusted invariant a -> b
invariant [p] !a`, "p", "violated"},
	} {
		sys, _, err := ere.Compile("hidden.ere", c.text+"\ninstance one { }\n")
		if err != nil {
			t.Fatal(err)
		}
		for _, makes := range []program.Make{program.Bindings, program.InterpretedBindings} {
			for _, partial := range []bool{false, true} {
				results, _ := explored(t, sys, sys.Instances[0],
					Options{Reduction: Reduction{PartialOrder: partial},
						tuning: tuning{program: makes}})
				for _, r := range results {
					if r.Property == c.property && string(r.Verdict) != c.want {
						t.Errorf("%s, reduced %t: %s (%s)", name, partial, r.Verdict, r.Reason)
					}
				}
			}
		}
	}
}

// Where processes are independent the reduction is large.
func TestReductionIsLarge(t *testing.T) {
	counters := `
sort proc
mutable function x(proc): 0..3
init x(P) = 0
action up(p: proc) { require x(p) < 3; x(p) := x(p) + 1; }
instance six { proc = 6 }`
	cases := []struct {
		text, file, instance, only string
		states, reduced            int64
	}{
		{counters, "", "six", "", 4096, 19},
		{"", "token_ring.ere", "four", "", 96, 60},
		{"", "mutex_strong.ere", "four", "", 48, 12},
		{"", "two_phase_commit.ere", "four", "heard_sent", 1568, 1139},
	}
	for _, c := range cases {
		sys, _, err := ere.Compile("counters.ere", c.text)
		if c.file != "" {
			sys, _, err = ere.Load(filepath.Join("..", "..", "..", "examples", c.file))
		}
		if err != nil {
			t.Fatal(err)
		}
		opts := Options{Deadlock: true}
		if c.only != "" {
			opts.Only = []string{c.only}
		}
		plain, plainStats := explored(t, sys, sys.Instance(c.instance), opts)
		opts.PartialOrder, opts.program = true, program.InterpretedBindings
		reduced, stats := explored(t, sys, sys.Instance(c.instance), opts)
		for i, p := range plain {
			if p.Verdict != reduced[i].Verdict {
				t.Errorf("%s: %s, reduced %s", p.Property, p.Verdict, reduced[i].Verdict)
			}
		}
		if plainStats.States != c.states || stats.States != c.reduced {
			t.Errorf("%s%s, %s: %d states, reduced %d; want %d, %d", c.file, c.text, c.only,
				plainStats.States, stats.States, c.states, c.reduced)
		}
	}
}
