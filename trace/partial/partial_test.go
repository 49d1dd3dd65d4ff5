package partial_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"erelong.dev/erelong/internal/conformance/bounds"
	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/trace"
	"erelong.dev/erelong/trace/partial"
)

// run has two processes send messages to each other in every step.
func run(t *testing.T, b partial.Bounds, seed uint64) []*runlog.Event {
	t.Helper()
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		log, world := trace.New(&out), partial.New(b, seed)
		ctx, cancel := context.WithTimeout(context.Background(), 300*b.Round)
		defer cancel()
		var mu sync.Mutex
		inbox := [2][]string{}
		var wg sync.WaitGroup
		for i := range 2 {
			wg.Go(func() {
				node := log.Node(fmt.Sprint("p", i))
				for n := 0; world.Rest(ctx); n++ {
					mu.Lock()
					node.Log("step", nil, nil)
					for _, m := range inbox[i] {
						node.Write(trace.Event{Name: "receive", Receive: m})
					}
					inbox[i] = nil
					m := fmt.Sprint(i, "-", n)
					node.Write(trace.Event{Name: "send", Send: m})
					mu.Unlock()
					world.Deliver(func() {
						mu.Lock()
						defer mu.Unlock()
						inbox[1-i] = append(inbox[1-i], m)
					})
				}
			})
		}
		wg.Wait()
		time.Sleep(time.Duration(b.Delta+1) * b.Round)
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	})
	events, err := runlog.Read("log", &out, runlog.Standard())
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// What is injected is what is measured: the bounds are kept, and reached.
func TestInjectedIsMeasured(t *testing.T) {
	for _, b := range []partial.Bounds{
		{Round: time.Millisecond, Delta: 0, Phi: 1}, {Round: time.Millisecond, Delta: 3, Phi: 1},
		{Round: time.Millisecond, Delta: 5, Phi: 4},
	} {
		r, err := bounds.Measure(bounds.Input{Events: run(t, b, 1), Steps: []string{"step"},
			Round: int64(b.Round)})
		if err != nil {
			t.Fatal(err)
		}
		// A message to the same moment may be received a round later.
		if r.Least.Phi != int64(b.Phi) || r.Least.Delta > max(int64(b.Delta), 1) ||
			r.Least.Delta < int64(b.Delta)-1 {
			t.Errorf("%+v: measured %+v", b, r.Least)
		}
		t.Logf("%+v: %+v of %d messages", b, r.Least, r.Messages)
	}
}
