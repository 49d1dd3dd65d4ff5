package uppaal

import (
	"fmt"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/timed"
)

// What is declared is part of the network, in its order, with its priorities.
func TestDeclarations(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"chan a, b[2]; urgent chan c; broadcast chan d; chan priority b[1] < a, default < c < b[0]; process P() { state q; init q; } system P;",
			"a 0, b[0] 2, b[1] -1, c 1 urgent, d 0 broadcast; P 0"},
		{"chan a, b, c; chan priority b < a; process P() { state q; init q; } system P;",
			"a 1, b 0, c 0; P 0"},
		{"process P(int[1,3] i) { state q; init q; } process R() { state q; init q; } system R < P;",
			"; R 0, P(1) 1, P(2) 1, P(3) 1"},
		{"process P(int[0,4] i, const int j) { state q; init q; } Q(int[2,3] k) = P(k, 7); system Q;",
			"; Q(2) 0, Q(3) 0"},
		{"process P(int[0,4] i) { state q; init q; } Q() = P(4); R := P(3); system R, Q < P(2);",
			"; R 0, Q 0, P(2) 1"},
		{"process P() { state q; init q; } system P; // a comment at the end", "; P 0"},
		{"process P() { state q; init q; } /* a\ncomment */ system P;", "; P 0"},
		{"typedef scalar[2] s; process P(s i) { state q; init q; } system P;", "; P(0) 0, P(1) 0"},
	} {
		net, err := Read("m.xta", c.text, "", "")
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var channels, processes []string
		for _, x := range net.Channels {
			text := fmt.Sprint(x.Name, " ", x.Priority)
			if x.Urgent {
				text += " urgent"
			}
			if x.Broadcast {
				text += " broadcast"
			}
			channels = append(channels, text)
		}
		for _, p := range net.Processes {
			processes = append(processes, fmt.Sprint(p.Name, " ", p.Priority))
		}
		got := strings.Join(channels, ", ") + "; " + strings.Join(processes, ", ")
		if got != c.want {
			t.Errorf("%s\n%s, want %s", c.text, got, c.want)
		}
	}
}

// Queries are read from lines, with comments and continuations. What is wrong with one concerns it
// alone.
func TestQueries(t *testing.T) {
	const text = "int sup; int inf; clock x; process P(int[0,1] i) { int[0,3] n; state q, r; init q; } system P;"
	net, err := Read("m.xta", text, "m.q", `// a comment
E<> P(0).q // another
/* one */A[] P(1).n < 4
/* over
lines */ A<> P(0).r
P(0).q --> P(1).r
P(0).q and \
  x > 2 --> P(1).r
sup == 1 --> inf == 2
sup: P(0).n, x
sup{P(0).q}: P(0).n
inf{P(0).q and x > 1}: x
E[] not deadlock
E<> P(5).q
E<> Q.q
E<> P.q
E<> x + 1 > 2
A[ P(0).q U P(1).q ]
E<> P(0).q under S
sup
A[] forall (i : int[0,1]) P(i).n < 4
`)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[timed.QueryKind]string{timed.Invariantly: "A[]", timed.Possibly: "E<>",
		timed.Inevitably: "A<>", timed.Always: "E[]", timed.LeadsTo: "-->", timed.Supremum: "sup",
		timed.Infimum: "inf"}
	want := []string{"E<>", "A[]", "A<>", "-->", "-->", "-->", "sup 2", "sup 1", "inf 1", "E[]",
		"there is no process P(5) in the system line",
		"there is no variable and no process Q; there are ", "the process P has parameters",
		"the value of a clock cannot be read here", "(until) are not supported",
		"strategies are not supported", "expected '-->'", "A[]"}
	for i, q := range net.Queries {
		got := kinds[q.Kind]
		if len(q.Measures) > 0 {
			got += fmt.Sprint(" ", len(q.Measures))
		}
		if q.Refused != "" {
			got = q.Refused
		}
		if i < len(want) && (!strings.Contains(got, want[i]) || q.Refused == "" && got != want[i]) {
			t.Errorf("%s: %s, want %s", q.Text, got, want[i])
		}
	}
	if len(net.Queries) != len(want) {
		t.Errorf("%d queries, want %d", len(net.Queries), len(want))
	}
}

// Elements of a scalar set that a model can tell apart are no orbit; what it cannot tell apart is
// one.
func TestApart(t *testing.T) {
	const head = "typedef scalar[3] s; int a[s]; int c[s]; int b[3]; int n; s e; "
	body := func(code string) string {
		return head + "void f() { " + code + " } process P(s i) { state q; init q; trans q -> q { assign f(); }; } system P;"
	}
	for _, c := range []struct {
		text  string
		apart bool
	}{
		{body("for (i : s) a[i] = 1;"), false},
		{body("for (i : s) { a[i] = 1; c[i] := n; }"), false},
		{body("for (i : s) for (j : int[0,1]) a[i] = j;"), false},
		{body("for (i : s) a[i] = n + b[0];"), false},
		{body("for (i : s) n = a[i];"), true},
		{body("for (i : s) a[i] += 1;"), true},
		{body("for (i : s) a[i] = a[e];"), true},
		{body("for (i : s) { a[i] = 1; a[i] = 2; }"), true},
		{body("for (i : s) a[e] = 1;"), true},
		{body("for (i : s) { int k; a[i] = k; }"), true},
		{body("for (i : s) a[i] = n++;"), true},
		{body("for (i : s) e = i;"), true},
		{body("for (i : s) if (n > 0) a[i] = 1;"), true},
		{body("for (i : s) for (i : int[0,1]) b[i] = 1;"), true},
		{body("for (i : s) b[b[0]++] = 1;"), true},
		{head + "const int k[s] = {1, 1, 1}; process P(s i) { state q; init q; } system P;", false},
		{head + "const int k[s] = {1, 2, 1}; process P(s i) { state q; init q; } system P;", true},
		{head + "broadcast chan h; process P(s i) { state q; init q; trans q -> q { sync h?; assign a[i] = 1; }; } system P;",
			true},
		{head + "broadcast chan h; process P(s i) { int o; state q; init q; trans q -> q { sync h?; assign o = 1; }; } system P;",
			false},
		{head + "chan h; process P(s i) { state q; init q; trans q -> q { sync h?; assign n = 1; }; } system P;",
			false},
	} {
		net, err := Read("m.xta", c.text, "", "")
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := net.Scalars[1].Apart; (got != "") != c.apart {
			t.Errorf("%s: %q, want one: %v", c.text[len(head):], got, c.apart)
		}
	}
}

// Conditions on clocks are the bounds that they say, in all points of a grid.
func TestClockConditions(t *testing.T) {
	for _, c := range []struct {
		text string
		is   func(x, y, n int) bool
	}{
		{"x < n", func(x, _, n int) bool { return x < n }},
		{"n + 1 <= x", func(x, _, n int) bool { return n+1 <= x }},
		{"x > 2", func(x, _, _ int) bool { return x > 2 }},
		{"2 > x", func(x, _, _ int) bool { return 2 > x }},
		{"y >= n", func(_, y, n int) bool { return y >= n }},
		{"y == 3", func(_, y, _ int) bool { return y == 3 }},
		{"!(y != 3)", func(_, y, _ int) bool { return y == 3 }},
		{"x - y < n", func(x, y, n int) bool { return x-y < n }},
		{"x - y >= -1", func(x, y, _ int) bool { return x-y >= -1 }},
		{"n <= y - x", func(x, y, n int) bool { return n <= y-x }},
		{"x <= y && y < n", func(x, y, n int) bool { return x <= y && y < n }},
		{"x > y", func(x, y, _ int) bool { return x > y }},
		{"!(x > y or y > n)", func(x, y, n int) bool { return x <= y && y <= n }},
		{"n > 1 imply x <= 1", func(x, _, n int) bool { return n <= 1 || x <= 1 }},
		{"n == 2 && x == y", func(x, y, n int) bool { return n == 2 && x == y }},
		{"forall (i : int[1,2]) (n == i imply y > i)", func(_, y, n int) bool {
			return (n != 1 || y > 1) && (n != 2 || y > 2)
		}},
		{"n == 1 ? true : false", func(_, _, n int) bool { return n == 1 }},
	} {
		net, err := Read("m.xta", "clock x, y; int[0,4] n; process P() { state a; init a; trans a -> a { guard "+
			c.text+"; }; } system P;", "", "")
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		edge := net.Processes[0].Locations[0].Out[0]
		m := &timed.NewStepper(net, nil).Memory
		for i := range 5 * 5 * 5 {
			x, y, n := i%5, i/5%5, i/25
			m.Cells[net.Variables[0].Cell] = int32(n)
			clocks := []int{0, x, y}
			got := edge.Guard == nil || edge.Guard(m) != 0
			for _, k := range edge.Clocks {
				d := clocks[k.I.Index(m)] - clocks[k.J.Index(m)]
				bound := int(k.Bound.Eval(m))
				got = got && (k.Cond != nil && k.Cond(m) == 0 || d < bound ||
					d == bound && !k.Strict)
			}
			if got != c.is(x, y, n) {
				t.Fatalf("%s is %v for x = %d, y = %d, n = %d", c.text, got, x, y, n)
			}
		}
	}
}
