package smt

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Reuse gives a driver whose conversations, when they end, are kept for others that begin with the same configuration. All that is
// said in one is in a frame, which ends with it. That is for many short questions, where the start of a process costs more
// than the answer: which one a solver finds, if any, may depend on what it was asked before. The second result ends what is kept.
//
// A solver counts its resources from its start, so this driver does not say what was spent.
func Reuse(d Driver) (Driver, func()) {
	p := &pool{Driver: d, idle: map[string][]*reused{}}
	return p, p.close
}

type pool struct {
	Driver
	mu     sync.Mutex
	idle   map[string][]*reused // by what the solver was started with
	closed bool
}

func (p *pool) Spent() string         { return "" }
func (p *pool) Setup(Config) []string { return nil } // start does it

func (p *pool) start(ctx context.Context, c Config) (conversation, error) {
	key := fmt.Sprintf("%+v", c)
	if last := p.take(key); last != nil {
		return last, nil
	}
	fresh, err := p.Driver.start(ctx, c)
	if err != nil {
		return nil, err
	}
	out := &reused{conversation: fresh, pool: p, key: key}
	if _, err := out.exchange(ctx, append(p.Driver.Setup(c), "(push 1)"), time.Minute); err != nil {
		return nil, err
	}
	return out, nil
}

// take gives a conversation that is idle, nil for none.
func (p *pool) take(key string) *reused {
	p.mu.Lock()
	defer p.mu.Unlock()
	idle := p.idle[key]
	if len(idle) == 0 {
		return nil
	}
	last := idle[len(idle)-1]
	p.idle[key] = idle[:len(idle)-1]
	return last
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, idle := range p.idle {
		for _, c := range idle {
			c.conversation.kill()
		}
	}
	p.idle = nil
}

// reused is a conversation that goes back to the pool, unless something went wrong.
type reused struct {
	conversation
	pool   *pool
	key    string
	frames int // that are open
	broken bool
}

func (r *reused) exchange(ctx context.Context, commands []string, guard time.Duration) ([]Sexpr, error) {
	for _, c := range commands {
		switch c {
		case "(push 1)":
			r.frames++
		case "(pop 1)":
			r.frames--
		}
	}
	out, err := r.conversation.exchange(ctx, commands, guard)
	if err != nil {
		r.broken = true
		r.conversation.kill()
	}
	return out, err
}

func (r *reused) kill() {
	if r.broken {
		return
	}
	forget := []string{fmt.Sprintf("(pop %d)", r.frames), "(push 1)"}
	if out, err := r.conversation.exchange(context.Background(), forget, time.Minute); err != nil || len(out) > 0 {
		r.broken = true
		r.conversation.kill()
		return
	}
	r.frames = 1
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	if r.pool.closed {
		r.conversation.kill()
		return
	}
	r.pool.idle[r.key] = append(r.pool.idle[r.key], r)
}
