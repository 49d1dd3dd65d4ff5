package queue

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"slices"

	"github.com/nats-io/nats.go"

	"erelong.dev/erelong/internal/engine/explicit"
)

// Subjects of a crew: crewSubject, its name, and
const (
	crewSubject = "erelong.crew."
	leadSubject = ".lead"    // to the leader: a status
	allSubject  = ".all"     // to all members: the leader lives, or has ended
	toSubject   = ".to."     // to a member: a command
	dataSubject = ".states." // to a member: states
)

// command is an order for a member.
type command struct {
	Epoch, Seq int64 // the epoch changes with the members
	Members    []string
	Addresses  []Address `json:",omitempty"` // of the members; none where NATS is the way
	Order      explicit.Order
}

// status is what a member tells of itself.
type status struct {
	Member     string
	Address    Address
	Epoch, Seq int64 // of the last order
	Answer     *explicit.Answer
	Beyond     string // the limit of its worker at which it ends
}

// call is what the leader says to all.
type call struct{ Over bool }

// seal signs data for a subject.
func (c *Conn) seal(subject string, data []byte) []byte {
	if len(c.team) == 0 {
		return data
	}
	h := hmac.New(sha256.New, c.team)
	h.Write([]byte(subject))
	h.Write([]byte{0})
	h.Write(data)
	return h.Sum(data)
}

// unseal gives the data of a message, and false if it was not signed with the team's key.
func (c *Conn) unseal(subject string, data []byte) ([]byte, bool) {
	if len(c.team) == 0 {
		return data, true
	}
	n := len(data) - sha256.Size
	if n < 0 {
		return nil, false
	}
	body := slices.Clone(data[:n])
	sealed := c.seal(subject, body)
	return body, hmac.Equal(sealed[n:], data[n:])
}

// say publishes a value.
func (c *Conn) say(subject string, v any) error {
	text, err := json.Marshal(v)
	if err == nil {
		err = c.nats.Publish(subject, c.seal(subject, text))
	}
	return err
}

// hear calls f with the values of a subject.
func hear[T any](c *Conn, subject string, f func(T)) (*nats.Subscription, error) {
	return c.nats.Subscribe(subject, func(m *nats.Msg) {
		var v T
		if text, ok := c.unseal(m.Subject, m.Data); ok && json.Unmarshal(text, &v) == nil {
			f(v)
		}
	})
}
