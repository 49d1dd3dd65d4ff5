package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front"
)

// client is the client of a server in this process.
type client struct {
	*testing.T
	conn *jsonrpc2.Conn
	log  *syncBuffer
	done chan error

	mu        sync.Mutex
	published map[string]publishParams
	statuses  []statusParams
	progress  []workProgress
	shown     []showDocument
	changed   chan struct{} // closed and replaced with every message
	texts     map[string]string
	versions  map[string]int
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// start starts a server, and initializes it. At the end of the test the log of the server must be
// empty: a defect is written there.
func start(t *testing.T, options *settings) *client {
	t.Helper()
	return startWith(t, options, nil)
}

// startWith starts a server with pages, in whose showing the client takes part.
func startWith(t *testing.T, options *settings, explore Explore) *client {
	t.Helper()
	here, there := net.Pipe()
	c := &client{
		T: t, log: &syncBuffer{}, done: make(chan error, 1), published: map[string]publishParams{},
		changed: make(chan struct{}),
		texts:   map[string]string{}, versions: map[string]int{},
	}
	go func() {
		c.done <- Serve(context.Background(), there, Options{Version: "test",
			Log: io.MultiWriter(c.log), Explore: explore})
	}()
	c.conn = jsonrpc2.NewConn(context.Background(), jsonrpc2.NewBufferedStream(here,
		jsonrpc2.VSCodeObjectCodec{}), c)
	params := map[string]any{"capabilities": map[string]any{
		"window": map[string]any{"workDoneProgress": true,
			"showDocument": map[string]any{"support": true}},
		"textDocument": map[string]any{"completion": map[string]any{"completionItem": map[string]any{"snippetSupport": true}}},
		"workspace":    map[string]any{"codeLens": map[string]any{"refreshSupport": true}},
	}}
	if options != nil {
		params["initializationOptions"] = options
	}
	var out initializeResult
	c.request("initialize", params, &out)
	if out.ServerInfo.Name != "erelong" || out.Capabilities.PositionEncoding != "utf-16" {
		t.Errorf("initialize: %+v", out)
	}
	c.notify("initialized", struct{}{})
	t.Cleanup(func() {
		c.request("shutdown", nil, nil)
		c.notify("exit", nil)
		if err := <-c.done; err != nil {
			t.Errorf("the server ended: %v", err)
		}
		if text := c.log.String(); text != "" {
			t.Errorf("the server's log:\n%s", text)
		}
	})
	return c
}

// Handle takes messages of the server.
func (c *client) Handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	c.mu.Lock()
	switch req.Method {
	case "textDocument/publishDiagnostics":
		var p publishParams
		_ = json.Unmarshal(*req.Params, &p)
		if p.Version < c.published[p.URI].Version {
			c.Errorf("diagnostics of version %d after those of %d", p.Version,
				c.published[p.URI].Version)
		}
		c.published[p.URI] = p
	case "erelong/status":
		var p statusParams
		_ = json.Unmarshal(*req.Params, &p)
		c.statuses = append(c.statuses, p)
	case "window/showDocument":
		var p showDocument
		_ = json.Unmarshal(*req.Params, &p)
		c.shown = append(c.shown, p)
	case "$/progress":
		var p progressParams
		_ = json.Unmarshal(*req.Params, &p)
		c.progress = append(c.progress, p.Value)
	}
	close(c.changed)
	c.changed = make(chan struct{})
	c.mu.Unlock()
	if !req.Notif {
		_ = conn.Reply(ctx, req.ID, nil)
	}
}

// until waits until a condition on the received messages is true.
func (c *client) until(what string, f func() bool) {
	c.Helper()
	limit := time.After(2 * time.Minute)
	for {
		c.mu.Lock()
		ok, changed := f(), c.changed
		c.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-limit:
			c.Fatalf("waited too long for %s", what)
		}
	}
}

func (c *client) request(method string, params, to any) {
	c.Helper()
	if err := c.conn.Call(context.Background(), method, params, to); err != nil {
		c.Errorf("%s: %v", method, err)
	}
}

func (c *client) refused(method string, params any) string {
	c.Helper()
	err := c.conn.Call(context.Background(), method, params, nil)
	if err == nil {
		c.Errorf("%s is not refused", method)
		return ""
	}
	return err.Error()
}

func (c *client) notify(method string, params any) {
	c.Helper()
	if err := c.conn.Notify(context.Background(), method, params); err != nil {
		c.Errorf("%s: %v", method, err)
	}
}

func (c *client) open(uri, text string) {
	c.texts[uri], c.versions[uri] = text, 1
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": uri, "languageId": "erelong", "version": 1, "text": text}})
}

// edit replaces bytes of a document.
func (c *client) edit(uri string, start, end int, with string) {
	t := newText(c.texts[uri])
	r := t.rangeOf(start, end)
	c.versions[uri]++
	c.texts[uri] = t.string[:start] + with + t.string[end:]
	c.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uri, "version": c.versions[uri]},
		"contentChanges": []contentChange{{&r, with}},
	})
}

// diagnostics waits for the diagnostics of the newest version.
func (c *client) diagnostics(uri string) []diagnostic {
	c.Helper()
	c.until("the diagnostics of "+uri, func() bool {
		return c.published[uri].Version == c.versions[uri]
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.published[uri].Diagnostics
}

// verdict waits until a property of the newest version has a verdict, with the outcome.
func (c *client) verdict(uri, name string) propertyStatus {
	c.Helper()
	var found propertyStatus
	c.until("the verdict on "+name, func() bool {
		if len(c.statuses) == 0 {
			return false
		}
		last := c.statuses[len(c.statuses)-1]
		for _, p := range last.Properties {
			if p.Name == name && last.URI == uri && last.Version == c.versions[uri] {
				found = p
				return p.Detail != foundMeanwhile &&
					p.State != stateStale && p.State != stateQueued && p.State != stateRunning
			}
		}
		return false
	})
	return found
}

func at(uri, text, mark string, plus int) map[string]any {
	offset := strings.Index(text, mark)
	if offset < 0 {
		panic("there is no " + mark)
	}
	return map[string]any{"textDocument": textDocument{uri},
		"position": newText(text).position(offset + plus)}
}

// examples are the files of the project, by their paths.
func examples(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"*.ere", "*/*.ere", "*/*.xta"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "examples", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			out[path] = string(text)
		}
	}
	if len(out) < 50 {
		t.Fatalf("only %d examples", len(out))
	}
	return out
}

// fresh checks a text, without a server.
func fresh(t *testing.T, uri, text string) []diagnostic {
	t.Helper()
	snap := newSnapshot(t.Context(), uri, 1, text)
	file, err := front.Read(t.Context(), snap.name, text, front.Options{})
	a := &analysis{snapshot: snap, failure: err}
	list := file.Warnings
	if l, ok := err.(*diag.List); ok {
		list, a.failure = l, nil
	}
	a.diagnostics = list.All
	return a.published()
}
