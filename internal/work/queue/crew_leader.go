package queue

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/work"
)

// A divided exploration (package explicit) is led by the run that asks for it. Its members are
// workers that take a job of the queue which says so: then they tell the leader of themselves, and
// follow its orders until it ends. States go from member to member over streams (crew_streams.go).
// Orders, answers, and states for a member that no stream reaches go over core subjects of NATS,
// which may lose a message. So an order is repeated until its member tells of it, and states are
// sent again until their owner says that they have arrived. To get either twice changes nothing.
//
// With a key of the team every message is signed with it. What is saved goes to the object store,
// and the leader has its digest.

// crew is the leader's side of a divided exploration. It is an explicit.Crew.
type crew struct {
	conn  *Conn
	run   *Run
	job   *work.Job
	id    string
	every time.Duration
	jobs  []string // the subjects of the jobs of members
	want  int      // members
	subs  []*nats.Subscription
	stop  chan struct{}
	wg    sync.WaitGroup

	epoch, seq     int64
	members        []string
	addresses      []Address
	brokenMembers  []string // the members when a stream between two of them ended last
	withoutStreams bool     // that was so before: no streams
	news           chan struct{}

	mu   sync.Mutex
	last map[string]status // by member
	seen map[string]time.Time
}

// saveEvery is how often the levels of a divided exploration are saved.
const saveEvery = 30 * time.Second

// crew gathers members for an exploration.
func (r *Run) crew(ctx context.Context, j *work.Job, every time.Duration) (*crew, error) {
	conn, err := r.conn.apart()
	if err != nil {
		return nil, err
	}
	c := &crew{conn: conn, run: r, job: j, id: hex.EncodeToString(RandomKey(8)), every: every,
		stop: make(chan struct{}), news: make(chan struct{}, 1),
		last: map[string]status{}, seen: map[string]time.Time{}}
	sub, err := hear(c.conn, crewSubject+c.id+leadSubject, c.told)
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("listening to the members of the crew: %w", err)
	}
	c.subs = append(c.subs, sub)
	err = c.invite(ctx)
	c.want = len(c.jobs)
	c.wg.Go(c.live)
	if err != nil {
		c.end()
		return nil, err
	}
	return c, nil
}

// invite submits a job for each member that the workers can be, also for the ones that came later.
func (c *crew) invite(ctx context.Context) error {
	needs := needOf(c.job, c.run.Needs)
	workers, _, err := c.conn.fitting(ctx, needs)
	if err != nil {
		return err
	}
	n := 0
	for _, w := range workers {
		n += w.Jobs
	}
	most := min(max(n, 1), explicit.Parts)
	if len(c.jobs) < most {
		defer c.conn.ring()
	}
	for len(c.jobs) < most {
		own := *c.job
		own.Crew, own.Place = c.id, len(c.jobs)
		id := own.ID()
		c.jobs = append(c.jobs, c.conn.subject(needs, c.run.ID, id))
		if err := c.run.publish(ctx, &own, id, false); err != nil {
			return err
		}
	}
	return nil
}

// live tells the members that the leader lives, and looks for new workers.
func (c *crew) live() {
	tick := time.NewTicker(c.conn.wait / 10)
	defer tick.Stop()
	for {
		_ = c.conn.say(crewSubject+c.id+allSubject, call{})
		select {
		case <-tick.C:
		case <-c.stop:
			return
		}
		if !c.conn.nats.IsConnected() {
			c.excuse()
			continue
		}
		within, cancel := context.WithTimeout(context.Background(), c.conn.wait/10)
		_ = c.invite(within) // the server may be away
		cancel()
	}
}

// excuse has the silence of members begin when they can be heard again: the server is away.
func (c *crew) excuse() {
	alive := c.alive()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range alive {
		c.seen[name] = time.Now()
	}
}

// end ends the exploration for all members.
func (c *crew) end() {
	close(c.stop)
	c.wg.Wait()
	for _, s := range c.subs {
		_ = s.Unsubscribe()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = c.conn.say(crewSubject+c.id+allSubject, call{Over: true})
	defer c.conn.Close()
	c.mu.Lock()
	joined := len(c.seen)
	c.mu.Unlock()
	if joined > 0 {
		c.run.tally.divide(len(c.members))
	}
	if joined < len(c.jobs) {
		for _, subject := range c.jobs { // nobody took some of them
			_ = c.conn.jobs.Purge(ctx, jetstream.WithPurgeSubject(subject))
		}
	}
	if saved, err := c.conn.object.List(ctx); err == nil {
		for _, o := range saved {
			if strings.HasPrefix(o.Name, c.object("")) {
				_ = c.conn.object.Delete(ctx, o.Name)
			}
		}
	}
}

// object is the name of an object of the crew.
func (c *crew) object(name string) string { return explicit.SavedPrefix + c.id + "-" + name }

// told hears of a member.
func (c *crew) told(s status) {
	c.mu.Lock()
	c.last[s.Member], c.seen[s.Member] = s, time.Now()
	c.mu.Unlock()
	select {
	case c.news <- struct{}{}:
	default:
	}
}

// alive lists the members that told of themselves lately, in the order of their names.
func (c *crew) alive() (out []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, at := range c.seen {
		if time.Since(at) <= c.conn.wait {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Joined reports whether a worker waits to become a member.
func (c *crew) Joined() bool {
	return slices.ContainsFunc(c.alive(), func(name string) bool {
		return !slices.Contains(c.members, name)
	})
}

// Every is how often levels are saved.
func (c *crew) Every() time.Duration { return c.every }

// Key is the key of the team, which signs what is saved in a folder.
func (c *crew) Key() []byte { return c.conn.team }

// gather waits for members: for all that are expected, or for some after a while.
func (c *crew) gather(ctx context.Context) error {
	began := time.Now()
	for {
		if err := c.beyond(); err != nil {
			return err
		}
		alive, waited := c.alive(), time.Since(began)
		if len(alive) > 0 && (len(alive) >= c.want || waited > c.conn.wait/5) {
			c.members = alive[:min(len(alive), explicit.Parts)]
			c.want = len(c.members) // who is lost is not waited for
			return nil
		}
		if waited > 10*c.conn.wait {
			return lost("no worker takes part in the exploration")
		}
		if err := c.pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

// pause waits for news.
func (c *crew) pause(ctx context.Context, d time.Duration) error {
	select {
	case <-c.news:
	case <-time.After(d):
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// Order has all members carry out an order.
func (c *crew) Order(ctx context.Context, o explicit.Order) ([]*explicit.Answer, error) {
	if o.Kind == explicit.BeginOrder {
		if err := c.gather(ctx); err != nil {
			return nil, err
		}
		c.epoch++
		c.addresses = nil
		for _, name := range c.members {
			if !c.withoutStreams {
				c.addresses = append(c.addresses, c.statusOf(name).Address)
			}
		}
		for part := range explicit.Parts {
			o.Owners = append(o.Owners, part%len(c.members))
		}
	}
	c.seq++
	send := func(i int) error {
		own := o
		own.Self = i
		if o.Save != "" {
			dir, name := path.Split(o.Save)
			own.Save = dir + c.object(fmt.Sprintf("%s-%d", name, i))
		}
		return c.conn.say(crewSubject+c.id+toSubject+c.members[i],
			command{c.epoch, c.seq, c.members, c.addresses, own})
	}
	again := time.Time{}
	for {
		if time.Now().After(again) { // to all that have not told of it
			for i, name := range c.members {
				if c.statusOf(name).Seq != c.seq {
					if err := send(i); err != nil {
						return nil, fmt.Errorf("giving an order to a member of the crew: %w", err)
					}
				}
			}
			again = time.Now().Add(c.conn.wait / 10)
		}
		if err := c.beyond(); err != nil {
			return nil, err
		}
		answers, alive := c.answers(), c.alive()
		if answers != nil {
			if answers[0].Lost {
				// All of them are still there: next time they have no streams.
				c.withoutStreams = c.withoutStreams || slices.Equal(c.brokenMembers, c.members)
				c.brokenMembers = c.members
			}
			return answers, nil
		}
		for _, name := range c.members {
			if !slices.Contains(alive, name) {
				return nil, explicit.ErrLost
			}
		}
		if err := c.pause(ctx, c.conn.wait/50); err != nil {
			return nil, err
		}
	}
}

// beyond says that a member has passed a limit of its worker: then the others would, too, once they
// have its parts.
func (c *crew) beyond() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.last {
		if s.Beyond != "" {
			return lost("no worker finished its part: %s", s.Beyond)
		}
	}
	return nil
}

func (c *crew) statusOf(name string) status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last[name]
}

// answers are the answers of all members, or one that ends the order; nil before.
func (c *crew) answers() []*explicit.Answer {
	var out []*explicit.Answer
	for _, name := range c.members {
		s := c.statusOf(name)
		if s.Epoch != c.epoch || s.Seq != c.seq || s.Answer == nil {
			continue
		}
		if s.Answer.Ends() {
			return []*explicit.Answer{s.Answer}
		}
		out = append(out, s.Answer)
	}
	if len(out) < len(c.members) {
		return nil
	}
	return out
}

// reference is an object with its digest.
func reference(name, digest string) string { return name + " " + digest }

// packet is states on their way, or the end of a level: who ended it, what it found, and how many
// words it sent for it.
type packet struct {
	Epoch  int64
	Level  int
	Kind   uint64
	States []uint64
}

// Kinds of packets.
const (
	newStates = iota
	asked     // which of these states are marked?
	levelEnds
	kinds
)

func (p *packet) size() int { return 8 * (len(p.States) + 2) }

func (p *packet) append(out []byte) []byte {
	out = slices.Grow(out, p.size()+sha256.Size)
	out = binary.LittleEndian.AppendUint64(out, uint64(p.Epoch))
	out = binary.LittleEndian.AppendUint64(out, uint64(p.Level)*kinds+p.Kind)
	for _, w := range p.States {
		out = binary.LittleEndian.AppendUint64(out, w)
	}
	return out
}

// read reads a packet; its states are valid until it reads another one.
func (p *packet) read(data []byte) error {
	if len(data) < 16 || len(data)%8 != 0 {
		return errors.New("these are no states")
	}
	level := binary.LittleEndian.Uint64(data[8:])
	p.Epoch = int64(binary.LittleEndian.Uint64(data))
	p.Level, p.Kind = int(level/kinds), level%kinds
	p.States = slices.Grow(p.States[:0], len(data)/8-2)
	for data = data[16:]; len(data) > 0; data = data[8:] {
		p.States = append(p.States, binary.LittleEndian.Uint64(data))
	}
	return nil
}

// The first byte of what the owner of states replies.
const (
	arrived = byte(iota)
	notYet  // it has not begun, or not again
	refused // then the reason follows
)

func replyOf(data []byte) ([]byte, error) {
	switch {
	case len(data) == 0:
		return nil, errors.New("an empty reply")
	case data[0] == notYet:
		return nil, errNotYet
	case data[0] == refused:
		return nil, fmt.Errorf("another member refuses states: %s",
			bytes.ToValidUTF8(data[1:], nil))
	}
	return data[1:], nil
}

var errNotYet = errors.New("the owner of the states has not begun")
