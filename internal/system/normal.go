package system

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// Normal is a system that means the same, with all formulas in normal form (logic.Normal): what a
// search reads off it does not depend on how the file is worded. Guards are split into their
// conjuncts. Symbols, names, programs and hints stay as written.
func Normal(s *System) *System {
	out := *s
	out.Axioms, out.Inits = formulas(s.Axioms), formulas(s.Inits)
	out.Derived = make([]*Derived, len(s.Derived))
	for i, d := range s.Derived {
		c := *d
		if c.Axiom = logic.Normal(d.Axiom); d.Body != nil {
			c.Axiom, c.Body = d.Axiom, logic.Normal(d.Body)
		}
		out.Derived[i] = &c
	}
	actions := map[*Action]*Action{}
	out.Actions = make([]*Action, len(s.Actions))
	for i, a := range s.Actions {
		out.Actions[i] = normalAction(a)
		actions[a] = out.Actions[i]
	}
	properties := map[*Property]*Property{}
	out.Properties = make([]*Property, len(s.Properties))
	for i, p := range s.Properties {
		c := *p
		if c.Term = logic.Normal(p.Term); p.Kind == Liveness {
			c.Term = normalLiveness(p.Term)
		}
		out.Properties[i] = &c
		properties[p] = &c
	}
	out.Scenarios = make([]*Scenario, len(s.Scenarios))
	for i, sc := range s.Scenarios {
		out.Scenarios[i] = called(sc, actions)
	}
	out.Rankings = make([]*Ranking, len(s.Rankings))
	for i, r := range s.Rankings {
		c := *r
		c.Property = properties[r.Property]
		c.Never = make([]*Never, len(r.Never))
		for j, n := range r.Never {
			other := *n
			other.Action = actions[n.Action]
			c.Never[j] = &other
		}
		c.Measures = make([]*Measure, len(r.Measures))
		for j, m := range r.Measures {
			other := *m
			other.Action = actions[m.Action]
			c.Measures[j] = &other
		}
		out.Rankings[i] = &c
	}
	out.Fbiis = make([]*Fbii, len(s.Fbiis))
	for i, f := range s.Fbiis {
		c := *f
		c.Property = properties[f.Property]
		out.Fbiis[i] = &c
	}
	return &out
}

func formulas(fs []*Formula) []*Formula {
	out := make([]*Formula, len(fs))
	for i, f := range fs {
		c := *f
		c.Term = logic.Normal(f.Term)
		out[i] = &c
	}
	return out
}

// normalLiveness keeps the variables of a liveness property, which hints read, and its form.
func normalLiveness(t *logic.Term) *logic.Term {
	if t.Op == logic.OpForall {
		return logic.MapArgs(t, normalLiveness)
	}
	return logic.MapArgs(t, logic.Normal)
}

func normalAction(a *Action) *Action {
	c := *a
	if a.FairIf != nil {
		c.FairIf = logic.Normal(a.FairIf)
	}
	r := *a.Relation
	r.Guard = logic.Conjuncts(logic.Normal(logic.And(a.Relation.Guard...)))
	r.Updates = slices.Clone(a.Relation.Updates)
	for i := range r.Updates {
		r.Updates[i].Value = logic.NormalValue(r.Updates[i].Value)
	}
	c.Relation = &r
	return &c
}

// called is a scenario about other actions.
func called(s *Scenario, actions map[*Action]*Action) *Scenario {
	c := *s
	c.Components = slices.Clone(s.Components)
	for i := range c.Components {
		c.Components[i].Calls = slices.Clone(c.Components[i].Calls)
		for j := range c.Components[i].Calls {
			c.Components[i].Calls[j].Action = actions[c.Components[i].Calls[j].Action]
		}
	}
	return &c
}
