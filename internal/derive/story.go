package derive

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/result"
)

// legend translates the actions and the variables of a derived system to the algorithm. Each
// derivation has its own. The events of a step depend on the step alone: its action and choices,
// and the states before and after it.
type legend interface {
	// begins reports whether a round begins in a state.
	begins(v *view) bool
	// ends reports whether a step is the last one of a round.
	ends(s *moment) bool
	// events lists the events of a step.
	events(s *moment) []string
	// inTransit lists the messages in transit.
	inTransit(v *view) []string
	// lanes lists the processes.
	lanes(v *view) []string
	// fallen lists the processes that crash in a step.
	fallen(s *moment) []string
	// sentIn and receivedIn list the messages that a step sends and receives.
	sentIn(s *moment) []result.Message
	receivedIn(s *moment) []result.Message
	// openIn lists the messages in transit.
	openIn(v *view) []result.Message
}

// moment is a step of a trace.
type moment struct {
	action        name
	args          *view
	before, after *view
}

// Tell tells a trace of the system; nil where it is not a run from an initial state, or some value
// is unknown. A counterexample to induction is about the derived system and its invariants, so it
// is not told.
func (d *Derived) Tell(t *result.Trace) *result.Story {
	if d.legend == nil || t.Kind == result.ToInduction || len(t.Steps) == 0 {
		return nil
	}
	missing := false
	views := make([]*view, len(t.Steps))
	for i, s := range t.Steps {
		views[i] = newView(&missing, t.Params, s.State)
	}
	if !d.legend.begins(views[0]) {
		return nil
	}
	out := &result.Story{System: d.Name, Variables: d.variables,
		Processes: d.legend.lanes(views[0])}
	round, over := 0, true
	step := func(from, to int, taken result.Step) {
		if over {
			round++
		}
		if over || from == t.Loop {
			out.Segments = append(out.Segments, result.StorySegment{Round: round, From: from})
		}
		part := &out.Segments[len(out.Segments)-1]
		s := &moment{name(taken.Action), newView(&missing, taken.Args), views[from], views[to]}
		part.To = to
		part.Events = append(part.Events, d.legend.events(s)...)
		part.Transit = d.legend.inTransit(s.after)
		part.Crashes = append(part.Crashes, d.legend.fallen(s)...)
		part.Sent = append(part.Sent, d.legend.sentIn(s)...)
		part.Received = append(part.Received, d.legend.receivedIn(s)...)
		part.Open = d.legend.openIn(s.after)
		over = d.legend.ends(s)
	}
	for i := 1; i < len(t.Steps); i++ {
		step(i-1, i, t.Steps[i])
	}
	if t.Loop >= 0 && t.Loop < len(t.Steps) && t.Back.Action != "" {
		step(len(t.Steps)-1, t.Loop, t.Back)
	}
	if missing {
		return nil
	}
	return out
}

func (a *algorithm) variables() (out []string) {
	for _, v := range a.vars {
		out = append(out, v.Name.Text)
	}
	return out
}

// view reads values by the names of the derived system.
type view struct {
	values  map[string]result.Value
	missing *bool // whether a missing value was read
}

func newView(missing *bool, bindings ...[]result.Binding) *view {
	v := &view{map[string]result.Value{}, missing}
	for _, b := range slices.Concat(bindings...) {
		v.values[b.Name] = b.Value
	}
	return v
}

func (v *view) get(n name, kinds ...result.ValueKind) result.Value {
	x := v.values[string(n)]
	if _, ok := v.values[string(n)]; !ok || !slices.Contains(kinds, x.Kind) {
		*v.missing = true
	}
	return x
}

// is reads a relation without arguments.
func (v *view) is(n name) bool { return v.get(n, result.BoolValue).Bool }

// at reads a constant of an enum.
func (v *view) at(n name) name { return name(v.get(n, result.AtomValue).Text) }

// number reads a number, or the constant with this name.
func (v *view) number(n name) int {
	text := string(n)
	if _, err := strconv.Atoi(text); err != nil {
		text = v.get(n, result.IntValue).Text
	}
	i, err := strconv.Atoi(text)
	if err != nil {
		*v.missing = true
	}
	return i
}

// tuples reads a relation with arguments.
func (v *view) tuples(n name) (out [][]string) {
	for _, r := range v.get(n, result.SetValue).Rows {
		out = append(out, texts(r.Key))
	}
	return out
}

func texts(values []result.Value) (out []string) {
	for _, x := range values {
		out = append(out, x.Text)
	}
	return out
}

// has reports whether a relation has a tuple of one element.
func (v *view) has(n name, element string) bool {
	return slices.ContainsFunc(v.tuples(n), func(t []string) bool { return t[0] == element })
}

// clockRuns reports whether delays are not bounded yet in this state.
func (t *template) clockRuns(a *algorithm, v *view) bool {
	return a.gst != "" && v.number(t.name("clock")) < v.number(a.gst)+v.number(a.delta)
}

// ago says when a message of an age was sent. Where one message of age Delta stands for all older
// ones, it may be older.
func (t *template) ago(a *algorithm, exact bool, v *view, age int) string {
	exact = t.exact(a, exact, v, age)
	switch {
	case age == 0 && exact:
		return "in this round"
	case age == 0:
		return "in this round or before"
	case !exact:
		return fmt.Sprintf("%d or more rounds ago", age)
	case age == 1:
		return "1 round ago"
	}
	return fmt.Sprintf("%d rounds ago", age)
}

// exact reports whether a message of an age has that age, and is not older.
func (t *template) exact(a *algorithm, exact bool, v *view, age int) bool {
	return exact || age != v.number(a.delta) || t.clockRuns(a, v)
}

// sentWhen says when messages were sent.
func (t *template) sentWhen(a *algorithm, exact bool, v *view, ages []int) string {
	var out []string
	for _, age := range ages {
		out = append(out, t.ago(a, exact, v, age))
	}
	return "(sent " + strings.Join(out, ", and ") + ")"
}

// begins reports whether a round begins in this state.
func (w *oneWay) begins(v *view) bool {
	return w.plan.bigSteps || v.at(w.epc()) == w.name("SSched")
}

func (w *oneWay) ends(s *moment) bool { return w.plan.bigSteps || s.action == w.name("compute") }

// events lists the events of a step. If the sender's location is not kept, it is only known whether
// the sender sends.
func (w *oneWay) events(s *moment) (out []string) {
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
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
func (w *oneWay) roundEvents(s *moment) (out []string) {
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
			out = append(out, fmt.Sprintf("the %s crashes", who))
		}
	}
	if !down(sender) {
		out = append(out, w.senderEvents(s.after, acts(sender))...)
	}
	if !down(receiver) && !acts(receiver) {
		out = append(out, "the receiver waits")
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
func (w *oneWay) actsIn(who name, v *view) bool {
	if slices.Contains(w.crashing(), who) && v.is(w.down(who)) {
		return false
	}
	if w.remembers() {
		return v.is(w.acting(who))
	}
	return v.number(w.timer(who)) == 0
}

// location is the task of a location; before the first step it is a task of no kind.
func (w *oneWay) location(at name) *task {
	if t := w.alg.taskAt(string(at)); t != nil {
		return t
	}
	return &task{Task: &syntax.Task{}}
}

func (a *algorithm) taskAt(location string) *task {
	if i := a.location(location); i >= 0 {
		return a.tasks[i]
	}
	return nil
}

// senderEvents lists the sender's events once it is decided whether it takes its step. A message is
// told when it is sent.
func (w *oneWay) senderEvents(v *view, steps bool) []string {
	switch {
	case !steps && w.cycle > 0:
		return []string{"the sender sends nothing"}
	case !steps:
		return []string{"the sender waits"}
	case w.cycle > 0:
		return nil
	}
	switch t := w.location(v.at(w.spc())); {
	case t.is("compute"):
		return []string{"the sender computes " + t.Location.Text}
	case t.is("receive"):
		return []string{"the sender is at " + t.Location.Text}
	}
	return nil
}

// sends is the value of sending.
func (w *oneWay) sends(v *view, message string, acts bool) bool {
	if !acts || w.sending(message) == no || w.plan.receiverCrashes && v.is(w.down(receiver)) {
		return false
	}
	if w.cycle > 0 {
		return true
	}
	t := w.location(v.at(w.spc()))
	return t.is("send") && t.Message.Text == message
}

func (w *oneWay) sendEvents(v *view, acts bool) (out []string) {
	for _, m := range w.alg.decl.Messages {
		if w.sends(v, m.Text, acts) {
			out = append(out, "the sender sends "+m.Text)
		}
	}
	return out
}

// taskEvents lists the events of the receiver's tasks that receive nothing.
func (w *oneWay) taskEvents(v *view, kind string, acts bool) []string {
	t := w.location(v.at(w.rpc()))
	switch {
	case !acts || !t.is(kind):
		return nil
	case kind == "send":
		return []string{"the receiver sends " + t.Message.Text}
	}
	return []string{"the receiver computes " + t.Location.Text}
}

// receiveEvents lists the messages that the receiver receives; left gives the ages of the messages
// that leave the buffer.
func (w *oneWay) receiveEvents(v *view, left func(message string) []int) (out []string) {
	for _, m := range w.alg.decl.Messages {
		if ages := left(m.Text); len(ages) > 0 {
			out = append(out,
				fmt.Sprintf("the receiver receives %s %s", m.Text,
					w.sentWhen(w.alg, w.plan.keepOld, v, ages)))
		}
	}
	if len(out) == 0 {
		return []string{"the receiver receives nothing"}
	}
	return out
}

// ages lists the ages of the messages in transit, in both encodings.
func (w *oneWay) ages(v *view, message string) (out []int) {
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
func (w *oneWay) older(v *view, ages []int) (out []int) {
	delta := v.number(w.alg.delta)
	for _, age := range ages {
		if age++; !w.plan.keepOld && !w.clockRuns(w.alg, v) {
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

func (w *oneWay) inTransit(v *view) (out []string) {
	for _, m := range w.alg.decl.Messages {
		if ages := w.ages(v, m.Text); len(ages) > 0 {
			out = append(out, m.Text+" "+w.sentWhen(w.alg, w.plan.keepOld, v, ages))
		}
	}
	return out
}

func (w *oneWay) lanes(*view) []string { return []string{string(sender), string(receiver)} }

func (w *oneWay) fallen(s *moment) (out []string) {
	for _, who := range w.crashing() {
		if s.after.is(w.down(who)) && !s.before.is(w.down(who)) {
			out = append(out, string(who))
		}
	}
	return out
}

// message is one message from the sender to the receiver.
func (w *oneWay) message(name string, age int, older bool) result.Message {
	return result.Message{Name: name, From: string(sender), To: string(receiver), Age: age,
		Older: older}
}

func (w *oneWay) sentIn(s *moment) (out []result.Message) {
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

func (w *oneWay) receivedIn(s *moment) (out []result.Message) {
	v := s.after
	if w.plan.bigSteps {
		v = s.before
	}
	for _, m := range w.alg.decl.Messages {
		for _, age := range w.leaving(s, m.Text) {
			out = append(out, w.message(m.Text, age, !w.exact(w.alg, w.plan.keepOld, v, age)))
		}
	}
	return out
}

// leaving gives the ages of the messages that a step takes from the buffer.
func (w *oneWay) leaving(s *moment, message string) []int {
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

func (w *oneWay) openIn(v *view) (out []result.Message) {
	for _, m := range w.alg.decl.Messages {
		for _, age := range w.ages(v, m.Text) {
			out = append(out, w.message(m.Text, age, !w.exact(w.alg, w.plan.keepOld, v, age)))
		}
	}
	return out
}

// begins reports whether a round begins in this state.
func (w *processes) begins(v *view) bool { return v.at(w.epc()) == w.name("Schedule") }

func (w *processes) ends(s *moment) bool { return s.action == w.name("computing") }

func (w *processes) events(s *moment) (out []string) {
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	active := func(v *view, p string) bool { return v.has(w.active(), p) }
	if s.action == w.name("schedule") {
		for _, p := range w.all(s.before) {
			switch down := s.after.has(crashedWord, p); {
			case down && !s.before.has(crashedWord, p):
				say("%s crashes", p)
			case !down && !active(s.after, p):
				say("%s waits", p)
			}
		}
		return out
	}
	for _, r := range s.before.get(w.name("pc"), result.MapValue).Rows {
		p, t := r.Key[0].Text, w.alg.taskAt(r.Result.Text)
		switch {
		case t == nil:
			*s.before.missing = true
		case !active(s.before, p):
		case s.action == w.name("sending") && t.is("send"):
			say("%s sends %s", p, t.Message.Text)
		case s.action == w.name("receiving") && t.is("receive"):
			out = append(out, w.receiveEvents(s, p)...)
		case s.action == w.name("computing") && t.is("compute"):
			say("%s computes %s", p, t.Location.Text)
		}
	}
	return out
}

func (w *processes) all(v *view) (out []string) {
	for _, r := range v.get(w.name("pc"), result.MapValue).Rows {
		out = append(out, r.Key[0].Text)
	}
	return out
}

// receiveEvents lists the messages that a process receives.
func (w *processes) receiveEvents(s *moment, p string) (out []string) {
	for _, m := range w.alg.decl.Messages {
		for _, q := range w.all(s.before) {
			before, after := w.messages(s.before, m.Text, q, p), w.messages(s.after, m.Text, q, p)
			if text := w.describeMessages(s.before, m.Text+" from "+q,
				without(before.ages, after.ages), before.copies-after.copies); text != "" {
				out = append(out, p+" receives "+text)
			}
		}
	}
	if len(out) == 0 {
		return []string{p + " receives nothing"}
	}
	return out
}

// messages are the messages of a kind in transit from one process to another: their ages, or,
// without ages, their number.
func (w *processes) messages(v *view, message, from, to string) (out struct {
	ages   []int
	copies int
}) {
	r := w.relation(message)
	if w.alg.copies != "" {
		for _, row := range v.get(r, result.MapValue).Rows {
			if row.Key[0].Text == from && row.Key[1].Text == to {
				n, err := strconv.Atoi(row.Result.Text)
				*v.missing = *v.missing || err != nil
				out.copies = n
			}
		}
		return out
	}
	for _, t := range v.tuples(r) {
		switch {
		case t[0] != from || t[1] != to:
		case !w.timed():
			out.copies = 1
		default:
			age, err := strconv.Atoi(t[2])
			*v.missing = *v.missing || err != nil
			out.ages = append(out.ages, age)
		}
	}
	slices.Sort(out.ages)
	return out
}

// describeMessages describes messages by kind, ages and number, empty if there are none.
func (w *processes) describeMessages(v *view, what string, ages []int, copies int) string {
	switch {
	case len(ages) > 0:
		return what + " " + w.sentWhen(w.alg, false, v, ages)
	case copies > 1:
		return fmt.Sprintf("%d copies of %s", copies, what)
	case copies == 1:
		return what
	}
	return ""
}

func (w *processes) inTransit(v *view) (out []string) {
	for _, m := range w.alg.decl.Messages {
		for _, from := range w.all(v) {
			for _, to := range w.all(v) {
				here := w.messages(v, m.Text, from, to)
				if text := w.describeMessages(v, m.Text+" from "+from+" to "+to, here.ages,
					here.copies); text != "" {
					out = append(out, text)
				}
			}
		}
	}
	return out
}

func (w *processes) lanes(v *view) []string { return w.all(v) }

func (w *processes) fallen(s *moment) (out []string) {
	if s.action != w.name("schedule") {
		return nil
	}
	for _, p := range w.all(s.before) {
		if s.after.has(crashedWord, p) && !s.before.has(crashedWord, p) {
			out = append(out, p)
		}
	}
	return out
}

func (w *processes) sentIn(s *moment) []result.Message {
	if s.action != w.name("sending") {
		return nil
	}
	return w.added(s.before, s.after)
}

func (w *processes) receivedIn(s *moment) []result.Message {
	if s.action != w.name("receiving") {
		return nil
	}
	return w.added(s.after, s.before)
}

func (w *processes) openIn(v *view) []result.Message { return w.added(nil, v) }

// added lists the messages in transit in one state and not in another; nil stands for no messages.
func (w *processes) added(before, after *view) (out []result.Message) {
	for _, m := range w.alg.decl.Messages {
		for _, from := range w.all(after) {
			for _, to := range w.all(after) {
				now := w.messages(after, m.Text, from, to)
				if before != nil {
					then := w.messages(before, m.Text, from, to)
					now.ages, now.copies = without(now.ages, then.ages), now.copies-then.copies
				}
				for _, age := range now.ages {
					out = append(out,
						result.Message{Name: m.Text, From: from, To: to, Age: age,
							Older: !w.exact(w.alg, false, after, age)})
				}
				for range now.copies {
					out = append(out, result.Message{Name: m.Text, From: from, To: to, Age: -1})
				}
			}
		}
	}
	return out
}
