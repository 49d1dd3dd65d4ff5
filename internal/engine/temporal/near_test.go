package temporal

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// lookingEarly is the explorer of compiled programs with looks from the first states on. It keeps
// the last graph that it found.
func lookingEarly(last **graph, change func(l *limits)) explorer {
	return func(ctx context.Context, m *interp.Model, l limits) (*graph, error) {
		l.firstLook = 1
		change(&l)
		g, err := exploreCompiled(ctx, m, l)
		*last = g
		return g, err
	}
}

// The verdicts are the same whether an exploration ends at a violation near its begin, or goes on.
func TestNear(t *testing.T) {
	early, late := 0, 0
	for seed := range uint64(testkit.Size(150, 400)) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 13))}
		sys, inst := g.system(t, 3+g.IntN(40))
		p := sys.Properties[len(sys.Properties)-1-int(seed%4)]
		opts := Options{Only: []string{p.Name}, Threads: 1 + int(seed%2)}
		want, err := Check(t.Context(), sys, inst, opts)
		if err != nil {
			t.Fatal(err)
		}
		var part *graph
		got, err := decide(t.Context(), sys, inst, opts, lookingEarly(&part, func(*limits) {}))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, sys)
		}
		r := got.Results[0]
		if r.Verdict != want[0].Verdict {
			t.Fatalf("seed %d: %s is %s, by the whole graph %s\n%s", seed, p.Name, r.Verdict,
				want[0].Verdict, sys)
		}
		switch whole := part.unexpandedFrom == math.MaxUint32; {
		case r.Verdict == result.Violated && !whole:
			early++
		case r.Verdict == result.Violated:
			late++
		case !whole:
			t.Fatalf("seed %d: %s %s, but states are left out", seed, p.Name, r.Verdict)
		}
	}
	if early < 5 || late < 5 {
		t.Errorf("%d violations near the begin, %d others", early, late)
	}
}

// A look leaves the edges as they are, also where states without edges fill the second block, which
// has the array of the first one.
func TestNearKeepsEdges(t *testing.T) {
	sys := testkit.Compile(t, `
		mutable constant a: 0..19999
		init a < 5000
		action up() { require a < 5000; a := a + 5000; }
		action far() { require a < 5000; a := a + 10000; }
		temporal eventually always !(a = 9500)
		instance i { }`)
	var whole *graph
	d, err := decide(t.Context(), sys, sys.Instances[0], Options{},
		lookingEarly(&whole, func(*limits) {}))
	if err != nil {
		t.Fatal(err)
	}
	if r := d.Results[0]; r.Verdict != result.Violated {
		t.Errorf("%s after %d states", r.Verdict, whole.count())
	}
	for n := range uint32(5000) {
		if l := whole.list(n); len(l.marks) != 2 {
			t.Fatalf("state %d has %d edges", n, len(l.marks))
		}
	}
}

// An exploration that ended at a violation shows it again when it is resumed, with any number of
// threads, and has not seen the whole graph.
func TestNearAgain(t *testing.T) {
	sys := testkit.Compile(t, `
		mutable constant a: 0..39
		mutable constant b: 0..39
		init a = 0 & b = 0
		fair action ia() { a := if a < 39 then a + 1 else 0; }
		fair action ib() { b := if b < 39 then b + 1 else 0; }
		action back() { a := 0; b := 0; }
		temporal eventually always (a = 0)
		instance i { }`)
	text, states := "", 0
	for threads := range 4 {
		for i, dir := 0, t.TempDir(); i < 2; i++ {
			var part *graph
			d, err := decide(t.Context(), sys, sys.Instances[0], Options{},
				lookingEarly(&part, func(l *limits) {
					l.firstLook, l.threads = 20, 1+threads
					l.checkpoint = explore.Checkpoint{Dir: dir, Every: time.Hour, Resume: i > 0}
				}))
			if err != nil {
				t.Fatal(err)
			}
			r := d.Results[0]
			if r.Verdict != result.Violated || r.States >= 1600 || d.Stats.Complete {
				t.Fatalf("%s after %d states, complete: %t", r.Verdict, r.States, d.Stats.Complete)
			}
			now := fmt.Sprint(r.States, r.Trace.Loop, r.Trace.Steps)
			if text == "" {
				text, states = now, part.count()
			}
			if now != text || part.count() != states {
				t.Errorf("%d threads: another run, or %d states instead of %d", 1+threads,
					part.count(), states)
			}
		}
	}
}
