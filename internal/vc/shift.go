package vc

import (
	"math/big"

	"erelong.dev/erelong/internal/logic"
)

// shifted gives instances of an update's axiom that follow from it but are hard to find for a
// solver. Let the value read some function at v + c for a variable v, as in "every message is one
// round older". The instance for v - c reads it at v, so each known value of the function leads to
// a new value. Solvers match terms syntactically, so without the instance they look for a term of
// the form v + c in vain.
func (u Update) shifted() []*logic.Term {
	var out []*logic.Term
	for _, v := range u.Vars {
		if v.Sort.Base() != logic.Int {
			continue
		}
		for _, c := range offsets(u.Value, v) {
			moved := &logic.Var{Name: v.Name, Sort: logic.Int, Span: v.Span}
			at := logic.Add(logic.Ref(moved), logic.BigLit(new(big.Int).Neg(c)))
			vars := make([]*logic.Var, len(u.Vars))
			for i, w := range u.Vars {
				vars[i] = w
				if w == v {
					vars[i] = moved
				}
			}
			axiom := u.Axiom()
			if axiom.Op != logic.OpForall {
				continue
			}
			inside := logic.InSort(v.Sort, at)
			body := logic.Subst(axiom.Args[0], map[*logic.Var]*logic.Term{v: at})
			out = append(out, logic.Forall(vars, logic.Implies(inside, body)))
		}
	}
	return out
}

// offsets lists the constants c other than 0 such that the term reads a function at v + c.
func offsets(t *logic.Term, v *logic.Var) []*big.Int {
	var out []*big.Int
	logic.Walk(t, func(t *logic.Term) bool {
		if t.Op != logic.OpApp {
			return true
		}
		for _, a := range t.Args {
			c := offset(a, v)
			if c == nil || c.Sign() == 0 {
				continue
			}
			known := false
			for _, d := range out {
				known = known || d.Cmp(c) == 0
			}
			if !known {
				out = append(out, c)
			}
		}
		return true
	})
	return out
}

// offset gives c if the term is v + c or v - c', with c = -c', otherwise nil.
func offset(t *logic.Term, v *logic.Var) *big.Int {
	if t.Op != logic.OpAdd && t.Op != logic.OpSub || len(t.Args) != 2 {
		return nil
	}
	a, b := t.Args[0], t.Args[1]
	if t.Op == logic.OpAdd && a.Op == logic.OpInt {
		a, b = b, a
	}
	if a.Op != logic.OpVar || a.Var != v || b.Op != logic.OpInt {
		return nil
	}
	if t.Op == logic.OpSub {
		return new(big.Int).Neg(b.Int)
	}
	return b.Int
}
