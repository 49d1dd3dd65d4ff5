package verify

import (
	"fmt"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/vacuity"
)

// truth holds the interpreter's findings about a small instance: the least number of steps until a
// sign is true, or an action can be taken.
type truth map[string]int

// never names the signs and actions that do not happen in runs up to a number of steps; with a
// negative number, in any run.
func (t truth) never(names []string, steps int) (out []string) {
	for _, n := range names {
		if at, ok := t[n]; !ok || steps >= 0 && at > steps {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// observe explores an instance in the most obvious way.
func observe(
	t *testing.T, sys *system.System, in *system.Instance,
) (found truth, states []interp.State) {
	t.Helper()
	m, err := interp.NewModel(sys, in)
	if err != nil {
		t.Fatal(err)
	}
	found = truth{}
	depth := map[string]int{}
	add := func(s interp.State, at int) {
		if _, ok := depth[m.Key(s)]; !ok {
			depth[m.Key(s)] = at
			states = append(states, s)
		}
	}
	saw := func(name string, at int) {
		if _, ok := found[name]; !ok {
			found[name] = at
		}
	}
	if err := m.Initial(t.Context(), func(s interp.State) error { add(s, 0); return nil }); err !=
		nil {
		t.Fatal(err)
	}
	holds := func(term *logic.Term, s interp.State) bool {
		ok, err := m.Holds(term, s)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	for i := 0; i < len(states); i++ {
		s := states[i]
		at := depth[m.Key(s)]
		for _, sign := range vacuity.Signs(sys) {
			if holds(sign.Term, s) {
				saw(sign.Property, at)
			}
		}
		outside := slices.ContainsFunc(sys.Properties, func(p *system.Property) bool {
			return p.Kind == system.Range && !holds(p.Term, s)
		})
		for _, a := range sys.Actions {
			err := m.Steps(t.Context(), s, a, func(step interp.Step) error {
				if !outside {
					saw(a.Name, at+1)
					add(step.State, at+1)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return found, states
}

// suspicious makes a system with properties that hold for any antecedents and triggers, possibly
// with a trusted invariant. It gives the names of signs and actions that may never happen.
func suspicious(
	t *testing.T, seed int64,
) (sys *system.System, in *system.Instance, names []string) {
	t.Helper()
	rng := rand.New(rand.NewSource(seed))
	sys, err := systemtest.Generate(rng, systemtest.Options{Bits: 7, Properties: 9})
	if err != nil {
		t.Fatal(err)
	}
	in = systemtest.Unnamed(sys)
	var terms []*logic.Term
	sys.Properties = slices.DeleteFunc(sys.Properties, func(p *system.Property) bool {
		if p.Kind != system.Range {
			terms = append(terms, p.Term)
		}
		return p.Kind != system.Range
	})
	claim := func(kind system.PropertyKind, op logic.Op, a, b *logic.Term) {
		p := &system.Property{Name: fmt.Sprintf("p%d", len(sys.Properties)), Kind: kind,
			Term: &logic.Term{Op: op, Sort: logic.Bool, Args: []*logic.Term{a, b}}}
		sys.Properties = append(sys.Properties, p)
	}
	both := func(a, b *logic.Term) *logic.Term { return logic.And(a, logic.Not(b)) }
	claim(system.Safety, logic.OpImplies, terms[0], logic.True)
	claim(system.Safety, logic.OpImplies, both(terms[1], terms[2]), logic.True)
	claim(system.Invariant, logic.OpImplies, both(terms[3], terms[4]), logic.True)
	claim(system.Liveness, logic.OpLeadsTo, terms[5], terms[6])
	claim(system.Liveness, logic.OpLeadsTo, both(terms[6], terms[5]), terms[7])
	if rng.Intn(2) == 0 {
		sys.Properties = append(sys.Properties,
			&system.Property{Name: "trust", Kind: system.Trusted, Term: terms[8]})
	}
	if err := system.Validate(sys); err != nil {
		t.Fatal(err)
	}
	for _, s := range vacuity.Signs(sys) {
		names = append(names, s.Property)
	}
	for _, a := range sys.Actions {
		names = append(names, a.Name)
	}
	return sys, in, names
}

var noted = regexp.MustCompile(`^(small: )?the (?:antecedent of|trigger of|action) (\S+)`)

// notes lists the names in notes; all has the names that are impossible in any instance by the
// notes.
func notes(o *Outcome) (names, all []string) {
	for _, n := range o.Notes {
		m := noted.FindStringSubmatch(n)
		if m == nil {
			continue
		}
		names = append(names, m[2])
		if m[1] == "" {
			all = append(all, m[2])
		}
	}
	slices.Sort(names)
	return slices.Compact(names), all
}

func kinds(sys *system.System, names []string, temporal bool) (out []string) {
	for _, n := range names {
		if p := sys.Property(n); p == nil || p.IsTemporal() == temporal {
			out = append(out, n)
		}
	}
	return out
}

// Exploration and interpreter agree exactly, for properties of states and of runs.
func TestNotesOfExplorations(t *testing.T) {
	some, blamed := 0, 0
	seeds := testkit.Size(40, 100)
	for seed := range seeds {
		sys, in, names := suspicious(t, seed)
		found, states := observe(t, sys, in)
		o, err := Run(t.Context(), sys,
			Options{Explore: true, Explicit: explicit.Options{Threads: 1}})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, _ := notes(o)
		if len(states) == 0 {
			if len(got) > 0 || !slices.ContainsFunc(o.Results, func(x result.Result) bool {
				return x.Verdict == result.NothingChecked &&
					strings.HasPrefix(x.Reason.Text, vacuity.NoState+": the ")
			}) {
				t.Errorf("seed %d, without an initial state: %v, %+v", seed, o.Notes, o.Results)
			}
			continue
		}
		if want := found.never(names, -1); !slices.Equal(got, want) {
			t.Errorf("seed %d: noted %v, want %v\n%s", seed, got, want, sys)
		}
		some += len(got)
		for _, n := range o.Notes {
			if strings.Contains(n, "the trusted invariant trust") {
				blamed++
			}
		}
		// Only for the requested properties.
		one := vacuity.Signs(sys)
		if len(one) == 0 {
			continue
		}
		asked := []string{one[len(one)-1].Property}
		if o, err = Run(t.Context(), sys, Options{Explore: true, Only: asked}); err != nil {
			t.Fatal(err)
		}
		for _, a := range sys.Actions {
			asked = append(asked, a.Name)
		}
		got, _ = notes(o)
		if want := found.never(asked, -1); !slices.Equal(got, want) {
			t.Errorf("seed %d, only %s: noted %v, want %v", seed, asked[0], got, want)
		}
	}
	if some < int(seeds) || blamed == 0 {
		t.Errorf("%d notes, %d of a trusted invariant: too few", some, blamed)
	}
}

// A proof gives the right notes on the instances of the file, and no note on all instances that is
// false in one.
func TestNotesOfProofs(t *testing.T) {
	drivers := testkit.Solvers(t)
	seeds := int64(6)
	if testkit.Long() {
		seeds = 400
	}
	everywhere := 0
	for seed := range seeds {
		sys, in, names := suspicious(t, seed)
		found, states := observe(t, sys, in)
		o := Options{Prove: true}
		o.Induct.Drivers = drivers
		outcome, err := Run(t.Context(), sys, o)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(states) == 0 {
			continue
		}
		got, all := notes(outcome)
		if want := found.never(kinds(sys, names, false), -1); !slices.Equal(got, want) {
			t.Errorf("seed %d: noted %v, want %v\n%s", seed, got, want, sys)
		}
		everywhere += len(all)
	}
	if everywhere == 0 {
		t.Error("nothing was proved to be impossible")
	}
}

// A bounded search gives the right notes on its runs, by exploration as well as with solvers alone.
func TestNotesOfBoundedSearches(t *testing.T) {
	drivers := testkit.Solvers(t)
	seeds := int64(6)
	if testkit.Long() {
		seeds = 400
	}
	const depth = 2
	some := 0
	for seed := range seeds {
		sys, in, names := suspicious(t, seed)
		found, states := observe(t, sys, in)
		if len(states) == 0 {
			continue
		}
		o := Options{Bound: true, Instances: []*system.Instance{in}, Bmc: bmc.Options{Depth: depth}}
		o.Bmc.Drivers = drivers
		outcome, err := Run(t.Context(), sys, o)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, _ := notes(outcome)
		want := found.never(kinds(sys, names, false), depth)
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: noted %v, want %v\n%s", seed, got, want, sys)
		}
		v := &review{sys: sys, o: o, ledger: &ledger{results: outcome.Results},
			sights: &sights{}}
		s := v.search(t.Context(), in, depth, v.unseen(in.Name))
		if s == nil {
			t.Fatalf("seed %d: no search", seed)
		}
		got = s.idle
		for _, x := range s.missing {
			got = append(got, x.Property)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: solvers miss %v, want %v\n%s", seed, got, want, sys)
		}
		some += len(got)
	}
	if some == 0 {
		t.Error("nothing was missing")
	}
}

// TestManyIdleActions asks solvers about some of many actions.
func TestManyIdleActions(t *testing.T) {
	ctx := testkit.Solving(t)
	var text strings.Builder
	unseen := &sight{bound: -1}
	text.WriteString("mutable constant x: int\ninit x = 0\n")
	for i := range mostGlances + 20 {
		unseen.idle = append(unseen.idle, fmt.Sprintf("a%d", i))
		fmt.Fprintf(&text, "action a%d() { require x < %d & x > %d; x := 0; }\n", i, i, i)
	}
	r, err := newRun(testkit.Compile(t, text.String()+"safety [s] x = 0\n"), Default())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.newReview().impossible(ctx, unseen).idle); n != mostGlances {
		t.Errorf("%d actions are proved impossible", n)
	}
}
