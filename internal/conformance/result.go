package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/explain"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// result says what the search has found.
func (s *search) result(ctx context.Context) (r *Result, err error) {
	r = &Result{
		Order: s.p.order, Events: len(s.p.events), Ignored: len(s.p.ignored), SilentMost: -1,
		States: len(s.seen), Notes: s.p.notes, SequenceMost: s.c.places,
	}
	if len(s.c.silent) > 0 {
		r.SilentMost = s.silent
	}
	if s.done == s.acceptAfter && len(s.frames) > 0 {
		r.Answer, r.Prefix = Accepted, s.done
		r.Run = &Run{s.c.model, s.first, s.steps()}
		s.cover(r)
		return r, nil
	}
	r.Answer, r.Prefix = NotAccepted, s.best.done
	if s.limitReached != "" {
		r.Answer, r.Reason = Unknown, s.limitReached
	}
	first := s.best.paths[0]
	r.Run = &Run{s.c.model, first.first, first.steps}
	s.cover(r)
	for _, p := range s.best.paths {
		end, err := s.deadEnd(ctx, p)
		if err != nil {
			return nil, err
		}
		r.DeadEnds = append(r.DeadEnds, end)
	}
	if r.Stuck, err = stuckLanes(ctx, s); err != nil {
		return nil, err
	}
	return r, nil
}

// cover counts what the run exercises.
func (s *search) cover(r *Result) {
	taken := map[string]int{}
	made := map[int]int{}
	byLine := map[*runlog.Event]*event{}
	for _, e := range s.p.events {
		byLine[e.Event] = e
	}
	var last *runlog.Event
	for _, step := range r.Run.Steps {
		if step.Action != nil {
			taken[step.Action.Name]++
		}
		if step.Event == nil {
			r.Coverage.Silent++
		} else if step.Event != last {
			for _, o := range byLine[step.Event].observations {
				made[o.index]++
				r.Coverage.Made++
			}
		}
		last = step.Event
	}
	for _, a := range s.c.spec.System.Actions {
		name, all := s.c.caller().shown(a), r.Coverage.Taken
		if n := len(all); n > 0 && all[n-1].Name == name { // for another constructor
			all[n-1].N += taken[a.Name]
			continue
		}
		r.Coverage.Taken = append(all, Count{name, taken[a.Name]})
	}
	for i, o := range s.c.file.Observations {
		r.Coverage.Observations = append(r.Coverage.Observations, Count{o.Text, made[i]})
	}
	r.Coverage.DecisiveObservations, r.Coverage.DecisiveRequirements = s.decisive.observations,
		s.decisive.requirements
}

// deadEnd explains why a path goes no further.
func (s *search) deadEnd(ctx context.Context, p path) (DeadEnd, error) {
	out := DeadEnd{State: p.state}
	next := s.p.next(p.at)
	for _, e := range next {
		for _, a := range e.alternatives {
			c, err := s.why(ctx, e, a, p.state)
			if err != nil {
				return out, err
			}
			out.Candidates = append(out.Candidates, c)
		}
	}
	if len(next) > 0 {
		return out, nil
	}
	for i, l := range s.p.lanes {
		if p.at[i] == len(l.events) {
			continue
		}
		e := l.events[p.at[i]]
		c := Candidate{Event: e.Event, Call: e.alternatives[0].text,
			Why: "the order of the log allows no event here"}
		if sent, ok := s.p.sends[e.Receive]; ok && e.Receive != "" && p.at[sent.lane] <= sent.at {
			c.Why = fmt.Sprintf("the message %q is sent later, in %s", e.Receive,
				s.p.lanes[sent.lane].events[sent.at].Place())
		}
		out.Candidates = append(out.Candidates, c)
	}
	return out, nil
}

// guideAt computes the arguments of a call in a state.
func (s *search) guideAt(c call, state interp.State) (interp.Guide, error) {
	return s.guide(c, func(t *logic.Term) (int64, error) { return s.c.model.Eval(t, state) })
}

// differs lists the observations of an event that are false in a state.
func (s *search) differences(e *event, state interp.State) (out []Difference, err error) {
	for _, o := range e.observations {
		holds, err := s.c.model.Holds(o.formula, state)
		if err != nil {
			return nil, eventError(s.p.name, e.Event, "observation %s: %v", o.text, err)
		}
		if holds {
			continue
		}
		d := Difference{What: o.text}
		if o.of != nil {
			d.Expected, d.Seen = structures{s.c, s.c.literals()}.shownAt(o, state), o.seen
		} else if o.term != nil {
			v, err := s.c.model.Eval(o.term, state)
			if err != nil {
				return nil, eventError(s.p.name, e.Event, "observation %s: %v", o.text, err)
			}
			d.Expected, d.Seen = s.c.show(o.notation, v), s.c.show(o.notation, o.value)
		}
		out = append(out, d)
	}
	return out, nil
}

// maxBlocks bounds the number of false requirements that are shown for a candidate.
const maxBlocks = 5

// why explains why an alternative is not possible in a state.
func (s *search) why(
	ctx context.Context, e *event, a alternative, state interp.State,
) (Candidate, error) {
	out := Candidate{Event: e.Event, Call: a.text}
	if len(a.calls) == 0 {
		out.Call = "no step"
		d, err := s.differences(e, state)
		if out.Differs = d; len(d) == 0 {
			out.Why = "the first state of a trace comes before every step"
		}
		return out, err
	}
	ends := []interp.State{state}
	for i := range a.calls {
		var next []interp.State
		for _, from := range ends {
			guide, err := s.guideAt(a.calls[i], from)
			if err == nil {
				err = s.c.model.GuidedSteps(ctx, from, a.calls[i].action, guide, func(
					x interp.Step,
				) error {
					if len(next) == maxSuccessors {
						return interp.ErrStop
					}
					next = append(next, x.State)
					return nil
				})
			}
			if err != nil {
				return out, s.located(e, err)
			}
		}
		if len(next) == 0 {
			blocks, err := s.blocks(ctx, a.calls[i], ends[0])
			if err != nil {
				return out, s.located(e, err)
			}
			if out.Blocks = blocks; len(blocks) == 0 {
				out.Why = s.outside(a.calls[i], ends[0])
			}
			if i > 0 {
				out.Call += fmt.Sprintf(", of which %s", a.calls[i].text())
			}
			return out, nil
		}
		ends = next
	}
	for i, end := range ends {
		d, err := s.differences(e, end)
		if err != nil {
			return out, err
		}
		if i == 0 || len(d) < len(out.Differs) {
			out.Differs = d
		}
	}
	if len(out.Differs) == 0 {
		out.Why = "it is possible here, but no run goes on after it"
	}
	return out, nil
}

// blocks lists the requirements of an action that are false.
func (s *search) blocks(ctx context.Context, c call, state interp.State) (out []Block, err error) {
	guide, err := s.guideAt(c, state)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	guide.Blocked = func(requirement *logic.Term, in interp.State) {
		if len(out) == maxBlocks {
			return
		}
		n, err := explain.Explain(s.c.model, requirement, in)
		if err != nil {
			return
		}
		w := innermost(explain.Tree(s.c.model, n))
		if seen[w.Text] {
			return
		}
		seen[w.Text] = true
		line := w.Line
		if line == 0 && !requirement.Span.IsZero() {
			line = requirement.Span.Line()
		}
		out = append(out, Block{Line: line, Why: w})
	}
	err = s.c.model.GuidedSteps(ctx, state, c.action, guide, func(interp.Step) error { return nil })
	return out, err
}

// innermost finds the false operand of conjunctions.
func innermost(w *result.Why) *result.Why {
	for len(w.Subformulas) == 1 && len(w.Witness) == 0 &&
		w.Subformulas[0].Value.Kind == result.BoolValue && !w.Subformulas[0].Value.Bool &&
		w.Value.Kind == result.BoolValue && !w.Value.Bool {
		w = w.Subformulas[0]
	}
	return w
}

// outside says which argument is no value of its parameter.
func (s *search) outside(c call, state interp.State) string {
	guide, err := s.guideAt(c, state)
	if err != nil {
		return err.Error()
	}
	for _, a := range c.args {
		if a.sort.Kind != logic.KindRange {
			continue
		}
		lo, err1 := s.c.model.Eval(a.sort.Lo, state)
		hi, err2 := s.c.model.Eval(a.sort.Hi, state)
		if x := guide.Args[a.name]; err1 == nil && err2 == nil && (x < lo || x > hi) {
			return fmt.Sprintf("%s = %d is outside of %d..%d, the values of %s in this instance",
				a.name, x, lo, hi, a.sort)
		}
	}
	if len(s.c.spec.System.Trusted()) > 0 {
		return "no values of its parameters and choices make it possible, or a trusted " +
			"invariant excludes the state after it"
	}
	return "no values of its parameters and choices make it possible"
}

// maxTried bounds the values of variables that the properties are evaluated for along a run.
const maxTried = 5_000_000

// violations notes the first state in which each safety property or invariant is false: then the
// program has left what the specification claims. A property is evaluated where something that it
// reads has changed, up to a limit.
func (r *Run) violations(ctx context.Context) (notes []string, err error) {
	state, err := r.Model.Cursor(r.First)
	if err != nil {
		return nil, err
	}
	claims := r.claims()
	last, over := state.Tried()+maxTried, false
	look := func(where string, concerns func(claim) bool) {
		claims = slices.DeleteFunc(claims, func(c claim) bool {
			if over || ctx.Err() != nil || !concerns(c) {
				return false
			}
			v, err := state.EvalWithin(c.property.Term, last-state.Tried())
			if over = errors.Is(err, interp.ErrWork); err != nil || v != 0 {
				return false
			}
			notes = append(notes, fmt.Sprintf("%s is violated %s: the specification allows this "+
				"run, against what it claims", c.property.Name, where))
			return true
		})
	}
	look("in the first state", func(claim) bool { return true })
	states := 0
	for _, s := range r.Steps {
		if over {
			break
		}
		states++
		where := "after a silent step"
		if s.Event != nil {
			where = "after " + s.Event.Place()
		}
		state.Do(s.changes)
		look(where, func(c claim) bool { return c.reads(s.changes) })
	}
	if over {
		notes = append(notes, fmt.Sprintf("the properties are evaluated in the first %d of %d "+
			"states only: they range over many values", states, len(r.Steps)+1))
	}
	return notes, ctx.Err()
}

// claim is a property of states, and the symbols that it speaks of.
type claim struct {
	property *system.Property
	symbols  map[*logic.Symbol]bool
	of       []*logic.Symbol // the symbol of each slot
}

func (c claim) reads(changes []interp.Change) bool {
	return slices.ContainsFunc(changes, func(x interp.Change) bool {
		return c.symbols[c.of[x.Slot]]
	})
}

func (r *Run) claims() (out []claim) {
	of := r.Model.SlotSymbols()
	for _, p := range r.Model.System.Properties {
		if p.Kind == system.Safety || p.Kind == system.Invariant {
			out = append(out, claim{p, r.Model.Reads(p.Term), of})
		}
	}
	return out
}

// replayTrace is the number of values up to which a run is replayed as a trace.
const replayTrace = 2_000_000

// replay checks a run once more: as a trace, against the formulas of its actions, or if it is long
// step by step.
func (r *Run) replay(ctx context.Context) error {
	if len(r.Steps)*len(r.First) <= replayTrace {
		return interp.Replay(ctx, r.Model.System, r.Trace(), nil)
	}
	if err := r.Model.Check(r.First, true); err != nil {
		return err
	}
	state, err := r.Model.Cursor(r.First)
	if err != nil {
		return err
	}
	for i, s := range r.Steps {
		if s.Action == nil {
			continue
		}
		guide := interp.Guide{Args: map[string]int64{}}
		for _, a := range s.Args {
			guide.Args[a.Var.Name] = a.Value
		}
		found := false
		err := state.Steps(ctx, s.Action, guide, func(x interp.Effect) error {
			if found = found || slices.Equal(x.Changes, s.changes); found {
				return interp.ErrStop
			}
			return nil
		})
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("step %d is none of %s", i+1, s.Action.Name)
		}
		state.Do(s.changes)
	}
	return nil
}
