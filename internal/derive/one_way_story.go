package derive

import (
	"math/big"
	"slices"
	"strconv"

	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/result"
)

// oneWayLegend tells runs of a system with one sender and one receiver.
type oneWayLegend struct{ *oneWay }

// begins reports whether a round begins in this state.
func (w oneWayLegend) begins(v *view) bool {
	return w.plan.bigSteps || v.at(w.epc()) == w.name("SSched")
}

func (w oneWayLegend) ends(s *moment) bool {
	return w.plan.bigSteps || s.action == w.name("compute")
}

// events lists the events of a step. If the sender's location is not kept, it is only known whether
// the sender sends.
func (w oneWayLegend) events(s *moment) (out []result.StoryEvent) {
	say := func(text string) { out = append(out, happens("%s", text)) }
	if w.plan.bigSteps {
		return w.roundEvents(s)
	}
	switch s.action {
	case w.name("sender_crashes"):
		say("the sender crashes")
	case w.name("receiver_crashes"):
		say("the receiver crashes")
	case w.name("both_crash"):
		say("the sender crashes")
		say("the receiver crashes")
	case w.name("sender_waits"), w.name("sender_steps"):
		out = w.senderEvents(s.after, s.action == w.name("sender_steps"))
	case w.name("receiver_waits"):
		say("the receiver waits")
	case w.name("send"):
		out = w.sendEvents(s.before, w.actsIn(sender, s.before))
	case w.name("send_nothing"):
		out = w.taskEvents(s.before, "send", w.actsIn(receiver, s.before))
	case w.name("deliver"), w.name("deliver_nothing"):
		out = w.receiveEvents(s.after, func(m string) []int { return w.leaving(s, m) })
	case w.name("compute"):
		out = w.taskEvents(s.before, "compute", w.actsIn(receiver, s.before))
	}
	return out
}

// roundEvents is events where a round is one step.
func (w oneWayLegend) roundEvents(s *moment) (out []result.StoryEvent) {
	acts := func(who name) bool {
		if slices.Contains(w.crashing(), who) && s.after.is(w.down(who)) {
			return false
		}
		return s.args.is(w.steps(who))
	}
	down := func(who name) bool {
		return slices.Contains(w.crashing(), who) && s.after.is(w.down(who))
	}
	for _, who := range w.crashing() {
		if down(who) && !s.before.is(w.down(who)) {
			out = append(out, happens("the %s crashes", who))
		}
	}
	if !down(sender) {
		out = append(out, w.senderEvents(s.after, acts(sender))...)
	}
	if !down(receiver) && !acts(receiver) {
		out = append(out, happens("the receiver waits"))
	}
	out = append(out, w.sendEvents(s.after, acts(sender))...)
	out = append(out, w.taskEvents(s.after, "send", acts(receiver))...)
	if acts(receiver) && w.location(s.after.at(w.rpc())).is("receive") {
		out = append(out, w.receiveEvents(s.before, func(m string) []int {
			return w.leaving(s, m)
		})...)
	}
	return append(out, w.taskEvents(s.after, "compute", acts(receiver))...)
}

// actsIn is the value of acts within a round.
func (w oneWayLegend) actsIn(who name, v *view) bool {
	if slices.Contains(w.crashing(), who) && v.is(w.down(who)) {
		return false
	}
	if w.remembers() {
		return v.is(w.acting(who))
	}
	return v.number(w.timer(who)) == 0
}

// location is the task of a location; before the first step it is a task of no kind.
func (w oneWayLegend) location(at name) *task {
	if t := w.alg.taskAt(string(at)); t != nil {
		return t
	}
	return &task{Task: &syntax.Task{}}
}

// senderEvents lists the sender's events once it is decided whether it takes its step. A message is
// told when it is sent.
func (w oneWayLegend) senderEvents(v *view, steps bool) []result.StoryEvent {
	switch {
	case !steps && w.cycle > 0:
		return []result.StoryEvent{passes("the sender sends nothing")}
	case !steps:
		return []result.StoryEvent{happens("the sender waits")}
	case w.cycle > 0:
		return nil
	}
	switch t := w.location(v.at(w.spc())); {
	case t.is("compute"):
		return []result.StoryEvent{happens("the sender computes %s", t.Location.Text)}
	case t.is("receive"):
		return []result.StoryEvent{happens("the sender is at %s", t.Location.Text)}
	}
	return nil
}

// sends is the value of sending.
func (w oneWayLegend) sends(v *view, message string, acts bool) bool {
	if !acts || w.sending(message) == no || w.plan.receiverCrashes && v.is(w.down(receiver)) {
		return false
	}
	if w.cycle > 0 {
		return true
	}
	t := w.location(v.at(w.spc()))
	return t.is("send") && t.Message.Text == message
}

func (w oneWayLegend) sendEvents(v *view, acts bool) (out []result.StoryEvent) {
	for _, m := range w.alg.decl.Messages {
		if w.sends(v, m.Text, acts) {
			out = append(out, passes("the sender sends %s", m.Text))
		}
	}
	return out
}

// taskEvents lists the events of the receiver's tasks that receive nothing.
func (w oneWayLegend) taskEvents(v *view, kind string, acts bool) []result.StoryEvent {
	t := w.location(v.at(w.rpc()))
	switch {
	case !acts || !t.is(kind):
		return nil
	case kind == "send":
		return []result.StoryEvent{passes("the receiver sends %s", t.Message.Text)}
	}
	return []result.StoryEvent{happens("the receiver computes %s", t.Location.Text)}
}

// receiveEvents lists the messages that the receiver receives; left gives the ages of the messages
// that leave the buffer.
func (w oneWayLegend) receiveEvents(
	v *view, left func(message string) []int,
) (out []result.StoryEvent) {
	for _, m := range w.alg.decl.Messages {
		if ages := left(m.Text); len(ages) > 0 {
			out = append(out,
				passes("the receiver receives %s %s", m.Text,
					w.sentWhen(w.alg.limits, w.plan.keepOld, v, ages)))
		}
	}
	if len(out) == 0 {
		return []result.StoryEvent{happens("the receiver receives nothing")}
	}
	return out
}

// ages lists the ages of the messages in transit, in both encodings.
func (w oneWayLegend) ages(v *view, message string) (out []int) {
	if !w.plan.counter {
		for _, t := range v.tuples(w.transit(w.alg, message, "exists_msg")) {
			age, err := strconv.Atoi(t[0])
			*v.missing = *v.missing || err != nil
			out = append(out, age)
		}
		slices.Sort(out)
		return out
	}
	bits, ok := new(big.Int).SetString(v.get(w.transit(w.alg, message, "buffer"),
		result.IntValue).Text, 10)
	if !ok {
		*v.missing = true
		return nil
	}
	for age := range bits.BitLen() {
		if bits.Bit(age) == 1 {
			out = append(out, age)
		}
	}
	return out
}

// older gives the ages one round later; see buffer.
func (w oneWayLegend) older(v *view, ages []int) (out []int) {
	delta := v.number(w.alg.delta)
	for _, age := range ages {
		if age++; !w.plan.keepOld && !w.clockRuns(w.alg.limits, v) {
			age = min(age, delta)
		}
		out = append(out, age)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func without(from, some []int) []int {
	return slices.DeleteFunc(slices.Clone(from), func(x int) bool {
		return slices.Contains(some, x)
	})
}

func (w oneWayLegend) inTransit(s *moment) (out []string) {
	v := s.after
	for _, m := range w.alg.decl.Messages {
		if ages := w.ages(v, m.Text); len(ages) > 0 {
			out = append(out, m.Text+" "+w.sentWhen(w.alg.limits, w.plan.keepOld, v, ages))
		}
	}
	return out
}

func (w oneWayLegend) lanes(*view) []string { return []string{string(sender), string(receiver)} }

func (w oneWayLegend) fallen(s *moment) (out []string) {
	for _, who := range w.crashing() {
		if s.after.is(w.down(who)) && !s.before.is(w.down(who)) {
			out = append(out, string(who))
		}
	}
	return out
}

// message is one message from the sender to the receiver.
func (w oneWayLegend) message(name string, age int, older bool) result.Message {
	return result.Message{Name: name, From: string(sender), To: string(receiver), Age: age,
		Older: older}
}

func (w oneWayLegend) sentIn(s *moment) (out []result.Message) {
	v := s.before
	acts := s.action == w.name("send") && w.actsIn(sender, v)
	if w.plan.bigSteps {
		v = s.after
		acts = s.args.is(w.steps(sender)) &&
			!(slices.Contains(w.crashing(), sender) && v.is(w.down(sender)))
	}
	for _, m := range w.alg.decl.Messages {
		if acts && w.sends(v, m.Text, true) {
			out = append(out, w.message(m.Text, 0, false))
		}
	}
	return out
}

func (w oneWayLegend) receivedIn(s *moment) (out []result.Message) {
	v := s.after
	if w.plan.bigSteps {
		v = s.before
	}
	for _, m := range w.alg.decl.Messages {
		for _, age := range w.leaving(s, m.Text) {
			out = append(out, w.message(m.Text, age,
				!w.exact(w.alg.limits, w.plan.keepOld, v, age)))
		}
	}
	return out
}

// leaving gives the ages of the messages that a step takes from the buffer.
func (w oneWayLegend) leaving(s *moment, message string) []int {
	if !w.plan.bigSteps {
		if s.action != w.name("deliver") && s.action != w.name("deliver_nothing") {
			return nil
		}
		return without(w.ages(s.before, message), w.ages(s.after, message))
	}
	down := func(who name) bool {
		return slices.Contains(w.crashing(), who) && s.after.is(w.down(who))
	}
	if down(receiver) || !s.args.is(w.steps(receiver)) ||
		!w.location(s.after.at(w.rpc())).is("receive") {
		return nil
	}
	transit := w.older(s.before, w.ages(s.before, message))
	if w.sends(s.after, message, !down(sender) && s.args.is(w.steps(sender))) &&
		!slices.Contains(transit, 0) {
		transit = append([]int{0}, transit...)
	}
	return without(transit, w.ages(s.after, message))
}

func (w oneWayLegend) openIn(s *moment) (out []result.Message) {
	v := s.after
	for _, m := range w.alg.decl.Messages {
		for _, age := range w.ages(v, m.Text) {
			out = append(out, w.message(m.Text, age,
				!w.exact(w.alg.limits, w.plan.keepOld, v, age)))
		}
	}
	return out
}
