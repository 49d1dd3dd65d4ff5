package derive

import "slices"

// round writes the system with one action a round: the sub-rounds in sequence, with the choices of
// the environment as choices of the action.
func (w *oneWay) round() {
	a := w.alg
	w.line("action %s() {", w.name("round"))
	w.schedule(sender)
	w.ghosts.crash("  ")
	if w.cycle == 0 {
		w.line("  if %s {", w.steps(sender))
		w.advance(sender, "    ")
		w.line("  }")
	}
	w.schedule(receiver)
	w.line("  if %s {", w.steps(receiver))
	w.advance(receiver, "    ")
	w.line("  }")
	if w.plan.receiverCrashes {
		w.line("  if %s {", w.down(receiver))
		w.buffer.clear("    ")
		w.line("  }")
	}
	w.buffer.age("  ")
	w.send()
	for _, t := range append(a.of("send"), a.of("compute")...) {
		if t.changes() {
			w.line("  if %s {", conjunction(w.acts(receiver), exprOf("%s = %s", w.rpc(), t.at())))
			w.update(t, "    ", none)
			w.ghosts.task("    ", no)
			w.line("  }")
		}
	}
	if receives := a.of("receive"); len(receives) > 0 {
		w.line("  if %s {", conjunction(w.acts(receiver), at(w.rpc(), receives)))
		w.buffer.deliverAny("    ")
		w.cases(receives, "    ", w.gotThis)
		var arrived []expr
		for _, m := range a.decl.Messages {
			arrived = append(arrived, w.gotThis(m.Text))
		}
		w.ghosts.task("    ", disjunction(arrived...))
		w.line("  }")
	}
	w.endRound(a.limits)
	w.line("}")
}

// schedule writes the choice whether a process crashes, and whether it takes its step.
func (w *oneWay) schedule(who name) {
	steps, timer := w.steps(who), w.timer(who)
	choice := exprOf("if %s then %s else %s", steps, w.mayStep(who), w.mayWait(who))
	idle := expr(steps)
	if slices.Contains(w.crashing(), who) {
		fails, down := w.name(string(who)+"_fails"), w.down(who)
		w.line("  choose %s: bool with %s -> %s;", fails, down, fails)
		w.line("  %s := %s;", down, fails)
		choice = exprOf("if %s then !%s else %s", fails, steps, choice)
		idle = exprOf("%s | %s", steps, fails)
	}
	w.line("  choose %s: bool with %s;", steps, choice)
	w.line("  %s := if %s then 0 else %s;", timer, idle, w.tick(who))
}
