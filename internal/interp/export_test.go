package interp

import "erelong.dev/erelong/internal/logic"

// EachState calls visit for every combination of values of the slots, with ranges widened by one on
// both sides.
func (m *Model) EachState(visit func(State)) {
	f, _ := m.machine()
	if err := f.setInstance(); err != nil {
		panic(err)
	}
	f.propagate(m.axioms)
	var rec func(int)
	rec = func(slot int) {
		if slot == m.size {
			visit(f.val[:m.size])
			return
		}
		if f.known[slot] {
			rec(slot + 1)
			return
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
			f.set(slot, v)
			rec(slot + 1)
		}
		f.forget(slot)
	}
	rec(0)
}
