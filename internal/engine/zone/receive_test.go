package zone

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/uppaal"
)

// Forty processes receive a broadcast where their clocks allow it. Of the 2^40 sets of receivers,
// the ones that are possible in a zone are looked at.
func TestManyReceivers(t *testing.T) {
	const n = 40
	var b, line strings.Builder
	b.WriteString("broadcast chan go; clock g;\nprocess S() { state a { g <= 9 }, b; init a; " +
		"trans a -> b { guard g >= 9; sync go!; }; }\n" +
		"process R(const int[0,39] id) { clock x; state a { x <= 60 }, b; init a; trans " +
		"a -> b { guard x >= id; sync go?; }; }\n")
	line.WriteString("system S, R;\n")
	var in []string
	for i := range n {
		l := "b"
		if i > 9 {
			l = "a"
		}
		in = append(in, fmt.Sprintf("R(%d).%s", i, l))
	}
	net, err := uppaal.Read("m.xta", b.String()+line.String(), "m.q", fmt.Sprintf(
		"E<> S.b and %s\nE<> R(9).a and S.b\n", strings.Join(in, " and ")))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Answer{Satisfied, NotSatisfied} {
		for _, o := range []Options{{Threads: 1}, {Threads: 2, eager: true}} {
			r, err := Check(context.Background(), net, net.Queries[i], o)
			if err != nil || r.Answer != want {
				t.Errorf("%s: %d %s, %v", net.Queries[i].Text, r.Answer, r.Reason, err)
			}
		}
	}
}

// A sum of many delays is largest where each delay is. Random delays never show that.
func TestLatestWalk(t *testing.T) {
	var b strings.Builder
	b.WriteString("clock z; process P(const int[0,29] id) { clock x; state a { x <= 10 }, b, c; " +
		"init a; trans a -> a { guard x > 2; assign x = 0; }; }\n" +
		"int n; process Q() { clock x; state a { x <= 10 }, late; init a; trans " +
		"a -> a { guard x > 2 && n < 100; assign x = 0, n = n + 1; }, " +
		"a -> late { guard n == 100 && z >= 1005; }; }\nsystem P, Q;\n")
	net, err := uppaal.Read("m.xta", b.String(), "m.q", "E<> Q.late\n")
	if err != nil {
		t.Fatal(err)
	}
	a, err := analyse(context.Background(), net, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := newStroller(net, a, net.Queries[0].Formula)
	const made, seen = 100_000, 31 // steps of a walk, and steps that it can choose from
	if !s.stroll(context.Background(), made*seen) {
		t.Error("it is not found")
	}
}
