package temporal

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// In a computed system, formulas may be about steps: the ones that fairness asks for, and parts of
// properties, such as [A]_v of TLA+ (Lamport, The temporal logic of actions, 1994). The
// exploration evaluates them for each step. The mark of an edge stands for the set of the formulas
// that are true of it. They depend on the two states alone, so equal edges have equal marks.

// computedGraph is what is special of the graph of a computed system.
type computedGraph struct {
	system    *system.System
	steps     numbered // the formulas of steps; the ones that fairness asks for come first
	generated int64    // initial states and successors, with repetitions
	outside   bool     // a watched predicate is false outside of the boundary
	// Of each mark: whether each of them is true, by a byte, and whether the step only says that
	// the run stays where it is.
	marks []stepMark
	known map[stepKey]uint32
}

type stepMark struct {
	truth []byte
	stays bool
}

type stepKey struct {
	truths uint16
	stays  bool
}

// generated counts initial states and successors with repetitions, in a computed system.
func (g *graph) generated() int64 {
	if g.computed == nil {
		return 0
	}
	return g.computed.generated
}

// withoutView is the number of states that are explored where a view is not used: there may be
// endlessly many, and they grow.
const withoutView = 1 << 12

// whole is a model in which each state stands for itself: a run of representatives need not be one.
// Where that may have endlessly many states, some are explored.
func whole(m *interp.Model, l *limits) *interp.Model {
	r, ok := m.System.Computed.Computed.(system.Representing)
	if !ok {
		return m
	}
	out, sys, computation := *m, *m.System, *m.System.Computed
	c, finite := r.Whole()
	computation.Computed = c
	sys.Computed, out.System = &computation, &sys
	if !finite && l.States == 0 {
		l.States, l.StatesNote = withoutView, ": the view is not used for temporal "+
			"properties, since states with equal views may have different runs; --max-states "+
			"explores further"
	}
	return &out
}

// unwatch has the properties of states decided by a search of their own.
func (l *limits) unwatch() {
	l.watch.tell()
	l.predicates, l.watch = l.predicates[:len(l.predicates)-len(l.watch.terms)], nil
}

// exploreComputed is the explorer of computed systems.
func exploreComputed(ctx context.Context, m *interp.Model, l limits) (*graph, error) {
	if l.checkpoint.Dir != "" {
		return nil, engine.Unfit(m.System.NeedsFormulas("be saved in a checkpoint"))
	}
	if !l.alike {
		all := whole(m, &l)
		if all != m && l.watch != nil { // properties of states are looked at in representatives
			l.unwatch()
		}
		m = all
	}
	for forced := map[int]compile.Interval{}; ; {
		g, err := computedGraphOf(ctx, m, l, forced)
		if errors.Is(err, errApart) {
			l.unwatch()
			continue
		}
		again, err := compile.Widen(forced, err)
		if !again {
			return g, err
		}
	}
}

func computedGraphOf(
	ctx context.Context, m *interp.Model, l limits, forced map[int]compile.Interval,
) (_ *graph, err error) {
	s := &search{graph: newGraph(m), limits: l}
	c := &computedGraph{system: m.System, known: map[stepKey]uint32{},
		marks: make([]stepMark, conditions)}
	s.graph.computed = c
	for _, f := range m.System.Computed.Conditions {
		c.steps.numberOf(f.Taken)
	}
	var states []*logic.Term
	for _, t := range l.predicates {
		if m.System.OfStep(t) {
			c.steps.numberOf(t)
		} else {
			states = append(states, t)
		}
	}
	s.predicates.set(states)
	states = s.predicates.terms // each once
	p, err := program.NewComputed(ctx, m, states, forced)
	if err != nil {
		return nil, err
	}
	if err := p.AskTruths(c.steps.terms); err != nil {
		return nil, err
	}
	if l.watch != nil {
		s.watched = l.watch.numbers(&s.predicates)
	}
	steps := &computedSteps{computedGraph: c, model: m, program: p}
	s.marker = steps
	if err := s.open(p, states, steps.label); err != nil {
		return nil, err
	}
	s.Space.Stay = steps.stay
	defer func() { err = errors.Join(err, s.release()) }()
	if err := s.ended(ctx, s.run(ctx), l.Limits); err != nil {
		if l.watch != nil {
			l.watch.left = s.graph
		}
		return nil, err
	}
	s.Store.Seal()
	return s.graph, s.evaluateRest(ctx)
}

// observeComputed counts what a task generated, and notes violations outside of the boundary.
func (s *search) observeComputed(t *explore.Task, end int) {
	s.computed.generated += t.Generated
	for _, d := range t.Deadlocks {
		if d < end {
			s.deadlocks++
		}
	}
	for _, k := range s.watched {
		if len(t.Beyond) > 0 && t.Beyond[k].Found {
			s.computed.outside = true
		}
	}
}

// addComputed adds an initial state within the boundary. The watched predicates are evaluated here
// in the others.
func (s *search) addComputed(
	state interp.State, inside bool, add func(interp.State) error,
) error {
	if s.computed.generated++; inside {
		return add(state)
	}
	for _, k := range s.watched {
		holds, err := s.model.Holds(s.predicates.terms[k], state)
		s.computed.outside = s.computed.outside || err != nil || !holds
	}
	return nil
}

// computedSteps labels the steps of a computed system: with the number of the action, which for a
// step that stays is behind the last one, and with the number of the set of true formulas.
type computedSteps struct {
	*computedGraph
	model   *interp.Model
	program *program.Computed
}

// label is the label of a step of the interpreter.
func (c *computedSteps) label(
	action int, from interp.State, step interp.Step,
) (uint32, error) {
	n, err := c.program.TruthNumber(func(t *logic.Term) (bool, error) {
		return c.model.Holds(t, from, step.State)
	})
	if err != nil {
		err = &interp.ActionError{Model: c.model, Action: step.Action, Args: step.Args, Err: err}
	}
	return uint32(action)<<16 | uint32(n), err
}

// stay is the label of the step that stays in a state.
func (c *computedSteps) stay(s interp.State, steps int) (uint32, bool, error) {
	if steps > 0 && !c.system.Computed.Stutters {
		return 0, false, nil
	}
	label, err := c.label(len(c.system.Actions), s, interp.Step{State: s})
	return label, true, err
}

func (c *computedSteps) markOf(label uint32, _ []uint64) (action int, mark uint32) {
	action = int(label >> 16)
	key := stepKey{uint16(label & math.MaxUint16), action == len(c.system.Actions)}
	mark, ok := c.known[key]
	if !ok {
		// Edges with the mark of unfair steps take the least room.
		if mark = unfair; len(c.known) > 0 {
			mark = uint32(len(c.marks))
			c.marks = append(c.marks, stepMark{})
		}
		c.known[key] = mark
		c.marks[mark] = stepMark{c.program.Truths(key.truths), key.stays}
	}
	return action, mark
}

// fairness gives the conditions of fairness.
func (c *computedGraph) fairness(ctx context.Context, g *graph) (*fairness, error) {
	f := &fairness{computed: true, takes: make([][]uint32, len(c.marks))}
	var terms []*logic.Term
	var taken []int
	for _, x := range c.system.Computed.Conditions {
		kind := system.Weak
		if x.Strong {
			kind = system.Strong
		}
		f.of = append(f.of, kind)
		terms, taken = append(terms, x.Enabled), append(taken, c.steps.find(x.Taken))
	}
	for mark := range c.marks {
		for i, k := range taken {
			if c.isTrue(uint32(mark), k) {
				f.takes[mark] = append(f.takes[mark], uint32(i))
			}
		}
	}
	var err error
	f.enabled, err = g.evaluate(ctx, terms, func(uint32) {})
	return f, err
}

// isTrue reports whether a formula of steps is true of the edges with a mark.
func (c *computedGraph) isTrue(mark uint32, step int) bool {
	truth := c.marks[mark].truth
	return step < len(truth) && truth[step] == 1
}

// constant says that a formula of steps is true of all edges, or of none, and which it is.
func (c *computedGraph) constant(step int) (value, ok bool) {
	some, all := false, true
	for mark, m := range c.marks {
		if m.truth != nil {
			yes := c.isTrue(uint32(mark), step)
			some, all = some || yes, all && yes
		}
	}
	return some, some == all
}

// atoms are the atoms of a formula on a graph.
type atoms struct {
	holds []bits // of each atom of states: the states in which it is true
	step  []int  // of each atom: the number of the formula of steps that it is, -1 for none
}

// evaluateAtoms finds out where atoms are true.
func (g *graph) evaluateAtoms(
	ctx context.Context, terms []*logic.Term, tell func(n uint32),
) (*atoms, error) {
	out := &atoms{holds: make([]bits, len(terms)), step: make([]int, len(terms))}
	var states []*logic.Term
	for i, t := range terms {
		if out.step[i] = -1; !g.model.System.OfStep(t) {
			states = append(states, t)
		} else if out.step[i] = g.computed.steps.find(t); out.step[i] < 0 {
			return nil, &unsupportedError{t.Span,
				fmt.Sprintf("the exploration did not evaluate %s", t)}
		}
	}
	holds, err := g.evaluate(ctx, states, tell)
	if err != nil {
		return nil, err
	}
	for i, k := range out.step {
		if k < 0 {
			out.holds[i], holds = holds[0], holds[1:]
		}
	}
	return out, nil
}

// constant says that an atom has the same value everywhere.
func (a *atoms) constant(g *graph, atom int) (value, ok bool) {
	if k := a.step[atom]; k >= 0 {
		return g.computed.constant(k)
	}
	return a.holds[atom].constant(g.count())
}

// separate takes the literals about steps out of the labels of an automaton, and gives, for each
// node, the marks of the edges with which a run can leave it; nil for all.
func (a *atoms) separate(g *graph, of *automaton) []bits {
	permits := make([]bits, len(of.nodes))
	for q := range of.nodes {
		n := &of.nodes[q]
		own := slices.Clone(n.label)
		n.label = slices.DeleteFunc(n.label, func(l literal) bool { return a.step[l.atom] >= 0 })
		if len(n.label) == len(own) {
			continue
		}
		permits[q] = newBits(len(g.computed.marks))
		for mark := range uint32(len(g.computed.marks)) {
			if !slices.ContainsFunc(own, func(l literal) bool {
				k := a.step[l.atom]
				return k >= 0 && g.computed.isTrue(mark, k) == l.negated
			}) {
				permits[q].set(mark)
			}
		}
	}
	return permits
}

// lets reports whether a run can leave a node of the automaton along an edge.
func (a *automaton) lets(q int, edge uint64) bool {
	return a.permits == nil || a.permits[q] == nil || a.permits[q].has(uint32(edge>>32))
}
