package ivy

// cell is a type that may still be unknown.
type cell struct {
	link *cell
	sort *sort
}

func known(s *sort) *cell { return &cell{sort: s} }

func (c *cell) root() *cell {
	for c.link != nil {
		c = c.link
	}
	return c
}

// unify makes two types equal, and reports whether that is possible.
func unify(a, b *cell) bool {
	a, b = a.root(), b.root()
	switch {
	case a == b:
	case a.sort == nil:
		a.link = b
	case b.sort == nil:
		b.link = a
	default:
		return a.sort == b.sort
	}
	return true
}

func (c *cell) String() string {
	if s := c.root().sort; s != nil {
		return s.name
	}
	return "an unknown type"
}
