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
	"runtime/debug"
	"slices"
	"time"

	"erelong.dev/erelong/internal/engine/explicit/store"
	"erelong.dev/erelong/internal/interp"
)

// A checkpoint of an instance is a folder with two files. The log has the states and their parents,
// and only grows. The manifest has the number of valid states in the log, and the position of the
// search. It is replaced as a whole, after the log is safe, so the folder holds a state of the
// search at every moment.
//
// No data in the folder is trusted. The manifest has a digest of the log and a sum of itself. It
// names the system, the options and the version of the program. Its position is compared with the
// levels that follow from the log.
const (
	manifestName   = "checkpoint.json"
	manifestFormat = 4
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

// prepare finds the folder for an instance, and reads the checkpoint to continue from.
func (a *attempt) prepare(m *interp.Model) error {
	a.dir = filepath.Join(a.opts.Checkpoint, "instance-"+url.PathEscape(m.Instance.Name))
	text, err := os.ReadFile(filepath.Join(a.dir, manifestName))
	switch {
	case a.opts.Resume && err == nil:
		if a.saved, err = unseal(text); err != nil {
			return &CheckpointError{a.dir, err}
		}
		if a.saved.Forced != nil {
			a.forced = a.saved.Forced
		}
		return nil
	case err == nil:
		return &CheckpointError{a.dir,
			errors.New("it is of an earlier run: go on from it with --resume, or remove it")}
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

// identity names what a search depends on: the program, the system, the instance, the options, and
// the layout of the packed states.
func (s *search) identity() string {
	h := sha256.New()
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(h, info.Main.Version)
	}
	fmt.Fprintf(h, "%d\n%s\n%s\n", manifestFormat, s.System, s.Instance.Name)
	for _, sort := range s.System.Sorts {
		fmt.Fprintln(h, sort, s.Instance.Sizes[sort])
	}
	for _, sym := range s.System.Symbols {
		fmt.Fprintln(h, sym, s.Instance.Values[sym])
	}
	for _, f := range s.Instance.Facts {
		fmt.Fprintln(h, f.Term)
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

// attach gives a search its folder, and restores the position of the checkpoint.
func (s *search) attach(ctx context.Context, a *attempt) error {
	f := &s.files
	f.dir, f.identity, f.forced = a.dir, s.identity(), a.forced
	words := s.program.Words()
	if a.saved == nil {
		// The manifest of another attempt with narrower states must not refer to the log of this
		// one.
		if err := os.Remove(filepath.Join(a.dir, manifestName)); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
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
		return &CheckpointError{a.dir,
			errors.New("it is of another system, or was made with other options or by another " +
				"version of the program")}
	}
	l, err := store.OpenLog(a.dir, words)
	if err != nil {
		return err
	}
	s.store.KeepLog(l)
	levels := &levels{initial: int(a.saved.Position.Stats.Initial)}
	err = l.Load(a.saved.Count, a.saved.Digest, func(states []uint64, parents []uint32) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("resuming: %w", err)
		}
		levels.add(parents)
		if err := s.store.Load(states, parents); err != nil {
			return err
		}
		return s.keepWithinMemory()
	})
	if err != nil {
		return &CheckpointError{a.dir, err}
	}
	if err := levels.check(a.saved); err != nil {
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

// rechecked bounds the number of initial states that are compared after a search was resumed.
const rechecked = 1000

// recheck compares the first states with the initial states, in case the meaning of the packed
// states has changed.
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
			return errors.New("the saved initial states differ from the initial states of the " +
				"system")
		}
		i++
		return nil
	})
	if err != nil {
		return fmt.Errorf("checking the saved states: %w", err)
	}
	return nil
}

// save writes a checkpoint, if one was asked for and there is something to save.
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
	return replace(filepath.Join(f.dir, manifestName), seal(text))
}

// replace writes a file as a whole: at any moment either the old or the new file exists.
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
		// The folder must be synchronised, too, where that is possible.
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
