package explicit_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// wheels are a computed system that costs next to nothing to compute: some wheels with a number of
// places, each of which turns by one. It shows what an exploration costs beside the computing.
type wheels struct{ count, places int64 }

func (w wheels) system() *system.System {
	value := &logic.Sort{Kind: logic.KindInterned, Name: "value"}
	sys := &system.System{Name: "wheels", Sorts: []*logic.Sort{value},
		Instances: []*system.Instance{{Name: "all"}},
		Computed:  &system.Computation{Computed: w}}
	for i := range w.count {
		sys.Symbols = append(sys.Symbols, &logic.Symbol{Name: fmt.Sprint("wheel", i),
			Kind: logic.Constant, Result: value, Mutable: true})
		sys.Actions = append(sys.Actions, &system.Action{Name: fmt.Sprint("turn", i)})
	}
	low := &logic.Symbol{Name: "low", Kind: logic.Relation, Result: logic.Bool, Mutable: true,
		Derived: true}
	sys.Symbols = append(sys.Symbols, low)
	sys.Derived = []*system.Derived{{Symbol: low, Predicate: &system.Predicate{}}}
	sys.Properties = []*system.Property{{Name: "low", Kind: system.Invariant,
		Term: logic.App(low, logic.Pre)}}
	return sys
}

func (wheels) Language() string                           { return "a model of wheels" }
func (w wheels) Computer(context.Context) system.Computer { return w }
func (w wheels) Plain() system.Computer                   { return w }
func (wheels) Show(_ *logic.Sort, value int64) result.Value {
	return result.Int(strconv.FormatInt(value, 10))
}

func (wheels) Read(_ *logic.Sort, v result.Value) (int64, bool) {
	n, err := strconv.ParseInt(v.Text, 10, 64)
	return n, err == nil
}

func (wheels) Universe() []result.Universe { return nil }

func (w wheels) Initial(_ context.Context, yield func([]int64) error) error {
	return yield(make([]int64, w.count))
}

func (w wheels) Steps(
	_ context.Context, state []int64, yield func(action int, args, next []int64) error,
) error {
	next := slices.Clone(state)
	for i, place := range state {
		next[i] = (place + 1) % w.places
		err := yield(i, nil, next)
		if next[i] = place; err != nil {
			return err
		}
	}
	return nil
}

func (w wheels) Holds(_ int, state, _ []int64) (bool, error) { return state[0] < w.places, nil }

func BenchmarkComputed(b *testing.B) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			sys := wheels{6, 10}.system()
			states := int64(0)
			for b.Loop() {
				x, err := explicit.Explore(b.Context(), sys, sys.Instances[0],
					explicit.Options{Threads: threads})
				if err != nil || x.Stats.States != 1e6 || x.Stats.Generated != 6e6+1 {
					b.Fatalf("%+v, %v", x, err)
				}
				states += x.Stats.States
			}
			b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
		})
	}
}
