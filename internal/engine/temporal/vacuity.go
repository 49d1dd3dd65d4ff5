package temporal

import (
	"context"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
)

// Stats list the signs and actions that were not seen.
type Stats struct {
	States       int64          // distinct
	Complete     bool           // all states were found and expanded
	Vacuous      []vacuity.Sign // signs of Options.Signs that are true in no state found
	Shown        []vacuity.Sign // signs of Options.Signs that are true in some state
	NeverEnabled []string       // actions without a step from any expanded state
}

// unseen fills the statistics. A sign that cannot be evaluated in some state is left out.
func (g *graph) unseen(ctx context.Context, signs []vacuity.Sign, out *Stats) {
	out.States = int64(g.count())
	out.Complete = !g.stopped.Given() && g.failed == nil
	for i, a := range g.model.System.Actions {
		if !g.enabled[i] {
			out.NeverEnabled = append(out.NeverEnabled, a.Name)
		}
	}
	for _, sign := range signs {
		switch shown, err := g.reaches(ctx, sign); {
		case err != nil:
		case shown:
			out.Shown = append(out.Shown, sign)
		default:
			out.Vacuous = append(out.Vacuous, sign)
		}
	}
}

func (g *graph) reaches(ctx context.Context, sign vacuity.Sign) (bool, error) {
	states := g.count()
	if sign.Initial {
		states = g.initial
	}
	term, value := sign.Term, true
	for term.Op == logic.OpNot {
		term, value = term.Args[0], !value
	}
	if i := g.find(term); i >= 0 {
		return g.some(i, value, uint32(states))
	}
	for n := range uint32(states) {
		if n%1024 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if holds, err := g.model.Holds(sign.Term, g.state(n)); err != nil || holds {
			return holds, err
		}
	}
	return false, nil
}

// unsatisfied lists the antecedents of a property that no fair run satisfies. An antecedent that
// cannot be decided is left out.
func (c *checker) unsatisfied(
	ctx context.Context, g *graph, p *system.Property,
) (out []vacuity.Sign) {
	for _, sign := range vacuity.Runs(p) {
		never := *p
		never.Term = logic.Not(sign.Term)
		if found, err := c.violated(ctx, g, &never, nil); err == nil && !found && ctx.Err() == nil {
			out = append(out, sign)
		}
	}
	return out
}
