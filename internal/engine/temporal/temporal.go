// Package temporal checks temporal properties of finite instances, under fairness.
//
// In: a system.System and a system.Instance. Out: a verdict for every liveness and temporal
// property; a counterexample is a run that ends in a loop, which package interp has replayed.
//
// # Runs
//
// A run begins in an initial state and takes steps as long as it can: it is infinite, or it ends in
// a state without successor, which then repeats for ever. So a system does not pause while some
// action can be taken; fairness says which actions cannot be put off for ever. As everywhere,
// trusted invariants are assumptions: there is no step into a state that violates one. An action is
// enabled in a state if it has a step from there.
//
// Fairness conditions are for all values of an action's parameters separately, whatever its choices
// are:
//
//   - `fair action a(x)`, weak: a(x) is not enabled in all states from some time on without being
//     taken infinitely often;
//   - `strong fair action a(x)`: if a(x) is enabled infinitely often then it is taken infinitely
//     often.
//
// With `fair if e`, they are about the steps of a(x) from states in which e is true: other steps
// count neither as enabled nor as taken. A step of a(x) that changes nothing counts as taken. A
// property holds if it is true of every fair run. There is no operator for the next moment, so its
// truth does not depend on how often in a row a run repeats a state, if only finitely often: a step
// that changes nothing, and a system in which one step is split into two of which the first changes
// nothing that the property sees, make no difference.
//
// # Method
//
// The reachable graph comes from the program that package compile makes; for a small instance, and
// where the system cannot be compiled, from package interp. The program also evaluates the state
// predicates of the properties. The states lie in a store, the edges are packed. The graph is
// combined with an automaton for the negation of the property (Vardi and Wolper, An
// automata-theoretic approach to automatic program verification, LICS 1986; see automaton.go), and
// a fair accepting cycle is sought in the combination. There is none exactly if no fair run
// violates the property. If the negation is a disjunction, as that of `forall C. ...` is, each part
// has a smaller automaton of its own.
//
// While the graph grows, the part that is known is looked at a few times, for violations near the
// initial states (see near.go).
//
// Whether there is a cycle is found without making the combination (see emptiness.go). Only if
// there is one, it is made, and a short run is found in it (see fair.go, lasso.go).
package temporal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
)

// Name is the engine's name in results.
const Name = "temporal"

// Options of Check. The zero value checks every liveness and temporal property without limits.
type Options struct {
	Only []string // names of the properties to check; nil for all
	// Limits end the exploration; Each is for the graph, and for each property on it.
	Limits  engine.Limits
	Memory  int64 // bytes for the graph and everything made from it; 0 for no limit
	Threads int   // 0 for one a processor
	Sink    engine.Sink
	Signs   []vacuity.Sign // formulas that should be true in some state, for Stats
	// Checkpoint says where the exploration is saved; a zero one saves nothing.
	Checkpoint explore.Checkpoint
	// Properties of states to decide on the same exploration, for Decision.Whole; nil for none.
	// They do not go with a checkpoint.
	Beside *Beside
}

// Decision is the outcome for the properties of an instance.
type Decision struct {
	Results []result.Result
	Stats   Stats  // zero where the graph is unknown
	Unsaved bool   // the exploration could not be saved, since it was interpreted
	Whole   *Whole // what it says of Options.Beside; nil if nothing
}

// Check explores an instance and decides its properties. States, Transitions and Depth of a result
// are the figures of the graph; the Depth of a violation is the number of states of its run, the
// loop included. If the graph is incomplete, because of a limit or because states outside a
// declared range are not expanded, a violation still counts, but nothing holds without reservation.
func Check(
	ctx context.Context, sys *system.System, inst *system.Instance, opts Options,
) ([]result.Result, error) {
	d, err := Decide(ctx, sys, inst, opts)
	if err != nil {
		return nil, err
	}
	return d.Results, nil
}

// Decide is Check with the statistics of the graph.
func Decide(
	ctx context.Context, sys *system.System, inst *system.Instance, opts Options,
) (*Decision, error) {
	d, err := decide(ctx, sys, inst, opts, findGraph)
	if err != nil {
		return nil, fmt.Errorf("temporal: %w", err)
	}
	return d, nil
}

func decide(
	ctx context.Context, sys *system.System, inst *system.Instance, opts Options, find explorer,
) (*Decision, error) {
	properties, err := engine.Select(sys, opts.Only, (*system.Property).IsTemporal,
		"liveness and temporal")
	if err != nil {
		return nil, err
	}
	d := &Decision{Results: make([]result.Result, len(properties))}
	if len(properties) == 0 {
		return d, nil
	}
	m, err := interp.NewModel(sys, inst)
	if err == nil {
		err = m.Enumerable()
	}
	if err != nil {
		return nil, err
	}
	c := &checker{m: m, opts: opts}
	begin := time.Now()
	explored, cancel := opts.Limits.Each.Bound(ctx)
	defer cancel()
	for i, p := range properties {
		d.Results[i] = result.Result{Property: p.Name, Kind: p.Kind, Line: p.Span.Line(),
			Scope: inst.Name, Engine: Name}
	}
	near := func(ctx context.Context, g *graph) (decided bool, err error) {
		decided = true
		for i, p := range properties {
			r := &d.Results[i]
			if r.Verdict == result.Violated {
				continue
			}
			l, err := c.violation(ctx, g, p)
			if err != nil || l == nil { // the whole graph decides, and meets the error again
				decided = false
				continue
			}
			r.States, r.Transitions = int64(g.count()), g.steps
			if err := c.report(ctx, g, p, l, r); err != nil {
				return false, err
			}
			r.Elapsed = time.Since(begin)
		}
		return decided, nil
	}
	signs := opts.Signs
	var w *watch
	if opts.Beside != nil {
		if w, err = opts.Beside.watch(sys); err != nil {
			return nil, err
		}
		signs = slices.Concat(signs, opts.Beside.Signs)
	}
	predicates := predicatesOf(m, properties, signs)
	if w != nil {
		predicates = slices.Concat(predicates, w.terms)
	}
	g, err := find(explored, m, limits{near: near, watch: w,
		Limits: opts.Limits, memory: opts.Memory,
		threads:    opts.Threads,
		predicates: predicates,
		tell: func(states, depth int64) {
			c.progress(engine.Progress{Subtask: inst.Name, Done: states,
				Text: fmt.Sprintf("exploring %s for temporal properties: %d states, depth %d",
					inst.Name, states, depth)})
		},
		checkpoint: opts.Checkpoint,
	})
	var ended result.Reason
	if err != nil {
		if ended = result.Over(explored); !ended.Given() {
			return nil, err
		}
		if w != nil {
			d.Whole = w.ended(explored)
		}
	}
	d.Unsaved = g != nil && g.unsaved
	runtime.GC() // free the memory of the exploration before memory fills again
	if !ended.Given() && ctx.Err() == nil {
		g.unseen(ctx, opts.Signs, &d.Stats)
		if w != nil {
			d.Whole = g.whole(ctx, w, opts.Beside.Signs)
		}
	}
	if d.Whole != nil {
		d.Whole.Elapsed = time.Since(begin)
	}
	for i, p := range properties {
		r := &d.Results[i]
		if r.Verdict == result.Violated { // near the initial states
			continue
		}
		if !ended.Given() {
			ended = result.Over(ctx)
		}
		if ended.Given() {
			r.Verdict, r.Reason = result.Unknown, ended
		} else {
			r.States, r.Transitions, r.Depth = int64(g.count()), g.steps, g.depth
			within, cancel := opts.Limits.Each.Bound(ctx)
			err := c.decide(within, g, p, r)
			if err == nil && r.Verdict == result.Holds && opts.Signs != nil {
				d.Stats.Vacuous = append(d.Stats.Vacuous, c.unsatisfied(within, g, p)...)
			}
			cancel()
			if err != nil {
				return nil, err
			}
		}
		r.Elapsed = time.Since(begin)
	}
	return d, nil
}

type checker struct {
	m        *interp.Model
	opts     Options
	reported engine.Ticker
}

// progress reports how many states were found, or examined.
func (c *checker) progress(p engine.Progress) {
	if c.reported.Due() {
		p.Unit = "states"
		c.opts.Sink.Tell(p)
	}
}

// evaluated reports in how many states the formulas of a property are evaluated.
func (c *checker) evaluated(p *system.Property, done, states int64) {
	in := c.m.Instance.Name
	c.progress(engine.Progress{Subtask: in + " " + p.Name, Done: done, Total: states,
		Text: fmt.Sprintf("checking %s on %s: %d of %d states", p.Name, in, done, states)})
}

// searched reports how many of the searches for a run that violates a property are done. There are
// few, and each may take long, so every one is reported.
func (c *checker) searched(p *system.Property, done, all int) {
	in := c.m.Instance.Name
	c.opts.Sink.Tell(engine.Progress{Subtask: in + " " + p.Name + " searches", Unit: "searches",
		Done: int64(done), Total: int64(all),
		Text: fmt.Sprintf("checking %s on %s: %d of %s for a violation", p.Name, in, done,
			engine.Counted(all, "search", "searches"))})
}

// decide finds the verdict on a property. An error is a defect of the program.
func (c *checker) decide(
	ctx context.Context, g *graph, p *system.Property, r *result.Result,
) error {
	c.evaluated(p, 0, r.States)
	unknown := func(reason result.Reason, bad uint32) error {
		r.Verdict, r.Reason = result.Unknown, reason
		if bad == math.MaxUint32 {
			return nil
		}
		path := g.pathTo(bad)
		trace, err := g.trace(ctx,
			&lasso{states: path, labels: make([]uint32, len(path)), loop: -1})
		if err == nil {
			err = interp.Replay(context.WithoutCancel(ctx), c.m.System, trace, nil)
		}
		if err != nil {
			return fmt.Errorf("internal error: the run to a state that cannot be evaluated does "+
				"not hold: %w", err)
		}
		r.Trace, r.Depth = trace, int64(len(path))
		return nil
	}
	switch {
	case g.failed != nil:
		return unknown(engine.Unevaluated(g.failed, g.failed.Error()), g.failedState)
	case g.count() == 0:
		r.Verdict, r.Reason = result.NothingChecked,
			result.Because(result.NoInitialState, "no initial state")
		return nil
	}
	l, err := c.violation(ctx, g, p)
	var unsupported *unsupportedError
	var predicate *predicateError
	switch {
	case ctx.Err() != nil:
		return unknown(result.Ended(ctx, ""), math.MaxUint32)
	case errors.As(err, &predicate):
		return unknown(engine.Unevaluated(predicate.err,
			fmt.Sprintf("%s cannot be evaluated in a reachable state: %v", p.Name, predicate.err)),
			predicate.state)
	case errors.Is(err, errMemory):
		return unknown(result.Because(result.Machine,
			fmt.Sprintf("%v to combine %d states with the property", err, g.count())),
			math.MaxUint32)
	case errors.As(err, &unsupported), isRefusal(err):
		return unknown(result.Because(result.Unsupported, err.Error()), math.MaxUint32)
	case err != nil:
		return fmt.Errorf("property %s: %w", p.Name, err)
	case l != nil:
		return c.report(ctx, g, p, l, r)
	case g.stopped.Given() && g.unexpandedFrom != math.MaxUint32 && g.steps == 0:
		return unknown(g.stopped.Then("; no step was looked at"), math.MaxUint32)
	case g.stopped.Given():
		r.Verdict, r.Reason = result.HoldsUpTo, g.stopped
	default:
		r.Verdict = result.Holds
	}
	return nil
}

// isRefusal says that a quantifier cannot be expanded over the instance.
func isRefusal(err error) bool {
	var term *interp.EvalError
	return errors.As(err, &term) || engine.IsRefusal(err)
}

// violation finds a fair run that violates a property, nil if there is none.
func (c *checker) violation(ctx context.Context, g *graph, p *system.Property) (*lasso, error) {
	var out *lasso
	_, err := c.violated(ctx, g, p, func(product *product) (found bool, err error) {
		f, err := fairComponents(ctx, product)
		if err != nil {
			return false, err
		}
		out, err = f.shortLasso()
		return out != nil, err
	})
	return out, err
}

// violated says whether some fair run violates a property. Show is called with the first product
// that may have such a run, and says whether it has one; nil to ask only whether there is a run.
func (c *checker) violated(
	ctx context.Context, g *graph, p *system.Property, show func(*product) (bool, error),
) (bool, error) {
	tr := newTranslator(c.m)
	negation, err := tr.formula(p.Term, true)
	if err != nil {
		return false, err
	}
	holds, err := g.evaluate(ctx, tr.atoms.terms, func(n uint32) {
		c.evaluated(p, int64(n), int64(g.count()))
	})
	if err != nil {
		return false, err
	}
	negation = tr.assume(negation, func(atom int) (bool, bool) {
		return holds[atom].constant(g.count())
	})
	parts := []*formula{negation}
	if negation.op == opOr {
		parts = negation.args
	}
	for next := 0; next < len(parts); {
		c.searched(p, next, len(parts))
		some := parts[next:min(next+c.threads(), len(parts))]
		looks := make([]look, len(some))
		for i, part := range some {
			if looks[i].automaton, err = translate(part); err != nil {
				return false, err
			}
		}
		c.look(ctx, g, holds, looks)
		for _, l := range looks {
			found, err := c.judge(ctx, g, holds, l, show)
			if found || err != nil {
				return found, err
			}
		}
		next += len(some)
	}
	return false, nil
}

func (c *checker) threads() int { return cmp.Or(max(c.opts.Threads, 0), runtime.GOMAXPROCS(0)) }

// look is a look at the product with an automaton: see mayBeFair.
type look struct {
	automaton   *automaton
	found, sure bool
	err         error
}

// look looks at several products at the same time, which share the memory.
func (c *checker) look(ctx context.Context, g *graph, holds []bits, looks []look) {
	g.unpackWithin(c.opts.Memory)
	memory := c.opts.Memory
	if have := forProduct(memory) - g.graphBytes(); memory > 0 && have > 0 {
		memory -= have * int64(len(looks)-1) / int64(len(looks)) / 3 * 4
	}
	var wg sync.WaitGroup
	for i := range looks {
		l := &looks[i]
		wg.Go(func() { l.found, l.sure, l.err = mayBeFair(ctx, g, l.automaton, holds, memory) })
	}
	wg.Wait()
}

// judge says whether a product that was looked at has a fair accepting cycle.
func (c *checker) judge(
	ctx context.Context, g *graph, holds []bits, l look, show func(*product) (bool, error),
) (bool, error) {
	switch {
	case l.err != nil || l.sure && !l.found:
		return false, l.err
	case l.sure && show == nil:
		return true, nil
	}
	product, err := newProduct(ctx, g, l.automaton, holds, c.opts.Memory)
	if err != nil {
		return false, err
	}
	if show == nil {
		f, err := fairComponents(ctx, product)
		return err == nil && len(f.found) > 0, err
	}
	shown, err := show(product)
	if err == nil && l.sure && !shown {
		err = errors.New("internal error: the two searches for a fair cycle disagree")
	}
	return shown, err
}

// report replays a violation and writes it down.
func (c *checker) report(
	ctx context.Context, g *graph, p *system.Property, l *lasso, r *result.Result,
) error {
	ctx = context.WithoutCancel(ctx)
	t, err := g.trace(ctx, l)
	if err != nil {
		return err
	}
	t.Violates, t.Line = p.Name, p.Span.Line()
	if t.Fairness, err = c.m.LoopFairness(ctx, t); err == nil {
		err = interp.Replay(ctx, c.m.System, t, p)
	}
	if err != nil {
		return fmt.Errorf("internal error: the counterexample to %s does not hold: %w", p.Name, err)
	}
	t.Why = c.witness(g, p, l)
	r.Verdict, r.Trace, r.Depth = result.Violated, t, int64(len(t.Steps))
	c.opts.Sink.Tell(engine.Violation(p.Name, r.Scope, r.Depth))
	return nil
}

// witness finds values of the variables of a universal property for which a run violates it. It
// gives nil if there are none, or they cannot be enumerated.
func (c *checker) witness(g *graph, p *system.Property, l *lasso) *result.Why {
	states := make([]interp.State, len(l.states))
	for i, n := range l.states {
		states[i] = g.state(n)
	}
	term := p.Term
	var args []interp.Arg
	for term.Op == logic.OpForall {
		v := term.Vars[0]
		values, err := c.m.Literals(v.Sort, v.Name)
		if err != nil {
			return nil
		}
		found := false
		for _, value := range values {
			rest := logic.Subst(logic.Forall(term.Vars[1:], term.Args[0]),
				map[*logic.Var]*logic.Term{v: value})
			holds, err := c.m.HoldsOnLasso(rest, states, l.loop)
			if err != nil || holds {
				continue
			}
			n, err := c.m.Eval(value, states[0])
			if err != nil {
				return nil
			}
			args, term, found = append(args, interp.Arg{Var: v, Value: n}), rest, true
			break
		}
		if !found {
			return nil
		}
	}
	if len(args) == 0 {
		return nil
	}
	text := logic.Printer{Style: logic.Stateless}.Term(p.Term)
	return &result.Why{Text: text, Value: result.Bool(false), Witness: c.m.ArgBindings(args)}
}

// trace gives a lasso in the user's names. With loop -1 it is a finite run, and its labels do not
// count.
func (g *graph) trace(ctx context.Context, l *lasso) (*result.Trace, error) {
	var steps []interp.Step
	last := len(l.states) - 1
	for i := range last {
		step, err := g.step(ctx, l.states[i], l.labels[i], l.states[i+1])
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	t := g.model.TraceOf(g.state(l.states[0]), steps...)
	if t.Loop = l.loop; t.Loop < 0 || l.labels[last] == repetition {
		return t, nil
	}
	back, err := g.step(ctx, l.states[last], l.labels[last], l.states[l.loop])
	if err != nil {
		return nil, err
	}
	t.Back = result.Step{Action: back.Action.Name, Args: g.model.ArgBindings(back.Args)}
	return t, nil
}

// step finds the step that an edge with a mark stands for.
func (g *graph) step(ctx context.Context, from, mark, to uint32) (interp.Step, error) {
	var out interp.Step
	goal, want := g.state(to), g.labels[mark]
	for _, a := range g.model.System.Actions {
		always := a.Fairness != system.Unfair && a.FairIf == nil
		if want.action != nil && want.action != a || mark == unfair && always {
			continue
		}
		err := g.model.Steps(ctx, g.state(from), a, func(s interp.Step) error {
			params := s.Args[:len(a.Params)]
			if !slices.Equal(s.State, goal) ||
				want.action != nil && !slices.Equal(params, want.params) {
				return nil
			}
			if mark == unfair {
				if fair, err := g.model.FairIn(g.state(from), a, params); fair || err != nil {
					return err
				}
			}
			out = s
			return interp.ErrStop
		})
		if out.Action != nil {
			return out, nil
		}
		if err != nil {
			return out, err
		}
	}
	return out, errors.New("internal error: a transition was lost")
}
