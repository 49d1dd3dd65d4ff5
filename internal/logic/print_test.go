package logic

import (
	"math/rand"
	"strings"
	"testing"
)

var (
	client = &Sort{Kind: KindUninterpreted, Name: "client"}
	colour = &Sort{Kind: KindEnum, Name: "colour", Members: []string{"red", "green"}}
	wait   = &Symbol{Name: "waiting", Kind: Relation, Args: []*Sort{client}, Result: Bool,
		Mutable: true}
	link  = &Symbol{Name: "link", Kind: Relation, Args: []*Sort{client, client}, Result: Bool}
	time  = &Symbol{Name: "time", Kind: Function, Args: []*Sort{client}, Result: Int, Mutable: true}
	now   = &Symbol{Name: "now", Kind: Constant, Result: Int, Mutable: true}
	bound = &Symbol{Name: "N", Kind: Constant, Result: Int}
	hue   = &Symbol{Name: "hue", Kind: Constant, Result: colour, Mutable: true}
	up    = &Symbol{Name: "up", Kind: Relation, Result: Bool, Mutable: true}
	done  = &Symbol{Name: "done", Kind: Relation, Result: Bool, Mutable: true}
)

func variable(name string, s *Sort) *Var { return &Var{Name: name, Sort: s} }

func TestString(t *testing.T) {
	x, x2, y := variable("X", client), variable("X", client), variable("Y", client)
	upTo := &Sort{Kind: KindRange, Name: "0 .. N+1", Lo: IntLit(0),
		Hi: Add(App(bound, Pre), IntLit(1))}
	i, bigC := variable("i", upTo), variable("N", Int)
	p, q := App(up, Pre), App(done, Pre)
	n := App(now, Pre)
	one := IntLit(1)
	forallX := Forall([]*Var{x}, App(wait, Pre, Ref(x)))
	for _, c := range []struct {
		term *Term
		want string
	}{
		{True, "true"},
		{&Term{Op: OpAnd, Sort: Bool}, "true"},
		{&Term{Op: OpOr, Sort: Bool}, "false"},
		{IntLit(-3), "-3"},
		{Neg(IntLit(-3)), "-(-3)"},
		{Neg(Neg(n)), "-(-now)"},
		{Sub(n, IntLit(-3)), "now - -3"},
		{Member(colour, 1), "green"},
		{Member(client, 12), "client12"},
		{Member(colour, 7), "colour7"},
		{Eq(App(hue, Post), Member(colour, 0)), "hue' = red"},
		{App(time, 4, Ref(y)), "time@4(Y)"},
		{App(link, Post, Ref(x), Ref(y)), "link(X, Y)"},
		{App(time, Post, Ref(y)), "time'(Y)"},
		{Not(Eq(n, one)), "now != 1"},
		{Not(Not(Not(p))), "!up"},
		{Not(And(p, q)), "!(up & done)"},
		{Not(Le(n, one)), "!(now <= 1)"},
		{Not(Iff(p, q)), "!(up <-> done)"},
		{Not(forallX), "!forall X:client. waiting(X)"},
		{And(p, Or(p, q), q), "up & (up | done) & done"},
		{Or(And(p, q), q), "up & done | done"},
		{&Term{Op: OpAnd, Sort: Bool, Args: []*Term{p, And(p, q)}}, "up & (up & done)"},
		{&Term{Op: OpOr, Sort: Bool, Args: []*Term{And(p, q)}}, "up & done"},
		{Implies(p, Implies(q, p)), "up -> done -> up"},
		{Implies(Implies(p, q), p), "(up -> done) -> up"},
		{Iff(Iff(p, q), p), "(up <-> done) <-> up"},
		{Iff(p, Iff(p, q)), "up <-> (up <-> done)"},
		{Implies(p, Iff(p, q)), "up -> (up <-> done)"},
		{Add(n, Add(n, one)), "now + (now + 1)"},
		{Add(Add(n, n), one), "now + now + 1"},
		{Add(n), "now"},
		{Sub(n, Sub(n, one)), "now - (now - 1)"},
		{Sub(Add(n, one), one), "now + 1 - 1"},
		{Mul(Add(n, one), Neg(n)), "(now + 1) * -now"},
		{Mul(n, Mul(n, n)), "now * (now * now)"},
		{Lt(Add(n, one), n), "now + 1 < now"},
		{&Term{Op: OpEq, Sort: Bool, Args: []*Term{Lt(n, one), p}}, "(now < 1) = up"},
		{Distinct(n, one, n), "distinct(now, 1, now)"},
		{Ite(p, n, Ite(q, one, n)), "if up then now else if done then 1 else now"},
		{Add(one, Ite(p, n, one)), "1 + if up then now else 1"},
		{Add(Ite(p, n, one), one), "(if up then now else 1) + 1"},
		{Or(And(p, forallX), q), "up & (forall X:client. waiting(X)) | done"},
		{Or(q, And(p, forallX)), "done | up & forall X:client. waiting(X)"},
		{Ite(forallX, one, n), "if forall X:client. waiting(X) then 1 else now"},
		{Implies(Not(forallX), q), "!(forall X:client. waiting(X)) -> done"},
		{Forall([]*Var{x, y}, App(link, Pre, Ref(x), Ref(y))), "forall X:client, Y:client. link(X, Y)"},
		{Exists([]*Var{i}, Eq(Ref(i), n)), "exists i:0..N + 1. i = now"},
		// The inner X gets a number only where the outer X occurs within.
		{Forall([]*Var{x}, Exists([]*Var{x2}, App(link, Pre, Ref(x), Ref(x2)))),
			"forall X:client. exists X1:client. link(X, X1)"},
		{Forall([]*Var{x},
			And(App(wait, Pre, Ref(x)), Exists([]*Var{x2}, App(wait, Pre, Ref(x2))))),
			"forall X:client. waiting(X) & exists X:client. waiting(X)"},
		{Exists([]*Var{x2}, App(link, Pre, Ref(x), Ref(x2))), "exists X1:client. link(X, X1)"},
		{App(link, Pre, Ref(x), Ref(x2)), "link(X, X1)"},
		{Forall([]*Var{x, x2}, App(link, Pre, Ref(x), Ref(x2))), "forall X:client, X1:client. link(X, X1)"},
		{Exists([]*Var{bigC}, Lt(Ref(bigC), App(bound, Pre))), "exists N1:int. N1 < N"},
		{Let(bigC, App(bound, Pre), Eq(Ref(bigC), n)), "let N = N in N = now"},
		{Let(x2, Ref(x), App(link, Pre, Ref(x), Ref(x2))), "let X1 = X in link(X, X1)"},
		{Temporal(OpLeadsTo, p, Temporal(OpEventually, And(p, q))), "up ~> eventually (up & done)"},
		{And(Temporal(OpAlways, p), q), "always up & done"},
		{Temporal(OpAlways, Temporal(OpUntil, p, Or(p, q))), "always (up until up | done)"},
		{Implies(p, Temporal(OpUntil, Temporal(OpUntil, p, q), p)),
			"up -> (up until done) until up"},
		{Temporal(OpLeadsTo, Iff(p, q), Temporal(OpLeadsTo, p, q)), "up <-> done ~> (up ~> done)"},
	} {
		if got := c.term.String(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestPrinterStyles(t *testing.T) {
	x := variable("X", client)
	t1 := And(App(wait, Pre, Ref(x)), Eq(App(now, Post), App(time, Pre, Ref(x))))
	f := &Symbol{Name: "f", Kind: Function, Args: []*Sort{Int}, Result: Int, Mutable: true}
	mixed := App(f, Pre, Add(App(now, Post), App(bound, Pre)))
	for _, c := range []struct {
		style Style
		term  *Term
		want  string
	}{
		{Formula, t1, "waiting(X) & now' = time(X)"},
		{Stateless, t1, "waiting(X) & now = time(X)"},
		{Program, t1, "old(waiting(X)) & now = old(time(X))"},
		{Program, mixed, "old(f)(now + N)"},
		{Program, App(f, Pre, App(now, Pre)), "old(f(now))"},
		{Program, App(now, 3), "now@3"},
		{Stateless, App(now, 3), "now"},
	} {
		if got := (Printer{Style: c.style}).Term(c.term); got != c.want {
			t.Errorf("style %d: got %s, want %s", c.style, got, c.want)
		}
	}
	named := Printer{Names: map[*Var]string{x: "C"}}
	if got, want := named.Vars([]*Var{x})+": "+named.Term(App(wait, Pre, Ref(x))), "C:client: waiting(C)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestStringOfDeepTerm prints a term whose names collide at every level but are never confused.
func TestStringOfDeepTerm(t *testing.T) {
	const depth = 2000
	body := App(wait, Pre, Ref(variable("X", client)))
	for range depth {
		v := variable("X", client)
		body = Exists([]*Var{v}, And(App(wait, Pre, Ref(v)), body))
	}
	out := body.String()
	if strings.Contains(out, "X2") {
		t.Error("a variable was renamed though it hides no variable that is used")
	}
	if got := strings.Count(out, "exists"); got != depth {
		t.Errorf("%d quantifiers printed, want %d", got, depth)
	}
}

func TestEqual(t *testing.T) {
	x, y, z := variable("X", client), variable("Y", client), variable("Z", client)
	r := func(a, b *Var) *Term { return App(link, Pre, Ref(a), Ref(b)) }
	all := func(vs []*Var, t *Term) *Term { return Forall(vs, t) }
	zeroTo := func(hi int64) *Sort { return &Sort{Kind: KindRange, Lo: IntLit(0), Hi: IntLit(hi)} }
	shared := r(x, y)
	for _, c := range []struct {
		name string
		a, b *Term
		want bool
	}{
		{"spans do not matter", r(x, y), r(x, y), true},
		{"free variables by identity", r(x, y), r(x, z), false},
		{"renamed binder", all([]*Var{x}, r(x, z)), all([]*Var{y}, r(y, z)), true},
		{"renamed two", all([]*Var{x, y}, r(x, y)), all([]*Var{y, x}, r(y, x)), true},
		{"exchanged", all([]*Var{x, y}, r(x, y)), all([]*Var{y, x}, r(x, y)), false},
		{"captured on one side", all([]*Var{x}, r(x, y)), all([]*Var{y}, r(y, y)), false},
		{"shared body under different binders", all([]*Var{x}, shared), all([]*Var{y}, shared),
			false},
		{"shadowed", all([]*Var{x}, all([]*Var{x}, r(x, x))),
			all([]*Var{y}, all([]*Var{z}, r(z, z))), true},
		{"outer of nested", all([]*Var{x}, all([]*Var{y}, r(x, x))),
			all([]*Var{y}, all([]*Var{x}, r(x, x))), false},
		{"scope ends", And(all([]*Var{x}, r(x, x)), r(x, y)), And(all([]*Var{y}, r(y, y)), r(y, y)),
			false},
		{"quantifier", Forall([]*Var{x}, r(x, x)), Exists([]*Var{x}, r(x, x)), false},
		{"let", Let(x, Ref(z), r(x, z)), Let(y, Ref(z), r(y, z)), true},
		{"the value of let is outside", Let(x, Ref(x), r(x, z)), Let(y, Ref(y), r(y, z)), false},
		{"numbers", Le(IntLit(1), App(now, Pre)), Le(IntLit(1), App(now, Pre)), true},
		{"other number", Le(IntLit(1), App(now, Pre)), Le(IntLit(2), App(now, Pre)), false},
		{"state", App(now, Pre), App(now, Post), false},
		{"members", Member(colour, 0), Member(colour, 1), false},
		{"range of a binder", Forall([]*Var{variable("i", zeroTo(3))}, True),
			Forall([]*Var{variable("j", zeroTo(3))}, True), true},
		{"other range", Forall([]*Var{variable("i", zeroTo(3))}, True),
			Forall([]*Var{variable("i", zeroTo(4))}, True), false},
	} {
		if got := Equal(c.a, c.b); got != c.want {
			t.Errorf("%s: Equal(%s, %s) = %t", c.name, c.a, c.b, got)
		}
		if got := Equal(c.b, c.a); got != c.want {
			t.Errorf("%s: Equal(%s, %s) = %t", c.name, c.b, c.a, got)
		}
	}
}

// randomFormula makes a formula over up and done, or with quantifiers over waiting and link.
func randomFormula(rng *rand.Rand, depth int, vars []*Var) *Term {
	sub := func() *Term { return randomFormula(rng, depth-1, vars) }
	if depth == 0 {
		if len(vars) > 0 && rng.Intn(3) > 0 {
			return App(link, Pre, Ref(vars[rng.Intn(len(vars))]), Ref(vars[rng.Intn(len(vars))]))
		}
		return []*Term{App(up, Pre), App(done, Pre), True, False}[rng.Intn(4)]
	}
	switch rng.Intn(9) {
	case 0:
		return Not(sub())
	case 1:
		return And(sub(), sub(), sub())
	case 2:
		return Or(sub(), sub())
	case 3:
		return Implies(sub(), sub())
	case 4:
		return Iff(sub(), sub())
	case 5:
		return Ite(sub(), sub(), sub())
	case 6, 7:
		v := variable("X", client)
		body := randomFormula(rng, depth-1, append(vars[:len(vars):len(vars)], v))
		if rng.Intn(2) == 0 {
			return Forall([]*Var{v}, body)
		}
		return Exists([]*Var{v}, body)
	}
	v := variable("X", client)
	if len(vars) == 0 {
		return sub()
	}
	return Let(v, Ref(vars[rng.Intn(len(vars))]),
		randomFormula(rng, depth-1, append(vars[:len(vars):len(vars)], v)))
}

// model interprets the symbols of randomFormula over two clients.
type model struct {
	up, done bool
	link     [2][2]bool
}

func (m model) holds(t *Term, env map[*Var]int) bool {
	value := func(t *Term) int { return env[t.Var] }
	with := func(v *Var, n int, body *Term) bool {
		inner := map[*Var]int{}
		for k, x := range env {
			inner[k] = x
		}
		inner[v] = n
		return m.holds(body, inner)
	}
	switch t.Op {
	case OpTrue:
		return true
	case OpFalse:
		return false
	case OpApp:
		switch t.Symbol {
		case up:
			return m.up
		case done:
			return m.done
		}
		return m.link[value(t.Args[0])][value(t.Args[1])]
	case OpNot:
		return !m.holds(t.Args[0], env)
	case OpAnd:
		for _, a := range t.Args {
			if !m.holds(a, env) {
				return false
			}
		}
		return true
	case OpOr:
		for _, a := range t.Args {
			if m.holds(a, env) {
				return true
			}
		}
		return false
	case OpImplies:
		return !m.holds(t.Args[0], env) || m.holds(t.Args[1], env)
	case OpIff:
		return m.holds(t.Args[0], env) == m.holds(t.Args[1], env)
	case OpIte:
		if m.holds(t.Args[0], env) {
			return m.holds(t.Args[1], env)
		}
		return m.holds(t.Args[2], env)
	case OpForall:
		for n := range 2 {
			if rest := Forall(t.Vars[1:], t.Args[0]); !with(t.Vars[0], n, rest) {
				return false
			}
		}
		return true
	case OpExists:
		for n := range 2 {
			if rest := Exists(t.Vars[1:], t.Args[0]); with(t.Vars[0], n, rest) {
				return true
			}
		}
		return false
	case OpLet:
		return with(t.Vars[0], value(t.Args[0]), t.Args[1])
	}
	panic("no formula of randomFormula: " + t.String())
}

func randomModel(rng *rand.Rand) (m model) {
	m.up, m.done = rng.Intn(2) == 0, rng.Intn(2) == 0
	for i := range 4 {
		m.link[i/2][i%2] = rng.Intn(2) == 0
	}
	return m
}

// TestRewriting compares the meaning of rewritten formulas with that of the originals.
func TestRewriting(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	free, other := variable("X", client), variable("X", client)
	for range 3000 {
		f := randomFormula(rng, 4, []*Var{free})
		conjuncts := Conjuncts(f)
		substituted := Subst(f, map[*Var]*Term{free: Ref(other)})
		for range 4 {
			m, env := randomModel(rng), map[*Var]int{free: rng.Intn(2)}
			want := m.holds(f, env)
			if got := m.holds(And(conjuncts...), env); got != want {
				t.Fatalf("Conjuncts changes the meaning of %s: %s", f, And(conjuncts...))
			}
			if got := m.holds(substituted, map[*Var]int{other: env[free]}); got != want {
				t.Fatalf("Subst changes the meaning of %s: %s", f, substituted)
			}
		}
		if again := Subst(substituted, map[*Var]*Term{other: Ref(free)}); !Equal(f, again) {
			t.Fatalf("Equal does not see that %s and %s differ in names only", f, again)
		}
		if Equal(f, substituted) && len(FreeVars(f)) > 0 {
			t.Fatalf("Equal takes %s and %s for the same", f, substituted)
		}
	}
}

func TestSubstKeepsBindersApart(t *testing.T) {
	x, y := variable("X", client), variable("Y", client)
	f := Exists([]*Var{y}, App(link, Pre, Ref(x), Ref(y)))
	got := Subst(f, map[*Var]*Term{x: Ref(y)}) // the free Y must not be captured
	if free := FreeVars(got); len(free) != 1 || free[0] != y {
		t.Errorf("free variables of %s: %v", got, free)
	}
	if got, want := got.String(), "exists Y1:client. link(Y, Y1)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestShiftAndSteps(t *testing.T) {
	f := And(Eq(App(now, Pre), App(bound, Pre)), App(wait, Post, Ref(variable("X", client))))
	g := Shift(f, 2)
	if got, want := g.String(), "now@2 = N & waiting@3(X)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if MaxStep(f) != Post || MaxStep(g) != 3 || MaxStep(App(bound, Pre)) != -1 {
		t.Errorf("MaxStep: %d, %d, %d", MaxStep(f), MaxStep(g), MaxStep(App(bound, Pre)))
	}
	if !Occurs(f, wait, Post) || Occurs(f, wait, Pre) || Occurs(f, up, Pre) {
		t.Error("Occurs is wrong")
	}
	if Shift(f, 0) != f {
		t.Error("Shift by 0 should be the term itself")
	}
}

func TestConjuncts(t *testing.T) {
	x := variable("X", client)
	none := variable("i", &Sort{Kind: KindRange, Lo: IntLit(1), Hi: App(bound, Pre)})
	p, q, w := App(up, Pre), App(done, Pre), App(wait, Pre, Ref(x))
	for _, c := range []struct {
		term *Term
		want []string
	}{
		{True, nil},
		{And(p, q), []string{"up", "done"}},
		{Forall([]*Var{x}, And(w, q)), []string{"forall X:client. waiting(X)", "done"}},
		{Forall([]*Var{none}, And(p, q)), []string{"forall i:1..N. up", "forall i:1..N. done"}},
		{Implies(p, And(q, Forall([]*Var{x}, And(w, p)))), []string{"up -> done", "up -> forall X:client. waiting(X)", "up -> up"}},
		{Not(Or(p, Not(q))), []string{"!up", "done"}},
		{Or(p, q), []string{"up | done"}},
	} {
		var got []string
		for _, g := range Conjuncts(c.term) {
			got = append(got, g.String())
		}
		if strings.Join(got, "; ") != strings.Join(c.want, "; ") {
			t.Errorf("%s: got %q, want %q", c.term, got, c.want)
		}
	}
}
