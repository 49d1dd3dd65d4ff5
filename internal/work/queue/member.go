package queue

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"erelong.dev/erelong/internal/engine/explicit"
)

// credits is the number of batches on their way from one member to another.
const credits = 4

// member is a worker's side of a divided exploration. It is explicit.Peers.
type member struct {
	conn  *Conn
	crew  string
	name  string
	share *explicit.Share
	heap  *heap

	commands chan command
	calls    chan call

	gate  sync.Mutex // held while states are received
	epoch int64      // of which states are received, 0 for none
	came  packet     // the last one

	mu      sync.Mutex
	members []string
	sending int64 // the epoch in which states are sent
	credit  map[int]chan struct{}
	failed  error
	wg      sync.WaitGroup
}

// join takes part in a divided exploration until it ends. The share is made by the engine.
func (w *Worker) join(
	ctx context.Context, crew string, share func(explicit.Peers) *explicit.Share,
) (err error) {
	conn, err := w.conn.apart()
	if err != nil {
		return err
	}
	defer conn.Close()
	m := &member{conn: conn, crew: crew, name: hex.EncodeToString(RandomKey(6)),
		commands: make(chan command, 16), calls: make(chan call, 16), heap: &w.heap}
	m.share = share(m)
	subject := crewSubject + crew
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
		m.gate.Lock()
		m.epoch = 0
		m.gate.Unlock()
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
			now = status{Member: m.name, Epoch: c.Epoch, Seq: c.Seq}
			finish = m.start(ctx, c, now, done)
			continue // most orders are done before the leader asks again
		case <-tick.C:
			if time.Since(heard) > patience {
				return errors.New("the leader of the exploration is silent")
			}
		}
		_ = m.conn.say(crewSubject+m.crew+leadSubject, now)
	}
}

// start carries an order out in the background, and gives the status with the answer to done. The
// function ends it, and waits for that.
func (m *member) start(ctx context.Context, c command, s status, done chan status) (finish func()) {
	within, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		s.Answer = m.do(within, &c)
		done <- s
	}()
	return func() { cancel(); <-done }
}

// do carries an order out.
func (m *member) do(ctx context.Context, c *command) *explicit.Answer {
	if c.Order.Kind != explicit.BeginOrder {
		return m.share.Do(ctx, &c.Order)
	}
	m.gate.Lock() // no states are received meanwhile
	m.epoch = 0
	m.gate.Unlock()
	m.wg.Wait() // what was being sent before is given up
	m.mu.Lock()
	m.members, m.sending, m.failed, m.credit = c.Members, c.Epoch, nil, map[int]chan struct{}{}
	for i := range c.Members {
		m.credit[i] = make(chan struct{}, credits)
	}
	m.mu.Unlock()
	a := m.share.Do(ctx, &c.Order)
	m.gate.Lock()
	m.epoch = c.Epoch
	m.gate.Unlock()
	return a
}

// receive takes states from another member.
func (m *member) receive(msg *nats.Msg) {
	data, ok := m.conn.unseal(msg.Subject, msg.Data)
	if !ok {
		return
	}
	reply := []byte{arrived}
	m.gate.Lock()
	defer m.gate.Unlock()
	p := &m.came
	err := p.read(data)
	switch {
	case err != nil:
	case p.Epoch != m.epoch:
		reply[0] = notYet
	case !p.Ask:
		if err = m.share.Insert(p.Level, p.States); errors.Is(err, explicit.ErrEarly) {
			reply[0], err = notYet, nil
		}
	default:
		for _, on := range m.share.Marked(p.Level, p.States) {
			b := byte(0)
			if on {
				b = 1
			}
			reply = append(reply, b)
		}
	}
	if err != nil {
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

// Send sends states to their owner.
func (m *member) Send(ctx context.Context, to, level int, states []uint64) error {
	m.mu.Lock()
	name, credit, epoch, failed := m.members[to], m.credit[to], m.sending, m.failed
	m.mu.Unlock()
	if failed != nil {
		return failed
	}
	select {
	case credit <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	p := &packet{Epoch: epoch, Level: level, States: states}
	data := p.bytes() // the states may change from now on
	m.wg.Go(func() {
		_, err := m.request(ctx, name, data)
		<-credit
		if err != nil {
			m.mu.Lock()
			m.failed = err
			m.mu.Unlock()
		}
	})
	return nil
}

// Flush waits until all states have arrived.
func (m *member) Flush(context.Context) error {
	m.wg.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failed
}

// askWords is the number of words that are asked about together.
const askWords = 1 << 15

// Ask asks the owner of states which of them are marked.
func (m *member) Ask(ctx context.Context, to, level int, states []uint64) (out []bool, err error) {
	m.mu.Lock()
	name, epoch := m.members[to], m.sending
	m.mu.Unlock()
	words := m.share.Words()
	for some := range slices.Chunk(states, max(1, askWords/words)*words) {
		p := &packet{epoch, level, true, some}
		reply, err := m.request(ctx, name, p.bytes())
		if err != nil {
			return nil, err
		}
		for _, b := range reply {
			out = append(out, b == 1)
		}
	}
	return out, nil
}

// Save saves something as an object. A server whose disk is full may answer nothing at all, so the
// wait for it is bounded.
func (m *member) Save(
	ctx context.Context, name string, write func(io.Writer) error,
) (string, error) {
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
		info *jetstream.ObjectInfo
		err  error
	}
	put := make(chan saved, 1)
	go func() {
		info, err := m.conn.object.Put(within, jetstream.ObjectMeta{Name: name}, r)
		put <- saved{info, err}
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
	return reference(name, got.info.Digest), nil
}

// writes is a function as an io.Writer.
type writes func([]byte) (int, error)

func (f writes) Write(p []byte) (int, error) { return f(p) }

// Open reads what Save saved.
func (m *member) Open(ctx context.Context, ref string) (io.ReadCloser, error) {
	return m.conn.open(ctx, ref)
}
