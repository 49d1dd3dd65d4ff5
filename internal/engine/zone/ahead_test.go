package zone

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/uppaal"
	"erelong.dev/erelong/internal/timed"
)

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// alike compares a search by several threads with the search by one: counts, depth, value and run.
func alike(t failer, net *timed.Network, q *timed.Query, o Options, text string) *Result {
	t.Helper()
	o.Threads = 1
	one, err := Check(context.Background(), net, q, o)
	if err != nil {
		t.Fatalf("%s: %v\n%s", q.Text, err, text)
	}
	o.Threads, o.eager = 3, true
	many, err := Check(context.Background(), net, q, o)
	if err != nil {
		t.Fatalf("%s: %v\n%s", q.Text, err, text)
	}
	if !reflect.DeepEqual(one, many) {
		t.Fatalf("%s: one thread: %+v\nthree threads: %+v\n%s", q.Text, one, many, text)
	}
	return one
}

// TestThreads: several threads find what one thread finds, with the same counts and the same run:
// where zones cover others, with deadlocks, suprema, symmetry, a limit, and errors of the model.
func TestThreads(t *testing.T) {
	fischer := example(t, "fischer", 5)
	broken := strings.Replace(fischer, "x > K &&", "x >= K &&", 1)
	faulty := `int[0,3] n; clock x; process P(const int[0,4] i) { clock y; state a { y <= 9 }, b;
  init a; trans a -> b { guard y >= i; assign n = n + 1, y = 0; }, b -> a { guard y >= 2; assign n = n - 1; }; } system P;`
	for _, c := range []struct {
		text, queries string
		most          int64
		run           bool
	}{
		{fischer, "A[] not (P(1).cs and P(2).cs)\nA[] not deadlock\nE<> P(4).cs\nsup: id", 0, false},
		{broken, "A[] not (P(1).cs and P(2).cs)\nE<> P(1).cs and P(2).cs", 0, true},
		{example(t, "csma_cd", 5), "A[] not (Station(1).Start and Station(2).Start and Bus.Idle)\nA[] not deadlock", 0, false},
		{example(t, "fischer_scalar", 6), "A[] not deadlock\nA[] forall (i : id_t) forall (j : id_t) P(i).cs && P(j).cs imply i == j", 0, false},
		{fischer, "A[] not deadlock", 300, false},
		{faulty, "A[] not deadlock\nE<> n == 3\nA[] n < 4\nE<> P(0).b and P(1).b", 0, false},
	} {
		net, err := uppaal.Read("m.xta", c.text, "m.q", c.queries)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range net.Queries {
			for _, shortest := range []bool{false, true} {
				r := alike(t, net, q, Options{Shortest: shortest, MaxStates: c.most}, "")
				if c.run && r.Run == nil || !c.run && r.Steps < 5 {
					t.Errorf("%s: %+v", q.Text, r)
				}
			}
		}
	}
}

// TestCoveredBySuccessor: the numbers of a node are checked for size where they may grow, also if
// its own successor covers it.
func TestCoveredBySuccessor(t *testing.T) {
	text := `clock x; process P() { state a, b, c; init a; trans a -> b { }, b -> c { guard x >= 5; },
  c -> c { guard x <= 60000000; assign x = 0; }; } system P;`
	if r := check(t, text, "E<> false", Options{})[0]; r.Answer != NotSatisfied || r.Stored != 3 {
		t.Errorf("%+v", r)
	}
}
