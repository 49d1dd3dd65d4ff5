package interp

import "erelong/internal/logic"

// SlotSymbols lists for each slot of a state the symbol that it belongs to.
func (m *Model) SlotSymbols() []*logic.Symbol {
	out := make([]*logic.Symbol, m.size)
	for i := range out {
		out[i] = m.owners[i].symbol
	}
	return out
}
