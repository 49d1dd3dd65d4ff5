package certificate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/testkit"
)

// What is said of a property counts its own obligations, all of them, by the solvers that answered.
func TestTally(t *testing.T) {
	c, _ := prove(t, compile(t, lock))
	provers := map[identity]string{}
	own := map[string]int{}
	for i := range c.Proofs {
		for j := range c.Proofs[i].Obligations {
			o := &c.Proofs[i].Obligations[j]
			if j%2 == 0 {
				o.Solver = "cvc5"
			}
			provers[o.identity()] = o.Solver
			own[o.Property]++
		}
	}
	for _, r := range recheck(t, c, testkit.Solvers(t, "z3")...).Results {
		counts := map[string]int{}
		for _, o := range r.Evidence.Obligations {
			if o.Property != r.Property || o.Queries < 1 {
				t.Errorf("%s has the obligation %s of %s, with %d queries", r.Property, o.Name,
					o.Property, o.Queries)
			}
			by := o.Solver.String()
			if provers[identity{o.Name, o.Action, o.Property, o.Conjunct}] == "z3" {
				by += fmt.Sprintf(", which proved it before, with seed %d", o.Seed)
			}
			counts[by]++
		}
		n := own[r.Property]
		if len(r.Evidence.Obligations) != n {
			t.Errorf("%s has %d obligations, not %d", r.Property, len(r.Evidence.Obligations), n)
		}
		want := fmt.Sprintf("rechecked %d of %d obligations: ", n, n)
		if !strings.HasPrefix(r.Reason.Text, want) {
			t.Errorf("%s: %q does not begin with %q", r.Property, r.Reason.Text, want)
		}
		for by, n := range counts {
			if !strings.Contains(r.Reason.Text+";", fmt.Sprintf("%d by %s;", n, by)) {
				t.Errorf("%s: %q does not say that %d are by %s", r.Property, r.Reason.Text, n, by)
			}
		}
	}
}

// An open question about a step is asked in both renderings with each seed, any other in one.
func TestAllIsTried(t *testing.T) {
	testkit.InCI(t)
	c := claim(t, compile(t, lock), []string{"mutex"}, []string{"mutex"})
	dir := t.TempDir()
	out, err := c.Recheck(t.Context(), Options{Drivers: testkit.Solvers(t)[:1], Rlimit: 1,
		LogDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	open := 0
	for _, o := range out.Results[0].Evidence.Obligations {
		tries := int64(moreSeeds + 2)
		if o.Action != "" {
			tries *= 2
		}
		if o.Verdict != result.Unknown {
			continue
		}
		if open++; o.Queries < tries || o.Queries > tries+1 { // one from a part alone
			t.Errorf("%s: %d queries, not %d", o.Name, o.Queries, tries)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || open == 0 {
		t.Fatalf("%d open obligations, %v", open, err)
	}
	macros, equations := 0, 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case !strings.Contains(string(text), "enter"):
		case strings.Contains(string(text), "define-fun"):
			macros++
		default:
			equations++
		}
	}
	if macros == 0 || equations == 0 {
		t.Errorf("%d queries with definitions, %d with equations", macros, equations)
	}
}

// A proof of a system that a text without an algorithm cannot derive is refused.
func TestNoSuchSystem(t *testing.T) {
	c, _ := prove(t, compile(t, lock))
	c.Proofs[0].System = derive.Processes
	_, err := c.Recheck(t.Context(), Options{Drivers: testkit.Solvers(t), Rlimit: rlimit})
	if !errors.Is(err, ErrRefused) {
		t.Errorf("error %v", err)
	}
}

// A proof of a derived system is checked again with all reductions that derive the system, and not
// without one, or as one of a system that the text does not derive.
func TestDerived(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "chandra_toueg.ere"))
	if err != nil {
		t.Fatal(err)
	}
	systems, _, err := derive.Read(context.Background(), "chandra_toueg.ere", string(text),
		derive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	drivers := testkit.Solvers(t, "z3")
	for _, d := range systems {
		sys := d.Spec.System
		if sys.Property("strong_accuracy") == nil {
			continue
		}
		results, err := induction.Prove(testkit.Solving(t), sys, induction.Options{
			Options: discharge.Options{Drivers: drivers}})
		if err != nil {
			t.Fatal(err)
		}
		c, err := New("test", Source{Name: d.Name, System: sys, Reductions: d.Reductions,
			Results: results})
		if err != nil || c == nil {
			t.Fatalf("%v, %v", c, err)
		}
		whole := func() (*Outcome, error) {
			return c.Recheck(t.Context(), Options{Drivers: drivers, Rlimit: rlimit})
		}
		out, err := whole()
		if err != nil {
			t.Fatal(err)
		}
		rest, err := c.Uncertified(t.Context(), out.Results)
		if err != nil {
			t.Error(err)
		}
		for _, r := range rest {
			if r.Verdict == result.Holds {
				t.Errorf("%s is not rechecked, and holds", r.Property)
			}
		}
		if len(c.Proofs[0].Reductions) < 2 || len(rest) == 0 {
			t.Fatalf("%d reductions, %d other properties", len(c.Proofs[0].Reductions), len(rest))
		}
		for i := range c.Proofs[0].Reductions {
			was := c.Proofs[0].Reductions
			c.Proofs[0].Reductions = append(append([]Reduction{}, was[:i]...), was[i+1:]...)
			if _, err := whole(); err == nil {
				t.Errorf("accepted without the reduction %q", was[i].Name)
			}
			c.Proofs[0].Reductions = was
		}
		c.Proofs[0].System = "one_way_with_wings"
		if _, err := whole(); err == nil {
			t.Error("accepted as a proof of a system that is not derived")
		}
		return
	}
	t.Fatal("no system has the property")
}

// Questions of one theory are asked together where the same solver proved them with the same seed:
// what is said of a recheck names the solver that proved an obligation before.
func TestTogether(t *testing.T) {
	c, _ := prove(t, compile(t, lock))
	_, plans, err := c.plans(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := plans[0]
	var group []int
	x := &progress{plan: p, answers: make([]result.Obligation, len(p.questions))}
	for _, g := range x.groups(2) {
		if len(g) == 2 {
			group = g
		}
	}
	if group == nil {
		t.Fatal("no two questions have one theory")
	}
	for _, c := range []struct {
		provers  [2]string
		seeds    [2]int
		together bool
	}{
		{[2]string{"z3", "z3"}, [2]int{0, 0}, true},
		{[2]string{"z3", "z3"}, [2]int{3, 3}, true},
		{[2]string{"z3", "cvc5"}, [2]int{0, 0}, false},
		{[2]string{"z3", "z3"}, [2]int{0, 1}, false},
	} {
		for k, i := range group {
			p.provers[i], p.seeds[i] = c.provers[k], c.seeds[k]
		}
		a := &asker{opts: Options{Drivers: testkit.Solvers(t), Rlimit: rlimit},
			sessions: map[sessionKey]*smt.Session{}}
		got := a.together(t.Context(), p, group)
		a.close()
		if len(got) != map[bool]int{true: 2}[c.together] {
			t.Errorf("%+v: %d obligations are proved", c, len(got))
		}
		for k, o := range got {
			q := p.questions[group[k]]
			if o.Name != q.Name || o.Property != q.Property || o.Verdict != result.Holds {
				t.Errorf("%s of %s is %+v", q.Name, q.Property, o)
			}
		}
	}
}
