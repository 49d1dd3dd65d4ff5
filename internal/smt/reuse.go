package smt

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Reuse gives a driver that keeps finished conversations for others with the same settings of the
// process. In between, (reset) restores the solver's initial state, at less than a third of
// the cost of starting a process. A conversation with an error, or at a limit, is not kept. (A
// frame around each conversation would be cheaper still, but z3 4.8.12 says unsat to satisfiable
// queries after some frames.) The second result ends the kept conversations.
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
	c.Wall, c.LogDir, c.Constants = 0, "", false // settings outside the process
	c = p.alike(c)
	if last := p.take(c); last != nil {
		return last, nil
	}
	fresh, err := p.Driver.start(ctx, c)
	if err != nil {
		return nil, err
	}
	return &reused{conversation: fresh, pool: p, config: c}, nil
}

// take gives an idle conversation, nil if there is none.
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

// reused is a conversation that goes back to the pool, unless it failed.
type reused struct {
	conversation
	pool   *pool
	config Config
	stale  bool // it needs a reset before it can go on
	broken bool
}

func (r *reused) exchange(
	ctx context.Context, commands []string, guard time.Duration,
) ([]Sexpr, error) {
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

// leave returns the conversation to the pool.
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
