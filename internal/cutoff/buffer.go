package cutoff

import (
	"fmt"
	"strings"
)

// buffer is an encoding of the messages in transit from the sender to the receiver. Its methods write statements.
type buffer interface {
	declare()
	// age makes all messages a round older.
	age(indent string)
	add(indent, message string)
	// deliver removes some messages, at least one, and all that must arrive. Where there are several messages it says with
	// a variable got_m for each which have arrived.
	deliver(indent string)
	// mayWait is the condition that no message must arrive now.
	mayWait() string
	// clear removes all.
	clear(indent string)
	// deliverAny is deliver where perhaps nothing arrives: it always has a variable got_m for each message.
	deliverAny(indent string)
}

func newBuffer(t *template, a *algorithm, p plan) buffer {
	if p.counter {
		return &counter{t, a}
	}
	return &predicate{t, a, p.keepOld, p.bigSteps}
}

// transit names what holds the messages of a kind in transit.
func (a *algorithm) transit(message, one string) string {
	if len(a.decl.Messages) == 1 {
		return one
	}
	return one + "_" + message
}

// predicate is the encoding of section 7.2.1: is there a message of this age? With the abstraction of section 7.2.3, which
// keeps one message that is Delta old for all that are older.
type predicate struct {
	*template
	alg      *algorithm
	keepOld  bool
	bigSteps bool
}

func (b *predicate) relation(message string) string { return b.alg.transit(message, "exists_msg") }

// oldest is the greatest age. Without the abstraction it is exact: once the bounds hold, a message that is Delta old is
// delivered at the next receive, which comes after at most one cycle.
func (b *predicate) oldest() string {
	if !b.keepOld {
		return b.alg.delta
	}
	age := fmt.Sprintf("%s + %d * %s", b.alg.delta, len(b.alg.tasks), b.alg.phi)
	if b.alg.gst != "" {
		age += " + " + b.alg.gst
	}
	return age
}

func (b *predicate) declare() {
	b.line("type age = 0..%s", b.oldest())
	for _, m := range b.alg.decl.Messages {
		b.line("mutable relation %s(age)", b.relation(m.Text))
		b.line("init !%s(K)", b.relation(m.Text))
		if b.keepOld {
			// Growing older would lose such a message.
			start := "epc = IncMsgAge -> "
			if b.bigSteps {
				start = ""
			}
			b.line("safety [%s_is_exact] %s!%s(%s)", b.relation(m.Text), start, b.relation(m.Text), b.oldest())
		}
		if b.bigSteps {
			b.line("mutable relation %s(age)", b.arriving(m.Text))
			b.line("init !%s(K)", b.arriving(m.Text))
			b.line("invariant [%s_is_empty] !%s(K)", b.arriving(m.Text), b.arriving(m.Text))
		}
	}
}

func (b *predicate) age(indent string) {
	for _, m := range b.alg.decl.Messages {
		r := b.relation(m.Text)
		if b.keepOld {
			b.line("%s%s(K) := K > 0 & %s(K - 1);", indent, r, r)
			continue
		}
		b.line("%sif %s > 0 {", indent, b.alg.delta)
		b.line("%s  %s(K) := K > 0 & (%s(K - 1) | K = %s & %s(%s));", indent, r, r, b.alg.delta, r, b.alg.delta)
		b.line("%s}", indent)
	}
}

func (b *predicate) add(indent, message string) {
	b.line("%s%s(0) := true;", indent, b.relation(message))
}

// mustArrive is the condition that a message of this age must arrive now.
func (b *predicate) mustArrive(message, age string) string {
	return fmt.Sprintf("%s >= %s & %s(%s)", age, b.alg.delta, b.relation(message), age)
}

func (b *predicate) remove(indent string) {
	for _, m := range b.alg.decl.Messages {
		r := b.relation(m.Text)
		b.line("%s%s := *;", indent, r)
		b.line("%sassume %s(K) -> old(%s(K));", indent, r, r)
		if b.keepOld {
			b.line("%sassume %s!(%s);", indent, b.alg.unbounded(), b.mustArrive(m.Text, "K"))
		} else {
			b.line("%sassume %s!%s(%s);", indent, b.alg.unbounded(), r, b.alg.delta)
		}
	}
}

func (b *predicate) arrived(message string) string {
	r := b.relation(message)
	return fmt.Sprintf("(exists K: age. old(%s(K)) & !%s(K))", r, r)
}

func (b *predicate) deliver(indent string) {
	b.remove(indent)
	var some []string
	for _, m := range b.alg.decl.Messages {
		if len(b.alg.decl.Messages) == 1 {
			some = append(some, b.arrived(m.Text))
			continue
		}
		b.line("%slet %s = %s;", indent, got(m.Text), b.arrived(m.Text))
		some = append(some, got(m.Text))
	}
	b.line("%sassume %s;", indent, strings.Join(some, " | "))
}

// arriving names what is delivered in this round, where a round is one step. Between rounds it is empty.
func (b *predicate) arriving(message string) string { return b.alg.transit(message, "arrives") }

func (b *predicate) deliverAny(indent string) {
	for _, m := range b.alg.decl.Messages {
		r, arrives := b.relation(m.Text), b.arriving(m.Text)
		b.line("%s%s := *;", indent, arrives)
		b.line("%sassume %s(K) -> %s(K);", indent, arrives, r)
		if b.keepOld {
			b.line("%sassume %s(%s -> %s(K));", indent, b.alg.unbounded(), b.mustArrive(m.Text, "K"), arrives)
		} else {
			b.line("%sassume %s(%s(%s) -> %s(%s));", indent, b.alg.unbounded(), r, b.alg.delta, arrives, b.alg.delta)
		}
		b.line("%slet %s = (exists K: age. %s(K));", indent, got(m.Text), arrives)
		b.line("%s%s(K) := %s(K) & !%s(K);", indent, r, r, arrives)
		b.line("%s%s(K) := false;", indent, arrives)
	}
}

func (b *predicate) mayWait() string {
	var parts []string
	for _, m := range b.alg.decl.Messages {
		if b.keepOld {
			parts = append(parts, fmt.Sprintf("(forall K: age. !(%s))", b.mustArrive(m.Text, "K")))
		} else {
			parts = append(parts, fmt.Sprintf("!%s(%s)", b.relation(m.Text), b.alg.delta))
		}
	}
	return b.alg.unboundedOr(strings.Join(parts, " & "))
}

// unboundedOr is the condition, once the bounds hold.
func (a *algorithm) unboundedOr(cond string) string {
	if a.gst == "" {
		return cond
	}
	return a.unbounded() + "(" + cond + ")"
}

func (b *predicate) clear(indent string) {
	for _, m := range b.alg.decl.Messages {
		b.line("%s%s(K) := false;", indent, b.relation(m.Text))
	}
}

// counter is the encoding of section 7.2.2, with the abstraction of old messages (Fig. 5): bit k says whether a message of
// age k is in transit; oldest is the weight of the bit of those that are Delta old.
type counter struct {
	*template
	alg *algorithm
}

func (b *counter) number(message string) string { return b.alg.transit(message, "buffer") }

func (b *counter) declare() {
	b.line("type age = 0..%s", b.alg.delta)
	b.line("immutable constant oldest: int")
	b.line("immutable function weight(age): int")
	b.line("axiom weight(0) = 1")
	b.line("axiom forall K: age. K > 0 -> weight(K) = 2 * weight(K - 1)")
	b.line("axiom oldest = weight(%s)", b.alg.delta)
	b.line("definition bit(w__: int, n__: int) = exists H__: 0..oldest. 2 * w__ * H__ + w__ <= n__ & n__ < 2 * w__ * H__ + 2 * w__")
	b.line("definition part_of(m__: int, n__: int) = forall K__: age. bit(weight(K__), m__) -> bit(weight(K__), n__)")
	for _, m := range b.alg.decl.Messages {
		b.line("mutable constant %s: 0..2 * oldest - 1", b.number(m.Text))
		b.line("init %s = 0", b.number(m.Text))
	}
}

func (b *counter) age(indent string) {
	b.line("%sif %s > 0 {", indent, b.alg.delta)
	for _, m := range b.alg.decl.Messages {
		n := b.number(m.Text)
		b.line("%s  if %s < oldest {", indent, n)
		b.line("%s    %s := 2 * %s;", indent, n, n)
		b.line("%s  } else if 2 * %s >= 3 * oldest {", indent, n)
		b.line("%s    %s := 2 * %s - 2 * oldest;", indent, n, n)
		b.line("%s  } else {", indent)
		b.line("%s    %s := 2 * %s - 2 * oldest + oldest;", indent, n, n)
		b.line("%s  }", indent)
	}
	b.line("%s}", indent)
}

func (b *counter) add(indent, message string) {
	n := b.number(message)
	b.line("%s%s := if bit(1, %s) then %s else %s + 1;", indent, n, n, n, n)
}

func (b *counter) remove(indent string) {
	for _, m := range b.alg.decl.Messages {
		n := b.number(m.Text)
		b.line("%slet before_%s = %s;", indent, m.Text, n)
		b.line("%schoose kept_%s: 0..2 * oldest - 1 with kept_%s <= %s & part_of(kept_%s, %s) & (%skept_%s < oldest);", indent, m.Text, m.Text, n, m.Text, n,
			b.alg.unbounded(), m.Text)
		b.line("%s%s := kept_%s;", indent, n, m.Text)
	}
}

func (b *counter) deliver(indent string) {
	b.deliverAny(indent)
	var some []string
	for _, m := range b.alg.decl.Messages {
		some = append(some, got(m.Text))
	}
	b.line("%sassume %s;", indent, strings.Join(some, " | "))
}

func (b *counter) deliverAny(indent string) {
	b.remove(indent)
	for _, m := range b.alg.decl.Messages {
		b.line("%slet %s = kept_%s < before_%s;", indent, got(m.Text), m.Text, m.Text)
	}
}

func (b *counter) mayWait() string {
	var parts []string
	for _, m := range b.alg.decl.Messages {
		parts = append(parts, b.number(m.Text)+" < oldest")
	}
	return b.alg.unboundedOr(strings.Join(parts, " & "))
}

func (b *counter) clear(indent string) {
	for _, m := range b.alg.decl.Messages {
		b.line("%s%s := 0;", indent, b.number(m.Text))
	}
}
