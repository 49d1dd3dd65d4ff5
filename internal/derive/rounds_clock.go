package derive

import "erelong.dev/erelong/internal/front/ere/syntax"

// A clock counts the rounds since it was reset. With `timing drift(D)`, the clocks of a process are
// fast or slow in at most one of any D consecutive rounds: they count two rounds then, or none. The
// process decides at the beginning of the round. Without time a clock counts on whenever it likes.

// clocks writes the clocks of the processes of a role.
type clocks struct {
	*rounds
	role *role
}

// clocks are the clocks of the processes of a role.
func (r *role) clocks() (out []*syntax.StateVar) {
	for _, v := range r.Vars {
		if v.Clock {
			out = append(out, v)
		}
	}
	return out
}

// drift checks how far clocks drift.
func (c *protocolCheck) drift() {
	d := c.p.decl.Drift
	if d == nil {
		return
	}
	clocks := 0
	for _, r := range c.p.roles {
		clocks += len(r.clocks())
	}
	switch {
	case len(d.Args) != 1:
		c.fail(d.Span, "drift takes one parameter: of D consecutive rounds, clocks are fast or "+
			"slow in one at most").Suggest("Write timing drift(D).")
	case clocks == 0:
		c.fail(d.Span, "a drift where there are no clocks").
			Suggest("A clock is declared: clock NAME: 0..n")
	default:
		c.constant(d.Args[0])
	}
}

// period is the number of consecutive rounds in at most one of which clocks are fast or slow; empty
// for clocks that are exact.
func (p *protocol) period() name {
	if p.decl.Drift == nil {
		return ""
	}
	return name(p.decl.Drift.Args[0].Text)
}

// drift reports whether the clocks may be fast or slow.
func (w clocks) drift() bool {
	return w.p.period() != "" && !w.untimed && len(w.role.clocks()) > 0
}

// counted is what the clocks of a process count in this round: 0, 1 or 2. Evenly is the number of
// rounds since they last counted something else than 1, as far as it matters.
func (w clocks) counted(p part) expr {
	return exprOf("%s(%s)", w.name(w.p.of("counted", w.role)), p)
}

func (w clocks) evenly(p part) expr {
	return exprOf("%s(%s)", w.name(w.p.of("evenly", w.role)), p)
}

// declare says how fast the clocks are.
func (w clocks) declare() {
	if !w.drift() {
		return
	}
	p, d := w.name("P"), w.p.period()
	w.line("mutable function %s(%s): 0..2", w.name(w.p.of("counted", w.role)), w.role.sort)
	w.line("init %s = 1", w.counted(p))
	w.line("mutable function %s(%s): 0..%s - 1", w.name(w.p.of("evenly", w.role)), w.role.sort, d)
	w.line("init %s = %s - 1", w.evenly(p), d)
}

// act writes that the clocks of a process are fast or slow in a round.
func (w clocks) act() {
	p, self := w.name("drifter"), name(selfWord)
	if w.untimed && len(w.role.clocks()) > 0 {
		w.line("action %s(%s: %s) {", w.name(w.p.of("count", w.role)), self, w.role.sort)
		w.line("  require !%s;", w.down(w.role, self))
		for _, v := range w.role.clocks() {
			w.count(v, self, no, expr("1"))
		}
		w.line("}")
	}
	if !w.drift() {
		return
	}
	for _, x := range []struct{ verb, rounds name }{{"clock_fast", "2"}, {"clock_slow", "0"}} {
		w.line("action %s(%s: %s) {", w.name(w.p.of(string(x.verb), w.role)), p, w.role.sort)
		w.line("  require !%s & %s = 1 & %s = %s - 1;", w.down(w.role, p), w.counted(p),
			w.evenly(p), w.p.period())
		w.onlyStepping(nil)
		w.beginning()
		w.line("  %s := %s;\n}", name(w.counted(p)), x.rounds)
	}
}

// endRound counts a round that ends.
func (w clocks) endRound() {
	p := w.name("P")
	rounds := expr("1")
	if w.drift() {
		rounds = w.counted(p)
	}
	for _, v := range w.role.clocks() {
		w.count(v, p, w.down(w.role, p), rounds)
	}
	if w.drift() {
		even := w.evenly(p)
		w.line("  %s := if %s != 1 then 0 else if %s < %s - 1 then %s + 1 else %s;", name(even),
			w.counted(p), even, w.p.period(), even, even)
		w.line("  %s := 1;", name(w.counted(p)))
	}
}

// count lets a clock of a process go on, up to its bound, unless it has stopped.
func (w clocks) count(v *syntax.StateVar, process name, stopped, rounds expr) {
	now := exprOf("%s(%s)", name(v.Name.Text), w.points(process, v))
	most := w.hole((&protocolCheck{p: w.p}).bound(v.Sort))
	then := exprOf("%s + %s", now, rounds)
	next := exprOf("if %s < %s then %s else %s", then, most, then, most)
	if stopped != no {
		next = exprOf("if %s then %s else (%s)", stopped, now, next)
	}
	w.line("  %s := %s;", name(now), next)
}
