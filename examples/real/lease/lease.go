// Package lease is a lease that is renewed by acks: a server grants it to one client at a time, and
// both count their own steps, as in ../../partial_synchrony/lease_by_acks.ere. What they do is
// logged as events of that protocol.
package lease

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"erelong.dev/erelong/trace"
	"erelong.dev/erelong/trace/partial"
)

// Bug is a mistake that is planted for demonstration.
type Bug string

const (
	NoBug  Bug = ""
	Hasty  Bug = "hasty"  // the server waits one step less than it is told
	Long   Bug = "long"   // clients keep the lease one step longer than they are told
	Forget Bug = "forget" // the server does not look who holds the lease
)

// Options of a run: the bounds on which it depends, and the steps for which a client keeps the
// lease and the server waits.
type Options struct {
	Bounds      partial.Bounds
	Lease, Wait int
	Rounds      int // that the run takes
	Seed        uint64
	Bug         Bug
}

// Default is a run within the bounds of lease.ere, with a wait that they make long enough.
func Default() Options {
	return Options{Bounds: partial.Bounds{Round: 10 * time.Millisecond, Delta: 2, Phi: 2},
		Lease: 2, Wait: 8, Rounds: 100, Seed: 1}
}

// message is an ask or a grant. Its name is its own.
type message struct{ from, name string }

// network carries messages, and lets one process at a time take a step.
type network struct {
	mu    sync.Mutex
	world *partial.World
	inbox map[string][]message
	sent  int
}

// send sends a message; the process that sends it takes a step.
func (n *network) send(from, to string) string {
	n.sent++
	m := message{from, fmt.Sprint("m", n.sent)}
	n.world.Deliver(func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.inbox[to] = append(n.inbox[to], m)
	})
	return m.name
}

// received takes the messages that have arrived.
func (n *network) received(at string) []message {
	all := n.inbox[at]
	n.inbox[at] = nil
	return all
}

const serverName = "server0"

// server grants the lease.
type server struct {
	net    *network
	log    *trace.Node
	holder string // empty for nobody
	since  int    // steps since it granted the lease
	o      Options
}

func (s *server) step() {
	granted := map[string]bool{} // in this step: one grant answers all asks of a client
	for _, m := range s.net.received(serverName) {
		e := trace.Event{Name: "ask", Args: trace.Values{"c": m.from}, Receive: m.name}
		if s.holder == "" || s.holder == m.from || s.o.Bug == Forget {
			if s.holder, s.since = m.from, 0; !granted[m.from] {
				e.Send = s.net.send(serverName, m.from)
			}
			granted[m.from] = true
		}
		e.Obs = s.seen()
		s.log.Write(e)
	}
	wait := s.o.Wait
	if s.o.Bug == Hasty {
		wait--
	}
	if s.since >= wait {
		s.holder = ""
	}
	s.since = min(s.since+1, s.o.Wait)
	s.log.Log("serve", nil, s.seen())
}

// seen is what the log shows of a server.
func (s *server) seen() trace.Values {
	var holder any
	if s.holder != "" {
		holder = s.holder
	}
	return trace.Values{"holder": trace.Values{serverName: holder}, "since": s.since}
}

// client asks for the lease now and then.
type client struct {
	name   string
	net    *network
	log    *trace.Node
	holds  bool
	used   int // steps since it got the lease
	o      Options
	random *rand.Rand
}

func (c *client) step() {
	for _, m := range c.net.received(c.name) {
		c.holds, c.used = true, 0
		c.log.Write(trace.Event{Name: "grant", Receive: m.name, Obs: c.seen()})
	}
	lease := c.o.Lease
	if c.o.Bug == Long {
		lease++
	}
	if c.used >= lease {
		c.holds = false
	}
	c.used = min(c.used+1, lease)
	e := trace.Event{Name: "step", Args: trace.Values{"renews": c.random.IntN(3) == 0}}
	if e.Args["renews"] == true {
		e.Send = c.net.send(c.name, serverName)
	}
	e.Obs = c.seen()
	c.log.Write(e)
}

// seen is what the log shows of a client.
func (c *client) seen() trace.Values { return trace.Values{"holds": c.holds} }

// Run lets a server and two clients work within the bounds, and writes their log.
func (o Options) Run(ctx context.Context, w io.Writer) error {
	log := trace.New(w)
	net := &network{world: partial.New(o.Bounds, o.Seed), inbox: map[string][]message{}}
	s := &server{net: net, log: log.Node(serverName), o: o}
	steps := []func(){s.step}
	for i := range 2 {
		name := fmt.Sprint("client", i)
		c := &client{name: name, net: net, log: log.Node(name), o: o,
			random: rand.New(rand.NewPCG(o.Seed, uint64(i)))}
		steps = append(steps, c.step)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(o.Rounds)*o.Bounds.Round)
	defer cancel()
	var wg sync.WaitGroup
	for _, step := range steps {
		wg.Go(func() {
			for net.world.Rest(ctx) {
				net.mu.Lock()
				step()
				net.mu.Unlock()
			}
		})
	}
	wg.Wait()
	time.Sleep(time.Duration(o.Bounds.Delta+1) * o.Bounds.Round) // what is under way arrives
	return log.Close()
}
