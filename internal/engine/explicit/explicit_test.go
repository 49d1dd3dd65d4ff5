package explicit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// check explores the first instance and returns the results by property.
func check(t *testing.T, sys *system.System, opts explicit.Options) map[string]result.Result {
	t.Helper()
	out, _ := checkStats(t, sys, opts)
	return out
}

// checkStats is Check with all statistics.
func checkStats(
	t *testing.T, sys *system.System, opts explicit.Options,
) (map[string]result.Result, explicit.Stats) {
	t.Helper()
	opts.Vacuity = true
	x, err := explicit.Explore(context.Background(), sys, sys.Instances[0], opts)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]result.Result{}
	for _, r := range x.Results {
		out[r.Property] = r
	}
	return out, x.Stats
}

// summary is a result on one line.
func summary(r result.Result) string {
	out := fmt.Sprintf("%s, %d states, %d transitions, depth %d", r.Verdict, r.States,
		r.Transitions, r.Depth)
	if r.Reason.Text != "" {
		out += ": " + r.Reason.Text
	}
	return out
}

const counter = `
	mutable constant n: 0..9
	mutable relation flag
	init n = 0 & !flag
	action up() { require n < 4; n := n + 1; }
	action down() { require n > 0; n := n - 1; }
	action raise() { require n = 3; flag := true; n := 4; }
	action never() { require n = 7; flag := false; }
	safety [small] n <= 4
	safety [low] n <= 2
	safety [unflagged] !flag
	invariant [less] n < 3 | flag
	instance i { }`

func TestVerdictsAndCounts(t *testing.T) {
	got, stats := checkStats(t, testkit.Compile(t, counter), explicit.Options{Deadlock: true})
	for name, want := range map[string]string{
		"small":     "holds, 10 states, 18 transitions, depth 9",
		"low":       "violated, 4 states, 5 transitions, depth 4",
		"unflagged": "violated, 6 states, 8 transitions, depth 5",
		"less":      "violated, 4 states, 5 transitions, depth 4",
		"range:n":   "holds, 10 states, 18 transitions, depth 9",
		"deadlock":  "holds, 10 states, 18 transitions, depth 9",
	} {
		if s := summary(got[name]); s != want {
			t.Errorf("%s: %s; want %s", name, s, want)
		}
	}
	if got["low"].Trace.Violates != "low" || got["low"].Trace.Line != 10 || got["low"].Line != 10 ||
		got["low"].Scope != "i" {
		t.Errorf("result of low: %+v, trace %+v", got["low"], got["low"].Trace)
	}
	stats.PeakBytes, stats.Probes = 0, store.Probes{}
	if s := fmt.Sprintf("%+v", stats); s != "{States:10 Generated:0 Transitions:18 Depth:9 Initial:1 Deadlocks:0 Bits:false Words:0 Complete:true Work:0 OutOfWork:false PeakBytes:0 Probes:{Inserts:0 Buckets:0 Compares:0} Levels:[1 1 1 1 2 1 1 1 1] Vacuous:[] Shown:[] NeverEnabled:[never] Sample:[] Unreduced: Uncompiled: Asymmetric: Symmetric:{Sampled:0 Left:0}}" {
		t.Error(s)
	}
	var actions []string
	for _, s := range got["unflagged"].Trace.Steps {
		actions = append(actions, s.Action)
	}
	if s := strings.Join(actions, " "); s != " up up up raise" {
		t.Errorf("trace of unflagged: %s", s)
	}
}

func TestSearchStopsWhenAllIsDecided(t *testing.T) {
	got, stats := checkStats(t, testkit.Compile(t, counter),
		explicit.Options{Only: []string{"low"}})
	if len(got) != 1 || summary(got["low"]) != "violated, 4 states, 5 transitions, depth 4" ||
		stats.Complete || stats.States != 4 {
		t.Errorf("%v, %+v", got, stats)
	}
}

// Once the safety properties are violated the search ends with the level; an invariant that only
// helps a proof stays open.
func TestSearchStopsAtTheViolationOfSafety(t *testing.T) {
	text := strings.Replace(strings.Replace(counter, "safety [small]", "invariant [small]", 1), "safety [unflagged]", "invariant [unflagged]", 1)
	for _, c := range []struct {
		deadlock bool
		want     map[string]string
	}{
		{false, map[string]string{
			"small":     "holds up to k, 4 states, 5 transitions, depth 4: the search stopped at the violation of low",
			"low":       "violated, 4 states, 5 transitions, depth 4",
			"unflagged": "holds up to k, 4 states, 5 transitions, depth 4: the search stopped at the violation of low",
			"less":      "violated, 4 states, 5 transitions, depth 4",
		}},
		{true, map[string]string{ // without a deadlock the search goes on
			"low":       "violated, 4 states, 5 transitions, depth 4",
			"unflagged": "violated, 6 states, 8 transitions, depth 5",
			"deadlock":  "holds, 10 states, 18 transitions, depth 9",
		}},
	} {
		got := check(t, testkit.Compile(t, text), explicit.Options{Deadlock: c.deadlock})
		for name, want := range c.want {
			if s := summary(got[name]); s != want {
				t.Errorf("deadlock %v: %s: %s; want %s", c.deadlock, name, s, want)
			}
		}
	}
}

func TestOnlyNamesProperties(t *testing.T) {
	sys := testkit.Compile(t, "mutable relation p\ninit p\naction a() { p := true; }\nsafety [s] p\ntheorem [t] p -> p\ninstance i { }")
	for name, want := range map[string]string{"x": `no property "x"`, "t": "t is theorem"} {
		_, err := explicit.Check(context.Background(), sys, sys.Instances[0],
			explicit.Options{Only: []string{name}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOneResult(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name, text, property string
		opts                 explicit.Options
		ctx                  context.Context
		want                 string
		steps                int // states of the trace, 0 for none
	}{
		{"limit of states", counter, "small", explicit.Options{Limits: engine.Limits{States: 3}}, nil,
			"holds up to k, 3 states, 3 transitions, depth 3: stopped at the limit of 3 states", 0},
		{"limit not reached", counter, "small", explicit.Options{Limits: engine.Limits{States: 10}}, nil, "holds, 10 states, 18 transitions, depth 9", 0},
		{"violated within the limit", counter, "low", explicit.Options{Limits: engine.Limits{States: 4}}, nil, "violated, 4 states, 5 transitions, depth 4", 4},
		{"limit of depth", counter, "small", explicit.Options{Limits: engine.Limits{Depth: 3}}, nil,
			"holds up to k, 3 states, 3 transitions, depth 3: stopped at the limit of 3 states a run", 0},
		{"interrupted", counter, "small", explicit.Options{}, cancelled, "unknown, 0 states, 0 transitions, depth 0: interrupted after 0 states; not even all initial states were looked at", 0},
		{"no initial state", "mutable relation p\ninit p & !p\nsafety [s] p\ninstance i { }", "s",
			explicit.Options{}, nil,
			"nothing checked, 0 states, 0 transitions, depth 0: no initial state", 0},
		{"violated at once", "mutable relation p\nsafety [s] p\ninstance i { }", "s",
			explicit.Options{}, nil, "violated, 2 states, 0 transitions, depth 1", 1},
		{"deadlock", "mutable constant n: 0..2\ninit n = 0\naction a() { require n < 2; n := n + 1; }\ninstance i { }", "deadlock",
			explicit.Options{Deadlock: true}, nil, "violated, 3 states, 2 transitions, depth 3", 3},
		{"outside of the range", "mutable constant n: 0..2\ninit n = 0\naction a() { n := n + 1; }\naction b() { require n = 2; n := 0; }\ninstance i { }",
			"range:n", explicit.Options{}, nil, "violated, 4 states, 4 transitions, depth 4", 4},
		{"zero outside of the range", "mutable constant n: 1..4\ninit n = 4\naction a() { n := 4 - n; }\ninstance i { }",
			"range:n", explicit.Options{}, nil, "violated, 2 states, 1 transitions, depth 2", 2},
		{"others are not called safe then", "mutable constant n: 0..2\ninit n = 0\naction a() { n := n + 1; }\nsafety [s] n < 9\ninstance i { }",
			"s", explicit.Options{}, nil, "holds up to k, 4 states, 3 transitions, depth 4: states that violate range:n were not explored further", 0},
		{"also when nobody asks for the range", "mutable constant n: 0..2\ninit n = 0\naction a() { n := n + 1; }\nsafety [s] n < 9\ninstance i { }",
			"s", explicit.Options{Only: []string{"s"}}, nil, "holds up to k, 4 states, 3 transitions, depth 4: states that violate range:n were not explored further", 0},
		{"errors outside of the range do not count", "mutable constant n: 0..2\nmutable relation r(0..2)\ninit n = 0 & r(K)\naction a() { n := n + 1; }\nsafety [s] r(n)\ninstance i { }",
			"s", explicit.Options{}, nil, "holds up to k, 4 states, 3 transitions, depth 4: states that violate range:n were not explored further", 0},
		{"overflow", "mutable constant n: int\ninit n = 1\naction grow() { n := n * 4611686018427387904; }\nsafety [s] n > 0\ninstance i { }",
			"s", explicit.Options{}, nil, "unknown, 2 states, 1 transitions, depth 2: action grow(): test.ere:3:22: the result of * does not fit in 64 bits", 2},
		{"reading outside of a range", "mutable relation r(0..2)\nmutable constant n: int\ninit n = 1 & !r(K)\naction a(k: 0..1) { require !r(n + k); n := n + 1; }\nsafety [s] n < 9\ninstance i { }",
			"s", explicit.Options{}, nil,
			"holds up to k, 2 states, 1 transitions, depth 2: states that violate argument:r were not explored further", 0},
		{"the claim about arguments", "mutable relation r(0..2)\nmutable constant n: int\ninit n = 1 & !r(K)\naction a(k: 0..1) { require !r(n + k); n := n + 1; }\nsafety [s] n < 9\ninstance i { }",
			"argument:r", explicit.Options{}, nil, "violated, 2 states, 1 transitions, depth 2", 2},
		{"error in a property", "mutable constant n: int\ninit n = 1\naction a() { require n < 3; n := n + 1; }\nsafety [s] n < 2 | n * 9223372036854775807 > 0\nsafety [t] n < 4\ninstance i { }",
			"s", explicit.Options{}, nil, "unknown, 2 states, 1 transitions, depth 2: s cannot be evaluated in a reachable state: test.ere:4:20: the result of * does not fit in 64 bits", 2},
		{"and the others go on", "mutable constant n: int\ninit n = 1\naction a() { require n < 3; n := n + 1; }\nsafety [s] n < 2 | n * 9223372036854775807 > 0\nsafety [t] n < 4\ninstance i { }",
			"t", explicit.Options{}, nil, "holds, 3 states, 2 transitions, depth 3", 0},
		{"error in init", "mutable relation r(0..2)\nimmutable constant n: int\ninit r(n)\nsafety [s] r(0)\ninstance i { n = 7 }",
			"s", explicit.Options{}, nil, "unknown, 0 states, 0 transitions, depth 0: initial states: test.ere:3:6: r is applied to 7, which is outside of its range 0..2 (0..2)", 0},
		{"trusted", "mutable constant n: 0..9\ninit n = 0\naction a() { n := n + 1; }\ntrusted invariant n < 3\nsafety [s] n < 3\ninstance i { }",
			"s", explicit.Options{}, nil, "holds, 3 states, 2 transitions, depth 3", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.ctx == nil {
				c.ctx = context.Background()
			}
			sys := testkit.Compile(t, c.text)
			results, err := explicit.Check(c.ctx, sys, sys.Instances[0], c.opts)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if r.Property != c.property {
					continue
				}
				if s := summary(r); s != c.want {
					t.Errorf("got  %s\nwant %s", s, c.want)
				}
				steps := 0
				if r.Trace != nil {
					steps = len(r.Trace.Steps)
				}
				if steps != c.steps {
					t.Errorf("a trace of %d states, want %d", steps, c.steps)
				}
				return
			}
			t.Errorf("no result for %s", c.property)
		})
	}
}

func TestProgress(t *testing.T) {
	sys := testkit.Compile(t, counter)
	calls := 0
	told := map[string]int{} // violations, each at once
	results := check(t, sys, explicit.Options{Sink: engine.Sink{Progress: func(p engine.Progress) {
		if name, _, ok := strings.Cut(p.Text, " is violated in i, in a run of "); ok && p.Finished {
			told[name]++
			return
		}
		calls++
		if p.Done < 1 || p.Subtask != sys.Instances[0].Name || !strings.HasPrefix(p.Text, "exploring ") {
			t.Errorf("%+v", p)
		}
	}}})
	if calls == 0 {
		t.Error("no progress was told")
	}
	for name, r := range results {
		want := 0
		if r.Verdict == result.Violated {
			want = 1
		}
		if told[name] != want {
			t.Errorf("%s is %s, and %d violations were told", name, r.Verdict, told[name])
		}
	}
}

// A search that begins again with wider states tells a violation once.
func TestViolationIsToldOnce(t *testing.T) {
	sys := testkit.Compile(t, `
mutable constant x: int, y: int
init x = 0 & y = 0
action step() { require x < 10000; x := x + 1; y := y + 1000; }
safety [early] x != 3
safety [late] x <= 10000
instance i { }
`)
	told := 0
	check(t, sys, explicit.Options{Sink: engine.Sink{Progress: func(p engine.Progress) {
		if p.Finished {
			told++
		}
	}}})
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}

// Traces do not depend on the order of maps: equal runs give equal traces.
func TestTracesAreCanonical(t *testing.T) {
	var first string
	for range 5 {
		r := check(t, testkit.Compile(t, lockServer(true)), explicit.Options{})["mutex"]
		if r.Verdict != result.Violated {
			t.Fatal(r.Verdict)
		}
		trace := fmt.Sprintf("%+v", r.Trace)
		if first == "" {
			first = trace
		}
		if trace != first {
			t.Fatalf("traces differ:\n%s\n%s", first, trace)
		}
	}
}

// lockServer is a lock server; a wrong one can lose the lock.
func lockServer(wrong bool) string {
	text := `
		sort node
		mutable relation lock_msg(node)
		mutable relation grant_msg(node)
		mutable relation unlock_msg(node)
		mutable relation holds_lock(node)
		mutable relation server_holds_lock()
		init !lock_msg(N) & !grant_msg(N) & !unlock_msg(N) & !holds_lock(N) & server_holds_lock
		transition send_lock(n: node) modifies lock_msg
		  new(lock_msg(N)) <-> lock_msg(N) | N = n
		transition recv_lock(n: node) modifies lock_msg, server_holds_lock, grant_msg
		  server_holds_lock & lock_msg(n) & !new(server_holds_lock)
		  & (new(lock_msg(N)) <-> lock_msg(N) & N != n) & (new(grant_msg(N)) <-> grant_msg(N) | N = n)
		action recv_grant(n: node) { require grant_msg(n); grant_msg(n) := false; holds_lock(n) := true; }
		action unlock(n: node) { require holds_lock(n); holds_lock(n) := false; unlock_msg(n) := true; }
		action recv_unlock(n: node) { require unlock_msg(n); unlock_msg(n) := false; server_holds_lock := true; }
		safety [mutex] holds_lock(N1) & holds_lock(N2) -> N1 = N2
		instance i { node = 3 }`
	if wrong {
		text += "\naction fail(n: node) { require grant_msg(n); server_holds_lock := true; }"
	}
	return text
}

func TestLockServer(t *testing.T) {
	r := check(t, testkit.Compile(t, lockServer(false)), explicit.Options{})["mutex"]
	if s := summary(r); s != "holds, 80 states, 274 transitions, depth 8" {
		t.Error(s)
	}
	r = check(t, testkit.Compile(t, lockServer(true)), explicit.Options{})["mutex"]
	if r.Verdict != result.Violated || r.Depth != 8 {
		t.Error(summary(r))
	}
}
