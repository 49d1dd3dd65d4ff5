package accel

import (
	"context"
	"fmt"
	"slices"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/presburger"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Name is the engine's name in results.
const Name = "accel"

// Engine decides claims about reachable states by computing these.
type Engine struct{ Effort Effort }

// Name is the engine's name in results.
func (e *Engine) Name() string { return Name }

// Accepts gives the reason why there is nothing to compute.
func (e *Engine) Accepts(t *engine.Task) string {
	switch {
	case t.Method != engine.Accelerate || t.System == nil:
		return "reachable states are computed of a system, for all instances"
	case !t.Has(engine.Claim.IsInvariant):
		return "nothing is claimed of states"
	}
	if err := supported(t.System); err != nil {
		return err.Error()
	}
	return ""
}

// Run decides the claims, as far as the effort goes. A claim that is not decided has no result; a
// note says where the search stopped. Only claims of the same task are decided together.
func (e *Engine) Run(
	ctx context.Context, t *engine.Task, to engine.Sink,
) (*engine.Findings, error) {
	within, cancel := t.Limits.Each.Bound(ctx)
	defer cancel()
	effort := e.Effort
	if effort.Nodes == 0 {
		effort = Default
	}
	d := &decision{sys: t.System, begin: time.Now(), effort: effort, to: to,
		store: presburger.NewStore(within, effort.Nodes), found: &engine.Findings{}}
	for _, c := range t.Claims {
		if c.IsInvariant() {
			d.open = append(d.open, c.Property)
		}
	}
	var err error
	if stop := d.store.Try(func() { err = d.run(within) }); stop != nil {
		err = stop
	}
	if err != nil {
		return nil, fmt.Errorf("computing the reachable states: %w", err)
	}
	return d.found, nil
}

// decision is a run of the engine.
type decision struct {
	sys    *system.System
	begin  time.Time
	effort Effort
	to     engine.Sink
	store  *presburger.Store
	found  *engine.Findings
	open   []*system.Property
}

func (d *decision) run(ctx context.Context) error {
	d.to.Tell(engine.Progress{Subtask: Name, Text: "computing the reachable states"})
	m, init, err := newMachine(d.store, d.sys)
	if err != nil {
		return err
	}
	m.tell = func(made int64) {
		d.to.Tell(engine.Progress{Subtask: Name, Unit: "nodes", Done: made, Total: d.effort.Made,
			Text: fmt.Sprintf("computing the reachable states: %d nodes of automata", made)})
	}
	if init.empty() {
		return nil // whether there is an initial state is asked elsewhere
	}
	for len(d.open) > 0 {
		bad := m.none()
		for _, p := range d.open {
			x, err := m.states(logic.Not(p.Term))
			if err != nil {
				return err
			}
			bad = each(bad, x, d.store.Or)
		}
		small := m.reduced(d.sys, init, bad)
		s, got, err := small.find(forwards, small.init, small.bad, small.edges, d.effort)
		switch {
		case err != nil:
			return err
		case s.targetPlace >= 0:
			path := small.run(s.run(small.init, small.bad))
			if err := d.violated(ctx, m, path); err != nil {
				return err
			}
		case got.complete:
			got.reach = small.restored(got.reach)
			d.holds(m, init, bad, got)
			return nil
		default:
			d.note("acceleration of loops stopped: %s", got.incomplete)
			return nil
		}
	}
	return nil
}

func (d *decision) note(format string, args ...any) {
	d.found.Notes = append(d.found.Notes, fmt.Sprintf(format, args...))
}

// states gives the states for which a formula is true.
func (m *machine) states(t *logic.Term) (region, error) {
	out := make(region, len(m.places))
	for p := range m.places {
		var err error
		if out[p], err = m.set(m.at(p).fold(logic.Unfolded(t))); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// holds gives the open claims the verdict that they hold, when the region is checked.
func (d *decision) holds(m *machine, init, bad region, got *found) {
	leaving := m.leaving(got.reach, m.edges)
	if !m.within(init, got.reach) || len(leaving) > 0 || m.meet(got.reach, bad) {
		d.note("acceleration of loops gave a region that is not inductive, or not within what is " +
			"claimed, so nothing is said")
		return
	}
	obligation := func(name, action, property string) result.Obligation {
		return result.Obligation{Name: name, Action: action, Property: property,
			Verdict: result.Holds, Solver: result.Nobody(), Method: "automata"}
	}
	shared := []result.Obligation{obligation("initiation of the region", "", "")}
	for _, a := range d.sys.Actions {
		shared = append(shared, obligation(a.Name+" preserves the region", a.Name, ""))
	}
	for _, p := range d.open {
		d.found.Results = append(d.found.Results, result.Result{Property: p.Name, Kind: p.Kind,
			Verdict: result.Holds, Scope: result.ScopeAll, Engine: Name, Line: p.Span.Line(),
			Elapsed: time.Since(d.begin),
			Evidence: &result.Evidence{Induction: 1, Obligations: append(slices.Clip(shared),
				obligation("the region implies "+p.Name, "", p.Name))}})
	}
	d.note("acceleration of loops found exactly the reachable states: %s; no step leaves them",
		m.size(got))
	d.open = nil
}

// size says how large a region is.
func (m *machine) size(got *found) string {
	places := 0
	for _, x := range got.reach {
		if !x.IsEmpty() {
			places++
		}
	}
	return fmt.Sprintf("%s, automata of %d nodes, %s",
		engine.Counted(places, "place", "places"), got.reach.nodes(),
		engine.Counted(got.loops, "loop", "loops"))
}

// violated gives the claims that a run violates their verdict, when the run is replayed.
func (d *decision) violated(ctx context.Context, m *machine, path []at) error {
	trace := m.trace(d.sys, path)
	last := path[len(path)-1]
	var left []*system.Property
	for _, p := range d.open {
		x, err := m.set(m.at(last.place).fold(logic.Unfolded(logic.Not(p.Term))))
		if err != nil {
			return err
		}
		if !m.store.Has(x, last.x) {
			left = append(left, p)
			continue
		}
		own := *trace
		own.Violates = p.Name
		if err := interp.Replay(ctx, d.sys, &own, p); err != nil {
			d.note("acceleration of loops found a run that violates %s, but %v", p.Name, err)
			continue
		}
		d.found.Results = append(d.found.Results, result.Result{Property: p.Name, Kind: p.Kind,
			Verdict: result.Violated, Scope: result.ScopeAll, Engine: Name, Line: p.Span.Line(),
			Depth: int64(len(own.Steps)), Elapsed: time.Since(d.begin), Trace: &own})
	}
	d.open = left
	return nil
}

// trace writes a run.
func (m *machine) trace(sys *system.System, path []at) *result.Trace {
	t := &result.Trace{Kind: result.Counterexample, Loop: -1}
	for i, x := range path {
		step := result.Step{}
		if x.edge != nil {
			step.Action = sys.Actions[x.edge.action].Name
		}
		v := m.at(x.place)
		for k, sym := range m.vars {
			v[sym] = x.x[k]
		}
		for _, sym := range sys.Symbols {
			n, ok := v[sym]
			if !ok {
				continue // an input
			}
			b := result.Binding{Name: sym.Name, Value: value(sym.Result, n)}
			if sym.Mutable {
				step.State = append(step.State, b)
			} else if i == 0 {
				t.Params = append(t.Params, b)
			}
		}
		t.Steps = append(t.Steps, step)
	}
	return t
}

func value(s *logic.Sort, n int64) result.Value {
	switch {
	case s.Kind == logic.KindBool:
		return result.Bool(n == 1)
	case s.Base() == logic.Int:
		return result.Int(fmt.Sprint(n))
	}
	return result.Atom(s.Name, s.Members[n])
}
