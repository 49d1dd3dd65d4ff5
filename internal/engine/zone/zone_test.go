package zone

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"erelong/internal/front/uppaal"
	"erelong/internal/timed"
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

// TestStoredZones compares with what TChecker 0.8 stores for the same models (breadth-first, covering, ExtraLU+). No fewer zones than
// are incomparable may be kept, and no more than TChecker keeps.
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

// TestBrokenFischer: with a guard that is too weak two processes are in the critical section, and the run has exact delays.
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
		if r := check(t, lamp, query, Options{})[0]; r.Value != want && !strings.HasPrefix(r.Reason, want) {
			t.Errorf("%s: %q %q, want %q", query, r.Value, r.Reason, want)
		}
	}
}

// TestZeno: runs on which time stands still do not count, and a verdict that depends on that says so.
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
}

// TestUnknown: what cannot be decided is not decided, and says why.
func TestUnknown(t *testing.T) {
	grows := `int v; process P() { state a; init a; trans a -> a { assign v = v + 1; }; } system P;`
	if r := check(t, grows, "A[] v >= 0", Options{})[0]; r.Answer != Unknown || !strings.Contains(r.Reason, "not between") {
		t.Errorf("%d %s", r.Answer, r.Reason)
	}
	if r := check(t, grows, "A[] v >= 0", Options{MaxStates: 10})[0]; r.Answer != Unknown || !strings.Contains(r.Reason, "limit") {
		t.Errorf("%d %s", r.Answer, r.Reason)
	}
	if r := check(t, lamp, "A<> x > 3", Options{})[0]; r.Answer != Unknown {
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

// TestMatrices compares the operations with the definition, by closing naively after each.
func TestMatrices(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	const n = 4
	for range 2000 {
		z := zero(n)
		for range 6 {
			before := z.clone()
			kind := rnd.IntN(3)
			i, j, b := rnd.IntN(n), rnd.IntN(n), atMost(int64(rnd.IntN(9)-3), rnd.IntN(2) == 0)
			switch {
			case kind == 0:
				z.up()
			case kind == 1 && i > 0:
				z.reset(i, int64(rnd.IntN(3)))
			case i != j:
				ok := z.constrain(i, j, b)
				naive := before.clone()
				naive.m[i*n+j] = min(naive.m[i*n+j], b)
				naive.close()
				empty := false
				for k := range n {
					empty = empty || naive.m[k*n+k] < leZero
				}
				if ok == empty {
					t.Fatalf("constrain %d %d %d of %v: %v", i, j, b, before.m, ok)
				}
				if !ok {
					z = before
				} else if fmt.Sprint(z.m) != fmt.Sprint(naive.m) {
					t.Fatalf("constrain %d %d %d of %v: %v, want %v", i, j, b, before.m, z.m, naive.m)
				}
			}
			closed := z.clone()
			closed.close()
			if fmt.Sprint(closed.m) != fmt.Sprint(z.m) {
				t.Fatalf("%v is not canonical", z.m)
			}
		}
	}
}

// TestSubtract: every point of a grid is in exactly one of the parts, or in what was taken away.
func TestSubtract(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	random := func() zone {
		z := zero(3)
		z.up()
		for range 4 {
			y := z.clone()
			i, j := rnd.IntN(3), rnd.IntN(3)
			if k := rnd.IntN(3); k == 0 && i > 0 {
				y.reset(i, int64(rnd.IntN(2)))
				y.up()
				z = y
			} else if i != j && y.constrain(i, j, atMost(int64(rnd.IntN(7)-2), rnd.IntN(2) == 0)) {
				z = y
			}
		}
		return z
	}
	contains := func(z zone, v [3]int64) bool { // in halves
		for i := range 3 {
			for j := range 3 {
				b := z.m[i*3+j]
				if d := v[i] - v[j]; b != infinity && (d > int64(b>>1)*2 || d == int64(b>>1)*2 && b&1 == 0) {
					return false
				}
			}
		}
		return true
	}
	for range 500 {
		z, y := random(), random()
		parts := z.subtract(y)
		for x1 := int64(0); x1 < 12; x1++ {
			for x2 := int64(0); x2 < 12; x2++ {
				v := [3]int64{0, x1, x2}
				in := 0
				for _, p := range parts {
					if contains(p, v) {
						in++
					}
				}
				if want := contains(z, v) && !contains(y, v); in > 1 || (in == 1) != want {
					t.Fatalf("%v minus %v at %v: in %d parts", z.m, y.m, v, in)
				}
			}
		}
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
		if first, last := moments[r.Loop].State, moments[len(r.Run.Steps)].State; fmt.Sprint(first) != fmt.Sprint(last) {
			t.Errorf("%s: the loop begins in %v and ends in %v", q.Text, first, last)
		}
		for _, m := range moments[r.Loop:] {
			if net.Processes[0].Locations[m.State[0]].Name == "cs" {
				t.Errorf("%s: the loop meets the goal", q.Text)
			}
		}
	}
}
