package zone

import (
	"testing"

	"pgregory.net/rapid"

	"erelong.dev/erelong/internal/front/uppaal"
	"erelong.dev/erelong/internal/timed"
)

// fewest gives the least number of steps after which the formula can hold, -1 if it cannot. Delays
// count nothing.
func (o *oracle) fewest(f *timed.Formula) int {
	seen := map[string]bool{}
	level := o.start()
	for steps := 0; len(level) > 0; steps++ {
		var next []configuration
		for _, c := range level {
			for ok := true; ok && !seen[o.key(c)]; c, ok = o.delayed(c) {
				seen[o.key(c)] = true
				if o.holds(c, f) {
					return steps
				}
				next = append(next, o.steps(c)...)
			}
		}
		level = next
	}
	return -1
}

// regionsOf is the oracle of a generated model with the queries about what is reached.
func regionsOf(t *rapid.T, text string) *oracle {
	net, err := uppaal.Read("model.xta", text, "model.q", reachQueries)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return &oracle{net: net, zero: newRegion(4)(len(net.Clocks))}
}

// reached is the formula of the states that a query is about: the ones that violate an invariant.
func reached(q *timed.Query) *timed.Formula {
	if q.Kind == timed.Invariantly {
		return timed.Not(q.Formula)
	}
	return q.Formula
}

func TestShortestAgainstRegions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := model(t, shape{clocks: 2, most: 3, ranked: rapid.Bool().Draw(t, "ranked")})
		o := regionsOf(t, text)
		for _, q := range o.net.Queries {
			f := reached(q)
			want := o.fewest(f)
			for _, options := range []Options{{Shortest: true}, {}} {
				got := -1
				if r := alike(t, o.net, q, options, text); r.Run != nil {
					got = len(r.Run.Steps)
				}
				if got != want {
					t.Fatalf("%s, shortest %v: a run of %d steps, the shortest one has %d\n%s",
						q.Text, options.Shortest, got, want, text)
				}
			}
		}
	})
}
