package queue

import (
	"fmt"
	"html/template"
	"net"
	"net/http"
	"strings"
	"time"

	"erelong.dev/erelong/internal/engine/explicit"
)

// Metrics writes the overview in the text format of Prometheus.
func (o *Overview) Metrics() string {
	var b strings.Builder
	family := func(name, kind, help string) {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
	}
	worker := func(name, kind, help string, value func(Presence) int64) {
		family(name, kind, help)
		for _, p := range o.Workers {
			fmt.Fprintf(&b, "%s{worker=\"%s\"} %d\n", name, label(p.Name), value(p))
		}
	}
	family("erelong_workers", "gauge", "Workers that told of themselves lately.")
	fmt.Fprintf(&b, "erelong_workers %d\n", len(o.Workers))
	family("erelong_queue_jobs", "gauge", "Jobs that wait or are at work.")
	fmt.Fprintf(&b, "erelong_queue_jobs %d\n", o.Waiting)
	family("erelong_queue_bytes", "gauge", "Bytes of the jobs on the server.")
	fmt.Fprintf(&b, "erelong_queue_bytes %d\n", o.Stored)
	worker("erelong_worker_done_total", "counter", "Jobs that a worker finished.",
		func(p Presence) int64 { return p.Done })
	worker("erelong_worker_failed_total", "counter", "Jobs that a worker gave up.",
		func(p Presence) int64 { return p.Failed })
	worker("erelong_worker_active", "gauge", "Jobs at work.",
		func(p Presence) int64 { return int64(len(p.Active)) })
	worker("erelong_worker_memory_bytes", "gauge", "Memory that a worker has from the system.",
		func(p Presence) int64 { return p.Memory })
	family("erelong_run_open_jobs", "gauge", "Jobs of a run that wait or are at work.")
	for _, r := range o.Runs {
		if r.Ended == "" {
			fmt.Fprintf(&b, "erelong_run_open_jobs{run=\"%s\",file=\"%s\"} %d\n",
				label(r.ID), label(r.File), r.Open)
		}
	}
	portion := func(name, help string, value func(Portion) int64) {
		family(name, "gauge", help)
		for _, w := range o.Workers {
			for _, p := range w.Portions {
				fmt.Fprintf(&b, "%s{worker=\"%s\",run=\"%s\",exploration=\"%s\"} %d\n", name,
					label(w.Name), label(p.Run), label(p.Title), value(p))
			}
		}
	}
	portion("erelong_portion_parts", "Parts of a divided exploration that a worker has.",
		func(p Portion) int64 { return int64(len(p.Parts)) })
	portion("erelong_portion_states", "States that a worker has of a divided exploration.",
		func(p Portion) int64 { return p.States })
	portion("erelong_portion_bytes", "Memory of these states.",
		func(p Portion) int64 { return p.Bytes })
	portion("erelong_portion_level", "The last level that a worker has begun.",
		func(p Portion) int64 { return int64(p.Level) })
	portion("erelong_portion_awaited_workers", "Workers for which a worker waits to end a level.",
		func(p Portion) int64 { return int64(len(p.Awaits)) })
	waiting := func(name, help string, value func(Waiting) int) {
		family(name, "gauge", help)
		for _, r := range o.Runs {
			for _, w := range r.Waits {
				fmt.Fprintf(&b, "%s{run=\"%s\",needs=\"%s\"} %d\n", name, label(r.ID),
					label(w.Needs), value(w))
			}
		}
	}
	waiting("erelong_waiting_jobs", "Jobs that no worker has begun.",
		func(w Waiting) int { return w.Jobs })
	waiting("erelong_waiting_jobs_workers", "Workers that can do these jobs.",
		func(w Waiting) int { return len(w.Workers) })
	return b.String()
}

// label escapes the value of a label.
func label(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text)
}

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"megabytes": func(n int64) string { return fmt.Sprintf("%.0f MB", float64(n)/1e6) },
	"parts":     func() int { return explicit.Parts },
	"clock":     func(t time.Time) string { return t.Format(time.DateTime) },
}).Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="5">
<title>erelong: workers</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; color-scheme: light dark; }
table { border-collapse: collapse; margin-bottom: 2rem; }
th, td { text-align: left; padding: .2rem 1rem .2rem 0; vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
</style></head><body>
<h1>Workers</h1>
<table><thead><tr><th>worker</th><th>version</th><th class="n">at a time</th><th class="n">done</th>
<th class="n">a minute</th><th class="n">failed</th><th class="n">memory</th><th>now</th></tr></thead>
<tbody>{{range .Workers}}<tr><td>{{.Name}}</td><td>{{.Build}}</td><td class="n">{{.Jobs}}</td>
<td class="n">{{.Done}}</td><td class="n">{{printf "%.1f" .Rate}}</td><td class="n">{{.Failed}}</td>
<td class="n">{{megabytes .Memory}}</td>
<td>{{range .Now}}{{.}}<br>{{else}}waits for a job{{end}}</td></tr>
{{else}}<tr><td colspan="8">there are no workers</td></tr>{{end}}</tbody></table>
<h1>Runs</h1>
<p>{{.Waiting}} jobs wait or are at work.</p>
<table><thead><tr><th>run</th><th>begun</th><th>host</th><th>file</th><th class="n">open jobs</th>
<th>ended</th></tr></thead>
<tbody>{{range .Runs}}<tr><td>{{.ID}}</td><td>{{clock .Begun}}</td><td>{{.Host}}</td><td>{{.File}}</td>
<td class="n">{{.Open}}</td><td>{{or .Ended "-"}}</td></tr>
{{else}}<tr><td colspan="6">there are no runs</td></tr>{{end}}</tbody></table>
<h1>Divided explorations</h1>
<table><thead><tr><th>run</th><th>exploration</th><th>worker</th><th>parts of {{parts}}</th>
<th class="n">level</th><th class="n">states</th><th class="n">memory</th><th>now</th></tr></thead>
<tbody>{{range $w := .Workers}}{{range .Portions}}<tr><td>{{.Run}}</td><td>{{.Title}}</td>
<td>{{$w.Name}}</td><td>{{.PartList}}</td><td class="n">{{.Level}}</td><td class="n">{{.States}}</td>
<td class="n">{{megabytes .Bytes}}</td><td>{{$.Now .}}</td></tr>
{{end}}{{end}}</tbody></table>
<h1>What waits</h1>
<table><thead><tr><th>run</th><th class="n">jobs</th><th>one of them</th><th>needs</th>
<th>waits for</th></tr></thead>
<tbody>{{range $r := .Runs}}{{range .Waits}}<tr><td>{{$r.ID}}</td><td class="n">{{.Jobs}}</td>
<td>{{.Title}}</td><td>{{.Needs}}</td><td>{{.For}}</td></tr>
{{end}}{{end}}</tbody></table>
</body></html>
`))

// Watch answers requests on loopback: / is a page for people, /metrics is for Prometheus. It only
// reads, and answers no request that a page of another site has a browser send.
func (c *Conn) Watch() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		o, err := c.Overview(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = fmt.Fprint(w, o.Metrics())
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		o, err := c.Overview(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		_ = page.Execute(w, o)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "this address is for loopback", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
