package temporal

import (
	"erelong.dev/erelong/internal/logic"
)

// numbered are terms, each once: its number is its index.
type numbered struct {
	terms []*logic.Term
	texts map[string][]int // text -> the numbers of the terms that have it
}

// find is the number of a term, -1 if it has none.
func (n *numbered) find(t *logic.Term) int {
	if len(n.terms) == 0 {
		return -1
	}
	return n.findText(t, t.String())
}

func (n *numbered) findText(t *logic.Term, text string) int {
	for _, i := range n.texts[text] {
		if logic.Equal(n.terms[i], t) {
			return i
		}
	}
	return -1
}

// numberOf is the number of a term, a new one if it has none.
func (n *numbered) numberOf(t *logic.Term) int {
	text := t.String()
	if i := n.findText(t, text); i >= 0 {
		return i
	}
	if n.texts == nil {
		n.texts = map[string][]int{}
	}
	i := len(n.terms)
	n.terms = append(n.terms, t)
	n.texts[text] = append(n.texts[text], i)
	return i
}
