package referee

import (
	"fmt"
	"math/rand"
)

type generator struct {
	*rand.Rand
	s     *spec
	vars  []*expr // in scope
	in    string  // what may be said: "init", "state", "code", "step", "axiom"
	fresh int
	local bool      // each action is about one symbol, which makes most steps independent
	own   []*symbol // the symbols of the action, nil for all
}

func (g *generator) one(n int) bool { return g.Intn(n) == 0 }

func pick[T any](g *generator, from []T) T { return from[g.Intn(len(from))] }

func (g *generator) name(prefix string) string {
	g.fresh++
	return fmt.Sprintf("%s%d", prefix, g.fresh)
}

func lit(s *sort, v int) *expr { return &expr{op: "lit", sort: s, value: v} }

func bin(op string, s *sort, a, b *expr) *expr {
	return &expr{op: op, sort: s, args: []*expr{a, b}}
}

func generate(seed int64) *spec {
	g := &generator{Rand: rand.New(rand.NewSource(seed)), s: &spec{}, local: seed%3 == 2}
	g.declare()
	g.in = "state"
	g.derive()
	g.initials()
	for i := range 1 + g.Intn(3) {
		g.action(fmt.Sprint("act", i))
	}
	if g.local {
		for i := range g.mutables() {
			g.own = g.mutables()[i : i+1]
			g.action(fmt.Sprint("own", i))
			g.own = nil
		}
		g.s.actions = g.s.actions[max(0, len(g.s.actions)-3-g.Intn(2)):]
	}
	g.in = "state"
	if g.local && g.one(2) {
		g.own = g.mutables()[:1]
	}
	for i := range 1 + g.Intn(2) {
		g.s.properties = append(g.s.properties,
			&property{kind: "safety", name: fmt.Sprint("safe", i), p: g.likely()})
	}
	if g.one(2) {
		g.s.properties = append(g.s.properties,
			&property{kind: "invariant", name: "inv", p: g.likely()})
	}
	for i := range g.Intn(3) {
		kind := pick(g, []string{"always eventually", "eventually always", "leads to", "leads"})
		g.s.properties = append(g.s.properties,
			&property{kind: kind, name: fmt.Sprint("run", i), p: g.bool(1), q: g.bool(1)})
	}
	return g.s
}

// declare makes the symbols. All states together are few.
func (g *generator) declare() {
	add := func(x *symbol) {
		x.slot = g.s.slots
		g.s.slots += len(x.points())
		g.s.symbols = append(g.s.symbols, x)
	}
	if g.one(3) {
		c := &symbol{name: "c0", result: pick(g, []*sort{numbers(0, 2), boolean, colour, node})}
		if g.one(3) {
			c = &symbol{name: "c0", arg: node, result: boolean}
		}
		add(c)
		if g.one(2) {
			g.in = "axiom"
			g.s.axioms = append(g.s.axioms, g.bool(1))
		}
	}
	count := 2 + g.Intn(2)
	if g.local {
		count = 3
	}
	for i := range count {
		x := &symbol{name: fmt.Sprint("x", i), mutable: true,
			result: pick(g,
				[]*sort{boolean, boolean, colour, node, numbers(0, 2), numbers(-1, 2), integer})}
		if i == 0 && g.one(2) || i == 1 && g.one(4) {
			x.arg = pick(g, []*sort{node, node, colour})
			x.result = pick(g, []*sort{boolean, boolean, numbers(0, 1)})
		}
		add(x)
	}
}

func (g *generator) derive() {
	if g.one(3) {
		d := &symbol{name: "d0", result: boolean}
		if g.one(2) {
			d.arg, d.param = node, "Y"
			g.vars = []*expr{{op: "var", name: "Y", sort: node}}
		}
		d.body = g.bool(2)
		g.vars = nil
		g.s.derived = append(g.s.derived, d)
	}
	if g.one(3) {
		d := &symbol{name: "def0", result: boolean, arg: pick(g, []*sort{node, colour}), param: "z"}
		g.vars = []*expr{{op: "var", name: "z", sort: d.arg}}
		d.body = g.bool(2)
		g.vars = nil
		g.s.definitions = append(g.s.definitions, d)
	}
}

func (g *generator) initials() {
	for _, x := range g.s.symbols {
		if !x.mutable || !x.result.number && g.one(4) {
			continue
		}
		value := func() *expr {
			if x.result == integer {
				return lit(integer, g.Intn(3))
			}
			if x.result.write == nil { // elements have no names
				v := g.name("E")
				return &expr{op: "var", name: v, sort: x.result}
			}
			return lit(x.result, pick(g, x.result.values))
		}
		left := &expr{op: "sym", sym: x, sort: x.result}
		if x.arg != nil {
			left.args = []*expr{{op: "var", name: "X", sort: x.arg}}
		}
		v := value()
		e := bin("=", boolean, left, v)
		if x.result.write == nil {
			e = &expr{op: "exists", name: v.name, bound: x.result, sort: boolean, args: []*expr{e}}
		}
		if x.arg != nil {
			e = &expr{op: "forall", name: "X", bound: x.arg, sort: boolean, args: []*expr{e}}
		}
		g.s.inits = append(g.s.inits, e)
	}
	if g.one(4) {
		g.s.inits = append(g.s.inits, g.bool(1))
	}
}

// likely is a formula that is often true.
func (g *generator) likely() *expr {
	e := g.bool(2)
	for range g.Intn(3) {
		e = bin("|", boolean, e, g.bool(1))
	}
	return e
}

func (g *generator) bool(depth int) *expr { return g.expr(boolean, depth) }

// expr makes a term of a sort; for a range an integer.
func (g *generator) expr(s *sort, depth int) *expr {
	if depth == 0 || g.one(5) {
		return g.leaf(s)
	}
	if g.one(8) {
		return &expr{op: "if", sort: s,
			args: []*expr{g.bool(depth - 1), g.expr(s, depth-1), g.expr(s, depth-1)}}
	}
	switch {
	case s.number:
		switch g.Intn(6) {
		case 0:
			return bin("*", s, lit(integer, g.Intn(3)), g.expr(s, depth-1))
		case 1:
			return &expr{op: "neg", sort: s, args: []*expr{g.expr(s, depth-1)}}
		default:
			return bin(pick(g, []string{"+", "-"}), s, g.expr(s, depth-1), g.expr(s, depth-1))
		}
	case s == boolean:
		switch g.Intn(9) {
		case 0:
			return &expr{op: "not", sort: boolean, args: []*expr{g.bool(depth - 1)}}
		case 1, 2:
			return bin(pick(g, []string{"&", "|", "->", "<->"}), boolean, g.bool(depth-1),
				g.bool(depth-1))
		case 3:
			return bin(pick(g, []string{"<", "<=", ">", ">=", "=", "!="}), boolean,
				g.expr(integer, depth-1), g.expr(integer, depth-1))
		case 4, 5:
			v := &expr{op: "var", name: g.name("V"),
				sort: pick(g, []*sort{node, colour, numbers(0, 2), boolean})}
			before := g.vars
			g.vars = append(g.vars[:len(g.vars):len(g.vars)], v)
			defer func() { g.vars = before }()
			return &expr{op: pick(g, []string{"forall", "exists"}), name: v.name, bound: v.sort,
				sort: boolean, args: []*expr{g.bool(depth - 1)}}
		default:
			s := pick(g, []*sort{node, colour, boolean})
			a, b := g.some(s, depth-1), g.some(s, depth-1)
			if a == nil || b == nil {
				return g.leaf(boolean)
			}
			return bin(pick(g, []string{"=", "!="}), boolean, a, b)
		}
	}
	return g.leaf(s)
}

// some is a term of a sort, nil if there is none: elements of node have no names.
func (g *generator) some(s *sort, depth int) *expr {
	if s == node {
		return g.leafOrNil(node)
	}
	return g.expr(s, depth)
}

func (g *generator) leaf(s *sort) *expr {
	if e := g.leafOrNil(s); e != nil {
		return e
	}
	panic("no term of sort " + s.name)
}

func (g *generator) leafOrNil(s *sort) *expr {
	fits := func(t *sort) bool { return t == s || t.number && s.number }
	var out []*expr
	for _, v := range g.vars {
		if fits(v.sort) {
			out = append(out, v, v)
		}
	}
	add := func(x *symbol) {
		if !fits(x.result) {
			return
		}
		e := &expr{op: "sym", sym: x, sort: x.result}
		if x.arg != nil {
			a := g.argument(x.arg)
			if a == nil {
				return
			}
			e.args = []*expr{a}
		}
		if x.mutable && g.in == "code" && g.one(5) {
			e.op = "old"
		}
		if x.mutable && g.in == "step" && g.one(2) {
			e.op = "new"
		}
		out = append(out, e)
	}
	for _, x := range g.s.symbols {
		if x.mutable && (g.in == "axiom" || g.own != nil && !contains(g.own, x)) {
			continue
		}
		add(x)
	}
	if g.own == nil && (g.in == "state" || g.in == "code") {
		for _, x := range append(g.s.derived[:len(g.s.derived):len(g.s.derived)],
			g.s.definitions...) {
			add(x)
		}
	}
	if s.write != nil && (len(out) == 0 || g.one(3)) {
		if s == integer || s.number {
			return lit(integer, g.Intn(4)-1)
		}
		return lit(s, pick(g, s.values))
	}
	if len(out) == 0 {
		return nil
	}
	return pick(g, out)
}

// argument is a variable of a sort, or a literal; so nothing is read outside its domain.
func (g *generator) argument(s *sort) *expr {
	var out []*expr
	for _, v := range g.vars {
		if v.sort == s {
			out = append(out, v)
		}
	}
	if s.write != nil {
		out = append(out, lit(s, pick(g, s.values)))
	}
	if len(out) == 0 {
		return nil
	}
	return pick(g, out)
}

func (g *generator) mutables() (out []*symbol) {
	if g.own != nil {
		return g.own
	}
	for _, x := range g.s.symbols {
		if x.mutable {
			out = append(out, x)
		}
	}
	return out
}

func (g *generator) action(name string) {
	a := &action{name: name, fair: pick(g, []string{"", "fair ", "strong fair "})}
	for i := range g.Intn(3) {
		s := pick(g, []*sort{node, colour, boolean, numbers(0, 1)})
		a.params, a.sorts = append(a.params, fmt.Sprint("p", i)), append(a.sorts, s)
		g.vars = append(g.vars, &expr{op: "var", name: fmt.Sprint("p", i), sort: s})
	}
	if a.fair != "" && g.one(3) {
		g.in = "state"
		a.fairIf = g.bool(2)
	}
	if g.one(3) {
		for _, x := range g.mutables() {
			if !x.result.number && len(a.modifies) < 2 {
				a.modifies = append(a.modifies, x)
			}
		}
	}
	if len(a.modifies) > 0 {
		g.in = "step"
		a.formula = g.bool(2)
		for range 1 + g.Intn(2) {
			a.formula = bin("&", boolean, a.formula, g.bool(2))
		}
		for _, x := range a.modifies { // every modified symbol needs a condition
			if g.one(2) || !speaks(a.formula, x) {
				a.formula = bin("&", boolean, a.formula, g.afterwards(x))
			}
		}
		for _, x := range g.mutables() { // only what is modified can be spoken of afterwards
			if !contains(a.modifies, x) {
				unmark(a.formula, x)
			}
		}
	} else {
		g.in = "code"
		if g.one(2) {
			a.body = append(a.body, &stmt{op: "require", value: g.bool(2)})
		}
		a.body = append(a.body, g.block(2)...)
	}
	g.vars = nil
	g.s.actions = append(g.s.actions, a)
}

// afterwards constrains the new value of a symbol: mostly it is fixed.
func (g *generator) afterwards(x *symbol) *expr {
	before := g.vars
	defer func() { g.vars = before }()
	e := &expr{op: "new", sym: x, sort: x.result}
	v := &expr{op: "var", name: g.name("A"), sort: x.arg}
	if x.arg != nil {
		e.args = []*expr{v}
		g.vars = append(g.vars[:len(g.vars):len(g.vars)], v)
	}
	value := g.some(x.result, 1)
	if value == nil {
		value = &expr{op: "sym", sym: x, sort: x.result, args: e.args}
	}
	out := bin(pick(g, []string{"=", "=", "=", "!="}), boolean, e, value)
	if x.arg != nil {
		out = &expr{op: "forall", name: v.name, bound: x.arg, sort: boolean, args: []*expr{out}}
	}
	return out
}

func speaks(e *expr, x *symbol) bool {
	for _, a := range e.args {
		if speaks(a, x) {
			return true
		}
	}
	return e.op == "new" && e.sym == x
}

func contains(list []*symbol, x *symbol) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

func unmark(e *expr, x *symbol) {
	if e.op == "new" && e.sym == x {
		e.op = "sym"
	}
	for _, a := range e.args {
		unmark(a, x)
	}
}

func (g *generator) block(depth int) (out []*stmt) {
	before := g.vars
	defer func() { g.vars = before }()
	for range 1 + g.Intn(3) {
		switch n := g.Intn(12); {
		case n == 0:
			out = append(out, &stmt{op: "require", value: g.bool(1)})
		case n == 1:
			s := pick(g, []*sort{boolean, integer, colour})
			v := &expr{op: "var", name: g.name("l"), sort: s}
			out = append(out, &stmt{op: "let", name: v.name, value: g.expr(s, 1)})
			g.vars = append(g.vars[:len(g.vars):len(g.vars)], v)
		case n == 2:
			x := pick(g, g.mutables())
			if x.result.number {
				continue
			}
			s := &stmt{op: "havoc", sym: x}
			if x.arg != nil {
				if s.arg = g.argument(x.arg); s.arg == nil {
					continue
				}
			}
			out = append(out, s)
		case n <= 4 && depth > 0:
			s := &stmt{op: "if", value: g.bool(1), then: g.block(depth - 1)}
			if g.one(2) {
				s.othe = g.block(depth - 1)
			}
			out = append(out, s)
		case n == 5 && depth > 0:
			v := &expr{op: "var", name: g.name("k"),
				sort: pick(g, []*sort{node, colour, numbers(0, 2), boolean})}
			saved := g.vars
			g.vars = append(g.vars[:len(g.vars):len(g.vars)], v)
			out = append(out,
				&stmt{op: "choose", name: v.name, over: v.sort, value: g.bool(1),
					then: g.block(depth - 1)})
			g.vars = saved
		default:
			out = append(out, g.assignment())
		}
	}
	if len(out) == 0 {
		out = append(out, &stmt{op: "require", value: g.bool(1)})
	}
	return out
}

func (g *generator) assignment() *stmt {
	x := pick(g, g.mutables())
	before := g.vars
	defer func() { g.vars = before }()
	s := &stmt{op: "assign", sym: x}
	if x.arg != nil {
		s.arg = g.argument(x.arg)
		if s.arg == nil || g.one(3) {
			s.op, s.arg = "all", nil
			g.vars = append(g.vars[:len(g.vars):len(g.vars)],
				&expr{op: "var", name: "X", sort: x.arg})
		}
	}
	if x.result.number && g.one(3) { // mostly within the range
		self := &expr{op: "sym", sym: x, sort: x.result}
		if x.arg != nil {
			self.args = []*expr{s.arg}
			if s.arg == nil {
				self.args = []*expr{g.vars[len(g.vars)-1]}
			}
		}
		s.value = &expr{op: "if", sort: integer, args: []*expr{
			bin("<", boolean, self, lit(integer, 1)), bin("+", integer, self, lit(integer, 1)),
			lit(integer, 0)}}
		return s
	}
	if x.result.number {
		s.value = lit(integer, g.Intn(2))
		if g.one(4) {
			s.value = g.expr(integer, 1)
		}
		return s
	}
	if s.value = g.some(x.result, 2); s.value == nil {
		return &stmt{op: "require", value: g.bool(1)}
	}
	return s
}
