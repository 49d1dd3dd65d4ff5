package certificate

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/testkit"
)

// loops has a proof in three tiers. Of the second, inner is at most N.
const loops = `
immutable constant N: int
immutable constant M: int
axiom N >= 1 & M >= 0
mutable constant outer: int
mutable constant inner: int
init outer >= 0 & inner = N
fair action step() { require inner > 0; inner := inner - 1; }
fair action wrap() { require inner = 0 & outer > 0; inner := N; outer := outer - 1; }
action rest() { require outer >= 0; }
invariant [positive] outer >= 0
invariant [full] inner <= N
invariant [natural] 0 <= inner
liveness [done] outer > 0 ~> outer = 0
`

// A changed bound on the number of steps is refused or refuted, also where the obligations of the
// certificate are changed with it.
func TestTamperedBound(t *testing.T) {
	testkit.InCI(t)
	driver, end := smt.Reuse(testkit.Solvers(t)[0])
	t.Cleanup(end)
	honest := proveLive(t, compile(t, loops))
	var text bytes.Buffer
	if err := honest.Write(&text); err != nil {
		t.Fatal(err)
	}
	proof := func(c *Certificate) *Proof {
		for i := range c.Proofs {
			if c.Proofs[i].Properties[0].Name == "done" {
				return &c.Proofs[i]
			}
		}
		t.Fatal("no proof of done")
		return nil
	}
	recheck := func(t *testing.T, c *Certificate) (result.Result, error) {
		out, err := c.Recheck(t.Context(), Options{Drivers: []smt.Driver{driver}, Rlimit: rlimit})
		if err != nil {
			return result.Result{}, err
		}
		for _, r := range out.Results {
			if r.Property == "done" {
				return r, nil
			}
		}
		t.Fatal("no result for done")
		return result.Result{}, nil
	}
	const steps = "(M_wrap + 1) * (M_step + 1) * (N + 1) * outer + (M_wrap + 1) * (M_step + 1)" +
		" * inner + (M_wrap + 1) * left_step + left_wrap + 1"
	bound := *proof(honest).Ranking.Bound
	if bound.Steps != steps {
		t.Fatalf("the bound is %s", bound.Steps)
	}
	if len(bound.Limits) != 1 || bound.Limits[0] != (result.RankLimit{Variable: "inner", Limit: "N"}) {
		t.Fatalf("the limits are %v", bound.Limits)
	}
	r, err := recheck(t, honest)
	if err != nil || r.Verdict != result.Holds || !strings.Contains(r.Reason.Text, steps) {
		t.Fatalf("%s (%s), error %v", r.Verdict, r.Reason, err)
	}
	states := func(from, to string) func(*Certificate, *Proof) {
		return func(_ *Certificate, p *Proof) {
			b := p.Ranking.Bound
			b.Steps = strings.Replace(b.Steps, from, to, 1)
		}
	}
	// limits inner, and states the bound that would follow.
	limits := func(by string) func(*Certificate, *Proof) {
		return func(_ *Certificate, p *Proof) {
			b := p.Ranking.Bound
			b.Limits[0].Limit = by
			b.Steps = strings.Replace(b.Steps, "(N + 1)", "("+by+" + 1)", 1)
			if by == "1" {
				b.Steps = strings.Replace(b.Steps, "(1 + 1)", "2", 1)
			}
		}
	}
	also := func(variable, limit string) func(*Certificate, *Proof) {
		return func(_ *Certificate, p *Proof) {
			b := p.Ranking.Bound
			b.Limits = append(b.Limits, result.RankLimit{Variable: variable, Limit: limit})
		}
	}
	retext := func(from, to string) func(*Certificate, *Proof) {
		return func(c *Certificate, _ *Proof) {
			s := &c.Specification
			s.Text = strings.Replace(s.Text, from, to, 1)
			s.SHA256 = hash(s.Text)
		}
	}
	const another = "the bound on the number of steps is"
	for name, tt := range map[string]struct {
		tamper  func(c *Certificate, p *Proof)
		refused string // the expected error
		refuted string // the refuted obligation
	}{
		"a constant":             {states(steps, "1"), another, ""},
		"nothing":                {states(steps, ""), another, ""},
		"one less":               {states(" + 1", ""), another, ""},
		"no steps until actions": {states(" + (M_wrap + 1) * left_step", ""), another, ""},
		"a smaller product":      {states("(N + 1) * outer", "N * outer"), another, ""},
		"no product":             {states("(N + 1) * outer", "outer"), another, ""},
		"one action forgotten":   {states("(M_step + 1) * ", ""), another, ""},
		"a smaller factor":       {states("* inner", ""), another, ""},
		"a larger bound":         {states(" + 1", " + 2"), another, ""},
		"another name":           {states("outer", "inner"), another, ""},
		"a limit that is false":  {limits("1"), "", "inner is at most 1"},
		"a limit that is another number": {limits("M"), "",
			"inner is at most M"},
		"a limit without its bound": {func(_ *Certificate, p *Proof) {
			p.Ranking.Bound.Limits[0].Limit = "1"
		}, another, ""},
		"a limit that changes":    {limits("outer"), "no limit that the search knows", ""},
		"a limit that is unknown": {limits("N * 2"), "no limit that the search knows", ""},
		"no limit": {func(_ *Certificate, p *Proof) {
			p.Ranking.Bound.Limits = nil
		}, "needs a limit of inner", ""},
		"a limit of the first tier":         {also("outer", "N"), "no limit that the search knows", ""},
		"a limit of the steps to an action": {also("left_step", "1"), another, ""},
		"a limit of what is no variable":    {also("inner * 2", "N"), "no variable of the search", ""},
		"two limits":                        {also("inner", "1"), another, ""},
		"no lower tier": {func(_ *Certificate, p *Proof) {
			p.Ranking.Tiers = p.Ranking.Tiers[:2]
		}, "belong to no tier", ""},
		"another factor": {func(_ *Certificate, p *Proof) {
			p.Ranking.Tiers[1].Terms[0].Factor = "2"
		}, another, ""},
		"another step": {retext("inner := N;", "inner := N + 1;"), "", "rests on"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Read(bytes.NewReader(text.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			tt.tamper(c, proof(c))
			forge(c)
			r, err := recheck(t, c)
			if tt.refused != "" {
				if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), tt.refused) {
					t.Errorf("%s (%s), error %v, want %q", r.Verdict, r.Reason, err, tt.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict == result.Holds || !strings.Contains(r.Reason.Text, tt.refuted) ||
				strings.Contains(r.Reason.Text, "at most "+steps) {
				t.Errorf("%s (%s), want %q refuted", r.Verdict, r.Reason, tt.refuted)
			}
		})
	}
}
