package explicit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/engine/explore/store"
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

	Last          int    // Expand: the last level, unless one before has no states, or news
	Known         []bool `json:",omitempty"` // Expand: properties whose violation is no news
	DeadlockKnown bool   // Expand: a state without successor is no news
	Check         bool   // Expand: only check the properties

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

// isNews reports whether others have to hear of it before the next level.
func (f *Found) isNews(o *Order) bool {
	for i, on := range f.Violated {
		if on && (i >= len(o.Known) || !o.Known[i]) {
			return true
		}
	}
	return f.Deadlocks > 0 && !o.DeadlockKnown
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
func (x *Share) Words() int { return x.search.Program.Words() }

// Close frees what the share has.
func (x *Share) Close() error {
	if x.search == nil {
		return nil
	}
	return errors.Join(x.search.close(), x.search.Program.Close())
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
		err = x.markPredecessors(ctx, o)
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
	x.came.Reset(s.Store)
	initial, print, err := x.initial(ctx)
	switch a.Print = print; {
	case err != nil:
	case len(o.Saved) > 0:
		err = x.load(ctx, o)
	default:
		if err = x.take(initial); err == nil {
			err = x.insert(0)
		}
		x.ends = []int{s.Store.Len()}
	}
	for i := range x.ends {
		a.Sizes = append(a.Sizes, int64(x.size(i+1)))
	}
	a.Bytes = s.Store.Bytes()
	x.stand()
	return err
}

// stand records how far the share is; the caller has the lock.
func (x *Share) stand() {
	x.levels.Store(int64(len(x.ends)))
	x.states.Store(int64(x.search.Store.Len()))
	x.bytes.Store(x.search.Store.Bytes())
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
		packed, err := s.Program.Pack(state)
		if err == nil {
			f(packed)
		}
		return err
	})
	if program.IsEvaluation(err) {
		err = &UndividedError{err.Error()}
	}
	return err
}

// close closes a level, and saves the levels up to it. An expansion that was interrupted may have
// closed the level, and may have closed further ones.
func (x *Share) close(ctx context.Context, o *Order, a *Answer) error {
	if o.Level > len(x.ends) {
		if err := x.closeLevel(o.Level); err != nil {
			return err
		}
	}
	a.States, a.Bytes = int64(x.size(o.Level)), x.search.Store.Bytes()
	var err error
	a.Saved, err = x.peers.Save(ctx, o.Save, func(w io.Writer) error { return x.save(w, o) })
	if err != nil {
		a.Unsaved = err.Error()
	}
	return nil
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
	if a.Looked, err = v.evaluateFirst(ctx); err == nil && !a.Looked {
		a.Looked, err = v.evaluateAll(ctx, s.opts.program, x.forced)
	}
	a.Shown, a.Cannot = v.shown, v.failed
	return err
}
