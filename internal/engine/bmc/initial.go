package bmc

import (
	"context"
	"math/rand"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/sat"
)

// Initial finds initial states of an instance at random, at most as many as asked for, where they
// are too many to be listed. They are as the start says, and may repeat. The solver chooses the
// truth values that are left to it at random; so the states are not equally likely, but they differ
// in every symbol. The result depends on the random numbers only. The error says why the formulas
// cannot be grounded.
func Initial(
	ctx context.Context, m *interp.Model, start Start, most int, rng *rand.Rand,
) (states []interp.State, err error) {
	defer refused(&err)
	u := unrollingFrom(m, m.System.Inits, start, nil)
	k := newClauses(u.circuit)
	k.assume()
	for len(states) < most {
		inputs := map[lit]bool{}
		for i, g := range u.circuit.gates {
			if g.kind != inputGate {
				continue
			}
			l := lit(2 * i)
			inputs[l] = rng.Intn(2) == 1
			if i < len(k.vars) && k.vars[i] > 0 {
				k.solver.Prefer(k.vars[i]-1, inputs[l])
			}
		}
		if k.solver.Solve(ctx, UsualConflicts) != sat.Sat {
			return states, ctx.Err()
		}
		for l, is := range k.inputs() {
			inputs[l] = is
		}
		state, _ := u.run(u.circuit.evaluate(inputs))
		states = append(states, state)
	}
	return states, nil
}
