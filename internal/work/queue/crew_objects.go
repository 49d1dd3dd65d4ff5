package queue

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A save on the server is objects of some bytes, of which one after the other is written. So no
// more is under way than a busy server takes, and what it does not take is sent again.
const (
	savePart  = 8 << 20
	saveTries = 6
	// before the second try, and twice as long before each further one
	saveWait = 100 * time.Millisecond
)

func partName(name string, part int) string { return fmt.Sprintf("%s.%d", name, part) }

// putObject writes a save, and gives its digest. It calls alive after each part.
func (c *Conn) putObject(
	ctx context.Context, name string, r io.Reader, alive func(),
) (digest string, err error) {
	sum, data := sha256.New(), make([]byte, savePart)
	for part := 0; ; part++ {
		n, err := io.ReadFull(r, data)
		over := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !over {
			return "", err
		}
		sum.Write(data[:n])
		if err := c.putPart(ctx, partName(name, part), data[:n]); err != nil {
			return "", err
		}
		alive()
		if over {
			return fmt.Sprintf("%d-%s", part+1, hex.EncodeToString(sum.Sum(nil))), nil
		}
	}
}

func (c *Conn) putPart(ctx context.Context, name string, data []byte) error {
	return c.insist(ctx, func(within context.Context) error {
		_, err := c.object.Put(within, jetstream.ObjectMeta{Name: name}, bytes.NewReader(data))
		return err
	})
}

// insist does something with a part, and does it again while the server is busy. With a
// deadline, the client bounds no single message of the part.
func (c *Conn) insist(ctx context.Context, do func(context.Context) error) error {
	wait := saveWait
	for try := 1; ; try++ {
		within, cancel := context.WithTimeout(ctx, c.wait)
		err := do(within)
		cancel()
		if err == nil || try == saveTries || ctx.Err() != nil || !busy(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
			wait *= 2
		}
	}
}

// busy reports whether a server may take later what it did not take now.
func busy(err error) bool {
	for _, e := range []error{jetstream.ErrTooManyStalledMsgs, jetstream.ErrAsyncPublishTimeout,
		nats.ErrTimeout, nats.ErrNoResponders, context.DeadlineExceeded,
		os.ErrDeadlineExceeded} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// openObject opens what putObject wrote. The end of a save with another content is an error.
func (c *Conn) openObject(ctx context.Context, name, digest string) (io.ReadCloser, error) {
	p := &partsReader{ctx: ctx, c: c, name: name, sum: sha256.New()}
	if _, err := fmt.Sscanf(digest, "%d-%s", &p.left, &p.want); err != nil {
		return nil, fmt.Errorf("%q is no digest of a save", digest)
	}
	return p, p.next()
}

// partsReader reads the parts of a save as one.
type partsReader struct {
	ctx        context.Context // of the exploration that reads it
	c          *Conn
	name, want string
	part, left int
	now        bytes.Reader
	sum        hash.Hash
}

// next reads the next part as a whole: the client bounds the time to the end of an object, however
// long what is read of it takes.
func (p *partsReader) next() error {
	var data []byte
	err := p.c.insist(p.ctx, func(within context.Context) (err error) {
		data, err = p.c.object.GetBytes(within, partName(p.name, p.part))
		return err
	})
	if err != nil {
		return err
	}
	p.now.Reset(data)
	p.part, p.left = p.part+1, p.left-1
	return nil
}

func (p *partsReader) Read(b []byte) (int, error) {
	n, err := p.now.Read(b)
	p.sum.Write(b[:n])
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	if p.left > 0 {
		return n, p.next()
	}
	if hex.EncodeToString(p.sum.Sum(nil)) != p.want {
		err = errors.New("it was changed")
	}
	return n, err
}

func (p *partsReader) Close() error { return nil }
