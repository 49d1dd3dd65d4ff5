package derive

import "slices"

// action writes an action that is possible in a sub-round and leads to another.
func (w *oneWay) action(action, from, to string, cond expr, body func()) {
	w.line("action %s() {", w.name(action))
	w.line("  require %s;", conjunction(exprOf("%s = %s", w.epc(), w.name(from)), cond))
	body()
	if from != to {
		w.line("  %s := %s;", w.epc(), w.name(to))
	}
	w.line("}")
}

// scheduled writes the actions of the environment that schedule a process.
func (w *oneWay) scheduled(who name, from, to string) {
	up := yes
	crashes := slices.Contains(w.crashing(), who)
	if crashes {
		up = exprOf("!%s", w.down(who))
	}
	acting := func(is expr) {
		if w.remembers() {
			w.line("  %s := %s;", w.acting(who), is)
		}
	}
	w.action(string(who)+"_steps", from, to, conjunction(up, w.mayStep(who)), func() {
		w.line("  %s := 0;", w.timer(who))
		w.advance(who, "  ")
		acting(yes)
	})
	w.action(string(who)+"_waits", from, to, conjunction(up, w.mayWait(who)), func() {
		acting(no)
		w.line("  %s := %s;", w.timer(who), w.tick(who))
	})
	if crashes {
		w.action(string(who)+"_is_down", from, to, expr(w.down(who)), func() {})
	}
}

// crashes writes the actions in which processes crash, at the start of a round, possibly both in
// one round. After the sender alone has crashed, the receiver takes the steps of the round before
// it can crash, too. The other order needs no such care: after the receiver has crashed nothing
// changes.
func (w *oneWay) crashes() {
	fall := func(who name) {
		w.line("  %s := true;", w.down(who))
		w.line("  %s := 0;", w.timer(who))
		if who == receiver {
			w.buffer.clear("  ")
		}
	}
	up := func(who name) expr { return exprOf("!%s", w.down(who)) }
	if w.plan.senderCrashes {
		w.action("sender_crashes", "SSched", "RSched", up(sender), func() { fall(sender) })
	}
	if w.plan.receiverCrashes {
		w.action("receiver_crashes", "SSched", "SSched", up(receiver), func() { fall(receiver) })
	}
	if w.plan.senderCrashes && w.plan.receiverCrashes {
		w.action("both_crash", "SSched", "RSched", conjunction(up(sender), up(receiver)), func() {
			fall(sender)
			fall(receiver)
		})
	}
}

func (w *oneWay) subrounds() {
	a := w.alg
	w.crashes()
	w.scheduled(sender, "SSched", "RSched") // a round begins here
	w.scheduled(receiver, "RSched", "IncMsgAge")
	w.action("messages_age", "IncMsgAge", "SSnd", yes, func() { w.buffer.age("  ") })
	w.action("send", "SSnd", "RNoSnd", yes, w.send)
	w.tasksOf("send", "send_nothing", "RNoSnd", "RRcv")
	receives := a.of("receive")
	receiving := conjunction(w.acts(receiver), at(w.rpc(), receives))
	w.action("deliver", "RRcv", "RComp", receiving, func() {
		w.buffer.deliver("  ")
		w.cases(receives, "  ", w.receivedBy())
	})
	w.action("deliver_nothing", "RRcv", "RComp", conjunction(receiving, w.buffer.mayWait()),
		func() { w.cases(receives, "  ", none) })
	w.action("not_receiving", "RRcv", "RComp", exprOf("!%s", receiving), func() {})
	w.tasksOf("compute", "compute", "RComp", "SSched")
}

// tasksOf writes the sub-round of the receiver's tasks of a kind that receive nothing.
func (w *oneWay) tasksOf(kind, action, from, to string) {
	w.action(action, from, to, yes, func() {
		for _, t := range w.alg.of(kind) {
			if t.changes() {
				w.line("  if %s {",
					conjunction(w.acts(receiver), exprOf("%s = %s", w.rpc(), t.at())))
				w.update(t, "    ", none)
				w.line("  }")
			}
		}
		if to == "SSched" {
			w.endRound(w.alg.limits)
		}
	})
}
