package infer

import (
	"cmp"
	"math/bits"
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// quantity is an integer of a state.
type quantity struct {
	symbol *logic.Symbol // a constant, or a relation over a range
	// For a relation: -1 for the least, 1 for the greatest member; 0 for a constant.
	member int
	below  *logic.Term   // of a relation: only members before this one count; nil for all
	factor *logic.Symbol // of a product: the parameter with which the quantity is multiplied
}

// sum is a sum of quantities, each with a sign.
type sum []summand

type summand struct{ quantity, sign int }

// numbered is a world with the values of quantities.
type numbered struct {
	*world
	params  []int64
	values  [][]int64  // by quantity and state
	defined [][]uint64 // by quantity: where it has a value; nil for everywhere
	columns [][]uint64 // of the atoms; nil where one has no value
	order   [][]int32  // by sum: states with its largest values, the largest first
}

// combine makes the sums: octagons first, and then, for each product, the sums of it and one or two
// other quantities.
func (l *linear) combine() {
	n := len(l.quantities)
	var products []quantity
	for _, p := range l.factors() {
		for _, q := range l.quantities {
			if q.member == 0 && q.symbol.Result == logic.Int {
				products = append(products, quantity{symbol: q.symbol, factor: p})
			}
		}
	}
	l.quantities = append(l.quantities, products...)
	signs := func(qs ...int) {
		for set := range 1 << len(qs) {
			var of sum
			members := 0
			for i, q := range qs {
				of = append(of, summand{q, 1 - 2*(set>>i&1)})
				if l.quantities[q].member != 0 {
					members++
				}
			}
			if members <= 1 {
				l.sums = append(l.sums, of)
			}
		}
	}
	for x := range n {
		signs(x)
	}
	for x := range n {
		for y := range x {
			signs(x, y)
		}
	}
	l.octagons = len(l.sums)
	for p := n; p < len(l.quantities); p++ {
		for x := range n {
			signs(p, x)
		}
	}
	for p := n; p < len(l.quantities); p++ {
		for x := range n {
			for y := range x {
				if l.quantities[p].symbol != l.quantities[x].symbol &&
					l.quantities[p].symbol != l.quantities[y].symbol {
					signs(p, x, y)
				}
			}
		}
	}
}

// factors lists the parameters with which something unknown is multiplied.
func (l *linear) factors() (out []*logic.Symbol) {
	visit := func(t *logic.Term) {
		logic.Walk(t, func(t *logic.Term) bool {
			if t.Op != logic.OpMul || slices.ContainsFunc(t.Args, isNumber) {
				return true
			}
			for _, a := range t.Args {
				if a.Op == logic.OpApp && slices.Contains(l.params, a.Symbol) &&
					!slices.Contains(out, a.Symbol) {
					out = append(out, a.Symbol)
				}
			}
			return true
		})
	}
	for _, p := range l.sys.Properties {
		visit(p.Term)
	}
	inActions(l.sys, visit)
	return out
}

func isNumber(t *logic.Term) bool { return t.Op == logic.OpInt }

// top is the largest value of a sum in some states. The order of the states with the largest values
// may be given, which helps where the states are many.
func (w *numbered) top(states []uint64, count int, of sum, order []int32) extreme {
	top := extreme{known: true}
	for _, at := range order {
		if states[at/64]>>(at%64)&1 == 1 {
			return extreme{true, true, w.value(of, int(at))}
		}
	}
	for k, word := range states {
		for _, x := range of {
			if d := w.defined[x.quantity]; d != nil {
				word &= d[k]
			}
		}
		for ; word != 0; word &= word - 1 {
			if v := w.value(of, 64*k+bits.TrailingZeros64(word)); !top.has || v > top.value {
				top.has, top.value = true, v
			}
		}
	}
	return top
}

// value is the value of a sum in a state.
func (w *numbered) value(of sum, state int) (v int64) {
	for _, x := range of {
		v += int64(x.sign) * w.values[x.quantity][state]
	}
	return v
}

// rankedPart says how many states are kept in order, one in rankedPart. A mode with many states has
// mostly one of them. An order of all states would take much memory, since there are many sums.
const rankedPart = 16

// ranked lists states with the largest values of a sum, the largest first.
func (w *numbered) ranked(i int, of sum) []int32 {
	if w.order[i] == nil {
		type valued struct {
			value int64
			at    int32
		}
		all := make([]valued, 0, len(w.states))
		for at := range w.states {
			if !slices.ContainsFunc(of, func(x summand) bool {
				d := w.defined[x.quantity]
				return d != nil && d[at/64]>>(at%64)&1 == 0
			}) {
				all = append(all, valued{w.value(of, at), int32(at)})
			}
		}
		slices.SortFunc(all, func(a, b valued) int { return cmp.Compare(b.value, a.value) })
		w.order[i] = make([]int32, len(all)/rankedPart)
		for k := range w.order[i] {
			w.order[i][k] = all[k].at
		}
	}
	return w.order[i]
}

func (l *linear) number(w *world) *numbered {
	n := &numbered{world: w, params: make([]int64, len(l.params)),
		values:  make([][]int64, len(l.quantities)),
		defined: make([][]uint64, len(l.quantities)), columns: make([][]uint64, len(l.atoms)),
		order: make([][]int32, len(l.sums))}
	for i, p := range l.params { // an axiom may determine what the instance leaves open
		n.params[i] = (&sample{w.structure, w.states[0]}).eval(logic.App(p, logic.Pre), nil)
	}
	for q := range l.quantities {
		n.values[q] = make([]int64, len(w.states))
		if l.quantities[q].member != 0 {
			n.defined[q] = make([]uint64, w.words())
		}
		for i, st := range w.states {
			v, ok := l.quantities[q].value(sample{w.structure, st})
			if f := l.quantities[q].factor; f != nil {
				v *= n.params[slices.Index(l.params, f)]
			}
			n.values[q][i] = v
			if ok && n.defined[q] != nil {
				n.defined[q][i/64] |= 1 << (i % 64)
			}
		}
	}
	for i, a := range l.atoms {
		n.columns[i] = w.column(columnKey{shape: 1<<20 + i}, a, nil)
	}
	return n
}

// value gives a quantity in a state; ok is false for a member of an empty relation.
func (q quantity) value(s sample) (v int64, ok bool) {
	tab := s.tables[q.symbol]
	if q.member == 0 {
		return s.state[tab.offset], true
	}
	if len(tab.args) == 0 {
		return 0, false
	}
	n := tab.args[0].n
	if q.below != nil {
		n = min(n, s.eval(q.below, nil)-tab.args[0].lo)
	}
	for i := range max(n, 0) {
		if s.state[tab.offset+int(i)] == 1 {
			v = tab.args[0].lo + i
			if ok = true; q.member < 0 {
				return v, true
			}
		}
	}
	return v, ok
}
