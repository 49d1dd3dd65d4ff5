package explicit

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
)

// A divided exploration has its states in several processes, the members of a crew: a state belongs
// to the member that has the part of its hash (Stern and Dill, "Parallelizing the Murphi verifier",
// 1997). Members send new states to their owners. A level ends when every member has expanded its
// states of the level, and every state that was sent has arrived: members meet there, without the
// leader, who orders several levels at a time. So a search by one thread has the same levels,
// counts and verdicts.
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
	// Order has all members carry out an order at the same time, and gives their answers, or one
	// that Ends. ErrLost means that the next order has to be BeginOrder; its Owners and Self are
	// the crew's to set.
	Order(ctx context.Context, o Order) ([]*Answer, error)
	// Joined reports whether others would take part from the next BeginOrder on.
	Joined() bool
	// Every is how often levels are saved.
	Every() time.Duration
	// Key signs what is saved in a folder, nil for none.
	Key() []byte
}

// ErrLost says that a member was lost, or cannot be reached by another one.
var ErrLost = errors.New("a member of the crew was lost")

// UndividedError says why an exploration cannot be divided.
type UndividedError struct{ Why string }

func (e *UndividedError) Error() string { return "the exploration is not divided: " + e.Why }

// memberError is a failure of a member.
type memberError struct{ why string }

func (e *memberError) Error() string { return "a member of the crew: " + e.why }

// member takes part in a divided exploration.
func (o Options) member(ctx context.Context, m *interp.Model) error {
	return o.Member(ctx, func(peers Peers) *Share { return newShare(ctx, m, o, peers) })
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
		return nil, errors.Join(err, sp.Program.Close())
	}
	s.Store = store.NewOrphaned(sp.Program.Words()) // runs are found without parents
	return s, nil
}

// division leads a divided exploration.
type division struct {
	*search
	crew        Crew
	forced      map[int]compile.Interval
	counts      []int64 // states of each level that is closed
	expanded    int     // levels whose successors are found: all closed ones, or all but one
	saved       []string
	upTo        int // the levels that were saved
	written     time.Time
	cost        time.Duration // of the cheapest save, 0 if there was none
	retryDelay  time.Duration // after a save that failed: how much later the next one is tried
	names       int           // of what was saved, so far
	print       uint64
	outside     int    // the first level with a state outside a range, 0 for none
	known       []bool // the properties that are violated on the levels so far
	levelsAhead int    // levels that are ordered together
	whole       bool   // the members have the levels up to the one after expanded

	dir           string // of the checkpoint, empty for none
	manifestLevel int    // the last level in its manifest, 0 for none
	from          *dividedSaved
	history       []Found // what the states of each level showed, for the checkpoint
}

// divided explores an instance with a crew.
func (a *attempt) divided(ctx context.Context, m *interp.Model) (_ *Exploration, err error) {
	s, err := newDividedSearch(ctx, m, a.opts, a.forced)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close(), s.Program.Close()) }()
	s.begin = a.begin
	d := &division{search: s, crew: a.opts.Crew, forced: a.forced, written: time.Now(),
		known: make([]bool, len(s.props)), levelsAhead: 1}
	if err := d.attach(a); err != nil {
		return nil, err
	}
	if err := eachInitial(ctx, s, func(packed []uint64) { d.print += store.Hash(packed) }); err !=
		nil && ctx.Err() == nil {
		return nil, err
	}
	after := context.WithoutCancel(ctx)
	switch err := d.explore(ctx); {
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		saved := d.saveLast(after)
		s.stopped = result.Ended(ctx, fmt.Sprintf("after %d states", d.reached())).Then(saved)
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
			return nil, &memberError{a.Failed}
		case a.Lost:
			return nil, ErrLost
		case o.Kind == ExpandOrder && !d.answered(a.Levels, len(answers[0].Levels)),
			o.Kind == BeginOrder && (a.Print != d.print || len(a.Sizes) != max(o.Level, 1)),
			o.Kind == WhichOrder && len(a.Marked)*d.Program.Words() != len(o.States):
			return nil, errors.New("a member of the crew answers about something else")
		}
	}
	return answers, nil
}

// answered reports whether an answer is about n levels.
func (d *division) answered(levels []Found, n int) bool {
	return n > 0 && len(levels) == n && !slices.ContainsFunc(levels, func(f Found) bool {
		return len(f.Violated) != len(d.props) || len(f.Enabled) != len(d.Enabled)
	})
}

// unit does something that has to be done as a whole by one crew, which has the levels.
func (d *division) unit(ctx context.Context, do func() error) (err error) {
	for {
		if err = nil; !d.whole {
			err = d.restore(ctx)
		}
		if err == nil {
			err = do()
		}
		if !errors.Is(err, ErrLost) {
			return err
		}
		d.whole = false
	}
}

// restore gives the members, which have nothing, the levels that there are.
func (d *division) restore(ctx context.Context) error {
	answers, err := d.order(ctx,
		Order{Kind: BeginOrder, Level: d.upTo, Forced: d.forced, Saved: d.saved})
	if err != nil {
		return err
	}
	level := max(d.upTo, 1)
	if d.expanded > 0 {
		d.opts.Sink.Tell(tellAgain(d.Instance.Name, level, d.expanded))
	}
	sizes := make([]int64, level)
	for _, a := range answers {
		for i, n := range a.Sizes {
			sizes[i] += n
		}
	}
	if len(d.counts) == 0 {
		d.counts = sizes[:1]
	}
	for i, n := range sizes {
		if err := d.compare(i+1, n); err != nil {
			return err
		}
	}
	for level <= d.expanded {
		redone, err := d.expand(ctx, Order{Level: level, Last: d.expanded})
		if err != nil {
			return err
		}
		for _, f := range redone {
			if err := d.compare(level, f.States); err != nil {
				return err
			}
			level++
		}
	}
	d.whole = true
	return nil
}

// compare compares the number of the states of a level with an earlier one.
func (d *division) compare(level int, n int64) error {
	if had := d.counts[level-1]; n != had {
		return fmt.Errorf("internal error: level %d has %d states, and had %d", level, n, had)
	}
	return nil
}

// expand has levels expanded, and gives what their states showed.
func (d *division) expand(ctx context.Context, o Order) ([]Found, error) {
	o.Kind, o.Known = ExpandOrder, d.known
	o.DeadlockKnown = !slices.ContainsFunc(d.list, func(c *claim) bool {
		return c.property == nil && !c.decided()
	})
	answers, err := d.order(ctx, o)
	if err != nil {
		return nil, err
	}
	all := answers[0].Levels
	for _, a := range answers[1:] {
		for i := range all {
			all[i].add(&a.Levels[i])
		}
	}
	return all, nil
}

// explore finds the states level by level, as search.levels does.
func (d *division) explore(ctx context.Context) error {
	if d.from != nil {
		d.saved, d.upTo, d.manifestLevel = d.from.Saved, d.from.Level, d.from.Level
		for _, f := range d.from.Found {
			d.counts = append(d.counts, f.States)
		}
		d.counts = append(d.counts, d.from.States)
	}
	if err := d.unit(ctx, func() error { return nil }); err != nil {
		if d.from != nil && errors.As(err, new(*memberError)) {
			err = &engine.CheckpointError{Dir: d.dir, Err: err}
		}
		return err
	}
	d.Stats.Initial = d.counts[0]
	if d.from != nil {
		switch over, err := d.resumed(); {
		case err != nil:
			return err
		case over:
			return d.showAll(ctx)
		}
	}
	for {
		levels, err := d.levels(ctx)
		if err != nil {
			return err
		}
		for _, f := range levels {
			if f.States == 0 {
				return d.showAll(ctx)
			}
			if err := d.found(&f); err != nil {
				return err
			}
			if d.settle() {
				return d.showAll(ctx)
			}
		}
		if d.opts.Limits.Depth > 0 && d.Level >= d.opts.Limits.Depth {
			d.stopped = d.opts.Limits.AtDepth()
			return d.showAll(ctx)
		}
	}
}

// Levels are ordered together that take about so long, but no more than fit into a message.
const (
	together   = 100 * time.Millisecond
	mostLevels = 64
)

// Each state is saved once, however often there is a save. What a save costs by itself is at most
// what the cheapest one cost; what is done between two saves takes saveShare times as long. And an
// order names all files that were saved, in one message.
const (
	saveShare = 9
	mostSaved = 4096
)

// due says whether the levels so far are saved before the next one is expanded. A level that takes
// long enough is saved by itself: then no more than one level is lost with a member. Whatever saves
// cost, they are due after the time that the crew gives.
func (d *division) due() bool {
	since := time.Since(d.written)
	early := len(d.saved) < mostSaved && since >= max(together, saveShare*d.cost)
	return d.retryDelay == 0 && (d.crew.Joined() || early) ||
		since >= d.crew.Every()+d.retryDelay
}

// levels closes and expands the next levels. The last one that the search may have is only checked.
func (d *division) levels(ctx context.Context) (all []Found, err error) {
	level := d.expanded + 1
	if level > len(d.counts) && d.due() {
		save := func() error {
			_, err := d.save(ctx, level)
			return err
		}
		if err := d.unit(ctx, save); err != nil {
			return nil, err
		}
		if d.crew.Joined() && d.upTo == level { // they take part from here on
			d.whole = false
			if err := d.unit(ctx, func() error { return nil }); err != nil {
				return nil, err
			}
		}
	}
	o := Order{Level: level, Last: level + d.levelsAhead - 1}
	if most := int(d.opts.Limits.Depth); most > 0 {
		o.Last, o.Check = min(o.Last, max(level, most-1)), level >= most
	}
	began := time.Now()
	err = d.unit(ctx, func() (err error) {
		all, err = d.expand(ctx, o)
		return err
	})
	switch took := time.Since(began); {
	case took > together:
		d.levelsAhead = max(1, d.levelsAhead/2)
	case 2*took < min(together, d.crew.Every()):
		d.levelsAhead = min(2*d.levelsAhead, mostLevels)
	}
	return all, err
}

// found records what the states of the next level showed.
func (d *division) found(f *Found) error {
	if d.dir != "" {
		d.history = append(d.history, *f)
	}
	d.Level++
	d.expanded++
	if d.expanded <= len(d.counts) {
		if err := d.compare(d.expanded, f.States); err != nil {
			return err
		}
	} else {
		d.counts = append(d.counts, f.States)
	}
	d.From, d.To = d.To, int(d.reached())
	d.Stats.Levels = append(d.Stats.Levels, f.States)
	d.Before = d.Stats
	d.tell(d.reached(), f.States)
	for i, on := range f.Violated {
		if d.events[i].Found = on; on && i < d.Space.Ranges && d.outside == 0 {
			d.outside = d.expanded
		}
	}
	or(d.known, f.Violated)
	or(d.Enabled, f.Enabled)
	d.Stats.Transitions += f.Transitions
	d.Stats.Deadlocks += f.Deadlocks
	if f.Deadlocks > 0 {
		d.Deadlock = 0
	}
	return nil
}

// save closes a level, and saves what is not saved, or says why it is not saved.
func (d *division) save(ctx context.Context, level int) (unsaved string, err error) {
	d.names++
	began := time.Now()
	name := fmt.Sprintf("%d-%d", level, d.names)
	if d.dir != "" {
		name = filepath.Base(d.dir) + "/" + name
	}
	answers, err := d.order(ctx,
		Order{Kind: CloseOrder, Level: level, From: d.upTo, Save: name})
	if err != nil {
		return "", err
	}
	n := int64(0)
	var saved []string
	for _, a := range answers {
		n, unsaved, saved = n+a.States, max(unsaved, a.Unsaved), append(saved, a.Saved)
	}
	if d.written = time.Now(); level > len(d.counts) {
		d.counts = append(d.counts, n)
	} else if err := d.compare(level, n); err != nil {
		return "", err
	}
	if unsaved != "" {
		d.opts.Sink.Tell(tellUnsaved(d.Instance.Name, unsaved))
		d.retryDelay = 2*d.retryDelay + time.Since(began)
		return unsaved, nil
	}
	if took := d.written.Sub(began); d.cost == 0 || took < d.cost {
		d.cost = took
	}
	d.retryDelay = 0
	d.saved, d.upTo = append(d.saved, saved...), level
	if err := d.keep(n); err != nil {
		unsaved = err.Error()
		d.opts.Sink.Tell(tellUnsaved(d.Instance.Name, unsaved))
	}
	return unsaved, nil
}

// look finds the signs that are true in no state, and the ones that are true in some.
func (d *division) look(ctx context.Context) error {
	v := newSighting(d.search)
	if len(v.signs) == 0 {
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
		v.conclude()
	}
	return nil
}

// tellAgain says which levels the members find again: from the one that was saved last, after one
// of them was lost or another one came.
func tellAgain(instance string, saved, expanded int) engine.Progress {
	text := "workers came or were lost, and they go on from what was saved"
	if n := expanded + 1 - saved; n > 0 {
		text += fmt.Sprintf(": of %d levels the last %d are found again", expanded, n)
	}
	return engine.Progress{Subtask: instance, Finished: true, Text: text}
}

func tellUnsaved(instance, why string) engine.Progress {
	return engine.Progress{Subtask: instance, Finished: true,
		Text: "the states so far could not be saved, so more would be lost with a worker: " + why}
}
