package conformance

import (
	"context"
	"fmt"

	"erelong.dev/erelong/internal/explain"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
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
		t := newTally()
		for _, f := range s.frames {
			t.add(f.by)
		}
		t.into(s, r)
		return r, nil
	}
	r.Answer, r.Prefix = NotAccepted, s.best.done
	if s.limitReached != "" {
		r.Answer, r.Reason = Unknown, s.limitReached
	}
	first := s.best.paths[0]
	r.Run = &Run{s.c.model, first.first, first.steps}
	r.Steps = r.Run.Length()
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
		c := Candidate{Event: e.Event, Call: s.c.text(e.alternatives[0]),
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
	out := Candidate{Event: e.Event, Call: s.c.text(a)}
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
				out.Call += fmt.Sprintf(", of which %s", s.c.callText(a.calls[i]))
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
