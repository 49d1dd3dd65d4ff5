package memberlist

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/hashicorp/go-msgpack/v2/codec"
	"github.com/hashicorp/memberlist"
)

// Kinds of messages, as the library numbers them.
const (
	ping         = 0
	indirectPing = 1
	ack          = 2
	suspect      = 3
	alive        = 4
	dead         = 5
	compound     = 7
	checksum     = 12
)

// message has the fields of all kinds that the specification knows.
type message struct {
	SeqNo       uint32
	Incarnation uint32
	Node        string
	From        string
}

// delivery is a message on its way.
type delivery struct {
	from, to *node
	packet   []byte // one message
}

// node is a member, and the end of the network at which it is.
type node struct {
	name    string
	addr    *net.UDPAddr
	cluster *cluster
	list    *memberlist.Memberlist
	packets chan *memberlist.Packet
	streams chan net.Conn

	// Guarded by the lock of the cluster.
	down   bool
	cutOff bool
	probes map[uint32]string // the members that this node probes, by the number of the ping
}

func (n *node) FinalAdvertiseAddr(string, int) (net.IP, int, error) {
	return n.addr.IP, n.addr.Port, nil
}

// WriteTo splits a packet into its messages, which take their time or are lost one by one.
func (n *node) WriteTo(b []byte, addr string) (time.Time, error) {
	to := n.cluster.at(addr)
	if to == nil {
		return time.Time{}, fmt.Errorf("no node has the address %s", addr)
	}
	messages, err := split(b)
	for _, m := range messages {
		n.cluster.send(delivery{n, to, m})
	}
	return time.Now(), err
}

func (n *node) PacketCh() <-chan *memberlist.Packet { return n.packets }
func (n *node) StreamCh() <-chan net.Conn           { return n.streams }
func (n *node) Shutdown() error                     { return nil }

// DialTimeout connects nodes while they join.
func (n *node) DialTimeout(addr string, _ time.Duration) (net.Conn, error) {
	to := n.cluster.at(addr)
	if to == nil {
		return nil, fmt.Errorf("no node has the address %s", addr)
	}
	here, there := net.Pipe()
	to.streams <- there
	return here, nil
}

// split lists the messages of a packet, each with its kind as the first byte.
func split(b []byte) ([][]byte, error) {
	if len(b) > 5 && b[0] == checksum {
		b = b[5:]
	}
	if len(b) < 2 || b[0] != compound {
		return [][]byte{b}, nil
	}
	cut := errors.New("a packet is cut off")
	count := int(b[1])
	if len(b) < 2+2*count {
		return nil, cut
	}
	sizes, rest := b[2:], b[2+2*count:]
	var out [][]byte
	for i := range count {
		size := int(binary.BigEndian.Uint16(sizes[2*i:]))
		if size > len(rest) {
			return nil, cut
		}
		out = append(out, rest[:size])
		rest = rest[size:]
	}
	return out, nil
}

// decode reads a message.
func decode(b []byte) (kind byte, m message, err error) {
	err = codec.NewDecoderBytes(b[1:], &codec.MsgpackHandle{}).Decode(&m)
	return b[0], m, err
}
