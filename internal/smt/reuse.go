package smt

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Reuse gives a driver whose conversations, when they end, are kept for others that begin with the same configuration. Before the
// next one the solver is told to forget all that was said: (reset) leaves it as it was when it started, with its count of resources, for
// less than a third of what the start of a process costs. A conversation that had an error, or that met a limit, is not
// kept. (A frame around all that is said would be cheaper still, but z3 4.8.12 says unsat to what is satisfiable after some of
// them.) The second result ends what is kept.
func Reuse(d Driver) (Driver, func()) {
	p := &pool{Driver: d}
	return p, p.close
}

// mostIdle is the number of idle conversations that are kept for a solver, the most recent ones.
const mostIdle = 6

type pool struct {
	Driver
	mu     sync.Mutex
	idle   []*reused // in the order of their ends, the most recent last
	closed bool
}

func (p *pool) start(ctx context.Context, c Config) (conversation, error) {
	c.Wall, c.LogDir = 0, "" // which a process does not know of
	if last := p.take(c); last != nil {
		return last, nil
	}
	fresh, err := p.Driver.start(ctx, c)
	if err != nil {
		return nil, err
	}
	return &reused{conversation: fresh, pool: p, config: c}, nil
}

// take gives a conversation that is idle, nil for none.
func (p *pool) take(c Config) *reused {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, r := range slices.Backward(p.idle) {
		if r.config == c {
			p.idle = slices.Delete(p.idle, i, i+1)
			return r
		}
	}
	return nil
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, r := range p.idle {
		r.conversation.kill()
	}
	p.idle = nil
}

// reused is a conversation that goes back to the pool, unless something went wrong.
type reused struct {
	conversation
	pool   *pool
	config Config
	stale  bool // it has to forget what was said before it can go on
	broken bool
}

func (r *reused) exchange(ctx context.Context, commands []string, guard time.Duration) ([]Sexpr, error) {
	if r.stale {
		commands = slices.Insert(slices.Clone(commands), 0, "(reset)")
		r.stale = false
	}
	out, err := r.conversation.exchange(ctx, commands, guard)
	if err != nil {
		r.kill()
	}
	return out, err
}

func (r *reused) kill() {
	r.broken = true
	r.conversation.kill()
}

// leave gives the conversation back.
func (r *reused) leave() {
	if r.broken {
		return
	}
	p := r.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		r.kill()
		return
	}
	r.stale = true
	p.idle = append(p.idle, r)
	if len(p.idle) > mostIdle {
		p.idle[0].kill()
		p.idle = slices.Delete(p.idle, 0, 1)
	}
}
