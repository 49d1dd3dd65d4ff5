package ivy

import (
	"fmt"
	"slices"
	"strings"
)

// block writes statements, and forgets the locals that they declare.
func (a *author) block(depth int) deed {
	known := len(a.known)
	var deeds []deed
	for range 1 + a.Intn(3) {
		deeds = append(deeds, a.statement(depth))
	}
	a.known = a.known[:known]
	return sequence(deeds)
}

func sequence(deeds []deed) deed {
	return func(m moment, r *record) []moment {
		all := []moment{m}
		for _, d := range deeds {
			var next []moment
			for _, x := range all {
				if r.spent++; r.spent > mostRun {
					return nil
				}
				next = append(next, d(x, r)...)
			}
			all = distinct(next)
		}
		return all
	}
}

func distinct[T comparable](all []T) (out []T) {
	seen := map[T]bool{}
	for _, x := range all {
		if !seen[x] {
			seen[x] = true
			out = append(out, x)
		}
	}
	return out
}

// change is a statement that has one outcome.
func change(f func(m *moment)) deed {
	return func(m moment, _ *record) []moment {
		f(&m)
		return []moment{m}
	}
}

// chosen is a statement with an outcome for each value below n.
func chosen(n int, f func(m *moment, v int)) deed {
	return func(m moment, _ *record) (out []moment) {
		for v := range n {
			x := m
			f(&x, v)
			out = append(out, x)
		}
		return out
	}
}

func (a *author) statement(depth int) deed {
	kinds := 9
	if depth > 0 {
		kinds = 13
	}
	switch a.Intn(kinds) {
	case 0, 1, 2:
		return a.assignment()
	case 3:
		return a.anything()
	case 4:
		return a.variable()
	case 5:
		if n := a.locals(); len(n) > 0 {
			v := n[a.Intn(len(n))]
			x := a.term(v.typ, 2)
			a.write("%s := %s;", v.name, x.text)
			return change(func(m *moment) { m.local = m.local.with(v, x.of(*m)) })
		}
		return a.assignment()
	case 6, 7:
		return a.claim()
	case 8:
		if a.helper != nil {
			return a.call()
		}
		return a.assignment()
	case 9:
		return a.some(depth)
	}
	return a.condition(depth)
}

// locals are the known names that can be assigned.
func (a *author) locals() (out []named) {
	for _, n := range a.known {
		if strings.ToLower(n.name) == n.name {
			out = append(out, n)
		}
	}
	return out
}

// letters runs f with letters that stand for every node.
func (a *author) letters(n int, f func(letters []named) phrase) (phrase, []named) {
	var names []named
	for range n {
		names = append(names, a.fresh("Y", "node"))
	}
	a.known = append(a.known, names...)
	x := f(names)
	a.known = a.known[:len(a.known)-n]
	return x, names
}

func (a *author) assignment() deed {
	truth := func([]named) phrase { return a.term("bool", 2) }
	switch a.Intn(9) {
	case 0:
		n, x := a.term("node", 1), a.term("bool", 2)
		a.write("q(%s) := %s;", n.text, x.text)
		return change(func(m *moment) { m.q[n.of(*m)] = x.of(*m) })
	case 1:
		x, l := a.letters(1, truth)
		a.write("q(%s) := %s;", l[0].name, x.text)
		return change(func(m *moment) {
			before := *m
			for v := range 2 {
				before.local = m.local.with(l[0], v)
				m.q[v] = x.of(before)
			}
		})
	case 2:
		x, l := a.letters(2, truth)
		a.write("r(%s, %s) := %s;", l[0].name, l[1].name, x.text)
		return change(func(m *moment) {
			before := *m
			for v := range 2 {
				for w := range 2 {
					before.local = m.local.with(l[0], v).with(l[1], w)
					m.r[v][w] = x.of(before)
				}
			}
		})
	case 3:
		x, l := a.letters(1, truth)
		n := a.term("node", 1)
		first := a.Intn(2) == 0
		if first {
			a.write("r(%s, %s) := %s;", n.text, l[0].name, x.text)
		} else {
			a.write("r(%s, %s) := %s;", l[0].name, n.text, x.text)
		}
		return change(func(m *moment) {
			before := *m
			k := n.of(before)
			for v := range 2 {
				before.local = m.local.with(l[0], v)
				if first {
					m.r[k][v] = x.of(before)
				} else {
					m.r[v][k] = x.of(before)
				}
			}
		})
	case 4:
		x, l := a.letters(1, truth)
		a.write("r(%s, %s) := %s;", l[0].name, l[0].name, x.text)
		return change(func(m *moment) {
			before := *m
			for v := range 2 {
				before.local = m.local.with(l[0], v)
				m.r[v][v] = x.of(before)
			}
		})
	case 5:
		n, x := a.term("node", 1), a.term("state", 2)
		a.write("f(%s) := %s;", n.text, x.text)
		return change(func(m *moment) { m.f[n.of(*m)] = x.of(*m) })
	case 6:
		x := a.term("node", 2)
		a.write("leader := %s;", x.text)
		return change(func(m *moment) { m.leader = x.of(*m) })
	case 7:
		x := a.term("state", 2)
		a.write("at := %s;", x.text)
		return change(func(m *moment) { m.at = x.of(*m) })
	}
	x := a.term("count", 2)
	a.write("c := %s;", x.text)
	return change(func(m *moment) { m.c = x.of(*m) })
}

// anything writes an assignment of any value.
func (a *author) anything() deed {
	switch a.Intn(6) {
	case 0:
		a.write("q(X) := *;")
		return chosen(4, func(m *moment, v int) { m.q = [2]int{v & 1, v >> 1} })
	case 1:
		n := a.term("node", 1)
		a.write("q(%s) := *;", n.text)
		return chosen(2, func(m *moment, v int) { m.q[n.of(*m)] = v })
	case 2:
		n := a.term("node", 1)
		a.write("r(X, %s) := *;", n.text)
		return chosen(4, func(m *moment, v int) {
			k := n.of(*m)
			m.r[0][k], m.r[1][k] = v&1, v>>1
		})
	case 3:
		a.write("leader := *;")
		return chosen(2, func(m *moment, v int) { m.leader = v })
	case 4:
		if n := a.locals(); len(n) > 0 {
			v := n[a.Intn(len(n))]
			a.write("%s := *;", v.name)
			return chosen(sizes[v.typ], func(m *moment, x int) {
				m.local = m.local.with(v, x)
			})
		}
	}
	a.write("at := *;")
	return chosen(3, func(m *moment, v int) { m.at = v })
}

// variable declares a local for the rest of the block.
func (a *author) variable() deed {
	n := a.fresh("v", types[a.Intn(4)])
	if a.Intn(4) == 0 {
		a.write("var %s : %s;", n.name, n.typ)
		a.known = append(a.known, n)
		return chosen(sizes[n.typ], func(m *moment, v int) { m.local = m.local.with(n, v) })
	}
	x := a.term(n.typ, 2)
	a.write("var %s : %s := %s;", n.name, n.typ, x.text)
	a.known = append(a.known, n)
	return change(func(m *moment) { m.local = m.local.with(n, x.of(*m)) })
}

// claim writes assume, assert, require or ensure. A letter in it stands for every node.
func (a *author) claim() deed {
	word := a.pick("assume", "assert", "require", "ensure")
	var letters []named
	x, y := a.term("bool", 1), a.term("bool", 1)
	if a.Intn(2) == 0 {
		y, letters = a.letters(1, func(l []named) phrase {
			z := a.term("bool", 1)
			return phrase{"q(" + l[0].name + ") | " + z.in(levelOr+1), levelOr,
				func(m moment) int { return max(m.q[m.local[l[0].at]], z.of(m)) }}
		})
	}
	a.write("%s %s | %s;", word, x.in(levelOr), y.in(levelOr+1))
	name := fmt.Sprintf("%s_%d", word, len(a.lines))
	obligation := word != "assume" && !slices.Contains(a.assumed, word)
	return func(m moment, r *record) []moment {
		holds := true
		for v := range 2 {
			n := m
			if len(letters) > 0 {
				n.local = m.local.with(letters[0], v)
			}
			holds = holds && max(x.of(n), y.of(n)) == 1
		}
		if holds {
			return []moment{m}
		}
		if obligation {
			r.failed[r.action+"_"+name] = true
		}
		return nil
	}
}

func (a *author) condition(depth int) deed {
	var c phrase
	free := a.Intn(4) == 0
	if free {
		a.write("if * {")
	} else {
		c = a.term("bool", 2)
		a.write("if %s {", c.text)
	}
	then := a.block(depth - 1)
	rest := sequence(nil)
	if a.Intn(3) > 0 {
		a.write("} else {")
		rest = a.block(depth - 1)
	}
	a.write("}")
	return func(m moment, r *record) []moment {
		switch {
		case free:
			return append(then(m, r), rest(m, r)...)
		case c.of(m) == 1:
			return then(m, r)
		}
		return rest(m, r)
	}
}

// some writes a condition that chooses a node.
func (a *author) some(depth int) deed {
	n := a.fresh("n", "node")
	known := len(a.known)
	a.known = append(a.known, n)
	such, y := a.term("bool", 2), a.term("count", 2)
	by := phrase{"c + " + y.in(levelSum+1), levelSum, func(m moment) int {
		return (m.c + y.of(m)) % 4
	}}
	best := a.pick("", "", "minimizing", "maximizing")
	text := "if some " + n.name + ":node. " + such.text
	if best != "" {
		text += " " + best + " " + by.text
	}
	a.write("%s {", text)
	then := a.block(depth - 1)
	a.known = a.known[:known]
	a.write("} else {")
	rest := a.block(depth - 1)
	a.write("}")
	return func(m moment, r *record) (out []moment) {
		at := func(v int) moment {
			x := m
			x.local = m.local.with(n, v)
			return x
		}
		var all []int
		for v := range 2 {
			if such.of(at(v)) == 1 {
				all = append(all, v)
			}
		}
		if len(all) == 0 {
			return rest(m, r)
		}
		for _, v := range all {
			better := slices.ContainsFunc(all, func(w int) bool {
				x, y := by.of(at(v)), by.of(at(w))
				return best == "minimizing" && y < x || best == "maximizing" && y > x
			})
			if !better {
				out = append(out, then(at(v), r)...)
			}
		}
		return out
	}
}

// call writes a call of the helper, whose result a local or a symbol takes.
func (a *author) call() deed {
	x, y := a.term("node", 1), a.term("bool", 2)
	args := func(m moment) []int { return []int{x.of(m), y.of(m)} }
	target, to := "", func(m *moment, v int) {}
	switch a.Intn(3) {
	case 0:
		target, to = "c", func(m *moment, v int) { m.c = v }
	case 1:
		for _, n := range a.locals() {
			if n.typ == "count" {
				target, to = n.name, func(m *moment, v int) { m.local = m.local.with(n, v) }
			}
		}
	}
	switch {
	case target == "":
		a.write("call helper(%s, %s);", x.text, y.text)
	case a.Intn(2) == 0:
		a.write("%s := helper(%s, %s);", target, x.text, y.text)
	default:
		a.write("call %s := helper(%s, %s);", target, x.text, y.text)
	}
	helper := a.helper
	return func(m moment, r *record) (out []moment) {
		for _, r := range helper(m, args(m), r) {
			n := m
			n.memory = r.memory
			to(&n, r.value)
			out = append(out, n)
		}
		return out
	}
}
