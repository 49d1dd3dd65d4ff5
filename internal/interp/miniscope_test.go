package interp

import (
	"context"
	"errors"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// wideFormula is a quantifier over two to four variables.
func (t *toy) wideFormula(depth int) *logic.Term {
	var vars []*logic.Var
	for i := range 2 + t.IntN(3) {
		vars = append(vars, &logic.Var{Name: string(rune('a' + i)),
			Sort: []*logic.Sort{t.elem, t.three, t.pair, logic.Bool}[t.IntN(4)]})
	}
	t.vars = append(t.vars, vars...)
	sub := func() *logic.Term { return t.formula(t.IntN(depth)) }
	part := func(op logic.Op) *logic.Term {
		out := &logic.Term{Op: op, Sort: logic.Bool}
		for range 2 + t.IntN(3) {
			out.Args = append(out.Args, sub())
		}
		return out
	}
	var body *logic.Term
	switch t.IntN(5) {
	case 0:
		body = part(logic.OpAnd)
	case 1:
		body = part(logic.OpOr)
	case 2:
		body = &logic.Term{Op: logic.OpImplies, Sort: logic.Bool,
			Args: []*logic.Term{part(logic.OpAnd), sub()}}
	case 3:
		body = logic.Not(&logic.Term{Op: logic.OpImplies, Sort: logic.Bool,
			Args: []*logic.Term{part(logic.OpAnd), sub()}})
	default:
		body = sub()
	}
	t.vars = t.vars[:len(t.vars)-len(vars)]
	if t.IntN(2) == 0 {
		return logic.Forall(vars, body)
	}
	return logic.Exists(vars, body)
}

// A rewritten quantifier has the value, or the error, of the quantifier. Where slots are unknown,
// it has none that a completion contradicts, and is seldom undecided for longer.
func TestMiniscopingChangesNothing(t *testing.T) {
	rewritten, decided, undecided, later, failed := 0, 0, 0, 0, 0
	for seed := range uint64(2500) {
		toy := newToy(seed)
		naive, err := NewModel(toy.sys, toy.inst)
		if err != nil {
			t.Fatal(err)
		}
		naive.rewriteFrom = maxPoints + 1
		scoping := *naive
		scoping.rewriteFrom = 0
		formula := toy.wideFormula(4)
		if toy.IntN(3) == 0 { // below a let, whose value may be an error
			v := &logic.Var{Name: "l", Sort: toy.elem}
			formula = logic.Let(v, toy.element(2), toy.under(v, func() *logic.Term {
				return toy.wideFormula(3)
			}))
		}
		all := toy.states(naive)
		s := all[toy.IntN(len(all))].Clone()
		known := make([]bool, naive.size)
		for i := range known {
			known[i] = seed%2 == 0 || toy.IntN(4) > 0
		}
		known[0] = true // the parameter
		outcome := func(m *Model) (*machine, int64, bool) {
			f := newMachine(m)
			if err := f.load(s); err != nil {
				t.Fatal(err)
			}
			copy(f.known, known)
			v, ok := f.eval(formula)
			return f, v, ok
		}
		f, want, ok := outcome(naive)
		g, got, okG := outcome(&scoping)
		switch {
		case seed%2 == 1 && !ok && (okG || f.err == nil && g.err != nil):
			for _, c := range completions(naive, s, known) {
				v, err := naive.Eval(formula, c)
				if okG && err == nil && v != got || !okG && err == nil {
					t.Fatalf("seed %d: %s: rewritten %d %t %v, but a completion has %d", seed,
						formula, got, okG, g.err, v)
				}
			}
		case seed%2 == 1 && !okG && (ok || f.err != nil && g.err == nil):
			later++
		case ok != okG, ok && want != got, !ok && (f.err == nil) != (g.err == nil),
			!ok && f.err != nil && f.err.Error() != g.err.Error():
			t.Fatalf("seed %d: %s\nas it is: %d %t %v\nrewritten: %d %t %v", seed, formula, want,
				ok, f.err, got, okG, g.err)
		case ok:
			decided++
		case f.err != nil:
			failed++
		default:
			undecided++
		}
		for old, s := range g.scopes {
			if old != s {
				rewritten++
				break
			}
		}
	}
	t.Logf("%d rewritten; %d decided, %d undecided, %d for longer, %d failed", rewritten, decided,
		undecided, later, failed)
	if rewritten < 1000 || later > 15 || decided < 1000 || undecided < 150 || failed < 100 {
		t.Errorf("the formulas are too much alike: %d rewritten, %d decided, %d undecided, %d failed",
			rewritten, decided, undecided, failed)
	}
}

// long is a relation over a long range, and variables of it.
func long(t *testing.T, n int64) (*Model, func(...int) *logic.Term, []*logic.Var) {
	t.Helper()
	sort := &logic.Sort{Kind: logic.KindRange, Name: "1..n", Lo: logic.IntLit(1),
		Hi: logic.IntLit(n)}
	r := &logic.Symbol{Name: "r", Kind: logic.Relation, Args: []*logic.Sort{sort},
		Result: logic.Bool, Mutable: true}
	var vars []*logic.Var
	for _, name := range []string{"A", "B", "C", "D"} {
		vars = append(vars, &logic.Var{Name: name, Sort: sort})
	}
	of := func(vs ...int) *logic.Term {
		var out []*logic.Term
		for _, i := range vs {
			out = append(out, logic.App(r, 0, logic.Ref(vars[i])))
		}
		return logic.And(out...)
	}
	m, err := NewModel(&system.System{Symbols: []*logic.Symbol{r},
		Inits: []*system.Formula{{Term: logic.Forall(vars, logic.And(
			logic.Not(of(0)), logic.Not(of(1)), logic.Not(of(2)), logic.Not(of(3))))}},
	}, &system.Instance{})
	if err != nil {
		t.Fatal(err)
	}
	return m, of, vars
}

// What quantifiers over many variables cost is about the sum of their ranges, and not the product,
// where their parts speak of one variable each.
func TestMiniscopingSavesWork(t *testing.T) {
	m, of, vars := long(t, 1000)
	var first State
	if err := m.Initial(context.Background(), func(s State) error {
		first = s
		return nil
	}); err != nil || slices.Contains(first, 1) {
		t.Fatal(first, err)
	}
	c, err := m.Cursor(first)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		term *logic.Term
		want int64
	}{
		{logic.Forall(vars, logic.Implies(of(0, 1, 2), of(3))), 1},
		{logic.Exists(vars, of(0, 1, 2, 3)), 0},
		{logic.Forall(vars, logic.And(logic.Not(of(3)), logic.Not(of(2)))), 1},
		{logic.Exists(vars, logic.And(logic.Lt(logic.Ref(vars[0]), logic.Ref(vars[1])),
			logic.Or(of(3), of(2)))), 0},
	} {
		before := c.Tried()
		got, err := c.Eval(x.term)
		if tried := c.Tried() - before; err != nil || got != x.want || tried > 2_100_000 {
			t.Errorf("%s: %d, %v after %d values", x.term, got, err, tried)
		} else {
			t.Logf("%s: %d values", x.term, tried)
		}
	}
}

// A conjunction whose parts are shared is not visited as a tree.
func TestMiniscopingOfSharedParts(t *testing.T) {
	m, of, vars := long(t, 1000)
	term := logic.Not(of(0))
	for range 60 {
		term = &logic.Term{Op: logic.OpAnd, Sort: logic.Bool, Args: []*logic.Term{term, term}}
	}
	f := newMachine(m)
	f.scoped(logic.Forall(vars, logic.And(term, logic.Not(of(1)))))
}

// The end of a context ends an evaluation, and nothing is then taken for a value.
func TestEvaluationEndsWithItsContext(t *testing.T) {
	m, of, vars := long(t, 5000)
	var first State
	ctx := context.Background()
	if err := m.Initial(ctx, func(s State) error { first = s; return nil }); err != nil {
		t.Fatal(err)
	}
	// No part can be asked early: 5,000 * 5,000 * 5,000 combinations.
	sum := logic.Add(logic.Ref(vars[0]), logic.Ref(vars[1]), logic.Ref(vars[2]))
	never := logic.Exists(vars[:3], logic.Eq(sum, logic.IntLit(-1)))
	unknown := logic.Or(of(0), never) // the first operand is undecided
	for _, term := range []*logic.Term{never, logic.Not(never),
		{Op: logic.OpIte, Sort: logic.Bool, Args: []*logic.Term{never, logic.True, logic.True}},
		logic.And(logic.True, never)} {
		v, err := m.Under(&testkit.Late{Context: ctx, Left: 3}).Eval(term, first)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %d, %v", term, v, err)
		}
	}
	f := newMachine(m)
	f.ctx = &testkit.Late{Context: ctx, Left: 3}
	if _, ok := f.eval(logic.Exists(vars[:1], unknown)); ok || !errors.Is(f.err, context.Canceled) {
		t.Errorf("with unknown slots: %t, %v", ok, f.err)
	}
	if f.ticks > 5*4096 {
		t.Errorf("%d values were tried after the end", f.ticks)
	}
	sys := &system.System{Symbols: m.System.Symbols,
		Inits: []*system.Formula{{Term: logic.Not(never)}}}
	other, err := NewModel(sys, &system.Instance{})
	if err != nil {
		t.Fatal(err)
	}
	err = other.Initial(&testkit.Late{Context: ctx, Left: 3}, func(State) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("initial states: %v", err)
	}
	guarded := &system.Action{Name: "a", Code: []system.Stmt{system.Require{Cond: never}}}
	late := &testkit.Late{Context: ctx, Left: 3}
	err = m.Steps(late, first, guarded, func(Step) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("steps: %v", err)
	}
}
