package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Workers lists the workers that told of themselves lately.
func (c *Conn) Workers(ctx context.Context) ([]Presence, error) {
	out, err := all(ctx, c.keys[workerBucket], func(p *Presence, told time.Time) { p.told = told })
	slices.SortFunc(out, func(a, b Presence) int { return strings.Compare(a.Name, b.Name) })
	return out, err
}

// Runs lists the runs, the last one first.
func (c *Conn) Runs(ctx context.Context) ([]Record, error) {
	out, err := all(ctx, c.keys[runBucket], func(*Record, time.Time) {})
	slices.SortFunc(out, func(a, b Record) int { return b.Begun.Compare(a.Begun) })
	return out, err
}

// all reads the values of a bucket, each with the time at which it was written.
func all[T any](
	ctx context.Context, kv jetstream.KeyValue, written func(*T, time.Time),
) (out []T, err error) {
	w, err := kv.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, err
	}
	defer func() { _ = w.Stop() }()
	for {
		select {
		case e := <-w.Updates():
			if e == nil {
				return out, nil
			}
			var x T
			if err := json.Unmarshal(e.Value(), &x); err == nil {
				written(&x, e.Created())
				out = append(out, x)
			}
		case <-ctx.Done():
			return out, ctx.Err()
		}
	}
}

// ErrNoRun says that there is no run of a name.
var ErrNoRun = errors.New("there is no such run")

// Record finds a run by its ID.
func (c *Conn) Record(ctx context.Context, id string) (Record, error) {
	var r Record
	e, err := c.keys[runBucket].Get(ctx, id)
	if errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrInvalidKey) {
		return r, fmt.Errorf("%w: %s", ErrNoRun, id)
	}
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(e.Value(), &r)
}

// Open counts the jobs of a run that are waiting or at work.
func (c *Conn) Open(ctx context.Context, run string) (uint64, error) {
	jobs, err := c.open(ctx, run)
	return uint64(len(jobs)), err
}

// open lists the subjects of the jobs of a run that are waiting or at work, with a message each.
func (c *Conn) open(ctx context.Context, run string) (map[string]uint64, error) {
	info, err := c.jobs.Info(ctx, jetstream.WithSubjectFilter(ofRun(run)))
	if err != nil {
		return nil, err
	}
	return info.State.Subjects, nil
}

// Cancel takes the jobs of a run out of the queue, and ends the ones at work. How says why.
func (c *Conn) Cancel(ctx context.Context, run, how string) error {
	r, err := c.Record(ctx, run)
	if err != nil {
		return err
	}
	// First the queue: a worker that ends a job takes no other one of this run.
	if err := c.jobs.Purge(ctx, jetstream.WithPurgeSubject(ofRun(run))); err != nil {
		return fmt.Errorf("cancelling: %w", err)
	}
	if err := c.nats.Publish(cancelSubject+run, nil); err != nil {
		return fmt.Errorf("cancelling: %w", err)
	}
	r.Ended = how
	return c.record(ctx, r)
}

// Fit waits until there are n workers of this build with some tags, or fewer after a while. It
// gives the error that names the others when there is none.
func (c *Conn) Fit(ctx context.Context, tags []string, n int, patience time.Duration) error {
	until := time.Now().Add(patience)
	for {
		fit, others, err := c.fitting(ctx, need{tags: tags})
		if err != nil {
			return fmt.Errorf("looking for workers: %w", err)
		}
		over := time.Now().After(until)
		switch {
		case len(fit) >= n, len(fit) > 0 && over:
			return nil
		case over:
			return &misfits{c.build, need{tags: tags}, others}
		}
		select {
		case <-time.After(25 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
