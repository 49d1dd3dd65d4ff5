package induction

import (
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/vc"
)

// Memory knows which invariants the last proof that an action preserves a formula needed. A hard
// proof is tried with these alone before it is tried with all. It decides nothing. Formulas are
// known by their texts, so a memory outlives names and systems.
type Memory map[step]map[string]bool

// step is an action after which a formula has to hold.
type step struct{ action, formula string }

// learn remembers what proofs of steps needed.
func (m Memory) learn(claims []*claim) {
	text := textsOf(claims)
	for _, c := range claims {
		for _, o := range c.consecution {
			if o.Verdict != result.Holds || o.Needs == nil {
				continue
			}
			some := map[string]bool{}
			for _, name := range o.Needs {
				if t, ok := text[name]; ok {
					some[t] = true
				}
			}
			m[step{o.Action, c.text(o.Conjunct)}] = some
		}
	}
}

// likely names the hypotheses that probably suffice for an action to preserve a formula; nil if
// nothing is known. Only invariants, whose texts are given by the names of the hypotheses, are left
// out.
func (m Memory) likely(action, formula string, t *vc.Theory, texts map[string]string) []string {
	some, known := m[step{action, formula}]
	if !known {
		return nil
	}
	out, found := []string{}, 0
	for _, h := range t.Hypotheses {
		text, invariant := texts[h.Name]
		if invariant && some[text] {
			found++
		}
		if h.Name != "" && (!invariant || some[text]) {
			out = append(out, h.Name)
		}
	}
	if found < len(some) {
		return nil // one of them was given up
	}
	return out
}

// textsOf gives the texts of the invariants by the names of their hypotheses.
func textsOf(claims []*claim) map[string]string {
	out := map[string]string{}
	for _, c := range claims {
		for i := range c.conjuncts {
			out[vc.ConjunctName(c.prop.Name, i, len(c.conjuncts))] = c.text(i)
		}
	}
	return out
}

// text is the text of a conjunct.
func (c *claim) text(i int) string {
	for len(c.texts) < len(c.conjuncts) {
		c.texts = append(c.texts, c.conjuncts[len(c.texts)].String())
	}
	return c.texts[i]
}
