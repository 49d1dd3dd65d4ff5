package conformance

import (
	"context"
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
	return x, &forward{s: x, state: x.first.Clone()}
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
	m := mutation{lane: 0, at: 0}
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
			m := mutation{lane: 0, at: 0}
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
