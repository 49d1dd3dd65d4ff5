package bounds

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/conformance/runlog"
)

// possible is the oracle: it tries every moment of every event, and reads the definition of partial
// synchrony as it stands.
func possible(events []*runlog.Event, x Pair, round int64, at []int64) bool {
	if len(at) < len(events) {
		for t := events[len(at)].Since; t <= events[len(at)].Until; t++ {
			if possible(events, x, round, append(slices.Clip(at), t)) {
				return true
			}
		}
		return false
	}
	sent := map[string]int{}
	for i, e := range events {
		if e.Send != "" {
			sent[e.Send] = i
		}
		for k := range i {
			if events[k].Node == e.Node && at[k] > at[i] {
				return false
			}
		}
	}
	for i, e := range events {
		if e.Name == "step" { // the next step of the process is near
			for k := i + 1; k < len(events); k++ {
				if events[k].Node == e.Node && events[k].Name == "step" {
					if at[k]-at[i] > x.Phi*round {
						return false
					}
					break
				}
			}
		}
		s, ok := sent[e.Receive]
		if e.Receive == "" || !ok {
			continue
		}
		if at[s] > at[i] {
			return false
		}
		// The message is received in the last step up to i. No earlier step is Delta rounds after
		// it.
		steps := []int{}
		for k := range i {
			if events[k].Node == e.Node && events[k].Name == "step" {
				steps = append(steps, k)
			}
		}
		for j, k := range steps {
			if j < len(steps)-1 && at[k] >= at[s]+x.Delta*round {
				return false
			}
		}
	}
	return true
}

func TestFrontAgainstOracle(t *testing.T) {
	fronts := map[int]int{}
	for seed := range int64(300) {
		r := rand.New(rand.NewSource(seed))
		var events []*runlog.Event
		var sent []string
		now := map[string]int64{}
		for i := range 3 + r.Intn(5) {
			node := fmt.Sprint("p", r.Intn(2))
			now[node] += int64(r.Intn(5))
			e := &runlog.Event{Line: i + 1, Node: node, Name: "step", HasTime: true,
				Since: now[node], Until: now[node] + int64(r.Intn(3))}
			switch r.Intn(3) {
			case 0:
				e.Name, e.Send = "send", fmt.Sprint("m", i)
				sent = append(sent, e.Send)
			case 1:
				if len(sent) > 0 {
					e.Name, e.Receive = "receive", sent[0]
					sent = sent[1:]
				}
			}
			events = append(events, e)
		}
		round := int64(1 + r.Intn(3))
		got, err := Measure(Input{Events: events, Steps: []string{"step"}, Round: round})
		if err != nil {
			p, wrong := newProblem(Input{Events: events, Steps: []string{"step"}, Round: round})
			if wrong == nil && possible(events, Pair{p.most(), p.most()}, round, nil) {
				t.Errorf("seed %d: %v", seed, err)
			}
			continue
		}
		var want []Pair
		for phi := int64(1); phi < 12; phi++ {
			for delta := int64(0); delta < 12; delta++ {
				if possible(events, Pair{delta, phi}, round, nil) {
					if len(want) == 0 || delta < want[len(want)-1].Delta {
						want = append(want, Pair{delta, phi})
					}
					break
				}
			}
		}
		if !slices.Equal(got.Front, want) {
			t.Errorf("seed %d: %v instead of %v", seed, got.Front, want)
			for _, e := range events {
				t.Logf("%+v", *e)
			}
		}
		fronts[len(want)]++
	}
	if fronts[1] < 20 || fronts[2] == 0 {
		t.Errorf("the fronts are too much alike: %v", fronts)
	}
	t.Log(fronts)
}

// Rounds of seconds, in nanoseconds since 1970, are measured like any others.
func TestLongRounds(t *testing.T) {
	const start, second = 1795350215241748722, 1_000_000_000
	var events []*runlog.Event
	for i, at := range []int64{0, 5, 10, 25} {
		events = append(events,
			&runlog.Event{Line: i + 1, Node: "p", Name: "step", HasTime: true,
				Since: start + at*second, Until: start + at*second})
	}
	got, err := Measure(Input{Events: events, Steps: []string{"step"}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Round != 5*second || !slices.Equal(got.Front, []Pair{{0, 3}}) {
		t.Errorf("rounds of %d: %v", got.Round, got.Front)
	}
}
