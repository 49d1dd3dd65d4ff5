package explicit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/store"
)

// togetherWords is the number of words that are inserted together. The candidates are sorted by
// shard first, so the more there are, the more of them find their part of the table in the caches.
const togetherWords = 1 << 18

// insert adds the states that came to the store, unless they have fewer words than least; the
// caller has the lock.
func (x *Share) insert(least int) error {
	if x.came.Len() == 0 || len(x.came.States) < least {
		return nil
	}
	_, _, err := x.search.Store.Add([]*store.Candidates{&x.came}, 0)
	x.came.Reset(x.search.Store)
	if err == nil {
		err = x.search.keepWithinMemory()
	}
	x.stand()
	return err
}

// take takes states that came, and inserts them when they are many; the caller has the lock.
func (x *Share) take(states []uint64) error {
	words := x.search.Program.Words()
	if len(states)%words != 0 {
		return errors.New("these are no states")
	}
	x.hashes = x.hashes[:0]
	if words == 1 {
		for _, state := range states {
			x.hashes = append(x.hashes, store.Hash1(state))
		}
	} else {
		for some := states; len(some) > 0; some = some[words:] {
			x.hashes = append(x.hashes, store.Hash(some[:words]))
		}
	}
	for _, hash := range x.hashes {
		if x.owners[partOf(hash)] != x.self {
			return errors.New("a state has another owner")
		}
	}
	x.came.AddAll(states, x.hashes, nil)
	return x.insert(togetherWords)
}

// ErrEarly says that states came before there was room for them, and have to come again.
var ErrEarly = errors.New("the states come too early")

// Insert adds states of a level from other members. To add states again changes nothing.
func (x *Share) Insert(level int, states []uint64) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case level <= len(x.ends)+1:
		return x.take(states)
	case level == len(x.ends)+2 && len(x.early) < 16*batchWords:
		x.early = append(x.early, states...)
		return nil
	}
	return ErrEarly
}

// closeLevel makes a level of the new states.
func (x *Share) closeLevel(level int) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if level != len(x.ends)+1 {
		return fmt.Errorf("internal error: level %d ends after level %d", level, len(x.ends))
	}
	if err := x.insert(0); err != nil {
		return err
	}
	x.ends = append(x.ends, x.search.Store.Len())
	x.stand()
	err := x.take(x.early)
	x.early = x.early[:0]
	return err
}

// size is the number of states on a level.
func (x *Share) size(level int) int {
	from, to := x.bounds(level)
	return to - from
}

func (x *Share) bounds(level int) (from, to int) {
	if level < 1 || level > len(x.ends) {
		return 0, 0
	}
	if level > 1 {
		from = x.ends[level-2]
	}
	return from, x.ends[level-1]
}

// read copies states.
func (x *Share) read(from, to int, buf *[]uint64) ([]uint64, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	var own []uint64
	states, err := x.search.Store.States(from, to, &own)
	*buf = append((*buf)[:0], states...)
	return *buf, err
}

// pass expands the states of a level, on all threads, and calls use with the results of each task.
func (x *Share) pass(
	ctx context.Context, level int, onlyCheck bool, use func(
		thread int, t *explore.Task, states []uint64,
	) error,
) error {
	from, to := x.bounds(level)
	var next atomic.Int64
	next.Store(int64(from))
	thread := func(w int) error {
		t, buf := &explore.Task{}, []uint64(nil)
		for {
			begin := int(next.Add(store.TaskSize)) - store.TaskSize
			if begin >= to {
				return nil
			}
			end := min(begin+store.TaskSize, to)
			if err := x.one(ctx, w, t, begin, end, onlyCheck, &buf); err != nil {
				return err
			}
			if err := use(w, t, buf); err != nil {
				return err
			}
		}
	}
	errs := make([]error, len(x.search.Workers))
	var wg sync.WaitGroup
	for w := 1; w < len(errs); w++ {
		wg.Go(func() { errs[w] = thread(w) })
	}
	errs[0] = thread(0) // here: a new goroutine would have to grow its stack on each level
	wg.Wait()
	return errors.Join(errs...)
}

// one expands some states.
func (x *Share) one(
	ctx context.Context, w int, t *explore.Task, from, to int, onlyCheck bool, buf *[]uint64,
) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	states, err := x.read(from, to, buf)
	if err != nil {
		return err
	}
	t.Reset(x.search.Space, x.search.Store, from, to)
	if err := x.search.Workers[w].Expand(ctx, t, states, onlyCheck); err != nil {
		return err
	}
	if t.Failed != nil {
		return &UndividedError{t.Failed.Error()}
	}
	for i, e := range t.Events {
		if e.Err != nil {
			return &UndividedError{fmt.Sprintf("%s cannot be evaluated in a reachable state: %v",
				x.search.props[i].Name, e.Err)}
		}
	}
	return nil
}

// batchWords is the number of words that are sent together, about 256 KiB.
const batchWords = 1 << 15

// expand expands levels, one after the other.
func (x *Share) expand(ctx context.Context, o *Order, a *Answer) error {
	for level := o.Level; ; level++ {
		if level > len(x.ends) {
			if err := x.closeLevel(level); err != nil {
				return err
			}
		}
		found, err := x.level(ctx, level, o.Check)
		if err != nil {
			return err
		}
		a.Levels, a.Bytes = append(a.Levels, *found), x.search.Store.Bytes()
		all, err := x.peers.Meet(ctx, level+1, Met{found.States, found.isNews(o)})
		if err != nil || level >= o.Last || all.States == 0 || all.News {
			return err
		}
	}
}

// level expands a level. The states that it finds are new ones of the next level.
func (x *Share) level(ctx context.Context, level int, onlyCheck bool) (*Found, error) {
	f := &Found{States: int64(x.size(level)), Violated: make([]bool, len(x.search.props)),
		Enabled: make([]bool, len(x.search.Enabled))}
	out := &outbox{share: x, level: level + 1, full: x.full}
	var mu sync.Mutex   // of the findings and the outbox
	x.search.Remember() // what a thread met lately it has sent
	err := x.pass(ctx, level, onlyCheck, func(_ int, t *explore.Task, _ []uint64) error {
		mu.Lock()
		defer mu.Unlock()
		for i, e := range t.Events {
			f.Violated[i] = f.Violated[i] || e.Found
		}
		or(f.Enabled, t.Enabled)
		f.Transitions += int64(t.Found)
		f.Deadlocks += int64(len(t.Deadlocks))
		x.search.Count(t.Found, t.Len())
		return out.add(ctx, t)
	})
	if err == nil {
		err = out.send(ctx, 0)
	}
	return f, err
}

// outbox has the new states on their way to their owners.
type outbox struct {
	share *Share
	level int
	full  [][]uint64 // by member
}

// add adds the successors of a task.
func (b *outbox) add(ctx context.Context, t *explore.Task) error {
	if err := b.divide(t); err != nil {
		return err
	}
	return b.send(ctx, batchWords)
}

// divide gives the successors of a task to their owners. Nothing foretells the owner of a state, so
// no branch depends on it.
func (b *outbox) divide(t *explore.Task) error {
	x := b.share
	x.mu.Lock()
	defer x.mu.Unlock()
	x.hashes = slices.Grow(x.hashes[:0], len(t.Hashes)+1)[:len(t.Hashes)+1]
	own := 0
	for i, hash := range t.Hashes {
		member := x.owners[partOf(hash)]
		if words := t.State(i); len(words) == 1 {
			b.full[member] = append(b.full[member], words[0])
		} else {
			b.full[member] = append(b.full[member], words...)
		}
		x.hashes[own] = hash
		if member == x.self {
			own++
		}
	}
	x.came.AddAll(b.full[x.self], x.hashes[:own], nil)
	b.full[x.self] = b.full[x.self][:0]
	return x.insert(togetherWords)
}

// send sends to each other member its states, unless they have fewer words than least.
func (b *outbox) send(ctx context.Context, least int) error {
	x := b.share
	for i := range b.full {
		member := (x.self + i) % len(b.full) // not everybody to the same one at the same time
		states := b.full[member]
		if len(states) == 0 || len(states) < least {
			continue
		}
		b.full[member] = states[:0]
		if err := x.peers.Send(ctx, member, b.level, states); err != nil {
			return err
		}
	}
	return nil
}

func or(a, b []bool) {
	for i := range min(len(a), len(b)) {
		a[i] = a[i] || b[i]
	}
}
