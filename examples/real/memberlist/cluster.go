// Package memberlist runs clusters of github.com/hashicorp/memberlist in virtual time, over a
// network that delays and loses messages, and logs what they do as events of swim.ere.
//
// The library is used as it is: events are what its transport carries and what it writes to its
// log.
package memberlist

import (
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing/synctest"
	"time"

	"github.com/hashicorp/memberlist"

	"erelong.dev/erelong/trace"
)

// Scenario is a run: after a quiet time messages are lost, one node is cut off from the others for
// a while, and later another one crashes.
type Scenario struct {
	Nodes  int
	Loss   float64       // of messages, before the crash
	CutOff time.Duration // how long a node is cut off
	Length time.Duration // after the crash
	Seed   uint64        // of delays and losses; the library draws from its own source
}

const (
	quiet   = 5 * time.Second
	lossy   = 60 * time.Second
	slowest = 30 * time.Millisecond // a message on its way
)

// cluster is a network of nodes.
type cluster struct {
	due chan delivery // what arrives now

	mu       sync.Mutex
	nodes    []*node
	random   *rand.Rand
	loss     float64
	log      *trace.Log // nil until all nodes have joined
	handling *delivery  // the message that its receiver is handling
	err      error
}

// Run runs a scenario in a bubble of testing/synctest, and writes its log.
func (s Scenario) Run(w io.Writer) error {
	c := &cluster{due: make(chan delivery), random: rand.New(rand.NewPCG(s.Seed, 0))}
	if err := c.form(s.Nodes); err != nil {
		c.finish()
		return err
	}
	c.change(func() { c.log = trace.New(w) })
	c.pass(quiet)
	c.change(func() { c.loss = s.Loss })
	c.pass(lossy / 2)
	c.change(func() { c.nodes[1].cutOff = true })
	c.pass(s.CutOff)
	c.change(func() { c.nodes[1].cutOff = false })
	c.pass(lossy / 2)
	c.crash(c.nodes[0])
	c.pass(s.Length)
	c.finish()
	if c.err != nil {
		return c.err
	}
	return c.log.Close()
}

func (c *cluster) change(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

// form starts the nodes, and lets them join until all know each other.
func (c *cluster) form(count int) error {
	var addresses []string
	for i := range count {
		n := &node{
			name: fmt.Sprintf("n%d", i), cluster: c, probes: map[uint32]string{},
			addr:    &net.UDPAddr{IP: net.IPv4(10, 0, 0, byte(i+1)), Port: 7946},
			packets: make(chan *memberlist.Packet), streams: make(chan net.Conn),
		}
		c.change(func() { c.nodes = append(c.nodes, n) })
		conf := memberlist.DefaultLANConfig()
		conf.Name, conf.Transport, conf.Logger = n.name, n, log.New(listener{n}, "", 0)
		// Messages are read by the transport, and every message goes through it.
		conf.EnableCompression, conf.PushPullInterval, conf.DisableTcpPings = false, 0, true
		// The dead are not forgotten: the number of nodes decides how long a suspicion lasts.
		conf.GossipToTheDeadTime = time.Hour
		list, err := memberlist.Create(conf)
		if err != nil {
			return fmt.Errorf("starting %s: %w", n.name, err)
		}
		n.list = list
		// It exchanges states with each of the others: by gossip alone one might not hear of it.
		if _, err := list.Join(addresses); err != nil {
			return fmt.Errorf("%s joins: %w", n.name, err)
		}
		addresses = append(addresses, n.addr.String())
		c.pass(170 * time.Millisecond) // the probes of nodes are not in phase
	}
	c.pass(5 * time.Second)
	for _, n := range c.nodes {
		if len(n.list.Members()) != count {
			return fmt.Errorf("%s knows %d of %d nodes", n.name, len(n.list.Members()), count)
		}
	}
	return nil
}

// at finds the node with an address.
func (c *cluster) at(addr string) *node {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.nodes, func(n *node) bool { return n.addr.String() == addr })
	if i < 0 {
		return nil
	}
	return c.nodes[i]
}

// pass lets time pass, and hands over the messages that arrive: one after the other, each when the
// one before has been handled.
func (c *cluster) pass(d time.Duration) {
	over := time.After(d)
	for {
		select {
		case <-over:
			return
		case x := <-c.due:
			c.deliver(x)
		}
	}
}

// send has a message arrive some time later, or never.
func (c *cluster) send(d delivery) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.record(d.packet, func(kind byte, m message) { c.sent(d, kind, m) })
	if d.from.down || d.to.down || d.from.cutOff != d.to.cutOff || c.random.Float64() < c.loss {
		return
	}
	delay := time.Millisecond + time.Duration(c.random.Int64N(int64(slowest-time.Millisecond)))
	time.AfterFunc(delay, func() { c.due <- d })
}

// sent records probes and answers. A node that was asked for it probes for another one, and passes
// the answer on: that is neither its probe nor its answer.
func (c *cluster) sent(d delivery, kind byte, m message) {
	handles := -1
	if c.handling != nil && c.handling.to == d.from {
		handles = int(c.handling.packet[0])
	}
	switch {
	case kind == ping && handles != indirectPing:
		d.from.probes[m.SeqNo] = m.Node
		c.event(d.from, "probe", trace.Values{"of": m.Node, "health": d.from.list.GetHealthScore()})
	case kind == ack && handles == ping:
		c.event(d.from, "answer", nil)
	}
}

// deliver hands a message over, and waits until it has been handled.
func (c *cluster) deliver(d delivery) {
	c.change(func() {
		if d.to.down {
			d.to = nil
			return
		}
		c.handling = &d
		c.record(d.packet, func(kind byte, m message) { c.received(d.to, kind, m) })
	})
	if d.to == nil {
		return
	}
	d.to.packets <- &memberlist.Packet{Buf: d.packet, From: d.from.addr, Timestamp: time.Now()}
	synctest.Wait()
	c.change(func() { c.handling = nil })
	if kind := d.packet[0]; kind == suspect || kind == alive || kind == dead {
		c.members(d.to)
	}
}

func (c *cluster) received(n *node, kind byte, m message) {
	switch about := (trace.Values{"of": m.Node, "inc": m.Incarnation}); kind {
	case ack:
		if of, ok := n.probes[m.SeqNo]; ok {
			c.event(n, "succeed", trace.Values{"of": of})
		}
	case alive:
		c.event(n, "alive", about)
	case suspect, dead:
		about["from"] = m.From
		c.event(n, map[byte]string{suspect: "suspect", dead: "dead"}[kind], about)
	}
}

// record decodes a message of a kind that is recorded.
func (c *cluster) record(packet []byte, f func(byte, message)) {
	if c.log == nil || len(packet) == 0 || packet[0] > dead {
		return
	}
	kind, m, err := decode(packet)
	if err != nil && c.err == nil {
		c.err = fmt.Errorf("a message of kind %d: %w", kind, err)
	}
	f(kind, m)
}

// event logs an event of a node that has not crashed, with its time.
func (c *cluster) event(n *node, name string, args trace.Values) {
	if n.down {
		return
	}
	if args == nil {
		args = trace.Values{}
	}
	args["at"] = int64(c.log.Now())
	c.log.Log(n.name, name, args, nil)
}

// members logs which members a node holds for dead.
func (c *cluster) members(n *node) {
	gone := map[string]bool{}
	for _, x := range c.nodes {
		gone[x.name] = true
	}
	for _, x := range n.list.Members() {
		gone[x.Name] = false
	}
	list := []string{}
	for _, x := range c.nodes {
		if gone[x.name] {
			list = append(list, x.name)
		}
	}
	c.change(func() {
		if c.log != nil && !n.down {
			c.log.Log(n.name, "members", trace.Values{"at": int64(c.log.Now())},
				trace.Values{"dead": list})
		}
	})
}

// crash stops a node at once.
func (c *cluster) crash(n *node) {
	c.change(func() {
		c.event(n, "crash", nil)
		n.down = true
	})
	if err := n.list.Shutdown(); err != nil {
		c.err = err
	}
}

// finish notes that nothing else happened up to now, and stops all nodes.
func (c *cluster) finish() {
	for _, n := range c.nodes {
		if n.list == nil {
			continue // it did not start
		}
		c.members(n)
		c.change(func() { n.down = true })
		if err := n.list.Shutdown(); err != nil {
			c.err = err
		}
	}
	c.pass(time.Minute) // what is under way ends
}

// listener reads what the library writes to its log.
type listener struct{ *node }

var (
	failed  = regexp.MustCompile(`Suspect (\S+) has failed, no acks received`)
	expired = regexp.MustCompile(`Marking (\S+) as failed, .* \((\d+) peer confirmations\)`)
)

func (l listener) Write(line []byte) (int, error) {
	c := l.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.log == nil {
		return len(line), nil
	}
	if m := failed.FindSubmatch(line); m != nil {
		c.event(l.node, "fail", trace.Values{"of": string(m[1])})
	}
	if m := expired.FindSubmatch(line); m != nil {
		confirmations, _ := strconv.Atoi(string(m[2])) // it has matched digits
		c.event(l.node, "expire", trace.Values{"of": string(m[1]), "confirmations": confirmations})
	}
	return len(line), nil
}
