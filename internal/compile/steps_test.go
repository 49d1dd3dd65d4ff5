package compile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/logic"
)

// One state among others has more successors than the memory of a new worker holds.
func TestManySuccessors(t *testing.T) {
	m := parse(t, `
		type bit = 0..16
		mutable relation set(bit)
		mutable relation go
		init !set(K)
		action open() { require go; set := *; go := false; assume !set(0); }
		action stay() { require !go; }
		safety [free] !go | !set(1)`)
	p, w, states := start(t, m, claimsOf(m.System),
		Options{limits: &limits{unknown: 1000, wordBits: 17}})
	states = slices.Concat(states, states, states)
	for range 2 {
		b, err := w.Expand(states)
		if err != nil {
			t.Fatal(err)
		}
		n := len(states) / p.Words()
		count, distinct := make([]int, n), map[string]bool{}
		for k, s := range b.Source {
			count[s]++
			distinct[fmt.Sprint(b.States[k*p.Words():(k+1)*p.Words()])] = true
		}
		for i, c := range count {
			want := 1
			if p.Unpack(states[i*p.Words():])[17] == 1 {
				want = 1 << 16
			}
			if c != want {
				t.Errorf("state %d has %d successors; want %d", i, c, want)
			}
		}
		if len(distinct) != 1<<16 || len(b.Violated) != n {
			t.Errorf("%d distinct successors, %d words of claims", len(distinct), len(b.Violated))
		}
	}
}

// TestWork compares the work for a state, in measures that do not vary from run to run, with
// recorded values. Set the variable UPDATE to record them again.
func TestWork(t *testing.T) {
	var b strings.Builder
	for _, c := range []struct{ delta, phi int64 }{{2, 4}, {4, 4}, {16, 16}, {20, 20}} {
		m := failureDetector(t, c.delta, c.phi)
		for _, claims := range [][]*logic.Term{nil, claimsOf(m.System)} {
			p, w, _ := start(t, m, claims, Options{})
			states := reachable(t, m, p, 10000)
			batch, err := w.Expand(states)
			if err != nil {
				t.Fatal(err)
			}
			q := p.(*program)
			fmt.Fprintf(&b, "failure detector, Delta %d, Phi %d, %d claims: %d bits in %d words; %d instructions, %d bytes; %d successors of %d states\n",
				c.delta, c.phi, len(claims), q.Bits(), q.Words(), q.instructions, len(q.code),
				len(batch.Source), len(states)/q.Words())
		}
	}
	file := filepath.Join("testdata", "work.txt")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// Of the steps of an action that change nothing, one is given, unless the values of the parameters
// are asked for.
func TestIdleSteps(t *testing.T) {
	m := parse(t, `
		type place = 0..7
		mutable relation on(place)
		mutable function low(place): 0..255
		mutable relation other
		init !on(X) & low(X) = 200 & !other
		action set(x: place) { on(x) := x > 5; }
		action lower(x: place) { require low(x) > 200; low(x) := 200; }
		action leave(x: place) { low(x) := 200; other := false; on(x) := on(x); }
		action choose() { other := *; }`)
	for _, c := range []struct {
		bindings bool
		want     []uint16
	}{
		{false, []uint16{0, 0, 0, 2, 3, 3}},
		{true, []uint16{0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3}},
	} {
		_, w, state := start(t, m, nil, Options{Bindings: c.bindings})
		b, err := w.Expand(state)
		if err != nil || !slices.Equal(b.Action, c.want) {
			t.Errorf("bindings %v: the steps are of the actions %v (%v); want %v", c.bindings,
				b.Action, err, c.want)
		}
	}
}
