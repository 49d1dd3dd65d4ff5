package zone

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"erelong.dev/erelong/internal/front/uppaal"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/timed"
)

// shape describes the generated models.
type shape struct {
	clocks    int  // shared by both processes
	most      int  // the largest number in guards; one less than in invariants
	closed    bool // no strict comparison
	bounded   bool // every location bounds every clock
	diagonals bool // guards compare differences
	ranked    bool // channels and processes have priorities

	broadcasts bool // most edges send or receive one
	stops      bool // clocks stand still in some locations
}

// below draws a number uniformly: rapid prefers small ones, which makes most edges equal.
func below(t *rapid.T, n int) int {
	return int(rapid.Uint64().Draw(t, "number") * 0x9e3779b97f4a7c15 >> 32 % uint64(n))
}

// model generates the text of two small automata with shared clocks c and a local one.
func model(t *rapid.T, s shape) string {
	var b strings.Builder
	pick := func(of ...string) string { return of[below(t, len(of))] }
	fmt.Fprintf(&b, "clock c[%d]; int[0,2] v; chan a; broadcast chan b;\n", s.clocks)
	urgent := pick("urgent ", "")
	fmt.Fprintf(&b, "%schan u; %sbroadcast chan w;\n", urgent, urgent)
	if s.ranked {
		order := rapid.Permutation([]string{"a", "b", "u", "w", "default"}).Draw(t, "order")
		for i, c := range order[1:] {
			order[i+1] = pick(", ", " < ") + c
		}
		fmt.Fprintf(&b, "chan priority %s;\n", strings.Join(order, ""))
	}
	number := func() int { return below(t, s.most+1) }
	chance := func(percent int) bool { return below(t, 100) < percent }
	upper, all := []string{"<", "<="}, []string{"<", "<=", "==", ">=", ">"}
	if s.closed {
		upper, all = []string{"<="}, []string{"<=", "==", ">="}
	}
	// A number may be an expression, and a clock may depend on the state.
	bound := func() string {
		if n := number(); s.most > 2 && chance(10) {
			return fmt.Sprintf("(%d + v)", min(n, s.most-2))
		} else {
			return fmt.Sprint(n)
		}
	}
	for p := range 2 {
		var clocks []string
		for i := range s.clocks {
			clocks = append(clocks, fmt.Sprintf("c[%d]", i))
		}
		if p == 0 {
			clocks = append(clocks, "z")
		}
		plain := slices.Clone(clocks)
		if !s.diagonals {
			clocks = append(clocks, "c[v > 0]")
		}
		fmt.Fprintf(&b, "process P%d() { ", p)
		if p == 0 {
			b.WriteString("clock z; ")
		}
		b.WriteString("state ")
		for l := range 3 {
			if l > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "l%d", l)
			switch {
			case s.stops && chance(60): // each process has clocks of its own to stop
				mine := [][]string{{"c[0]", "z"}, {"c[1]"}}[p]
				fmt.Fprintf(&b, " { %s <= %d && %s' == %s }", pick(plain...), number()+1,
					pick(mine...), pick("0", "0", "1", "(v > 0)", "(v == 1)"))
			case s.bounded:
				var all []string
				for _, x := range plain {
					all = append(all, fmt.Sprintf("%s <= %d", x, s.most+1))
				}
				fmt.Fprintf(&b, " { %s }", strings.Join(all, " && "))
			case chance(10):
				fmt.Fprintf(&b, " { v == %d or %s %s %s }", below(t, 3), pick(clocks...),
					pick(upper...), bound())
			case chance(40):
				fmt.Fprintf(&b, " { %s %s %d }", pick(clocks...), pick(upper...), number()+1)
			}
		}
		b.WriteString(";\n")
		if chance(15) {
			fmt.Fprintf(&b, "urgent l%d; ", below(t, 3))
		}
		if chance(15) {
			fmt.Fprintf(&b, "commit l%d; ", below(t, 3))
		}
		b.WriteString("init l0; trans\n")
		for e := range 4 + below(t, 5) {
			if e > 0 {
				b.WriteString(",\n")
			}
			fmt.Fprintf(&b, "  l%d -> l%d { ", below(t, 3), below(t, 3))
			values := []string{"0", "1", "2"} // of v
			bounds := bound
			if chance(10) {
				b.WriteString("select i : int[0,1]; ")
				values = append(values, "i", "i + 1")
				bounds = func() string { return pick(bound(), "i", "i + 1") }
			}
			sync := ""
			switch {
			case s.broadcasts:
				sync = pick("", "b!", "b?", "b?")
			case chance(40):
				sync = pick("a!", "a?", "b!", "b?", "u!", "u?", "w!", "w?")
			}
			var guards []string
			for range 1 + below(t, 2) {
				switch {
				case chance(20):
					guards = append(guards,
						fmt.Sprintf("v %s %s", pick("==", "<", "!="), pick(values...)))
				case sync == "b?" && s.closed || strings.HasPrefix(sync, "u") ||
					strings.HasPrefix(sync, "w"):
				case s.diagonals && chance(60):
					guards = append(guards,
						fmt.Sprintf("%s - %s %s %d", pick("c[0]", "c[1]"), pick(plain...),
							pick(all...), number()-1))
				case chance(10):
					guards = append(guards,
						fmt.Sprintf("(v == %s or %s %s %s)", pick(values...), pick(clocks...),
							pick(upper...), bounds()))
				default:
					guards = append(guards,
						fmt.Sprintf("%s %s %s", pick(clocks...), pick(all...), bounds()))
				}
			}
			if len(guards) > 0 {
				fmt.Fprintf(&b, "guard %s; ", strings.Join(guards, " && "))
			}
			if sync != "" {
				fmt.Fprintf(&b, "sync %s; ", sync)
			}
			var updates []string
			for range below(t, 3) {
				switch {
				case chance(30):
					updates = append(updates, "v = "+pick(values...))
				case chance(15):
					updates = append(updates, fmt.Sprintf("v = (v + %d) %% 3", 1+below(t, 2)))
				// differences are compared with clocks that are set to 0 only
				case chance(20) && !s.diagonals:
					updates = append(updates, pick(clocks...)+" = "+pick("1", "2", "v"))
				default:
					updates = append(updates, pick(clocks...)+" = 0")
				}
			}
			if len(updates) > 0 {
				fmt.Fprintf(&b, "assign %s; ", strings.Join(updates, ", "))
			}
			b.WriteString("}")
		}
		b.WriteString(";\n}\n")
	}
	line := "system P0, P1;\n"
	if s.ranked {
		line = pick("system P0 < P1;\n", "system P1 < P0;\n", line)
	}
	return b.String() + line
}

const reachQueries = `E<> P0.l2 and P1.l1
E<> P0.l1 and c[0] > 2 and c[1] < 1
A[] not deadlock
E<> deadlock and v == 1
E<> P0.l2 and v == 2
E<> P1.l2 and v == 1
E<> P0.l1 and P1.l2 and v == 0
E<> P0.l2 and P1.l2 and v == 1
E<> P0.l1 and P1.l1 and v == 2
`

const differenceQueries = reachQueries + `A[] P1.l2 imply (P0.z <= c[1] or c[0] != 3)
E<> c[0] - c[1] > 2
`

// closedQueries ask for states described by closed constraints.
const closedQueries = `E<> P0.l2 and P1.l1
E<> P0.l1 and c[0] >= 2 and c[1] <= 1
A[] P1.l2 imply (P0.z < 3 or c[0] > 2)
E<> P0.l2 and v == 2
E<> P1.l2 and v == 1 and P0.z <= 4
E<> P0.l1 and P1.l2 and v == 0 and c[1] == 3
E<> P0.l2 and P1.l2 and v == 1
`

const liveQueries = `A<> P0.l2
E[] v == 0
P0.l1 --> P1.l2
E[] not P1.l1
A<> c[0] > 2 or P0.l2
A<> c[0] == 2 or c[1] >= 1 and c[1] < 3 and P0.z > 2
E[] c[0] != 1 and (c[1] < 3 or P0.l0)
P0.l1 --> c[0] <= 1 and P1.l2
P1.l1 and c[1] > 1 --> c[0] >= 1 and c[0] < 3 or P0.z <= 2 and c[1] >= 3
`

func checkGenerated(t *rapid.T, text, queries string, zero func(clocks int) valuation) {
	net, err := uppaal.Read("model.xta", text, "model.q", queries)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	o := &oracle{net: net, zero: zero(len(net.Clocks))}
	for _, q := range net.Queries {
		want := NotSatisfied
		if o.decide(q) {
			want = Satisfied
		}
		for _, depthFirst := range []bool{false, true} {
			r, err := Check(context.Background(), net, q, Options{DepthFirst: depthFirst})
			if err != nil {
				t.Fatalf("%s: %v\n%s", q.Text, err, text)
			}
			if r.Answer != want {
				t.Fatalf("%s (depth first: %v): %d %s, the oracle says %d\n%s", q.Text, depthFirst,
					r.Answer, r.Reason, want, text)
			}
			if r.Run != nil && q.Kind >= timed.Inevitably {
				if err := o.missing(r, q); err != nil {
					t.Fatalf("%s: %v\n%s", q.Text, err, text)
				}
			}
		}
		if Threaded(q) {
			alike(t, net, q, Options{}, text)
		}
	}
}

func TestReachabilityAgainstRegions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkGenerated(t,
			model(t, shape{clocks: 2, most: 3, broadcasts: rapid.Bool().Draw(t, "broadcasts")}),
			reachQueries, newRegion(4))
	})
}

func TestDifferencesAgainstRegions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkGenerated(t, model(t, shape{clocks: 2, most: 3, bounded: true, diagonals: true}),
			differenceQueries, newRegion(4))
	})
}

func TestLivenessAgainstRegions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkGenerated(t,
			model(t, shape{clocks: 2, most: 3, ranked: rapid.Bool().Draw(t, "ranked")}),
			liveQueries, newRegion(4))
	})
}

func TestPrioritiesAgainstRegions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shape{clocks: 2, most: 3, ranked: true}
		queries := reachQueries
		if rapid.Bool().Draw(t, "diagonals") {
			s.bounded, s.diagonals = true, true
			queries = differenceQueries
		}
		checkGenerated(t, model(t, s), queries, newRegion(4))
	})
}

func TestReachabilityAgainstDigitalClocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shape{clocks: 2 + below(t, 2), most: 3 + below(t, 5), closed: true}
		checkGenerated(t, model(t, s), closedQueries, newDigital(s.most+1, false))
	})
}

func TestDifferencesAgainstDigitalClocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shape{clocks: 2, most: 3 + below(t, 4), closed: true, diagonals: true}
		checkGenerated(t, model(t, s), closedQueries, newDigital(s.most+1, true))
	})
}

// TestLong compares ten thousand models in each way.
func TestLong(t *testing.T) {
	testkit.InLong(t)
	if err := flag.Set("rapid.checks", "10000"); err != nil {
		t.Fatal(err)
	}
	t.Run("reachability, regions", TestReachabilityAgainstRegions)
	t.Run("differences, regions", TestDifferencesAgainstRegions)
	t.Run("liveness, regions", TestLivenessAgainstRegions)
	t.Run("priorities, regions", TestPrioritiesAgainstRegions)
	t.Run("reachability, digital", TestReachabilityAgainstDigitalClocks)
	t.Run("differences, digital", TestDifferencesAgainstDigitalClocks)
	t.Run("symmetry", TestSymmetry)
	t.Run("shortest runs, regions", TestShortestAgainstRegions)
}
