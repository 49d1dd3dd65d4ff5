package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/temporal"
	"erelong.dev/erelong/internal/verify"
	"erelong.dev/erelong/internal/work"
)

// Spread has the tasks of a file carried out by workers. It is a verify.Elsewhere.
type Spread struct {
	Run    *Run
	Source *work.Source
	Divide bool          // explorations are divided among the workers
	Every  time.Duration // how often a divided exploration is saved, 0 for every 30 seconds

	one sync.Mutex // one divided exploration at a time has all workers
}

// Carry has one task carried out. Findings that cannot be right are an alarm, and are not used.
func (s *Spread) Carry(
	ctx context.Context, name string, t *engine.Task, o verify.Options, to engine.Sink,
) (*engine.Findings, error) {
	j, err := s.Source.Job(s.Run.conn.build, name, t, o)
	if err != nil {
		return nil, err
	}
	unsaved := ""
	if o.Explicit.Checkpoint.Dir != "" {
		unsaved = ", and saves nothing of it"
	}
	if s.Divide && name == explicit.Name {
		found, err := s.divide(ctx, j, t, o, to)
		var undivided *explicit.UndividedError
		if !errors.As(err, &undivided) {
			return found, err
		}
		s.Run.note(fmt.Sprintf("one worker has the whole of %s%s: %v", j.Title(), unsaved,
			undivided))
	}
	if s.Divide && name == temporal.Name {
		s.Run.note(fmt.Sprintf("one worker has the whole of %s%s: the graph of temporal "+
			"properties is not divided", j.Title(), unsaved))
	}
	found, err := s.Run.Do(ctx, j, to)
	if err != nil {
		return nil, err
	}
	read, err := s.Source.Read(ctx, found, t)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.Run.note(fmt.Sprintf("ALARM: findings of a worker are not used, and the engine here "+
			"does the job again: %s: %v", j.Title(), err))
		return nil, err
	}
	return read, nil
}

// divide leads an exploration whose states the workers have.
func (s *Spread) divide(
	ctx context.Context, j *work.Job, t *engine.Task, o verify.Options, to engine.Sink,
) (*engine.Findings, error) {
	if o.Inductive {
		return nil, &explicit.UndividedError{Why: "all states are initial ones"}
	}
	s.one.Lock()
	defer s.one.Unlock()
	if o.Explicit.Checkpoint.Dir != "" {
		if err := s.Run.conn.savable(ctx, needOf(j, s.Run.Needs)); err != nil {
			return nil, lost("%v", err)
		}
	}
	c, err := s.Run.crew(ctx, j, cmp.Or(s.Every, saveEvery))
	if err != nil {
		return nil, lost("%s: %v", j.Title(), err)
	}
	defer c.end()
	o.Explicit.Crew = c
	found, err := verify.RunTask(ctx, j.Engine, t, o, to)
	if err != nil && ctx.Err() == nil && !errors.As(err, new(*explicit.UndividedError)) &&
		!errors.As(err, new(*verify.LostError)) && !errors.As(err, new(*engine.CheckpointError)) {
		s.Run.note(fmt.Sprintf("ALARM: the workers could not do %s together, and the engine "+
			"here does it: %v", j.Title(), err))
	}
	return found, err
}
