package conformance

import (
	"context"
	"errors"
	"io"
	"slices"

	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
)

// sortedAhead is the number of events of a source that are put in order at a time.
const sortedAhead = 512

// Sorted gives the events of several sources by the begins of their times, and the ones of a node
// by their numbers. In each source an event may stand at a wrong place if this is near the right
// one.
func Sorted(sources ...Source) Source {
	all := make([]*ahead, len(sources))
	for i, next := range sources {
		all[i] = &ahead{next: next}
	}
	return func() (*runlog.Event, error) {
		var first *ahead
		for _, a := range all {
			if err := a.fill(); err != nil {
				return nil, err
			}
			if len(a.events) > 0 &&
				(first == nil || a.events[0].Since < first.events[0].Since) {
				first = a
			}
		}
		if first == nil {
			return nil, io.EOF
		}
		return first.pop(), nil
	}
}

// Joined gives the events of several sources one source after the other.
func Joined(sources ...Source) Source {
	return func() (*runlog.Event, error) {
		for len(sources) > 0 {
			e, err := sources[0]()
			if !errors.Is(err, io.EOF) {
				return e, err
			}
			sources = sources[1:]
		}
		return nil, io.EOF
	}
}

// streamWhole is the number of events up to which a log is checked as a whole.
const streamWhole = 2000

// Streamed checks logs while they are read. The error is ErrWhole if they are short, or have to be
// checked as a whole.
func (c *Checker) Streamed(
	ctx context.Context, name string, sources ...Source,
) (*Result, error) {
	var first *runlog.Event // that is not ignored
	total, files := 0, len(sources)
	for i, next := range sources {
		var read []*runlog.Event
		for len(read) <= streamWhole {
			e, err := next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, err
			}
			if read = append(read, e); first == nil && !c.ignores(e) {
				first = e
			}
		}
		total += len(read)
		sources[i] = Joined(readAlready(read), next)
	}
	if total <= streamWhole || first == nil {
		return nil, ErrWhole
	}
	order := c.file.Order
	if order == "" {
		order = usualFrom(first)
	}
	next := Joined(sources...)
	switch {
	case order == observe.ByTime:
		next = Sorted(sources...)
	case order == observe.ByNode && files > 1:
		return nil, ErrWhole // no order of the files is better than another one
	}
	return c.Stream(name, order, next).Run(ctx)
}

// readAlready is a source of events that were read.
func readAlready(events []*runlog.Event) Source {
	return func() (*runlog.Event, error) {
		if len(events) == 0 {
			return nil, io.EOF
		}
		e := events[0]
		events = events[1:]
		return e, nil
	}
}

// ahead holds the next events of a source, the earliest first, and of one moment the one that was
// read first.
type ahead struct {
	next   Source
	events []*runlog.Event
	ended  bool
}

func (a *ahead) fill() error {
	for !a.ended && len(a.events) < sortedAhead {
		e, err := a.next()
		switch {
		case errors.Is(err, io.EOF):
			a.ended = true
			return nil
		case err != nil:
			return err
		}
		i := len(a.events) // near the end, since a source is nearly in order
		for ; i > 0 && a.events[i-1].Since > e.Since && !numbered(a.events[i-1], e); i-- {
		}
		a.events = slices.Insert(a.events, i, e)
	}
	return nil
}

// numbered reports whether the number of an event says that it comes before another one.
func numbered(a, b *runlog.Event) bool {
	return a.HasSeq && b.HasSeq && a.Node == b.Node &&
		(a.Inc < b.Inc || a.Inc == b.Inc && a.Seq < b.Seq)
}

func (a *ahead) pop() *runlog.Event {
	first := a.events[0]
	a.events[0] = nil
	a.events = a.events[1:]
	return first
}
