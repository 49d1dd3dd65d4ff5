package ranking

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// possibility is the claim that an action can be taken wherever a simpler condition than its guard
// is true: what it asks of the values that it chooses then follows, from the invariants and from
// the finiteness of sorts. Where that is proved, the simpler condition stands for the guard.
type possibility struct {
	action *system.Action // of the user's system
	when   *logic.Term    // over the action's parameters; it is true wherever the guard is
	chosen *logic.Term    // there are values to choose
}

// possibilities lists the claims that may be made about a system, of each action the simplest
// condition first.
func possibilities(sys *system.System) (out []*possibility) {
	for _, a := range sys.Actions {
		g := guardOf(sys, a)
		if g == nil || len(g.about) == 0 {
			continue
		}
		none := func(*logic.Term) bool { return false }
		all, seen := g.chosen(nil), ""
		for _, keep := range []func(*logic.Term) bool{none, isLiteral} {
			when := logic.And(g.plain, g.chosen(keep))
			if text := when.String(); text != seen && !logic.Equal(when, logic.And(g.plain, all)) {
				seen = text
				out = append(out, &possibility{a, when, all})
			}
		}
	}
	return out
}

// isLiteral reports whether a formula has neither quantifiers nor several cases.
func isLiteral(t *logic.Term) bool {
	return !logic.Has(t, func(t *logic.Term) bool {
		return t.IsQuantifier() || t.Op == logic.OpImplies || t.Op == logic.OpOr ||
			t.Op == logic.OpIte
	})
}

func (c *possibility) String() string {
	return fmt.Sprintf("%s can be taken where %s", c.action.Name, c.when)
}

// claim states it about all states that satisfy what is proved and trusted.
func (c *possibility) claim(
	sys *system.System, trusted, invariants []*system.Property, o *discharge.Obligation,
) *discharge.Group {
	t := &vc.Theory{}
	t.Background(sys, trusted, vc.Versions{})
	eachConjunct(invariants, func(name string, c *logic.Term) { t.AssumeAs(name, c) })
	facts, _ := extrema(c.chosen)
	t.Assume(facts...)
	o.Goal = logic.Forall(c.action.Params, logic.Implies(c.when, c.chosen))
	o.Action = c.action.Name
	return &discharge.Group{Theory: t, Obligations: []*discharge.Obligation{o},
		Path: vc.OneState()}
}

// provedPossible gives the claims that are proved at a low limit, the first of each action.
func provedPossible(
	ctx context.Context, sys *system.System, invariants []*system.Property, opts discharge.Options,
) (out []*possibility, err error) {
	all := possibilities(sys)
	if len(all) == 0 {
		return nil, nil
	}
	d, err := brief(ctx, sys, opts)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if slices.ContainsFunc(out, func(p *possibility) bool { return p.action == c.action }) {
			continue
		}
		o := &discharge.Obligation{Obligation: result.Obligation{Name: c.String()}}
		d.All(ctx, []*discharge.Group{c.claim(sys, sys.Trusted(), invariants, o)})
		if o.Verdict == result.Holds {
			out = append(out, c)
		}
	}
	return out, nil
}
