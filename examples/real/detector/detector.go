// Package detector is an eventually perfect failure detector: each process sends heartbeats, counts
// its own rounds without a heartbeat of a peer, suspects the peer when the count exceeds a timeout,
// and raises the timeout when it was wrong.
//
// From: Chandra and Toueg, Unreliable failure detectors for reliable distributed systems (1996),
// Fig. 10. What it does is logged as events of detector.ere.
package detector

import (
	"context"
	"slices"
	"sync"
	"time"

	"erelong.dev/erelong/trace"
)

// Message is a heartbeat. Heartbeats from one process to another are numbered from 1.
type Message struct {
	From   string `json:"from"`
	Number int    `json:"number"`
}

// Transport carries heartbeats.
type Transport interface {
	// Send sends a message; it may take any time or be lost.
	Send(from, to string, m Message)
	// Receive takes all messages that have arrived at a process. It calls wake at the moment that
	// separates them from later ones.
	Receive(id string, wake func()) []Message
}

// Bug is a mistake that is planted for demonstration.
type Bug string

const (
	NoBug Bug = ""
	Fixed Bug = "fixed" // the timeout is not raised after a wrong suspicion
	Twice Bug = "twice" // a message is handled twice
	// after it wakes up the process counts before it handles what has arrived
	WakeRace Bug = "wakerace"
)

// Options of a detector.
type Options struct {
	Period  time.Duration // of a round
	Timeout int           // the first timeout, in rounds
	Log     *trace.Node   // nil for none
	Bug     Bug
}

// Detector watches the peers of one process.
type Detector struct {
	id        string
	peers     []string
	transport Transport
	o         Options

	mu    sync.Mutex
	watch map[string]*watch
	sent  int
}

// watch is what a process knows of a peer.
type watch struct {
	heard     bool // since the last round
	waited    int  // rounds without a heartbeat
	timeout   int
	suspected bool
}

// New makes a detector; Run runs it.
func New(id string, peers []string, t Transport, o Options) *Detector {
	d := &Detector{id: id, peers: slices.Clone(peers), transport: t, o: o,
		watch: map[string]*watch{}}
	for _, p := range peers {
		d.watch[p] = &watch{timeout: o.Timeout}
	}
	return d
}

// Suspects lists the peers that are suspected now.
func (d *Detector) Suspects() (out []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.peers {
		if d.watch[p].suspected {
			out = append(out, p)
		}
	}
	return out
}

// Run takes a step in each round until the context ends.
func (d *Detector) Run(ctx context.Context) {
	ticker := time.NewTicker(d.o.Period)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			d.step()
		}
	}
}

func (d *Detector) step() {
	d.mu.Lock()
	defer d.mu.Unlock()
	arrived := d.transport.Receive(d.id, func() { d.o.Log.Log("wake", nil, nil) })
	if d.o.Bug == WakeRace {
		d.count()
	}
	for _, m := range arrived {
		d.handle(m)
		if d.o.Bug == Twice && m.Number%10 == 0 {
			d.handle(m)
		}
	}
	if d.o.Bug != WakeRace {
		d.count()
	}
	d.sent++
	for _, p := range d.peers {
		d.o.Log.Log("send", trace.Values{"to": p, "number": d.sent}, nil)
		d.transport.Send(d.id, p, Message{d.id, d.sent})
	}
}

func (d *Detector) handle(m Message) {
	w := d.watch[m.From]
	if w == nil {
		return // of no peer
	}
	w.heard = true
	if w.suspected {
		w.suspected = false
		if d.o.Bug != Fixed {
			w.timeout++
		}
	}
	d.log("receive", m.From, trace.Values{"from": m.From, "number": m.Number})
}

// count ends a round: it counts the rounds in which a peer was silent.
func (d *Detector) count() {
	for _, p := range d.peers {
		w := d.watch[p]
		if w.heard {
			w.waited = 0
		} else {
			w.waited++
		}
		w.heard = false
		w.suspected = w.suspected || w.waited > w.timeout
		d.log("count", p, trace.Values{"of": p})
	}
}

func (d *Detector) log(event, peer string, args trace.Values) {
	if d.o.Log == nil {
		return
	}
	w := d.watch[peer]
	d.o.Log.Log(event, args, trace.Values{
		"waited": trace.Values{peer: w.waited}, "timeout": trace.Values{peer: w.timeout},
		"suspected": trace.Values{peer: w.suspected},
	})
}
