package detector

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"erelong.dev/erelong/trace"
)

// Memory is a transport within a process. Delay says how long a message takes.
type Memory struct {
	log   *trace.Log
	delay func() time.Duration

	mu    sync.Mutex
	inbox map[string][]Message
}

// NewMemory makes a transport that logs when a message arrives.
func NewMemory(log *trace.Log, delay func() time.Duration) *Memory {
	return &Memory{log: log, delay: delay, inbox: map[string][]Message{}}
}

// UpTo is a delay that is drawn from 0 to most.
func UpTo(most time.Duration, r *rand.Rand) func() time.Duration {
	var mu sync.Mutex
	return func() time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return time.Duration(r.Int64N(int64(most) + 1))
	}
}

func (t *Memory) Send(from, to string, m Message) {
	time.AfterFunc(t.delay(), func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.inbox[to] = append(t.inbox[to], m)
		t.log.Log(to, "deliver", trace.Values{"from": from, "number": m.Number}, nil)
	})
}

func (t *Memory) Receive(id string, wake func()) []Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	wake()
	out := t.inbox[id]
	t.inbox[id] = nil
	return out
}

// UDP is a transport over the loopback interface.
type UDP struct {
	conns map[string]*net.UDPConn
	addrs map[string]*net.UDPAddr
}

// NewUDP opens a socket for each process.
func NewUDP(ids ...string) (*UDP, error) {
	t := &UDP{map[string]*net.UDPConn{}, map[string]*net.UDPAddr{}}
	for _, id := range ids {
		c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			t.Close()
			return nil, fmt.Errorf("opening a socket for %s: %w", id, err)
		}
		t.conns[id], t.addrs[id] = c, c.LocalAddr().(*net.UDPAddr)
	}
	return t, nil
}

// Close closes the sockets.
func (t *UDP) Close() {
	for _, c := range t.conns {
		c.Close()
	}
}

func (t *UDP) Send(from, to string, m Message) {
	data, err := json.Marshal(m)
	if err != nil {
		panic(err) // a message is plain data
	}
	_, _ = t.conns[from].WriteToUDP(data, t.addrs[to]) // a message that is not sent counts as lost
}

func (t *UDP) Receive(id string, wake func()) (out []Message) {
	wake()
	c := t.conns[id]
	buf := make([]byte, 1500)
	for {
		// Reads what is there, and hardly waits.
		_ = c.SetReadDeadline(time.Now().Add(100 * time.Microsecond))
		n, _, err := c.ReadFromUDP(buf)
		if err != nil {
			return out
		}
		var m Message
		if json.Unmarshal(buf[:n], &m) == nil {
			out = append(out, m)
		}
	}
}
