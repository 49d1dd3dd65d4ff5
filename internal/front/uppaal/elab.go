package uppaal

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/timed"
)

// instantiated is a process of the system with its names.
type instantiated struct {
	template *template
	scope    *scope
	index    int
}

// elaborate makes the network.
func (l *loader) elaborate(s *system) {
	c := &elaborator{loader: l, scope: predefined().inner()}
	l.net.Clocks, l.net.ClockMembers = []string{"0"}, []timed.Member{{Family: "0"}}
	l.net.Scalars = make([]timed.Scalars, 1)
	room := s.room() // the locations of the processes come first
	l.mem.Cells = make([]int32, room)
	for _, d := range s.decls {
		c.declare(d)
	}
	l.global = c.scope
	c.channelPriorities(s)
	for _, step := range []struct {
		updates []*expr
		into    *func(*timed.Memory)
	}{{s.before, &l.net.Before}, {s.after, &l.net.After}} {
		var e timed.Edge
		c.updates(&e, step.updates)
		*step.into = e.Update
	}
	for _, t := range s.templates {
		if l.templates[t.name] != nil {
			c.fail(diag.Duplicate, t.span, "the process %s is declared already", t.name)
		}
		l.templates[t.name] = t
	}
	for _, in := range s.instances {
		if l.templates[in.name] != nil || l.instances[in.name] != nil {
			c.fail(diag.Duplicate, in.span, "%s is declared already", in.name)
		}
		l.instances[in.name] = in
	}
	if len(s.processes) == 0 {
		c.fail(diag.Syntax, diag.Span{Source: l.src, Start: len(l.src.Text), End: len(l.src.Text)},
			"there is no system line with a process")
	}
	for i, e := range s.processes {
		first := len(l.net.Processes)
		c.processes(e)
		for _, p := range l.net.Processes[first:] {
			p.Priority = s.ranks[i]
		}
	}
	if len(l.net.Processes) > room {
		c.fail(diag.Unsupported, s.processes[0].span, "more than %d processes are not supported",
			room)
	}
	for i, p := range l.net.Processes {
		l.mem.Cells[i] = int32(p.Initial)
	}
	l.net.Init = l.mem.Cells
}

// maxProcesses bounds the processes of a system line with open parameters.
const maxProcesses = 1 << 12

// room is the largest possible number of processes. With open parameters the exact number is known
// only at the end.
func (s *system) room() int {
	open := map[string]bool{}
	for _, t := range s.templates {
		open[t.name] = open[t.name] || len(t.params) > 0
	}
	for _, in := range s.instances {
		open[in.name] = open[in.name] || len(in.params) > 0
	}
	if slices.ContainsFunc(s.processes, func(e *expr) bool {
		return e.op == "name" && open[e.text]
	}) {
		return maxProcesses
	}
	return len(s.processes)
}

// channelPriorities gives the channels their levels, with 0 for the default. UPPAAL's library
// counts levels from the first one. So the first one is the default if the list does not name the
// default.
func (c *elaborator) channelPriorities(s *system) {
	if s.priorities == nil {
		return
	}
	normal := slices.IndexFunc(s.priorities, func(level []*expr) bool {
		return slices.Contains(level, nil)
	})
	if normal < 0 {
		normal = 0
		c.note("chan priority has no place for default: the channels that it does not name, and " +
			"steps without a channel, have the lowest priority, with the channels that come " +
			"first in it")
	}
	named := map[int]bool{}
	for i, level := range s.priorities {
		for _, e := range level {
			if e == nil {
				continue
			}
			v := c.expr(e)
			if v.typ.leaf() != chanKind {
				c.fail(diag.SortMismatch, e.span, "a channel is needed here")
			}
			if v.alo != v.ahi {
				c.fail(diag.MutableHere, e.span,
					"the index of a channel with a priority must be constant")
			}
			for k := v.alo; k < v.alo+v.typ.size; k++ {
				if named[k] {
					c.fail(diag.Duplicate, e.span, "%s has a priority already",
						c.net.Channels[k].Name)
				}
				named[k] = true
				c.net.Channels[k].Priority = i - normal
			}
		}
	}
}

// processes makes the processes of one item of the system line: open parameters get all values of
// their types.
func (c *elaborator) processes(e *expr) {
	name, given := e.text, []*value(nil)
	if e.op == "call" {
		name = e.kids[0].text
		for _, k := range e.kids[1:] {
			given = append(given, c.expr(k))
		}
	}
	var params []*variable
	switch {
	case c.templates[name] != nil:
		params = c.templates[name].params
	case c.instances[name] != nil:
		params = c.instances[name].params
	default:
		c.fail(diag.UnresolvedName, e.span, "there is no process %s", name)
	}
	if e.op == "call" || len(params) == 0 {
		c.instantiate(c.processName(name, given, e.span), c.processMember(name, given), name, given,
			e.span)
		return
	}
	c.fewProcesses(e, name, params)
	args := make([]*value, len(params))
	var choose func(k int)
	choose = func(k int) {
		if k == len(params) {
			c.instantiate(c.processName(name, args, e.span), c.processMember(name, args), name,
				args, e.span)
			return
		}
		t := c.declared(params[k])
		for n := range t.values() {
			args[k] = number(t, n)
			choose(k + 1)
		}
	}
	choose(0)
}

// fewProcesses refuses open parameters that would make too many processes.
func (c *elaborator) fewProcesses(e *expr, name string, params []*variable) {
	count := int64(1)
	for _, p := range params {
		t := c.declared(p)
		if !t.number() || p.ref ||
			t.same(defaultInt) && t.lo == defaultInt.lo && t.hi == defaultInt.hi {
			c.fail(diag.WrongArguments, e.span,
				"the parameter %s of %s needs a value: only bounded integers and scalars can be "+
					"left open", p.name, name)
		}
		if count *= t.count(); count > maxProcesses {
			c.fail(diag.BadValue, p.span,
				"the parameter %s has %d values, so there would be %d processes %s; at most %d "+
					"are supported",
				p.name, t.count(), count, name, maxProcesses)
		}
	}
}

func (c *elaborator) processName(name string, args []*value, span diag.Span) string {
	if len(args) == 0 {
		return name
	}
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = "_"
		if a.constant && a.eval != nil {
			texts[i] = fmt.Sprint(c.evaluate(a, span))
		}
	}
	return name + "(" + strings.Join(texts, ",") + ")"
}

// processMember is the name of a process, with its scalar arguments separate.
func (c *elaborator) processMember(name string, args []*value) timed.Member {
	p := timed.Member{Family: name + "("}
	for _, a := range args {
		text := "_"
		if a.constant && a.eval != nil {
			n := a.eval(&c.mem)
			if text = fmt.Sprint(n); a.typ.kind == scalarKind {
				text = "#"
				p.At = append(p.At, timed.Element{Set: a.typ.set, Value: n})
			}
		}
		p.Family += text + ","
	}
	p.Family += ")"
	return p
}

// instantiate makes one process of a template, or of an instance of one.
func (c *elaborator) instantiate(
	process string, where timed.Member, name string, args []*value, span diag.Span,
) {
	c.continues()
	inner := &elaborator{loader: c.loader, scope: c.global.inner(), prefix: process + ".",
		where: where}
	in := c.instances[name]
	if in == nil {
		t := c.templates[name]
		if t == nil {
			c.fail(diag.UnresolvedName, span, "there is no process %s", name)
		}
		inner.bind(t.params, args, span)
		inner.automaton(process, t)
		return
	}
	if c.nesting++; c.nesting > maxDepth {
		c.fail(diag.Cyclic, in.span, "%s is defined by itself", name)
	}
	defer func() { c.nesting-- }()
	inner.bind(in.params, args, span)
	var values []*value
	for _, a := range in.args {
		values = append(values, inner.expr(a))
	}
	inner.instantiate(process, where, in.base, values, in.span)
}

// bind gives parameters their arguments: variables for references, constants for values.
func (c *elaborator) bind(params []*variable, args []*value, span diag.Span) {
	if len(params) != len(args) {
		c.fail(diag.WrongArguments, span, "%d arguments are needed, not %d", len(params), len(args))
	}
	for i, p := range params {
		t, a := c.declared(p), args[i]
		clockOrChan := t.leaf() == clockKind || t.leaf() == chanKind
		switch {
		case !t.same(a.typ), a.clocks != nil && a.addr == nil, a.condition != nil, a.fn != nil:
			c.fail(diag.SortMismatch, span, "the argument for %s does not fit", p.name)
		case (p.ref || clockOrChan) &&
			!(p.ref && t.constant && t.number() && a.constant && a.addr == nil):
			if a.addr == nil || a.alo != a.ahi {
				c.fail(diag.SortMismatch, span, "the argument for %s must be a variable", p.name)
			}
			if p.ref && !clockOrChan && !t.constant && !a.writable {
				c.fail(diag.ImmutableTarget, span, "the argument for %s is a constant", p.name)
			}
			v := *a
			v.writable = v.writable && !t.constant
			c.define(p.name, &symbol{val: &v, span: p.span})
		case !a.constant && !a.faulty:
			c.fail(diag.MutableHere, span, "the argument for %s must be constant", p.name)
		case t.number():
			n := c.evaluate(a, span)
			if n < t.lo || n > t.hi {
				c.fail(diag.BadValue, span, "the argument %d for %s is not between %d and %d", n,
					p.name, t.lo, t.hi)
			}
			c.define(p.name, &symbol{val: number(t, n), span: p.span})
		default:
			v := *a
			v.writable = false
			c.define(p.name, &symbol{val: &v, span: p.span})
		}
	}
}

// automaton makes the locations and edges of a process.
func (c *elaborator) automaton(name string, t *template) {
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
			out.Data, out.Clocks = c.conjunction(l.invariant)
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
			add(c.in(c.scope.inner()).edge(e), place(e, e.target))
			continue
		}
		if len(ways) == 0 {
			c.fail(diag.UnresolvedName, e.span, "no edge leaves the branchpoint %s", e.target)
		}
		for _, way := range ways {
			out := c.in(c.scope.inner()).edge(e)
			c.in(c.scope.inner()).branch(out, way)
			add(out, place(way, way.target))
		}
	}
	c.named[name] = &instantiated{t, c.scope, len(c.net.Processes)}
	c.net.Processes = append(c.net.Processes, p)
}

func (c *elaborator) edge(e *edge) *timed.Edge {
	out := &timed.Edge{Span: e.span}
	c.selects(out, e.selects)
	if e.guard != nil {
		out.Guard, out.Clocks = c.conjunction(e.guard)
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

// branch continues an edge to a branchpoint. The choice of a branch is free: a weight only gives
// its probability.
func (c *elaborator) branch(out *timed.Edge, e *edge) {
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

func (c *elaborator) selects(out *timed.Edge, selects []*variable) {
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
func (c *elaborator) updates(out *timed.Edge, updates []*expr) {
	broadcast := out.Sync == timed.Receive && c.net.Channels[out.Channel.Lo].Broadcast
	var run []timed.Eval
	if before := out.Update; before != nil {
		run = append(run, func(m *timed.Memory) int32 { before(m); return 0 })
	}
	c = c.in(c.scope)
	c.shared = broadcast
	for _, u := range updates {
		if u.op == "num" && u.value == 1 { // an editor's empty update
			continue
		}
		v := c.expr(u)
		run = append(run, c.effect(v, u.span))
		if u.op == "assign" {
			if k := c.expr(u.kids[0]); k.typ.kind == clockKind && k.alo == k.ahi {
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

// conjunction splits a guard or invariant into its part on data and the conditions on clocks.
func (c *elaborator) conjunction(e *expr) (timed.Eval, []timed.Constraint) {
	pure := c.in(c.scope)
	pure.pure = true
	var data []timed.Eval
	var clocks []timed.Constraint
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
		return nil, clocks
	}
	if len(data) == 1 {
		return data[0], clocks
	}
	return func(m *timed.Memory) int32 {
		for _, d := range data {
			if d(m) == 0 {
				return 0
			}
		}
		return 1
	}, clocks
}
