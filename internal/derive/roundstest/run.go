package roundstest

import (
	"maps"
	"slices"
)

// environment is what the names in a program stand for.
type environment struct {
	m            *Model
	self, sender int
	fields       [2]int
	point        int
	locals       map[string]int
}

func (e *environment) with(name string, value int) *environment {
	f := *e
	f.locals = maps.Clone(e.locals)
	f.locals[name] = value
	return &f
}

// run carries out statements, in all ways, and goes on with each outcome.
func (e *environment) run(c *config, body []Stmt, then func(*config)) {
	if len(body) == 0 {
		then(c)
		return
	}
	rest := func(c *config) { e.run(c, body[1:], then) }
	s := body[0]
	switch s.Kind {
	case "if":
		if e.holds(c, s.Cond) {
			e.run(c, s.Then, rest)
		} else {
			e.run(c, s.Else, rest)
		}
	case "chooseInt":
		for n := range 2 {
			e.with(s.Name, n).run(c, s.Then, rest)
		}
	case "chooseProc":
		some := false
		for n := range e.m.N {
			if e.m.role(n) != s.Role {
				continue
			}
			if f := e.with(s.Name, n); f.holds(c, s.Cond) {
				some = true
				f.run(c, s.Then, rest)
			}
		}
		if !some {
			rest(c)
		}
	default:
		d := c.clone()
		e.change(d, s)
		rest(d)
	}
}

func (e *environment) change(c *config, s Stmt) {
	vars := c.vars[e.self]
	peer := 0
	if s.At != nil && s.Kind != "each" && s.Kind != "send" {
		peer = e.proc(s.At)
	}
	at := e.m.slot(s.Var, peer)
	switch s.Kind {
	case "set":
		vars[at] = min(e.int(c, s.Int), e.m.Vars[s.Var].Most)
	case "bump":
		if vars[at] < e.m.Vars[s.Var].Most {
			vars[at]++
		} else {
			vars[at] = 0
		}
	case "reset":
		vars[at] = 0
	case "each":
		new := slices.Clone(vars)
		for j := range e.m.N {
			f := *e
			f.point = j
			if e.m.Vars[s.Var].has(e.m, e.self, j) && f.holds(c, s.Cond) {
				new[e.m.slot(s.Var, j)] = s.Int.Value
			}
		}
		copy(vars, new)
	case "send":
		e.send(c, s)
	}
}

func (e *environment) send(c *config, s Stmt) {
	var to []int
	switch s.To {
	case "reply":
		to = []int{e.sender}
	case "one":
		to = []int{e.proc(s.At)}
	default:
		for j := range e.m.N {
			if e.m.role(j) != e.m.Messages[s.Message].To && e.m.Fault != BetweenRoles {
				continue
			}
			if s.To == "all" || e.with(s.Name, j).holds(c, s.Cond) {
				to = append(to, j)
			}
		}
	}
	for _, j := range to {
		f := e
		if s.To == "every" {
			f = e.with(s.Name, j)
		}
		x := letter{kind: s.Message, from: e.self, to: j, fresh: true}
		if e.m.timed() {
			x.sent = c.round
		}
		for i, a := range s.Args {
			if a.Proc != nil {
				x.args[i] = f.proc(a.Proc)
			} else {
				x.args[i] = f.int(c, a.Int)
			}
		}
		e.m.note(c, x)
		if e.m.down(c, j) && e.m.Fault != KeptForCrashed {
			continue
		}
		if e.m.room(c.transit, x) {
			c.transit = append(c.transit, x)
		}
	}
}

func (e *environment) int(c *config, x *Int) int {
	switch x.Kind {
	case "const":
		return x.Value
	case "field":
		return e.fields[x.Value]
	case "local":
		return e.locals[x.Name]
	}
	peer := 0
	if x.At != nil {
		peer = e.proc(x.At)
	}
	return c.vars[e.self][e.m.slot(x.Value, peer)]
}

func (e *environment) proc(x *Proc) int {
	switch x.Kind {
	case "self":
		return e.self
	case "sender":
		return e.sender
	case "field":
		return e.fields[x.At]
	case "point":
		return e.point
	}
	return e.locals[x.Name]
}

func (e *environment) holds(c *config, x *Cond) bool {
	switch x.Kind {
	case "less":
		return e.int(c, x.A) < e.int(c, x.B)
	case "equal":
		return e.int(c, x.A) == e.int(c, x.B)
	case "same":
		return e.proc(x.P) == e.proc(x.Q)
	case "not":
		return !e.holds(c, x.L)
	}
	return e.holds(c, x.L) && e.holds(c, x.R)
}
