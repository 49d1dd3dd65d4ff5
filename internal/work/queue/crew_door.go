package queue

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Address is where a member of a divided exploration takes streams of states from other members:
// at a socket in a folder that only its user can open, or by TCP with TLS. Each member has a key of
// its own for TLS. The leader tells all members of the certificates, so each end of a stream knows
// the other end, and nobody else can read what is sent.
type Address struct {
	Socket string `json:",omitempty"` // a file
	TCP    string `json:",omitempty"` // host and port
	Print  []byte `json:",omitempty"` // of the certificate, by SHA-256
}

// greeting is the first frame of a stream. Its epoch is the one of the states.
type greeting struct {
	Crew  string
	Epoch int64
	From  int // the number of the member
}

const (
	toDial    = 2 * time.Second // until the way is NATS
	toGreet   = 5 * time.Second
	mostGreet = 1 << 10  // bytes
	mostFrame = 64 << 20 // bytes; batches have 256 KiB, or one state
)

// door takes the streams of other members.
type door struct {
	listener net.Listener
	address  Address
	tls      *tls.Config // nil for a socket
	enter    func(in *bufio.Reader, conn net.Conn, print []byte, hello greeting)
	wg       sync.WaitGroup

	mu   sync.Mutex
	open map[net.Conn]bool // until they are greeted
}

// newDoor opens a door: at a socket in a folder, or where this machine is seen by the server. For
// each stream enter is called, and its return ends the stream.
func newDoor(
	sockets, name, seen string,
	enter func(in *bufio.Reader, conn net.Conn, print []byte, hello greeting),
) (*door, error) {
	d := &door{enter: enter, open: map[net.Conn]bool{}}
	var err error
	if sockets != "" {
		path := filepath.Join(sockets, name)
		if d.listener, err = net.Listen("unix", path); err == nil {
			d.address.Socket = path
		}
	}
	if d.listener == nil { // the path may be too long for a socket
		host, _, splitErr := net.SplitHostPort(seen)
		if splitErr != nil {
			return nil, splitErr
		}
		if d.tls, d.address.Print, err = ownCertificate(); err != nil {
			return nil, err
		}
		if d.listener, err = net.Listen("tcp", net.JoinHostPort(host, "0")); err != nil {
			return nil, err
		}
		d.address.TCP = d.listener.Addr().String()
	}
	d.wg.Go(d.accept)
	return d, nil
}

// ownCertificate makes a key, and its certificate with a print.
func ownCertificate() (*tls.Config, []byte, error) {
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1),
		NotAfter: time.Now().Add(10 * 365 * 24 * time.Hour)}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, public, key)
	if err != nil {
		return nil, nil, err
	}
	print := sha256.Sum256(raw)
	// Both ends compare the print of the other one, so no authority is needed.
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{raw},
		PrivateKey: key}}, ClientAuth: tls.RequireAnyClientCert, InsecureSkipVerify: true,
		MinVersion: tls.VersionTLS13}, print[:], nil
}

// printOf is the print of the certificate at the other end.
func printOf(c *tls.Conn) []byte {
	print := sha256.Sum256(c.ConnectionState().PeerCertificates[0].Raw)
	return print[:]
}

func (d *door) accept() {
	for {
		c, err := d.listener.Accept()
		if err != nil {
			return // it is closed
		}
		d.mu.Lock()
		d.open[c] = true
		d.mu.Unlock()
		d.wg.Go(func() {
			defer func() { _ = c.Close() }()
			in, conn, print, hello, err := d.greeted(c)
			d.mu.Lock()
			delete(d.open, c)
			d.mu.Unlock()
			if err == nil {
				d.enter(in, conn, print, hello)
			}
		})
	}
}

// greeted reads the greeting of a stream.
func (d *door) greeted(
	c net.Conn,
) (in *bufio.Reader, conn net.Conn, print []byte, hello greeting, err error) {
	if err := c.SetDeadline(time.Now().Add(toGreet)); err != nil {
		return nil, nil, nil, hello, err
	}
	conn = c
	if d.tls != nil {
		over := tls.Server(c, d.tls)
		if err := over.Handshake(); err != nil {
			return nil, nil, nil, hello, err
		}
		conn, print = over, printOf(over)
	}
	in = bufio.NewReaderSize(conn, 64<<10)
	data, err := readFrame(in, nil, mostGreet)
	if err == nil {
		err = json.Unmarshal(data, &hello)
	}
	if err == nil {
		err = c.SetDeadline(time.Time{})
	}
	return in, conn, print, hello, err
}

// close closes the door, and ends the streams that have not been greeted.
func (d *door) close() {
	_ = d.listener.Close()
	d.mu.Lock()
	for c := range d.open {
		_ = c.Close()
	}
	d.mu.Unlock()
	d.wg.Wait()
}

// sender is the near end of a stream to another member. What is put into it is sent by flush.
type sender struct {
	conn net.Conn
	out  []byte
	sent int // words for the level, so far
}

// greet opens a stream to a member. Own is the certificate of this one, nil for none.
func (c *Conn) greet(
	ctx context.Context, to Address, own *tls.Config, hello greeting,
) (*sender, error) {
	ctx, cancel := context.WithTimeout(ctx, toDial)
	defer cancel()
	text, err := json.Marshal(hello)
	if err != nil {
		return nil, err
	}
	var conn net.Conn
	switch {
	case to.Socket != "" && own == nil:
		conn, err = c.direct(ctx, "unix", to.Socket)
	case to.TCP != "" && own != nil:
		conn, err = c.direct(ctx, "tcp", to.TCP)
	default:
		err = errors.New("it takes no streams")
	}
	if err != nil {
		return nil, err
	}
	if to.Socket == "" {
		over := tls.Client(conn, own)
		if err = over.HandshakeContext(ctx); err == nil && !bytes.Equal(printOf(over), to.Print) {
			err = errors.New("somebody else is there")
		}
		if err != nil {
			_ = conn.Close()
			return nil, err
		}
		conn = over
	}
	s := &sender{conn: conn, out: frame(nil, text)}
	if err := s.flush(); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return s, nil
}

// enough is the number of bytes that are sent before the end of a level.
const enough = 128 << 10

func (s *sender) put(p *packet) error {
	s.sent += len(p.States)
	s.out = binary.LittleEndian.AppendUint32(s.out, uint32(p.size()))
	if s.out = p.append(s.out); len(s.out) < enough {
		return nil
	}
	return s.flush()
}

func (s *sender) flush() error {
	_, err := s.conn.Write(s.out)
	s.out = s.out[:0]
	return err
}

// frame appends a length and data.
func frame(out, data []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(data))), data...)
}

// readFrame reads data with its length into buf.
func readFrame(in io.Reader, buf []byte, most uint32) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n > most {
		return nil, fmt.Errorf("a frame of %d bytes", n)
	}
	buf = slices.Grow(buf[:0], int(n))[:n]
	_, err := io.ReadFull(in, buf)
	return buf, err
}
