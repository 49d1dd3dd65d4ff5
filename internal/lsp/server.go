// Package lsp is the language server: it serves editors by the Language Server Protocol.
//
// In: the messages of a client, on a stream. Out: diagnostics, answers about names, edits, and the
// outcome of verification. Each version of a document is a snapshot that does not change: requests
// are about the version that the client had when it sent them, and everything that is computed of a
// version ends when the next one comes. So no verdict is shown beside a text that it is not about.
//
// Messages about documents are handled in their order; requests are answered side by side. JSON-RPC
// is that of github.com/sourcegraph/jsonrpc2, and the structures of the protocol (protocol.go) are
// the server's own.
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"runtime/debug"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"erelong.dev/erelong/internal/discharge"
)

// Options are the settings of a server.
type Options struct {
	Version string            // of the program
	Proofs  discharge.Options // solvers, limits and the cache of proofs
	Log     io.Writer         // of defects; nil for none
	Explore Explore           // nil where there is no page
}

// ErrNoShutdown is the error of Serve where the client leaves without the request shutdown.
var ErrNoShutdown = errors.New("the client left without shutdown")

// Serve serves one client until it leaves, or ctx ends.
func Serve(ctx context.Context, stream io.ReadWriteCloser, o Options) error {
	s := newServer(ctx, o)
	defer s.close()
	conn := jsonrpc2.NewConn(s.ctx, jsonrpc2.NewBufferedStream(stream,
		jsonrpc2.VSCodeObjectCodec{}), s,
		jsonrpc2.SetLogger(s.log))
	s.conn = conn
	close(s.ready)
	select {
	case <-conn.DisconnectNotify():
	case <-s.exit:
	case <-ctx.Done():
	}
	s.cancel()
	_ = conn.Close()
	if !s.isDown() && ctx.Err() == nil {
		return ErrNoShutdown
	}
	return nil
}

type server struct {
	Options
	log    *log.Logger
	ctx    context.Context
	cancel context.CancelFunc
	conn   *jsonrpc2.Conn
	ready  chan struct{} // closed when conn is set
	exit   chan struct{} // closed by the notification exit
	work   sync.WaitGroup

	mu       sync.Mutex
	docs     map[string]*document
	running  map[jsonrpc2.ID]context.CancelFunc // requests
	down     bool
	exited   bool
	client   initializeParams
	settings settings
	tokens   int // of progress, so far

	publishing sync.Mutex    // so that an old version is never published after a new one
	turn       chan struct{} // has one place: one verification runs at a time
}

// document is an open document.
type document struct {
	*snapshot
	job *job // the verification of this version, nil for none
}

func newServer(ctx context.Context, o Options) *server {
	s := &server{
		Options: o, ready: make(chan struct{}), exit: make(chan struct{}),
		docs:    map[string]*document{},
		running: map[jsonrpc2.ID]context.CancelFunc{}, turn: make(chan struct{}, 1),
	}
	to := o.Log
	if to == nil {
		to = io.Discard
	}
	s.log = log.New(to, "erelong lsp: ", 0)
	s.ctx, s.cancel = context.WithCancel(ctx)
	return s
}

func (s *server) close() {
	s.cancel()
	s.work.Wait()
}

func (s *server) isDown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down
}

// start runs f beside the reading of messages.
func (s *server) start(f func()) {
	s.work.Go(func() {
		defer s.recovered("a task of the server")
		f()
	})
}

// recovered keeps a defect from ending the server.
func (s *server) recovered(what string) {
	if r := recover(); r != nil {
		s.log.Printf("defect in %s: %v\n%s", what, r, debug.Stack())
	}
}

// answer computes the result of a request.
type answer func(ctx context.Context) (any, error)

// Handle implements jsonrpc2.Handler. It is called for one message after the other. It writes
// nothing itself: a client that writes while nobody reads would wait for ever.
func (s *server) Handle(_ context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) {
	<-s.ready
	params := json.RawMessage("null")
	if req.Params != nil {
		params = *req.Params
	}
	if req.Notif {
		defer s.recovered(req.Method)
		if err := s.notification(req.Method, params); err != nil {
			s.log.Printf("%s: %v", req.Method, err)
		}
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	s.running[req.ID] = cancel
	s.mu.Unlock()
	f, err := s.request(req.Method, params)
	if err != nil {
		f = func(context.Context) (any, error) { return nil, err }
	}
	s.start(func() { s.respond(ctx, req, f) })
}

// respond answers a request. A defect is an answer, too.
func (s *server) respond(ctx context.Context, req *jsonrpc2.Request, f answer) {
	defer func() {
		if r := recover(); r != nil {
			s.log.Printf("defect in %s: %v\n%s", req.Method, r, debug.Stack())
			s.reply(ctx, req, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError,
				Message: fmt.Sprintf("a defect of erelong: %v", r)})
		}
	}()
	result, err := f(ctx)
	s.reply(ctx, req, result, err)
}

// Error codes of the protocol.
const (
	codeRequestFailed   = -32803
	codeContentModified = -32801
	codeCancelled       = -32800
)

func (s *server) reply(ctx context.Context, req *jsonrpc2.Request, result any, err error) {
	s.mu.Lock()
	if cancel := s.running[req.ID]; cancel != nil {
		defer cancel()
		delete(s.running, req.ID)
	}
	s.mu.Unlock()
	var known *jsonrpc2.Error
	switch {
	case err == nil && ctx.Err() == nil:
		if err := s.conn.Reply(s.ctx, req.ID, result); err != nil {
			s.log.Printf("answering %s: %v", req.Method, err)
		}
		return
	case errors.As(err, &known):
	case errors.Is(err, errReplaced):
		known = &jsonrpc2.Error{Code: codeContentModified, Message: err.Error()}
	case ctx.Err() != nil:
		known = &jsonrpc2.Error{Code: codeCancelled, Message: "cancelled"}
	default:
		known = &jsonrpc2.Error{Code: codeRequestFailed, Message: err.Error()}
	}
	if err := s.conn.ReplyWithError(s.ctx, req.ID, known); err != nil {
		s.log.Printf("answering %s: %v", req.Method, err)
	}
}

// notify sends a message without an answer.
func (s *server) notify(method string, params any) {
	if err := s.conn.Notify(s.ctx, method, params); err != nil && s.ctx.Err() == nil {
		s.log.Printf("sending %s: %v", method, err)
	}
}

func decode[P any](params json.RawMessage) (p P, err error) {
	if err := json.Unmarshal(params, &p); err != nil {
		return p, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
	}
	return p, nil
}

func (s *server) notification(method string, params json.RawMessage) error {
	switch method {
	case "textDocument/didOpen":
		p, err := decode[didOpenParams](params)
		if err == nil {
			s.put(p.TextDocument.URI, p.TextDocument.Version, p.TextDocument.Text)
		}
		return err
	case "textDocument/didChange":
		p, err := decode[didChangeParams](params)
		if err != nil {
			return err
		}
		return s.change(p)
	case "textDocument/didSave":
		p, err := decode[documentParams](params)
		if err == nil {
			s.saved(p.TextDocument.URI)
		}
		return err
	case "textDocument/didClose":
		p, err := decode[documentParams](params)
		if err == nil {
			s.remove(p.TextDocument.URI)
		}
		return err
	case "$/cancelRequest":
		p, err := decode[struct {
			ID jsonrpc2.ID `json:"id"`
		}](params)
		s.mu.Lock()
		defer s.mu.Unlock()
		if cancel := s.running[p.ID]; cancel != nil {
			cancel()
		}
		return err
	case "window/workDoneProgress/cancel":
		p, err := decode[cancelProgress](params)
		if err == nil {
			s.stopToken(fmt.Sprint(p.Token))
		}
		return err
	case "exit":
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.exited {
			s.exited = true
			close(s.exit)
		}
	}
	return nil // others need no reaction: initialized, $/setTrace, ...
}

// put opens a document, or replaces its text.
func (s *server) put(uri string, version int, text string) {
	next := newSnapshot(s.ctx, uri, version, text)
	s.mu.Lock()
	old := s.docs[uri]
	s.docs[uri] = &document{snapshot: next}
	s.mu.Unlock()
	if old != nil {
		old.end()
		if old.job != nil {
			s.sendStatus(next) // the states of the old version are stale
		}
	}
	s.start(func() { s.publish(next) })
}

func (s *server) change(p didChangeParams) error {
	d := s.snapshotOf(p.TextDocument.URI)
	if d == nil {
		return fmt.Errorf("%s is not open", p.TextDocument.URI)
	}
	t := d.text
	for _, c := range p.ContentChanges {
		t = newText(t.replace(c))
	}
	s.put(p.TextDocument.URI, p.TextDocument.Version, t.string)
	return nil
}

func (s *server) remove(uri string) {
	s.mu.Lock()
	d := s.docs[uri]
	delete(s.docs, uri)
	s.mu.Unlock()
	if d == nil {
		return
	}
	d.end()
	s.start(func() {
		s.publishing.Lock()
		defer s.publishing.Unlock()
		if s.snapshotOf(uri) == nil {
			s.notify("textDocument/publishDiagnostics", publishParams{URI: uri, Version: d.version,
				Diagnostics: []diagnostic{}})
		}
	})
}

func (s *server) snapshotOf(uri string) *snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.docs[uri]; d != nil {
		return d.snapshot
	}
	return nil
}

// current gives the document of a snapshot, nil if it has a newer version, or is closed. The caller
// holds mu.
func (s *server) current(snap *snapshot) *document {
	if d := s.docs[snap.uri]; d != nil && d.snapshot == snap {
		return d
	}
	return nil
}

// publish sends the diagnostics of a version, unless there is a newer one.
func (s *server) publish(snap *snapshot) {
	a, err := snap.analyse()
	if err != nil {
		return
	}
	list := a.published()
	s.publishing.Lock()
	defer s.publishing.Unlock()
	s.mu.Lock()
	d := s.current(snap)
	if d != nil && d.job != nil {
		list = append(list, d.job.diagnostics()...)
	}
	s.mu.Unlock()
	if d != nil {
		s.notify("textDocument/publishDiagnostics", publishParams{URI: snap.uri,
			Version: snap.version, Diagnostics: list})
	}
}
