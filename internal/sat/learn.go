package sat

import (
	"cmp"
	"slices"
)

// learn adds the clause of the first unique implication point of a conflict, takes decisions back
// to where it has one undecided literal, and assigns that.
func (s *Solver) learn(conflict *clause) {
	lits := []Lit{0}
	open, at := 0, len(s.trail)-1
	now := int32(len(s.limits))
	var marked []Lit
	mark := func(l Lit) {
		v := l >> 1
		if s.seen[v] || s.level[v] == 0 {
			return
		}
		s.seen[v] = true
		marked = append(marked, v)
		s.order.bump(int(v))
		if s.level[v] == now {
			open++
		} else {
			lits = append(lits, l)
		}
	}
	for c := conflict; ; {
		for _, l := range c.lits {
			mark(l)
		}
		for !s.seen[s.trail[at]>>1] || s.level[s.trail[at]>>1] != now {
			at--
		}
		p := s.trail[at]
		at--
		open--
		if open == 0 {
			lits[0] = p.Not()
			break
		}
		c = s.reason[p>>1]
	}
	kept := lits[:1]
	for _, l := range lits[1:] {
		if !s.implied(l) {
			kept = append(kept, l)
		}
	}
	for _, v := range marked {
		s.seen[v] = false
	}
	s.use(slices.Clone(kept))
}

// implied reports whether the marked literals imply a literal's negation, by its reason.
func (s *Solver) implied(l Lit) bool {
	r := s.reason[l>>1]
	return r != nil && !slices.ContainsFunc(r.lits, func(x Lit) bool {
		return x>>1 != l>>1 && !s.seen[x>>1] && s.level[x>>1] > 0
	})
}

// use takes decisions back to the second highest level of a learned clause.
func (s *Solver) use(lits []Lit) {
	if len(lits) == 1 {
		s.backtrack(0)
		s.assign(lits[0], nil)
		return
	}
	second := 1
	for i := range lits[1:] {
		if s.level[lits[i+1]>>1] > s.level[lits[second]>>1] {
			second = i + 1
		}
	}
	lits[1], lits[second] = lits[second], lits[1]
	levels := map[int32]bool{}
	for _, l := range lits {
		levels[s.level[l>>1]] = true
	}
	s.backtrack(int(s.level[lits[1]>>1]))
	c := &clause{lits: lits, learned: true, levels: len(levels)}
	s.learned = append(s.learned, c)
	s.attach(c)
	s.assign(lits[0], c)
}

// reduce forgets half of the learned clauses, the ones with many levels first.
func (s *Solver) reduce() {
	sorted := slices.Clone(s.learned)
	slices.SortStableFunc(sorted, func(a, b *clause) int {
		return cmp.Or(cmp.Compare(a.levels, b.levels), cmp.Compare(len(a.lits), len(b.lits)))
	})
	for _, c := range sorted[len(sorted)/2:] {
		locked := s.reason[c.lits[0]>>1] == c && s.value(c.lits[0]) == isTrue
		c.deleted = c.levels > 2 && !locked
	}
	s.learned = slices.DeleteFunc(s.learned, func(c *clause) bool { return c.deleted })
	s.most += s.most / 10
}

// explain finds the assumptions that imply that an assumption is false.
func (s *Solver) explain(a Lit) {
	s.core = []Lit{a}
	if s.level[a>>1] == 0 {
		return
	}
	s.seen[a>>1] = true
	for i := len(s.trail) - 1; i >= s.limits[0]; i-- {
		l := s.trail[i]
		v := l >> 1
		if !s.seen[v] {
			continue
		}
		s.seen[v] = false
		if s.reason[v] == nil {
			s.core = append(s.core, l)
			continue
		}
		for _, x := range s.reason[v].lits {
			if s.level[x>>1] > 0 {
				s.seen[x>>1] = true
			}
		}
		s.seen[v] = false
	}
}
