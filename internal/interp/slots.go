package interp

import "erelong.dev/erelong/internal/logic"

// SlotSymbols lists, for each slot of a state, the symbol that it belongs to.
func (m *Model) SlotSymbols() []*logic.Symbol {
	out := make([]*logic.Symbol, m.size)
	for i := range out {
		out[i] = m.owners[i].symbol
	}
	return out
}

// Reads has the symbols that the value of a term depends on.
func (m *Model) Reads(t *logic.Term) map[*logic.Symbol]bool {
	out := map[*logic.Symbol]bool{}
	var visit func(*logic.Term)
	visit = func(t *logic.Term) {
		for _, s := range symbolsOf(t) {
			if out[s] {
				continue
			}
			out[s] = true
			if l := m.layouts[s]; l != nil && l.body != nil {
				visit(l.body.Body)
			}
		}
	}
	visit(t)
	return out
}

// Fixes reports whether the instance, or axioms without a choice, give a parameter its value.
func (m *Model) Fixes(s *logic.Symbol) bool {
	l := m.layouts[s]
	return !s.Mutable && len(s.Args) == 0 && l != nil && l.body == nil &&
		l.offset < len(m.fixed.val)/2 && m.fixed.known[l.offset]
}

// SlotArguments gives, for each slot of a state, the arguments at which it holds the value of its
// symbol.
func (m *Model) SlotArguments() [][]int64 {
	out := make([][]int64, m.size)
	for i := range out {
		l := m.owners[i]
		args := make([]int64, len(l.args))
		rest := int64(i - l.offset)
		for k := len(l.args) - 1; k >= 0; k-- {
			args[k] = l.args[k].lo + rest%l.args[k].n
			rest /= l.args[k].n
		}
		out[i] = args
	}
	return out
}
