package temporal

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
)

// manifestFormat is the form of what follows.
const manifestFormat = 3

// saved is the manifest of an exploration. Beside it are the log of the states, and a file with the
// lists of edges of the expanded states: for each state the length of its list, and the list. What
// follows the exploration begins anew.
type saved struct {
	explore.Saved
	EdgesBytes int64
	EdgesSum   string
	NextLook   int
	Steps      int64
	Enabled    []bool
	Marks      []savedMark // of the conditions, in order
	Outside    string
	Open       bits
	Falses     []bits
	Failed     []savedFailure
	Predicates int
}

// savedMark is an action with the index of the values of its parameters.
type savedMark struct{ Action, Index int }

// savedFailure is a state in which a predicate has no value.
type savedFailure struct {
	Predicate int
	State     uint32
	Error     string
}

// files are the files of an exploration that is saved.
type files struct {
	explore.Folder
	forced map[int]compile.Interval
	edges  *os.File
	sum    hash.Hash // of what was written to it
	bytes  int64
	node   uint32 // the states whose lists it has
	buf    []byte
	list   []byte
}

// savedIn finds the folder of an instance, and the manifest to resume from.
func savedIn(c explore.Checkpoint, m *interp.Model) (dir string, _ *saved, err error) {
	x := &saved{}
	dir, found, err := c.Find("temporal-"+m.Instance.Name, nil, manifestFormat, x, &x.Header)
	if !found {
		x = nil
	}
	return dir, x, err
}

const edgesName = "edges"

// attach gives a search its folder, and what was saved there, if it goes on from that.
func (s *search) attach(
	ctx context.Context, dir string, from *saved, forced map[int]compile.Interval,
) (err error) {
	f := &files{Folder: explore.Folder{Dir: dir}, sum: sha256.New(), forced: forced}
	s.files = f
	flags := os.O_RDWR | os.O_CREATE | os.O_TRUNC
	var states *explore.Saved
	if from != nil {
		flags, states = os.O_RDWR, &from.Saved
	}
	_, err = s.Attach(ctx, &f.Folder, s.limits.checkpoint, s.Identity(s.limits.Depth), states,
		func() error { return nil })
	if err != nil {
		return err
	}
	if f.edges, err = os.OpenFile(filepath.Join(dir, edgesName), flags, 0o600); err != nil {
		return fmt.Errorf("opening the file of edges: %w", err)
	}
	if from == nil {
		return nil
	}
	if err := s.restore(ctx, from); err != nil {
		return &engine.CheckpointError{Dir: dir, Err: err}
	}
	return nil
}

// detach closes the files; the states stay in memory.
func (s *search) detach() error {
	var err error
	if log := s.Store.Log(); log != nil {
		s.Store.KeepLog(nil)
		err = log.Close()
	}
	if s.files != nil && s.files.edges != nil {
		err = errors.Join(err, s.files.edges.Close())
	}
	s.files = nil
	return err
}

// restore restores what is known of the states.
func (s *search) restore(ctx context.Context, from *saved) error {
	n := len(s.predicates.terms)
	if from.NextLook < 1 || from.Predicates != n || len(from.Falses) != n ||
		len(from.Enabled) != len(s.enabled) {
		return engine.ErrContradiction
	}
	s.initial, s.packed.initial = s.Initials, s.Initials
	s.nextNearCheck = from.NextLook
	s.graph.depth, s.graph.steps = s.Level, from.Steps
	s.enabled, s.outside = from.Enabled, from.Outside
	s.unexpanded, s.falses = from.Open, from.Falses
	for _, m := range from.Marks {
		if m.Action < 0 || m.Action >= len(s.marks) || m.Index < 0 ||
			m.Index >= len(s.marks[m.Action].marks) {
			return engine.ErrContradiction
		}
		s.mark(m.Action, m.Index)
	}
	for _, x := range from.Failed {
		if x.Predicate < 0 || x.Predicate >= n || int(x.State) >= from.Next {
			return engine.ErrContradiction
		}
		s.predicates.failed[x.Predicate] = &predicateError{x.State, errors.New(x.Error)}
	}
	return s.readEdges(ctx, from)
}

// readEdges reads the lists of the states that were expanded.
func (s *search) readEdges(ctx context.Context, from *saved) error {
	f := s.files
	r := bufio.NewReader(io.TeeReader(io.LimitReader(f.edges, from.EdgesBytes), f.sum))
	for n := range from.Next {
		if n%store.TaskSize == 0 && ctx.Err() != nil {
			return fmt.Errorf("resuming: %w", ctx.Err())
		}
		size, err := binary.ReadUvarint(r)
		if err == nil && size > uint64(from.EdgesBytes) {
			err = engine.ErrContradiction
		}
		if err == nil {
			f.buf = slices.Grow(f.buf[:0], int(size))[:size]
			_, err = io.ReadFull(r, f.buf)
		}
		if err != nil {
			return fmt.Errorf("reading the saved edges: %w", err)
		}
		s.begin()
		if err := s.readList(f.buf, from.Count); err != nil {
			return err
		}
	}
	if _, err := r.ReadByte(); !errors.Is(err, io.EOF) ||
		hex.EncodeToString(f.sum.Sum(nil)) != from.EdgesSum {
		return errors.New("the saved edges are damaged")
	}
	f.bytes, f.node = from.EdgesBytes, s.edges.node
	return nil
}

// readList adds the edges of the state that was begun last.
func (s *search) readList(data []byte, states int) error {
	c := cursor{data, s.edges.node - 1}
	for {
		to, mark, ok, err := c.next()
		switch {
		case err != nil:
			return err
		case !ok:
			return nil
		case int(to) >= states || mark == someStep || int(mark) >= len(s.labels):
			return engine.ErrContradiction
		case !s.add(to, mark):
			return errEdges
		}
	}
}

// cursor goes through a list of edges in a file. An edge is its target, as the difference from the
// target before it (from the state itself for the first edge), and its mark, if that is not the one
// of unfair steps. The data may be damaged.
type cursor struct {
	data []byte
	last uint32
}

// appendList appends a list of edges of a state.
func appendList(data []byte, n uint32, l list) []byte {
	last := n
	for i, mark := range l.marks {
		to := l.to(i)
		d := int64(to) - int64(last)
		x := uint64(d<<1^d>>63) << 1
		if last = to; mark == unfair {
			data = binary.AppendUvarint(data, x)
			continue
		}
		data = binary.AppendUvarint(data, x|1)
		data = binary.AppendUvarint(data, uint64(mark))
	}
	return data
}

// next gives the next edge.
func (c *cursor) next() (to, mark uint32, ok bool, err error) {
	if len(c.data) == 0 {
		return 0, 0, false, nil
	}
	x, err := c.number()
	mark = unfair
	if err == nil && x&1 != 0 {
		var m uint64
		m, err = c.number()
		mark = uint32(m)
	}
	x >>= 1
	c.last += uint32(x>>1) ^ -uint32(x&1)
	return c.last, mark, err == nil, err
}

func (c *cursor) number() (uint64, error) {
	x, n := binary.Uvarint(c.data)
	if n <= 0 || x > math.MaxUint32*4 {
		return 0, engine.ErrContradiction
	}
	c.data = c.data[n:]
	return x, nil
}

// keep saves the search if that is due, or if it must be.
func (s *search) keep(must bool) error {
	if s.files == nil || s.initial == 0 || !s.files.Due(must) {
		return nil
	}
	if err := s.save(); err != nil {
		return &explore.DiskError{Err: err}
	}
	return nil
}

func (s *search) save() error {
	f := s.files
	states, err := s.Save(&f.Folder, manifestFormat, f.forced, 0)
	if err == nil {
		err = f.writeEdges(&s.edges)
	}
	if err != nil {
		return err
	}
	m := saved{Saved: states, EdgesBytes: f.bytes, EdgesSum: hex.EncodeToString(f.sum.Sum(nil)),
		NextLook: s.nextNearCheck, Steps: s.graph.steps, Enabled: s.enabled,
		Marks: s.conditions(), Outside: s.outside, Open: s.unexpanded, Falses: s.falses,
		Predicates: len(s.predicates.terms)}
	for k, e := range s.predicates.failed {
		if e != nil {
			m.Failed = append(m.Failed, savedFailure{k, e.state, e.err.Error()})
		}
	}
	return engine.SaveManifest(f.Dir, m, nil)
}

// conditions are the fairness conditions that have marks, in the order of these.
func (s *search) conditions() []savedMark {
	out := make([]savedMark, len(s.labels)-int(conditions))
	for a, am := range s.marks {
		for i, mark := range am.marks {
			if mark != 0 {
				out[mark-conditions] = savedMark{a, i}
			}
		}
	}
	return out
}

// writeEdges appends the lists that the file does not have yet.
func (f *files) writeEdges(e *edges) error {
	e.end()
	const piece = 1 << 20
	flush := func() error {
		if _, err := f.edges.WriteAt(f.buf, f.bytes); err != nil {
			return fmt.Errorf("writing edges: %w", err)
		}
		f.sum.Write(f.buf)
		f.bytes += int64(len(f.buf))
		f.buf = f.buf[:0]
		return nil
	}
	f.buf = f.buf[:0]
	for ; f.node < e.node; f.node++ {
		f.list = appendList(f.list[:0], f.node, e.list(f.node))
		f.buf = binary.AppendUvarint(f.buf, uint64(len(f.list)))
		if f.buf = append(f.buf, f.list...); len(f.buf) >= piece {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	if err := f.edges.Sync(); err != nil {
		return fmt.Errorf("saving edges: %w", err)
	}
	return nil
}
