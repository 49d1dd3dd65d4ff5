package logic

// Equal reports whether two terms are the same up to the names of bound variables. Spans do not
// matter.
func Equal(a, b *Term) bool {
	c := comparer{left: map[*Var]int{}, right: map[*Var]int{}}
	return c.equal(a, b)
}

// SameSort reports whether two sorts are the same. Two ranges are the same when their ends are.
func SameSort(s, t *Sort) bool {
	return s == t ||
		s.Kind == KindRange && t.Kind == KindRange && Equal(s.Lo, t.Lo) && Equal(s.Hi, t.Hi)
}

// comparer numbers the binders in scope on both sides; two bound variables are the same when their
// numbers are.
type comparer struct {
	left, right map[*Var]int // counted from 1
	depth       int
	renamed     int // binders in scope that bind different variables
	visits      int
	// Pairs that are equal unless a binder in scope binds different variables.
	same map[[2]*Term]bool
}

func (c *comparer) equal(a, b *Term) bool {
	if a == b && c.renamed == 0 {
		return true
	}
	if a.Op != b.Op || len(a.Args) != len(b.Args) || len(a.Vars) != len(b.Vars) {
		return false
	}
	if c.visits++; c.visits <= patience || c.renamed > 0 || len(a.Args) == 0 {
		return c.sameNode(a, b)
	}
	pair := [2]*Term{a, b}
	if c.same[pair] {
		return true
	}
	if !c.sameNode(a, b) {
		return false
	}
	if c.same == nil {
		c.same = map[[2]*Term]bool{}
	}
	c.same[pair] = true
	return true
}

func (c *comparer) sameNode(a, b *Term) bool {
	switch a.Op {
	case OpInt:
		return a.Int.Cmp(b.Int) == 0
	case OpMember:
		return a.Sort == b.Sort && a.Index == b.Index
	case OpVar:
		i, j := c.left[a.Var], c.right[b.Var]
		return i == j && (i > 0 || a.Var == b.Var)
	case OpApp:
		if a.Symbol != b.Symbol || a.Step != b.Step {
			return false
		}
	case OpForall, OpExists:
		return c.bound(a.Vars, b.Vars, func() bool { return c.equal(a.Args[0], b.Args[0]) })
	case OpLet:
		return c.equal(a.Args[0], b.Args[0]) &&
			c.bound(a.Vars, b.Vars, func() bool { return c.equal(a.Args[1], b.Args[1]) })
	}
	for i := range a.Args {
		if !c.equal(a.Args[i], b.Args[i]) {
			return false
		}
	}
	return true
}

// bound compares within the scope of binders.
func (c *comparer) bound(as, bs []*Var, body func() bool) bool {
	type saved struct{ left, right int }
	outer := make([]saved, len(as))
	renamed := c.renamed
	for i := range as {
		if !SameSort(as[i].Sort, bs[i].Sort) {
			return false // the whole comparison ends here, so the scopes need not be restored
		}
		c.depth++
		outer[i] = saved{c.left[as[i]], c.right[bs[i]]}
		c.left[as[i]], c.right[bs[i]] = c.depth, c.depth
		if as[i] != bs[i] {
			c.renamed++
		}
	}
	same := body()
	for i := len(as) - 1; i >= 0; i-- {
		c.left[as[i]], c.right[bs[i]] = outer[i].left, outer[i].right
	}
	c.renamed = renamed
	return same
}
