package trace_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	n1.Log("request", trace.Values{"c": "n1"}, nil)
	n1.Write(trace.Event{Name: "send", Send: "m1", Obs: trace.Values{"sent": true}})
	log.Log("n2", "receive", nil, nil)
	if err := log.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"node":"n1","inc":1000,"seq":1,"t":2000,"event":"request","args":{"c":"n1"}}
	// {"node":"n1","inc":1000,"seq":2,"t":3000,"event":"send","obs":{"sent":true},"send":"m1"}
	// {"node":"n2","inc":1000,"seq":1,"t":4000,"event":"receive"}
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

// A process that is killed while it writes, and begins anew, has one log with all whole events.
func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.ndjson")
	var last int64
	for run, torn := range []string{`{"node":"n1","ev`, strings.Repeat("x", 10_000), "", ""} {
		log, err := trace.Append(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			log.Log("n1", "step", nil, nil)
		}
		// the log is not closed: what was written is there
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		events, err := runlog.Read("log", bytes.NewReader(text), runlog.Standard())
		if err != nil || len(events) != 3*(run+1) {
			t.Fatalf("run %d: %d events, %v", run, len(events), err)
		}
		if e := events[len(events)-1]; e.Seq != 3 || e.Inc <= last {
			t.Errorf("run %d: number %d, incarnation %d after %d", run, e.Seq, e.Inc, last)
		} else {
			last = e.Inc
		}
		if err := os.WriteFile(path, append(text, torn...), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	}
}
