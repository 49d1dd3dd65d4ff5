package synth

import (
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// kinds tells which symbols with truth values, or values of an enum, stand for the same thing, such
// as the bits of a sender, of a message and of a receiver: actions compare their values, or give
// one the value of the other. All other pairs are equal by accident.
type kinds map[*logic.Symbol]*logic.Symbol // the symbol that stands for each class

func kindsIn(sys *system.System) kinds {
	l := kinds{}
	eachIn(sys, l.compared, func(u system.Update) { l.given(u.Symbol, u.Value) })
	return l
}

// compared joins the symbols that an equation in a term compares.
func (l kinds) compared(t *logic.Term) {
	logic.Walk(t, func(t *logic.Term) bool {
		if t.Op == logic.OpEq || t.Op == logic.OpIff {
			if a, b := symbolOf(t.Args[0]), symbolOf(t.Args[1]); a != nil && b != nil {
				l.join(a, b)
			}
		}
		return true
	})
}

// given joins a symbol with the ones whose values an update may give it.
func (l kinds) given(to *logic.Symbol, value *logic.Term) {
	if value.Op == logic.OpIte {
		l.given(to, value.Args[1])
		l.given(to, value.Args[2])
		return
	}
	if from := symbolOf(value); from != nil {
		l.join(to, from)
	}
}

// symbolOf is the symbol of an application, or of one that is negated, where steps change its value
// and the file lists its values; nil for other terms.
func symbolOf(t *logic.Term) *logic.Symbol {
	if t.Op == logic.OpNot {
		t = t.Args[0]
	}
	if t.Op != logic.OpApp || !t.Symbol.Mutable || !isDiscrete(t.Sort) {
		return nil
	}
	return t.Symbol
}

func (l kinds) join(a, b *logic.Symbol) { l[l.find(a)] = l.find(b) }

func (l kinds) find(s *logic.Symbol) *logic.Symbol {
	for up, ok := l[s]; ok && up != s; up, ok = l[s] {
		s = up
	}
	return s
}

// same reports whether two symbols stand for the same thing.
func (l kinds) same(a, b *logic.Symbol) bool { return a != b && l.find(a) == l.find(b) }

// isDiscrete reports whether the values of a sort are listed in the file.
func isDiscrete(sort *logic.Sort) bool { return sort == logic.Bool || sort.Kind == logic.KindEnum }
