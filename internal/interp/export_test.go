package interp

import "erelong/internal/logic"

// EachState calls visit for every combination of values of the slots, with ranges widened by one on both sides.
func (m *Model) EachState(visit func(State) bool) {
	s := make(State, m.size)
	f, _ := m.machine()
	if err := f.setInstance(); err != nil {
		panic(err)
	}
	f.propagate(m.axioms)
	var rec func(int) bool
	rec = func(slot int) bool {
		if slot == m.size {
			return visit(s)
		}
		if f.known[slot] {
			s[slot] = f.val[slot]
			return rec(slot + 1)
		}
		sort := m.owners[slot].symbol.Result
		d, ok := f.domain(sort)
		if !ok {
			panic(f.err)
		}
		if sort.Kind == logic.KindRange {
			d = domain{d.lo - 1, d.n + 2}
		}
		for v := d.lo; d.has(v); v++ {
			s[slot] = v
			if !rec(slot + 1) {
				return false
			}
		}
		return true
	}
	rec(0)
}
