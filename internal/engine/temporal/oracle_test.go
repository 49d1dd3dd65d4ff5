package temporal

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// The oracle decides by sets, not by paths. It makes the tableau of all valuations of a formula's
// temporal sub-formulas (Clarke, Grumberg and Hamaguchi, Another look at LTL model checking, 1997).
// The states on fair runs are a fixpoint (Kesten, Pnueli and Raviv, Algorithmic verification of
// linear temporal logic specifications, ICALP 1998). It shares nothing with the engine but the
// steps of the interpreter.

// oracleNode is a state, its incoming edge, and for each temporal sub-formula whether it holds
// next.
type oracleNode struct {
	state, entered, next int
}

type oracle struct {
	m        *interp.Model
	elements map[*logic.Sort]int
	states   []interp.State
	initial  int
	edges    [][]oracleEdge
	labels   []*system.Action
	temporal []*logic.Term
	indexOf  map[string]int
}

type oracleEdge struct{ label, to int }

func newOracle(t *testing.T, sys *system.System, inst *system.Instance) *oracle {
	m, err := interp.NewModel(sys, inst)
	if err != nil {
		t.Fatal(err)
	}
	o := &oracle{m: m, elements: inst.Sizes, labels: []*system.Action{nil}}
	numbers, labels := map[string]int{}, map[string]int{}
	number := func(s interp.State) int {
		n, ok := numbers[m.Key(s)]
		if !ok {
			n = len(o.states)
			numbers[m.Key(s)] = n
			o.states = append(o.states, s.Clone())
		}
		return n
	}
	ctx := context.Background()
	if err := m.Initial(ctx, func(s interp.State) error { number(s); return nil }); err != nil {
		t.Fatal(err)
	}
	o.initial = len(o.states)
	for n := 0; n < len(o.states); n++ {
		o.edges = append(o.edges, nil)
		for _, a := range sys.Actions {
			err := m.Steps(ctx, o.states[n], a, func(s interp.Step) error {
				due := a.FairIf == nil || o.sat(bound(a, s.Args), n, 0)
				key := fmt.Sprint(a.Name, s.Args[:len(a.Params)], due)
				l, ok := labels[key]
				if !ok {
					l = len(o.labels)
					labels[key] = l
					if o.labels = append(o.labels, a); !due {
						o.labels[l] = nil
					}
				}
				o.edges[n] = append(o.edges[n], oracleEdge{l, number(s.State)})
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if len(o.edges[n]) == 0 {
			o.edges[n] = []oracleEdge{{0, n}}
		}
	}
	return o
}

// bound is the condition of fairness of an action for the values of its parameters.
func bound(a *system.Action, args []interp.Arg) *logic.Term {
	values := map[*logic.Var]*logic.Term{}
	for _, arg := range args[:len(a.Params)] {
		values[arg.Var] = logic.Member(arg.Var.Sort, int(arg.Value))
	}
	return logic.Subst(a.FairIf, values)
}

// prepare expands the quantifiers, and lists the temporal sub-formulas.
func (o *oracle) prepare(t *logic.Term) *logic.Term {
	if !logic.IsTemporal(t) {
		return t
	}
	if t.Op == logic.OpLeadsTo {
		t = logic.Temporal(logic.OpAlways,
			logic.Implies(t.Args[0], logic.Temporal(logic.OpEventually, t.Args[1])))
	}
	if t.Op == logic.OpForall || t.Op == logic.OpExists {
		var parts []*logic.Term
		for i := range o.elements[t.Vars[0].Sort] {
			value := map[*logic.Var]*logic.Term{t.Vars[0]: logic.Member(t.Vars[0].Sort, i)}
			parts = append(parts, o.prepare(logic.Subst(logic.Forall(nil, t.Args[0]), value)))
		}
		if t.Op == logic.OpForall {
			return logic.And(parts...)
		}
		return logic.Or(parts...)
	}
	c := *t
	c.Args = nil
	for _, a := range t.Args {
		c.Args = append(c.Args, o.prepare(a))
	}
	if c.Op >= logic.OpAlways {
		if _, ok := o.indexOf[c.String()]; !ok {
			o.indexOf[c.String()] = len(o.temporal)
			o.temporal = append(o.temporal, &c)
		}
	}
	return &c
}

// sat is the value of a formula in a state, if next tells which temporal formulas hold in the next
// one.
func (o *oracle) sat(t *logic.Term, state, next int) bool {
	if !logic.IsTemporal(t) {
		v, err := o.m.Holds(t, o.states[state])
		if err != nil {
			panic(err)
		}
		return v
	}
	arg := func(i int) bool { return o.sat(t.Args[i], state, next) }
	later := func() bool { return next>>o.indexOf[t.String()]&1 == 1 }
	switch t.Op {
	case logic.OpNot:
		return !arg(0)
	case logic.OpAnd, logic.OpOr:
		for i := range t.Args {
			if arg(i) == (t.Op == logic.OpOr) {
				return t.Op == logic.OpOr
			}
		}
		return t.Op == logic.OpAnd
	case logic.OpImplies:
		return !arg(0) || arg(1)
	case logic.OpIff:
		return arg(0) == arg(1)
	case logic.OpIte:
		if arg(0) {
			return arg(1)
		}
		return arg(2)
	case logic.OpUntil:
		return arg(1) || arg(0) && later()
	case logic.OpEventually:
		return arg(0) || later()
	case logic.OpAlways:
		return arg(0) && later()
	}
	panic(t.String())
}

// keepsPromise is the justice condition of a temporal formula: a promised eventuality comes true.
func (o *oracle) keepsPromise(t *logic.Term, state, next int) bool {
	switch t.Op {
	case logic.OpUntil:
		return !o.sat(t, state, next) || o.sat(t.Args[1], state, next)
	case logic.OpEventually:
		return !o.sat(t, state, next) || o.sat(t.Args[0], state, next)
	}
	return o.sat(t, state, next) || !o.sat(t.Args[0], state, next)
}

// violated says whether a fair run violates a property. ok is false if this would take too long.
func (o *oracle) violated(property *logic.Term) (violated, ok bool) {
	o.temporal, o.indexOf = nil, map[string]int{}
	property = o.prepare(property)
	k := len(o.temporal)
	if k > 7 || len(o.states)<<k > 3000 {
		return false, false
	}
	value := make([][][]bool, len(o.states)) // of the temporal formulas, by state and next
	for s := range o.states {
		value[s] = make([][]bool, 1<<k)
		for x := range value[s] {
			for _, t := range o.temporal {
				value[s][x] = append(value[s][x], o.sat(t, s, x))
			}
		}
	}
	agrees := func(x int, values []bool) bool {
		for i, v := range values {
			if (x>>i&1 == 1) != v {
				return false
			}
		}
		return true
	}
	number := map[oracleNode]int{}
	var nodes []oracleNode
	add := func(n oracleNode) int {
		i, ok := number[n]
		if !ok {
			i = len(nodes)
			number[n] = i
			nodes = append(nodes, n)
		}
		return i
	}
	for s := range o.initial {
		for x := range 1 << k {
			if !o.sat(property, s, x) {
				add(oracleNode{s, -1, x})
			}
		}
	}
	var next [][]int
	for i := 0; i < len(nodes); i++ {
		n := nodes[i]
		next = append(next, nil)
		for _, e := range o.edges[n.state] {
			for x := range 1 << k {
				if agrees(n.next, value[e.to][x]) {
					next[i] = append(next[i], add(oracleNode{e.to, e.label, x}))
				}
			}
		}
	}
	enabled := func(n oracleNode, label int) bool {
		for _, e := range o.edges[n.state] {
			if e.label == label {
				return true
			}
		}
		return false
	}
	alive := make([]bool, len(nodes))
	for i := range alive {
		alive[i] = true
	}
	// reach marks what can be reached from the live nodes that satisfy from, through live nodes.
	reach := func(from func(oracleNode) bool) []bool {
		out := make([]bool, len(nodes))
		var stack []int
		for i, n := range nodes {
			if alive[i] && from(n) {
				out[i] = true
				stack = append(stack, i)
			}
		}
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, j := range next[i] {
				if alive[j] && !out[j] {
					out[j] = true
					stack = append(stack, j)
				}
			}
		}
		return out
	}
	for changed := true; changed; {
		changed = false
		kill := func(dead func(i int) bool) {
			for i := range alive {
				if alive[i] && dead(i) {
					alive[i] = false
					changed = true
				}
			}
		}
		for _, t := range o.temporal {
			good := reach(func(n oracleNode) bool { return o.keepsPromise(t, n.state, n.next) })
			kill(func(i int) bool { return !good[i] })
		}
		for l, a := range o.labels {
			switch {
			case a == nil || a.Fairness == system.Unfair:
			case a.Fairness == system.Weak:
				good := reach(func(n oracleNode) bool { return n.entered == l || !enabled(n, l) })
				kill(func(i int) bool { return !good[i] })
			default:
				good := reach(func(n oracleNode) bool { return n.entered == l })
				kill(func(i int) bool { return !good[i] && enabled(nodes[i], l) })
			}
		}
		entered := make([]bool, len(nodes))
		for i := range nodes {
			for _, j := range next[i] {
				entered[j] = entered[j] || alive[i]
			}
		}
		kill(func(i int) bool { return !entered[i] })
	}
	for _, a := range alive {
		if a {
			return true, true
		}
	}
	return false, true
}

// generator makes systems over one variable, whose steps are drawn at random, and properties of
// them.
type generator struct {
	*rand.Rand
	place, elem *logic.Sort
	at, flag, c *logic.Symbol
	vars        []*logic.Var
}

func (g *generator) one(n int) bool { return g.IntN(n) == 0 }

func (g *generator) is(i int) *logic.Term {
	return logic.Eq(logic.App(g.at, logic.Pre), logic.Member(g.place, i))
}

// mark is true of one of the elements, or of all others.
func (g *generator) mark(x *logic.Var) *logic.Term {
	eq := logic.Eq(logic.Ref(x), logic.App(g.c, logic.Pre))
	if g.one(2) {
		return logic.Not(eq)
	}
	return eq
}

func (g *generator) system(t *testing.T, places int) (*system.System, *system.Instance) {
	g.place = &logic.Sort{Kind: logic.KindEnum, Name: "place"}
	for i := range places {
		g.place.Members = append(g.place.Members, fmt.Sprint("p", i))
	}
	g.elem = &logic.Sort{Kind: logic.KindUninterpreted, Name: "elem"}
	g.at = &logic.Symbol{Name: "at", Kind: logic.Constant, Result: g.place, Mutable: true}
	g.flag = &logic.Symbol{Name: "flag", Kind: logic.Relation, Result: logic.Bool}
	g.c = &logic.Symbol{Name: "c", Kind: logic.Constant, Result: g.elem}
	sys := &system.System{Name: "random", Sorts: []*logic.Sort{g.elem, g.place},
		Symbols: []*logic.Symbol{g.at, g.flag, g.c}}
	inst := &system.Instance{Name: "small", Sizes: map[*logic.Sort]int{g.elem: 1 + g.IntN(2)},
		Values: map[*logic.Symbol]*logic.Term{}}
	if !g.one(4) {
		inst.Values[g.flag] = logic.BoolLit(g.one(2))
	}
	if !g.one(4) {
		inst.Values[g.c] = logic.Member(g.elem, g.IntN(inst.Sizes[g.elem]))
	}
	sys.Instances = []*system.Instance{inst}
	start := []*logic.Term{g.is(0)}
	if g.one(4) {
		start = append(start, g.is(g.IntN(places)))
	}
	sys.Inits = []*system.Formula{{Term: logic.Or(start...)}}
	for i := range 1 + g.IntN(4) {
		a := &system.Action{Name: fmt.Sprint("a", i), Imperative: true,
			Modifies: []*logic.Symbol{g.at},
			Fairness: system.Fairness(g.IntN(3))}
		x := &logic.Var{Name: "x", Sort: g.elem}
		if g.one(2) {
			a.Params = []*logic.Var{x}
		}
		if a.Fairness != system.Unfair && g.one(3) {
			a.FairIf = g.is(g.IntN(places))
			if g.one(2) {
				a.FairIf = logic.Not(a.FairIf)
			}
			if len(a.Params) > 0 && g.one(2) {
				a.FairIf = logic.Or(a.FairIf, g.mark(x))
			}
		}
		to := &logic.Var{Name: "to", Sort: g.place}
		var steps []*logic.Term
		for range 1 + g.IntN(places+2) {
			parts := []*logic.Term{g.is(g.IntN(places)),
				logic.Eq(logic.Ref(to), logic.Member(g.place, g.IntN(places)))}
			if len(a.Params) > 0 && !g.one(3) {
				parts = append(parts, g.mark(x))
			}
			if g.one(6) {
				parts = append(parts, logic.App(g.flag, logic.Pre))
			}
			steps = append(steps, logic.And(parts...))
		}
		a.Code = []system.Stmt{
			system.Choose{Var: to, Such: logic.Or(steps...)},
			system.Assign{Updates: []system.Update{{Symbol: g.at, Value: logic.Ref(to)}}},
		}
		if err := system.RelationOf(context.Background(), sys, a); err != nil {
			t.Fatal(err)
		}
		sys.Actions = append(sys.Actions, a)
	}
	if g.one(4) {
		sys.Properties = append(sys.Properties, &system.Property{
			Name: "cut", Kind: system.Trusted, Term: logic.Not(g.is(1 + g.IntN(places-1)))})
	}
	for i := range 4 {
		g.vars = nil
		var term *logic.Term
		switch i {
		case 0:
			e := &logic.Var{Name: "E", Sort: g.elem}
			g.vars = []*logic.Var{e}
			term = logic.Forall([]*logic.Var{e},
				logic.Temporal(logic.OpLeadsTo, g.predicate(), g.predicate()))
		case 1:
			term = logic.Temporal(logic.OpLeadsTo, g.formula(1), g.formula(1))
		default:
			term = g.formula(3)
		}
		kind := system.Temporal
		if i < 2 && g.one(2) {
			kind = system.Liveness
		}
		sys.Properties = append(sys.Properties,
			&system.Property{Name: fmt.Sprint("live", i), Kind: kind, Term: term})
	}
	if err := system.Validate(sys); err != nil {
		t.Fatalf("%v\n%s", err, sys)
	}
	return sys, inst
}

func (g *generator) predicate() *logic.Term {
	if g.one(8) {
		return logic.App(g.flag, logic.Pre)
	}
	var parts []*logic.Term
	for i := range g.place.Members {
		if g.one(3) {
			p := g.is(i)
			if len(g.vars) > 0 && g.one(2) {
				p = logic.And(p, g.mark(g.vars[g.IntN(len(g.vars))]))
			}
			parts = append(parts, p)
		}
	}
	if g.one(2) {
		return logic.Not(logic.Or(parts...))
	}
	return logic.Or(parts...)
}

// formula may become a predicate early, so depth bounds the nesting only.
func (g *generator) formula(depth int) *logic.Term {
	if depth == 0 || g.one(6) {
		return g.predicate()
	}
	sub := func() *logic.Term { return g.formula(depth - 1) }
	switch g.IntN(14) {
	case 0:
		return logic.Not(sub())
	case 1:
		return logic.And(sub(), sub())
	case 2:
		return logic.Or(sub(), sub(), sub())
	case 3:
		return logic.Implies(sub(), sub())
	case 4:
		return logic.Iff(sub(), sub())
	case 5:
		return logic.Ite(sub(), sub(), sub())
	case 6, 7:
		return logic.Temporal(logic.OpAlways, sub())
	case 8, 9:
		return logic.Temporal(logic.OpEventually, sub())
	case 10:
		return logic.Temporal(logic.OpLeadsTo, sub(), sub())
	case 11:
		e := &logic.Var{Name: fmt.Sprint("E", depth), Sort: g.elem}
		g.vars = append(g.vars, e)
		body := sub()
		g.vars = g.vars[:len(g.vars)-1]
		if g.one(2) {
			return logic.Forall([]*logic.Var{e}, body)
		}
		return logic.Exists([]*logic.Var{e}, body)
	}
	return logic.Temporal(logic.OpUntil, sub(), sub())
}
