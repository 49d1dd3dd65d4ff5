package trace_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/trace"
)

func Example() {
	now := time.Unix(0, 0)
	log := trace.New(os.Stdout, trace.Clock(func() time.Time {
		now = now.Add(time.Microsecond)
		return now
	}))
	n1 := log.Node("n1")
	n1.Log("request", trace.Values{"c": "n1"}, trace.Values{"requested": true})
	n1.Write(trace.Event{Name: "send", Send: "m1"})
	log.Log("n2", "receive", nil, nil)
	if err := log.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"node":"n1","seq":1,"t":2000,"event":"request","args":{"c":"n1"},"obs":{"requested":true}}
	// {"node":"n1","seq":2,"t":3000,"event":"send","send":"m1"}
	// {"node":"n2","seq":1,"t":4000,"event":"receive"}
}

// Several goroutines lose nothing, and what is written can be read.
func TestConcurrent(t *testing.T) {
	var b bytes.Buffer
	log := trace.New(&b, trace.Uncertainty(time.Millisecond))
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for k := range 500 {
				log.Log(fmt.Sprint("n", i), "step", trace.Values{"k": k}, nil)
			}
		})
	}
	wg.Wait()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	events, err := runlog.Read("log", &b, runlog.Standard())
	if err != nil || len(events) != 2000 {
		t.Fatal(len(events), err)
	}
	last := map[string]*runlog.Event{}
	for _, e := range events {
		if before := last[e.Node]; before != nil &&
			(e.Seq != before.Seq+1 || e.Since < before.Since) {
			t.Errorf("%s\nafter %s", e.Text, before.Text)
		}
		if e.Until-e.Since != int64(2*time.Millisecond) {
			t.Errorf("interval of %s", e.Text)
		}
		last[e.Node] = e
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// An event that is lost is an error in the end.
func TestErrors(t *testing.T) {
	log := trace.New(broken{})
	log.Log("n", "step", nil, nil)
	if err := log.Close(); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("%v", err)
	}
	var b bytes.Buffer
	log = trace.New(&b)
	log.Log("n", "step", trace.Values{"f": func() {}}, nil)
	if err := log.Close(); err == nil || !strings.Contains(err.Error(), "event step of node n") {
		t.Errorf("%v", err)
	}
	var none *trace.Log
	none.Log("n", "step", nil, nil)
	none.Node("n").Write(trace.Event{})
	if err := none.Close(); err != nil {
		t.Error(err)
	}
}
