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

// assembler makes processes of templates.
type assembler struct{ *elaborator }

// elaborate makes the network.
func (l *loader) elaborate(s *system) {
	c := assembler{&elaborator{loader: l, scope: predefined().inner()}}
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
func (c assembler) channelPriorities(s *system) {
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
func (c assembler) processes(e *expr) {
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
func (c assembler) fewProcesses(e *expr, name string, params []*variable) {
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

func (c assembler) processName(name string, args []*value, span diag.Span) string {
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
func (c assembler) processMember(name string, args []*value) timed.Member {
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
func (c assembler) instantiate(
	process string, where timed.Member, name string, args []*value, span diag.Span,
) {
	c.continues()
	inner := assembler{&elaborator{loader: c.loader, scope: c.global.inner(),
		prefix: process + ".", where: where}}
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
func (c assembler) bind(params []*variable, args []*value, span diag.Span) {
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
