package zone_test

import (
	"fmt"
	"strings"
)

// maxTimers bounds the clocks of a model: regions are many.
const maxTimers = 3

// template makes a process definition with its processes: it has no parameter, one that is left
// open, of numbers or scalars, or a reference and a number that an instance gives.
func (m *maker) template(i int) (string, []*process) {
	name := fmt.Sprintf("T%d", i)
	var b strings.Builder
	params, count, first := "", 1, 0
	s := m.global
	locals := m.number(0, 1)
	kind := m.below(4)
	if kind == 2 && m.scalars == 0 {
		kind = 1
	}
	switch kind {
	case 1:
		params, count, first = "const int[0,1] id", 2, 0
		s.bound = append(s.bound, place{text: "id", hi: 1, addr: func(e *env) *int {
			return &e.self.param
		}})
	case 2:
		params, count = "const s id", m.scalars
		s.scalars = append(s.scalars, place{text: "id", scalar: true, addr: func(e *env) *int {
			return &e.self.param
		}})
	case 3:
		params = "t &h, const int[0,2] id"
		first = m.below(3)
		s.bound = append(s.bound, place{text: "id", hi: 2, addr: func(e *env) *int {
			return &e.self.param
		}})
	}
	var procs []*process
	timer := m.net.clocks+count <= maxTimers && m.chance(60)
	for k := range count {
		p := &process{number: len(m.net.procs), param: first + k, rank: i}
		if kind == 3 {
			p.bound = m.below(3)
		}
		if locals > 0 {
			p.vars = m.cells(1, 0)
		}
		if timer {
			m.net.clocks++
			p.clock = m.net.clocks
		}
		procs = append(procs, p)
		m.net.procs = append(m.net.procs, p)
	}
	fmt.Fprintf(&b, "process %s(%s) {", name, params)
	var own []place
	if locals > 0 {
		b.WriteString(" int[0,2] k;")
		k := place{text: "k", hi: 2, addr: func(e *env) *int { return &e.vars[e.self.vars] }}
		own = append(own, k)
		s.bound = append(s.bound, k)
	}
	if kind == 3 {
		h := place{text: "h", hi: 2, addr: func(e *env) *int { return &e.vars[3+e.self.bound] }}
		own = append(own, h)
		s.bound = append(s.bound, h)
	}
	s.clocks = append([]clockRef(nil), s.clocks...)
	if timer {
		b.WriteString(" clock x;")
		s.clocks = append(s.clocks, clockRef{"x", func(e *env) int { return e.self.clock }})
	}
	locs := m.locations(&b, &s)
	m.edges(&b, &s, locs, own)
	b.WriteString("}\n")
	for _, p := range procs {
		p.locs = locs
	}
	m.ask(name, kind, procs, len(locs), locals > 0, timer)
	return b.String(), procs
}

// entry gives what the system line says, after an instance where one is needed.
func (m *maker) entry(text *strings.Builder, i int, procs []*process) string {
	name := fmt.Sprintf("T%d", i)
	if strings.Contains(text.String(), "process "+name+"(t &h") {
		fmt.Fprintf(text, "A%d = %s(a[%d], %d);\n", i, name, procs[0].bound, procs[0].param)
		return fmt.Sprintf("A%d", i)
	}
	return name
}

func (m *maker) locations(b *strings.Builder, s *scope) (locs []*location) {
	var urgent, committed []string
	b.WriteString(" state ")
	for l := range 2 + m.below(2) {
		out := &location{}
		if l > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(b, "l%d", l)
		if m.chance(40) {
			c := m.timing(s, "<", "<=")
			text, eval := c.text, c.eval
			if m.chance(20) {
				d := m.cond(s, 1)
				op := m.pick("&&", "and")
				text, eval = d.in(andLevel)+" "+op+" "+text, func(e *env) int {
					return d.eval(e) & c.eval(e)
				}
			}
			fmt.Fprintf(b, " { %s }", text)
			out.invariant = func(e *env) bool { return eval(e) != 0 }
		}
		switch {
		case m.chance(10):
			out.urgent = true
			urgent = append(urgent, fmt.Sprintf("l%d", l))
		case m.chance(10):
			out.committed = true
			committed = append(committed, fmt.Sprintf("l%d", l))
		}
		locs = append(locs, out)
	}
	b.WriteString(";\n")
	if len(committed) > 0 {
		fmt.Fprintf(b, "commit %s;\n", strings.Join(committed, ", "))
	}
	if len(urgent) > 0 {
		fmt.Fprintf(b, "urgent %s;\n", strings.Join(urgent, ", "))
	}
	return locs
}

func (m *maker) edges(b *strings.Builder, s *scope, locs []*location, own []place) {
	b.WriteString("init l0;\ntrans")
	for i := range 4 + m.below(5) {
		if i > 0 {
			b.WriteString(",")
		}
		from, e := i%len(locs), &edgeModel{target: m.below(len(locs))}
		fmt.Fprintf(b, "\n  l%d -> l%d { ", from, e.target)
		inner := *s
		m.selects(b, &inner, e)
		text, clocks := "", true
		if m.chance(40) {
			send := m.chance(50)
			name, at, c := choice(m, m.channels)(&inner)
			clocks = !c.urgent
			e.sync, e.channel = 1, at
			text = fmt.Sprintf("sync %s!; ", name)
			if !send {
				e.sync, text = 2, fmt.Sprintf("sync %s?; ", name)
			}
		}
		m.guard(b, &inner, e, clocks)
		b.WriteString(text)
		m.update(b, &inner, e, own)
		b.WriteString("}")
		locs[from].edges = append(locs[from].edges, e)
	}
	b.WriteString(";\n")
}

func (m *maker) selects(b *strings.Builder, s *scope, e *edgeModel) {
	if !m.chance(25) {
		return
	}
	name := m.fresh("i")
	v, domain := m.local(name, 0, m.number(0, 2)), ""
	s.bound = s.bound[:len(s.bound):len(s.bound)]
	s.scalars = s.scalars[:len(s.scalars):len(s.scalars)]
	switch {
	case m.scalars > 0 && m.chance(50):
		v.hi, domain = m.scalars-1, "s"
		s.scalars = append(s.scalars, v)
	case v.hi == 2:
		domain = "t"
		s.bound = append(s.bound, v)
	default:
		domain = fmt.Sprintf("int[0,%d]", v.hi)
		s.bound = append(s.bound, v)
	}
	fmt.Fprintf(b, "select %s : %s; ", name, domain)
	e.selects = append(e.selects, bind{m.net.frame - 1, 0, v.hi})
}

func (m *maker) guard(b *strings.Builder, s *scope, e *edgeModel, clocks bool) {
	var texts []string
	var evals []func(*env) int
	add := func(c num, text string) { texts, evals = append(texts, text), append(evals, c.eval) }
	if m.chance(35) {
		c := m.cond(s, 2)
		add(c, c.in(andLevel))
	}
	all := []string{"<", "<=", "==", ">=", ">"}
	if clocks && m.chance(45) {
		c := m.timing(s, all...)
		add(c, c.text)
	}
	if clocks && m.chance(15) { // a disjunction with a condition on data, or its negation
		c, d := m.timing(s, "<", "<=", ">=", ">"), m.cond(s, 1)
		if m.chance(50) {
			texts = append(texts, "("+d.in(orLevel)+" || "+c.text+")")
			evals = append(evals, func(e *env) int { return d.eval(e) | c.eval(e) })
		} else {
			texts = append(texts, "!("+d.in(andLevel)+" && "+c.text+")")
			evals = append(evals, func(e *env) int { return 1 - d.eval(e)&c.eval(e) })
		}
	}
	if len(texts) == 0 {
		return
	}
	fmt.Fprintf(b, "guard %s; ", strings.Join(texts, " && "))
	e.guard = func(v *env) bool {
		for _, f := range evals {
			if f(v) == 0 {
				return false
			}
		}
		return true
	}
}

func (m *maker) update(b *strings.Builder, s *scope, e *edgeModel, own []place) {
	var texts []string
	var runs []func(*env)
	for range m.below(4) {
		if m.chance(40) {
			x, n := choice(m, s.clocks), literal(0)
			if m.chance(25) {
				n = m.fit(m.expr(s, 1), 0, m.net.ceiling)
			}
			texts = append(texts, x.text+" = "+n.text)
			runs = append(runs, func(v *env) { v.clocks = v.clocks.set(x.at(v), n.eval(v)) })
			continue
		}
		text, run := m.effect(s)
		if len(own) > 0 && m.chance(30) {
			text, run = m.assign(s, choice(m, own))
		}
		texts, runs = append(texts, text), append(runs, run)
	}
	if len(texts) == 0 {
		return
	}
	fmt.Fprintf(b, "assign %s; ", strings.Join(texts, ", "))
	e.update = func(v *env) {
		for _, run := range runs {
			run(v)
		}
	}
}

// ask adds the conditions of queries on the processes of a template.
func (m *maker) ask(name string, kind int, procs []*process, locs int, local, timer bool) {
	of := func(k int) string {
		switch kind {
		case 0:
			return name
		case 3:
			return "A" + name[1:]
		}
		return fmt.Sprintf("%s(%d)", name, procs[k].param)
	}
	for k, p := range procs {
		m.members = append(m.members, func(*scope) num {
			l := m.below(locs)
			return num{fmt.Sprintf("%s.l%d", of(k), l), atomLevel, 0, 1, func(e *env) int {
				return b2i(e.locs[p.number] == l)
			}}
		})
		if local {
			m.members = append(m.members, func(*scope) num {
				n := m.below(3)
				return num{fmt.Sprintf("%s.k == %d", of(k), n), equalLevel, 0, 1, func(e *env) int {
					return b2i(e.vars[p.vars] == n)
				}}
			})
		}
		if timer {
			m.timers = append(m.timers, clockRef{of(k) + ".x", func(*env) int { return p.clock }})
		}
	}
	if kind != 1 && kind != 2 {
		return
	}
	domain := "int[0,1]"
	if kind == 2 {
		domain = "s"
	}
	m.members = append(m.members, func(*scope) num {
		q, l := m.fresh("q"), m.below(locs)
		v := m.local(q, 0, len(procs)-1)
		body := num{fmt.Sprintf("%s(%s).l%d", name, q, l), atomLevel, 0, 1, func(e *env) int {
			return b2i(e.locs[procs[*v.addr(e)].number] == l)
		}}
		return m.quantified(m.pick("forall", "exists"), q, domain, 0, len(procs)-1, v, body)
	})
}
