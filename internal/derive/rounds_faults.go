package derive

// disturb writes what can happen to the messages of a kind in transit, between steps.
func (w *rounds) disturb(m *message) {
	from, to := w.name("from"), w.name("to")
	if w.p.links("lossy") && !w.untimed {
		early := yes
		if w.aged() {
			early = w.unhurried(w.p.limits)
		}
		w.vanish("lose", m, early)
	}
	var omitted []expr
	for _, f := range w.p.faults() {
		if f.losesSent {
			omitted = append(omitted, w.has(f, m.from, from))
		}
		if f.losesReceived {
			omitted = append(omitted, w.has(f, m.to, to))
		}
	}
	if omitted != nil && !w.untimed {
		w.vanish("omit", m, disjunction(omitted...))
	}
	if w.p.links("duplicating") && !w.untimed {
		w.repeat(m)
	}
	if w.p.suffers(forges) {
		record{w, m}.forge()
	}
}

// beginning requires that no process has taken its step in this round.
func (w *rounds) beginning() {
	q := w.name("Q")
	if w.bounded() {
		for _, r := range w.p.roles {
			w.line("  require forall %s: %s. !%s(%s);", q, r.sort, w.acted(r), q)
		}
	}
}

// vanish writes the loss of a message in transit, under a condition. What is put in transit at the
// beginning of a round is not lost before a step, so rounds end; it need not be put there.
func (w *rounds) vanish(verb string, m *message, cond expr) {
	from, to, age := w.name("from"), w.name("to"), w.name("age_lost")
	w.header(verb, m, from, to, w.payload(m, false), age)
	w.line("  require %s;", cond)
	w.onlyStepping(nil)
	if w.bounded() && (w.p.links("duplicating") || w.p.suffers(forges)) {
		var later []expr
		if w.aged() {
			later = append(later, exprOf("%s > 0", age))
		}
		for _, r := range w.p.roles {
			later = append(later, exprOf("exists %s: %s. %s(%s)", w.name("Q"), r.sort,
				w.acted(r), w.name("Q")))
		}
		w.line("  require %s;", disjunction(later...))
	}
	point := w.point(m, from, to, w.payload(m, false), age)
	w.line("  require %s;", w.store().some(point))
	w.store().take(point)
	w.line("}")
}

// repeat writes the duplication of a message in transit at the beginning of a round, before the
// bounds hold: the copy is like a message that is sent in this round. What a process sends to
// itself is not duplicated: within its step it must not receive what it sends there.
func (w *rounds) repeat(m *message) {
	from, to, age := w.name("from"), w.name("to"), w.name("age_copied")
	x := w.payload(m, false)
	w.header("repeat", m, from, to, x, age)
	w.line("  require %s;", w.unhurried(w.p.limits))
	w.onlyStepping(nil)
	w.beginning()
	if m.from == m.to {
		w.line("  require %s != %s;", from, to)
	}
	w.line("  require %s;", w.point(m, from, to, x, age))
	copied := w.point(m, from, to, x, name("0"))
	w.line("  require !%s;", copied)
	w.line("  %s := true;\n}", name(copied))
}

// inOrder requires that a message of an age is the oldest one on its link, on links that keep the
// order. Messages that one step sends have no order.
func (w *rounds) inOrder(m *message, from, age name) {
	if !w.p.links("fifo") {
		return
	}
	k := w.name("K")
	for _, other := range w.p.messages {
		if other.from != m.from || other.to != m.to {
			continue
		}
		bound := k + ": " + w.name("age")
		for i, x := range w.payload(other, true) {
			bound += ", " + x + ": " + w.sort(other.Fields[i].Sort)
		}
		w.line("  require forall %s. %s > %s -> !%s;", bound, k, age,
			w.point(other, from, name(selfWord), w.payload(other, true), k))
	}
}

// failing writes that processes of a role have a fault.
type failing struct {
	*rounds
	fault
	role *role
}

// number is how many processes have the fault, where at most some have it.
func (w failing) number() name {
	if w.word == crashedWord {
		return w.name("crashes")
	}
	return w.name("failures")
}

// begin writes that a process gets the fault, at the beginning of a round; one that has stopped
// gets no other. What is in transit to one that stops is lost.
func (w failing) begin() {
	p := w.name("victim")
	verb := "crash"
	if w.word == faultyWord {
		verb = "turn_faulty"
	}
	w.line("action %s(%s: %s) {", w.name(w.p.of(verb, w.role)), p, w.role.sort)
	w.line("  require !%s;", w.suffering(w.role, p, func(other fault) bool {
		return other.word == w.word || other.stops
	}))
	w.onlyStepping(nil)
	w.beginning()
	if w.most != nil {
		w.line("  require %s < %s;", w.number(), w.hole(w.most))
		w.line("  %s := %s + 1;", w.number(), w.number())
	}
	w.line("  %s := true;", name(w.has(w.fault, w.role, p)))
	if !w.stops {
		w.line("}")
		return
	}
	if w.aged() {
		w.line("  %s(%s) := 0;", w.waited(w.role), p)
	}
	for _, m := range w.p.messages {
		if m.to == w.role && !w.untimed {
			lost := w.point(m, w.name("Q"), p, w.payload(m, true), w.name("K"))
			w.store().clear(lost)
		}
	}
	w.line("}")
}

// end writes the recovery of a process between steps, which is all that it does in that round.
// It has forgotten what is not on disk.
func (w failing) end() {
	p := w.name("victim")
	w.line("action %s(%s: %s) {", w.name(w.p.of("recover", w.role)), p, w.role.sort)
	w.line("  require %s;", w.has(w.fault, w.role, p))
	w.onlyStepping(nil)
	w.line("  %s := false;", name(w.has(w.fault, w.role, p)))
	if w.most != nil { // who is down is counted
		w.line("  require %s > 0;", w.number())
		w.line("  %s := %s - 1;", w.number(), w.number())
	}
	for _, v := range w.role.Vars {
		if !v.Disk {
			w.line("  %s := %s;", name(exprOf("%s(%s)", name(v.Name.Text), w.points(p, v))),
				w.hole(w.first(v, p)))
		}
	}
	if w.bounded() {
		w.line("  %s(%s) := true;", w.acted(w.role), p)
	}
	w.line("}")
}
