package smt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/smt/wasmz3"
)

// wasmName is the name of the z3 that is part of the program.
const wasmName = "z3-wasm"

var wasmProduct = product{name: wasmName, inside: func() (Driver, error) {
	if wasmz3.Embedded() == nil {
		return nil, fmt.Errorf("%s: %w", wasmName, wasmz3.ErrNotEmbedded)
	}
	return wasmZ3{z3{version: wasmz3.Version}, &embedded}, nil
}}

// embedded is the machine code of the embedded module. It is made once for all sessions of the
// program, since it never changes.
var embedded compiler

// wasmZ3 is z3 inside the program. It is newer than that of most distributions, and slower than a
// process.
type wasmZ3 struct {
	z3
	compiler *compiler
}

func (z wasmZ3) Name() string { return wasmName }

func (z wasmZ3) start(ctx context.Context, c Config) (conversation, error) {
	engine, err := z.compiler.engine(ctx)
	if err != nil {
		return nil, err
	}
	instance, err := engine.Start(ctx, wasmz3.Params{Set: z.options(c)})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDied, err)
	}
	return wasmInstance{instance}, nil
}

type noticeKey struct{}

// WithNotice has f told when a solver needs long to start, or does not start although it is there.
func WithNotice(ctx context.Context, f func(text string)) context.Context {
	return context.WithValue(ctx, noticeKey{}, f)
}

// notice tells what is worth knowing, if somebody listens.
func notice(ctx context.Context, text string) {
	if f, ok := ctx.Value(noticeKey{}).(func(string)); ok {
		f(text)
	}
}

// CacheFolder is where machine code is kept between runs: a folder of erelong among the user's
// caches.
func CacheFolder() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("looking for the folder of caches: %w", err)
	}
	return filepath.Join(dir, "erelong"), nil
}

// compiler makes machine code at the first use. The work goes on when the one who asked no longer
// waits, for he may ask again.
type compiler struct {
	packed []byte // nil for the embedded module

	mu   sync.Mutex
	work *compilation // nil before the first, and after one that failed
}

type compilation struct {
	done   chan struct{}
	engine *wasmz3.Engine
	err    error
}

func (c *compiler) engine(ctx context.Context) (*wasmz3.Engine, error) {
	c.mu.Lock()
	if c.work == nil {
		w := &compilation{done: make(chan struct{})}
		c.work = w
		notice, _ := ctx.Value(noticeKey{}).(func(string))
		go func() {
			defer close(w.done)
			dir, _ := CacheFolder() // without one it is compiled in each run
			w.engine, w.err = wasmz3.Open(context.WithoutCancel(ctx),
				wasmz3.Options{Packed: c.packed, Cache: dir, Notice: notice})
			if w.err != nil {
				c.mu.Lock()
				c.work = nil
				c.mu.Unlock()
			}
		}()
	}
	w := c.work
	c.mu.Unlock()
	select {
	case <-w.done:
		return w.engine, w.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// wasmMarker is printed after the last command: what ends before, be it without a word, is no
// answer.
const wasmMarker = "erelong-end"

// wasmInstance is a conversation with an instance.
type wasmInstance struct{ z *wasmz3.Instance }

func (i wasmInstance) kill() { i.z.Close() }

func (i wasmInstance) exchange(
	ctx context.Context, commands []string, guard time.Duration,
) ([]Sexpr, error) {
	bounded, cancel := effort.Processor(ctx, guard, context.DeadlineExceeded)
	defer cancel()
	text, err := i.z.Eval(bounded, strings.Join(commands, "\n")+"\n(echo \""+wasmMarker+"\")")
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case bounded.Err() != nil:
		return nil, fmt.Errorf("%w after %s", ErrGuard, guard)
	default:
		return nil, fmt.Errorf("%w: %w", ErrDied, err)
	}
	var out []Sexpr
	for r := NewReader(strings.NewReader(text)); ; {
		e, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%w: it did not read all commands", ErrDied)
		case !e.IsList && e.Atom == wasmMarker && err == nil:
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("%w: it printed what cannot be read: %w", ErrRefused, err)
		case e.Head() == "error":
			return nil, fmt.Errorf("%w: %s", ErrRefused, message(e))
		}
		out = append(out, e)
	}
}
