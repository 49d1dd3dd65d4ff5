package queue

import (
	"context"
	"encoding/binary"
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

	commands chan command
	calls    chan call

	gate  sync.RWMutex // held while states are received
	epoch int64        // of which states are received, 0 for none

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
	m := &member{conn: w.conn, crew: crew, name: hex.EncodeToString(RandomKey(6)),
		commands: make(chan command, 16), calls: make(chan call, 16)}
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
		case c := <-m.commands:
			if heard = time.Now(); c.Seq <= now.Seq {
				break
			}
			finish()
			now = status{Member: m.name, Epoch: c.Epoch, Seq: c.Seq}
			finish = m.start(ctx, c, now, done)
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
	m.gate.RLock()
	defer m.gate.RUnlock()
	p, err := packetOf(data)
	switch {
	case err != nil:
	case p.Epoch != m.epoch:
		reply[0] = notYet
	case p.Level == 0:
		err = m.share.Insert(p.States)
	default:
		for _, on := range m.share.Marked(int(p.Level), p.States) {
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
func (m *member) request(ctx context.Context, to string, p *packet) ([]byte, error) {
	subject := crewSubject + m.crew + dataSubject + to
	data := m.conn.seal(subject, p.bytes())
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
func (m *member) Send(ctx context.Context, to int, states []uint64) error {
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
	p := &packet{Epoch: epoch, States: slices.Clone(states)}
	m.wg.Go(func() {
		_, err := m.request(ctx, name, p)
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
		reply, err := m.request(ctx, name, &packet{epoch, int64(level), some})
		if err != nil {
			return nil, err
		}
		for _, b := range reply {
			out = append(out, b == 1)
		}
	}
	return out, nil
}

// Save saves something as an object.
func (m *member) Save(
	ctx context.Context, name string, write func(io.Writer) error,
) (string, error) {
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(write(w)) }()
	info, err := m.conn.object.Put(ctx, jetstream.ObjectMeta{Name: name}, r)
	_ = r.CloseWithError(err)
	if err != nil {
		return "", err
	}
	return reference(name, info.Digest), nil
}

// Open reads what Save saved.
func (m *member) Open(ctx context.Context, ref string) (io.ReadCloser, error) {
	return m.conn.open(ctx, ref)
}

func appendWords(raw []byte, words []uint64) []byte {
	for _, w := range words {
		raw = binary.LittleEndian.AppendUint64(raw, w)
	}
	return raw
}

func wordsOf(raw []byte) []uint64 {
	out := make([]uint64, len(raw)/8)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(raw[8*i:])
	}
	return out
}
