package infer

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// widest is the largest integer that a step of a sampled run chooses freely.
const widest = 4

// finite is the system whose steps choose integers from a window: what is sampled are some of its
// runs. An action whose values are not the solutions of its guards stays as it is.
func finite(sys *system.System) *system.System {
	out := *sys
	out.Actions = slices.Clone(sys.Actions)
	for i, a := range out.Actions {
		if b := inWindow(&out, a); b != nil {
			out.Actions[i] = b
		}
	}
	return &out
}

// inWindow is an action whose integers lie in the window, nil if it chooses none.
func inWindow(sys *system.System, a *system.Action) *system.Action {
	window := &logic.Sort{Name: "window", Kind: logic.KindRange, Lo: logic.IntLit(0),
		Hi: logic.IntLit(widest)}
	chosen := map[*logic.Var]*logic.Term{}
	narrow := func(vars []*logic.Var) []*logic.Var {
		out := slices.Clone(vars)
		for i, v := range out {
			if v.Sort.Kind == logic.KindInt {
				out[i] = &logic.Var{Name: v.Name, Sort: window, Span: v.Span}
				chosen[v] = logic.Ref(out[i])
			}
		}
		return out
	}
	b, rel := *a, *a.Relation
	b.Params, rel.Choices = narrow(a.Params), narrow(rel.Choices)
	if len(chosen) == 0 {
		return nil
	}
	rel.Guard, rel.Updates = slices.Clone(rel.Guard), slices.Clone(rel.Updates)
	for i, g := range rel.Guard {
		rel.Guard[i] = logic.Subst(g, chosen)
	}
	for i, u := range rel.Updates {
		u.Args = slices.Clone(u.Args)
		for j, arg := range u.Args {
			u.Args[j] = logic.Subst(arg, chosen)
		}
		u.Value = logic.Subst(u.Value, chosen)
		rel.Updates[i] = u
	}
	b.Relation, b.Imperative, b.FairIf, b.Fairness = &rel, false, nil, system.Unfair
	if system.CodeOf(sys, &b) != nil {
		return nil
	}
	return &b
}
