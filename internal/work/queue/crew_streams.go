package queue

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"erelong.dev/erelong/internal/engine/explicit"
)

// credits is the number of batches on their way over NATS from one member to another.
const credits = 4

// exchange is how a member exchanges states with the others, from one BeginOrder to the next. There
// is a stream to each member that can be reached, which keeps the order of what is sent, and waits
// where the other end is slow. The way to other members is NATS: there a batch is sent again until
// its owner says that it has arrived, and a level ends after all its batches have arrived.
type exchange struct {
	*member
	epoch   int64
	self    int
	names   []string
	peers   []Address
	senders []*sender // nil where the way is NATS
	credit  []chan struct{}

	ctx    context.Context // of this side; its cause is why it ended
	stop   context.CancelCauseFunc
	line   context.Context // of the streams
	hangUp context.CancelFunc
	wg     sync.WaitGroup // what takes states
	sent   sync.WaitGroup // what is on its way over NATS

	mu       sync.Mutex
	closed   bool
	met      int // the last level that all have ended
	ended    int // the last level that this member has ended
	meetings map[int]*meeting
}

// meeting is a level that members end.
type meeting struct {
	ended map[int]bool // by member
	all   explicit.Met
	done  chan struct{} // closed when all have ended it
}

// newExchange begins to open streams. The caller waits for opened before it uses the exchange.
func (m *member) newExchange(c *command) (e *exchange, opened *sync.WaitGroup) {
	e = &exchange{member: m, epoch: c.Epoch, self: c.Order.Self, names: c.Members,
		peers: c.Addresses, senders: make([]*sender, len(c.Members)),
		meetings: map[int]*meeting{}}
	e.ctx, e.stop = context.WithCancelCause(context.Background())
	e.line, e.hangUp = context.WithCancel(context.Background())
	opened = &sync.WaitGroup{}
	for i := range c.Members {
		e.credit = append(e.credit, make(chan struct{}, credits))
		if i == e.self || i >= len(c.Addresses) {
			continue
		}
		opened.Go(func() {
			s, err := m.conn.greet(e.ctx, c.Addresses[i], m.certificate(),
				greeting{m.crew, e.epoch, e.self})
			if err == nil {
				context.AfterFunc(e.line, func() { _ = s.conn.Close() })
				e.senders[i] = s
			}
		})
	}
	return e, opened
}

var errOver = errors.New("the exchange of states is over")

// close ends the exchange. Afterwards nothing is taken, or sent.
func (e *exchange) close() {
	e.cut(errOver)
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.wg.Wait()
	e.sent.Wait()
}

// cut ends the exchange for all members. Where only stop is called, the others wait, and the leader
// hears the reason from this member alone.
func (e *exchange) cut(why error) {
	e.stop(why)
	e.hangUp()
}

// enter reports whether something may take states, until it calls e.wg.Done.
func (e *exchange) enter() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.wg.Add(1)
	}
	return !e.closed
}

// broken ends the exchange since a stream has ended.
func (e *exchange) broken(err error) error {
	e.cut(fmt.Errorf("%w: %w", explicit.ErrLost, err))
	return context.Cause(e.ctx)
}

// Send sends states to their owner.
func (e *exchange) Send(ctx context.Context, to, level int, states []uint64) error {
	p := &packet{Epoch: e.epoch, Level: level, Kind: newStates, States: states}
	if s := e.senders[to]; s != nil {
		if err := s.put(p); err != nil {
			return e.broken(err)
		}
		return nil
	}
	select {
	case e.credit[to] <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-e.ctx.Done():
		return context.Cause(e.ctx)
	}
	e.later(to, p, func() { <-e.credit[to] })
	return nil
}

// later sends a packet over NATS in the background.
func (e *exchange) later(to int, p *packet, then func()) {
	data := p.append(nil) // the states may change from now on
	e.sent.Go(func() {
		defer then()
		if _, err := e.request(e.ctx, e.names[to], data); err != nil {
			e.stop(err)
		}
	})
}

// Meet ends the sending for a level, and waits for the others.
func (e *exchange) Meet(
	ctx context.Context, level int, own explicit.Met,
) (all explicit.Met, err error) {
	e.sent.Wait()
	if e.ctx.Err() != nil {
		return all, context.Cause(e.ctx)
	}
	news := uint64(0)
	if own.News {
		news = 1
	}
	for k := range len(e.names) - 1 {
		to := (e.self + 1 + k) % len(e.names) // not everybody to the same one at the same time
		p := &packet{Epoch: e.epoch, Level: level, Kind: levelEnds,
			States: []uint64{uint64(e.self), uint64(own.States), news, 0}}
		s := e.senders[to]
		if s == nil {
			e.later(to, p, func() {})
			continue
		}
		p.States[3], s.sent = uint64(s.sent), 0
		err := s.put(p)
		if s.sent = 0; err == nil {
			err = s.flush()
		}
		if err != nil {
			return all, e.broken(err)
		}
	}
	m := e.arrive(level, e.self, own)
	e.mu.Lock()
	e.ended = level
	e.mu.Unlock()
	select {
	case <-m.done:
	case <-ctx.Done():
		return all, ctx.Err()
	case <-e.ctx.Done():
		return all, context.Cause(e.ctx)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.met = level
	delete(e.meetings, level)
	return m.all, nil
}

// arrive records that a member has ended a level. Over NATS it may say so more than once.
func (e *exchange) arrive(level, from int, own explicit.Met) *meeting {
	e.mu.Lock()
	defer e.mu.Unlock()
	m := e.meetings[level]
	switch {
	case level <= e.met || m != nil && m.ended[from]:
		return m
	case m == nil:
		m = &meeting{ended: map[int]bool{}, done: make(chan struct{})}
		e.meetings[level] = m
	}
	m.ended[from] = true
	m.all = explicit.Met{States: m.all.States + own.States, News: m.all.News || own.News}
	if len(m.ended) == len(e.names) {
		close(m.done)
	}
	return m
}

// awaits lists the members for which this one waits at the end of a level.
func (e *exchange) awaits() (out []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	m := e.meetings[e.ended]
	for i, name := range e.names {
		if m != nil && !m.ended[i] {
			out = append(out, name)
		}
	}
	return out
}

// ends takes the end of a level.
func (e *exchange) ends(p *packet) error {
	if len(p.States) != 4 || p.States[0] >= uint64(len(e.names)) {
		return errors.New("this is no end of a level")
	}
	e.arrive(p.Level, int(p.States[0]),
		explicit.Met{States: int64(p.States[1]), News: p.States[2] == 1})
	return nil
}

// take takes a packet, and gives what is asked for.
func (e *exchange) take(p *packet) (reply []byte, err error) {
	switch p.Kind {
	case newStates:
		return nil, e.share.Insert(p.Level, p.States)
	case levelEnds:
		return nil, e.ends(p)
	}
	for _, on := range e.share.Marked(p.Level, p.States) {
		b := byte(0)
		if on {
			b = 1
		}
		reply = append(reply, b)
	}
	return reply, nil
}

// visitor takes the stream of another member.
func (m *member) visitor(in *bufio.Reader, conn net.Conn, print []byte, hello greeting) {
	e := m.inEpoch(hello.Epoch)
	if e == nil || hello.Crew != m.crew || hello.From < 0 || hello.From >= len(e.peers) ||
		!bytes.Equal(e.peers[hello.From].Print, print) || !e.enter() {
		return
	}
	defer e.wg.Done()
	defer context.AfterFunc(e.line, func() { _ = conn.Close() })()
	switch err := e.read(in, hello.From); {
	case errors.Is(err, explicit.ErrLost):
		e.cut(err)
	default:
		e.stop(err)
		<-e.line.Done()
	}
}

// inEpoch is the exchange of an epoch, once it has begun; nil if it is over, or does not begin.
func (m *member) inEpoch(epoch int64) *exchange {
	for began := time.Now(); time.Since(began) < m.conn.wait; time.Sleep(time.Millisecond) {
		if e := m.exchange.Load(); e != nil && e.epoch >= epoch {
			if e.epoch > epoch {
				e = nil
			}
			return e
		}
		if m.over.Load() {
			return nil
		}
	}
	return nil
}

// read takes what a stream brings, until it ends.
func (e *exchange) read(in *bufio.Reader, from int) error {
	var p packet
	var data []byte
	var err error
	came := 0
	for {
		if data, err = readFrame(in, data, mostFrame); err != nil {
			return fmt.Errorf("%w: %w", explicit.ErrLost, err)
		}
		if err = p.read(data); err != nil {
			return err
		}
		switch {
		case p.Epoch != e.epoch || p.Kind == asked:
			err = errors.New("this does not belong into a stream")
		case p.Kind == newStates:
			came += len(p.States)
		case len(p.States) != 4 || p.States[0] != uint64(from) || p.States[3] != uint64(came):
			err = fmt.Errorf("internal error: of a level %d words have come, and its end is %v",
				came, p.States)
		default:
			came = 0
		}
		for early := true; err == nil && early; {
			_, err = e.take(&p)
			if early = errors.Is(err, explicit.ErrEarly); early { // so the other end waits, too
				time.Sleep(time.Millisecond)
				err = context.Cause(e.ctx)
			}
		}
		if err != nil {
			return err
		}
	}
}
