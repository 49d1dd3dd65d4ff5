package conformance

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"os"
	"slices"

	"erelong.dev/erelong/internal/conformance/runlog"
)

const (
	// mailKept is the number of messages that are kept in memory, as hashes.
	mailKept = 1 << 16
	// firstKept is the number of events that may be the first one to receive what nobody sends.
	firstKept = 64
)

// mail notes which messages were sent and received, in the order of a run: none is sent twice,
// or received before it is sent. The last ones are in memory. The ones before are in files, sorted
// by their hashes, and each file is at least half as long as the one before. What is wrong with
// messages that are far from each other is seen when their files are joined, at the end at the
// latest.
type mail struct {
	seed  maphash.Seed
	most  int
	known map[uint64]int32 // sent, or the number of receptions without a sending
	first []*runlog.Event  // that receive what was not known to be sent
	files []mailFile       // the earlier ones first
}

// sent says of a message that it was sent.
const sent = -1

// mailFile is a file of messages.
type mailFile struct {
	name string
	n    int
}

func newMail(most int) *mail {
	return &mail{seed: maphash.MakeSeed(), most: most, known: map[uint64]int32{}}
}

// add notes the messages of an event. The error is ErrWhole where one is sent twice, or was
// received before.
func (m *mail) add(e *runlog.Event) error {
	if e.Receive != "" {
		h := maphash.String(m.seed, e.Receive)
		if n := m.known[h]; n != sent {
			if len(m.first) < firstKept {
				m.first = append(m.first, e)
			}
			m.known[h] = unsent(int64(n) + 1)
		}
	}
	if e.Send != "" {
		h := maphash.String(m.seed, e.Send)
		if _, known := m.known[h]; known {
			return ErrWhole
		}
		m.known[h] = sent
	}
	if len(m.known) < m.most {
		return nil
	}
	return m.spill()
}

// unsent is a number of receptions as it is kept.
func unsent(n int64) int32 { return int32(min(n, math.MaxInt32)) }

// spill writes what is in memory to a file, and joins files of similar lengths.
func (m *mail) spill() error {
	all := make([]letter, 0, len(m.known))
	for h, n := range m.known {
		all = append(all, letter{h, n})
	}
	slices.SortFunc(all, func(a, b letter) int { return cmp.Compare(a.hash, b.hash) })
	clear(m.known)
	made, err := writeMail(func(write func(letter) error) error {
		for _, x := range all {
			if err := write(x); err != nil {
				return err
			}
		}
		return nil
	})
	m.files = append(m.files, made)
	for err == nil && len(m.files) > 1 && m.files[len(m.files)-2].n <= 2*top(m.files).n {
		err = m.join()
	}
	return err
}

// top is the last of a list.
func top[T any](list []T) *T { return &list[len(list)-1] }

// join makes one file of the last two.
func (m *mail) join() error {
	before, after := m.files[len(m.files)-2], m.files[len(m.files)-1]
	made, err := writeMail(func(write func(letter) error) error {
		return joined(before, after, write)
	})
	m.files = append(m.files[:len(m.files)-2], made)
	return errors.Join(err, os.Remove(before.name), os.Remove(after.name))
}

// joined gives the messages of two files in the order of their hashes. The error is ErrWhole where
// one was sent before a sending or after a reception.
func joined(before, after mailFile, yield func(letter) error) error {
	a, err := openMail(before)
	if err != nil {
		return err
	}
	defer a.close()
	b, err := openMail(after)
	if err != nil {
		return err
	}
	defer b.close()
	for {
		x, y := a.next, b.next
		switch {
		case !a.has && !b.has:
			return errors.Join(a.err, b.err)
		case a.has && (!b.has || x.hash < y.hash):
			err = yield(x)
			a.read()
		case !a.has || y.hash < x.hash:
			err = yield(y)
			b.read()
		case y.n == sent:
			return ErrWhole
		default:
			if x.n != sent { // else the receptions are of what was sent
				x.n = unsent(int64(x.n) + int64(y.n))
			}
			err = yield(x)
			a.read()
			b.read()
		}
		if err != nil {
			return err
		}
	}
}

// notes says how many events receive what no event sends.
func (m *mail) notes() ([]string, error) {
	if len(m.files) == 0 {
		n := 0
		for _, k := range m.known {
			n += int(max(k, 0))
		}
		if n == 0 {
			return nil, nil
		}
		return unsentNote(n, m.first[0]), nil
	}
	if err := m.spill(); err != nil {
		return nil, err
	}
	for len(m.files) > 1 {
		if err := m.join(); err != nil {
			return nil, err
		}
	}
	maybe := map[uint64]bool{} // whether what the first events receive was not sent
	for _, e := range m.first {
		maybe[maphash.String(m.seed, e.Receive)] = false
	}
	in, err := openMail(m.files[0])
	if err != nil {
		return nil, err
	}
	defer in.close()
	n := 0
	for ; in.has; in.read() {
		if in.next.n == sent {
			continue
		}
		n += int(in.next.n)
		if _, one := maybe[in.next.hash]; one {
			maybe[in.next.hash] = true
		}
	}
	i := slices.IndexFunc(m.first, func(e *runlog.Event) bool {
		return maybe[maphash.String(m.seed, e.Receive)]
	})
	if i < 0 {
		return unsentNote(n, nil), in.err
	}
	return unsentNote(n, m.first[i]), in.err
}

// close removes the files.
func (m *mail) close() {
	for _, f := range m.files {
		_ = os.Remove(f.name)
	}
	m.files = nil
}

// letter is a message in a file: its hash, and sent or the number of receptions.
type letter struct {
	hash uint64
	n    int32
}

// letterBytes is the length of a message in a file.
const letterBytes = 12

// writeMail makes a file of the messages that a function writes.
func writeMail(all func(write func(letter) error) error) (out mailFile, err error) {
	f, err := os.CreateTemp("", "erelong-messages-*")
	if err != nil {
		return out, fmt.Errorf("keeping the messages of the log: %w", err)
	}
	out.name = f.Name()
	w := bufio.NewWriterSize(f, 1<<16)
	var b [letterBytes]byte
	err = all(func(x letter) error {
		out.n++
		binary.LittleEndian.PutUint64(b[:], x.hash)
		binary.LittleEndian.PutUint32(b[8:], uint32(x.n))
		_, err := w.Write(b[:])
		return err
	})
	return out, errors.Join(err, w.Flush(), f.Close())
}

// mailReader reads the messages of a file.
type mailReader struct {
	f    *os.File
	in   *bufio.Reader
	next letter
	has  bool // there is a next one
	err  error
}

func openMail(of mailFile) (*mailReader, error) {
	f, err := os.Open(of.name)
	if err != nil {
		return nil, fmt.Errorf("reading the messages of the log: %w", err)
	}
	r := &mailReader{f: f, in: bufio.NewReaderSize(f, 1<<16)}
	r.read()
	return r, r.err
}

func (r *mailReader) read() {
	var b [letterBytes]byte
	_, err := io.ReadFull(r.in, b[:])
	if r.has = err == nil; !r.has {
		if !errors.Is(err, io.EOF) {
			r.err = fmt.Errorf("reading the messages of the log: %w", err)
		}
		return
	}
	r.next = letter{binary.LittleEndian.Uint64(b[:]), int32(binary.LittleEndian.Uint32(b[8:]))}
}

func (r *mailReader) close() { _ = r.f.Close() }
