package derive

// buffer is an encoding of the messages in transit from the sender to the receiver. Its methods
// write statements.
type buffer interface {
	declare()
	// age makes all messages a round older.
	age(indent name)
	add(indent name, message string)
	// deliver removes some messages, at least one, and all that must arrive. If there are several
	// messages, a variable got(m) for each says whether it has arrived.
	deliver(indent name)
	// mayWait is the condition that no message must arrive now.
	mayWait() expr
	// clear removes all messages.
	clear(indent name)
	// deliverAny is deliver, but possibly without any message: it always sets a variable got(m) for
	// each message.
	deliverAny(indent name)
}

func newBuffer(t *template, a *algorithm, p plan) buffer {
	c := channel{t, a, p.keepOld}
	if p.counter {
		return &counter{c}
	}
	return &predicate{c, p.bigSteps}
}

// channel is the common part of the encodings.
//
// A message that is sent in a round s arrives at the latest at the first receive in or after the
// round max(s, Gst + 1) + Delta. So it must arrive when it is at least Delta old and Gst + Delta
// rounds are over. From then on one message of age Delta stands for all older ones (section 7.2.3),
// since all of them arrive at the next receive. Before, they may arrive one by one, so their ages
// are exact.
type channel struct {
	*template
	alg     *algorithm
	keepOld bool // ages are always exact
}

// transit names the symbol for the messages of a kind in transit.
func (t *template) transit(a *algorithm, message, one string) name {
	if len(a.decl.Messages) == 1 {
		return t.name(one)
	}
	return t.name(one + "_" + message)
}

func (c channel) transit(message, one string) name {
	return c.template.transit(c.alg, message, one)
}

// got is the variable that is true when a message has been received in this step.
func (t *template) got(message string) name { return t.name("got_" + message) }

// oldest is the greatest age. It also bounds ages that are always exact: once the bounds hold, a
// message of age Delta is delivered at the next receive, which comes after at most one cycle.
func (t *template) oldest(a *algorithm, keepOld bool) expr {
	age := expr(a.delta)
	if a.gst != "" {
		age = exprOf("%s + %s", a.gst, a.delta)
	}
	if keepOld {
		age = exprOf("%s + %s * %s", age, number(len(a.tasks)), a.phi)
	}
	return age
}

// delayed is the condition that delays are not bounded yet; false when they always are.
func (t *template) delayed(a limits) expr {
	if a.gst == "" {
		return no
	}
	return exprOf("%s < %s + %s", t.name("clock"), a.gst, a.delta)
}

// unless is the condition that must hold once delays are bounded.
func (c channel) unless(cond expr) expr { return either(c.delayed(c.alg.limits), cond) }

// either is a | b, where a may be known to be false.
func either(a, b expr) expr {
	if a == no {
		return b
	}
	return disjunction(a, b)
}

// predicate is the encoding of section 7.2.1: a relation over the ages of messages.
type predicate struct {
	channel
	bigSteps bool
}

func (b *predicate) relation(message string) name { return b.transit(message, "exists_msg") }

// arriving names the messages that are delivered in this round, where a round is one step. Between
// rounds it is empty.
func (b *predicate) arriving(message string) name { return b.transit(message, "arrives") }

func (b *predicate) declare() {
	k := b.name("K")
	b.line("type %s = 0..%s", b.name("age"), b.oldest(b.alg, b.keepOld))
	for _, m := range b.alg.decl.Messages {
		r := b.relation(m.Text)
		b.line("mutable relation %s(%s)", r, b.name("age"))
		b.line("init !%s(%s)", r, k)
		if b.keepOld {
			// Ageing would lose such a message.
			lost := exprOf("!%s(%s)", r, b.oldest(b.alg, true))
			if !b.bigSteps {
				lost = exprOf("%s = %s -> %s", b.name("epc"), b.name("IncMsgAge"), lost)
			}
			b.line("safety [%s] %s", b.name(string(r)+"_is_exact"), lost)
		}
		if b.bigSteps {
			arrives := b.arriving(m.Text)
			b.line("mutable relation %s(%s)", arrives, b.name("age"))
			b.line("init !%s(%s)", arrives, k)
			b.line("invariant [%s] !%s(%s)", b.name(string(arrives)+"_is_empty"), arrives, k)
		}
	}
}

func (b *predicate) age(indent name) {
	for _, m := range b.alg.decl.Messages {
		b.grow(indent, b.relation(m.Text), b.keepOld)
	}
}

func (b *predicate) grow(indent, r name, exact bool) {
	k, old := b.name("K"), b.alg.delta
	switch {
	case exact:
		b.line("%s%s(%s) := %s > 0 & %s(%s - 1);", indent, r, k, k, r, k)
	case b.alg.gst != "":
		b.line("%sif %s {", indent, b.delayed(b.alg.limits))
		b.grow(indent+"  ", r, true)
		b.line("%s} else {", indent)
		b.line("%s  %s(%s) := %s;", indent, r, k, b.merged(b.alg, func(age part) expr {
			return exprOf("%s(%s)", r, age)
		}))
		b.line("%s}", indent)
	default:
		b.line("%sif %s > 0 {", indent, old)
		b.line("%s  %s(%s) := %s > 0 & (%s(%s - 1) | %s = %s & %s(%s));", indent, r, k, k, r, k, k,
			old, r, old)
		b.line("%s}", indent)
	}
}

// merged is the condition that a message of age K is in transit after one round, when messages
// older than Delta count as age Delta.
func (t *template) merged(a *algorithm, transit func(age part) expr) expr {
	k, j := t.name("K"), t.name("J")
	return exprOf("if %s = %s then %s else %s", k, a.delta,
		exprOf("exists %s: %s. %s + 1 >= %s & %s", j, t.name("age"), j, a.delta, transit(j)),
		exprOf("%s > 0 & %s < %s & %s", k, k, a.delta, transit(exprOf("%s - 1", k))))
}

func (b *predicate) add(indent name, message string) {
	b.line("%s%s(0) := true;", indent, b.relation(message))
}

// mustArrive is the condition that a message must arrive now, if delays are bounded; all messages
// of its age then arrive.
func (b *predicate) mustArrive(message string) (cond expr, age name) {
	if !b.keepOld {
		return exprOf("%s(%s)", b.relation(message), b.alg.delta), b.alg.delta
	}
	k := b.name("K")
	return exprOf("%s >= %s & %s(%s)", k, b.alg.delta, b.relation(message), k), k
}

func (b *predicate) deliver(indent name) {
	k := b.name("K")
	for _, m := range b.alg.decl.Messages {
		r := b.relation(m.Text)
		must, _ := b.mustArrive(m.Text)
		b.line("%s%s := *;", indent, r)
		b.line("%sassume %s(%s) -> old(%s(%s));", indent, r, k, r, k)
		b.line("%sassume %s;", indent, b.unless(exprOf("!%s", must)))
	}
	var some []expr
	for _, m := range b.alg.decl.Messages {
		r := b.relation(m.Text)
		arrived := exprOf("exists %s: %s. old(%s(%s)) & !%s(%s)", k, b.name("age"), r, k, r, k)
		if len(b.alg.decl.Messages) > 1 {
			b.line("%slet %s = %s;", indent, b.got(m.Text), arrived)
			arrived = expr(b.got(m.Text))
		}
		some = append(some, arrived)
	}
	b.line("%sassume %s;", indent, joined(some, " | ", no))
}

func (b *predicate) deliverAny(indent name) {
	k := b.name("K")
	for _, m := range b.alg.decl.Messages {
		r, arrives := b.relation(m.Text), b.arriving(m.Text)
		must, age := b.mustArrive(m.Text)
		b.line("%s%s := *;", indent, arrives)
		b.line("%sassume %s(%s) -> %s(%s);", indent, arrives, k, r, k)
		b.line("%sassume %s;", indent, b.unless(exprOf("%s -> %s(%s)", must, arrives, age)))
		b.line("%slet %s = (exists %s: %s. %s(%s));", indent, b.got(m.Text), k, b.name("age"),
			arrives, k)
		b.line("%s%s(%s) := %s(%s) & !%s(%s);", indent, r, k, r, k, arrives, k)
		b.line("%s%s(%s) := false;", indent, arrives, k)
	}
}

func (b *predicate) mayWait() expr {
	var waits []expr
	for _, m := range b.alg.decl.Messages {
		must, _ := b.mustArrive(m.Text)
		none := exprOf("!%s", must)
		if b.keepOld {
			none = exprOf("forall %s: %s. %s", b.name("K"), b.name("age"), none)
		}
		waits = append(waits, none)
	}
	return b.unless(conjunction(waits...))
}

func (b *predicate) clear(indent name) {
	for _, m := range b.alg.decl.Messages {
		b.line("%s%s(%s) := false;", indent, b.relation(m.Text), b.name("K"))
	}
}

// counter is the encoding of section 7.2.2: bit k of a number says whether a message of age k is in
// transit. Without a stabilisation time it has the abstraction of old messages of Fig. 5.
type counter struct{ channel }

func (b *counter) number(message string) name { return b.transit(message, "buffer") }

func (b *counter) weight() name { return b.name("weight") }

// late is the weight of the bit of messages that are Delta old.
func (b *counter) late() expr { return exprOf("%s(%s)", b.weight(), b.alg.delta) }

func (b *counter) declare() {
	age, oldest, bit, k := b.name("age"), b.name("oldest"), b.name("bit"), b.name("K")
	w, n, m, h := b.name("w"), b.name("n"), b.name("m"), b.name("H")
	b.line("type %s = 0..%s", age, b.oldest(b.alg, b.keepOld))
	b.line("immutable constant %s: int", oldest)
	b.line("immutable function %s(%s): int", b.weight(), age)
	b.line("axiom %s(0) = 1", b.weight())
	b.line("axiom forall %s: %s. %s > 0 -> %s(%s) = 2 * %s(%s - 1)", k, age, k, b.weight(), k,
		b.weight(), k)
	b.line("axiom %s = %s(%s)", oldest, b.weight(), b.oldest(b.alg, b.keepOld))
	b.line("definition %s(%s: int, %s: int) = exists %s: 0..%s. 2 * %s * %s + %s <= %s & %s < 2 "+
		"* %s * %s + 2 * %s",
		bit, w, n, h, oldest, w, h, w, n, n, w, h, w)
	b.line("definition %s(%s: int, %s: int) = forall %s: %s. %s(%s(%s), %s) -> %s(%s(%s), %s)",
		b.name("part_of"), m, n, k, age, bit, b.weight(), k, m, bit, b.weight(), k, n)
	for _, m := range b.alg.decl.Messages {
		b.line("mutable constant %s: 0..2 * %s - 1", b.number(m.Text), oldest)
		b.line("init %s = 0", b.number(m.Text))
	}
}

func (b *counter) age(indent name) {
	for _, m := range b.alg.decl.Messages {
		n, oldest := b.number(m.Text), b.name("oldest")
		switch {
		case b.keepOld: // a lost message leaves the range of the number
			b.line("%s%s := 2 * %s;", indent, n, n)
		case b.alg.gst != "":
			b.line("%sif %s {", indent, b.delayed(b.alg.limits))
			b.line("%s  %s := 2 * %s;", indent, n, n)
			b.line("%s} else {", indent)
			b.mergeOld(indent+"  ", m.Text)
			b.line("%s}", indent)
		default:
			b.line("%sif %s > 0 {", indent, b.alg.delta)
			b.line("%s  if %s < %s {", indent, n, oldest)
			b.line("%s    %s := 2 * %s;", indent, n, n)
			b.line("%s  } else if 2 * %s >= 3 * %s {", indent, n, oldest)
			b.line("%s    %s := 2 * %s - 2 * %s;", indent, n, n, oldest)
			b.line("%s  } else {", indent)
			b.line("%s    %s := 2 * %s - 2 * %s + %s;", indent, n, n, oldest, oldest)
			b.line("%s  }", indent)
			b.line("%s}", indent)
		}
	}
}

// mergeOld ages messages, and merges the ones older than Delta. The bits young are the messages
// that are younger than Delta after this round, at their present ages.
func (b *counter) mergeOld(indent name, message string) {
	n, oldest, young, h := b.number(message), b.name("oldest"), b.name("young_"+message),
		b.name("H")
	b.line("%schoose %s: 0..%s with 2 * %s < %s & (exists %s: 0..4 * %s. 2 * %s = %s * %s + 2 * "+
		"%s);",
		indent, young, oldest, young, b.late(), h, oldest, n, h, b.late(), young)
	b.line("%s%s := 2 * %s + (if 2 * %s >= %s then %s else 0);", indent, n, young, n, b.late(),
		b.late())
}

func (b *counter) add(indent name, message string) {
	n := b.number(message)
	b.line("%s%s := if %s(1, %s) then %s else %s + 1;", indent, n, b.name("bit"), n, n, n)
}

func (b *counter) deliver(indent name) {
	b.deliverAny(indent)
	var some []expr
	for _, m := range b.alg.decl.Messages {
		some = append(some, expr(b.got(m.Text)))
	}
	b.line("%sassume %s;", indent, joined(some, " | ", no))
}

func (b *counter) deliverAny(indent name) {
	for _, m := range b.alg.decl.Messages {
		n, before, kept := b.number(m.Text), b.name("before_"+m.Text), b.name("kept_"+m.Text)
		b.line("%slet %s = %s;", indent, before, n)
		b.line("%schoose %s: 0..2 * %s - 1 with %s <= %s & %s(%s, %s) & %s;", indent, kept,
			b.name("oldest"), kept, n,
			b.name("part_of"), kept, n, b.unless(exprOf("%s < %s", kept, b.late())))
		b.line("%s%s := %s;", indent, n, kept)
		b.line("%slet %s = %s < %s;", indent, b.got(m.Text), kept, before)
	}
}

func (b *counter) mayWait() expr {
	var waits []expr
	for _, m := range b.alg.decl.Messages {
		waits = append(waits, exprOf("%s < %s", b.number(m.Text), b.late()))
	}
	return b.unless(conjunction(waits...))
}

func (b *counter) clear(indent name) {
	for _, m := range b.alg.decl.Messages {
		b.line("%s%s := 0;", indent, b.number(m.Text))
	}
}
