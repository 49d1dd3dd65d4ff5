package queue

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
)

// The page and the metrics tell what a worker has of a divided exploration, for which other worker
// it waits, and which jobs wait for a worker that is not there.
func TestWatchWhatWaits(t *testing.T) {
	s := start(t)
	s.Silence = 3 * time.Second
	c := connect(t, s, "v1")
	for _, name := range []string{"a", "b"} {
		worker(t, s, name, "v1")
	}
	r := beginQuiet(t, c)
	j, _, _ := job(t, "v1")
	led, err := r.crew(t.Context(), j, time.Nanosecond)
	if err != nil {
		t.Fatal(err)
	}
	defer led.end()
	for len(led.members) < 2 { // on a busy machine one may be late
		if _, err := led.Order(t.Context(),
			explicit.Order{Kind: explicit.BeginOrder}); err != nil &&
			!errors.Is(err, explicit.ErrLost) {
			t.Fatal(err)
		}
	}
	// Only the first member gets the order, so it waits for the other one.
	led.seq++
	if err := c.say(crewSubject+led.id+toSubject+led.members[0], command{led.epoch, led.seq,
		led.members, led.addresses, explicit.Order{Kind: explicit.ExpandOrder, Level: 1,
			Last: 1}}); err != nil {
		t.Fatal(err)
	}
	far, err := c.Begin(t.Context(), Record{Needs: []string{"site=far"}}, false, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := far.publish(t.Context(), j, j.ID(), false); err != nil {
		t.Fatal(err)
	}
	var o *Overview
	now, idle := map[string]string{}, "waits for the next order of its run"
	for began := time.Now(); time.Since(began) < 10*time.Second; time.Sleep(20 * time.Millisecond) {
		if o, err = c.Overview(t.Context()); err != nil {
			t.Fatal(err)
		}
		waits, idles := false, false
		for _, w := range o.Workers {
			for _, p := range w.Portions {
				now[w.Name] = o.Now(p)
				waits = waits || len(p.Awaits) > 0
				idles = idles || now[w.Name] == idle
			}
		}
		if waits && idles { // what they told before is gone
			break
		}
	}
	if !(now["a"] == idle && now["b"] == "waits for a") &&
		!(now["b"] == idle && now["a"] == "waits for b") {
		t.Errorf("what workers wait for: %v", now)
	}
	var text strings.Builder
	if err := page.Execute(&text, o); err != nil {
		t.Fatal(err)
	}
	metrics := o.Metrics()
	for _, want := range []string{j.Title(), "no worker has this", "version v1, site=far",
		"0 2 4 6 8", "1 3 5 7 9", idle, "waits for "} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the page lacks %q:\n%s", want, &text)
		}
	}
	for _, want := range []string{
		`erelong_waiting_jobs{run="` + far.ID + `",needs="version v1, site=far"} 1`,
		`erelong_waiting_jobs_workers{run="` + far.ID + `",needs="version v1, site=far"} 0`,
		`erelong_portion_parts{worker="a",run="` + r.ID + `",exploration="` + j.Title() + `"} 32`,
		`erelong_portion_level{worker="b",run="` + r.ID + `",exploration="` + j.Title() + `"} 1`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %q:\n%s", want, metrics)
		}
	}
}

// A worker that was killed is silent, whatever it did before.
func TestKilledWorker(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Silence = 300 * time.Millisecond
	c := connect(t, s, "v1")
	p := Presence{Name: "a", Active: []string{"x, 3s"},
		Portions: []Portion{{Member: "m", Parts: []int{1}, Order: explicit.ExpandOrder}}}
	tell := func() {
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.keys[workerBucket].Put(t.Context(), p.Name, text); err != nil {
			t.Fatal(err)
		}
	}
	tell()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		o, err := c.Overview(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		now := o.Now(o.Workers[0].Portions[0])
		if strings.HasPrefix(now, "silent for ") && slices.Equal(o.Workers[0].Now(), []string{now}) {
			break
		}
		if now != "expands" || time.Since(began) > 10*time.Second {
			t.Fatalf("%q, %v", now, o.Workers[0].Now())
		}
	}
	late := Presence{Active: []string{"x"}, told: time.Unix(100, 0)}
	for seconds, want := range map[int64]time.Duration{109: 0, 111: 11 * time.Second} {
		if late.listen(time.Unix(seconds, 0), silence); late.silent != want {
			t.Errorf("after %d seconds: %v", seconds-100, late.silent)
		}
	}
}

func TestPartList(t *testing.T) {
	for want, parts := range map[string][]int{"": nil, "3": {3}, "0-63": numbers(64),
		"0 2-4 9": {0, 2, 3, 4, 9}} {
		if got := (Portion{Parts: parts}).PartList(); got != want {
			t.Errorf("%v: %q", parts, got)
		}
	}
}

func numbers(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

// The page and the metrics tell of workers and of runs, and escape what they print.
func TestWatch(t *testing.T) {
	s := start(t)
	worker(t, s, "w", "v1")
	c := connect(t, s, "v1")
	r, err := c.Begin(t.Context(), Record{File: `<b>"lock".ere`}, false, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	j, _, _ := job(t, "v1")
	if _, err := r.Do(t.Context(), j, engine.Sink{}); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(c.Watch())
	defer web.Close()
	get := func(path, host string) (int, string) {
		t.Helper()
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Host = host
		a, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		text, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		return a.StatusCode, string(text)
	}
	_, metrics := get("/metrics", "127.0.0.1")
	for _, want := range []string{
		"erelong_workers 1\n", "erelong_queue_jobs 0\n",
		`erelong_worker_failed_total{worker="w"} 0`,
		`{run="` + r.ID + `",file="<b>\"lock\".ere"} 0`, "# TYPE erelong_worker_done_total counter",
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %q:\n%s", want, metrics)
		}
	}
	_, text := get("/", "localhost:1")
	if !strings.Contains(text, "<td>w</td>") || !strings.Contains(text, r.ID) ||
		strings.Contains(text, "<b>") {
		t.Errorf("the page:\n%s", text)
	}
	if code, _ := get("/", "evil.example"); code != http.StatusForbidden {
		t.Errorf("a request for another host is answered with %d", code)
	}
}
