// Package trace writes down what a program does, for erelong trace, which says whether that is a
// run of a specification.
//
//	log := trace.New(file)
//	defer log.Close()
//	node := log.Node("n1")
//	...
//	node.Log("grant", trace.Values{"c": client}, trace.Values{"reserved": left})
//
// An event is a line of JSON: its node, its number at the node, its time, its name, arguments, and
// values of variables after it. Log an event where the node's state is consistent, such as under
// the lock that guards it, and before its messages are sent: then the numbers and times of the log
// are the ones of the run. Within a process times come from the monotonic clock.
//
// A process that was restarted goes on with its log by Append. Its incarnation, the time at which
// its log began, tells its events from the ones of earlier runs.
//
// A program that logs nothing pays one comparison: methods of a nil *Log and of a nil *Node do
// nothing.
package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// Values are the values of arguments or variables, by their names in the specification. A value is
// a boolean, an integer, or a text: the name of an element or of a member of an enum. For a
// variable with arguments it is a map from arguments to values, or for a relation the list of what
// is in it; if the first argument is left out, it is the node.
type Values map[string]any

// Log writes events. All methods may be called by several goroutines.
type Log struct {
	clock       func() time.Time
	start       time.Time
	incarnation int64
	uncertain   time.Duration
	unbuffered  bool
	buffers     sync.Pool
	file        *os.File // that Append has opened

	mu    sync.Mutex
	out   *bufio.Writer
	err   error
	nodes map[string]*Node
}

// Option changes a Log.
type Option func(*Log)

// Uncertainty says how far the clock of this process may be from the clocks of others, whose logs
// are checked together with this one. Each time is then an interval.
func Uncertainty(d time.Duration) Option { return func(l *Log) { l.uncertain = d } }

// Clock replaces time.Now.
func Clock(now func() time.Time) Option { return func(l *Log) { l.clock = now } }

// Incarnation numbers the runs of a process, instead of the time at which the log began: a later
// run has a greater number.
func Incarnation(n int64) Option { return func(l *Log) { l.incarnation = n } }

// Unbuffered writes each event at once, so that it survives the end of the process, by whatever
// signal. It costs a write for each event.
func Unbuffered() Option { return func(l *Log) { l.unbuffered = true } }

// Append makes an unbuffered log at the end of a file, which may have events of earlier runs of the
// process. A line that an earlier run left without its end is cut off: the process ended while it
// wrote the event, before what comes after the event. Close closes the file.
func Append(path string, options ...Option) (*Log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("opening the log: %w", err)
	}
	if err := toLastLine(f); err != nil {
		return nil, errors.Join(fmt.Errorf("going on with the log %s: %w", path, err), f.Close())
	}
	l := New(f, append(slices.Clip(options), Unbuffered())...)
	l.file = f
	return l, nil
}

// toLastLine moves to the end of a file, without a line that has no end.
func toLastLine(f *os.File) error {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	part := make([]byte, 1<<12)
	for end > 0 {
		from := max(end-int64(len(part)), 0)
		n, err := f.ReadAt(part[:end-from], from)
		if err != nil {
			return err
		}
		if i := bytes.LastIndexByte(part[:n], '\n'); i >= 0 {
			end = from + int64(i) + 1
			break
		}
		end = from
	}
	if err := f.Truncate(end); err != nil {
		return err
	}
	_, err = f.Seek(end, io.SeekStart)
	return err
}

// New makes a log that writes to w. Close writes what is buffered.
func New(w io.Writer, options ...Option) *Log {
	l := &Log{clock: time.Now, out: bufio.NewWriterSize(w, 1<<16), nodes: map[string]*Node{}}
	l.buffers.New = func() any { return &bytes.Buffer{} }
	for _, o := range options {
		o(l)
	}
	l.start = l.clock()
	if l.incarnation == 0 {
		l.incarnation = l.start.UnixNano()
	}
	return l
}

// Node is the writer of the events of one node, which are numbered.
type Node struct {
	log  *Log
	name string

	mu  sync.Mutex // of the number together with the time
	seq int64
}

// Node gives the writer of a node; there is one for each name.
func (l *Log) Node(name string) *Node {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.nodes[name]
	if n == nil {
		n = &Node{log: l, name: name}
		l.nodes[name] = n
	}
	return n
}

// Event is an event with everything that can be known of it.
type Event struct {
	Name string
	Args Values
	Obs  Values
	// Since is the earliest time of the event, as Now gave it; zero for the time of the call.
	Since time.Duration
	// Send and Receive name a message: its sending comes before its reception.
	Send, Receive string
}

// Now is the time since the log began.
func (l *Log) Now() time.Duration {
	if l == nil {
		return 0
	}
	return l.clock().Sub(l.start)
}

// Log writes an event of a node.
func (l *Log) Log(node, event string, args, obs Values) { l.Node(node).Log(event, args, obs) }

// Log writes an event.
func (n *Node) Log(event string, args, obs Values) {
	if n == nil {
		return
	}
	n.Write(Event{Name: event, Args: args, Obs: obs})
}

// line is an event as it is written.
type line struct {
	Node    string `json:"node"`
	Inc     int64  `json:"inc"`
	Seq     int64  `json:"seq"`
	Time    any    `json:"t"`
	Event   string `json:"event"`
	Args    Values `json:"args,omitempty"`
	Obs     Values `json:"obs,omitempty"`
	Send    string `json:"send,omitempty"`
	Receive string `json:"receive,omitempty"`
}

// Write writes an event.
func (n *Node) Write(e Event) {
	if n == nil {
		return
	}
	l := n.log
	n.mu.Lock()
	n.seq++
	seq, now := n.seq, l.Now()
	n.mu.Unlock()
	x := line{Node: n.name, Inc: l.incarnation, Seq: seq,
		Event: e.Name, Args: e.Args, Obs: e.Obs, Send: e.Send,
		Receive: e.Receive}
	since := now
	if e.Since > 0 {
		since = min(e.Since, now)
	}
	base := l.start.UnixNano()
	from, to := base+int64(since-l.uncertain), base+int64(now+l.uncertain)
	x.Time = from
	if from != to {
		x.Time = [2]int64{from, to}
	}
	b := l.buffers.Get().(*bytes.Buffer)
	defer l.buffers.Put(b)
	b.Reset()
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(x)
	if err != nil {
		err = fmt.Errorf("event %s of node %s: %w", e.Name, n.name, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		_, err = l.out.Write(b.Bytes())
	}
	if err == nil && l.unbuffered {
		err = l.out.Flush()
	}
	if l.err == nil {
		l.err = err
	}
}

// Flush writes what is buffered, and gives the first error of all writes: then events are missing
// from the log.
func (l *Log) Flush() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.err, l.out.Flush())
}

// Close is Flush. It closes the file of Append; the writer of New stays open.
func (l *Log) Close() error {
	err := l.Flush()
	if l == nil || l.file == nil {
		return err
	}
	return errors.Join(err, l.file.Close())
}
