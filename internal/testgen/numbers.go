package testgen

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// maxExamples bounds the combinations of values that are tried for the parameters of an action
// which may be any integers.
const maxExamples = 400

// steps calls yield for the steps from a state. A parameter or choice that may be any integer takes
// examples: the numbers of the action and of the state, and their neighbours.
func (s *search) steps(
	ctx context.Context, from interp.State, yield func(interp.Step) error,
) error {
	if len(s.open) == 0 {
		return s.m.EachStep(ctx, from, yield)
	}
	over := false
	for _, a := range s.m.System.Actions {
		guides := []interp.Guide{{}}
		if open := s.open[a]; len(open) > 0 {
			guides = guidesOf(open, s.examples(a, from))
		}
		for _, g := range guides {
			err := s.m.GuidedSteps(ctx, from, a, g, func(x interp.Step) error {
				err := yield(x)
				over = errors.Is(err, interp.ErrStop)
				return err
			})
			if err != nil || over {
				return err
			}
		}
	}
	return nil
}

// openOf lists, for the actions that have some, the parameters and choices of sort int.
func openOf(sys *system.System) map[*system.Action][]*logic.Var {
	out := map[*system.Action][]*logic.Var{}
	for _, a := range sys.Actions {
		for _, v := range slices.Concat(a.Params, system.Choices(a.Code)) {
			if v.Sort.Kind == logic.KindInt {
				out[a] = append(out[a], v)
			}
		}
	}
	return out
}

// examples lists numbers, the smallest first.
func (s *search) examples(a *system.Action, from interp.State) []int64 {
	seen := map[int64]bool{}
	add := func(n int64) {
		if n > math.MinInt64 && n < math.MaxInt64 {
			seen[n-1], seen[n], seen[n+1] = true, true, true
		}
	}
	add(0)
	for _, n := range literals(a.Code) {
		add(n)
	}
	for slot, symbol := range s.m.SlotSymbols() {
		if symbol.Result.Base() == logic.Int {
			add(from[slot])
		}
	}
	return slices.SortedFunc(maps.Keys(seen), func(x, y int64) int {
		return cmp.Or(cmp.Compare(max(x, -x), max(y, -y)), cmp.Compare(y, x))
	})
}

// literals lists the numbers that code has.
func literals(code []system.Stmt) (out []int64) {
	look := func(ts ...*logic.Term) {
		for _, t := range ts {
			logic.Walk(t, func(t *logic.Term) bool {
				if t.Op == logic.OpInt && t.Int.IsInt64() {
					out = append(out, t.Int.Int64())
				}
				return true
			})
		}
	}
	for _, s := range code {
		switch s := s.(type) {
		case system.Require:
			look(s.Cond)
		case system.Choose:
			look(s.Such)
		case system.Let:
			look(s.Value)
		case system.Assign:
			for _, u := range s.Updates {
				look(u.Args...)
				look(u.Value)
			}
		case system.If:
			look(s.Cond)
			out = append(append(out, literals(s.Then)...), literals(s.Else)...)
		}
	}
	return out
}

// guidesOf combines values of variables, as many of the first ones as the bound allows.
func guidesOf(vars []*logic.Var, values []int64) []interp.Guide {
	each := int(math.Pow(maxExamples, 1/float64(len(vars))))
	values = values[:min(len(values), max(each, 1))]
	out := []interp.Guide{{Args: map[string]int64{}}}
	for _, v := range vars {
		var more []interp.Guide
		for _, g := range out {
			for _, x := range values {
				args := maps.Clone(g.Args)
				args[v.Name] = x
				more = append(more, interp.Guide{Args: args})
			}
		}
		out = more
	}
	return out
}
