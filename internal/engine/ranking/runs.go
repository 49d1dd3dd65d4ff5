package ranking

import (
	"context"
	"errors"
	"math/rand"
	"slices"

	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Limits of the runs that are looked at, of one instance.
const (
	runStarts = 4
	runsEach  = 6
	runLength = 40
	runBudget = 20 * mostTried
)

// runsOf takes random runs of instances, and of the one with three elements in each sort: in small
// ones much does not happen. All steps from the states of a run are kept. The runs are the same
// each time. An instance that cannot be looked at is left out.
func runsOf(
	ctx context.Context, sys *system.System, instances []*system.Instance,
) (out []*interp.Graph) {
	for _, in := range append(slices.Clone(instances), chains(sys)) {
		m, err := interp.NewModel(sys, in)
		if err != nil {
			continue
		}
		m = m.Within(&interp.Budget{Left: runBudget})
		rng := rand.New(rand.NewSource(1))
		starts, err := bmc.Initial(ctx, m, bmc.Start{}, runStarts, rng)
		if err != nil || len(starts) == 0 {
			continue
		}
		r := interp.NewGraph(m)
		after := map[int][]interp.Edge{} // of the states whose steps are known
		for range runsEach {
			for _, s := range starts {
				n := r.Place(s)
				for range runLength {
					if _, ok := after[n]; !ok {
						var steps []interp.Edge
						if steps, err = r.Expand(ctx, n); err != nil {
							break
						}
						after[n] = steps
					}
					if len(after[n]) == 0 {
						break
					}
					n = anyOf(rng, after[n]).To
				}
			}
		}
		if err == nil || errors.Is(err, interp.ErrWork) {
			out = append(out, r)
		}
	}
	return out
}

// chains is the instance with three elements in each sort, and four in a sort that a relation which
// no step changes may order: with fewer, what moves along an order has soon come to its end.
func chains(sys *system.System) *system.Instance {
	in := three(sys)
	in.Name = "chains"
	for _, o := range relations(sys) {
		in.Sizes[o.sort] = 4
	}
	return in
}

// anyOf chooses one of the actions that have steps, and then one of its steps.
func anyOf(rng *rand.Rand, steps []interp.Edge) interp.Edge {
	var actions []*system.Action
	for _, s := range steps {
		if !slices.Contains(actions, s.Action) {
			actions = append(actions, s.Action)
		}
	}
	a := actions[rng.Intn(len(actions))]
	steps = slices.DeleteFunc(slices.Clone(steps), func(s interp.Edge) bool {
		return s.Action != a
	})
	return steps[rng.Intn(len(steps))]
}

// witnesses are the steps between states in which the property is pending, by actions of the
// extended system, with the values of the variables of the property.
func (p *problem) witnesses(all []*interp.Graph) (out map[*system.Action][]*witness, at samples) {
	out = map[*system.Action][]*witness{}
	pending := p.prerequisite()
	for _, r := range all {
		given, err := (&walk{model: r.Model, states: r.States}).tuples(p.vars)
		if err != nil {
			continue
		}
		values := map[*logic.Sort][]*logic.Term{}
		for _, tuple := range given {
			is := make([]bool, len(r.States))
			formula := replace(pending, p.vars, tuple)
			for n, s := range r.States {
				holds, err := r.Model.Holds(formula, s)
				if is[n] = holds && err == nil; is[n] {
					at = append(at, sample{r.Model, s, p.vars, tuple})
				}
			}
			for _, s := range r.Edges {
				if !is[s.From] || !is[s.To] {
					continue
				}
				i := slices.Index(p.original.Actions, s.Action)
				w := &witness{model: r.Model, pre: r.States[s.From], post: r.States[s.To],
					args: map[*logic.Var]*logic.Term{}, constants: p.vars, by: tuple}
				for _, x := range s.Args[:len(s.Action.Params)] {
					if w.args[x.Var], err = valueOf(r.Model, values, x); err != nil {
						break
					}
				}
				if err == nil {
					b := p.sys.Actions[i]
					out[b] = append(out[b], w)
				}
			}
		}
	}
	return out, at
}

// valueOf is the value of a parameter as a term.
func valueOf(
	m *interp.Model, known map[*logic.Sort][]*logic.Term, x interp.Arg,
) (*logic.Term, error) {
	sort := x.Var.Sort
	if sort == logic.Int {
		return logic.IntLit(x.Value), nil
	}
	if known[sort] == nil {
		all, err := m.Literals(sort, x.Var.Name)
		if err != nil {
			return nil, err
		}
		known[sort] = all
	}
	low := int64(0)
	if sort.Kind == logic.KindRange {
		if first := known[sort][0]; first.Op == logic.OpInt {
			low = first.Int.Int64()
		}
	}
	return known[sort][x.Value-low], nil
}
