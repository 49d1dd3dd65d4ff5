package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
)

// meter has numbers within a range, a member, and an action with many requirements.
const meter = `sort node
type level = 0..3
enum color { red, green }
mutable constant n: level
mutable constant c: color
mutable relation at(node)
init n = 0 & c = red & !at(X)
action up(d: level) { require n + d <= 3; require c = red; n := n + d; }
action paint(to: color) { require c != to; c := to; }
action pick(d: level) { choose k: level with k > d; n := k; }
action set(d: level) { n := d; c := green; }
action visit(x: node) { at(x) := true; }
action far(d: 0..9) { choose k: 0..9 with k > d; c := green; }
trusted invariant [most] n < 3 | c = red
instance only { node = 2 }
`

// whyNot gives for a log that is no run why its last event is none of one; "accepted" for a run.
func whyNot(t *testing.T, declarations, log string) string {
	t.Helper()
	spec, list, err := ere.Read("meter.ere", meter)
	if err != nil {
		t.Fatal(err, list)
	}
	r, err := check(t, spec, declarations, log, Options{Mutants: -1})
	switch {
	case err != nil:
		return "error: " + err.Error()
	case r.Answer == Accepted:
		var counts []string
		for _, o := range r.Coverage.Observations {
			counts = append(counts, fmt.Sprint(o.N))
		}
		return strings.TrimSpace("accepted " + strings.Join(counts, " "))
	}
	var out []string
	for _, c := range r.DeadEnds[0].Candidates {
		text := c.Call + ": " + c.Why
		seen := map[string]bool{}
		for _, b := range c.Blocks {
			if seen[b.Why.Text] {
				t.Errorf("%s is said twice", b.Why.Text)
			}
			seen[b.Why.Text] = true
			text += fmt.Sprintf("[%d %s]", b.Line, b.Why.Text)
		}
		for _, d := range c.Differs {
			text += fmt.Sprintf("<%s: %s, not %s>", d.What, d.Expected, d.Seen)
		}
		out = append(out, text)
	}
	return strings.Join(out, " or ")
}

// What makes an event no step is said: the value next to the last one of a range is outside of it,
// and the last one is not.
func TestWhyNot(t *testing.T) {
	up := func(by string) string { return `{"event":"up","args":{"d":` + by + `}}` + "\n" }
	pick := func(by string) string { return `{"event":"pick","args":{"d":` + by + `}}` + "\n" }
	for _, c := range []struct{ declarations, log, want string }{
		{"", up("3"), "accepted"},
		{"", up("0"), "accepted"},
		{"", up("3") + up("1"), "up(d = 1): [8 n + 1 <= 3]"},
		{"", up("4"), "up(d = 4): d = 4 is outside of 0..3, the values of 0..3 in this instance"},
		{"", up("-1"), "up(d = -1): d = -1 is outside of 0..3, the values of 0..3 in this instance"},
		{"", `{"event":"set","args":{"d":2}}`, "accepted"},
		{"", `{"event":"set","args":{"d":3}}`,
			"set(d = 3): no values of its parameters and choices make it possible, or a trusted invariant excludes the state after it"},
		{"", `{"event":"set","args":{"d":4}}`,
			"set(d = 4): d = 4 is outside of 0..3, the values of 0..3 in this instance"},
		{"", pick("2"), "accepted"},
		{"", pick("3"), "pick(d = 3): [10 3 < 0][10 3 < 1][10 3 < 2][10 3 < 3]"},
		{"", pick("4"), "pick(d = 4): d = 4 is outside of 0..3, the values of 0..3 in this instance"},
		{"", pick("0") + `{"event":"paint","args":{"to":"red"}}`, "paint(to = red): [9 c != red]"},
		{"event go is up(d = 2) then paint(to = green)", `{"event":"go"}` + "\n" + up("1"),
			"up(d = 1): [8 c = red]"},
		{"event go is up(d = 2) then paint(to = {to})", `{"event":"go","to":"red"}`,
			"up(d = 2) then paint(to = red), of which paint(to = red): [9 c != red]"},
		{"observe n = {n}\nobserve c = {c}\nobserve n < {top}",
			`{"event":"up","n":2,"top":3,"args":{"d":2}}` + "\n" + `{"event":"paint","n":2,"c":"green","args":{"to":"green"}}`,
			"accepted 2 1 1"},
		{"observe n = {n}\nobserve c = {c}", `{"event":"up","n":2,"c":"green","args":{"d":1}}`,
			"up(d = 1): <n: 1, not 2><c: red, not green>"},
		{"observe at({at})", `{"event":"visit","at":"node0","args":{"x":"node0"}}`, "accepted 1"},
		{"observe at({at})", `{"event":"visit","at":"node1","args":{"x":"node0"}}`,
			"visit(x = node0): <at(node1): , not >"},
		{"observe at({at})", `{"event":"visit","at":"9z","args":{"x":"node0"}}`,
			`error: log:1:1: observation at({at}), declared in spec.observe:1: the value of {at}: "9z" cannot stand in an expression: a declaration ` +
				"`name \"9z\" = VALUE` says what it is"},
		{"observe at({at})", `{"event":"visit","at":"a-b","args":{"x":"node0"}}`,
			`error: log:1:1: observation at({at}), declared in spec.observe:1: the value of {at}: "a-b" cannot stand in an expression: a declaration ` +
				"`name \"a-b\" = VALUE` says what it is"},
		{"observe n = {n} - {m}", `{"event":"up","n":"3","m":"1","args":{"d":2}}`, "accepted 1"},
	} {
		if got := whyNot(t, c.declarations, c.log); got != c.want {
			t.Errorf("%s\n%s\n%s\nwant %s", c.declarations, c.log, got, c.want)
		}
	}
	if got := whyNot(t, "", `{"event":"far","args":{"d":9}}`); strings.Count(got, "[") != maxBlocks {
		t.Errorf("%d requirements are shown of ten: %s", strings.Count(got, "["), got)
	}
}

// A changed event that is one of the ignored ones then is left out.
func TestMutantIsIgnored(t *testing.T) {
	s, f := accepted(t, enter, "ignore enter if {args.c} = client1\nevent note is look(c = client0)",
		`{"event":"enter","args":{"c":"client0"}}
{"event":"note","args":{"c":"client1"}}`)
	tried := 0
	for seed := range uint64(40) {
		m := mutation{event: s.p.events[0], after: 1}
		if !s.change(&m, rand.New(rand.NewPCG(seed, 0))) || !strings.Contains(m.what, "client1") {
			continue
		}
		tried++
		if o, err := s.try(context.Background(), m, f); err != nil || o != rejected {
			t.Errorf("%s: outcome %d, %v", m.what, o, err)
		}
	}
	if tried == 0 {
		t.Error("no event was changed to an ignored one")
	}
}

// A changed argument of an event that has the name of an action is the argument of its step.
func TestMutantOfArgument(t *testing.T) {
	s, f := accepted(t, enter, "", `{"event":"enter","args":{"c":"client0"}}
{"event":"look","args":{"c":"client0"}}
{"event":"enter","args":{"c":"client1"}}`)
	for at, want := range []outcome{rejected, rejected, kept} {
		tried := 0
		for seed := range uint64(20) {
			m := mutation{event: s.p.events[at], after: at + 1}
			if !s.change(&m, rand.New(rand.NewPCG(seed, 0))) {
				continue
			}
			tried++
			if o, err := s.try(context.Background(), m, f); err != nil || o != want {
				t.Errorf("event %d, %s: outcome %d, %v", at, m.what, o, err)
			}
		}
		if tried == 0 {
			t.Errorf("event %d was not changed", at)
		}
	}
}

// Times are shown for a relation with arguments that changes.
func TestIntervals(t *testing.T) {
	for declarations, want := range map[string]string{
		"interval at": "accepted",
		"interval n":  "error: spec.observe:1:1: n is no mutable relation with arguments: the times are shown in which one is true",
		"interval up": "error: spec.observe:1:1: up is no mutable relation with arguments: the times are shown in which one is true",
	} {
		if got := whyNot(t, declarations, `{"event":"up","args":{"d":1}}`); got != want {
			t.Errorf("%s: %s, want %s", declarations, got, want)
		}
	}
}
