package explicit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
)

// A divided exploration has its states in several processes, the members of a crew: a state belongs
// to the member that has the part of its hash (Stern and Dill, "Parallelizing the Murphi verifier",
// 1997). Members send new states to their owners. A level ends when every member has expanded its
// states of the level, and every state that was sent has arrived. So a search by one thread has the
// same levels, counts and verdicts.
//
// It has the same counterexamples, too. One thread numbers states such that of two states on a
// level the one with the lexicographically smaller run comes first: runs are compared by the places
// of the initial state and of each successor in the order of enumeration. So the run to the first
// state that violates a claim is the lexicographically smallest shortest run to a violation. It is
// found without numbers: from the violations backwards each level is marked where a successor is
// marked, and then the run takes the first marked state of each level.
//
// A member that is lost takes its states with it. Then the others begin again from what was saved
// last, with the parts divided anew, and do the levels since then again.

// Crew is the members of a divided exploration.
type Crew interface {
	// Order has all members carry out an order at the same time, and gives their answers. ErrLost
	// means that the next order has to be BeginOrder; its Owners and Self are the crew's to set.
	Order(ctx context.Context, o Order) ([]*Answer, error)
	// Joined reports whether others would take part from the next BeginOrder on.
	Joined() bool
	// Every is how often levels are saved.
	Every() time.Duration
}

// ErrLost says that a member was lost.
var ErrLost = errors.New("a member of the crew was lost")

// UndividedError says why an exploration cannot be divided.
type UndividedError struct{ Why string }

func (e *UndividedError) Error() string { return "the exploration is not divided: " + e.Why }

// Undivided is the reason why an exploration with these options cannot be divided, empty if it may
// be possible.
func (o *Options) Undivided() string {
	switch {
	case o.Search != "" && o.Search != BreadthFirst:
		return "the search is not " + BreadthFirst
	case o.Store != "" && o.Store != Exact:
		return "the store is not " + Exact
	case o.PartialOrder:
		return "a partial order reduction depends on the order of the search"
	case o.MaxStates > 0:
		return "it has a limit of states, and which states are the first depends on the order " +
			"of the search"
	}
	return ""
}

// member takes part in a divided exploration.
func (o Options) member(ctx context.Context, m *interp.Model) error {
	return o.Member(ctx, func(peers Peers) *Share { return newShare(m, o, peers) })
}

// newDividedSearch makes the search of which a member uses the store and the expanders, and the
// leader of the crew all but the store.
func newDividedSearch(
	ctx context.Context, m *interp.Model, opts Options, forced map[int]compile.Interval,
) (*search, error) {
	sp, cs, err := newSpace(ctx, m, opts, forced)
	if err != nil {
		return nil, err
	}
	s, err := newSearch(sp, cs, opts, time.Now())
	if err != nil {
		return nil, errors.Join(err, sp.program.Close())
	}
	s.store = store.NewOrphaned(sp.program.Words()) // runs are found without parents
	return s, nil
}

// division leads a divided exploration.
type division struct {
	*search
	crew     Crew
	forced   map[int]compile.Interval
	counts   []int64 // states of each level that is closed
	expanded int     // the levels whose successors are found: all closed ones, or all but the last
	saved    []string
	upTo     int // the levels that were saved
	written  time.Time
	rest     time.Duration // after a save that failed: how much later the next one is tried
	names    int           // of what was saved, so far
	print    uint64
	outside  int // the first level with a state outside a range, 0 for none
}

// divided explores an instance with a crew.
func (a *attempt) divided(ctx context.Context, m *interp.Model) (_ *Exploration, err error) {
	s, err := newDividedSearch(ctx, m, a.opts, a.forced)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close(), s.program.Close()) }()
	s.begin = a.begin
	d := &division{search: s, crew: a.opts.Crew, forced: a.forced, written: time.Now()}
	if err := eachInitial(ctx, s, func(packed []uint64) { d.print += store.Hash(packed) }); err !=
		nil && ctx.Err() == nil {
		return nil, err
	}
	after := context.WithoutCancel(ctx)
	switch err := d.explore(ctx); {
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		s.stopped = result.Ended(ctx, fmt.Sprintf("after %d states", d.reached()))
		s.Level = max(s.Level-1, 0)
		if err := d.showAll(after); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	}
	if s.Stats.States == 0 {
		s.Stats.States = d.reached()
	}
	if s.Outside, err = d.firstOutside(after); err != nil {
		return nil, err
	}
	s.finish()
	if a.opts.Vacuity && s.tells() && ctx.Err() == nil {
		if err := d.look(ctx); err != nil {
			return nil, err
		}
	}
	results, err := s.claims.results(after, m, nil)
	return &Exploration{results, s.Stats}, err
}

// reached is the number of states that were found.
func (d *division) reached() (n int64) {
	for _, k := range d.counts {
		n += k
	}
	return n
}

// order gives an order, and judges the answers.
func (d *division) order(ctx context.Context, o Order) ([]*Answer, error) {
	answers, err := d.crew.Order(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, a := range answers {
		switch {
		case a.Width != nil:
			return nil, a.Width
		case a.Undivided != "":
			return nil, &UndividedError{a.Undivided}
		case a.Failed != "":
			return nil, fmt.Errorf("a member of the crew: %s", a.Failed)
		case o.Kind == ExpandOrder &&
			(len(a.Violated) != len(d.props) || len(a.Enabled) != len(d.Enabled)),
			o.Kind == BeginOrder && a.Print != d.print,
			o.Kind == WhichOrder && len(a.Marked)*d.program.Words() != len(o.States):
			return nil, errors.New("a member of the crew answers about something else")
		}
	}
	return answers, nil
}

// unit does something that has to be done as a whole by one crew.
func (d *division) unit(ctx context.Context, do func() error) error {
	err := do()
	for errors.Is(err, ErrLost) {
		if err = d.restore(ctx); err == nil {
			err = do()
		}
	}
	return err
}

// restore gives the members the levels that there are.
func (d *division) restore(ctx context.Context) error {
	n, err := d.count(ctx, Order{Kind: BeginOrder, Level: d.upTo, Forced: d.forced, Saved: d.saved})
	if err != nil {
		return err
	}
	level := max(d.upTo, 1)
	if len(d.counts) == 0 {
		d.counts = []int64{n}
	}
	for ; ; level++ {
		if n != d.counts[level-1] {
			return fmt.Errorf("internal error: level %d has %d states, and had %d", level, n,
				d.counts[level-1])
		}
		if level > d.expanded {
			return nil
		}
		if _, err := d.order(ctx, Order{Kind: ExpandOrder, Level: level}); err != nil {
			return err
		}
		if level == len(d.counts) {
			return nil
		}
		if n, err = d.count(ctx, Order{Kind: CloseOrder, Level: level + 1}); err != nil {
			return err
		}
	}
}

// count gives an order whose answers are numbers of states.
func (d *division) count(ctx context.Context, o Order) (n int64, err error) {
	answers, err := d.order(ctx, o)
	for _, a := range answers {
		n += a.States
	}
	return n, err
}

// explore finds the states level by level, as search.levels does.
func (d *division) explore(ctx context.Context) error {
	if err := d.unit(ctx, func() error { return d.restore(ctx) }); err != nil {
		return err
	}
	d.Stats.Initial = d.counts[0]
	for {
		d.Level++
		last := d.opts.MaxDepth > 0 && d.Level >= d.opts.MaxDepth
		switch all, err := d.level(ctx, last); {
		case err != nil:
			return err
		case all.States == 0:
			d.Level--
			return d.showAll(ctx)
		default:
			d.found(all)
		}
		if d.settle() {
			return d.showAll(ctx)
		}
		if last {
			d.stopped = d.opts.atDepth()
			return d.showAll(ctx)
		}
	}
}

// level closes the next level and expands it, or only checks it.
func (d *division) level(ctx context.Context, onlyCheck bool) (*Answer, error) {
	level := d.expanded + 1
	if level > len(d.counts) && (d.rest == 0 && d.crew.Joined() ||
		time.Since(d.written) >= d.crew.Every()+d.rest) {
		if err := d.unit(ctx, func() error { return d.save(ctx, level) }); err != nil {
			return nil, err
		}
		if d.crew.Joined() && d.upTo == level { // they take part from here on
			if err := d.unit(ctx, func() error { return d.restore(ctx) }); err != nil {
				return nil, err
			}
		}
	}
	var all *Answer
	err := d.unit(ctx, func() error {
		// The way to the members and back costs as much as some states, so a level is closed and
		// expanded by one order.
		answers, err := d.order(ctx, Order{Kind: ExpandOrder, Level: level, Check: onlyCheck,
			Close: level > len(d.counts)})
		all = &Answer{Violated: make([]bool, len(d.props)), Enabled: make([]bool, len(d.Enabled))}
		for _, a := range answers {
			all.add(a)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if level > len(d.counts) {
		d.counts = append(d.counts, all.States)
	} else if n := d.counts[level-1]; n != all.States {
		return nil, fmt.Errorf("internal error: level %d had %d states, and has %d", level, n,
			all.States)
	}
	d.expanded = level
	return all, nil
}

// found records what members found on a level.
func (d *division) found(all *Answer) {
	d.From, d.To = d.To, int(d.reached())
	d.Stats.Levels = append(d.Stats.Levels, all.States)
	d.Before = d.Stats
	d.tell(d.reached(), all.States)
	for i, on := range all.Violated {
		if d.events[i].found = on; on && i < d.space.ranges && d.outside == 0 {
			d.outside = d.expanded
		}
	}
	or(d.Enabled, all.Enabled)
	d.Stats.Transitions += all.Transitions
	d.Stats.Deadlocks += all.Deadlocks
	if all.Deadlocks > 0 {
		d.Stuck = 0
	}
}

// save closes a level, and saves what is not saved.
func (d *division) save(ctx context.Context, level int) error {
	d.names++
	began := time.Now()
	answers, err := d.order(ctx, Order{Kind: CloseOrder, Level: level, From: d.upTo,
		Save: fmt.Sprintf("%d-%d", level, d.names)})
	if err != nil {
		return err
	}
	n, unsaved := int64(0), ""
	var saved []string
	for _, a := range answers {
		n, unsaved, saved = n+a.States, max(unsaved, a.Unsaved), append(saved, a.Saved)
	}
	d.counts, d.written = append(d.counts, n), time.Now()
	if unsaved != "" {
		d.opts.Sink.Tell(tellUnsaved(d.Instance.Name, unsaved))
		d.rest = 2*d.rest + time.Since(began)
		return nil
	}
	d.rest = 0
	d.saved, d.upTo = append(d.saved, saved...), level
	return nil
}

// showAll finds the runs to the violations.
func (d *division) showAll(ctx context.Context) error {
	for _, c := range d.list {
		if c.result.Verdict != result.Violated || c.run != nil {
			continue
		}
		claim := noDeadlock
		if c.property != nil {
			claim = d.index(c.property)
		}
		path, err := d.firstRun(ctx, int(c.result.Depth), claim)
		if err != nil {
			return err
		}
		if c.run, err = d.rebuild(context.WithoutCancel(ctx), path); err != nil {
			return err
		}
	}
	return nil
}

// firstOutside is the range property that the first state outside a range violates, -1 for none.
func (d *division) firstOutside(ctx context.Context) (int, error) {
	if d.outside == 0 || d.stopped.Given() {
		return -1, nil
	}
	path, err := d.firstRun(ctx, d.outside, anyRange)
	if err != nil {
		return -1, err
	}
	t := &task{}
	t.reset(d.space, d.store, 0, 1)
	err = d.workers[0].expand(ctx, t, path[len(path)-1], true)
	return t.outside, err
}

// firstRun is the run of a search by one thread to the first state of a level that violates a
// claim.
func (d *division) firstRun(ctx context.Context, level, claim int) (path [][]uint64, err error) {
	err = d.unit(ctx, func() error {
		path = nil
		if _, err := d.order(ctx, Order{Kind: MarkOrder, Level: level, Claim: claim}); err != nil {
			return err
		}
		for k := level - 1; k > 0; k-- {
			if _, err := d.order(ctx, Order{Kind: BackOrder, Level: k}); err != nil {
				return err
			}
		}
		first, err := d.firstInitial(ctx)
		if err != nil {
			return err
		}
		path = [][]uint64{first}
		t := &task{}
		for k := 2; k <= level; k++ {
			t.reset(d.space, d.store, 0, 1)
			if err := d.workers[0].expand(ctx, t, path[k-2], false); err != nil {
				return err
			}
			next, err := d.firstMarked(ctx, k, t.States)
			if err != nil {
				return err
			}
			if next == nil {
				return fmt.Errorf("internal error: no successor of state %d of the run leads to "+
					"the violation", k-1)
			}
			path = append(path, next)
		}
		return nil
	})
	return path, err
}

// firstInitial is the first marked initial state.
func (d *division) firstInitial(ctx context.Context) (found []uint64, err error) {
	var batch []uint64
	ask := func() (err error) {
		found, err = d.firstMarked(ctx, 1, batch)
		batch = batch[:0]
		return err
	}
	err = d.start(ctx, d.Model, func(state interp.State) error {
		packed, err := d.program.Pack(state)
		if err != nil {
			return err
		}
		if batch = append(batch, packed...); len(batch) >= whichStates*d.program.Words() {
			err = ask()
		}
		if found != nil {
			return interp.ErrStop
		}
		return err
	})
	if err == nil && found == nil {
		err = ask()
	}
	if err == nil && found == nil {
		err = errors.New("internal error: no initial state leads to the violation")
	}
	return found, err
}

// whichStates is the number of states that are asked about together.
const whichStates = 512

// firstMarked is the first state in a list that is marked on a level, nil for none.
func (d *division) firstMarked(ctx context.Context, level int, states []uint64) ([]uint64, error) {
	words := d.program.Words()
	for some := range slices.Chunk(states, whichStates*words) {
		answers, err := d.order(ctx, Order{Kind: WhichOrder, Level: level, States: some})
		if err != nil {
			return nil, err
		}
		marked := make([]bool, len(some)/words)
		for _, a := range answers {
			or(marked, a.Marked)
		}
		if i := slices.Index(marked, true); i >= 0 {
			return slices.Clone(some[i*words : (i+1)*words]), nil
		}
	}
	return nil, nil
}

// look finds the signs that are true in no state, and the ones that are true in some.
func (d *division) look(ctx context.Context) error {
	v := newSighting(d.search)
	if len(v.open) == 0 {
		return nil
	}
	enough := true
	err := d.unit(ctx, func() error {
		answers, err := d.order(ctx, Order{Kind: LookOrder, Whole: d.Stats.Complete})
		for _, a := range answers {
			or(v.shown, a.Shown)
			or(v.failed, a.Cannot)
			enough = enough && a.Looked
		}
		return err
	})
	if err != nil {
		return err
	}
	if enough || !slices.Contains(v.shown, false) {
		d.sighted(v)
	}
	return nil
}

func tellUnsaved(instance, why string) engine.Progress {
	return engine.Progress{Subtask: instance, Finished: true,
		Text: "the states so far could not be saved, so more would be lost with a worker: " + why}
}
