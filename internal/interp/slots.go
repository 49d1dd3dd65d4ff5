package interp

import "erelong.dev/erelong/internal/logic"

// slots are where the values of symbols are kept.
type slots struct {
	layouts   map[*logic.Symbol]*layout
	owners    []*layout // of the slots of a state, then of the slots of the inputs
	size      int       // slots of a state
	immutable int       // how many of the slots belong to immutable symbols
	inputs    int       // slots of the inputs of relations, which are not part of a state
}

// SlotSymbols lists, for each slot of a state, the symbol that it belongs to.
func (l *slots) SlotSymbols() []*logic.Symbol {
	out := make([]*logic.Symbol, l.size)
	for i := range out {
		out[i] = l.owners[i].symbol
	}
	return out
}

// Reads has the symbols that the value of a term depends on.
func (l *slots) Reads(t *logic.Term) map[*logic.Symbol]bool {
	out := map[*logic.Symbol]bool{}
	var visit func(*logic.Term)
	visit = func(t *logic.Term) {
		for _, s := range symbolsOf(t) {
			if out[s] {
				continue
			}
			out[s] = true
			if of := l.layouts[s]; of != nil && of.body != nil {
				visit(of.body.Body)
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
func (l *slots) SlotArguments() [][]int64 {
	out := make([][]int64, l.size)
	for i := range out {
		of := l.owners[i]
		args := make([]int64, len(of.args))
		rest := int64(i - of.offset)
		for k := len(of.args) - 1; k >= 0; k-- {
			args[k] = of.args[k].lo + rest%of.args[k].n
			rest /= of.args[k].n
		}
		out[i] = args
	}
	return out
}
