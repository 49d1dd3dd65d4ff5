package zone_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// makeModel generates a model: the text, and the network that it means.
func makeModel(t *rapid.T) (*maker, string) {
	m := &maker{t: t, net: &network{ceiling: 2}}
	if m.chance(50) {
		m.scalars = 2 + m.below(2)
	}
	m.declare()
	m.functions()
	var line []string
	var text strings.Builder
	templates := []func(int) (string, []*process){m.template}
	for range 1 + m.below(3) {
		templates = append(templates, m.template)
	}
	for i, f := range templates {
		if len(m.net.procs) > 2 {
			break
		}
		body, procs := f(i)
		text.WriteString(body)
		line = append(line, m.entry(&text, i, procs))
	}
	order := m.channelPriorities()
	sep := ", "
	if m.chance(25) {
		sep = " < "
		m.net.ranked = true
		rank := 0
		for k, p := range m.net.procs {
			if k > 0 && m.net.procs[k-1].rank != p.rank {
				rank++
			}
		}
	} else {
		for _, p := range m.net.procs {
			p.rank = 0
		}
	}
	return m, m.decl.String() + order + text.String() + "system " + strings.Join(line, sep) + ";\n"
}

// declare makes global variables, constants, types, clocks and channels.
func (m *maker) declare() {
	say := func(format string, args ...any) { fmt.Fprintf(&m.decl, format+"\n", args...) }
	variable := func(name string, at, lo, hi int) func(*scope) place {
		return func(*scope) place {
			return place{text: name, lo: lo, hi: hi, addr: func(e *env) *int { return &e.vars[at] }}
		}
	}
	var kinds []func(*scope) place // that may change
	add := func(f func(*scope) place) { m.reads, kinds = append(m.reads, f), append(kinds, f) }
	say("const int K = 2; const int ks[2] = {1, 2}; typedef int[0,2] t; typedef struct { t p; bool q; } rec;")
	m.reads = append(m.reads, func(s *scope) place {
		return place{text: "K", lo: 2, hi: 2, addr: func(*env) *int { return new(2) }}
	}, func(s *scope) place {
		i := m.index(&scope{bound: s.bound}, 2)
		return place{text: "ks[" + i.text + "]", lo: 1, hi: 2, addr: func(e *env) *int {
			return new(1 + i.eval(e))
		}}
	})
	first := m.below(3)
	say("t v = %d; int[-1,1] u; bool f;", first)
	add(variable("v", m.cells(1, first), 0, 2))
	add(variable("u", m.cells(1, 0), -1, 1))
	add(variable("f", m.cells(1, 0), 0, 1))
	say("int[0,2] a[3] = {0, 1, 2}; int[0,1] g[2][2];")
	a, g := m.cellsOf(3, func(i int) int { return i }), m.cells(4, 0)
	add(func(s *scope) place {
		i := m.index(&scope{bound: s.bound}, 3)
		return place{text: "a[" + i.text + "]", lo: 0, hi: 2, addr: func(e *env) *int {
			return &e.vars[a+i.eval(e)]
		}}
	})
	add(func(s *scope) place {
		i, j := m.index(&scope{bound: s.bound}, 2), m.index(&scope{bound: s.bound}, 2)
		return place{text: "g[" + i.text + "][" + j.text + "]", lo: 0, hi: 1, addr: func(
			e *env,
		) *int {
			return &e.vars[g+2*i.eval(e)+j.eval(e)]
		}}
	})
	say("rec r = {1, false}; rec rs[2];")
	r, rs := m.cellsOf(2, func(i int) int { return 1 - i }), m.cells(4, 0)
	m.records = append(m.records, func(*scope) (string, func(*env) int) {
		return "r", func(*env) int { return r }
	},
		func(s *scope) (string, func(*env) int) {
			i := m.index(&scope{bound: s.bound}, 2)
			return "rs[" + i.text + "]", func(e *env) int { return rs + 2*i.eval(e) }
		})
	add(func(s *scope) place {
		text, at := choice(m, m.records)(s)
		if m.chance(50) {
			return place{text: text + ".p", lo: 0, hi: 2, addr: func(e *env) *int {
				return &e.vars[at(e)]
			}}
		}
		return place{text: text + ".q", lo: 0, hi: 1, addr: func(e *env) *int {
			return &e.vars[at(e)+1]
		}}
	})
	m.channel(say, "c", 1, false)
	m.channel(say, "b", 1, true)
	m.channel(say, "ca", 2, false)
	if m.scalars > 0 {
		say("typedef scalar[%d] s; s w; int[0,1] sa[s]; s sn[s];", m.scalars)
		w, sa, sn := m.cells(1, 0), m.cells(m.scalars, 0), m.cells(m.scalars, 0)
		m.scalarAt = append(m.scalarAt, func(*scope) place {
			return place{text: "w", scalar: true, hi: m.scalars - 1, addr: func(e *env) *int {
				return &e.vars[w]
			}}
		})
		m.scalarAt = append(m.scalarAt, func(s *scope) place {
			i := m.scalar(&scope{scalars: s.scalars})
			if strings.HasPrefix(i.text, "sn") {
				i = m.scalarAt[0](s)
			}
			return place{text: "sn[" + i.text + "]", scalar: true, hi: m.scalars - 1, addr: func(
				e *env,
			) *int {
				return &e.vars[sn+*i.addr(e)]
			}}
		})
		add(func(s *scope) place {
			i := m.scalar(s)
			return place{text: "sa[" + i.text + "]", lo: 0, hi: 1, addr: func(e *env) *int {
				return &e.vars[sa+*i.addr(e)]
			}}
		})
		m.channel(say, "cs", m.scalars, m.chance(30))
	}
	kinds = rapid.Permutation(kinds).Draw(m.t, "kinds")
	m.writes = kinds[:1+m.below(2)] // few variables change
	clocks := 1
	say("clock y[%d];", clocks)
	m.net.clocks = clocks
	m.global.clocks = []clockRef{{"y[0]", func(*env) int { return 1 }}}
	m.timers = slices.Clone(m.global.clocks)
}

// channel declares channels.
func (m *maker) channel(say func(string, ...any), name string, size int, broadcast bool) {
	first, c := len(m.net.channels), &channel{broadcast: broadcast, urgent: m.chance(20)}
	words := ""
	if c.urgent {
		words = "urgent "
	}
	if broadcast {
		words += "broadcast "
	}
	for range size {
		m.net.channels = append(m.net.channels, &channel{broadcast: c.broadcast, urgent: c.urgent})
	}
	switch {
	case name == "cs":
		say("%schan cs[s];", words)
		m.channels = append(m.channels, func(s *scope) (string, func(*env) int, *channel) {
			i := m.scalar(s)
			return "cs[" + i.text + "]", func(e *env) int { return first + *i.addr(e) }, c
		})
	case size > 1:
		say("%schan %s[%d];", words, name, size)
		m.channels = append(m.channels, func(s *scope) (string, func(*env) int, *channel) {
			i := m.index(s, size)
			return name + "[" + i.text + "]", func(e *env) int { return first + i.eval(e) }, c
		})
	default:
		say("%schan %s;", words, name)
		m.channels = append(m.channels, func(*scope) (string, func(*env) int, *channel) {
			return name, func(*env) int { return first }, c
		})
	}
}

// channelPriorities orders the channels c, b and default, and sometimes one of ca.
func (m *maker) channelPriorities() string {
	if !m.chance(30) {
		return ""
	}
	names := rapid.Permutation([]string{"c", "b", "ca[1]", "default"}).Draw(m.t, "order")
	rank, ranks, text := 0, map[string]int{}, names[0]
	for i, name := range names {
		if i > 0 {
			sep := ", "
			if m.chance(60) {
				sep = " < "
				rank++
			}
			text += sep + name
		}
		ranks[name] = rank
	}
	for i, name := range []string{"c", "b", "", "ca[1]"} {
		if name != "" {
			m.net.channels[i].rank = ranks[name] - ranks["default"]
		}
	}
	return "chan priority " + text + ";\n"
}

// assign makes an assignment to a place.
func (m *maker) assign(s *scope, p place) (string, func(*env)) {
	switch x := m.expr(s, 2); {
	case p.lo == 0 && p.hi == 1 && m.chance(30) && p.text != "K":
		c := m.cond(s, 1)
		return p.text + " = " + c.text, func(e *env) { *p.addr(e) = c.eval(e) }
	// The old value and the new one are of the same variable.
	case x.lo >= 0 && p.lo == 0 && m.chance(15):
		n := p.hi + 1
		return fmt.Sprintf("%s = (%s + %s) %% %d", p.text, p.text, x.in(sumLevel+1), n), func(
			e *env,
		) {
			at := p.addr(e)
			*at = (*at + x.eval(e)) % n
		}
	default:
		x = m.fit(x, p.lo, p.hi)
		return p.text + " " + m.pick("=", ":=") + " " + x.in(weakest), func(e *env) {
			n := x.eval(e)
			*p.addr(e) = n
		}
	}
}

// effect makes an update.
func (m *maker) effect(s *scope) (string, func(*env)) {
	switch {
	case len(m.effects) > 0 && m.chance(25):
		return choice(m, m.effects)(s)
	case m.scalars > 0 && m.chance(25):
		to, from := choice(m, m.scalarAt)(s), m.scalar(s)
		return to.text + " = " + from.text, func(e *env) {
			n := *from.addr(e)
			*to.addr(e) = n
		}
	case m.chance(8):
		to, at := choice(m, m.records)(s)
		from, source := choice(m, m.records)(s)
		return to + " = " + from, func(e *env) {
			d, k := at(e), source(e)
			e.vars[d], e.vars[d+1] = e.vars[k], e.vars[k+1]
		}
	}
	return m.assign(s, choice(m, m.writes)(s))
}

// statement makes a statement of a function; run reports whether it returned. Result is nil for
// functions without one.
func (m *maker) statement(s *scope, depth int, result *place) (string, func(*env) bool) {
	switch {
	case depth > 0 && m.chance(30):
		c := m.cond(s, 1)
		then, yes := m.statement(s, depth-1, result)
		if m.chance(50) {
			return fmt.Sprintf("if (%s) { %s }", c.text, then), func(e *env) bool {
				return c.eval(e) != 0 && yes(e)
			}
		}
		other, no := m.statement(s, depth-1, result)
		return fmt.Sprintf("if (%s) { %s } else { %s }", c.text, then, other), func(e *env) bool {
			if c.eval(e) != 0 {
				return yes(e)
			}
			return no(e)
		}
	case depth > 0 && m.chance(25):
		inner := *s
		name, hi := m.fresh("k"), 1+m.below(2)
		k := m.local(name, 0, hi)
		inner.bound = append(inner.bound[:len(inner.bound):len(inner.bound)], k)
		body, run := m.statement(&inner, depth-1, result)
		text := fmt.Sprintf("for (%s : int[0,%d]) { %s }", name, hi, body)
		if m.chance(50) {
			text = fmt.Sprintf("{ int %s = 0; while (%s <= %d) { %s %s++; } }", name, name, hi,
				body, name)
		}
		return text, func(e *env) bool {
			for i := 0; i <= hi; i++ {
				*k.addr(e) = i
				if run(e) {
					return true
				}
			}
			return false
		}
	case result != nil && m.chance(40):
		x := m.fit(m.expr(s, 1), result.lo, result.hi)
		return "return " + x.text + ";", func(e *env) bool {
			n := x.eval(e)
			*result.addr(e) = n
			return true
		}
	case result != nil:
		return "", func(*env) bool { return false }
	}
	first, run := m.assign(s, choice(m, m.writes)(s))
	return first + ";", func(e *env) bool { run(e); return false }
}

// functions declares one with a value, one with effects, and one with a reference.
func (m *maker) functions() {
	plain := scope{}
	if m.chance(70) {
		result, p := m.local("", 0, 2), m.local("p1", 0, 2)
		s := plain
		s.bound = []place{p}
		body, run := m.statement(&s, 2, &result)
		end := m.fit(m.expr(&s, 1), 0, 2)
		fmt.Fprintf(&m.decl, "t value(t p1) { %s return %s; }\n", body, end.text)
		m.pure = append(m.pure, func(s *scope) num {
			x := m.fit(choice(m, m.reads)(s).num(), 0, 2)
			return num{"value(" + x.text + ")", atomLevel, 0, 2, func(e *env) int {
				n := x.eval(e)
				*p.addr(e) = n
				if !run(e) {
					*result.addr(e) = end.eval(e)
				}
				return *result.addr(e)
			}}
		})
	}
	if m.chance(70) {
		p := m.local("p2", 0, 1)
		s := plain
		s.bound = []place{p}
		body, run := m.statement(&s, 2, nil)
		more, again := m.statement(&s, 1, nil)
		fmt.Fprintf(&m.decl, "void change(int[0,1] p2) { %s %s }\n", body, more)
		m.effects = append(m.effects, func(s *scope) (string, func(*env)) {
			x := m.fit(m.expr(s, 1), 0, 1)
			return "change(" + x.text + ")", func(e *env) {
				n := x.eval(e)
				*p.addr(e) = n
				_ = run(e) || again(e)
			}
		})
	}
	if m.chance(50) && m.scalars == 0 {
		// The reference is to an element of a: the number of the element stands for it.
		at := m.local("", 0, 2)
		cell := place{text: "p3", lo: 0, hi: 2, addr: func(e *env) *int {
			return &e.vars[3+*at.addr(e)]
		}}
		s := plain
		s.bound = []place{cell}
		text, run := m.assign(&s, cell)
		fmt.Fprintf(&m.decl, "void refer(t &p3) { %s; }\n", text)
		m.effects = append(m.effects, func(s *scope) (string, func(*env)) {
			i := m.index(&scope{bound: s.bound}, 3)
			return "refer(a[" + i.text + "])", func(e *env) {
				n := i.eval(e)
				*at.addr(e) = n
				run(e)
			}
		})
	}
}
