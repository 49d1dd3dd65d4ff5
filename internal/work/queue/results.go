package queue

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// content is a JSON value in a message or entry, or the name of an object that has it.
type content struct {
	Data   json.RawMessage `json:",omitempty"`
	Object string          `json:",omitempty"` // the hash of the data
}

// pack makes content of data.
func (c *Conn) pack(ctx context.Context, data []byte) (content, error) {
	if len(data) <= inline {
		return content{Data: data}, nil
	}
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:])
	if _, err := c.object.GetInfo(ctx, name); err == nil {
		return content{Object: name}, nil
	}
	_, err := c.object.PutBytes(ctx, name, data)
	return content{Object: name}, err
}

// unpack gives the data. An object that is not what its name says is an error.
func (c *Conn) unpack(ctx context.Context, x content) ([]byte, error) {
	if x.Object == "" {
		return x.Data, nil
	}
	data, err := c.object.GetBytes(ctx, x.Object)
	if err != nil {
		return nil, fmt.Errorf("the object %s: %w", x.Object, err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != x.Object {
		return nil, fmt.Errorf("the object %s has another content", x.Object)
	}
	return data, nil
}

// entry is a result in the bucket.
type entry struct {
	Job     string // its ID
	Run     string // for which it was carried out
	Worker  string
	Refused string `json:",omitempty"` // why the engine refused the job; then there are no findings
	Content content
	Sum     []byte // by the team's key
}

func (c *Conn) sum(e *entry) []byte {
	e2 := *e
	e2.Sum = nil
	text, err := json.Marshal(e2)
	if err != nil {
		panic(err) // plain data
	}
	h := hmac.New(sha256.New, c.team)
	h.Write(text)
	return h.Sum(nil)
}

// key is the name of a result. Without a key of the team, and where a limit of time has ended the
// job, the result is that of one run.
func (c *Conn) key(job, run string, lasting bool) string {
	if len(c.team) > 0 && lasting {
		return job
	}
	return job + "." + run
}

// errForeign is an entry that was not signed by the team's key.
var errForeign = errors.New("it is not signed with the team's key, or was changed")

// entryOf reads the entry of a job, nil if there is none.
func (c *Conn) entryOf(ctx context.Context, key, job string) (*entry, error) {
	got, err := c.keys[resultBucket].Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var e entry
	if err := json.Unmarshal(got.Value(), &e); err != nil || !c.signed(&e, job) {
		return &e, errForeign
	}
	return &e, nil
}

// signed reports whether an entry is about a job, and as a worker of the team wrote it.
func (c *Conn) signed(e *entry, job string) bool {
	return e.Job == job && hmac.Equal(e.Sum, c.sum(e))
}

// RandomKey is a new key, or a name.
func RandomKey(bytes int) []byte {
	out := make([]byte, bytes)
	_, _ = rand.Read(out) // never fails
	return out
}

// put writes an entry, unless there is a good one. It reports whether it did.
func (c *Conn) put(ctx context.Context, key, job string, text []byte) (bool, error) {
	_, err := c.keys[resultBucket].Create(ctx, key, text)
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return err == nil, err
	}
	if _, err := c.entryOf(ctx, key, job); err == nil {
		return false, nil
	}
	_, err = c.keys[resultBucket].Put(ctx, key, text)
	return err == nil, err
}
