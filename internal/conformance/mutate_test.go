package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/front/ere"
)

// accepted searches a log that is a run.
func accepted(t *testing.T, spec, declarations, log string) (*search, *forward) {
	t.Helper()
	s, _, err := ere.Read("spec.ere", spec)
	if err != nil {
		t.Fatal(err)
	}
	file, err := observe.Parse("spec.observe", declarations)
	if err != nil {
		t.Fatal(err)
	}
	events, err := runlog.Read("log", strings.NewReader(log), file.Shape)
	if err != nil {
		t.Fatal(err)
	}
	if err := Identify("log", file, events); err != nil {
		t.Fatal(err)
	}
	c, err := New(s, s.System.Instances[0], file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.problem("log", events)
	if err != nil {
		t.Fatal(err)
	}
	x := newSearch(c, p)
	if err := x.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if x.done != x.acceptAfter {
		t.Fatal("the log is not accepted")
	}
	return x, &forward{s: x, state: x.first.Clone(), rest: mutantRest}
}

// Without its sending, a message orders nothing.
func TestMutantWithoutSending(t *testing.T) {
	s, f := accepted(t, `mutable constant n: bool
init !n
action a() { require true; }
action set() { n := true; }
action read() { require n; }
instance only { }
`, "order node", `{"node":"x","event":"a","send":"m"}
{"node":"y","event":"set","receive":"m"}
{"node":"x","event":"read"}
`)
	m := mutation{event: s.p.events[0], after: 1}
	if !s.drop(&m) {
		t.Fatal("nothing is left out")
	}
	if o, err := s.try(context.Background(), m, f); err != nil || o != same {
		t.Errorf("outcome %d, %v", o, err)
	}
}

const enter = `sort client
mutable relation inside(client)
init !inside(C)
action enter(c: client) { inside(c) := true; }
action look(c: client) { require inside(c); }
instance two { client = 2 }
`

// A changed node is another node, also where nodes are numbers, and a changed event another event.
func TestMutantOfNodeAndEvent(t *testing.T) {
	for _, c := range []struct{ name, declarations, log string }{
		{"node", "names client = 1, 2\nevent go is enter(c = {node})", `{"node":1,"event":"go"}` + "\n" + `{"node":1,"event":"look","args":{"c":"1"}}`},
		{"event", "name go = client0\nname stay = client1\nevent go is enter(c = {event})\nevent stay is enter(c = {event})",
			`{"event":"go"}` + "\n" + `{"event":"look","args":{"c":"client0"}}` + "\n" + `{"event":"stay"}`},
	} {
		s, f := accepted(t, enter, c.declarations, c.log)
		tried := 0
		for seed := range uint64(20) {
			m := mutation{event: s.p.events[0], after: 1}
			if !s.change(&m, rand.New(rand.NewPCG(seed, 0))) || strings.Contains(m.what, "look") {
				continue
			}
			tried++
			if o, err := s.try(context.Background(), m, f); err != nil || o != rejected {
				t.Errorf("%s, %s: outcome %d, %v", c.name, m.what, o, err)
			}
		}
		if tried == 0 {
			t.Errorf("%s: nothing was changed", c.name)
		}
	}
}

// A run is the only one if nothing on its way could have gone otherwise, at its end or before.
func TestOnlyRun(t *testing.T) {
	log := `{"event":"go"}` + "\n" + `{"event":"look","args":{"c":"client0"}}` + "\n"
	for declarations, want := range map[string]bool{
		"event go is enter(c = client0)":                                 true,
		"event go is enter(c = client0)\nevent go is enter(c = client1)": false,
		"event go is enter()":                                            false,
	} {
		if _, f := accepted(t, enter, declarations, log); f.single() != want {
			t.Errorf("%s: the only run: %v", declarations, !want)
		}
	}
}

const counter = `sort node
mutable constant total: 0..5000
mutable function own(node): 0..5000
init total = 0 & own(N) = 0
action add(n: node) { total := total + 1; own(n) := own(n) + 1; }
action pause() { require true; }
instance three { node = 3 }
`

// counts is a log of the nodes 0, 1 and 2, each with a number of events; order gives the node of
// each event as they happen. The logs of the nodes follow each other, the last node's first.
func counts(events int, order func(i int) int, observe func(i int) bool) string {
	lines, own := make([]strings.Builder, 3), [3]int{}
	for i := range events {
		n := order(i)
		own[n]++
		fmt.Fprintf(&lines[n], `{"node":"node%d","seq":%d,"t":%d,"event":"add",`+
			`"args":{"n":"node%d"}`, n, own[n], 10*i, n)
		if observe(i) {
			fmt.Fprintf(&lines[n], `,"obs":{"total":%d}`, i+1)
		}
		lines[n].WriteString("}\n")
	}
	return lines[2].String() + lines[1].String() + lines[0].String()
}

// written is a log as a file.
func written(t *testing.T, p *problem) string {
	t.Helper()
	var file strings.Builder
	for _, e := range p.records() {
		line, err := json.Marshal(e.Record())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&file, "%s\n", line)
	}
	return file.String()
}

// What is said of a changed log is what the search says of a file with the change: also where logs
// are joined, so that the order of the lines is not the one of the events.
func TestChangedLogsAreJudgedAsFiles(t *testing.T) {
	spec, _, err := ere.Read("spec.ere", counter)
	if err != nil {
		t.Fatal(err)
	}
	turns := func(i int) int { return i % 3 }
	first := func(int) int { return 0 }
	always := func(int) bool { return true }
	only := func(at int) func(int) bool { return func(i int) bool { return i == at } }
	for name, c := range map[string]struct {
		declarations, log string
		want              []outcome // that occur
	}{
		"joined, one after the other": {"", counts(2400, func(i int) int { return i / 800 }, always),
			[]outcome{rejected}},
		"joined, seen at the end": {"", counts(2100, turns, only(2099)),
			[]outcome{rejected}},
		"in turns":       {"", counts(60, turns, always), []outcome{rejected}},
		"by nodes":       {"order node", counts(9, turns, only(4)), []outcome{same, kept}},
		"in one lane":    {"order file", counts(30, first, only(15)), []outcome{rejected, same, kept}},
		"seen far later": {"order file", counts(700, first, only(699)), []outcome{rejected}},
	} {
		t.Run(name, func(t *testing.T) {
			s, f := accepted(t, counter, c.declarations, c.log)
			seen := map[outcome]int{}
			for _, m := range s.mutations(rand.New(rand.NewPCG(1, 1)), 12, s.inRun()) {
				o, err := s.try(context.Background(), m, f)
				if err != nil || o == unclear {
					t.Fatalf("line %d: %s: outcome %d, %v", m.event.Line, m.what, o, err)
				}
				seen[o]++
				isRun := false
				if p, err := s.changed(m); err == nil {
					r, err := check(t, spec, c.declarations, written(t, p), Options{Mutants: -1})
					isRun = err == nil && r.Answer == Accepted
				}
				if isRun != (o != rejected) {
					t.Errorf("line %d: %s: outcome %d, and that the file is a run is %v",
						m.event.Line, m.what, o, isRun)
				}
			}
			for _, o := range c.want {
				if seen[o] == 0 {
					t.Errorf("no changed log has the outcome %d: %v", o, seen)
				}
			}
		})
	}
}
