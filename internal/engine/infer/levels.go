package infer

import "fmt"

// levels are the vocabularies, tried one after the other. Cost bounds the cost of the atoms of a
// clause.
var levels = []struct {
	vars, literals, cost int
	inner                bool // with atoms that have a quantifier
	long                 bool // with clauses of more literals (long.go)
}{
	{2, 3, 12, false, false}, {3, 3, 12, false, false}, {2, 4, 12, false, false},
	{3, 2, 10, true, false}, {2, 4, 8, true, false}, {4, 3, 7, true, false},
	{3, 4, 8, true, false}, {4, 3, 12, false, false}, {4, 2, 10, true, false},
	{5, 3, 7, true, false}, {5, 3, 12, true, false}, {2, 4, 12, false, true},
}

// linearLevels are the vocabularies of bounds between integers: how many conditions a mode has at
// most, and whether bounds may be exact on a ridge only. Most of these are wrong in larger
// instances, so they come last.
var linearLevels = []struct {
	conditions int
	ridges     bool
}{{2, false}, {3, false}, {4, false}, {2, true}, {3, true}, {4, true}}

// vocabularyOf says what the candidates of a level are.
func vocabularyOf(level int, linear bool) string {
	if linear {
		l := linearLevels[level]
		text := fmt.Sprintf("bounds in modes of up to %d conditions", l.conditions)
		if l.ridges {
			text += ", exact on ridges"
		}
		return text
	}
	l := levels[level]
	text := fmt.Sprintf("clauses of up to %d literals about %d variables, of cost %d", l.literals,
		l.vars, l.cost)
	if l.inner {
		text += ", with quantifiers inside"
	}
	if l.long {
		text += ", and longer ones"
	}
	return text
}

// grow makes the templates of the next vocabulary.
func (s *search) grow() {
	s.note("%s", vocabularyOf(s.level, s.linear != nil))
	if s.linear != nil {
		s.linear.grow(linearLevels[s.level].ridges)
		return
	}
	l := levels[s.level]
	v := &vocabulary{sys: s.sys, orders: s.orders, measures: s.measures, inner: l.inner,
		equations: equations(s.sys, s.worlds), shapes: s.shapes}
	for _, g := range s.goals {
		if g.from == nil {
			v.claims = append(v.claims, g.term)
		}
	}
	v.collectQuantified()
	s.templates = nil
	for n := 0; n <= l.vars; n++ {
		s.templates = append(s.templates, v.templates(n)...)
	}
}
