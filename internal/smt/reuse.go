package smt

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Reuse gives a driver whose conversations, when they end, are kept for others that begin with the same configuration. The solver
// forgets in between all that was said. That is for tests with many short questions, where the start of a process costs more than
// the answer; a proof that a user is shown begins with fresh processes. (A frame around all that is said would be cheaper still,
// but z3 4.8.12 says unsat to what is satisfiable after some of them.) The second result ends what is kept.
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

func (p *pool) Spent() string { return "" }

func (p *pool) start(ctx context.Context, c Config) (conversation, error) {
	key := fmt.Sprintf("%+v", c)
	if last := p.take(key); last != nil {
		return last, nil
	}
	fresh, err := p.Driver.start(ctx, c)
	if err != nil {
		return nil, err
	}
	return &reused{conversation: fresh, pool: p, key: key}, nil
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
	broken bool
}

func (r *reused) exchange(ctx context.Context, commands []string, guard time.Duration) ([]Sexpr, error) {
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
	if out, err := r.conversation.exchange(context.Background(), []string{"(reset)"}, time.Minute); err != nil || len(out) > 0 {
		r.broken = true
		r.conversation.kill()
		return
	}
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	if r.pool.closed {
		r.conversation.kill()
		return
	}
	r.pool.idle[r.key] = append(r.pool.idle[r.key], r)
}
