package explicit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"erelong/internal/compile"
	"erelong/internal/engine/explicit/store"
	"erelong/internal/interp"
	"erelong/internal/verdict"
)

// A checkpoint of an instance is a folder with a log of the states and their parents, which only grows, and a manifest,
// which says how many of them count, and how far the search had come. The manifest is replaced as a whole, after the log is
// safe, so at every moment the folder holds a state in which the search once was.
const (
	manifestName   = "checkpoint.json"
	manifestFormat = 2
)

// CheckpointError says why a checkpoint cannot be used.
type CheckpointError struct {
	Dir string
	Err error
}

func (e *CheckpointError) Error() string {
	return fmt.Sprintf("the checkpoint in %s: %v", e.Dir, e.Err)
}
func (e *CheckpointError) Unwrap() error { return e.Err }

// saved is the manifest.
type saved struct {
	Format   int
	Identity string // see identity
	Count    int
	Digest   uint64
	Position position
	Events   []savedEvent
	Claims   []savedClaim
	Forced   map[int]compile.Interval
	Elapsed  time.Duration
}

type savedEvent struct {
	Property, State int
	Error           string
}

type savedClaim struct {
	Result verdict.Result
	Shown  bool
	State  int
}

// prepare finds the folder for an instance, and reads the checkpoint to go on from.
func (a *attempt) prepare(m *interp.Model) error {
	a.dir = filepath.Join(a.opts.Checkpoint, "instance-"+url.PathEscape(m.Instance.Name))
	text, err := os.ReadFile(filepath.Join(a.dir, manifestName))
	switch {
	case a.opts.Resume && err == nil:
		a.saved = &saved{}
		if err := json.Unmarshal(text, a.saved); err != nil {
			return &CheckpointError{a.dir, fmt.Errorf("reading it: %w", err)}
		}
		if a.saved.Format != manifestFormat {
			return &CheckpointError{a.dir, errors.New("it is of another version of the program")}
		}
		if a.saved.Forced != nil {
			a.forced = a.saved.Forced
		}
		return nil
	case err == nil:
		return &CheckpointError{a.dir, errors.New("it is of an earlier run: go on from it with --resume, or remove it")}
	case !errors.Is(err, fs.ErrNotExist):
		return &CheckpointError{a.opts.Checkpoint, fmt.Errorf("reading it: %w", err)}
	}
	if a.opts.Resume {
		if _, err := os.Stat(a.opts.Checkpoint); err != nil {
			return &CheckpointError{a.opts.Checkpoint, fmt.Errorf("reading it: %w", err)}
		}
	}
	if err := os.MkdirAll(a.dir, 0o755); err != nil {
		return fmt.Errorf("making the folder of the checkpoint: %w", err)
	}
	return nil
}

// identity names what a search depends on: the system, the instance, the options, and the layout of the packed states.
func (s *search) identity() string {
	h := sha256.New()
	fmt.Fprintf(h, "%d\n%s\n%s\n", manifestFormat, s.System, s.Instance.Name)
	for _, sort := range s.System.Sorts {
		fmt.Fprintln(h, sort, s.Instance.Sizes[sort])
	}
	for _, sym := range s.System.Symbols {
		fmt.Fprintln(h, sym, s.Instance.Values[sym])
	}
	for _, p := range s.props {
		fmt.Fprintln(h, p.Name)
	}
	for _, c := range s.list {
		fmt.Fprintln(h, c.result.Property)
	}
	fmt.Fprintln(h, s.opts.MaxStates, s.opts.MaxDepth, s.opts.Store, s.opts.Search)
	fmt.Fprintf(h, "%T %d %d\n", s.program, s.program.Words(), s.program.Bits())
	return hex.EncodeToString(h.Sum(nil))
}

// attach gives a search its folder, and puts it where the checkpoint says.
func (s *search) attach(ctx context.Context, a *attempt) error {
	f := &s.files
	f.dir, f.identity, f.forced = a.dir, s.identity(), a.forced
	words := s.program.Words()
	if a.saved == nil {
		// A manifest that another attempt with narrower states left must not speak of the log of this one.
		if err := os.Remove(filepath.Join(a.dir, manifestName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing an old checkpoint: %w", err)
		}
		l, err := store.NewLog(a.dir, words)
		if err != nil {
			return err
		}
		s.store.KeepLog(l)
		return nil
	}
	if a.saved.Identity != f.identity {
		return &CheckpointError{a.dir, errors.New("it is of another system, or was made with other options")}
	}
	l, err := store.OpenLog(a.dir, words)
	if err != nil {
		return err
	}
	s.store.KeepLog(l)
	err = l.Load(a.saved.Count, a.saved.Digest, func(states []uint64, parents []uint32) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("resuming: %w", err)
		}
		if err := s.store.Load(states, parents); err != nil {
			return err
		}
		return s.keepWithinMemory()
	})
	if err != nil {
		return &CheckpointError{a.dir, err}
	}
	if err := s.restore(a.saved); err != nil {
		return &CheckpointError{a.dir, err}
	}
	if err := s.recheck(ctx); err != nil {
		return &CheckpointError{a.dir, err}
	}
	return nil
}

// restore takes over what the manifest says.
func (s *search) restore(m *saved) error {
	p := m.Position
	if len(p.Enabled) != len(s.Enabled) || p.From > p.To || p.Next < p.From || p.Next > p.To || p.To > m.Count || p.Stats.Initial == 0 {
		return errors.New("it contradicts itself")
	}
	s.position = p
	s.events = make([]event, len(s.props))
	for _, e := range m.Events {
		if e.Property < 0 || e.Property >= len(s.props) {
			return errors.New("it contradicts itself")
		}
		s.events[e.Property] = event{found: true, state: e.State}
		if e.Error != "" {
			s.events[e.Property].err = errors.New(e.Error)
		}
	}
	for _, c := range m.Claims {
		i := slices.IndexFunc(s.list, func(x *claim) bool { return x.result.Property == c.Result.Property })
		if i < 0 {
			return errors.New("it contradicts itself")
		}
		line := s.list[i].result.Line
		s.list[i].result, s.list[i].shown, s.list[i].state = c.Result, c.Shown, c.State
		s.list[i].result.Line = line
	}
	s.files.before, s.files.written = m.Elapsed, time.Now()
	return nil
}

// rechecked bounds the number of initial states that are compared after a search was resumed.
const rechecked = 1000

// recheck compares the first states with the initial ones, in case that the meaning of the packed states has changed.
func (s *search) recheck(ctx context.Context) error {
	i := 0
	var buf []uint64
	err := s.Initial(ctx, func(state interp.State) error {
		packed, err := s.program.Pack(state)
		if err != nil {
			return err
		}
		if i == rechecked || i == int(s.Stats.Initial) {
			return interp.ErrStop
		}
		have, err := s.store.Keys(i, i+1, &buf)
		if err != nil {
			return err
		}
		if !slices.Equal(have, packed) {
			return errors.New("the saved initial states are not those of the system")
		}
		i++
		return nil
	})
	if err != nil {
		return fmt.Errorf("checking the saved states: %w", err)
	}
	return nil
}

// save writes a checkpoint. It does nothing when none was asked for, or before there is anything to save.
func (s *search) save() error {
	f := &s.files
	if f.dir == "" || s.Stats.Initial == 0 {
		return nil
	}
	f.written = time.Now()
	if err := s.store.Save(); err != nil {
		return err
	}
	log := s.store.Log()
	if err := log.Sync(); err != nil {
		return err
	}
	m := saved{
		Format: manifestFormat, Identity: f.identity, Count: log.Len(), Digest: log.Digest(),
		Position: s.position, Forced: f.forced, Elapsed: f.before + time.Since(s.begin),
	}
	for i, e := range s.events {
		if e.found {
			x := savedEvent{Property: i, State: e.state}
			if e.err != nil {
				x.Error = e.err.Error()
			}
			m.Events = append(m.Events, x)
		}
	}
	for _, c := range s.list {
		if c.decided() {
			m.Claims = append(m.Claims, savedClaim{c.result, c.shown, c.state})
		}
	}
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("writing the checkpoint: %w", err)
	}
	return replace(filepath.Join(f.dir, manifestName), text)
}

// replace writes a file as a whole: whatever happens, either the old or the new one is there.
func replace(path string, text []byte) error {
	write := func() error {
		tmp, err := os.Create(path + ".new")
		if err != nil {
			return err
		}
		_, err = tmp.Write(text)
		if err == nil {
			err = tmp.Sync()
		}
		if err := errors.Join(err, tmp.Close()); err != nil {
			return err
		}
		if err := os.Rename(tmp.Name(), path); err != nil {
			return err
		}
		// The folder has to be told, too, where that is possible.
		if dir, err := os.Open(filepath.Dir(path)); err == nil {
			_ = dir.Sync()
			_ = dir.Close()
		}
		return nil
	}
	if err := write(); err != nil {
		return fmt.Errorf("writing the checkpoint: %w", err)
	}
	return nil
}
