package lsp

import (
	"context"
	"encoding/json"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// The time from a change to its diagnostics, on the example that takes longest to check: one
// character is typed and deleted again, as within a comment and within a name.
func BenchmarkChange(b *testing.B) {
	const path = "../../examples/chandra_toueg.ere"
	text := examples(b)[path]
	here, there := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(context.Background(), there, Options{Version: "test"}) }()
	versions := make(chan int, 100)
	conn := jsonrpc2.NewConn(context.Background(), jsonrpc2.NewBufferedStream(here,
		jsonrpc2.VSCodeObjectCodec{}),
		jsonrpc2.HandlerWithError(func(_ context.Context, _ *jsonrpc2.Conn,
			req *jsonrpc2.Request) (any, error) {
			var p publishParams
			if req.Method == "textDocument/publishDiagnostics" && json.Unmarshal(*req.Params,
				&p) == nil {
				versions <- p.Version
			}
			return nil, nil
		}))
	send := func(method string, params any) {
		if err := conn.Notify(context.Background(), method, params); err != nil {
			b.Fatal(err)
		}
	}
	if err := conn.Call(context.Background(), "initialize", initializeParams{}, nil); err != nil {
		b.Fatal(err)
	}
	const uri = "file:///x.ere"
	version := 1
	send("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri,
		"version": version, "text": text}})
	<-versions
	places := []int{strings.Index(text, "eventually"), strings.Index(text,
		"waiting_time < timeout {"), strings.LastIndex(text, "receiver_timer")}
	var times []time.Duration
	for i := 0; b.Loop(); i++ {
		at := newText(text).position(places[i/2%len(places)])
		change := contentChange{&textRange{at, at}, "x"}
		if i%2 == 1 {
			end := at
			end.Character++
			change = contentChange{&textRange{at, end}, ""}
		}
		version++
		begin := time.Now()
		send("textDocument/didChange", map[string]any{
			"textDocument":   map[string]any{"uri": uri, "version": version},
			"contentChanges": []contentChange{change}})
		for <-versions != version {
		}
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)*95/100].Seconds()*1000, "p95-ms")
	b.ReportMetric(times[len(times)/2].Seconds()*1000, "median-ms")
	send("exit", nil)
	<-done
}
