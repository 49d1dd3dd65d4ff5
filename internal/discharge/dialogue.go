package discharge

import (
	"context"
	"errors"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
)

// Dialogue asks many questions about one theory, one after the other, in processes that stay until
// Close. Only one goroutine may use it; several dialogues may run in parallel. Which questions stay
// open depends on the questions before them; an answer of Decide counts in full.
type Dialogue struct {
	asker  *asker
	ground *grounder  // of models, nil before the first
	models *processes // that are asked for models of the theory without quantifiers
}

// Dialogue begins a dialogue about the theory of a group.
func (d *Discharger) Dialogue(g *Group) *Dialogue {
	return &Dialogue{asker: newAsker(d, &Group{Theory: g.Theory, Path: g.Path})}
}

// Close ends the processes. A later question starts others.
func (d *Dialogue) Close() {
	d.asker.close()
	if d.models != nil {
		d.models.close()
	}
}

// Decide gives an obligation its verdict.
func (d *Dialogue) Decide(ctx context.Context, o *Obligation) {
	a := d.asker
	a.in.slots <- struct{}{}
	defer func() { <-a.in.slots }()
	if ctx.Err() != nil {
		o.Verdict, o.Reason = result.Unknown, result.Ended(ctx, "")
		return
	}
	a.group.Obligations, a.linearized = []*Obligation{o}, false
	if a.linear != nil {
		a.linear.close()
		a.linear = nil
	}
	a.settle(ctx, o)
}

// Sizes of the models that Model looks for: elements of a sort, and the absolute value of integers.
const (
	modelSize  = 3
	modelBound = 3
)

// Model looks for a small model of the theory in which a goal is false. Nil means that none was
// found.
func (d *Dialogue) Model(ctx context.Context, goal *logic.Term) *result.Trace {
	a := d.asker
	a.in.slots <- struct{}{}
	defer func() { <-a.in.slots }()
	if ctx.Err() != nil {
		return nil
	}
	if d.ground == nil {
		d.ground = newGrounder(a.in.sys, modelSize, modelBound)
		d.models = newProcesses(a.in,
			&Group{Theory: d.ground.theory(a.group.Theory), Path: a.group.Path})
	}
	o := &Obligation{Obligation: result.Obligation{Name: "a small model"},
		Goal: d.ground.term(goal)}
	r := restriction{elements: d.ground.elements, bound: modelBound, limit: a.full}
	for i := range a.in.drivers {
		m, err := modeller{d.models}.modelWith(ctx, o, i, r)
		switch {
		case err == nil && m != nil:
			return m.trace
		case err == nil || errors.Is(err, errNoModel) || ctx.Err() != nil:
			return nil
		}
		// The next solver may find one.
	}
	return nil
}
