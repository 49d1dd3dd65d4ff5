package zone_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"erelong.dev/erelong/internal/engine/zone"
	"erelong.dev/erelong/internal/front/uppaal"
	"erelong.dev/erelong/internal/testkit"
)

// question is a query: the text, and its meaning.
type question struct {
	text   string
	decide func() (satisfied, known bool)
}

// state makes a condition for a query.
func (m *maker) state(depth int) num {
	s := scope{clocks: m.timers}
	if depth > 0 {
		a, b := m.state(depth-1), m.state(depth-1)
		switch m.below(4) {
		case 0:
			return num{a.in(andLevel) + " && " + b.in(andLevel+1), andLevel, 0, 1,
				func(e *env) int { return a.eval(e) & b.eval(e) }}
		case 1:
			return num{a.in(orLevel) + " || " + b.in(orLevel+1), orLevel, 0, 1, func(e *env) int {
				return a.eval(e) | b.eval(e)
			}}
		case 2:
			return num{"!" + a.in(atomLevel), unaryLevel, 0, 1, func(e *env) int {
				return 1 - a.eval(e)
			}}
		}
		return num{a.in(orLevel) + " imply " + b.in(orLevel+1), orLevel, 0, 1,
			func(e *env) int { return 1 - a.eval(e) | b.eval(e) }}
	}
	switch {
	case m.chance(50):
		return choice(m, m.members)(&s)
	case m.chance(50):
		return m.timing(&s, "<", "<=", "==", ">=", ">", "!=")
	}
	return m.cond(&scope{}, 1)
}

// most bounds the graph of a model that is compared.
const most = 1500

// questions makes queries of every kind.
func (m *maker) questions() (out []question) {
	n := m.net
	a, b := []num{m.state(1), m.state(1)}, []num{m.state(2), m.state(2)}
	c, p, g := m.state(1), m.state(0), m.state(1)
	start := n.initial() // with places for all variables that conditions bind
	var from []*env
	if n.admissible(start) {
		from = append(from, start)
	}
	all := n.explore(from, func(*env) bool { return true }, false, most)
	if all == nil || all.fault {
		return nil
	}
	reaches := func(f func(*env) bool) bool {
		for _, e := range all.nodes {
			if f(e) {
				return true
			}
		}
		return false
	}
	misses := func(from []*env, goal func(*env) bool) (bool, bool) {
		missed, g := n.misses(from, goal, 4*most)
		return missed, g != nil
	}
	holds := func(c num) func(*env) bool { return func(e *env) bool { return c.eval(e) != 0 } }
	fails := func(c num) func(*env) bool { return func(e *env) bool { return c.eval(e) == 0 } }
	add := func(decide func() (bool, bool), format string, args ...any) {
		out = append(out, question{fmt.Sprintf(format, args...), decide})
	}
	sure := func(b bool) func() (bool, bool) { return func() (bool, bool) { return b, true } }
	for i := range a {
		add(sure(reaches(holds(a[i]))), "E<> %s", a[i].text)
		add(sure(!reaches(fails(b[i]))), "A[] %s", b[i].text)
	}
	add(sure(!reaches(n.dead)), "A[] not deadlock")
	add(sure(reaches(func(e *env) bool { return c.eval(e) != 0 && n.dead(e) })), "E<> deadlock and %s", c.in(andLevel+1))
	add(func() (bool, bool) {
		x, ok := misses([]*env{start}[:len(from)], holds(c))
		return !x, ok
	}, "A<> %s", c.text)
	add(func() (bool, bool) { return misses([]*env{start}[:len(from)], fails(g)) }, "E[] %s",
		g.text)
	add(func() (bool, bool) {
		var triggered []*env
		for _, e := range all.nodes {
			if p.eval(e) != 0 {
				triggered = append(triggered, e)
			}
		}
		x, ok := misses(triggered, holds(g))
		return !x, ok
	}, "%s --> %s", p.in(orLevel), g.in(orLevel))
	return out
}

// compareModel checks one model. It gives how many queries were compared.
func compareModel(t *rapid.T) (compared int) {
	m, text := makeModel(t)
	qs := m.questions()
	var lines []string
	for _, q := range qs {
		lines = append(lines, q.text)
	}
	net, err := uppaal.Read("model.xta", text, "model.q", strings.Join(lines, "\n"))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(net.Queries) != len(qs) {
		t.Fatalf("%d queries, not %d", len(net.Queries), len(qs))
	}
	for i, q := range net.Queries {
		want, known := qs[i].decide()
		if !known {
			continue
		}
		for _, o := range []zone.Options{{}, {Asymmetric: true}, {DepthFirst: true}} {
			r, err := zone.Check(context.Background(), net, q, o)
			if err != nil {
				t.Fatalf("%s: %v\n%s", q.Text, err, text)
			}
			if r.Answer == zone.Unknown || (r.Answer == zone.Satisfied) != want {
				t.Fatalf("%s (%+v): %d %s, but it is %v\n%s", q.Text, o, r.Answer, r.Reason, want,
					text)
			}
		}
		compared++
	}
	return compared
}

// TestTextsAgainstTheirModels compares the verdicts about texts with the verdicts about their
// meanings, which are independent of erelong.
func TestTextsAgainstTheirModels(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) { compared += compareModel(t) })
	t.Logf("%d verdicts", compared)
	if compared < 100 {
		t.Errorf("only %d verdicts were compared", compared)
	}
}

// TestExpressionsAgainstTheirValues is about larger expressions: the binding of operators, and
// values.
func TestExpressionsAgainstTheirValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &maker{t: t, net: &network{ceiling: 2}}
		m.declare()
		m.functions()
		var conds []num
		for range 20 {
			x := m.expr(&m.global, 4)
			if m.chance(30) {
				x = m.cond(&m.global, 4)
			}
			conds = append(conds, x)
		}
		e := m.net.initial()
		var lines []string
		for _, x := range conds {
			lines = append(lines, fmt.Sprintf("A[] %s == %d", x.in(equalLevel+1), x.eval(e)))
		}
		net, err := uppaal.Read("model.xta", m.decl.String()+"process P() { state a; init a; } system P;", "model.q", strings.Join(lines, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range net.Queries {
			r, err := zone.Check(context.Background(), net, q, zone.Options{})
			if err != nil || r.Answer != zone.Satisfied {
				t.Fatalf("%s: %+v, %v\n%s", q.Text, r, err, m.decl.String())
			}
		}
	})
}

func TestLongTexts(t *testing.T) {
	testkit.InLong(t)
	if err := flag.Set("rapid.checks", "10000"); err != nil {
		t.Fatal(err)
	}
	t.Run("models", TestTextsAgainstTheirModels)
	t.Run("expressions", TestExpressionsAgainstTheirValues)
}
