package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/interp"
)

const (
	// streamBack is the number of steps that the search of a stream can at least take back.
	streamBack = 2048
	// streamHead is the number of first events of a stream that are changed.
	streamHead = 1000
	// streamHeadOpen is that number where the order of events is open: then all orders are tried.
	streamHeadOpen = 400
	// Of what is committed, the first steps are computed once more, and then one of several.
	auditAll   = 4096
	auditEvery = 16
)

// ErrWhole says that a stream does not settle a log: it has to be checked as a whole.
var ErrWhole = errors.New("the log has to be read as a whole")

// Source gives the events of a log one after the other, and io.EOF after the last.
type Source func() (*runlog.Event, error)

// Stream checks a log while it is read, and keeps what the search can go back to, whatever the
// length of the log. Where the order is by time, it reads as many events as overlap with one that
// is to come, and tries all their orders. Otherwise it follows the order of its source. The run
// that it finds is one of the log; where it finds none, there may still be one.
type Stream struct {
	c     *Checker
	name  string
	next  Source
	order observe.Order
	s     *search
	admit *admission
	usage *usage
	lanes map[string]int // of the nodes, where the order is by time
	back  int            // steps that the search can at least take back
	// What was committed: steps that are not taken back any more.
	watch   *watch
	tally   *tally
	pairs   int
	read    int // events that are steps or observations
	ignored int
	head    []*runlog.Event
}

// Stream begins to check a log. The events come in an order that agrees with the given one as far
// as the log does; see Sorted.
func (c *Checker) Stream(name string, order observe.Order, next Source) *Stream {
	return &Stream{c: c, name: name, next: next, order: order, admit: newAdmission(order),
		usage: c.usage(), lanes: map[string]int{}, tally: newTally(), back: streamBack}
}

// Events is the number of events that are known to be the beginning of a run, while the source is
// asked for the next one.
func (st *Stream) Events() int { return st.read }

// Run searches until the source ends. The error is ErrWhole if no run was found.
func (st *Stream) Run(ctx context.Context) (*Result, error) {
	defer st.admit.mail.close()
	under := *st.c
	under.model = st.c.model.Under(ctx)
	st.c = &under
	p := &problem{name: st.name, order: st.order, sends: map[string]position{}}
	if st.order != observe.ByTime {
		p.lanes = []lane{{}}
	}
	st.s = newSearch(st.c, p)
	st.s.acceptAfter, st.s.feed = -1, func(by transition) error { return st.feed(ctx, by) }
	found := false
	var failed error
	err := st.c.model.Initial(ctx, func(first interp.State) error {
		if st.watch != nil { // the run has begun in another state
			return interp.ErrStop
		}
		failed = st.s.begin(first)
		if failed == nil {
			failed = st.s.from(ctx)
		}
		if found = errors.Is(failed, errFound); found || failed != nil {
			return interp.ErrStop
		}
		return nil
	})
	switch {
	case found:
		return st.result(ctx)
	case failed != nil && !errors.Is(failed, interp.ErrStop):
		return nil, failed
	case err != nil && !errors.Is(err, interp.ErrStop):
		return nil, err
	}
	return nil, ErrWhole
}

// feed reads the events that may be next, and gives up what the search can go back to where it is
// much. By is the way to the pair, which no frame has yet.
func (st *Stream) feed(ctx context.Context, by transition) error {
	s := st.s
	if len(s.frames) > 2*st.back {
		if err := st.commit(ctx, len(s.frames)-st.back, by); err != nil {
			return err
		}
	}
	for s.acceptAfter < 0 && st.lacks() {
		e, err := st.event()
		switch {
		case errors.Is(err, io.EOF):
			s.acceptAfter = st.read
			return nil
		case err != nil:
			return err
		}
		if err := st.add(e); err != nil {
			return err
		}
	}
	return nil
}

// lacks reports whether an event that was not read may be the next one: by its time, if none that
// is to come ends before the last one begins.
func (st *Stream) lacks() bool {
	p := st.s.p
	if st.order == observe.ByTime {
		return st.admit.since <= p.ends(st.s.at).first
	}
	return p.lanes[0].event(st.s.at[0]) == nil
}

// add puts an event into its lane.
func (st *Stream) add(e *runlog.Event) error {
	prepared, err := st.c.prepare(st.name, e)
	if err != nil {
		return err
	}
	st.read++
	p := st.s.p
	if st.order != observe.ByTime {
		l := &p.lanes[0]
		prepared.position = position{0, l.base + len(l.events)}
		l.events = append(l.events, prepared)
		return nil
	}
	i, known := st.lanes[e.Node]
	if !known {
		i = len(p.lanes)
		st.lanes[e.Node] = i
		p.lanes = append(p.lanes, lane{node: e.Node, soonest: []int64{math.MaxInt64}})
		st.s.at = append(st.s.at, 0)
	}
	l := &p.lanes[i]
	prepared.position = position{i, l.base + len(l.events)}
	l.add(prepared)
	if e.Send != "" {
		p.sends[e.Send] = prepared.position
	}
	return nil
}

// event reads the next event that is not ignored.
func (st *Stream) event() (*runlog.Event, error) {
	for {
		e, err := st.next()
		if err != nil {
			return nil, err
		}
		st.usage.add(e)
		if !st.c.ignores(e) {
			return e, st.admit.event(e)
		}
		st.ignored++
		st.admit.holes = true
	}
}

// commit gives up to take back a number of frames. Each of their steps begins where the one before
// has led, and they lead to the state of the search; some are computed once more.
func (st *Stream) commit(ctx context.Context, n int, by transition) (err error) {
	s := st.s
	if st.watch == nil {
		if err := s.c.model.Check(s.first, true); err != nil {
			return st.defect(err)
		}
		if st.watch, err = newWatch(s.c.model, s.first); err != nil {
			return err
		}
	}
	done := make([]int, len(s.p.lanes))
	for _, f := range s.frames[:n] {
		for _, step := range f.by.steps {
			if err := st.audit(ctx, step); err != nil {
				return st.defect(err)
			}
			st.watch.step(step)
		}
		if st.tally.add(f.by); f.by.event == nil {
			continue
		}
		done[f.by.event.lane]++
		if err := st.finished(f.by.event.Event); err != nil {
			return err
		}
	}
	if !st.watch.leads(s.frames[n:], by, s.state.State()) {
		return st.defect(errors.New("its steps lead to another state"))
	}
	s.frames = slices.Delete(s.frames, 0, n) // in place, and what is behind is cleared
	st.pairs += len(s.seen)
	clear(s.seen)
	for i, n := range done {
		s.p.lanes[i].forget(n)
	}
	return nil
}

// finished notes an event that is committed.
func (st *Stream) finished(e *runlog.Event) error {
	head := streamHead
	if st.order != observe.ByFile {
		head = streamHeadOpen
	}
	if len(st.head) < head {
		st.head = append(st.head, e)
	}
	if st.order != observe.ByTime {
		return nil
	}
	delete(st.s.p.sends, e.Send)
	return st.admit.mail.add(e)
}

// audit looks at a step that is committed, in the state before it.
func (st *Stream) audit(ctx context.Context, step Step) error {
	if !st.watch.state.Begins(step.changes) {
		return fmt.Errorf("step %d begins in another state", st.watch.all)
	}
	if st.watch.all > auditAll && st.watch.all%auditEvery != 0 {
		return nil
	}
	return st.watch.again(ctx, step)
}

func (st *Stream) defect(err error) error {
	return &DefectError{fmt.Errorf("the interpreter does not replay the run that was found: %w",
		err)}
}

// result is what is known when the source has ended.
func (st *Stream) result(ctx context.Context) (*Result, error) {
	if err := st.usage.check(st.name); err != nil {
		return nil, err
	}
	if st.read == 0 {
		return nil, errNothing
	}
	if err := st.commit(ctx, len(st.s.frames), transition{}); err != nil {
		return nil, err
	}
	notes, err := st.admit.notes()
	if err != nil {
		return nil, err
	}
	r := &Result{Answer: Accepted, Order: st.order, Events: st.read, Ignored: st.ignored,
		SilentMost: -1, States: st.pairs, Prefix: st.read, Notes: notes}
	if len(st.c.silent) > 0 {
		r.SilentMost = st.s.silent
	}
	st.tally.into(st.s, r)
	r.Notes = append(r.Notes, st.watch.result()...)
	if st.c.o.Mutants < 0 {
		return r, nil
	}
	return r, st.mutate(ctx, r)
}

// mutate changes the first events of the log, as a log of their own.
func (st *Stream) mutate(ctx context.Context, r *Result) error {
	of := *st.c
	file := *of.file
	of.file, file.Order = &file, st.order
	p, err := of.problem(st.name, st.head)
	if err != nil {
		return err
	}
	s := newSearch(&of, p)
	s.beginning = true
	s.decisive = st.s.decisive
	if err := s.run(ctx); err != nil {
		return err
	}
	if s.done != s.acceptAfter || len(s.frames) == 0 {
		return nil // a limit was reached
	}
	if err := s.mutate(ctx, r); err != nil {
		return err
	}
	if len(st.head) < st.read {
		r.Mutants.Of = len(st.head)
	}
	return nil
}

// admission checks that the events of a stream come in an order that agrees with what is known of
// their order. By time, that is the order in which they begin, and messages are looked at in the
// run.
type admission struct {
	order observe.Order
	nodes map[string]*runlog.Event // the last of each node
	since int64                    // the latest begin of an event
	gaps  []string
	holes bool // the numbers of ignored events are missing
	*mail
}

func newAdmission(order observe.Order) *admission {
	return &admission{order: order, nodes: map[string]*runlog.Event{},
		mail: newMail(mailKept)}
}

// event admits the next event. The error is ErrWhole if it belongs before another one, or has not
// what the order needs.
func (a *admission) event(e *runlog.Event) error {
	switch before := a.nodes[e.Node]; {
	case e.Name == runlog.FirstState:
		return ErrWhole
	case a.order == observe.ByFile:
	case e.Node == "" || a.order == observe.ByTime && !e.HasTime:
		return ErrWhole
	case before == nil:
	case e.HasSeq != before.HasSeq || e.Inc < before.Inc || e.Inc == before.Inc &&
		(e.HasSeq && e.Seq <= before.Seq || !e.HasSeq && !after(e, before)):
		return ErrWhole
	case e.HasSeq && e.Inc == before.Inc && before.Seq+1 < e.Seq && !a.holes:
		a.gaps = append(a.gaps, lostNote(e.Node, before.Seq, e.Seq))
	}
	if a.order == observe.ByTime {
		if len(a.nodes) > 0 && e.Until < a.since {
			return ErrWhole
		}
		a.since = max(a.since, e.Since)
		if len(a.nodes) == 0 {
			a.since = e.Since
		}
	}
	if a.order != observe.ByFile {
		a.nodes[e.Node] = e
	}
	if a.order == observe.ByTime {
		return nil
	}
	return a.mail.add(e)
}

// after reports whether an event stands behind another one in its file.
func after(e, before *runlog.Event) bool { return e.File == before.File && e.Line > before.Line }

func (a *admission) notes() ([]string, error) {
	if a.holes {
		a.gaps = nil
	}
	unsent, err := a.mail.notes()
	return append(a.gaps, unsent...), err
}
