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
	conn := jsonrpc2.NewConn(s.ctx, newMessages(stream), s, jsonrpc2.SetLogger(s.log))
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
	wire
	documents
	ready chan struct{} // closed when the connection is set
	exit  chan struct{} // closed by the notification exit

	// guarded by mu of the documents
	down     bool
	exited   bool
	client   initializeParams
	settings settings
	tokens   int // of progress, so far

	publishing sync.Mutex    // so that an old version is never published after a new one
	turn       chan struct{} // has one place: one verification runs at a time
}

// wire is the connection to the client, and the tasks beside the reading of messages.
type wire struct {
	log    *log.Logger
	ctx    context.Context
	cancel context.CancelFunc
	conn   *jsonrpc2.Conn
	work   sync.WaitGroup

	requests sync.Mutex
	running  map[jsonrpc2.ID]context.CancelFunc // by request
}

func newServer(ctx context.Context, o Options) *server {
	s := &server{
		Options: o, ready: make(chan struct{}), exit: make(chan struct{}),
		documents: documents{docs: map[string]*document{}},
		wire:      wire{running: map[jsonrpc2.ID]context.CancelFunc{}},
		turn:      make(chan struct{}, 1),
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
func (w *wire) start(f func()) {
	w.work.Go(func() {
		defer w.recovered("a task of the server")
		f()
	})
}

// recovered keeps a defect from ending the server.
func (w *wire) recovered(what string) {
	if r := recover(); r != nil {
		w.log.Printf("defect in %s: %v\n%s", what, r, debug.Stack())
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
	s.requests.Lock()
	s.running[req.ID] = cancel
	s.requests.Unlock()
	f, err := s.request(req.Method, params)
	if err != nil {
		f = func(context.Context) (any, error) { return nil, err }
	}
	s.start(func() { s.respond(ctx, req, f) })
}

// respond answers a request. A defect is an answer, too.
func (w *wire) respond(ctx context.Context, req *jsonrpc2.Request, f answer) {
	defer func() {
		if r := recover(); r != nil {
			w.log.Printf("defect in %s: %v\n%s", req.Method, r, debug.Stack())
			w.reply(ctx, req, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError,
				Message: fmt.Sprintf("a defect of erelong: %v", r)})
		}
	}()
	result, err := f(ctx)
	w.reply(ctx, req, result, err)
}

// Error codes of the protocol.
const (
	codeRequestFailed   = -32803
	codeContentModified = -32801
	codeCancelled       = -32800
)

func (w *wire) reply(ctx context.Context, req *jsonrpc2.Request, result any, err error) {
	w.requests.Lock()
	if cancel := w.running[req.ID]; cancel != nil {
		defer cancel()
		delete(w.running, req.ID)
	}
	w.requests.Unlock()
	var known *jsonrpc2.Error
	switch {
	case err == nil && ctx.Err() == nil:
		if err := w.conn.Reply(w.ctx, req.ID, result); err != nil {
			w.log.Printf("answering %s: %v", req.Method, err)
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
	if err := w.conn.ReplyWithError(w.ctx, req.ID, known); err != nil {
		w.log.Printf("answering %s: %v", req.Method, err)
	}
}

// notify sends a message without an answer.
func (w *wire) notify(method string, params any) {
	if err := w.conn.Notify(w.ctx, method, params); err != nil && w.ctx.Err() == nil {
		w.log.Printf("sending %s: %v", method, err)
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
		s.requests.Lock()
		defer s.requests.Unlock()
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
