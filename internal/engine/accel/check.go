package accel

import "erelong.dev/erelong/internal/presburger"

// leaving gives the actions that lead from a region to states outside of it. An edge does where a
// state is in the preimage of what is outside: images, composed edges, loops and the search are not
// used.
func (m *machine) leaving(r region, edges []*edge) (actions map[int]bool) {
	s := m.store
	actions = map[int]bool{}
	outside := map[int]*presburger.Set{}
	for _, e := range edges {
		if outside[e.to] == nil {
			outside[e.to] = s.Not(r[e.to])
		}
		if !s.And(r[e.from], m.before(e, outside[e.to])).IsEmpty() {
			actions[e.action] = true
		}
	}
	return actions
}

// within reports whether each state of a region is in another one.
func (m *machine) within(a, b region) bool {
	for p := range a {
		if !m.store.Within(a[p], b[p]) {
			return false
		}
	}
	return true
}

// meet reports whether regions have a state in common.
func (m *machine) meet(a, b region) bool {
	for p := range a {
		if !m.store.And(a[p], b[p]).IsEmpty() {
			return true
		}
	}
	return false
}
