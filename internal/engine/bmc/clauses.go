package bmc

import "erelong.dev/erelong/internal/sat"

// clauses puts a circuit into a SAT solver, as far as questions need it. The clauses of a gate are
// Tseitin's.
type clauses struct {
	circuit *circuit
	solver  *sat.Solver
	vars    []sat.Lit // by node, plus 1; 0 for a node that is not in use yet
	facts   int       // how many facts of the circuit are in use
}

func newClauses(c *circuit) *clauses { return &clauses{circuit: c, solver: sat.New()} }

// assume passes new facts of the circuit on.
func (k *clauses) assume() {
	for ; k.facts < len(k.circuit.facts); k.facts++ {
		switch l := k.circuit.facts[k.facts]; l {
		case yes:
		case no:
			k.solver.Add()
		default:
			k.solver.Add(k.literal(l))
		}
	}
}

// literal gives the solver's literal for one that is not constant.
func (k *clauses) literal(l lit) sat.Lit {
	for len(k.vars) < len(k.circuit.gates) {
		k.vars = append(k.vars, 0)
	}
	return k.node(l>>1) ^ sat.Lit(l&1)
}

func (k *clauses) node(node lit) sat.Lit {
	if k.vars[node] > 0 {
		return k.vars[node] - 1
	}
	g := k.circuit.gates[node]
	v := func(l lit) sat.Lit { return k.node(l>>1) ^ sat.Lit(l&1) }
	var a, b, c sat.Lit
	var all []sat.Lit
	switch g.kind {
	case andGate:
		for _, l := range k.conjuncts(node) {
			all = append(all, v(l))
		}
	case iteGate:
		c = v(g.c)
		fallthrough
	case xorGate:
		a, b = v(g.a), v(g.b)
	}
	x := k.solver.Var()
	k.vars[node] = x + 1
	switch g.kind {
	case andGate:
		some := []sat.Lit{x}
		for _, a := range all {
			k.solver.Add(x.Not(), a)
			some = append(some, a.Not())
		}
		k.solver.Add(some...)
	case xorGate:
		k.solver.Add(x.Not(), a, b)
		k.solver.Add(x.Not(), a.Not(), b.Not())
		k.solver.Add(x, a.Not(), b)
		k.solver.Add(x, a, b.Not())
	case iteGate:
		k.solver.Add(x.Not(), a.Not(), b)
		k.solver.Add(x.Not(), a, c)
		k.solver.Add(x, a.Not(), b.Not())
		k.solver.Add(x, a, c.Not())
	}
	return x
}

// conjuncts are the parts of nested conjunctions, as far as these have no variable yet.
func (k *clauses) conjuncts(node lit) (out []lit) {
	seen := map[lit]bool{}
	var visit func(node lit)
	visit = func(node lit) {
		g := k.circuit.gates[node]
		for _, l := range []lit{g.a, g.b} {
			switch below := k.circuit.gates[l>>1]; {
			case seen[l]:
			case l&1 == 0 && below.kind == andGate && k.vars[l>>1] == 0:
				seen[l] = true
				visit(l >> 1)
			default:
				seen[l] = true
				out = append(out, l)
			}
		}
	}
	visit(node)
	return out
}

// inputs are the values of the free variables in the solver's model. The ones that no question
// needed may have any value.
func (k *clauses) inputs() map[lit]bool {
	of := map[lit]bool{}
	for i, v := range k.vars {
		if v > 0 && k.circuit.gates[i].kind == inputGate {
			of[lit(2*i)] = k.solver.Value(v - 1)
		}
	}
	return of
}
