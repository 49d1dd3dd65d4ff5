// Package queue carries jobs to workers, over NATS with JetStream.
//
// In: jobs of package work, and the address of a server. Out: their findings, each once, from any
// worker of the same build. A job is a message of a work queue; its result is an entry of a bucket,
// named by the hash of the job. The queue delivers at least once, and the first result counts, so
// nothing depends on how often a job is carried out. Membership, redelivery and storage are
// JetStream's.
//
// The way of a job:
//
//  1. A run (run.go) has the tasks of engines carried out elsewhere (spread.go). It submits each as
//     a job, unless a result is there, and waits for its result (submit.go). A queue of its own
//     has the jobs that need the same of a worker (need.go). A run rings, so that workers look
//     (bell.go), and answers them as long as it lives (alive.go).
//  2. A worker (worker.go) takes jobs from the queues whose need it meets, small ones several at a
//     time (take.go). It carries each out within its limits (delivery.go, limits.go), keeps the
//     result (results.go) and tells the run.
//  3. Workers can divide one exploration (crew_*.go): the run leads, and the members send each
//     other the states over streams, or over the server.
//
// Where the server is lost, all wait for its return (link.go).
//
// The others are about what is going on: runs.go for programs, overview.go and watch.go for people.
// Package queue can also be the server itself, with workers on one machine (local.go).
//
// A result is signed with the key of the team. Results of other runs count only where there is such
// a key: without one, anybody who reaches the server could have written them.
package queue

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Names on the server. Everything begins with erelong, so that an account can be limited to it.
const (
	stream        = "ERELONG"
	resultBucket  = "erelong-results"
	runBucket     = "erelong-runs"
	workerBucket  = "erelong-workers"
	activeBucket  = "erelong-active"
	deadBucket    = "erelong-dead"
	objectBucket  = "erelong-objects"
	jobSubject    = "erelong.job."
	noteSubject   = "erelong.note."
	cancelSubject = "erelong.cancel."
)

// Limits. The server's own limit on a message is 1 MiB.
const (
	inline = 512 << 10 // larger contents are objects
	// a worker without a sign of life for so long has lost its job
	silence    = 30 * time.Second
	deliveries = 4 // then the job is dead
	// jobs of a run on the server at a time, which bounds its memory
	outstanding = 1000
	kept        = 30 * 24 * time.Hour // results and runs
	presence    = 30 * time.Second    // a worker that is silent for so long is gone
)

// Server says where the server is, and who asks.
type Server struct {
	URL         string
	Credentials string // a file
	CA          string // a file, for TLS
	Certificate string // a file, and
	Key         string // its key
	Team        []byte // the key by which results are signed, nil for none
	// Silence is the time after which a worker without a sign of life has lost its job, 0 for 30
	// seconds.
	Silence time.Duration
	// Sockets is a folder for sockets between workers, if all are on this machine.
	Sockets string
}

// Conn is a connection to a server that has what jobs need.
type Conn struct {
	build   string
	token   string // of the build, for subjects
	team    []byte
	wait    time.Duration
	sockets string
	address string // without a password
	link    *link
	nats    *nats.Conn
	js      jetstream.JetStream
	jobs    jetstream.Stream
	keys    map[string]jetstream.KeyValue
	object  jetstream.ObjectStore
	dial    func() (*nats.Conn, error)
	// direct connects to another worker.
	direct func(ctx context.Context, network, address string) (net.Conn, error)
}

// Connect connects to a server, and makes on it what is missing. Build names the version of the
// program.
func Connect(ctx context.Context, s Server, build string) (*Conn, error) {
	opts := []nats.Option{nats.Name("erelong " + build), nats.MaxReconnects(-1),
		nats.ReconnectWait(200 * time.Millisecond), nats.NoCallbacksAfterClientClose(),
		nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(pingsLost)}
	if s.Credentials != "" {
		opts = append(opts, nats.UserCredentials(s.Credentials))
	}
	if s.CA != "" {
		opts = append(opts, nats.RootCAs(s.CA))
	}
	if s.Certificate != "" {
		opts = append(opts, nats.ClientCert(s.Certificate, s.Key))
	}
	dial := func() (*nats.Conn, error) { return nats.Connect(s.URL, opts...) }
	nc, err := dial()
	if err != nil {
		return nil, fmt.Errorf("connecting to NATS at %s: %w; is nats-server -js running there?",
			hidden(s.URL), err)
	}
	sum := sha256.Sum256([]byte(build))
	c := &Conn{build: build, token: hex.EncodeToString(sum[:6]), team: s.Team,
		wait: cmp.Or(s.Silence, silence), sockets: s.Sockets, nats: nc, dial: dial,
		address: hidden(s.URL), link: newLink(),
		direct: (&net.Dialer{Timeout: toDial}).DialContext,
		keys:   map[string]jetstream.KeyValue{}}
	c.link.follow(nc)
	if err := c.prepare(ctx); err != nil {
		nc.Close()
		if errors.Is(err, jetstream.ErrJetStreamNotEnabled) ||
			errors.Is(err, nats.ErrNoResponders) {
			err = errors.New("the server runs without JetStream; start it with: nats-server -js")
		}
		return nil, fmt.Errorf("NATS at %s: %w", hidden(s.URL), err)
	}
	return c, nil
}

func (c *Conn) prepare(ctx context.Context) (err error) {
	if c.js, err = jetstream.New(c.nats); err != nil {
		return err
	}
	c.jobs, err = made(ctx, c.js.CreateStream, c.js.CreateOrUpdateStream, jetstream.StreamConfig{
		Name: stream, Subjects: []string{jobSubject + ">"}, Retention: jetstream.WorkQueuePolicy,
		Description: "jobs of erelong", MaxAge: kept,
	})
	if err != nil {
		return fmt.Errorf("making the queue: %w", err)
	}
	for name, ttl := range map[string]time.Duration{
		resultBucket: kept, runBucket: kept, workerBucket: presence, activeBucket: 24 * time.Hour,
		deadBucket: 24 * time.Hour,
	} {
		c.keys[name], err = made(ctx, c.js.CreateKeyValue, c.js.CreateOrUpdateKeyValue,
			jetstream.KeyValueConfig{Bucket: name, TTL: ttl})
		if err != nil {
			return fmt.Errorf("making the bucket %s: %w", name, err)
		}
	}
	c.object, err = made(ctx, c.js.CreateObjectStore, c.js.CreateOrUpdateObjectStore,
		jetstream.ObjectStoreConfig{Bucket: objectBucket, TTL: kept})
	if err != nil {
		return fmt.Errorf("making the bucket %s: %w", objectBucket, err)
	}
	return nil
}

// made makes something on the server, and changes it if it is otherwise there. To change it to what
// it is would have the server write it again.
func made[T, Config any](
	ctx context.Context, create, change func(context.Context, Config) (T, error), to Config,
) (T, error) {
	t, err := create(ctx, to)
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) ||
		errors.Is(err, jetstream.ErrBucketExists) || errors.Is(err, jetstream.ErrConsumerExists) {
		return change(ctx, to)
	}
	return t, err
}

// apart is the same, with a connection of its own for all that the server does not store. A server
// whose disk is full may take nothing more from a connection by which it got what it cannot write.
func (c *Conn) apart() (*Conn, error) {
	own := *c
	var err error
	if own.nats, err = c.dial(); err != nil {
		return nil, fmt.Errorf("connecting to NATS once more: %w", err)
	}
	return &own, nil
}

// Close ends the connection, after everything was sent.
func (c *Conn) Close() {
	_ = c.nats.FlushTimeout(time.Second)
	c.nats.Close()
}

// hidden is an address without the password.
func hidden(address string) string {
	var out []string
	for one := range strings.SplitSeq(address, ",") {
		if u, err := url.Parse(one); err == nil {
			if u.User != nil {
				u.User = url.User("xxxxx")
			}
			one = u.String()
		}
		out = append(out, one)
	}
	return strings.Join(out, ",")
}
