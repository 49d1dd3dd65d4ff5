package explicit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/result"
)

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
	Result result.Result
	Shown  bool
	State  int
}

// readManifest reads a manifest.
func readManifest(text []byte) (*saved, error) {
	m := &saved{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("reading it: %w", err)
	}
	if m.Format != manifestFormat {
		return nil, engine.ErrVersion
	}
	return m, nil
}

// levels gives the position of a search, from the parents of the states in a log.
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

// check compares the position in a manifest with the levels. States after Next, and states of the
// next level, have no successors yet.
func (l *levels) check(m *saved) error {
	p := m.Position
	var sizes []int64
	for i := 0; i < int(p.Level) && i < len(l.starts); i++ {
		end := l.count
		if i+1 < len(l.starts) {
			end = l.starts[i+1]
		}
		sizes = append(sizes, int64(end-l.starts[i]))
	}
	fits := !l.impossible && l.count == m.Count && l.initial > 0 && l.initial <= l.count &&
		slices.Equal(sizes, p.Stats.Levels)
	switch {
	case !fits:
	case p.Level == 0:
		fits = p.From == 0 && p.Next == 0 && p.To == 0 && len(l.starts) == 1
	default:
		n := len(sizes)
		fits = int64(n) == p.Level && len(l.starts) <= n+1 && p.From == l.starts[n-1] &&
			p.To == p.From+int(sizes[n-1]) &&
			p.From <= p.Next && p.Next <= p.To && l.last < max(p.Next, 0)
	}
	if !fits {
		return engine.ErrContradiction
	}
	return nil
}

// restore restores the position of the manifest.
func (s *search) restore(m *saved) error {
	p := m.Position
	if len(p.Enabled) != len(s.Enabled) || p.Outside < -1 || p.Outside >= s.Ranges ||
		p.Deadlock < -1 || p.Deadlock >= m.Count {
		return engine.ErrContradiction
	}
	s.Place, s.seen, s.Initials = p.Place, p.seen, int(p.Stats.Initial)
	s.events = make([]explore.Event, len(s.props))
	for _, e := range m.Events {
		if e.Property < 0 || e.Property >= len(s.props) || e.State < 0 || e.State >= m.Count {
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
	s.files.before, s.files.written = m.Elapsed, time.Now()
	return nil
}
