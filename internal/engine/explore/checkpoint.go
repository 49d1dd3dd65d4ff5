package explore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore/store"
)

// A checkpoint of an exploration has, beside the manifest, the log: the states and their parents.
// The manifest begins with Saved: the number of valid states in the log, and the place of the
// search.
//
// No data in the folder is trusted. The manifest has a digest of the log. It names the system, the
// options and the version of the program. The place is compared with the levels that follow from
// the log.

// Checkpoint says where explorations are saved.
type Checkpoint struct {
	Dir    string        // each instance has a folder in it; empty to save nothing
	Every  time.Duration // how often, 0 for SaveEvery
	Resume bool          // continue from the checkpoint, if there is one for the instance
}

// SaveEvery is how often explorations are saved.
const SaveEvery = 30 * time.Second

// Header begins each manifest.
type Header struct {
	Format   int
	Identity string                   // of the search
	Forced   map[int]compile.Interval // intervals that slots have room for
}

// Saved begins the manifest of a search whose states are in a log.
type Saved struct {
	Header
	Count   int    // states in the log
	Digest  uint64 // of the log
	Initial int    // initial states
	Place
	Elapsed time.Duration
}

// Find finds the folder of an exploration, and reads the manifest there, which begins with a header
// of a format. It returns false if there is none.
func (c Checkpoint) Find(
	name string, key []byte, format int, manifest any, header *Header,
) (dir string, found bool, err error) {
	dir, text, err := engine.OpenCheckpoint(c.Dir, name, c.Resume, key)
	if text == nil || err != nil {
		return dir, false, err
	}
	if err = json.Unmarshal(text, manifest); err != nil {
		err = fmt.Errorf("reading it: %w", err)
	} else if header.Format != format {
		err = engine.ErrVersion
	}
	if err != nil {
		return dir, false, &engine.CheckpointError{Dir: dir, Err: err}
	}
	if header.Forced == nil {
		header.Forced = map[int]compile.Interval{}
	}
	return dir, true, nil
}

// Folder is where a search is saved.
type Folder struct {
	Dir    string
	Before time.Duration // spent before the search was resumed

	identity string
	every    time.Duration
	written  time.Time
}

// Due reports whether it is time to save, and takes for granted that the search is saved now.
func (f *Folder) Due(must bool) bool {
	if !must && time.Since(f.written) < f.every {
		return false
	}
	f.written = time.Now()
	return true
}

// Identity names what a search depends on: the program, the system, the instance, the terms, the
// layout of the packed states, and options.
func (s *Search) Identity(options ...any) string {
	h := sha256.New()
	engine.WriteIdentity(h, s.System, s.Instance)
	for _, t := range s.Terms {
		fmt.Fprintln(h, t)
	}
	fmt.Fprintf(h, "%T %d %d %d\n", s.Program, s.Program.Words(), s.Program.Bits(), s.MaxStates)
	fmt.Fprintln(h, options...)
	return hex.EncodeToString(h.Sum(nil))
}

// Attach has a search saved in a folder. It goes on from what is saved there, unless from is nil,
// and gives the numbers of states on the levels; loaded is called after each part.
func (s *Search) Attach(
	ctx context.Context, f *Folder, c Checkpoint, identity string, from *Saved,
	loaded func() error,
) (levels []int64, err error) {
	f.identity, f.every, f.written = identity, cmp.Or(c.Every, SaveEvery), time.Now()
	open := store.OpenLog
	if from == nil {
		// The manifest of another attempt with narrower states must not refer to the log of this
		// one.
		if err := engine.ForgetManifest(f.Dir); err != nil {
			return nil, err
		}
		open = store.NewLog
	} else if from.Identity != identity {
		return nil, &engine.CheckpointError{Dir: f.Dir, Err: engine.ErrOther}
	}
	log, err := open(f.Dir, s.Program.Words())
	if err != nil {
		return nil, err
	}
	s.Store.KeepLog(log)
	if from == nil {
		return nil, nil
	}
	if levels, err = s.load(ctx, log, from, loaded); err != nil {
		return nil, &engine.CheckpointError{Dir: f.Dir, Err: err}
	}
	f.Before = from.Elapsed
	return levels, nil
}

// load reads the log, and compares the first states with the initial states.
func (s *Search) load(
	ctx context.Context, log *store.Log, from *Saved, loaded func() error,
) ([]int64, error) {
	l := &levels{initial: from.Initial}
	err := log.Load(from.Count, from.Digest, func(states []uint64, parents []uint32) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("resuming: %w", err)
		}
		l.add(parents)
		if err := s.Store.Load(states, parents); err != nil {
			return err
		}
		return loaded()
	})
	if err != nil {
		return nil, err
	}
	sizes := l.sizes(int(from.Level))
	if !l.fit(from, sizes) {
		return nil, engine.ErrContradiction
	}
	s.Place, s.Initials = from.Place, from.Initial
	return sizes, engine.CompareInitial(ctx, s.Model, s.Initials, s.Program.Pack, s.Store.Keys)
}

// Save saves the states, and gives the beginning of the manifest for them.
func (s *Search) Save(
	f *Folder, format int, forced map[int]compile.Interval, elapsed time.Duration,
) (Saved, error) {
	if err := s.Store.Save(); err != nil {
		return Saved{}, err
	}
	log := s.Store.Log()
	return Saved{Header: Header{format, f.identity, forced}, Count: log.Len(),
		Digest: log.Digest(), Initial: s.Initials, Place: s.Place,
		Elapsed: f.Before + elapsed}, log.Sync()
}

// levels gives the levels of a search, from the parents of the states in a log.
type levels struct {
	initial    int
	count      int   // states
	last       int   // the parent of the last state that has one, -1 for none
	starts     []int // the first state of each level
	impossible bool  // no search has these parents
}

// add adds the parents of further states. States are found in the order of their parents.
func (l *levels) add(parents []uint32) {
	for _, p := range parents {
		parent := int(p)
		switch {
		case l.count == 0:
			l.starts, l.last = append(l.starts, 0), -1
		case l.count < l.initial:
		case parent >= l.count || parent < l.last:
			l.impossible = true
		case parent >= l.starts[len(l.starts)-1]: // the first state found from the last level
			l.starts = append(l.starts, l.count)
		}
		if l.count >= l.initial {
			l.last = parent
		}
		l.count++
	}
}

// sizes are the numbers of states on the first levels, as far as there are levels.
func (l *levels) sizes(levels int) (sizes []int64) {
	for i := 0; i < levels && i < len(l.starts); i++ {
		end := l.count
		if i+1 < len(l.starts) {
			end = l.starts[i+1]
		}
		sizes = append(sizes, int64(end-l.starts[i]))
	}
	return sizes
}

// fit reports whether a search of these levels can be at the place that is saved. States after
// Next, and states of the next level, have no successors yet.
func (l *levels) fit(h *Saved, sizes []int64) bool {
	n, p := len(sizes), h.Place
	switch {
	case l.impossible, l.count != h.Count, l.initial <= 0, l.initial > l.count,
		int64(n) != p.Level:
		return false
	case n == 0:
		return p.From == 0 && p.Next == 0 && p.To == 0 && len(l.starts) == 1
	}
	return len(l.starts) <= n+1 && p.From == l.starts[n-1] && p.To == p.From+int(sizes[n-1]) &&
		p.From <= p.Next && p.Next <= p.To && l.last < max(p.Next, 0)
}
