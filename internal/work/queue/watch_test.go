package queue

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
)

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
