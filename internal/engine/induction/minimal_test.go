package induction

import (
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// cost is the minimised quantity, the most important part first: true tuples in the first state,
// differences, integers.
type cost [3]int

func costOf(
	sys *system.System, a *system.Action, fixed structure, states []structure, arguments int,
) cost {
	out := cost{2: arguments}
	count := func(sym *logic.Symbol, table []int, first bool) {
		for _, v := range table {
			switch {
			case sym.Result == logic.Bool && first:
				out[0] += v
			case sym.Result.Base() == logic.Int:
				out[2] += v
			}
		}
	}
	for _, sym := range sys.Symbols {
		if !sym.Mutable {
			count(sym, fixed[sym], true)
			continue
		}
		for i, s := range states {
			if i == 0 || slices.Contains(a.Modifies, sym) { // otherwise it is the same point
				count(sym, s[sym], i == 0)
			}
			if i > 0 {
				for j, v := range s[sym] {
					if v != states[i-1][sym][j] {
						out[1]++
					}
				}
			}
		}
	}
	return out
}

func less(a, b cost) bool { return slices.Compare(a[:], b[:]) < 0 }

// minimal compares a counterexample to induction with all others for the same obligation.
func (c comparison) minimal(r result.Result) {
	if r.Verdict != result.NotInductive {
		return
	}
	o := r.Evidence.Obligations[slices.IndexFunc(r.Evidence.Obligations, func(
		o result.Obligation,
	) bool {
		return o.Verdict == result.NotInductive
	})]
	conjunct := logic.Conjuncts(c.sys.Property(r.Property).Term)[o.Conjunct]
	fixed := c.read(r.Trace.Params)
	var states []structure
	for _, s := range r.Trace.Steps {
		states = append(states, c.read(s.State))
	}
	best := cost{1 << 30}
	if o.Action == "" {
		for i, f := range c.oracle.fixed {
			for _, s := range c.oracle.states[i] {
				if w := (world{fixed: f, states: []structure{s}}); c.oracle.initial(f, s) &&
					!w.holds(conjunct) {
					if k := costOf(c.sys, nil, f, w.states, 0); less(k, best) {
						best = k
					}
				}
			}
		}
		if got := costOf(c.sys, nil, fixed, states, 0); got != best {
			c.errorf("%s: the picture costs %v instead of %v: %v", r.Property, got, best, r.Trace)
		}
		c.seen["minimal states"]++
		return
	}
	a := c.sys.Actions[slices.IndexFunc(c.sys.Actions, func(a *system.Action) bool {
		return a.Name == o.Action
	})]
	for _, t := range c.oracle.steps[a] {
		before, after := world{fixed: t.fixed, states: []structure{t.pre}},
			world{fixed: t.fixed, states: []structure{t.post}}
		allowed := !slices.ContainsFunc(c.sys.Properties, func(p *system.Property) bool {
			return p.IsInvariant() && !before.holds(p.Term)
		})
		if !allowed || after.holds(conjunct) {
			continue
		}
		integers := 0
		for _, v := range slices.Concat(a.Params, a.Relation.Choices) {
			if v.Sort.Base() == logic.Int {
				integers += t.vars[v]
			}
		}
		if k := costOf(c.sys, a, t.fixed, []structure{t.pre, t.post}, integers); less(k, best) {
			best = k
		}
	}
	integers := 0
	for _, arg := range r.Trace.Steps[1].Args {
		if arg.Value.Kind == result.IntValue {
			n, err := strconv.Atoi(arg.Value.Text)
			if err != nil {
				c.t.Fatal(err)
			}
			integers += n
		}
	}
	if got := costOf(c.sys, a, fixed, states, integers); got != best {
		c.errorf("%s: the picture costs %v instead of %v: %v", r.Property, got, best, r.Trace)
	}
	c.seen["minimal steps"]++
}

// The picture does not depend on the solver, its seed or the rendering.
func TestPicturesAreCanonical(t *testing.T) {
	all, ctx := ways(t), testkit.Solving(t)
	seen := 0
	for seed := range testkit.Size(2, 4) {
		sys := generate(seed)
		var first []result.Result
		for i, opts := range all {
			results, err := Prove(ctx, sys, Options{Options: discharge.Options{
				Drivers:   opts.Drivers,
				Rendering: opts.Rendering,
				Solving:   discharge.Solving{Seed: opts.Seed},
				Jobs:      opts.Jobs,
			}})
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = results
				continue
			}
			for j, r := range results {
				if r.Verdict != result.NotInductive {
					continue
				}
				seen++
				if diff := cmp.Diff(first[j].Trace, r.Trace); diff != "" {
					t.Errorf("seed %d, way %d: %s", seed, i, diff)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no picture was compared")
	}
}
