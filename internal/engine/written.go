package engine

import (
	"fmt"
	"regexp"

	"erelong.dev/erelong/internal/logic"
)

// WrittenLemma is a Lemma with its formula as text, in erelong's language.
type WrittenLemma struct{ Name, Formula, For string }

// WriteLemmas writes the formulas of lemmas as texts.
func WriteLemmas(lemmas []Lemma) (out []WrittenLemma) {
	for _, l := range lemmas {
		out = append(out, WrittenLemma{l.Name, l.Term.String(), l.For})
	}
	return out
}

// lemmaName is what a lemma may be called: its name is written into files.
var lemmaName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ReadLemmas reads lemmas that were written, by a function that reads formulas of their system.
// They are claims: who reads them proves them. The error names the lemma that cannot be one.
func ReadLemmas(
	written []WrittenLemma, formula func(text string) (*logic.Term, error),
) (out []Lemma, err error) {
	for _, l := range written {
		if !lemmaName.MatchString(l.Name) {
			return nil, fmt.Errorf("no invariant can be called %q", l.Name)
		}
		term, err := formula(l.Formula)
		if err != nil {
			return nil, fmt.Errorf("reading the invariant %s: %w", l.Name, err)
		}
		if term.Sort != logic.Bool {
			return nil, fmt.Errorf("the invariant %s is no formula", l.Name)
		}
		out = append(out, Lemma{Name: l.Name, Term: term, For: l.For})
	}
	return out, nil
}
