package queue

import (
	"context"
	"fmt"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/verify"
	"erelong.dev/erelong/internal/work"
)

// Spread has the tasks of a file carried out by workers. It is a verify.Elsewhere.
type Spread struct {
	Run    *Run
	Source *work.Source
}

// Carry has one task carried out. Findings that cannot be right are an alarm, and are not used.
func (s *Spread) Carry(ctx context.Context, name string, t *engine.Task, o verify.Options, to engine.Sink) (*engine.Findings, error) {
	j, err := s.Source.Job(s.Run.conn.build, name, t, o)
	if err != nil {
		return nil, err
	}
	found, err := s.Run.Do(ctx, j, to)
	if err != nil {
		return nil, err
	}
	read, err := found.Read(ctx, t)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.Run.note(fmt.Sprintf("ALARM: findings of a worker are not used, and the engine here does the job again: %s: %v", j.Title(), err))
		return nil, err
	}
	return read, nil
}
