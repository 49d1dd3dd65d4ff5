package explicit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
)

// A checkpoint of an instance has, beside the manifest, the log: the states and their parents. The
// manifest has the number of valid states in the log, and the position of the search.
//
// No data in the folder is trusted. The manifest has a digest of the log. It names the system, the
// options and the version of the program. Its position is compared with the levels that follow from
// the log.
const manifestFormat = 5

// prepare finds the folder for an instance, and reads the checkpoint to continue from.
func (a *attempt) prepare(m *interp.Model) error {
	dir, text, err := engine.OpenCheckpoint(a.opts.Checkpoint, "instance-"+m.Instance.Name,
		a.opts.Resume, nil)
	a.dir = dir
	if text == nil || err != nil {
		return err
	}
	if a.saved, err = readManifest(text); err != nil {
		return &engine.CheckpointError{Dir: a.dir, Err: err}
	}
	if a.saved.Forced != nil {
		a.forced = a.saved.Forced
	}
	return nil
}

// identity names what a search depends on: the program, the system, the instance, the options, and
// the layout of the packed states.
func (s *search) identity() string {
	h := sha256.New()
	fmt.Fprintln(h, manifestFormat)
	engine.WriteIdentity(h, s.System, s.Instance)
	for _, p := range s.props {
		fmt.Fprintln(h, p.Name)
	}
	for _, c := range s.list {
		fmt.Fprintln(h, c.result.Property)
	}
	fmt.Fprintln(h, s.opts.MaxStates, s.opts.MaxDepth, s.opts.Store, s.opts.Search)
	fmt.Fprintf(h, "%T %d %d\n", s.Program, s.Program.Words(), s.Program.Bits())
	return hex.EncodeToString(h.Sum(nil))
}

// attach gives a search its folder, and restores the position of the checkpoint.
func (s *search) attach(ctx context.Context, a *attempt) error {
	f := &s.files
	f.dir, f.identity = a.dir, s.identity()
	words := s.Program.Words()
	if a.saved == nil {
		// The manifest of another attempt with narrower states must not refer to the log of this
		// one.
		if err := engine.ForgetManifest(a.dir); err != nil {
			return err
		}
		l, err := store.NewLog(a.dir, words)
		if err != nil {
			return err
		}
		s.Store.KeepLog(l)
		return nil
	}
	if a.saved.Identity != f.identity {
		return &engine.CheckpointError{Dir: a.dir, Err: engine.ErrOther}
	}
	l, err := store.OpenLog(a.dir, words)
	if err != nil {
		return err
	}
	s.Store.KeepLog(l)
	levels := &levels{initial: int(a.saved.Position.Stats.Initial)}
	err = l.Load(a.saved.Count, a.saved.Digest, func(states []uint64, parents []uint32) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("resuming: %w", err)
		}
		levels.add(parents)
		if err := s.Store.Load(states, parents); err != nil {
			return err
		}
		return s.keepWithinMemory()
	})
	if err != nil {
		return &engine.CheckpointError{Dir: a.dir, Err: err}
	}
	if err := levels.check(a.saved); err != nil {
		return &engine.CheckpointError{Dir: a.dir, Err: err}
	}
	if err := s.restore(a.saved); err != nil {
		return &engine.CheckpointError{Dir: a.dir, Err: err}
	}
	if err := s.recheck(ctx); err != nil {
		return &engine.CheckpointError{Dir: a.dir, Err: err}
	}
	return nil
}

// recheck compares the first states with the initial states.
func (s *search) recheck(ctx context.Context) error {
	return engine.CompareInitial(ctx, s.Model, int(s.Stats.Initial), s.Program.Pack, s.Store.Keys)
}

// save writes a checkpoint, if one was asked for and there is something to save.
func (s *search) save() error {
	f := &s.files
	if f.dir == "" || s.Stats.Initial == 0 {
		return nil
	}
	f.written = time.Now()
	if err := s.Store.Save(); err != nil {
		return err
	}
	log := s.Store.Log()
	if err := log.Sync(); err != nil {
		return err
	}
	m := saved{
		Format: manifestFormat, Identity: f.identity, Count: log.Len(), Digest: log.Digest(),
		Position: position{s.Place, s.seen}, Forced: s.forced,
		Elapsed: f.before + time.Since(s.begin),
	}
	for i, e := range s.events {
		if e.Found {
			x := savedEvent{Property: i, State: e.State}
			if e.Err != nil {
				x.Error = e.Err.Error()
			}
			m.Events = append(m.Events, x)
		}
	}
	for _, c := range s.list {
		if c.decided() {
			m.Claims = append(m.Claims, savedClaim{c.result, c.shown, c.state})
		}
	}
	return engine.SaveManifest(f.dir, m, nil)
}
