package vacuity

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Watched is a system with a property for each sign and each action, and otherwise the same runs.
// The property is violated where the sign is true, or after the action is taken: each has a truth
// value of its own that records this. The names are the names of these properties, in this order.
func Watched(
	sys *system.System, signs []Sign, actions []string,
) (out *system.System, names []string) {
	c := *sys
	c.Properties, c.Symbols = slices.Clone(sys.Properties), slices.Clone(sys.Symbols)
	c.Inits, c.Actions = slices.Clone(sys.Inits), slices.Clone(sys.Actions)
	claim := func(name string, never *logic.Term) {
		names = append(names, name)
		c.Properties = append(c.Properties,
			&system.Property{Name: name, Kind: system.Invariant, Term: never})
	}
	for i, s := range signs {
		claim(fmt.Sprintf("sign %d", i), logic.Not(s.Term))
	}
	for i, a := range c.Actions {
		if !slices.Contains(actions, a.Name) {
			continue
		}
		taken := &logic.Symbol{Name: "taken " + a.Name, Result: logic.Bool, Mutable: true,
			Kind: logic.Relation}
		now := logic.App(taken, logic.Pre)
		c.Symbols = append(c.Symbols, taken)
		c.Inits = append(c.Inits, &system.Formula{Term: logic.Not(now)})
		mark := system.Update{Symbol: taken, Value: logic.True}
		watched := *a
		watched.Modifies = append(slices.Clone(a.Modifies), taken)
		if a.Relation != nil {
			rel := *a.Relation
			rel.Updates = append(slices.Clone(rel.Updates), mark)
			watched.Relation = &rel
		}
		watched.Code = append(slices.Clone(a.Code), system.Assign{Updates: []system.Update{mark}})
		c.Actions[i] = &watched
		claim(taken.Name, logic.Not(now))
	}
	return &c, names
}
