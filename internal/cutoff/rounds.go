package cutoff

import "strings"

// round writes the system with one action a round: the sub-rounds in sequence, with the choices of the environment as
// choices of the action.
func (w *oneWay) round() {
	a := w.alg
	w.line("action round() {")
	step, stmts := w.senderStep()
	wait, _ := w.senderWait()
	w.schedule("sender", step, wait, w.plan.senderCrashes)
	w.ghosts.crash("  ")
	if w.cycle == 0 {
		w.line("  if sender_steps {\n    %s\n  }", stmts[1])
	}
	w.schedule("receiver", "true", w.waits("receiver_timer", a.phi+" - 1"), w.plan.receiverCrashes)
	w.line("  if receiver_steps {\n    rpc := %s;\n  }", a.nextLocation("rpc", a.start))
	if w.plan.receiverCrashes {
		w.line("  if receiver_crashed {")
		w.buffer.clear("    ")
		w.line("  }")
	}
	w.buffer.age("  ")
	w.send()
	for _, t := range append(a.of("send"), a.of("compute")...) {
		if t.changes() {
			w.line("  if %s & rpc = %s {", w.active(), t.Location.Text)
			w.update(t, "    ", none)
			w.ghosts.task("    ", "false")
			w.line("  }")
		}
	}
	if receives := a.of("receive"); len(receives) > 0 {
		w.line("  if %s & %s {", w.active(), at("rpc", receives))
		w.buffer.deliverAny("    ")
		w.cases(receives, "    ", got)
		var arrived []string
		for _, m := range a.decl.Messages {
			arrived = append(arrived, got(m.Text))
		}
		w.ghosts.task("    ", "("+strings.Join(arrived, " | ")+")")
		w.line("  }")
	}
	w.endRound(a)
	w.line("}")
}

// schedule writes the choice whether a process crashes, and whether it takes its step.
func (w *oneWay) schedule(who, step, wait string, crashes bool) {
	tick := w.tick(who + "_timer")
	if !crashes {
		w.line("  choose %s_steps: bool with if %s_steps then %s else (%s);", who, who, step, wait)
		w.line("  %s_timer := if %s_steps then 0 else (%s);", who, who, tick)
		return
	}
	w.line("  choose %s_fails: bool with %s_crashed -> %s_fails;", who, who, who)
	w.line("  %s_crashed := %s_fails;", who, who)
	w.line("  choose %s_steps: bool with if %s_fails then !%s_steps else if %s_steps then %s else (%s);", who, who, who, who, step, wait)
	w.line("  %s_timer := if %s_steps | %s_fails then 0 else (%s);", who, who, who, tick)
}
