package conformance

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/interp"
)

// Mutants says how many changed logs were rejected: a log that is accepted whatever it says shows
// nothing.
type Mutants struct {
	Tried, Rejected int
	// Same counts accepted logs that lead to the same state: the changed events commute, or one has
	// no effect.
	Same int
	// Undecided counts logs that are not among the tried ones: a limit ended their search.
	Undecided int
	Within    int      // the changes are among this number of first events of the run
	Of        int      // the first events of a long log, which are changed as a log of their own
	Kept      []Mutant // the others that were not rejected
}

// Mutant is a changed log that is accepted, too.
type Mutant struct {
	Event *runlog.Event // the first that is changed
	What  string
}

const (
	mutantAhead  = 300  // events after the change in which most changed logs are rejected
	mutantWhole  = 2000 // events of a log that is searched to the end at once
	mutantWindow = 500  // first events that are changed, if the log leaves something open
	mutantPairs  = 20_000
	// pairs for all logs together that are not rejected in the events after their change
	mutantRest = 400_000
)

// mutate tries changed logs: an event is left out, two of a lane are exchanged, or a value that is
// read is another. A rejected beginning of a log rejects the log; to be accepted, it is searched to
// its end, or to a state of the run behind the change.
func (s *search) mutate(ctx context.Context, r *Result) error {
	want := s.c.o.Mutants
	if want == 0 {
		want = defaultMutants
	}
	random := rand.New(rand.NewPCG(s.c.o.Seed, 1))
	order := s.inRun()
	forward := &forward{s: s, state: s.first.Clone(), rest: mutantRest}
	if !forward.single() {
		order = order[:min(len(order), mutantWindow)]
	}
	all := s.mutations(random, want, order)
	out := &Mutants{Within: len(order)}
	r.Mutants = out
	for _, m := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		o, err := s.try(ctx, m, forward)
		if err != nil {
			return err
		}
		if o == unclear {
			out.Undecided++
			continue
		}
		out.Tried++
		switch o {
		case rejected:
			out.Rejected++
		case same:
			out.Same++
		default:
			out.Kept = append(out.Kept, Mutant{m.event.Event, m.what})
		}
	}
	r.Coverage.DecisiveObservations, r.Coverage.DecisiveRequirements = s.decisive.observations,
		s.decisive.requirements
	return nil
}

// inRun lists the events in the order of the run that was found.
func (s *search) inRun() (out []*event) {
	for _, f := range s.frames {
		if f.by.event != nil {
			out = append(out, f.by.event)
		}
	}
	return out
}

// outcome is what becomes of a changed log.
type outcome int

const (
	unclear  outcome = iota // a limit ended the search
	rejected                // also where a value is none of the specification
	same                    // accepted, with the same state in the end
	kept
)

// try searches a changed log.
func (s *search) try(ctx context.Context, m mutation, f *forward) (outcome, error) {
	p, err := s.changed(m)
	var bad *runlog.Error
	switch {
	case errors.As(err, &bad):
		return rejected, nil
	case err != nil:
		return unclear, err
	case len(p.events) == 0:
		return rejected, nil
	}
	before, behind := s.p.common(p)
	x := &attempt{p: p, m: m, f: f, behind: behind,
		alone: f.single() && len(p.lanes) == 1 && before >= m.event.at}
	if x.alone {
		f.to(m.event.at)
	}
	until := len(p.events)
	if x.alone || until > mutantWhole {
		until = min(until, m.after+mutantAhead)
	}
	o, err := x.search(ctx, until, mutantPairs)
	if o == kept && until < len(p.events) {
		rest := f.rest
		o, err = x.search(ctx, len(p.events), rest)
		f.rest -= x.pairs
	}
	if (o == kept || o == same) && !s.beginning {
		if err := s.c.used(p.name, p.records()); errors.As(err, &bad) {
			return rejected, nil
		}
	}
	return o, err
}

// attempt is the search of a changed log.
type attempt struct {
	p      *problem
	m      mutation
	f      *forward
	alone  bool // it begins before the change, in the state of the run
	behind int  // events at its end that are the ones of the log
	pairs  int  // that were examined
}

// search says what becomes of a number of first events.
func (x *attempt) search(ctx context.Context, until, limit int) (outcome, error) {
	if limit <= 0 {
		return unclear, nil
	}
	s := newSearch(x.f.s.c, x.p)
	s.limit, s.acceptAfter = limit, until
	var err error
	if x.alone {
		if err := s.begin(x.f.state); err != nil {
			return unclear, err
		}
		at := x.m.event.at
		s.frames, s.at, s.done = nil, []int{at}, at
		if err = s.push(transition{}, 0); err == nil {
			err = s.from(ctx)
		}
		if errors.Is(err, errFound) || errors.Is(err, interp.ErrStop) {
			err = nil
		}
	} else {
		err = s.run(ctx)
	}
	x.pairs = len(s.seen)
	of := x.f.s
	of.decisive.observations += s.decisive.observations
	of.decisive.requirements += s.decisive.requirements
	var bad *runlog.Error
	switch {
	case errors.As(err, &bad):
		return rejected, nil
	case err != nil:
		return unclear, err
	case s.limitReached != "":
		return unclear, nil
	case s.done != until || len(s.frames) == 0:
		return rejected, nil
	}
	// From a state of the run that has the same events before it, the log goes on as the run does.
	ahead := len(x.p.events) - until
	if ahead == 0 || x.alone && ahead <= x.behind {
		if slices.Equal(s.state.State(), x.f.stateAt(len(of.p.events)-ahead)) {
			return same, nil
		}
	}
	return kept, nil
}

// forward follows the run that was found, where it is the only one.
type forward struct {
	s     *search
	frame int
	state interp.State
	done  int
	rest  int // pairs that may still be examined behind the events after changes
}

// single reports whether the run is the only one, so that its states can be returned to.
func (f *forward) single() bool { return !f.s.branched && len(f.s.p.lanes) == 1 }

// stateAt is the state of the run after a number of events.
func (f *forward) stateAt(events int) interp.State {
	if events == len(f.s.p.events) {
		return f.s.state.State()
	}
	ahead := *f
	ahead.state = f.state.Clone()
	ahead.to(events)
	return ahead.state
}

func (f *forward) to(events int) {
	for f.done < events {
		f.frame++
		m := f.s.frames[f.frame].by
		for _, step := range m.steps {
			step.apply(f.state)
		}
		f.done++
	}
}
