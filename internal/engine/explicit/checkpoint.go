package explicit

import (
	"context"
	"errors"
	"slices"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
)

const manifestFormat = 6

// saved is the manifest of a checkpoint.
type saved struct {
	explore.Saved
	Seen   seen
	Events []savedEvent
	Claims []savedClaim
}

type savedEvent struct {
	Property, State int
	Error           string
}

type savedClaim struct {
	Result result.Result
	Shown  bool
	State  int
}

// prepare finds the folder for an instance, and reads the checkpoint to continue from.
func (a *attempt) prepare(m *interp.Model) (err error) {
	x, found := &saved{}, false
	a.dir, found, err = a.opts.Checkpoint.Find("instance-"+m.Instance.Name, nil, manifestFormat, x,
		&x.Header)
	if found {
		a.saved, a.forced = x, x.Forced
	}
	return err
}

// identity names what a search depends on.
func (s *search) identity() string {
	names := []any{manifestFormat, s.opts.Limits.Depth, s.opts.Store, s.opts.Search}
	for _, p := range s.props {
		names = append(names, p.Name)
	}
	for _, c := range s.list {
		names = append(names, c.result.Property)
	}
	return s.Identity(names...)
}

// attach gives a search its folder, and restores what the checkpoint says.
func (s *search) attach(ctx context.Context, a *attempt) error {
	s.files.folder = &explore.Folder{Dir: a.dir}
	var from *explore.Saved
	if a.saved != nil {
		from = &a.saved.Saved
	}
	levels, err := s.Attach(ctx, s.files.folder, a.opts.Checkpoint, s.identity(), from,
		s.keepWithinMemory)
	if err == nil && a.saved != nil {
		if err = s.restore(a.saved, levels); err != nil {
			err = &engine.CheckpointError{Dir: a.dir, Err: err}
		}
	}
	return err
}

// restore restores what the manifest says of the states, which are on levels of these sizes.
func (s *search) restore(m *saved, levels []int64) error {
	p := &m.Seen
	if len(p.Enabled) != len(s.Enabled) || p.Outside < -1 || p.Outside >= s.Ranges ||
		p.Deadlock < -1 || p.Deadlock >= m.Count || p.Stats.Initial != int64(m.Initial) ||
		!slices.Equal(p.Stats.Levels, levels) {
		return engine.ErrContradiction
	}
	s.seen = *p
	s.events = make([]explore.Event, len(s.Terms))
	for _, e := range m.Events {
		if e.Property < 0 || e.Property >= len(s.events) || e.State < 0 || e.State >= m.Count {
			return engine.ErrContradiction
		}
		s.events[e.Property] = explore.Event{Found: true, State: e.State}
		if e.Error != "" {
			s.events[e.Property].Err = errors.New(e.Error)
		}
	}
	for _, c := range m.Claims {
		i := slices.IndexFunc(s.list, func(x *claim) bool {
			return x.result.Property == c.Result.Property
		})
		if i < 0 || c.Result.Verdict != result.Violated && c.Result.Verdict != result.Unknown ||
			c.State < 0 || c.State >= m.Count {
			return engine.ErrContradiction
		}
		line := s.list[i].result.Line
		s.list[i].result, s.list[i].shown, s.list[i].state = c.Result, c.Shown, c.State
		s.list[i].result.Line = line
	}
	return nil
}

// save writes a checkpoint, if one was asked for, there is something to save, and it is due.
func (s *search) save(must bool) error {
	f := s.files.folder
	if f == nil || s.Initials == 0 || !f.Due(must) {
		return nil
	}
	m := saved{Seen: s.seen}
	var err error
	if m.Saved, err = s.Save(f, manifestFormat, s.forced, time.Since(s.begin)); err != nil {
		return err
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
	return engine.SaveManifest(f.Dir, m, nil)
}
