package uppaal

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/timed"
)

// automaton makes the locations and edges of a process.
func (c assembler) automaton(name string, t *template) {
	if c.named[name] != nil {
		c.fail(diag.Duplicate, t.span, "there are two processes %s", name)
	}
	c.scope = c.scope.inner() // a local name may hide a parameter
	c.own = [2]int{len(c.mem.Cells), len(c.net.Clocks)}
	for _, d := range t.decls {
		c.declare(d)
	}
	p := &timed.Process{Name: name, Initial: -1, Member: c.where}
	index := map[string]int{}
	for i, l := range t.locations {
		if _, twice := index[l.name]; twice {
			c.fail(diag.Duplicate, l.span, "the location %s is declared already", l.name)
		}
		index[l.name] = i
		out := &timed.Location{Name: l.name, Urgent: l.urgent, Committed: l.committed}
		if l.invariant != nil {
			inside := c
			inside.elaborator = c.in(c.scope)
			inside.invariant = true
			out.Data, out.Clocks, out.Rates = inside.conjunction(l.invariant)
		}
		p.Locations = append(p.Locations, out)
	}
	at, ok := index[t.initial]
	if !ok {
		c.fail(diag.UnresolvedName, t.span, "the process %s has no initial location %s", t.name,
			t.initial)
	}
	p.Initial = at
	branches := map[string][]*edge{}
	for _, b := range t.branches {
		if _, twice := index[b]; twice {
			c.fail(diag.Duplicate, t.span, "the location %s is declared already", b)
		}
		branches[b] = nil
	}
	for _, e := range t.edges {
		if _, ok := branches[e.source]; ok {
			branches[e.source] = append(branches[e.source], e)
		}
	}
	place := func(e *edge, name string) int {
		at, ok := index[name]
		if !ok {
			c.fail(diag.UnresolvedName, e.span, "this edge starts or ends in an unknown location")
		}
		return at
	}
	for _, e := range t.edges {
		if _, ok := branches[e.source]; ok {
			continue
		}
		if e.weight != nil {
			c.fail(diag.Unsupported, e.weight.span, "only an edge from a branchpoint has a weight")
		}
		from := place(e, e.source)
		add := func(out *timed.Edge, target int) {
			out.Source, out.Target = from, target
			p.Locations[from].Out = append(p.Locations[from].Out, out)
		}
		ways, branching := branches[e.target]
		if !branching {
			add(c.within().edge(e), place(e, e.target))
			continue
		}
		if len(ways) == 0 {
			c.fail(diag.UnresolvedName, e.span, "no edge leaves the branchpoint %s", e.target)
		}
		for _, way := range ways {
			out := c.within().edge(e)
			c.within().branch(out, way)
			add(out, place(way, way.target))
		}
	}
	c.named[name] = &instantiated{t, c.scope, len(c.net.Processes)}
	c.net.Processes = append(c.net.Processes, p)
}

// within is an assembler with an inner scope.
func (c assembler) within() assembler { return assembler{c.in(c.scope.inner())} }

func (c assembler) edge(e *edge) *timed.Edge {
	out := &timed.Edge{Span: e.span}
	c.selects(out, e.selects)
	if e.guard != nil {
		out.Guard, out.Clocks, _ = c.conjunction(e.guard)
	}
	if e.channel != nil {
		pure := c.in(c.scope)
		pure.pure = true
		v := pure.expr(e.channel)
		if v.typ.kind != chanKind {
			c.fail(diag.SortMismatch, e.channel.span, "a channel is needed here")
		}
		out.Sync = timed.Receive
		if e.send {
			out.Sync = timed.Send
		}
		out.Channel = timed.Number{Eval: v.addr, Lo: int64(v.alo), Hi: int64(v.ahi)}
		out.Key = keyOf(pure, out.Selects, e.channel)
		if len(out.Clocks) > 0 {
			if v.typ.urgent {
				c.fail(diag.Unsupported, e.guard.span,
					"clocks in the guard of an edge on an urgent channel are not supported")
			}
		}
	}
	c.updates(out, e.update)
	return out
}

// keyOf is the select that alone decides the channel, as in `select e : id_t` with `go[e]?`. Then
// nobody need try its values for a channel.
func keyOf(c *elaborator, selects []timed.Select, channel *expr) *timed.Key {
	if channel.op != "index" || channel.kids[1].op != "name" {
		return nil
	}
	array, index := c.expr(channel.kids[0]), c.expr(channel.kids[1])
	lo, hi := array.typ.index.lo, array.typ.index.hi
	for k, s := range selects {
		if index.addr != nil && index.alo == s.Cell && index.ahi == s.Cell &&
			array.alo == array.ahi && array.typ.elem.size == 1 && lo <= s.Lo && s.Hi <= hi {
			return &timed.Key{Select: k, First: int64(array.alo) - int64(lo)}
		}
	}
	return nil
}

// branch continues an edge to a branchpoint. The choice of a branch is free: a weight only gives
// its probability.
func (c assembler) branch(out *timed.Edge, e *edge) {
	if e.guard != nil || e.channel != nil {
		c.fail(diag.Unsupported, e.span,
			"an edge from a branchpoint has no guard and no synchronisation")
	}
	c.selects(out, e.selects)
	if e.weight != nil {
		pure := c.in(c.scope)
		pure.pure = true
		if pure.number(e.weight).lo <= 0 {
			c.fail(diag.Unsupported, e.weight.span, "a weight that may be 0 is not supported")
		}
	}
	c.updates(out, e.update)
}

// maxSelected bounds the selections of an edge. They are tried one by one in every state.
const maxSelected = 1 << 20

func (c assembler) selects(out *timed.Edge, selects []*variable) {
	count := int64(1)
	for _, s := range out.Selects {
		count *= int64(s.Hi) - int64(s.Lo) + 1
	}
	for _, s := range selects {
		t := c.declared(s)
		if !t.number() {
			c.fail(diag.SortMismatch, s.span, "the values of this type cannot be enumerated")
		}
		if count *= t.count(); count > maxSelected {
			c.fail(diag.BadValue, s.span,
				"%s has %d values, so there would be %d ways to select; at most %d are supported",
				s.name, t.count(), count, maxSelected)
		}
		cell := c.cells(t)
		out.Selects = append(out.Selects,
			timed.Select{Name: s.name, Cell: cell, Lo: t.lo, Hi: t.hi, Set: t.set})
		c.define(s.name, &symbol{val: c.place(t, cell), span: s.span})
	}
}

// updates adds assignments to the assignments of an edge.
func (c assembler) updates(out *timed.Edge, updates []*expr) {
	broadcast := out.Sync == timed.Receive && c.net.Channels[out.Channel.Lo].Broadcast
	var run []timed.Eval
	if before := out.Update; before != nil {
		run = append(run, func(m *timed.Memory) int32 { before(m); return 0 })
	}
	inner := c.in(c.scope)
	inner.shared = broadcast
	for _, u := range updates {
		if u.op == "num" && u.value == 1 { // an editor's empty update
			continue
		}
		v := inner.expr(u)
		run = append(run, inner.effect(v, u.span))
		if u.op == "assign" {
			if k := inner.expr(u.kids[0]); k.typ.kind == clockKind && k.alo == k.ahi {
				out.Resets = append(out.Resets, k.alo)
			}
		}
	}
	if len(run) > 0 {
		out.Update = func(m *timed.Memory) {
			for _, f := range run {
				f(m)
			}
		}
	}
}

// conjunction splits a guard or invariant into its part on data, the conditions on clocks, and the
// rates of clocks.
func (c assembler) conjunction(e *expr) (timed.Eval, []timed.Constraint, []timed.Rate) {
	pure := c.in(c.scope)
	pure.pure = true
	var data []timed.Eval
	var clocks []timed.Constraint
	var rates []timed.Rate
	var add func(f *timed.Formula, cond timed.Eval)
	add = func(f *timed.Formula, cond timed.Eval) {
		switch f.Op {
		case timed.And:
			for _, p := range f.Args {
				add(p, cond)
			}
		case timed.Data:
			eval := f.Eval
			if cond != nil {
				eval = func(m *timed.Memory) int32 { return b2i(cond(m) == 0 || f.Eval(m) != 0) }
			}
			data = append(data, eval)
		case timed.Timing:
			k := f.Constraint
			k.Cond = cond
			clocks = append(clocks, k)
		case timed.Rated:
			r := f.Rate
			r.Cond = cond
			rates = append(rates, r)
		case timed.Or:
			var rest *timed.Formula
			for _, p := range f.Args {
				switch {
				case p.Op == timed.Data:
					before, d := cond, p.Eval
					cond = func(m *timed.Memory) int32 {
						return b2i((before == nil || before(m) != 0) && d(m) == 0)
					}
				case rest != nil:
					c.fail(diag.Unsupported, e.span,
						"a disjunction of conditions on clocks is not supported in guards and "+
							"invariants")
				default:
					rest = p
				}
			}
			if rest == nil {
				rest = &timed.Formula{Op: timed.Data, Eval: number(boolType, 0).eval}
			}
			add(rest, cond)
		}
	}
	add(pure.formula(pure.expr(e), e.span), nil)
	if len(data) == 0 {
		return nil, clocks, rates
	}
	if len(data) == 1 {
		return data[0], clocks, rates
	}
	return func(m *timed.Memory) int32 {
		for _, d := range data {
			if d(m) == 0 {
				return 0
			}
		}
		return 1
	}, clocks, rates
}
