//go:build with_tla

// Package etcdraft runs clusters of go.etcd.io/raft with crashes and partitions, and writes the
// events that the library traces with the build tag with_tla.
package etcdraft

import (
	"bufio"
	"encoding/json"
	"io"
	"log"
	"math"
	"math/rand/v2"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// storage is a log in memory that knows the members.
type storage struct {
	*raft.MemoryStorage
	voters []uint64
}

func (s storage) InitialState() (raftpb.HardState, raftpb.ConfState, error) {
	hs, _, err := s.MemoryStorage.InitialState()
	return hs, raftpb.ConfState{Voters: s.voters}, err
}

// tracer writes events as lines.
type tracer struct {
	out   *bufio.Writer
	err   error
	count int
}

func (t *tracer) TraceEvent(e *raft.TracingEvent) {
	data, err := json.Marshal(map[string]any{"tag": "trace", "event": e})
	if err == nil {
		_, err = t.out.Write(append(data, '\n'))
	}
	if t.err == nil {
		t.err = err
	}
	t.count++
}

// cluster is a simulated network of nodes.
type cluster struct {
	random *rand.Rand
	ids    []uint64
	disks  map[uint64]storage
	nodes  map[uint64]*raft.RawNode
	side   map[uint64]int // of a partition
	flight []raftpb.Message
	trace  *tracer
	quiet  raft.Logger
}

func newCluster(n int, w io.Writer, seed uint64) *cluster {
	c := &cluster{
		random: rand.New(rand.NewPCG(seed, 0)), disks: map[uint64]storage{},
		nodes: map[uint64]*raft.RawNode{}, side: map[uint64]int{},
		trace: &tracer{out: bufio.NewWriter(w)},
		quiet: &raft.DefaultLogger{Logger: log.New(io.Discard, "", 0)},
	}
	for i := range n {
		c.ids = append(c.ids, uint64(i+1))
	}
	for _, id := range c.ids {
		c.disks[id] = storage{raft.NewMemoryStorage(), c.ids}
		c.start(id)
	}
	return c
}

// start starts a node from its disk.
func (c *cluster) start(id uint64) {
	hs, _, _ := c.disks[id].InitialState()
	node, err := raft.NewRawNode(&raft.Config{
		ID: id, ElectionTick: 10, HeartbeatTick: 2, Storage: c.disks[id], MaxSizePerMsg: 0,
		MaxCommittedSizePerReady: math.MaxUint64, MaxInflightMsgs: 8,
		MaxUncommittedEntriesSize: math.MaxUint64, Logger: c.quiet, TraceLogger: c.trace,
		Applied: hs.Commit,
	})
	if err != nil {
		panic(err)
	}
	c.nodes[id] = node
	c.settle(id)
}

// settle writes to disk and sends what a node has ready.
func (c *cluster) settle(id uint64) {
	node := c.nodes[id]
	for node.HasReady() {
		rd := node.Ready()
		if !raft.IsEmptyHardState(rd.HardState) {
			_ = c.disks[id].SetHardState(rd.HardState)
		}
		if err := c.disks[id].Append(rd.Entries); err != nil {
			panic(err)
		}
		c.flight = append(c.flight, rd.Messages...)
		node.Advance(rd)
	}
}

// forget loses the vote of a node that is not running: a planted mistake, as if it were not written
// to disk before it is sent.
func (c *cluster) forget(id uint64) {
	hs, _, _ := c.disks[id].InitialState()
	hs.Vote = raft.None
	_ = c.disks[id].SetHardState(hs)
}

// deliver gives a message to its receiver, unless a partition is between them.
func (c *cluster) deliver(m raftpb.Message) {
	if node := c.nodes[m.To]; node != nil && c.side[m.From] == c.side[m.To] {
		_ = node.Step(m) // raft refuses what it does not expect
		c.settle(m.To)
	}
}

// run lets time pass until there are enough events: with proposals, messages that are lost,
// repeated and overtaken, crashes, restarts and partitions.
func (c *cluster) run(events int) error {
	for c.trace.count < events {
		for _, id := range c.ids {
			node := c.nodes[id]
			if node == nil {
				if c.random.IntN(20) == 0 {
					c.start(id)
				}
				continue
			}
			node.Tick()
			c.settle(id)
			if node.BasicStatus().RaftState == raft.StateLeader && c.random.IntN(3) > 0 {
				_ = node.Propose([]byte("x")) // dropped if it is not possible
				c.settle(id)
			}
			if c.random.IntN(100) == 0 {
				delete(c.nodes, id)
			}
		}
		if c.random.IntN(100) == 0 {
			for _, id := range c.ids {
				c.side[id] = c.random.IntN(2)
			}
		} else if c.random.IntN(30) == 0 {
			clear(c.side)
		}
		c.pass()
	}
	return c.close()
}

func (c *cluster) close() error {
	if c.trace.err != nil {
		return c.trace.err
	}
	return c.trace.out.Flush()
}

// twoCandidates has nodes 1 and 3 ask for votes in the same term. Node 2 votes for node 1,
// restarts, with a mistake having lost its vote, and then hears of node 3.
func (c *cluster) twoCandidates(mistake bool) error {
	for _, id := range []uint64{1, 3} {
		_ = c.nodes[id].Campaign()
		c.settle(id)
	}
	requests := c.flight
	c.flight = nil
	ask := func(from uint64) {
		for _, m := range requests {
			if m.From == from && m.To == 2 {
				c.deliver(m)
			}
		}
	}
	ask(1)
	delete(c.nodes, 2)
	if mistake {
		c.forget(2)
	}
	c.start(2)
	ask(3)
	return c.close()
}

// pass delivers most of the messages that are under way, in any order.
func (c *cluster) pass() {
	due := c.flight
	c.flight = nil
	c.random.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
	for _, m := range due {
		switch k := c.random.IntN(100); {
		case k < 2: // lost
		case k < 4: // twice
			c.deliver(m)
			c.flight = append(c.flight, m)
		case k < 15: // later
			c.flight = append(c.flight, m)
		default:
			c.deliver(m)
		}
	}
}
