//go:build unix

package smt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/logic"
)

// named generates formulas with many names, some of them under quantifiers.
type named struct {
	*rand.Rand
	sort    *logic.Sort
	applied *logic.Symbol
	numbers []*logic.Term // in scope
	members []*logic.Term
	shared  *logic.Var // bound by several lets
}

func (g *named) number() *logic.Term {
	pick := func() *logic.Term { return g.numbers[g.IntN(len(g.numbers))] }
	if g.IntN(3) == 0 {
		return logic.App(g.applied, logic.Pre, g.members[g.IntN(len(g.members))])
	}
	return logic.Ite(logic.Lt(pick(), pick()), logic.Add(pick(), logic.IntLit(g.Int64N(3))), pick())
}

func (g *named) formula(names int) *logic.Term {
	if names == 0 {
		return logic.Le(g.number(), g.number())
	}
	numbers, members := g.numbers, g.members
	defer func() { g.numbers, g.members = numbers, members }()
	switch g.IntN(8) {
	case 0:
		v := &logic.Var{Name: "X", Sort: g.sort}
		g.members = append(members[:len(members):len(members)], logic.Ref(v))
		return logic.Forall([]*logic.Var{v}, g.formula(names-1))
	case 1:
		return logic.Not(logic.And(g.formula(names/2), g.formula(names-names/2-1)))
	}
	v := &logic.Var{Name: fmt.Sprint("v", names%7), Sort: logic.Int}
	if g.IntN(5) == 0 {
		v = g.shared
	}
	value := g.number()
	if g.IntN(6) == 0 {
		value = logic.Ite(g.formula(names/3), value, g.number())
	}
	g.numbers = append(numbers[:len(numbers):len(numbers)], logic.Ref(v))
	return logic.Let(v, value, g.formula(names-1))
}

// TestNamesBecomeConstants asks solvers whether a formula with constants for its names is
// equivalent to the formula with lets.
func TestNamesBecomeConstants(t *testing.T) {
	asked, with, under, unknown := 0, 0, 0, 0
	each(t, Config{}, func(t *testing.T, s *Session) {
		if s.Driver().Name() != "z3" {
			t.Skip("one solver is enough")
		}
		for seed := range uint64(often(15, 2000)) {
			color := &logic.Sort{Name: "color", Kind: logic.KindEnum, Members: []string{"red", "blue"}}
			f := &logic.Symbol{Name: "f", Kind: logic.Function, Args: []*logic.Sort{color},
				Result: logic.Int}
			g := &named{Rand: rand.New(rand.NewPCG(seed, 1)), sort: color, applied: f,
				shared:  &logic.Var{Name: "x", Sort: logic.Int},
				members: []*logic.Term{logic.Member(color, 0), logic.Member(color, 1)}}
			g.numbers = []*logic.Term{logic.App(f, logic.Pre, g.members[0]), logic.IntLit(1)}
			term := g.formula(30)
			for _, claim := range []*logic.Term{term, logic.Not(term)} {
				script := NewScript()
				if err := script.Declare(f, logic.Pre); err != nil {
					t.Fatal(err)
				}
				if err := script.Assert(claim); err != nil {
					t.Fatal(err)
				}
				plain, err := script.Fork().Term(claim)
				if err != nil {
					t.Fatal(err)
				}
				text := strings.Join(script.Lines(), "\n")
				if strings.Contains(text, "@let") {
					with++
				}
				if strings.Contains(text, "(let") {
					under++
				}
				body := []string{"(assert (not " + plain + "))"}
				for _, m := range []string{"red@color", "blue@color"} {
					body = append(body, fmt.Sprintf("(assert (= (f@ %s) %d))", m, g.IntN(5)))
				}
				a, err := s.Check(t.Context(),
					Query{Base: script.Lines(), Body: body, Rlimit: 1_000_000})
				if err != nil {
					t.Fatal(err)
				}
				if asked++; a.Status == Unknown {
					unknown++
				} else if a.Status != Unsat {
					t.Fatalf("seed %d: %s: these differ:\n%s\n%s", seed, a.Status, text, plain)
				}
			}
		}
		if with < asked/2 || under < asked/4 || unknown > asked/10 {
			t.Errorf("of %d formulas, %d have constants, %d have lets, %d were not decided", asked,
				with, under, unknown)
		}
	})
}

// TestNamesOnce counts: equal values of several formulas are one constant, and the text is no
// longer than its values.
func TestNamesOnce(t *testing.T) {
	x := &logic.Symbol{Name: "x", Kind: logic.Constant, Result: logic.Int, Mutable: true}
	chain := func(n int, last int64) *logic.Term {
		value := logic.App(x, logic.Pre)
		vars := make([]*logic.Var, n)
		values := make([]*logic.Term, n)
		for i := range n {
			values[i] = logic.Add(value, value)
			vars[i] = &logic.Var{Name: fmt.Sprint("v", i), Sort: logic.Int}
			value = logic.Ref(vars[i])
		}
		out := logic.Le(value, logic.IntLit(last))
		for i := n - 1; i >= 0; i-- {
			out = logic.Let(vars[i], values[i], out)
		}
		return out
	}
	s := NewScript()
	for i := range 3 {
		if err := s.Assert(chain(500, int64(i))); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.Lines()); n != 1+2*500+3 {
		t.Errorf("%d lines", n)
	}
	f := s.Fork()
	if err := f.Assert(chain(500, 7)); err != nil {
		t.Fatal(err)
	}
	if n := len(f.Lines()); n != 1 {
		t.Errorf("%d lines in a fork", n)
	}
}

// TestManyEqualNames finds names without a search through all of them.
func TestManyEqualNames(t *testing.T) {
	s := NewScript()
	const n = 50_000
	for range n {
		if err := s.DeclareVar(&logic.Var{Name: "p", Sort: logic.Bool}); err != nil {
			t.Fatal(err)
		}
	}
	f := s.Fork()
	v := &logic.Var{Name: "p", Sort: logic.Bool}
	if err := f.DeclareVar(v); err != nil {
		t.Fatal(err)
	}
	if name, _ := f.name(key{of: v}); name != fmt.Sprintf("p@arg!%d", n+1) {
		t.Errorf("name: %s", name)
	}
}
