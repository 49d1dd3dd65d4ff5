package zone

import (
	"context"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/front/uppaal"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/timed"
)

const togetherQueries = reachQueries + `A[] not (P0.l2 and P1.l1)
A[] v < 3
A[] P1.l2 imply (P0.z <= c[1] or c[0] != 3)
A[] not (P0.l1 and P1.l2 and v == 0)
A[] not (P0.l2 and P1.l2 and v == 1)
E<> P0.l2 and P1.l2 and v == 2
E<> v > 2
`

// Queries that are answered at once have the rows that they have one by one. The others are about
// clocks, or are answered one by one since there is a state that one of them is about.
func TestTogether(t *testing.T) {
	shared, alone := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text := model(t, shape{clocks: 2, most: 3, broadcasts: rapid.Bool().Draw(t, "broadcasts")})
		net, err := uppaal.Read("model.xta", text, "model.q", togetherQueries)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		e := &Engine{Options{Threads: 1}}
		task := &engine.Task{Method: engine.Explore, Network: net}
		for _, kind := range []timed.QueryKind{timed.Invariantly, timed.Possibly} {
			answers := map[string]*result.Result{}
			// Some were answered before.
			for _, q := range net.Queries {
				if below(t, 3) == 0 {
					answers[q.Text] = &result.Result{}
				}
			}
			before := len(answers)
			err := e.together(context.Background(), task, kind, net.Queries, answers, engine.Sink{})
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			exists, open := false, 0
			for _, q := range net.Queries {
				got := answers[q.Text]
				if got != nil && got.Property == "" {
					continue
				}
				want, err := decide(context.Background(), task, q, e.Options)
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				if got == nil {
					about := q.Kind == kind && target(q) != nil
					exists = exists || about && want.Trace != nil
					if about {
						open++
					}
					continue
				}
				shared++
				want.Elapsed, got.Elapsed = 0, 0
				if q.Kind != kind || !reflect.DeepEqual(got, want) {
					t.Fatalf("%s: at once %+v\nalone %+v\n%s", q.Text, got, want, text)
				}
			}
			if alone++; len(answers) == before && open > 1 && !exists {
				t.Fatalf("%d queries that no state is about have no answer\n%s", open, text)
			}
		}
	})
	if shared < alone/8 {
		t.Errorf("only %d queries were answered at once", shared)
	}
}
