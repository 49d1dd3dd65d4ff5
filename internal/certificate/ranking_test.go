package certificate

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// mutex has proofs with tiers, splits, a choice, a range, and steps that never happen.
const mutex = `
sort process
enum phase { idle, trying, critical }
immutable constant top: int
axiom top >= 0
mutable relation locked
mutable function at(process): phase
mutable constant entries: 0..top
init !locked & at(P) = idle & entries = 0
action try(p: process) { require at(p) = idle; at(p) := trying; }
strong fair action acquire(p: process) {
  require at(p) = trying & !locked;
  locked := true;
  at(p) := critical;
  if (entries < top) { entries := entries + 1; }
}
fair action release(p: process) { require at(p) = critical; locked := false; at(p) := idle; }
action wait(p: process) { require at(p) = trying; locked := locked; }
action steal(p: process) { require at(p) = critical & !locked; at(p) := idle; }
safety [mutex] at(P) = critical & at(Q) = critical -> P = Q
invariant [bit] at(P) = critical -> locked
invariant [held] locked -> exists P. at(P) = critical
invariant [wrong] entries = 0
liveness [served] at(P) = trying ~> at(P) = critical
liveness [left] at(P) = critical ~> at(P) = idle
rank [served] { choose holder: process with locked -> at(holder) = critical; }
`

// proveLive makes a certificate with proofs of liveness.
func proveLive(t *testing.T, sys *system.System) *Certificate {
	t.Helper()
	o := discharge.Options{Drivers: testkit.Solvers(t)}
	results, err := induction.Prove(t.Context(), sys, induction.Options{Options: o})
	if err != nil {
		t.Fatal(err)
	}
	live, err := ranking.Prove(t.Context(), sys, ranking.Options{Options: o, Proved: results})
	if err != nil {
		t.Fatal(err)
	}
	c, err := New("test", Source{System: sys, Results: slices.Concat(live, results)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// forge states the obligations that a changed certificate should have, if it can be read.
func forge(c *Certificate) {
	sys, _, err := ere.Compile(c.Specification.Name, c.Specification.Text)
	if err != nil {
		return
	}
	for i := range c.Proofs {
		p := &c.Proofs[i]
		invariant, err := find(sys, p.Invariant)
		claimed, err2 := find(sys, p.Properties)
		if err != nil || err2 != nil || p.Ranking == nil {
			continue
		}
		questions, err := rankingQuestions(context.Background(), &c.Specification, sys,
			claimed[0], invariant, p.Ranking)
		if err != nil {
			continue
		}
		p.Obligations = nil
		for _, q := range questions {
			q.Solver = "z3"
			p.Obligations = append(p.Obligations, q.Obligation)
		}
	}
}

// A changed proof of liveness with matching obligations is refused or refuted.
func TestTamperedRanking(t *testing.T) {
	testkit.InCI(t)
	strong, _, err := ere.Load(filepath.FromSlash("../../examples/mutex_strong.ere"))
	if err != nil {
		t.Fatal(err)
	}
	sys := compile(t, mutex)
	drivers := testkit.Solvers(t)[:1]
	certificates := map[string]*Certificate{"tiers": proveLive(t, sys),
		"counts": proveLive(t, strong)}
	proof := func(c *Certificate, name string) *Proof {
		i := slices.IndexFunc(c.Proofs, func(p Proof) bool { return p.Properties[0].Name == name })
		return &c.Proofs[i]
	}
	part := func(c *Certificate, tier int, action string) *result.RankTransition {
		parts := proof(c, "served").Ranking.Tiers[tier].Transitions
		i := slices.IndexFunc(parts, func(p result.RankTransition) bool {
			return p.Action == action
		})
		return &parts[i]
	}
	invariant := func(c *Certificate, name string) {
		p := proof(c, "served")
		p.Invariant = slices.DeleteFunc(p.Invariant, func(f Formula) bool { return f.Name == name })
	}
	retext := func(c *Certificate, from, to string) {
		s := &c.Specification
		s.Text = strings.Replace(s.Text, from, to, 1)
		s.SHA256 = hash(s.Text)
	}
	for name, tt := range map[string]struct {
		of      string // the certificate to change
		tamper  func(c *Certificate, p *Proof)
		refused string // the expected error
		refuted string // the refuted obligation
	}{
		"tier dropped": {"tiers", func(c *Certificate, p *Proof) {
			p.Ranking.Tiers = p.Ranking.Tiers[:1]
		}, "belong to no tier", ""},
		"tiers swapped": {"tiers", func(c *Certificate, p *Proof) {
			slices.Reverse(p.Ranking.Tiers)
		}, "", "does not grow"},
		"no tier": {"tiers", func(c *Certificate, p *Proof) { p.Ranking.Tiers = nil }, "belong to no tier", ""},
		"function left out": {"tiers", func(c *Certificate, p *Proof) {
			p.Ranking.Tiers[1].Terms = nil
		}, "", "rank 2 decreases"},
		"part dropped": {"tiers", func(c *Certificate, p *Proof) {
			t := &p.Ranking.Tiers[0]
			t.Transitions = t.Transitions[1:]
		}, "belong to no tier", ""},
		"part twice": {"tiers", func(c *Certificate, p *Proof) {
			t := &p.Ranking.Tiers[0]
			t.Transitions = append(t.Transitions, t.Transitions[0])
		}, "stated twice", ""},
		"part in other tier": {"tiers", func(c *Certificate, p *Proof) {
			a, b := part(c, 0, "wait"), part(c, 1, "wait")
			*a, *b = *b, *a
		}, "", "rank 1 decreases"},
		"split dropped": {"tiers", func(c *Certificate, p *Proof) {
			part(c, 0, "wait").Splits = nil
		}, "", "wait(p:process): left_acquire(P) grows by at most -1"},
		"split negated": {"tiers", func(c *Certificate, p *Proof) {
			part(c, 1, "wait").Splits[0].True = true
		}, "stated twice", ""},
		"split unknown": {"tiers", func(c *Certificate, p *Proof) {
			part(c, 0, "wait").Splits[0].Condition = "locked"
		}, `"locked" is no condition on steps of wait`, ""},
		"action unknown": {"tiers", func(c *Certificate, p *Proof) {
			part(c, 0, "wait").Action = "weight"
		}, `no action "weight"`, ""},
		"variable unknown": {"tiers", func(c *Certificate, p *Proof) {
			p.Ranking.Tiers[0].Terms[0].Variable = "left"
		}, `"left" is no variable`, ""},
		"other variable": {"tiers", func(c *Certificate, p *Proof) {
			p.Ranking.Tiers[0].Terms[0].Variable = "left_release(P)"
		}, "", "rank 1 decreases"},
		"negative variable": {"tiers", func(c *Certificate, p *Proof) {
			p.Ranking.Tiers[0].Terms[0].Variable = "0 - entries"
		}, "", "rank 1 is not negative"},
		"possible steps": {"tiers", func(c *Certificate, p *Proof) {
			r := p.Ranking
			r.Impossible = append(r.Impossible, result.RankTransition{Action: "acquire"})
		}, "", "acquire(p:process): not while it is pending"},
		"impossible dropped": {"tiers", func(c *Certificate, p *Proof) {
			proof(c, "left").Ranking.Impossible = nil
		}, "steps of acquire(p:process) belong to no tier", ""},
		"movement unknown": {"tiers", func(c *Certificate, p *Proof) { p.Ranking.Enabled = "it moves" }, `"it moves" is no claim`, ""},
		"other pending": {"tiers", func(c *Certificate, p *Proof) {
			p.Ranking.Pending = "locked"
		}, `are of states where "locked"`, ""},
		"range left out": {"tiers", func(c *Certificate, p *Proof) {
			invariant(c, "range:entries")
		}, "does not rest on range:entries", ""},
		"invariant left out": {"tiers", func(c *Certificate, p *Proof) { invariant(c, "held") }, "",
			"holder exists"},
		"invariant not known": {"tiers", func(c *Certificate, p *Proof) {
			p.Invariant = append(p.Invariant, formula(sys.Property("wrong")))
		}, "rests on wrong, which no proof before it claims", ""},
		"invariant by itself": {"tiers", func(c *Certificate, p *Proof) {
			p.Invariant = append(p.Invariant, p.Properties...)
		}, "cannot be part of an invariant", ""},
		"before what it needs": {"tiers", func(c *Certificate, p *Proof) {
			slices.Reverse(c.Proofs)
		}, "which no proof before it claims", ""},
		"other property": {"tiers", func(c *Certificate, p *Proof) {
			p.Properties = proof(c, "left").Properties
			c.Proofs = slices.DeleteFunc(c.Proofs, func(q Proof) bool {
				return q.Ranking != nil && q.Ranking != p.Ranking
			})
		}, "the functions are of states where", ""},
		"safety": {"tiers", func(c *Certificate, p *Proof) {
			p.Properties = []Formula{formula(sys.Property("wrong"))}
		}, "not for invariant wrong", ""},
		"two properties": {"tiers", func(c *Certificate, p *Proof) {
			p.Properties = append(p.Properties, proof(c, "left").Properties...)
		}, "for one property", ""},
		"with induction": {"tiers", func(c *Certificate, p *Proof) { p.Induction = 1 }, "without induction", ""},
		"without ranking": {"tiers", func(c *Certificate, p *Proof) {
			p.Ranking, p.Invariant = nil, nil
		}, "served is no theorem", ""},
		"not fair":    {"tiers", func(c *Certificate, p *Proof) { retext(c, "fair action release", "action release") }, `"left_release(holder)" is no variable`, ""},
		"weakly fair": {"tiers", func(c *Certificate, p *Proof) { retext(c, "strong fair action acquire", "fair action acquire") }, "", "left_acquire(P) grows by at most 0"},
		"factors swapped": {"counts", func(c *Certificate, p *Proof) {
			t := p.Ranking.Tiers[0].Terms
			t[0].Factor, t[1].Factor = t[1].Factor, t[0].Factor
		}, "", "rank 1 decreases"},
		"factor 0": {"counts", func(c *Certificate, p *Proof) {
			p.Ranking.Tiers[0].Terms[0].Factor = "0"
		}, `"0" is no positive number`, ""},
		"factor a letter": {"counts", func(c *Certificate, p *Proof) {
			p.Ranking.Tiers[0].Terms[0].Factor = "x"
		}, `"x" is no positive number`, ""},
		"growth too small": {"counts", func(c *Certificate, p *Proof) {
			for i, y := range part(c, 0, "release").Counts {
				if strings.HasPrefix(y.Variable, "#{") {
					part(c, 0, "release").Counts[i].By = 0
				}
			}
		}, "", "grows by at most 0"},
		"growth unknown": {"counts", func(c *Certificate, p *Proof) {
			part(c, 0, "acquire").Counts[0].By = -2
		}, "grows by at most -2 is no claim", ""},
		"growth left out": {"counts", func(c *Certificate, p *Proof) {
			part(c, 0, "try").Counts = nil
		}, "", "rank 1 decreases"},
		"growth of another": {"counts", func(c *Certificate, p *Proof) {
			part(c, 0, "try").Counts[0] = result.RankGrowth{Variable: "left_acquire(P)", By: 1}
		},
			"left_acquire(P) grows by at most 1 is no claim", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := certificates[tt.of].Write(&b); err != nil {
				t.Fatal(err)
			}
			c, err := Read(&b)
			if err != nil {
				t.Fatal(err)
			}
			p := proof(c, "served")
			p.Ranking.Bound = nil // it would be refused first
			tt.tamper(c, p)
			forge(c)
			out, err := c.Recheck(t.Context(),
				Options{Drivers: drivers, Rlimit: rlimit})
			if tt.refused != "" {
				if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), tt.refused) {
					t.Errorf("error %v, want %q", err, tt.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range out.Results {
				if r.Property == "served" &&
					(r.Verdict != result.NotInductive ||
						!strings.Contains(r.Reason.Text, tt.refuted)) {
					t.Errorf("%s (%s), want %q refuted", r.Verdict, r.Reason, tt.refuted)
				}
			}
		})
	}
}

// The obligations in a certificate are the obligations of its ranking functions.
func TestRankingObligations(t *testing.T) {
	c := proveLive(t, compile(t, mutex))
	p := &c.Proofs[len(c.Proofs)-1]
	last := p.Obligations[len(p.Obligations)-1]
	p.Obligations = p.Obligations[:len(p.Obligations)-1]
	if _, err := c.Recheck(t.Context(),
		Options{Drivers: testkit.Solvers(t), Rlimit: rlimit}); !errors.Is(err, ErrRefused) ||
		!strings.Contains(err.Error(), last.Name) {
		t.Errorf("error %v", err)
	}
	last.Formula = "true"
	p.Obligations = append(p.Obligations, last)
	if _, err := c.Recheck(t.Context(),
		Options{Drivers: testkit.Solvers(t), Rlimit: rlimit}); !errors.Is(err, ErrRefused) ||
		!strings.Contains(err.Error(), `is stated about "true"`) {
		t.Errorf("error %v", err)
	}
}

// Liveness does not hold if an invariant that it rests on is refuted.
func TestRankingRests(t *testing.T) {
	c := proveLive(t, compile(t, mutex))
	text := strings.Replace(mutex, "action wait(p: process) {", "action wait(p: process) { locked := true;", 1)
	c.Specification.Text, c.Specification.SHA256 = text, hash(text)
	forge(c)
	for _, r := range recheck(t, c, testkit.Solvers(t)...).Results {
		if r.Verdict == result.Holds ||
			r.Kind == system.Liveness && !strings.Contains(r.Reason.Text, "its proof rests on ") {
			t.Errorf("%s: %s (%s)", r.Property, r.Verdict, r.Reason)
		}
	}
}
