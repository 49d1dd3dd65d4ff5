package explicit

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explicit/store"
	"erelong.dev/erelong/internal/interp"
)

// Parts is the number of parts of the states of a divided exploration (divided.go). The highest
// bits of its hash give the part of a state.
const Parts = store.Shards

// partOf is the part of a state with a hash.
func partOf(hash uint64) int { return int(hash / (1 << 64 / Parts)) }

// Kinds of orders.
const (
	BeginOrder  = "begin"  // forget everything, and have the states of some parts up to a level
	ExpandOrder = "expand" // expand the states of some levels, or only check the ones of a level
	CloseOrder  = "close"  // the new states are this level, unless it is closed; save
	MarkOrder   = "mark"   // mark the states of a level that violate a claim
	BackOrder   = "back"   // mark the states of a level that have a marked successor
	WhichOrder  = "which"  // which of these states of a level are marked?
	LookOrder   = "look"   // look for signs in all states
)

// What MarkOrder looks for, where it is no property.
const (
	anyRange   = -1
	noDeadlock = -2
)

// Order is what all members of a divided exploration do next, at the same time. When they have done
// it, each has all successors that are in its parts. So the order that needs the next level makes
// it of the new states.
type Order struct {
	Kind  string
	Level int // the first one is 1

	Owners []int                    `json:",omitempty"` // Begin: the member that has each part
	Self   int                      // Begin: the number of this member
	Forced map[int]compile.Interval `json:",omitempty"` // Begin: see makeProgram
	// Begin: references to the saved levels; none for the initial states
	Saved []string `json:",omitempty"`

	Last  int    // Expand: the last level, unless one before has no states, or news
	Known []bool `json:",omitempty"` // Expand: properties whose violation is no news
	Stuck bool   // Expand: a state without successor is no news
	Check bool   // Expand: only check the properties

	// Close: save the levels after From under this name. With a folder before it, as in three/5-1,
	// it is a file in the folder of checkpoints, which all members reach.
	Save   string   `json:",omitempty"`
	From   int      // Close
	Claim  int      // Mark: the index of a property, or one of the constants
	Whole  bool     // Look: the levels are all that there are
	States []uint64 `json:",omitempty"` // Which
}

// Answer is what a member says of an order.
type Answer struct {
	Undivided string `json:",omitempty"` // why the exploration cannot be divided
	// a value that did not fit into a packed state
	Width   *compile.WidthError `json:",omitempty"`
	Failed  string              `json:",omitempty"` // of the program, the memory or the disk
	Saved   string              `json:",omitempty"` // Close: the reference of what was saved
	Unsaved string              `json:",omitempty"` // Close: why it could not be saved

	Lost   bool    // another member cannot be reached
	Sizes  []int64 `json:",omitempty"` // Begin: states of each level
	States int64   // Close: states of the level
	Bytes  int64   // memory of the states
	Print  uint64  // Begin: of the initial states, so that all members pack states in one way
	Levels []Found `json:",omitempty"` // Expand: one level after the other
	Marked []bool  `json:",omitempty"` // Which
	// Look: signs that are true in a state, that cannot be evaluated
	Shown, Cannot []bool `json:",omitempty"`
	Looked        bool   // Look: at all states, or all signs were shown
}

// Ends reports whether nobody needs the answers of the other members, who may wait for this one.
func (a *Answer) Ends() bool {
	return a.Lost || a.Width != nil || a.Undivided != "" || a.Failed != ""
}

// Found is what the states of a level showed.
type Found struct {
	States, Transitions, Deadlocks int64
	Violated, Enabled              []bool // properties, actions
}

// news reports whether others have to hear of it before the next level.
func (f *Found) news(o *Order) bool {
	for i, on := range f.Violated {
		if on && (i >= len(o.Known) || !o.Known[i]) {
			return true
		}
	}
	return f.Deadlocks > 0 && !o.Stuck
}

// add adds what the states of another member showed.
func (f *Found) add(g *Found) {
	f.States += g.States
	f.Transitions += g.Transitions
	f.Deadlocks += g.Deadlocks
	or(f.Violated, g.Violated)
	or(f.Enabled, g.Enabled)
}

// Met is what members tell each other at the end of a level that they expanded, and what they told
// together.
type Met struct {
	States int64 // of the level
	News   bool
}

// Peers are the other members, and what all members can read.
type Peers interface {
	// Send gives new states of a level to their owner.
	Send(ctx context.Context, member, level int, states []uint64) error
	// Meet ends the sending for a level. When it returns, all other members have ended it, too, and
	// everything that they sent has arrived here.
	Meet(ctx context.Context, level int, own Met) (all Met, err error)
	// Ask asks the owner of states of a level which of them are marked.
	Ask(ctx context.Context, member, level int, states []uint64) ([]bool, error)
	// Save saves something, and gives the reference by which Open finds exactly this.
	Save(
		ctx context.Context, name string, write func(io.Writer) error,
	) (reference string, err error)
	Open(ctx context.Context, reference string) (io.ReadCloser, error)
}

// Share is the part of a divided exploration that one member has.
type Share struct {
	ctx    context.Context // of the member: an interpreted program has it for more than one order
	model  *interp.Model
	opts   Options
	peers  Peers
	search *search // for the store and the expanders; nil before the first order
	forced map[int]compile.Interval
	owners []int
	self   int

	mu     sync.Mutex // of the following and of the store
	ends   []int      // the number of states up to each level
	marked []map[string]bool
	came   store.Candidates // states of the own parts, which are inserted together
	// States of the level after the open one: their sender has closed that already.
	early []uint64

	full   [][]uint64 // of the outbox: it has the same arrays on each level
	hashes []uint64   // of states on their way into came

	levels, states, bytes atomic.Int64 // how far it is, for who has no time to wait for the lock
}

// newShare is a share of the exploration with these options, which has no states yet.
func newShare(ctx context.Context, m *interp.Model, opts Options, peers Peers) *Share {
	return &Share{ctx: ctx, model: m, opts: opts, peers: peers}
}

// Words is the number of words of a state.
func (x *Share) Words() int { return x.search.program.Words() }

// Close frees what the share has.
func (x *Share) Close() error {
	if x.search == nil {
		return nil
	}
	return errors.Join(x.search.close(), x.search.program.Close())
}

// Do carries an order out.
func (x *Share) Do(ctx context.Context, o *Order) *Answer {
	a := &Answer{}
	var err error
	switch o.Kind {
	case BeginOrder:
		err = x.begin(ctx, o, a)
	case ExpandOrder:
		err = x.expand(ctx, o, a)
	case CloseOrder:
		err = x.close(ctx, o, a)
	case MarkOrder:
		err = x.mark(ctx, o)
	case BackOrder:
		err = x.back(ctx, o)
	case WhichOrder:
		a.Marked = x.Marked(o.Level, o.States)
	case LookOrder:
		err = x.look(ctx, o, a)
	default:
		err = fmt.Errorf("there is no order %q", o.Kind)
	}
	var undivided *UndividedError
	switch {
	case err == nil:
	case errors.As(err, &a.Width):
	case errors.Is(err, ErrLost):
		a.Lost = true
	case errors.As(err, &undivided):
		a.Undivided = undivided.Why
	default:
		a.Failed = err.Error()
	}
	return a
}

func (x *Share) begin(ctx context.Context, o *Order, a *Answer) error {
	if err := x.Close(); err != nil {
		return err
	}
	x.search = nil
	s, err := newDividedSearch(x.ctx, x.model, x.opts, o.Forced)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.search, x.forced, x.owners, x.self = s, o.Forced, o.Owners, o.Self
	x.ends, x.marked, x.early = nil, nil, nil
	x.full = make([][]uint64, x.members())
	x.came.Reset(s.store)
	initial, print, err := x.initial(ctx)
	switch a.Print = print; {
	case err != nil:
	case len(o.Saved) > 0:
		err = x.load(ctx, o)
	default:
		if err = x.take(initial); err == nil {
			err = x.insert(0)
		}
		x.ends = []int{s.store.Len()}
	}
	for i := range x.ends {
		a.Sizes = append(a.Sizes, int64(x.size(i+1)))
	}
	a.Bytes = s.store.Bytes()
	x.stand()
	return err
}

// stand records how far the share is; the caller has the lock.
func (x *Share) stand() {
	x.levels.Store(int64(len(x.ends)))
	x.states.Store(int64(x.search.store.Len()))
	x.bytes.Store(x.search.store.Bytes())
}

// Standing is how far the share is: its levels, its states, and their memory in bytes.
func (x *Share) Standing() (level int, states, bytes int64) {
	return int(x.levels.Load()), x.states.Load(), x.bytes.Load()
}

// members is the number of members up to the last one that has a part.
func (x *Share) members() int { return slices.Max(x.owners) + 1 }

// own reports whether the share has the part of a state.
func (x *Share) own(state []uint64) bool { return x.owners[partOf(store.Hash(state))] == x.self }

// initial gives the initial states of the own parts, and the sum of the hashes of all.
func (x *Share) initial(ctx context.Context) (own []uint64, print uint64, err error) {
	err = eachInitial(ctx, x.search, func(packed []uint64) {
		print += store.Hash(packed)
		if x.own(packed) {
			own = append(own, packed...)
		}
	})
	return own, print, err
}

// eachInitial calls f with all initial states of an exploration that can be divided.
func eachInitial(ctx context.Context, s *search, f func(packed []uint64)) error {
	seen := 0
	err := s.start(ctx, s.Model, func(state interp.State) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if seen++; seen >= manyInitial {
			return &UndividedError{fmt.Sprintf("there are %d initial states or more", manyInitial)}
		}
		packed, err := s.program.Pack(state)
		if err == nil {
			f(packed)
		}
		return err
	})
	if isEvaluation(err) {
		err = &UndividedError{err.Error()}
	}
	return err
}

// togetherWords is the number of words that are inserted together. The candidates are sorted by
// shard first, so the more there are, the more of them find their part of the table in the caches.
const togetherWords = 1 << 18

// insert adds the states that came to the store, unless they have fewer words than least; the
// caller has the lock.
func (x *Share) insert(least int) error {
	if x.came.Len() == 0 || len(x.came.States) < least {
		return nil
	}
	_, _, err := x.search.store.Add([]*store.Candidates{&x.came}, 0)
	x.came.Reset(x.search.store)
	if err == nil {
		err = x.search.keepWithinMemory()
	}
	x.stand()
	return err
}

// take takes states that came, and inserts them when they are many; the caller has the lock.
func (x *Share) take(states []uint64) error {
	words := x.search.program.Words()
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
	x.ends = append(x.ends, x.search.store.Len())
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
	states, err := x.search.store.States(from, to, &own)
	*buf = append((*buf)[:0], states...)
	return *buf, err
}

// pass expands the states of a level, on all threads, and calls use with the results of each task.
func (x *Share) pass(
	ctx context.Context, level int, onlyCheck bool, use func(
		thread int, t *task, states []uint64,
	) error,
) error {
	from, to := x.bounds(level)
	var next atomic.Int64
	next.Store(int64(from))
	thread := func(w int) error {
		t, buf := &task{}, []uint64(nil)
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
	errs := make([]error, len(x.search.workers))
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
	ctx context.Context, w int, t *task, from, to int, onlyCheck bool, buf *[]uint64,
) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	states, err := x.read(from, to, buf)
	if err != nil {
		return err
	}
	t.reset(x.search.space, x.search.store, from, to)
	if err := x.search.workers[w].expand(ctx, t, states, onlyCheck); err != nil {
		return err
	}
	if t.failed != nil {
		return &UndividedError{t.failed.Error()}
	}
	for i, e := range t.events {
		if e.err != nil {
			return &UndividedError{fmt.Sprintf("%s cannot be evaluated in a reachable state: %v",
				x.search.props[i].Name, e.err)}
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
		a.Levels, a.Bytes = append(a.Levels, *found), x.search.store.Bytes()
		all, err := x.peers.Meet(ctx, level+1, Met{found.States, found.news(o)})
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
	x.search.remember() // what a thread met lately it has sent
	err := x.pass(ctx, level, onlyCheck, func(_ int, t *task, _ []uint64) error {
		mu.Lock()
		defer mu.Unlock()
		for i, e := range t.events {
			f.Violated[i] = f.Violated[i] || e.found
		}
		or(f.Enabled, t.enabled)
		f.Transitions += int64(t.found)
		f.Deadlocks += int64(len(t.deadlocks))
		x.search.count(t.found, t.Len())
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
func (b *outbox) add(ctx context.Context, t *task) error {
	if err := b.divide(t); err != nil {
		return err
	}
	return b.send(ctx, batchWords)
}

// divide gives the successors of a task to their owners. Nothing foretells the owner of a state, so
// no branch depends on it.
func (b *outbox) divide(t *task) error {
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

// close closes a level, and saves the levels up to it. An expansion that was interrupted may have
// closed the level, and may have closed further ones.
func (x *Share) close(ctx context.Context, o *Order, a *Answer) error {
	if o.Level > len(x.ends) {
		if err := x.closeLevel(o.Level); err != nil {
			return err
		}
	}
	a.States, a.Bytes = int64(x.size(o.Level)), x.search.store.Bytes()
	var err error
	a.Saved, err = x.peers.Save(ctx, o.Save, func(w io.Writer) error { return x.save(w, o) })
	if err != nil {
		a.Unsaved = err.Error()
	}
	return nil
}

// save writes the states of the levels that an order names: for each level its number and the
// number of the states, as 64 bits each, and then the states.
func (x *Share) save(w io.Writer, o *Order) error {
	var buf []uint64
	var raw []byte
	for level := o.From + 1; level <= o.Level; level++ {
		from, to := x.bounds(level)
		raw = binary.LittleEndian.AppendUint64(raw[:0], uint64(level))
		raw = binary.LittleEndian.AppendUint64(raw, uint64(to-from))
		for ; ; from += store.TaskSize {
			if _, err := w.Write(raw); err != nil {
				return err
			}
			if from >= to {
				break
			}
			states, err := x.read(from, min(from+store.TaskSize, to), &buf)
			if err != nil {
				return err
			}
			raw = appendWords(raw[:0], states)
		}
	}
	return nil
}

func appendWords(raw []byte, words []uint64) []byte {
	for _, w := range words {
		raw = binary.LittleEndian.AppendUint64(raw, w)
	}
	return raw
}

// load reads the states of the own parts from what members saved.
func (x *Share) load(ctx context.Context, o *Order) error {
	levels := make([][]uint64, o.Level)
	for _, name := range o.Saved {
		if err := x.loadOne(ctx, name, levels); err != nil {
			return fmt.Errorf("reading the saved states %s: %w", name, err)
		}
	}
	for _, states := range levels {
		if err := x.take(states); err != nil {
			return err
		}
		if err := x.insert(0); err != nil {
			return err
		}
		x.ends = append(x.ends, x.search.store.Len())
	}
	return nil
}

func (x *Share) loadOne(ctx context.Context, name string, levels [][]uint64) error {
	r, err := x.peers.Open(ctx, name)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	words := x.search.program.Words()
	raw, state := make([]byte, 8*max(words, 2)), make([]uint64, words)
	for {
		if _, err := io.ReadFull(r, raw[:16]); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		level, n := binary.LittleEndian.Uint64(raw), binary.LittleEndian.Uint64(raw[8:])
		if level < 1 || level > uint64(len(levels)) {
			return fmt.Errorf("they are about the level %d", level)
		}
		for range n {
			if _, err := io.ReadFull(r, raw[:8*words]); err != nil {
				return err
			}
			for i := range state {
				state[i] = binary.LittleEndian.Uint64(raw[8*i:])
			}
			if x.own(state) {
				levels[level-1] = append(levels[level-1], state...)
			}
		}
	}
}

// marks are the marked states of a level; the caller has the lock.
func (x *Share) marks(level int) map[string]bool {
	for len(x.marked) < level {
		x.marked = append(x.marked, map[string]bool{})
	}
	return x.marked[level-1]
}

func nameOf(state []uint64) string { return string(appendWords(nil, state)) }

// Marked says which states of a level are marked.
func (x *Share) Marked(level int, states []uint64) (out []bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	marks, words := x.marks(level), x.search.program.Words()
	for ; len(states) >= words; states = states[words:] {
		out = append(out, marks[nameOf(states[:words])])
	}
	return out
}

func (x *Share) addMark(level int, state []uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.marks(level)[nameOf(state)] = true
}

// mark marks the states of a level that violate a claim.
func (x *Share) mark(ctx context.Context, o *Order) error {
	x.mu.Lock()
	x.marked = nil
	x.mu.Unlock()
	for _, w := range x.search.workers {
		w.recent = nil // all successors count from here on
	}
	words := x.search.program.Words()
	violates := func(t *task) bool {
		switch o.Claim {
		case noDeadlock:
			return len(t.deadlocks) > 0
		case anyRange:
			return t.outside >= 0
		}
		return t.events[o.Claim].found
	}
	return x.pass(ctx, o.Level, o.Claim != noDeadlock, func(w int, t *task, states []uint64) error {
		if !violates(t) {
			return nil
		}
		var buf []uint64
		for i := range t.to - t.from {
			one := &task{}
			if err := x.one(ctx, w, one, t.from+i, t.from+i+1, o.Claim != noDeadlock, &buf); err !=
				nil {
				return err
			}
			if violates(one) {
				x.addMark(o.Level, states[i*words:(i+1)*words])
			}
		}
		return nil
	})
}

// back marks the states of a level with a marked successor on the next level.
func (x *Share) back(ctx context.Context, o *Order) error {
	words := x.search.program.Words()
	return x.pass(ctx, o.Level, false, func(_ int, t *task, states []uint64) error {
		out, parents := make([][]uint64, x.members()), make([][]uint32, x.members())
		for i, hash := range t.Hashes {
			member := x.owners[partOf(hash)]
			out[member], parents[member] = append(out[member], t.State(i)...),
				append(parents[member], t.Parents[i])
		}
		for member, list := range out {
			var marked []bool
			var err error
			switch {
			case member == x.self:
				marked = x.Marked(o.Level+1, list)
			case len(list) > 0:
				marked, err = x.peers.Ask(ctx, member, o.Level+1, list)
			}
			if err != nil {
				return err
			}
			if len(marked)*words != len(list) {
				return errors.New("another member answers about other states")
			}
			for i, on := range marked {
				if at := int(parents[member][i]) - t.from; on {
					x.addMark(o.Level, states[at*words:(at+1)*words])
				}
			}
		}
		return nil
	})
}

// look looks for signs in the states.
func (x *Share) look(ctx context.Context, o *Order, a *Answer) (err error) {
	x.mu.Lock()
	err = x.insert(0)
	x.mu.Unlock()
	if err != nil {
		return err
	}
	s := x.search
	v := newSighting(s)
	s.Stats.Complete = o.Whole
	if a.Looked, err = s.evaluateFirst(ctx, v); err == nil && !a.Looked {
		a.Looked, err = s.evaluateAll(ctx, v, s.opts.program, x.forced)
	}
	a.Shown, a.Cannot = v.shown, v.failed
	return err
}
