package interp

import "errors"

// Budget bounds the work of all calls of a model together. The work is counted in the values that
// are tried: for variables of quantifiers, for parameters and choices of actions, and for slots
// that a formula leaves open. The count does not depend on the speed of the machine. Only one
// goroutine at a time may use a budget.
type Budget struct{ Left int }

// ErrWork says that more values would have to be tried than allowed.
var ErrWork = errors.New("more values would have to be tried than allowed")

// Within is the model for calls that share a budget: they end with ErrWork when it is used up. What
// an enumeration yields before that is valid, but need not be all.
func (m *Model) Within(b *Budget) *Model {
	c := *m
	c.budget = b
	return &c
}

// spend takes one from a budget, and is false if there is none left.
func (b *Budget) spend() bool {
	if b.Left <= 0 {
		return false
	}
	b.Left--
	return true
}
