package queue

import (
	"context"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/work"
)

// member is a worker's side of a divided exploration. It is explicit.Peers.
type member struct {
	conn  *Conn
	crew  string
	name  string
	share *explicit.Share
	heap  *heap
	saves *Saves

	commands chan command
	calls    chan call

	door     *door // nil if it does not open
	came     packet
	exchange atomic.Pointer[exchange] // nil before the first BeginOrder, and while one is at work
	over     atomic.Bool

	run, title string
	mu         sync.Mutex // of the following
	order      string     // at work, empty for none
	parts      []int
}

// join takes part in a divided exploration until it ends. The share is made by the engine.
func (w *Worker) join(
	ctx context.Context, run string, j *work.Job, share func(explicit.Peers) *explicit.Share,
) (err error) {
	conn, err := w.conn.apart()
	if err != nil {
		return err
	}
	defer conn.Close()
	m := &member{conn: conn, crew: j.Crew, name: hex.EncodeToString(RandomKey(6)),
		commands: make(chan command, 16), calls: make(chan call, 16), heap: &w.heap,
		saves: &w.Saves, run: run, title: j.Title()}
	m.share = share(m)
	w.mu.Lock()
	w.members[m] = true
	w.mu.Unlock()
	m.door, err = newDoor(conn.sockets, m.name, conn.nats.LocalAddr(), m.visitor)
	if err != nil {
		w.Log.Warn("other workers cannot reach this one, so states go over NATS", "error", err)
	}
	subject := crewSubject + m.crew
	one, err := hear(m.conn, subject+toSubject+m.name, func(c command) {
		select {
		case m.commands <- c:
		default: // it comes again
		}
	})
	var two, three *nats.Subscription
	if err == nil {
		two, err = hear(m.conn, subject+allSubject, func(c call) {
			select {
			case m.calls <- c:
			default:
			}
		})
	}
	if err == nil {
		three, err = m.conn.nats.Subscribe(subject+dataSubject+m.name, m.receive)
	}
	defer func() {
		for _, s := range []*nats.Subscription{one, two, three} {
			if s != nil {
				_ = s.Unsubscribe()
			}
		}
		w.mu.Lock()
		delete(w.members, m)
		w.mu.Unlock()
		m.over.Store(true)
		m.part()
		if m.door != nil {
			m.door.close()
		}
		err = errors.Join(err, m.share.Close())
	}()
	if err != nil {
		return fmt.Errorf("joining a crew: %w", err)
	}
	if err = three.SetPendingLimits(-1, -1); err != nil { // credits bound it
		return err
	}
	return m.follow(ctx)
}

// follow carries orders out, until the leader ends or falls silent.
func (m *member) follow(ctx context.Context) error {
	tick := time.NewTicker(m.conn.wait / 10)
	defer tick.Stop()
	patience := m.conn.wait / 2 // before the leader was heard
	heard := time.Now()
	now := status{Member: m.name}
	if m.door != nil {
		now.Address = m.door.address
	}
	tell := func() { _ = m.conn.say(crewSubject+m.crew+leadSubject, now) }
	tell()
	done := make(chan status, 1)
	finish := func() {} // ends the order at work, and waits for that
	defer func() { finish() }()
	large := false
	defer func() {
		if large {
			m.heap.shrinks()
		}
	}()
	for {
		select {
		case <-ctx.Done():
			var beyond *beyondError
			if errors.As(context.Cause(ctx), &beyond) {
				now.Beyond = beyond.Error()
				tell()
			}
			return ctx.Err()
		case c := <-m.calls:
			if heard, patience = time.Now(), m.conn.wait; c.Over {
				return nil
			}
			continue
		case s := <-done:
			now, finish = s, func() {}
			if !large && s.Answer.Bytes >= largeHeap {
				large = true
				m.heap.grows()
			}
		case c := <-m.commands:
			if heard = time.Now(); c.Seq <= now.Seq {
				break
			}
			finish()
			now.Epoch, now.Seq, now.Answer = c.Epoch, c.Seq, nil
			finish = m.start(ctx, c, now, done)
			continue // most orders are done before the leader asks again
		case <-tick.C:
			if !m.conn.nats.IsConnected() { // nobody can be heard
				heard = time.Now()
			}
			if time.Since(heard) > patience {
				return errors.New("the leader of the exploration is silent")
			}
		}
		tell()
	}
}

// start carries an order out in the background, and gives the status with the answer to done. The
// function ends it, and waits for that.
func (m *member) start(ctx context.Context, c command, s status, done chan status) (finish func()) {
	within, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		m.works(&c.Order)
		s.Answer = m.do(within, &c)
		m.works(&explicit.Order{})
		done <- s
	}()
	return func() { cancel(); <-done }
}

// works records the order at work.
func (m *member) works(o *explicit.Order) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.order = o.Kind
	if o.Kind != explicit.BeginOrder {
		return
	}
	m.parts = nil
	for part, owner := range o.Owners {
		if owner == o.Self {
			m.parts = append(m.parts, part)
		}
	}
}

// portion is what the member tells of itself to people.
func (m *member) portion() Portion {
	m.mu.Lock()
	p := Portion{Run: m.run, Title: m.title, Member: m.name, Parts: m.parts, Order: m.order}
	m.mu.Unlock()
	p.Level, p.States, p.Bytes = m.share.Standing()
	if e := m.exchange.Load(); e != nil && p.Order == explicit.ExpandOrder {
		p.Awaits = e.awaits()
	}
	return p
}

// do carries an order out.
func (m *member) do(ctx context.Context, c *command) *explicit.Answer {
	if c.Order.Kind != explicit.BeginOrder {
		if e := m.exchange.Load(); e != nil { // a stream may wait for ever
			defer context.AfterFunc(ctx, func() { e.cut(ctx.Err()) })()
		}
		return m.share.Do(ctx, &c.Order)
	}
	m.part()
	e, opened := m.newExchange(c)
	a := m.share.Do(ctx, &c.Order)
	opened.Wait()
	m.exchange.Store(e)
	return a
}

// part ends the exchange of states.
func (m *member) part() {
	if e := m.exchange.Swap(nil); e != nil {
		e.close()
	}
}

// certificate is its own one for streams, nil for none.
func (m *member) certificate() *tls.Config {
	if m.door == nil {
		return nil
	}
	return m.door.tls
}

// receive takes a message of another member.
func (m *member) receive(msg *nats.Msg) {
	data, ok := m.conn.unseal(msg.Subject, msg.Data)
	if !ok {
		return
	}
	reply := []byte{arrived}
	p := &m.came
	err := p.read(data)
	if e := m.exchange.Load(); err == nil {
		if e == nil || p.Epoch != e.epoch || !e.enter() {
			err = explicit.ErrEarly
		} else {
			var said []byte
			said, err = e.take(p)
			reply = append(reply, said...)
			e.wg.Done()
		}
	}
	switch {
	case errors.Is(err, explicit.ErrEarly):
		reply = []byte{notYet}
	case err != nil:
		reply = append([]byte{refused}, err.Error()...)
	}
	_ = msg.Respond(m.conn.seal(msg.Subject, reply))
}

// request sends a packet until it arrives.
func (m *member) request(ctx context.Context, to string, packet []byte) ([]byte, error) {
	subject := crewSubject + m.crew + dataSubject + to
	data := m.conn.seal(subject, packet)
	for {
		within, cancel := context.WithTimeout(ctx, m.conn.wait/2)
		msg, err := m.conn.nats.RequestWithContext(within, subject, data)
		cancel()
		if err == nil {
			if body, ok := m.conn.unseal(subject, msg.Data); ok {
				reply, err := replyOf(body)
				if !errors.Is(err, errNotYet) {
					return reply, err
				}
			}
		}
		select { // the owner is lost, and the leader will see it; or it is late
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// now is the exchange of the order at work.
func (m *member) now() (*exchange, error) {
	e := m.exchange.Load()
	if e == nil {
		return nil, errors.New("an order comes before the first one")
	}
	return e, nil
}

// Send sends states to their owner.
func (m *member) Send(ctx context.Context, to, level int, states []uint64) error {
	e, err := m.now()
	if err != nil {
		return err
	}
	return e.Send(ctx, to, level, states)
}

// Meet ends the sending for a level, and waits for the other members.
func (m *member) Meet(ctx context.Context, level int, own explicit.Met) (explicit.Met, error) {
	e, err := m.now()
	if err != nil {
		return own, err
	}
	return e.Meet(ctx, level, own)
}

// askWords is the number of words that are asked about together.
const askWords = 1 << 15

// Ask asks the owner of states which of them are marked.
func (m *member) Ask(ctx context.Context, to, level int, states []uint64) (out []bool, err error) {
	e, err := m.now()
	if err != nil {
		return nil, err
	}
	words := m.share.Words()
	for some := range slices.Chunk(states, max(1, askWords/words)*words) {
		p := &packet{e.epoch, level, asked, some}
		reply, err := m.request(ctx, e.names[to], p.append(nil))
		if err != nil {
			return nil, err
		}
		for _, b := range reply {
			out = append(out, b == 1)
		}
	}
	return out, nil
}

// Save saves something as a file, or as an object. A server whose disk is full may answer nothing
// at all, so the wait for it is bounded.
func (m *member) Save(
	ctx context.Context, name string, write func(io.Writer) error,
) (string, error) {
	if inFolder(name) {
		return m.saves.save(name, write)
	}
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	late := time.AfterFunc(m.conn.wait, cancel)
	defer late.Stop()
	r, w := io.Pipe()
	var writing sync.WaitGroup
	writing.Go(func() {
		_ = w.CloseWithError(write(writes(func(p []byte) (int, error) {
			late.Reset(m.conn.wait)
			return w.Write(p)
		})))
	})
	type saved struct {
		digest string
		err    error
	}
	put := make(chan saved, 1)
	go func() {
		digest, err := m.conn.putObject(within, name, r, func() { late.Reset(m.conn.wait) })
		put <- saved{digest, err}
	}()
	var got saved
	select {
	case got = <-put:
	case <-within.Done(): // a write that hangs does not see it
		got.err = within.Err()
	}
	err := got.err
	_ = r.CloseWithError(err)
	writing.Wait()
	switch {
	case err == nil:
	case ctx.Err() == nil && (within.Err() != nil || errors.Is(err, context.DeadlineExceeded)):
		return "", errors.New("the server has said nothing about it; its disk may be full")
	default:
		return "", err
	}
	return reference(name, got.digest), nil
}

// writes is a function as an io.Writer.
type writes func([]byte) (int, error)

func (f writes) Write(p []byte) (int, error) { return f(p) }

// Open reads what Save saved.
func (m *member) Open(ctx context.Context, ref string) (io.ReadCloser, error) {
	name, digest, _ := strings.Cut(ref, " ")
	if inFolder(name) {
		return m.saves.read(name, digest)
	}
	return m.conn.openObject(ctx, name, digest)
}
