package por

// Chooser finds stubborn sets. Only one goroutine at a time may use it.
type Chooser struct {
	*Analysis
	enabled Set
	tried   Set // the enabled ground actions whose sets were of no use
	members Set
	best    Set
	stack   []int
}

// NewChooser makes a chooser.
func (a *Analysis) NewChooser() *Chooser {
	n := a.first[len(a.first)-1]
	return &Chooser{Analysis: a, enabled: newSet(n), tried: newSet(n), members: newSet(n),
		best: newSet(n)}
}

// Choose looks for a stubborn set in a state, with as few enabled members as it can find. The set
// leaves out some of the enabled ground actions, and accept approves it. Holds gives the value of a
// guard in the state, by its index in Guards. The set is valid until the next call.
func (c *Chooser) Choose(
	enabled []int, holds func(guard int) bool, accept func(Set) bool,
) (Set, bool) {
	clear(c.enabled)
	clear(c.tried)
	for _, g := range enabled {
		c.enabled.add(g)
	}
	least := len(enabled)
	for _, seed := range enabled {
		if least == 1 {
			break
		}
		n, ok := c.close(seed, least, holds)
		if !ok {
			c.tried.add(seed)
			continue
		}
		if accept(c.members) {
			least = n
			c.members, c.best = c.best, c.members
		}
	}
	return c.best, least < len(enabled)
}

// close computes the members that a stubborn set with an enabled member must have, and counts the
// enabled ones. It gives up when their number reaches a limit, or when one of them was tried in
// vain before.
func (c *Chooser) close(seed, limit int, holds func(int) bool) (n int, ok bool) {
	clear(c.members)
	c.members.add(seed)
	c.stack = append(c.stack[:0], seed)
	for len(c.stack) > 0 {
		g := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		if !c.enabled.Has(g) {
			c.include(c.enablers(g, holds))
			continue
		}
		if n++; n >= limit || c.tried.Has(g) {
			return n, false
		}
		c.include(c.dependent[g])
	}
	return n, true
}

// enablers gives a set of ground actions, one of which must be taken before a disabled one can be
// enabled or fail. Of several such sets it is the one that adds the fewest members.
func (c *Chooser) enablers(g int, holds func(int) bool) Set {
	out, least := c.enabling[g], -1
	for _, guard := range c.guards[g] {
		if holds(guard.term) {
			continue
		}
		if n := guard.enabling.without(c.members); least < 0 || n < least {
			out, least = guard.enabling, n
		}
	}
	return out
}

// include adds members, whose consequences are then computed.
func (c *Chooser) include(more Set) {
	for w, v := range more {
		fresh := v &^ c.members[w]
		if fresh == 0 {
			continue
		}
		c.members[w] |= fresh
		each(fresh, w, func(g int) { c.stack = append(c.stack, g) })
	}
}
