package ranking

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/temporal"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/strip"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// restate derives the obligations of a proof from its written form. They are the discharged
// obligations, and no others.
func restate(t *testing.T, sys *system.System, r result.Result) {
	t.Helper()
	groups := obligations(t, sys, r)
	var derived, discharged []string
	for _, g := range groups {
		for _, o := range g.Obligations {
			derived = append(derived, o.Name)
		}
	}
	for _, o := range r.Evidence.Obligations {
		discharged = append(discharged, o.Name)
	}
	slices.Sort(derived)
	slices.Sort(discharged)
	if diff := cmp.Diff(discharged, derived); diff != "" ||
		len(slices.Compact(derived)) < len(discharged) {
		t.Errorf("%s\n%s", diff, sys.Source.Text)
	}
}

// hinted is the system with the hints that a proof has found.
func hinted(t *testing.T, sys *system.System, r result.Result) *system.System {
	t.Helper()
	out, err := withHints(t, sys, r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// withHints is the system with the hints that a proof of it, or of another one, has found. The
// error says that it cannot have them.
func withHints(t *testing.T, sys *system.System, r result.Result) (*system.System, error) {
	t.Helper()
	hints := r.Evidence.Ranking.Proof.Hints
	if hints == "" || sys.RankingOf(sys.Property(r.Property)) != nil {
		return sys, nil
	}
	text, err := strip.Hints(sys.Source.Name, sys.Source.Text)
	if err != nil {
		t.Fatal(err)
	}
	given := testkit.Compile(t, text)
	for _, p := range sys.Properties { // some were found, and are not in the text
		if given.Property(p.Name) == nil {
			text += fmt.Sprintf("\ninvariant [%s] %s", p.Name, p.Term)
		}
	}
	out, _, err := ere.Compile(sys.Source.Name, text+"\n"+hints)
	return out, err
}

// obligations derives the obligations of a proof from its written form.
func obligations(t *testing.T, sys *system.System, r result.Result) []*discharge.Group {
	t.Helper()
	sys = hinted(t, sys, r)
	var invariants []*system.Property
	for _, name := range r.Evidence.Invariant {
		invariants = append(invariants, sys.Property(name))
	}
	groups, err := Obligations(sys, sys.Property(r.Property), invariants, r.Evidence.Ranking.Proof)
	if err != nil {
		t.Fatalf("%v\n%+v\n%s", err, r.Evidence.Ranking.Proof, sys.Source.Text)
	}
	return groups
}

// reprove asks the obligations of a proof in new processes, also the ones that follow from what the
// search has proved. None of them is refuted. It gives the number of the ones that are not proved.
func reprove(t *testing.T, sys *system.System, r result.Result, opts Options) (open int) {
	t.Helper()
	sys = hinted(t, sys, r)
	prop := sys.Property(r.Property)
	d, err := discharge.New(t.Context(), newProblem(sys, prop, sys.RankingOf(prop), nil).sys,
		opts.Options)
	if err != nil {
		t.Fatal(err)
	}
	groups := obligations(t, sys, r)
	for _, g := range groups {
		for _, o := range g.Obligations {
			o.Probe()
		}
	}
	d.All(t.Context(), groups)
	for _, g := range groups {
		for _, o := range g.Obligations {
			switch o.Verdict {
			case result.NotInductive:
				t.Errorf("%s is refuted\n%s", o.Name, sys.Source.Text)
			case result.Unknown:
				open++
			}
		}
	}
	return open
}

// A proof of another system is refused, or one of its obligations is refuted, where a run violates
// the property.
func TestProofOfAnotherSystem(t *testing.T) {
	opts := options(t)
	opts.Rlimit, opts.Wall, opts.Effort = 300_000, 5*time.Second, 50
	refused, open := 0, 0
	seeds := []int64{55, 61} // of which obligations stay open
	for seed := range testkit.Size(4, 30) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		write := []func(*rand.Rand) string{small, chain, items}[seed%3]
		text := write(rand.New(rand.NewSource(seed)))
		r := prove1(t, opts, testkit.Compile(t, text))
		if r.Verdict != result.Holds {
			continue
		}
		for _, change := range [][2]string{{"strong fair ", "fair "}, {":= true", ":= false"}, {":= false", ":= true"}, {"x - 1", "x + 1"}, {" & free", ""},
			{"{ require ", "{ require on | "}, {"at(p) := trying", "at(p) := idle"}, {"at(p) := done", "at(p) := idle"}, {"~> ", "~> false & "},
			{"\nfair ", "\n"}, {"\nliveness", "\naction idle() { require true; }\nliveness"}} {
			other, _, err := ere.Compile("other.ere",
				strings.Replace(text, change[0], change[1], 1))
			if err != nil || !lasso(t, other) {
				continue
			}
			if other, err = withHints(t, other, r); err != nil {
				refused++
				continue
			}
			invariants, _, err := prove(t.Context(), other, r.Evidence.Invariant, opts)
			if err != nil {
				t.Fatal(err)
			}
			prop := other.Property(r.Property)
			p := newProblem(other, prop, other.RankingOf(prop), invariants)
			proof := *r.Evidence.Ranking.Proof
			proof.Pending = p.prerequisite().String()
			proof.Bound = nil // it would be refused first
			groups, err := Obligations(other, prop, invariants, &proof)
			if err != nil {
				refused++
				continue
			}
			d, err := discharge.New(t.Context(), p.sys, opts.Options)
			if err != nil {
				t.Fatal(err)
			}
			d.All(t.Context(), groups)
			if !slices.ContainsFunc(groups, func(g *discharge.Group) bool {
				return slices.ContainsFunc(g.Obligations, func(o *discharge.Obligation) bool {
					return o.Verdict != result.Holds
				})
			}) {
				t.Errorf("seed %d: all is proved, but there is a lasso\n%s", seed,
					other.Source.Text)
			}
			open++
		}
	}
	t.Logf("%d refused, %d with an obligation that is open", refused, open)
	if refused == 0 || open == 0 {
		t.Error("nothing was tried")
	}
}

// lasso reports whether the property is violated in an instance.
func lasso(t *testing.T, sys *system.System) bool {
	t.Helper()
	return slices.ContainsFunc(sys.Instances, func(in *system.Instance) bool {
		found, err := temporal.Check(t.Context(), sys, in, temporal.Options{})
		return err == nil && found[0].Verdict == result.Violated
	})
}
