package tlatest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Sent is the model of a seed in which processes send messages: functions of processes, records,
// sequences and a set of messages, from which actions choose. Its actions begin with tests, and
// change elements.
func Sent(seed uint64) Model {
	g := generator{rand.New(rand.NewPCG(seed, 23)), new(int)}
	return sent{g}.model()
}

// sent writes models over the variables st (records with the fields s and v of processes), msgs (a
// set of records), q (sequences of numbers, of pairs of processes) and k (0..2).
type sent struct{ generator }

// number is a number, where p, and m with the word m in scope, are bound.
func (g sent) number(scope string) string {
	xs := []string{"0", "1", "2", "st[p].v", "k", "st[p].s", "(Cardinality(msgs) % 3)",
		"st[Other(p)].v", "Len(q[p][Other(p)])", "(Total(msgs) % 3)", "(Above(k, p) % 3)",
		"(LET V == CHOOSE V \\in Proc : st[V].v = k IN Above(V, p) % 3)"}
	if strings.Contains(scope, "m") {
		xs = append(xs, "m.v", "m.v", "st[m.from].v")
	}
	return g.oneOf(xs...)
}

// test is a formula about a state.
func (g sent) test(scope string, d int) string {
	n := func() string { return g.number(scope) }
	if d > 0 && g.IntN(3) == 0 {
		return "(" + g.test(scope, d-1) + g.oneOf(` /\ `, ` \/ `, ` => `) + g.test(scope, d-1) + ")"
	}
	xs := []string{"st[p].s = " + n(), "k < 2", "q[p][Other(p)] # <<>>",
		`[type |-> "a", from |-> p, v |-> ` + n() + `] \in msgs`,
		`(\E V \in msgs : V.type = "b" /\ V.v = ` + n() + ")",
		`~(\E V \in msgs : V.from = p /\ V.v < ` + n() + ")",
		`(\A V \in msgs : V.type = "a" \/ V.v = ` + n() + ")",
		`Cardinality({V \in msgs : V.from = p}) < 2`,
		`(\A V \in Proc : [type |-> "b", from |-> V, v |-> 1] \in msgs)`,
		`{V.v : V \in msgs} \subseteq 0..` + n(), "p # 1", n() + " <= " + n()}
	if strings.Contains(scope, "m") {
		xs = append(xs, `m.type = "a"`, `m.from # p`, "m.v = "+n(), "(m.w = 1 \\/ TRUE)")
	}
	return g.oneOf(xs...)
}

func (g sent) message(scope string) string {
	return `[type |-> ` + g.oneOf(`"a"`, `"b"`) + `, from |-> ` + g.oneOf("p", "Other(p)") +
		`, v |-> ` + g.number(scope) + " % 3]"
}

// update gives all variables values.
func (g sent) update(scope string) string {
	n := func() string { return "(" + g.number(scope) + ") % 3" }
	parts := []string{
		g.oneOf("UNCHANGED st", "st' = [st EXCEPT ![p].s = "+n()+"]",
			"st' = [st EXCEPT ![p].v = "+n()+", ![p].s = @ + 0]",
			"st' = [st EXCEPT ![p] = [s |-> "+n()+", v |-> @.v]]",
			"st' = [st EXCEPT ![Other(p)].v = "+n()+", ![p].s = "+n()+"]",
			"st' = [st EXCEPT ![4].s = 1, ![p].v = "+n()+"]"),
		g.oneOf("UNCHANGED msgs", `msgs' = msgs \cup {`+g.message(scope)+`}`,
			`msgs' = msgs \cup {`+g.message(scope)+`, `+g.message(scope)+`}`,
			`msgs' = msgs \ {`+g.message(scope)+`}`, `msgs' = msgs \ Nat`,
			`msgs' = {V \in msgs : V.v # `+n()+`}`, `Send(`+g.message(scope)+`)`),
		g.oneOf("UNCHANGED q", "q' = [q EXCEPT ![p][Other(p)] = SubSeq(Append(@, "+n()+"), 1, 1)]",
			"q' = [q EXCEPT ![Other(p)][p] = <<>>]",
			"q' = [q EXCEPT ![p] = [V \\in Proc |-> <<>>]]",
			"q' = [q EXCEPT ![p][Other(p)] = <<>>, ![Other(p)][p] = <<"+n()+">>]"),
		g.oneOf("k' = k", "k' = "+n(), `k' \in {k, `+n()+`}`, `(k' = 0 \/ k' = k)`, "k' = (k + 1) % 3"),
	}
	g.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return strings.Join(parts, ` /\ `)
}

// step is what process p does.
func (g sent) step(d int) string {
	tests := ""
	for range g.IntN(3) {
		tests += g.test("", 1) + ` /\ `
	}
	switch kind := g.IntN(9); {
	case kind == 8:
		return "UNCHANGED " + g.oneOf("<<st, k>>", "<<st, q, k>>", "k", "vars") + ` /\ ` + tests +
			g.oneOf(`(\E m \in Of : `, `(\E m \in msgs : `) + g.test("m", 1) + ` /\ ` + g.update("m") + `)`
	case kind < 2:
		return tests + g.update("")
	case kind < 4:
		body := ""
		for range g.IntN(3) {
			body += g.test("m", 1) + ` /\ `
		}
		return tests + `(\E m \in ` + g.oneOf("msgs", "msgs", `{V \in msgs : V.from # p}`) + ` : ` + body +
			g.update("m") + `)`
	case kind == 4:
		return tests + `(\E c \in ` + g.oneOf("{0, 1}", "0..k", "SUBSET {1, 2}", "{st[p].v, 2}") + ` : ` +
			g.test("", 0) + ` /\ ` + g.update("") + ` /\ c = c)`
	case kind == 5 && d > 0:
		return tests + `((` + g.step(d-1) + `) \/ (` + g.step(d-1) + `))`
	case kind == 6 && d > 0:
		return tests + `(IF ` + g.test("", 1) + ` THEN ` + g.step(d-1) + ` ELSE ` + g.step(d-1) + `)`
	}
	return tests + g.test("", 1) + ` /\ ` + g.update("") + ` /\ ` +
		g.oneOf("TRUE", "st' # st", "msgs' # {}", `(\E V \in msgs : V.v = k')`)
}

// claim is a formula about a state: a conjunction, for all processes and of some.
func (g sent) claim() string {
	all := func() string {
		return `(\A p \in Proc : ` + g.test("", 1) + ` /\ ` + g.test("", 1) + `)`
	}
	return all() + ` /\ ` + g.oneOf(`(msgs \subseteq [type : {"a", "b"}, from : Proc, v : 0..1])`,
		`(msgs \in SUBSET [type : {"a", "b"}, from : {1}, v : 0..2])`, all(),
		`(\A m \in msgs : m.v < 2 \/ m.from = 1)`, `(\E p \in Proc : `+g.test("", 0)+`)`,
		`(\A p \in Proc, c \in 0..k : `+g.test("", 0)+` /\ c < 2)`,
		`(\A p, o \in Proc : st[p].v <= st[o].v + 1 /\ Len(q[o][p]) < 2)`)
}

// change is a formula about a step, for all processes and elements: of what is computed of one of
// its states, of both, and of actions.
func (g sent) change() string {
	n := func() string { return "((" + g.number("") + " + " + g.number("") + ") % 3)" }
	with := func(text string) string { // V is a name for a value that is computed of one state
		return g.fresh(`(LET V == (` + n() + ` + c) % 3 IN ` + text + `)`)
	}
	return `(\A p \in Proc : \A c \in ` + g.oneOf("{0, 1}", "0..k", "{m.v : m \\in msgs}", "0..k'") +
		` : ` + g.oneOf(
		`A(p) => `+g.test("", 1), `B(p) => k' = `+n(), `A(p) \/ B(p)`,
		with(`st'[p].v = (V * 2) % 3 => `+g.test("", 0)),
		with(`(LET W == [st EXCEPT ![p].v = V, ![p].s = (V + c) % 3] IN st' = W \/ st' # st)`),
		with(`[type |-> "a", from |-> p, v |-> (V + c + 1) % 3] \in msgs' \/ k' < V`),
		`(LET W == (`+n()+`)' IN W <= (k + c + `+n()+`) \/ `+g.test("", 0)+`)`,
		`{m.v + c : m \in msgs'} \subseteq {m.v : m \in msgs} \cup {`+n()+`}`,
		`((`+g.test("", 1)+`)' <=> (`+g.test("", 1)+`))`,
		`(UNCHANGED st /\ `+g.test("", 1)+`) => k' # c`) + `)`
}

func (g sent) model() Model {
	var b strings.Builder
	b.WriteString(`---- MODULE S ----
EXTENDS Integers, FiniteSets, Sequences
VARIABLES st, msgs, q, k
vars == <<st, msgs, q, k>>
Proc == {1, 2}
Other(p) == 3 - p
Send(m) == msgs' = msgs \cup {m}
Of == {m \in msgs : m.type = "a"}
RECURSIVE Total(_)
Total(S) == IF S = {} THEN 0 ELSE LET m == CHOOSE m \in S : TRUE IN m.v + Total(S \ {m})
RECURSIVE Above(_, _)
Above(n, p) == IF n >= 2 THEN st[p].v + k ELSE 1 + Above(n + 1, IF p \in {1} THEN 2 ELSE k + 1 - k)
Init == /\ st = [p \in Proc |-> [s |-> 0, v |-> 0]]
        /\ msgs = {} /\ k = 0
        /\ q = [p \in Proc |-> [r \in Proc |-> <<>>]]
`)
	var next []string
	for _, a := range []string{"A", "B", "D"}[:2+g.IntN(2)] {
		fmt.Fprintf(&b, "%s(p) == %s\n", a, g.step(2))
		next = append(next, a+"(p)")
	}
	b.WriteString("Next == " + g.oneOf(`\E p \in Proc : `+strings.Join(next, ` \/ `),
		`(\E p \in Proc : `+strings.Join(next, `) \/ (\E p \in Proc : `)+`)`) + "\n")
	fmt.Fprintf(&b, "Spec == Init /\\ [][Next]_vars\nInv == \\A p \\in Proc : k < 3 \\/ %s\n",
		g.test("", 1))
	fmt.Fprintf(&b, "Also == %s\nLast == Also /\\ %s\n", g.claim(), g.claim())
	fmt.Fprintf(&b, "Steps == [][%s /\\ %s]_vars\n====\n", g.change(), g.change())
	claims := []string{"", "Also", "Also Last", "Also\nCONSTRAINT Last"}[g.IntN(4)]
	claims += []string{"", "\nPROPERTY Steps"}[g.IntN(2)]
	return Model{b.String(), inner,
		"SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\nINVARIANT Inv " + claims + "\n"}
}
