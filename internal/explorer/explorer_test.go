package explorer

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/sim"
)

// service answers about files in memory.
func service(t *testing.T, files map[string]string) *Service {
	t.Helper()
	s := New(Options{Version: "test", Read: func(file string) (string, string, error) {
		text, ok := files[file]
		if !ok {
			return "", "", fmt.Errorf("%s: %w", file, fs.ErrNotExist)
		}
		return "folder/" + file, text, nil
	}})
	t.Cleanup(s.Close)
	return s
}

// asked gives the answer to a request.
func asked[A any](t *testing.T, s *Service, word string, q request) A {
	t.Helper()
	body, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.Answer(t.Context(), word, body)
	if err != nil {
		t.Fatalf("%s %s: %v", word, body, err)
	}
	a, ok := answer.(A)
	if !ok {
		t.Fatalf("%s gives a %T", word, answer)
	}
	return a
}

// check runs a command to its end, and gives its number.
func check(t *testing.T, s *Service, q request) int {
	t.Helper()
	run := asked[Summary](t, s, "start", q).Run
	err := s.Follow(t.Context(), run, func(e Event) error {
		if e.Problem != nil {
			t.Fatalf("%+v", e.Problem)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// result finds the result with a trace for a property.
func (s *Service) result(t *testing.T, run int, property string) int {
	t.Helper()
	r, err := s.run(run)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range r.results() {
		if x.Property == property && x.Trace != nil {
			return i
		}
	}
	t.Fatalf("run %d has no trace for %s", run, property)
	return -1
}

const lock = `
sort client
mutable relation free
mutable relation holds(client)
init free & !holds(C)
action take(c: client) { require free; holds(c) := true; free := false; }
action put(c: client) { require holds(c); holds(c) := false; free := true; }
safety [exclusive] holds(A) & holds(B) -> A = B
instance one { client = 1 }
`

// A run of one of several systems is stepped in its own system, and a run that ends in a loop is
// charted with the step that closes it.
func TestRunsOfSeveralSystems(t *testing.T) {
	b, err := os.ReadFile("../../examples/heartbeat/stubborn.ere")
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(b), "expect ")
	text += "safety [never] !suspected(P, Q)\ntemporal [completeness] eventually always (crashed(P) & correct(Q) -> suspected(Q, P))\n"
	s := service(t, map[string]string{"two.ere": text})
	run := check(t, s, request{File: "two.ere", Command: checkCommand})
	for property, system := range map[string]string{"eventual_strong_accuracy": "one_way",
		"never": "one_way_with_crashes"} {
		q := request{File: "two.ere", Run: run, Result: s.result(t, run, property),
			Address: sim.Address{At: -1}}
		if d := asked[Drawing](t, s, "graph", q); d.System != system {
			t.Errorf("the graph for %s is about %s", property, d.System)
		}
		p := asked[*sim.View](t, s, "state", q)
		crashes := slices.ContainsFunc(p.State, func(v *sim.ValueTree) bool {
			return strings.Contains(v.Name, "crashed")
		})
		if crashes != (system == "one_way_with_crashes") {
			t.Errorf("a state of the run for %s shows crashes: %v", property, crashes)
		}
		trace, _, err := s.whole(t.Context(), &q)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.run(run)
		if err != nil {
			t.Fatal(err)
		}
		want := r.results()[q.Result].Trace.Story
		if got := trace.Story; got == nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the story for %s is %+v and not %+v", property, got, want)
		}
	}
}

// The graph beside a counterexample to induction is of its instance, and its addresses, too.
func TestGraphOfACounterexampleToInduction(t *testing.T) {
	s := service(t, map[string]string{"lock.ere": lock})
	run := check(t, s, request{File: "lock.ere", Command: proveCommand})
	q := request{File: "lock.ere", Run: run, Result: s.result(t, run, "exclusive"),
		Address: sim.Address{At: -1}}
	before := asked[*sim.View](t, s, "state", q)
	d := asked[Drawing](t, s, "graph", q)
	for i, a := range d.Addresses {
		p := asked[*sim.View](t, s, "state",
			request{File: "lock.ere", System: d.System, Instance: d.Instance, Address: a})
		if fmt.Sprint(p.Universe) != fmt.Sprint(before.Universe) {
			t.Errorf("node %d is a state of %v, and the run has %v", i, p.Universe, before.Universe)
		}
	}
	if before.Lasting != nil {
		t.Error("a run from a state that need not be reachable has an address among the runs")
	}
	if after := asked[*sim.View](t, s, "state", q); after.Initial != 0 || before.Initial != 0 {
		t.Errorf("a recorded run has %d initial states, and after its graph %d", before.Initial,
			after.Initial)
	}
}

// What a file includes, and its queries, are read as the file is: by the same way, and again when
// they have changed. A line of another file is no line of this one.
func TestFilesBesideAFile(t *testing.T) {
	files := map[string]string{
		"door.xta":     "clock x; process P() { state a { x <= 3 }, b; init a; trans a -> b { guard x > 1; }; } p = P(); system p;\n",
		"door.q":       "E<> p.b\n",
		"main.ivy":     "#lang ivy1.7\ninclude part\n",
		"sub/up.ere":   "include \"../low.ere\"\nsafety [never] !p\ninstance i { }\n",
		"low.ere":      "include \"sub/last.ere\"\nmutable relation p\ninit !p\n",
		"sub/last.ere": "action up() { p := true; }\n",
		"part.ivy":     "#lang ivy1.7\n\nrelation p\nafter init { p := false }\naction up = { p := true }\nexport up\ninvariant [never] ~p\n",
	}
	s := service(t, files)
	for _, c := range []struct{ file, beside, change, want string }{
		{"door.xta", "door.q", "E<> p.a\n", "E<> p.a"},
		{"main.ivy", "part.ivy", strings.Replace(files["part.ivy"], "never", "nowhere", 1), "nowhere"},
		{"sub/up.ere", "sub/last.ere", "action up() { p := false; }\n", "never"},
	} {
		before := asked[*Description](t, s, "file", request{File: c.file})
		if before.Problem != nil || len(before.Properties) != 1 ||
			before.Properties[0].Line > 0 != (c.file == "sub/up.ere") {
			t.Fatalf("%s is %+v with %+v", c.file, before, before.Problem)
		}
		run := check(t, s, request{File: c.file, Command: checkCommand})
		files[c.beside] = c.change
		after := asked[*Description](t, s, "file", request{File: c.file})
		if after.Digest == before.Digest || after.Properties[0].Name != c.want {
			t.Errorf("after a change of %s, %s is %+v", c.beside, c.file, after)
		}
		if r, err := s.run(run); err != nil || r.summary().Digest != before.Digest {
			t.Errorf("the run is about %+v", r.summary())
		}
	}
	files["part.ivy"] = "#lang ivy1.7\nnonsense (\n"
	wrong := asked[*Description](t, s, "file", request{File: "main.ivy"})
	if wrong.Problem == nil || len(wrong.Problem.Diagnostics) == 0 ||
		wrong.Problem.Diagnostics[0].File != "folder/part.ivy" {
		t.Errorf("a mistake in a file that is included is %+v", wrong.Problem)
	}
}

// A model has no command that proves, and its notes are told.
func TestCommandsOfAModel(t *testing.T) {
	s := service(t, map[string]string{"door.xta": "process P() { state a; init a; } p = P(); system p;\n", "lock.ere": lock})
	if got := asked[*Description](t, s, "file",
		request{File: "door.xta"}).Commands; !slices.Equal(got, []string{"verify", "check"}) {
		t.Errorf("the commands are %v", got)
	}
	if got := asked[*Description](t, s, "file", request{File: "lock.ere"}).Commands; len(got) != 5 {
		t.Errorf("the commands are %v", got)
	}
	if _, err := s.Answer(t.Context(), "start",
		[]byte(`{"file": "door.xta", "command": "bmc"}`)); err == nil ||
		!strings.Contains(err.Error(), "verify, check") {
		t.Errorf("bmc on a model gives %v", err)
	}
}

const ticket = `
sort client
mutable constant now: int
mutable constant next: int
mutable function ticket(client): int
mutable relation waiting(client)
init now = 0 & next = 0 & !waiting(C) & ticket(C) = 0
action get(c: client) { require !waiting(c); waiting(c) := true; ticket(c) := next; next := next + 1; }
fair action serve(c: client) { require waiting(c) & ticket(c) = now; waiting(c) := false; now := now + 1; }
liveness [served] waiting(C) ~> !waiting(C)
instance two { client = 2 }
`

// The ranking functions of a proof have a value in each state in which the property is pending,
// with the values that the hints choose there. What counts steps is left out.
func TestRanks(t *testing.T) {
	files := map[string]string{"ticket.ere": ticket}
	s := service(t, files)
	at := sim.Address{First: 1, At: -1}
	q := request{File: "ticket.ere", Address: at}
	if got := asked[map[string][]Ranks](t, s, "ranks", q); len(got["ranks"]) != 0 {
		t.Errorf("without a proof there is %+v", got)
	}
	_, err := s.Keep(t.Context(), "ticket.ere", []result.Result{{Property: "served", Verdict: result.Holds,
		Evidence: &result.Evidence{Ranking: &result.Ranking{Pending: "waiting(C)",
			Choices: []result.Choice{{Name: "active", Condition: "waiting(active) & ticket(active) = now"}},
			Tiers: []result.Tier{{Function: "2 * (ticket(C) - now) + (if waiting(active) then 1 else 0)"},
				{Function: "left_serve(active)", Prophecy: true}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{"get(c = client0)", "get(c = client1)", "serve(c = client0)"} {
		v := asked[*sim.View](t, s, "state", q)
		i := slices.IndexFunc(v.Choices, func(c sim.Choice) bool { return c.Call == call })
		if i < 0 {
			t.Fatalf("there is no step %s: %+v", call, v.Choices)
		}
		q.Address = v.Address
		q.Step = v.Choices[i].Number
		q.Address = asked[*sim.View](t, s, "take", q).Address
	}
	got := asked[map[string][]Ranks](t, s, "ranks", q)["ranks"]
	want := "[{served [{C = client0 2 * (ticket(C) - now) + (if waiting(active) then 1 else 0) [ 1 1 ]} " +
		"{C = client1 2 * (ticket(C) - now) + (if waiting(active) then 1 else 0) [  3 1]}]}]"
	if fmt.Sprint(got) != want {
		t.Errorf("the functions are\n%v\nand not\n%v", got, want)
	}
	// A recorded run is of the text that its engines saw, and so are the functions along it.
	x, _, err := s.explorer(t.Context(), &q)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := x.Trace(t.Context(), q.Address)
	if err != nil {
		t.Fatal(err)
	}
	run, err := s.Keep(t.Context(), "ticket.ere",
		[]result.Result{{Property: "served", Verdict: result.Violated, Trace: trace}})
	if err != nil {
		t.Fatal(err)
	}
	files["ticket.ere"] += "safety [more] now <= next\n"
	q = request{File: "ticket.ere", Run: run, Address: sim.Address{At: -1}}
	if got := asked[map[string][]Ranks](t, s, "ranks", q)["ranks"]; fmt.Sprint(got) != want {
		t.Errorf("along a run of an earlier text the functions are\n%v\nand not\n%v", got, want)
	}
}

// A violation is told when it is found, before the report.
func TestViolationIsTold(t *testing.T) {
	s := service(t, map[string]string{"lock.ere": lock + "safety [never] !holds(C)\n"})
	run := asked[Summary](t, s, "start", request{File: "lock.ere", Command: "check"}).Run
	var told []string
	err := s.Follow(t.Context(), run, func(e Event) error {
		if e.Violated != "" {
			told = append(told, e.Violated)
		}
		return nil
	})
	if err != nil || len(told) != 1 || told[0] != "never" {
		t.Errorf("told: %v, %v", told, err)
	}
}

// The address that lasts leads to the same state without the recorded run.
func TestLastingAddress(t *testing.T) {
	s := service(t, map[string]string{
		"lock.ere": lock + "instance two { client = 2 }\nsafety [never] !holds(C)\n"})
	run := check(t, s, request{File: "lock.ere", Command: checkCommand, Instances: []string{"two"}})
	q := request{File: "lock.ere", Run: run, Result: s.result(t, run, "never"),
		Address: sim.Address{At: 1}}
	recorded := asked[*sim.View](t, s, "state", q)
	if recorded.Lasting == nil {
		t.Fatal("the recorded run has no address that lasts")
	}
	lasting := asked[*sim.View](t, s, "state", request{File: "lock.ere", System: recorded.System,
		Instance: recorded.Title, Address: *recorded.Lasting})
	if fmt.Sprint(lasting.Run) != fmt.Sprint(recorded.Run) ||
		lasting.Address.At != recorded.Address.At || lasting.Lasting != nil {
		t.Errorf("the lasting address leads to %+v, and the run is %+v", lasting, recorded)
	}
}
