package uppaal

import "erelong.dev/erelong/internal/timed"

// Scalars can only be compared, assigned and used as indices. So a model treats the elements of a
// set alike, with three exceptions, which are found here: different constants, loops through the
// elements in order, and receivers of one broadcast, which run in order.

// apart records that the model can distinguish the elements of a set.
func (c *elaborator) apart(set int, how string) {
	if s := &c.net.Scalars[set]; set > 0 && s.Apart == "" {
		s.Apart = how
	}
}

// memberOf is the position of a variable of the current process, or of a global one.
func (c *elaborator) memberOf(name string) timed.Member {
	if c.where.Family == "" {
		return timed.Member{Family: name}
	}
	return timed.Member{Family: c.where.Family + "." + name, At: c.where.At}
}

// even looks for elements with different values in these cells, which are the same in every run.
func (c *elaborator) even(t *typ, at int) {
	first := map[string]int32{}
	c.flatten("", timed.Member{}, t, func(_ string, place timed.Member, leaf *typ) {
		if leaf.kind == scalarKind {
			c.apart(leaf.set, "a constant or a local variable without a value is its first element")
		}
		x := c.mem.Cells[at]
		if y, known := first[place.Family]; known && x != y {
			for _, e := range place.At {
				c.apart(e.Set, "constants differ for its elements")
			}
		} else {
			first[place.Family] = x
		}
		at++
	})
}

// owns reports whether a position is local to the current process.
func (c *elaborator) owns(v *value) bool {
	first := c.own[0]
	if v.typ.leaf() == clockKind {
		first = c.own[1]
	}
	return first > 0 && v.alo >= first
}

// anyOrder reports whether the order of a loop over its variable is irrelevant: the loop only
// assigns to elements with that index, once to each variable, from variables that it does not
// assign. Two names may be one variable where there are references.
func (c *elaborator) anyOrder(s *stmt) bool {
	for _, p := range c.fn.params {
		if p.ref {
			return false
		}
	}
	targets := map[string]bool{}
	var writes func(s *stmt, index string) bool
	writes = func(s *stmt, index string) bool {
		switch s.kind {
		case "block":
			for _, b := range s.body {
				if !writes(b, index) {
					return false
				}
			}
			return len(s.decls) == 0
		case "each":
			return s.bound.name != index && writes(s.body[0], index)
		case "expr":
			e := s.exprs[0]
			if e.op != "assign" || e.text != "=" && e.text != ":=" || !pure(e.kids[1]) {
				return false
			}
			found := false
			for e = e.kids[0]; e.op == "index" || e.op == "field"; e = e.kids[0] {
				if e.op == "index" {
					found = found || e.kids[1].op == "name" && e.kids[1].text == index
					if !pure(e.kids[1]) {
						return false
					}
				}
			}
			twice := targets[e.text]
			targets[e.text] = true
			return found && e.op == "name" && !twice
		}
		return false
	}
	if !writes(s.body[0], s.bound.name) {
		return false
	}
	var reads func(e *expr, target bool) bool // it reads none of the targets
	reads = func(e *expr, target bool) bool {
		if e.op == "name" && targets[e.text] && !target {
			return false
		}
		for i, k := range e.kids {
			if !reads(k, target && i == 0) {
				return false
			}
		}
		return true
	}
	var all func(s *stmt) bool
	all = func(s *stmt) bool {
		for _, e := range s.exprs {
			if !reads(e.kids[0], true) || !reads(e.kids[1], false) {
				return false
			}
		}
		for _, b := range s.body {
			if !all(b) {
				return false
			}
		}
		return true
	}
	return all(s.body[0])
}
