package zone

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/front/uppaal"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/timed"
)

func check(t *testing.T, text, queries string, o Options) []*Result {
	t.Helper()
	net, err := uppaal.Read("m.xta", text, "m.q", queries)
	if err != nil {
		t.Fatal(err)
	}
	var out []*Result
	for _, q := range net.Queries {
		r, err := Check(context.Background(), net, q, o)
		if err != nil {
			t.Fatalf("%s: %v", q.Text, err)
		}
		out = append(out, r)
	}
	return out
}

// example reads a model of the examples with another number of processes.
func example(t *testing.T, name string, n int) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "timed", name+".xta"))
	if err != nil {
		t.Fatal(err)
	}
	size := regexp.MustCompile(`const int N = \d+;`)
	if !size.Match(text) {
		t.Fatalf("%s has no constant N", name)
	}
	return size.ReplaceAllString(string(text), fmt.Sprintf("const int N = %d;", n))
}

// TestStoredZones compares with the zones that TChecker 0.8 stores for the same models
// (breadth-first, covering, ExtraLU+). All incomparable zones must be kept, and no more zones than
// TChecker keeps.
func TestStoredZones(t *testing.T) {
	for _, c := range []struct {
		model, query string
		n            int
		most         int64
	}{
		{"fischer", "A[] not (P(1).cs and P(2).cs)", 6, 2378},
		{"csma_cd", "A[] not (Station(1).Start and Station(2).Start and Bus.Idle)", 6, 2594},
		{"fddi", "A[] not (Station(1).q1 and Station(2).q1)", 10, 525},
	} {
		for _, depthFirst := range []bool{false, true} {
			r := check(t, example(t, c.model, c.n), c.query, Options{DepthFirst: depthFirst})[0]
			if r.Answer != Satisfied || r.Stored > c.most || r.Visited < r.Stored {
				t.Errorf("%s %d, depth first %v: answer %d, %d stored, %d visited; TChecker stores %d", c.model, c.n, depthFirst, r.Answer, r.Stored, r.Visited, c.most)
			}
		}
	}
}

// TestBrokenFischer: with a guard that is too weak two processes are in the critical section, and
// the run has exact delays.
func TestBrokenFischer(t *testing.T) {
	text := strings.Replace(example(t, "fischer", 3), "x > K &&", "x >= K &&", 1)
	r := check(t, text, "A[] not (P(1).cs and P(2).cs)", Options{})[0]
	if r.Answer != NotSatisfied || r.Run == nil {
		t.Fatalf("answer %d", r.Answer)
	}
	total := r.Run.Delays[0]
	for _, d := range r.Run.Delays[1:] {
		total.Add(total, d)
	}
	if total.RatString() != "20" {
		t.Errorf("the run takes %s; the one process enters at K = 10, and the other one writes then and waits as long again", total.RatString())
	}
}

const lamp = `clock x; int[0,2] v;
process P() { state off, on { x <= 5 }, wait; init off; trans
  off -> on { assign x = 0, v = 1; }, on -> off { guard x > 2; assign v = 2; }, wait -> off { }; }
system P;`

func TestExtremes(t *testing.T) {
	for query, want := range map[string]string{
		"sup{P.on}: x": "5", "inf{P.off and v == 2}: x": ">2", "sup: v": "2", "inf{P.on}: v, v": "1, 1", "sup: x": "infinity",
		"sup{P.wait}: v": "no reachable state",
	} {
		if r := check(t, lamp, query, Options{})[0]; r.Value != want &&
			!strings.HasPrefix(r.Reason, want) {
			t.Errorf("%s: %q %q, want %q", query, r.Value, r.Reason, want)
		}
	}
}

// TestZeno: runs on which time stands still do not count, and a verdict that depends on this says
// it.
func TestZeno(t *testing.T) {
	text := `clock x; process P() { state a { x <= 1 }, b; init a; trans a -> a { }, a -> b { guard x == 1; }; } system P;`
	r := check(t, text, "A<> P.b\nE[] P.a\nA<> P.a", Options{})
	if r[0].Answer != Satisfied || !strings.Contains(r[0].Reason, "bounded time") {
		t.Errorf("A<> P.b: %d %s", r[0].Answer, r[0].Reason)
	}
	if r[1].Answer != NotSatisfied {
		t.Errorf("E[] P.a: %d", r[1].Answer)
	}
	if r[2].Answer != Satisfied || r[2].Reason != "" {
		t.Errorf("A<> P.a: %d %s", r[2].Answer, r[2].Reason)
	}
	// Each round takes time, and all of them together take less than one unit.
	text = `clock x, y; process P() { state a { x < 1 }, b; init a; trans a -> a { guard y > 0; assign y = 0; }, a -> b { }; } system P;`
	if r := check(t, text, "A<> P.b", Options{})[0]; r.Answer != Satisfied || r.Reason == "" {
		t.Errorf("A<> P.b: %d %s", r.Answer, r.Reason)
	}
}

// TestClocksInLiveness: passing time alone meets a goal that holds at some moment only.
func TestClocksInLiveness(t *testing.T) {
	text := `clock x; process P() { state a { x <= 5 }, b; init a; trans a -> b { guard x >= 2; }; } system P;`
	for query, want := range map[string]Answer{
		"A<> x >= 2": Satisfied, "A<> x == 1": Satisfied, "A<> P.a and x > 2": NotSatisfied, "A<> P.a and x < 2 or P.b": Satisfied,
		"E[] x < 2": NotSatisfied, "E[] x != 1": NotSatisfied, "E[] P.b or x <= 2": Satisfied, "E[] x <= 4 or P.a": NotSatisfied,
		"P.a --> x > 100": Satisfied, "P.a and x > 4 --> P.b": Satisfied,
		"P.b and x < 4 --> x == 3": NotSatisfied, "x < 3 --> x == 3": Satisfied,
		"E[] P.a or x > 3": Satisfied, "x > 3 --> P.b and x <= 4": NotSatisfied,
	} {
		net, err := uppaal.Read("m.xta", text, "m.q", query)
		if err != nil {
			t.Fatal(err)
		}
		q := net.Queries[0]
		r, err := Check(context.Background(), net, q, Options{})
		if err != nil || r.Answer != want {
			t.Errorf("%s: %+v %v, want %d", query, r, err, want)
			continue
		}
		o := &oracle{net: net, zero: newRegion(101)(len(net.Clocks))}
		if r.Run != nil {
			if err := o.missing(r, q); err != nil {
				t.Errorf("%s: %v", query, err)
			}
		}
	}
	// Whether b is a goal depends on how much later x is set than y. If it is, b has to be left
	// late.
	text = `clock x, y; process P() { state a { y <= 4 }, b { y <= 10 }, c; init a; trans a -> b { assign x = 0; }, b -> c { guard y >= 10; }; } system P;`
	net, err := uppaal.Read("m.xta", text, "m.q", "A<> P.b and x <= 3 and y >= 5")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Check(context.Background(), net, net.Queries[0], Options{})
	if err != nil || r.Answer != NotSatisfied {
		t.Fatalf("%+v %v", r, err)
	}
	if err := (&oracle{net: net, zero: newRegion(10)(len(net.Clocks))}).missing(r,
		net.Queries[0]); err != nil {
		t.Error(err)
	}
	// Only the left side compares x.
	text = `clock x, y; process P() { state a { y <= 3 }, b { y <= 3 }, c; init a; trans
  a -> b { guard y == 3; assign y = 0; }, b -> c { guard y == 3; }; } system P;`
	for i, r := range check(t, text, "P.b and x > 6 --> P.a\nP.b and x >= 6 --> P.a", Options{}) {
		if want := []Answer{Satisfied, NotSatisfied}[i]; r.Answer != want {
			t.Errorf("query %d: %d %s, want %d", i, r.Answer, r.Reason, want)
		}
	}
}

// TestTargets: the invariants of a target see the assignments of the step.
func TestTargets(t *testing.T) {
	text := `clock x; int[0,1] v; process P() { state a, b { x <= 2 }, c { x >= 2 }, d { v == 0 }; init a; trans
  a -> b { guard %s; assign %s; }, a -> c { assign %s; }, a -> d { assign %s; }; } system P;`
	for i, r := range check(t, fmt.Sprintf(text, "x > 2", "x = 2", "x = 3", "v = 0"), "E<> P.b\nE<> P.c and x == 3\nE<> P.d", Options{}) {
		if r.Answer != Satisfied {
			t.Errorf("query %d: %d", i, r.Answer)
		}
	}
	for i, r := range check(t, fmt.Sprintf(text, "x <= 2", "x = 3", "x = 1", "v = 1"), "E<> P.b\nE<> P.c\nE<> P.d", Options{}) {
		if r.Answer != NotSatisfied {
			t.Errorf("query %d: %d", i, r.Answer)
		}
	}
}

// TestSides: zones on two sides of a compared difference are kept apart, even where all clocks are
// beyond all numbers.
func TestSides(t *testing.T) {
	text := `clock x, y; process P() { state a, b, c, low, high; init a; trans
  a -> b { guard x <= 1; assign y = 0; }, a -> b { guard x >= 2; assign y = 0; }, b -> c { guard y >= 5; },
  c -> low { guard x - y <= 1; }, c -> high { guard x - y > 1; }; } system P;`
	for _, depthFirst := range []bool{false, true} {
		for i, r := range check(t, text, "E<> P.low\nE<> P.high", Options{DepthFirst: depthFirst}) {
			if r.Answer != Satisfied {
				t.Errorf("query %d, depth first %v: %d", i, depthFirst, r.Answer)
			}
		}
	}
}

// TestBounds: the numbers that clocks are compared with from a location on, before they are set
// again.
func TestBounds(t *testing.T) {
	for _, c := range []struct{ text, query, want string }{
		{`clock x, y, z, w[2]; int[0,2] v; process P() { state a { x <= 7 }, b, c, d; init a; trans
  a -> b { guard y >= 3; assign z = 0; }, b -> c { assign w[v > 0] = 0; }, c -> d { guard x > v + 1 && w[v > 0] < 6; }, c -> a { guard z < v + 4; }, d -> d { guard w[v > 0] >= 5; }; } system P;`,
			"E<> P.d and y < 9",
			`a lower 0 3 3 - 5 5, upper 0 7 9 - 6 6
b lower 0 3 3 - 5 5, upper 0 7 9 6 6 6
c lower 0 3 3 - 5 5, upper 0 7 9 6 6 6
d lower 0 - - - 5 5, upper 0 - 9 - - -`},
		{`clock x, y; process P() { state a, b; init a; trans a -> b { guard x - y < -3 && x >= 1; }; } system P;`, "E<> P.b",
			`a lower 0 3 3, upper 0 3 3
b lower 0 3 3, upper 0 3 3`},
		{`clock x, w[2], u[2]; int[0,1] v; process P() { state a; init a; trans a -> a { guard w[v] - x <= 2 && x - u[v] < 5; }; } system P;`, "E<> P.a",
			`a lower 0 5 2 2 5 5, upper 0 5 2 2 5 5`},
		{`clock x, y; process P() { state a { y < 2 }, b; init a; trans a -> b { guard x >= 1; }; } system P;`, "A[] not deadlock",
			`a lower 0 1 -, upper 0 - 2
b lower 0 - -, upper 0 - -`},
	} {
		net, err := uppaal.Read("m.xta", c.text, "m.q", c.query)
		if err != nil {
			t.Fatal(err)
		}
		a, err := analyse(t.Context(), net, []*timed.Formula{net.Queries[0].Formula})
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for i, l := range net.Processes[0].Locations {
			numbers := a.table([]int32{int32(i)})
			line := fmt.Sprintf("%s lower %d, upper %d", l.Name, numbers.lower, numbers.upper)
			lines = append(lines,
				strings.NewReplacer("[", "", "]", "", fmt.Sprint(none), "-").Replace(line))
		}
		if got := strings.Join(lines, "\n"); got != c.want {
			t.Errorf("%s: got\n%s", c.text, got)
		}
	}
}

// TestUnknown: an undecidable query stays open, with the reason.
func TestUnknown(t *testing.T) {
	grows := `int v; process P() { state a; init a; trans a -> a { assign v = v + 1; }; } system P;`
	if r := check(t, grows, "A[] v >= 0", Options{})[0]; r.Answer != Unknown ||
		!strings.Contains(r.Reason, "not between") {
		t.Errorf("%d %s", r.Answer, r.Reason)
	}
	if r := check(t, grows, "A[] v >= 0", Options{MaxStates: 10})[0]; r.Answer != Unknown ||
		!strings.Contains(r.Reason, "limit") {
		t.Errorf("%d %s", r.Answer, r.Reason)
	}
	if r := check(t, lamp, "A<> deadlock", Options{})[0]; r.Answer != Unknown {
		t.Errorf("%d %s", r.Answer, r.Reason)
	}
	if r := check(t, `clock x; process P() { state a; init a; trans a -> a { guard x > 100000000; }; } system P;`, "A[] P.a", Options{})[0]; r.Answer != Unknown {
		t.Errorf("%d %s", r.Answer, r.Reason)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	net, err := uppaal.Read("m.xta", grows, "m.q", "A[] v >= 0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Check(ctx, net, net.Queries[0], Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled check: %v", err)
	}
}

func TestTrace(t *testing.T) {
	net, err := uppaal.Read("m.xta", lamp, "m.q", "E<> v == 2 and P.off and x == 4\nE[] not P.wait")
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, q := range net.Queries {
		r, err := Check(context.Background(), net, q, Options{})
		if err != nil {
			t.Fatal(err)
		}
		tr, err := Trace(net, r)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range tr.Steps {
			line := s.Action
			for _, b := range append(s.Args, s.State...) {
				line += " " + b.Name + "=" + b.Value.String()
			}
			shown = append(shown, line)
		}
		shown = append(shown, fmt.Sprint("loop ", tr.Loop))
	}
	want := `P=off v=0 x=0
P off -> on delay=0 P=on v=1 x=0
P on -> off delay=4 P=off v=2 x=4
loop -1`
	if got := strings.Join(shown[:4], "\n"); strings.TrimSpace(got) != want {
		t.Errorf("got\n%s", got)
	}
	if last := shown[len(shown)-1]; last == "loop -1" {
		t.Errorf("the witness of E[] has no loop:\n%s", strings.Join(shown, "\n"))
	}
}

// TestRunsStayWithin: the runs that liveness gives never meet the goal.
func TestRunsStayWithin(t *testing.T) {
	net, err := uppaal.Read("m.xta", example(t, "fischer", 2), "m.q", "A<> P(1).cs\nP(1).req --> P(1).cs")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range net.Queries {
		r, err := Check(context.Background(), net, q, Options{})
		if err != nil || r.Answer != NotSatisfied || r.Run == nil {
			t.Fatalf("%s: %+v %v", q.Text, r, err)
		}
		moments, err := timed.Moments(net, r.Run, nil)
		if err != nil {
			t.Fatal(err)
		}
		if first, last := moments[r.Loop].State,
			moments[len(r.Run.Steps)].State; fmt.Sprint(first) != fmt.Sprint(last) {
			t.Errorf("%s: the loop begins in %v and ends in %v", q.Text, first, last)
		}
		for _, m := range moments[r.Loop:] {
			if net.Processes[0].Locations[m.State[0]].Name == "cs" {
				t.Errorf("%s: the loop meets the goal", q.Text)
			}
		}
	}
}

// What UPPAAL accepts.
func TestAccepted(t *testing.T) {
	for _, c := range []struct {
		declarations, guard, query string
		want                       Answer
	}{
		{"typedef struct { int[0,2] p; bool q; } rec; rec r = {1, true}; const rec k = {1, true};",
			"r == k", "E<> P.b", Satisfied},
		{"typedef struct { int[0,2] p; bool q; } rec; rec r = {1, true}, s;", "r != s", "E<> P.b and r == s", NotSatisfied},
		{"int[0,1] a[3], b[3] = {0, 0, 1};", "a == b", "E<> P.b", NotSatisfied},
		{"int8_t v = INT8_MIN; uint8_t w = UINT8_MAX; int32_t z = INT32_MAX;", "v == -128 && w == 255 && z == 2147483647", "E<> P.b", Satisfied},
		{"typedef int[0,3] uint8_t; uint8_t v = 3;", "v == 3", "E<> P.b", Satisfied},
		{"int[0,2] v = 1;", "v == 1 ? v > 0 and v < 2 : v == 3", "E<> P.b", Satisfied},
		{"const int N = 1;", "forall (i : int[0,N-2]) false", "E<> P.b", Satisfied},
		{"const int N = 1;", "exists (i : int[3,0]) true", "E<> P.b", NotSatisfied},
		{"int v = -3;", "abs(v) == 3 && abs(4) == 4 && fint(v) == v", "E<> P.b", Satisfied},
		{"bool p = true, q;", "(p xor q) && not (p xor p)", "E<> P.b", Satisfied},
		{"int[0,1] a[2]; bool p;", "p && a[7] == 1", "E<> P.b", NotSatisfied},
		{"int[0,1] a[2]; bool p = true;", "p && a[7] == 1", "E<> P.b", Unknown},
		{"int v;", "v == 1 && 1 / 0 == v", "E<> P.b", NotSatisfied},
		{"int v; void f() { assert(v == 0); }", "true", "E<> P.b", Satisfied},
		{"", "true", "E<> P.b and P.here() == 2", Satisfied},
		{"int v(const int &p) { return p; }", "true", "E<> P.b", Satisfied},
	} {
		text := c.declarations + " process P() { int here() { return 2; } state a, b; init a; trans a -> b { guard " + c.guard + "; }; } system P;"
		if r := check(t, text, c.query, Options{})[0]; r.Answer != c.want ||
			c.want == Unknown && !strings.Contains(r.Reason, "the index 7 is not between 0 and 1") {
			t.Errorf("%s %s: %d %s", c.declarations, c.guard, r.Answer, r.Reason)
		}
	}
	r := check(t, "process P(const int &n) { state a, b; init a; trans a -> b { guard n == 3; }; } Q = P(3); system Q;", "E<> Q.b", Options{})[0]
	if r.Answer != Satisfied {
		t.Errorf("%+v", r)
	}
}

// TestProgress: a search says now and then how far it is; a short one says nothing.
func TestProgress(t *testing.T) {
	net, err := uppaal.Read("m.xta", example(t, "fischer", 6), "m.q",
		"A[] not deadlock\nP(1).req --> P(1).wait\nE<> P(1).cs")
	if err != nil {
		t.Fatal(err)
	}
	claims, err := Claims(net, nil)
	if err != nil {
		t.Fatal(err)
	}
	var last engine.Progress
	seen := map[string]bool{}
	task := &engine.Task{Method: engine.Explore, Network: net, Claims: claims}
	found, err := (&Engine{}).Run(context.Background(), task, engine.Sink{
		Progress: func(p engine.Progress) {
			if p.Subtask == last.Subtask && p.Done <= last.Done || p.Unit != "zones" {
				t.Errorf("%+v after %+v", p, last)
			}
			last = p
			name, _, _ := strings.Cut(p.Text, ": ")
			seen[name] = true
		}})
	if err != nil || len(found.Results) != 3 {
		t.Fatal(found, err)
	}
	if len(seen) != 2 || !seen["A[] not deadlock"] || !seen["P(1).req --> P(1).wait"] {
		t.Errorf("progress of %v", seen)
	}
}

// TestAskedAgain: a query that a file asks twice is decided once, and reported at both places.
func TestAskedAgain(t *testing.T) {
	queries := "E<> P(1).cs\nA[] not P(1).cs\nE<> P(1).cs"
	net, err := uppaal.Read("m.xta", example(t, "fischer", 2), "m.q", queries)
	if err != nil {
		t.Fatal(err)
	}
	net.Source = net.Queries[0].Span.Source
	claims, err := Claims(net, nil)
	if err != nil {
		t.Fatal(err)
	}
	task := &engine.Task{Method: engine.Explore, Network: net, Claims: claims}
	found, err := (&Engine{}).Run(context.Background(), task, engine.Sink{})
	if err != nil || len(found.Results) != 3 {
		t.Fatal(found, err)
	}
	first, other, again := found.Results[0], found.Results[1], found.Results[2]
	if first.Trace == nil || first.Trace != again.Trace || first.Elapsed == 0 ||
		again.Elapsed != 0 {
		t.Errorf("decided twice: %+v and %+v", first, again)
	}
	if first.Line != 1 || other.Line != 2 || again.Line != 3 || other.Verdict != result.Violated {
		t.Errorf("lines %d, %d, %d: %+v", first.Line, other.Line, again.Line, other)
	}
}

// TestKinds: the kind of a query's row, and the verdict of one that is not satisfied.
func TestKinds(t *testing.T) {
	text := "process P() { state a, b; init a; } system P;"
	for _, c := range []struct {
		query   string
		kind    result.Kind
		verdict result.Verdict
	}{
		{"E<> P.a", result.Scenario, result.Holds},
		{"E<> P.b", result.Scenario, result.NoRun},
		{"A[] P.a", result.Safety, result.Holds},
		{"A[] P.b", result.Safety, result.Violated},
		{"A[] not deadlock", result.Deadlock, result.Violated},
		{"A[] (P.b imply not deadlock)", result.Safety, result.Holds},
		{"E<> deadlock", result.Scenario, result.Holds},
		{"A<> P.b", result.Liveness, result.Violated},
		{"E[] P.b", result.Scenario, result.NoRun},
		{"E[] P.a", result.Scenario, result.Holds},
		{"P.a --> P.b", result.Liveness, result.Violated},
		{"simulate [<=5] { 1 }", result.Safety, result.Unknown},
	} {
		net, err := uppaal.Read("m.xta", text, "m.q", c.query)
		if err != nil {
			t.Fatal(err)
		}
		claims, err := Claims(net, nil)
		if err != nil {
			t.Fatal(err)
		}
		found, err := (&Engine{}).Run(t.Context(),
			&engine.Task{Method: engine.Explore, Network: net, Claims: claims}, engine.Sink{})
		if err != nil {
			t.Fatal(err)
		}
		if r := found.Results[0]; r.Kind != c.kind || r.Verdict != c.verdict {
			t.Errorf("%s: %s, %s, want %s, %s", c.query, r.Kind, r.Verdict, c.kind, c.verdict)
		}
	}
}
