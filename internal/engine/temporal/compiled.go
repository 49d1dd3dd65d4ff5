package temporal

import (
	"context"
	"errors"
	"slices"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/interp"
)

// exploreCompiled is the explorer that runs a compiled program; for what cannot be compiled it runs
// the interpreter.
func exploreCompiled(ctx context.Context, m *interp.Model, l limits) (*graph, error) {
	forced := map[int]compile.Interval{}
	var dir string
	var from *saved
	if l.checkpoint.Dir != "" {
		var err error
		if dir, from, err = savedIn(l.checkpoint, m); err != nil {
			return nil, err
		}
		if from != nil {
			forced = from.Forced
		}
	}
	for {
		g, err := exploreWith(ctx, m, l, forced, dir, from)
		from = nil // wider states begin anew
		grown := compile.Grown(m, forced, err)
		if errors.Is(err, errApart) || grown != "" && l.watch != nil {
			l.watch.tell()
			l.predicates, l.watch = l.predicates[:len(l.predicates)-len(l.watch.terms)], nil
			continue
		}
		if grown != "" && l.States == 0 {
			l.States, l.StatesNote = compile.GrownStates, grown
		}
		again, err := compile.Widen(forced, err)
		if !again {
			return g, err
		}
	}
}

// errInterpret says that a system is to be interpreted.
var errInterpret = errors.New("not compiled")

func exploreWith(
	ctx context.Context, m *interp.Model, l limits, forced map[int]compile.Interval, dir string,
	from *saved,
) (_ *graph, err error) {
	s := &search{graph: newGraph(m), limits: l}
	s.predicates.set(l.predicates)
	if l.watch != nil {
		s.watched = l.watch.numbers(&s.predicates)
	}
	err = s.compile(ctx, forced)
	if l.watch != nil && ctx.Err() == nil &&
		(errors.Is(err, errInterpret) || errors.Is(err, errApart)) {
		return nil, errApart
	}
	if errors.Is(err, errInterpret) {
		g, err := interpret(ctx, m, l)
		if g != nil {
			g.unsaved = dir != ""
		}
		return g, err
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.detach(), s.release()) }()
	if dir != "" {
		if err := s.attach(ctx, dir, from, forced); err != nil {
			return nil, err
		}
	}
	if err := s.ended(ctx, s.run(ctx), l.Limits); err != nil {
		if l.watch != nil {
			l.watch.left = s.graph
		}
		return nil, err
	}
	if s.unknownFairness() && l.watch != nil {
		return nil, errApart
	}
	if s.unknownFairness() {
		return interpret(ctx, m, l) // it names the error
	}
	s.Store.Seal()
	return s.graph, s.evaluateRest(ctx)
}

// compile makes the program; the error is errInterpret if there is none.
func (s *search) compile(ctx context.Context, forced map[int]compile.Interval) error {
	m, ranges := s.model, s.rangeTerms()
	for _, a := range m.System.Actions {
		marks, ok := s.marksOf(a)
		if !ok {
			return errInterpret
		}
		s.marks = append(s.marks, marks)
	}
	opts := compile.Options{Intervals: forced, Bindings: true}
	terms := slices.Concat(ranges, s.predicates.terms)
	p, err := compile.Compile(ctx, m, terms, opts)
	conditions := slices.ContainsFunc(s.marks, func(m actionMarks) bool { return m.fairIf != nil })
	if errors.Is(err, compile.ErrUnsupported) && s.limits.watch != nil {
		return errApart
	}
	if errors.Is(err, compile.ErrUnsupported) && len(s.predicates.terms) > 0 && !conditions {
		s.predicates.set(nil)
		terms = ranges
		p, err = compile.Compile(ctx, m, terms, opts)
	}
	switch {
	case errors.Is(err, compile.ErrUnsupported), program.IsEvaluation(err),
		err != nil && ctx.Err() != nil:
		return errInterpret // it meets the error again
	case err != nil:
		return err
	}
	s.marker = s
	return s.open(p, terms, func(action int, _ interp.State, step interp.Step) (uint32, error) {
		return uint32(action)<<16 | s.index(action, step.Args), nil
	})
}
