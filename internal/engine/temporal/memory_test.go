package temporal

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// counters has n * n states, each with two edges, and two properties that hold.
func counters(t *testing.T, n int) *interp.Model {
	t.Helper()
	return first(t, fmt.Sprintf(`
		mutable constant a: 0..%d
		mutable constant b: 0..%[1]d
		init a = 0 & b = 0
		fair action ia() { a := if a < %[1]d then a + 1 else 0; }
		fair action ib() { b := if b < %[1]d then b + 1 else 0; }
		temporal [returns] always eventually (a = 0)
		temporal [follows] always (b = 3 -> eventually (a = 2))
		temporal [stays] eventually always (a = 0)
		instance i { }`, n-1))
}

// first is the first instance of a text.
func first(t *testing.T, text string) *interp.Model {
	t.Helper()
	sys := testkit.Compile(t, text)
	m, err := interp.NewModel(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// live is the memory in use. What lies in a sync.Pool goes with the second collection only.
func live() int64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// The accounted memory of a graph is about its real memory.
func TestAccountedMemory(t *testing.T) {
	m := counters(t, 250)
	for name, explore := range map[string]explorer{"interpreted": interpret,
		"compiled": exploreCompiled} {
		before := live()
		g, err := explore(t.Context(), m, limits{})
		if err != nil {
			t.Fatal(err)
		}
		compare := func(what string, said int64) {
			had := live() - before
			if ratio := float64(said) / float64(had); ratio < 0.8 || ratio > 1.6 {
				t.Errorf("%s %s: %d bytes are said to be %d", name, what, had, said)
			}
			runtime.KeepAlive(g)
		}
		compare("graph", g.graphBytes())
		everything := &automaton{nodes: []node{{next: []int{0}}}, initial: []int{0}}
		p, err := newProduct(t.Context(), domainOf(t, g, nil), everything, 0)
		if err != nil {
			t.Fatal(err)
		}
		before -= int64(len(p.state)) * (nodeBytes - 12) // of the search
		compare("product", p.bytes())
		runtime.KeepAlive(p)
	}
}

// When memory does not suffice, nothing holds; a violation that was found is reported.
func TestMemoryIsHonoured(t *testing.T) {
	m := counters(t, 100)
	want := map[result.Verdict]int{}
	for memory := int64(1 << 10); memory <= 1<<24; memory *= 2 {
		results, err := Check(t.Context(), m.System, m.Instance, Options{Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			want[r.Verdict]++
			stopped := strings.Contains(r.Reason.Text, "--memory does not suffice")
			switch {
			case r.Property == "stays" && r.Verdict == result.Violated && r.Trace != nil:
			case r.Property != "stays" && r.Verdict == result.Holds && r.States == 100*100 &&
				memory >= 1<<20:
			case (r.Verdict == result.Unknown || r.Verdict == result.HoldsUpTo) && stopped &&
				memory < 1<<23:
			default:
				t.Errorf("%d bytes: %s: %s: %s, %d states", memory, r.Property, r.Verdict, r.Reason,
					r.States)
			}
		}
	}
	for _, v := range []result.Verdict{result.Unknown, result.HoldsUpTo, result.Holds,
		result.Violated} {
		if want[v] == 0 {
			t.Errorf("no result was %s", v)
		}
	}
}
