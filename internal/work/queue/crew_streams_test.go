package queue

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/verify"
)

// lines are the direct connections of workers, which can be cut.
type lines struct {
	mu   sync.Mutex
	open []net.Conn
	made int
	cuts int
}

func (l *lines) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.made++
		l.open = append(l.open, c)
	}
	return c, err
}

// cut ends one of the connections.
func (l *lines) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.open); n > 0 {
		l.cuts++
		_ = l.open[n-1].Close()
		l.open = l.open[:n-1]
	}
}

// direct starts workers that reach each other as said.
func direct(
	t *testing.T, s Server, n int,
	dial func(ctx context.Context, network, address string) (net.Conn, error),
) *Run {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	t.Cleanup(func() { cancel(); wg.Wait() })
	for i := range n {
		c := connect(t, s, "v1")
		if dial != nil {
			c.direct = dial
		}
		wg.Go(func() {
			w := &Worker{Name: string(rune('a' + i)), Jobs: 1, Log: slog.New(slog.DiscardHandler)}
			if err := w.Work(ctx, c); err != nil {
				t.Error(err)
			}
		})
	}
	c := connect(t, s, "v1")
	if err := c.Fit(t.Context(), nil, n, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	r := beginQuiet(t, c)
	return r
}

// A divided exploration gives what one process gives, whether states go over sockets, over TCP, or
// over NATS.
func TestWays(t *testing.T) {
	t.Parallel()
	refuses := func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("a wall is between the workers")
	}
	for _, way := range []string{"unix", "tcp", "nats", "some"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			var l lines
			dial := l.dial
			switch way {
			case "tcp":
				s.Sockets = ""
			case "nats":
				dial = refuses
			case "some": // every other connection is refused
				s.Sockets = ""
				var mu sync.Mutex
				n := 0
				dial = func(ctx context.Context, network, address string) (net.Conn, error) {
					mu.Lock()
					n++
					odd := n%2 == 1
					mu.Unlock()
					if odd {
						return refuses(ctx, network, address)
					}
					return l.dial(ctx, network, address)
				}
			}
			r := direct(t, s, 3, dial)
			for _, x := range [][2]string{{"lease.ere", "three"}, {"lease_without_drift.ere", "drift"}} {
				source, task, want := exploration(t, x[0], x[1])
				got, err := (&Spread{Run: r, Source: source, Divide: true}).Carry(t.Context(),
					explicit.Name, task, verify.Default(), engine.Sink{})
				if err != nil {
					t.Fatal(err)
				}
				same(t, want, got)
			}
			for _, c := range l.open {
				if network := c.RemoteAddr().Network(); way != "some" && network != way {
					t.Errorf("a connection over %s", network)
				}
			}
			if want := map[string]int{"unix": 6, "tcp": 6, "some": 3}[way]; l.made < want {
				t.Errorf("%d connections between three workers", l.made)
			}
		})
	}
}

// Streams that end in the middle of an exploration cost the levels since the last save. If streams
// end again and again, the states go over NATS.
func TestBrokenStreams(t *testing.T) {
	t.Parallel()
	for _, sockets := range []bool{true, false} {
		s := start(t)
		if !sockets {
			s.Sockets = ""
		}
		var l lines
		r := direct(t, s, 3, l.dial)
		source, task, want := exploration(t, "lease.ere", "three")
		stop := make(chan struct{})
		var cutting sync.WaitGroup
		cutting.Go(func() {
			for {
				select {
				case <-time.After(20 * time.Millisecond):
					l.cut()
				case <-stop:
					return
				}
			}
		})
		got, err := (&Spread{Run: r, Source: source, Divide: true, Every: time.Nanosecond}).Carry(
			t.Context(), explicit.Name, task, verify.Default(), engine.Sink{})
		close(stop)
		cutting.Wait()
		if err != nil {
			t.Fatal(err)
		}
		same(t, want, got)
		if l.cuts == 0 {
			t.Error("no stream was cut")
		}
		if l.made > 18 { // two epochs, and one that was begun meanwhile
			t.Errorf("%d connections, though streams do not last", l.made)
		}
	}
}

// alone is a member in an epoch, which nobody else is in.
func alone(t *testing.T, sockets string) *member {
	t.Helper()
	m := &member{conn: &Conn{wait: 200 * time.Millisecond,
		direct: (&net.Dialer{}).DialContext}, crew: "crew", name: "me"}
	var err error
	if m.door, err = newDoor(sockets, m.name, "127.0.0.1:1", m.visitor); err != nil {
		t.Fatal(err)
	}
	e, opened := m.newExchange(&command{Epoch: 3, Members: []string{"me", "other"},
		Addresses: []Address{m.door.address, {Print: []byte("the print of the other")}}})
	opened.Wait()
	m.exchange.Store(e)
	t.Cleanup(func() { m.over.Store(true); m.part(); m.door.close() })
	return m
}

// ended reports whether a connection ends, without an answer, before long.
func ended(t *testing.T, c net.Conn) bool {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	_, err := bufio.NewReader(c).ReadByte()
	var late net.Error
	return err != nil && !(errors.As(err, &late) && late.Timeout())
}

// Who is not a member of the crew is not let in.
func TestStrangers(t *testing.T) {
	t.Parallel()
	m := alone(t, "")
	own, _, err := ownCertificate()
	if err != nil {
		t.Fatal(err)
	}
	e := m.exchange.Load()
	for name, hello := range map[string]greeting{
		"another certificate": {"crew", 3, 1}, "another crew": {"club", 3, 1},
		"an epoch that is over": {"crew", 2, 1}, "an epoch that does not come": {"crew", 4, 1},
		"nobody": {"crew", 3, 2}, "less than nobody": {"crew", 3, -1},
	} {
		s, err := m.conn.greet(t.Context(), m.door.address, own, hello)
		if err != nil {
			t.Fatal(err)
		}
		_ = s.put(&packet{Epoch: 3, Level: 2, Kind: levelEnds, States: []uint64{1, 0, 0, 0}})
		_ = s.flush()
		if !ended(t, s.conn) {
			t.Errorf("%s is let in", name)
		}
		_ = s.conn.Close()
	}
	e.mu.Lock()
	if len(e.meetings) > 0 {
		t.Error("a stranger was heard")
	}
	e.mu.Unlock()
	wrong := m.door.address
	wrong.Print = []byte("of somebody else")
	if _, err := m.conn.greet(t.Context(), wrong, own, greeting{"crew", 3, 1}); err == nil {
		t.Error("a member with another certificate is greeted")
	}
	plain, err := net.Dial("tcp", m.door.address.TCP)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if _, err := io.WriteString(plain, "GET / HTTP/1.1\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(plain); err == nil && len(data) > 100 {
		t.Errorf("a stranger without TLS is told %q", data)
	}
}

// What does not belong into a stream ends the exchange.
func TestWrongFrames(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*packet{
		"of another epoch":   {Epoch: 2, Level: 2, Kind: levelEnds, States: []uint64{1, 0, 0, 0}},
		"a question":         {Epoch: 3, Level: 2, Kind: asked, States: []uint64{1}},
		"lost words":         {Epoch: 3, Level: 2, Kind: levelEnds, States: []uint64{1, 0, 0, 7}},
		"another's end":      {Epoch: 3, Level: 2, Kind: levelEnds, States: []uint64{0, 0, 0, 0}},
		"not the whole word": nil,
	} {
		m := alone(t, filepath.Join(t.TempDir()))
		e := m.exchange.Load()
		e.peers[1].Print = nil
		s, err := m.conn.greet(t.Context(), m.door.address, nil, greeting{"crew", 3, 1})
		if err != nil {
			t.Fatal(err)
		}
		if p == nil {
			s.out = frame(nil, make([]byte, 17))
		} else if err := s.put(p); err != nil {
			t.Fatal(err)
		}
		if err := s.flush(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-e.ctx.Done():
		case <-time.After(10 * time.Second):
			t.Errorf("%s: nobody minds", name)
		}
		_ = s.conn.Close()
	}
}
