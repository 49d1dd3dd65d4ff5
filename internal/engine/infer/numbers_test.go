package infer

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/testkit"
)

// tickets is a lock with numbers that are drawn.
const tickets = `
sort client
immutable constant last: int
axiom last >= 1
type number = 0..last
enum place { away, waiting, inside }
mutable function at(client): place
mutable function ticket(client): number
mutable constant now: number
mutable constant next: number
init at(C) = away & ticket(C) = 0 & now = 0 & next = 0
action draw(c: client) {
  require at(c) = away & next < last;
  at(c) := waiting;
  ticket(c) := next;
  next := next + 1;
}
action enter(c: client) { require at(c) = waiting & ticket(c) = now; at(c) := inside; }
action leave(c: client) {
  require at(c) = inside;
  at(c) := away;
  now := now + 1;
}
safety [mutex] at(C) = inside & at(D) = inside -> C = D
`

// countdown is what has to do with no ticket.
const countdown = `
immutable constant most: int
axiom most >= 2
mutable constant turns: 0..most
init turns = 0
action turn() { turns := if turns < most then turns + 1 else most - 2; }
`

// Lemmas compare the numbers of clients with each other, and with the ones of the lock.
func TestTickets(t *testing.T) {
	testkit.InCI(t)
	out := found(t, tickets)
	if !strings.Contains(fmt.Sprint(lemmas(out)), "ticket(Client1) = ticket(Client2) ->") {
		t.Errorf("no lemma says that tickets differ: %v", lemmas(out))
	}
}

// Lemmas are for all numbers of a range, where something belongs to them: a vote to its term.
func TestTerms(t *testing.T) {
	testkit.InCI(t)
	found(t, `
sort node
sort quorum
immutable relation member(node, quorum)
axiom exists N. member(N, P) & member(N, Q)
immutable constant last: int
axiom last >= 1
type term = 0..last
enum role { follower, candidate, leader }
mutable function at(node): role
mutable function current(node): term
mutable relation vote(node, term, node)
init at(N) = follower & current(N) = 0 & !vote(M, T, N)
action stand(n: node) {
  require current(n) < last;
  current(n) := current(n) + 1;
  at(n) := candidate;
}
action grant(m: node, n: node) {
  require at(n) = candidate & current(m) <= current(n);
  require forall X: node. !vote(m, current(n), X);
  require m = n | current(m) < current(n) | at(m) = follower;
  at(m) := if m = n then candidate else follower;
  current(m) := current(n);
  vote(m, current(n), n) := true;
}
action lead(n: node, q: quorum) {
  require at(n) = candidate & (forall M. member(M, q) -> vote(M, current(n), n));
  at(n) := leader;
}
safety [one] at(M) = leader & at(N) = leader & current(M) = current(N) -> M = N
`)
}

// What is compared, assigned, or in the range of the other measures the same; an expression of the
// file is an amount, with chosen numbers at the ends of their ranges.
func TestMeasures(t *testing.T) {
	sys := testkit.Compile(t, tickets+countdown)
	m := measuresOf(sys)
	class := func(name string) *logic.Symbol {
		i := slices.IndexFunc(sys.Symbols, func(s *logic.Symbol) bool { return s.Name == name })
		return m.class[sys.Symbols[i]]
	}
	for _, name := range []string{"ticket", "now", "next"} {
		if class(name) != class("last") {
			t.Errorf("%s does not measure what last does", name)
		}
	}
	if class("turns") != class("most") || class("turns") == class("now") {
		t.Error("turns measures what most does, and nothing else")
	}
	var amounts []string
	for _, p := range m.amounts[class("turns")] {
		amounts = append(amounts, p.term.String())
	}
	if fmt.Sprint(amounts) != "[most - 2]" {
		t.Errorf("amounts of turns: %v", amounts)
	}
	if measuresOf(testkit.Compile(t, relay)) != nil {
		t.Error("a system without integers has measures")
	}
}

// The values of parameters are allowed by the axioms, and the first ones differ.
func TestParameters(t *testing.T) {
	var names []string
	for _, inst := range smallParameters(testkit.Compile(t, tickets+countdown)) {
		names = append(names, inst.Name)
	}
	if got := strings.Join(names, " "); len(names) != manyValues ||
		!strings.HasPrefix(got, "last=1,most=2 last=1,most=3 last=2,most=3") || strings.Contains(got, "=0") {
		t.Errorf("values of the parameters: %s", got)
	}
	for _, inst := range smallParameters(testkit.Compile(t, relay)) {
		if len(inst.Values) > 0 {
			t.Errorf("values without parameters: %v", inst.Values)
		}
	}
}

// leveled makes a system in which the levels of nodes and a turn change.
func leveled(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString(`sort node
immutable constant top: int
axiom top >= 1
type level = 0..top
mutable function at(node): level
mutable relation on(node)
mutable constant turn: level
init at(N) = 0 & !on(N) & turn = 0
`)
	pick := func(list ...string) string { return list[rng.Intn(len(list))] }
	for i := range 3 {
		fmt.Fprintf(&b, "action move%d(n: node) {\n  require %s & %s;\n", i,
			pick("on(n)", "!on(n)", "true"),
			pick("at(n) < top", "at(n) <= turn & turn < top", "at(n) = turn & at(n) < top"))
		if rng.Intn(2) == 0 {
			fmt.Fprintf(&b, "  at(n) := %s;\n", pick("at(n) + 1", "turn", "turn + 1 - 1", "0"))
		}
		if rng.Intn(2) == 0 {
			fmt.Fprintf(&b, "  turn := %s;\n", pick("at(n)", "at(n) + 1", "0", "top"))
		}
		fmt.Fprintf(&b, "  on(n) := %s;\n}\n", pick("true", "false", "!on(n)"))
	}
	fmt.Fprintf(&b, "safety [p] %s\n", pick("on(M) & on(N) -> M = N", "on(N) -> at(N) <= turn",
		"on(N) -> turn <= at(N)", "on(M) & on(N) & at(M) = at(N) -> M = N",
		"on(N) | at(N) < top", "at(M) <= at(N) + 1", "on(N) & turn > 0 -> at(N) > 0"))
	return b.String()
}
