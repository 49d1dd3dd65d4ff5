package translate

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
)

// helps translates the formulas that nobody claims, and that are tried as a help.
type helps struct{ *writer }

// parts are the conjuncts of formulas that are tried, without what is claimed or tried already: of
// a conjunction that is no invariant some conjuncts may be, and what is said twice costs twice.
func (w helps) parts(tried, claimed []*core.Claim) (out []*core.Claim) {
	all := map[string]bool{}
	for _, c := range slices.Concat(claimed, tried) {
		for _, n := range conjuncts(c.Node) {
			all[w.alone(n)] = true
		}
	}
	delete(all, "")
	known := map[string]bool{}
	for _, c := range claimed {
		for _, n := range conjuncts(c.Node) {
			known[w.alone(n)] = true
		}
	}
	for _, c := range tried {
		ns := w.concluded(c.Node, all)
		for i, n := range ns {
			name := c.Name
			if d, ok := n.(*core.Named); ok && len(d.Params) == 0 {
				name = d.Name
			} else if len(ns) > 1 {
				name = fmt.Sprintf("%s_%d", c.Name, i+1)
			}
			if t := w.alone(n); t != "" && !known[t] {
				known[t] = true
				out = append(out, &core.Claim{Name: name, Node: n, Span: n.Span()})
			}
		}
	}
	return out
}

// alone is the text of a formula, the same one for the same formula; empty where it has no
// translation.
func (w helps) alone(n core.Node) (text string) {
	w.attempt(func() {
		w.begin() // so that the same formula has the same names
		text = shown(w.formula(n, scope{}))
	})
	return text
}

// concluded are the conjuncts of a formula that is tried. An implication from formulas that are
// claimed or tried themselves, as in TypeOK /\ Inv => P, stands for what it concludes: solvers
// then need not find out again and again that its premises are true.
func (w helps) concluded(n core.Node, known map[string]bool) (out []core.Node) {
	for _, c := range conjuncts(n) {
		i, ok := core.Strip(c).(*core.Implies)
		if ok && !slices.ContainsFunc(conjuncts(i.Left), func(p core.Node) bool {
			return !known[w.alone(p)]
		}) {
			out = append(out, w.concluded(i.Right, known)...)
			continue
		}
		out = append(out, c)
	}
	return out
}

// conjuncts are the formulas that a formula is the conjunction of.
func conjuncts(n core.Node) (out []core.Node) {
	j, ok := core.Strip(n).(*core.Junction)
	if !ok || !j.And {
		return []core.Node{n}
	}
	for _, a := range j.Args {
		out = append(out, conjuncts(a)...)
	}
	return out
}
