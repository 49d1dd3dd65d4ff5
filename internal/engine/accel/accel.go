// Package accel computes exactly which states of a counter system are reachable, by acceleration.
//
// In: a system whose state is made of constants (truth values, members of enums, integers), whose
// formulas are of linear arithmetic without quantifiers, and whose actions change integers by
// linear maps. Out: the set of all reachable states, or of all states from which given ones are
// reachable, as a region: a set of integer vectors (package presburger) for each place; or where
// the search stopped. A region that is complete decides each claim about reachable states.
//
// A loop of a linear map f with a guard is accelerated if the matrices of f, f², f³, ... are
// finitely many: then the states after any number of rounds are a definable set (Finkel, Leroux:
// How to compose Presburger-accelerations, FSTTCS 2002). Loops are looked for among the cycles of
// the system, shorter ones first, as of its flattenings (Bardin, Finkel, Leroux, Petrucci: FAST:
// acceleration from theory to practice, STTT 2008). Each step of the search is exact, so a region
// that no step leaves is the set of all reachable states. That is checked in the end by preimages,
// which the search forwards does not use (check.go).
package accel

import (
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/presburger"
)

// ErrNotCounters says that a system is no counter system.
var ErrNotCounters = errors.New("no counter system")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrNotCounters, fmt.Sprintf(format, args...))
}

// machine is a counter system. A place is a value of each symbol of the control; in a place a
// state is a vector of the values of the other symbols.
type machine struct {
	store   *presburger.Store
	space   presburger.Space
	vars    []*logic.Symbol // components; none for a system without numbers
	control []*logic.Symbol
	places  [][]int64 // values of the control
	edges   []*edge
	tell    func(made int64) // is called now and then; nil for nobody
}

// region is a set of states: a set for each place.
type region []*presburger.Set

// edge is a step from one place to another, or several steps after each other.
type edge struct {
	from, to int
	guard    *presburger.Set
	// convex says that the guard has all integer vectors between two of its own.
	convex bool
	f      presburger.Affine // of a component of any, the identity
	any    []int             // components that get any value
	path   []*edge           // the steps that it is made of; nil for a single one
	action int               // of a single one, in the system
}

// steps are the single steps of an edge.
func (e *edge) steps() []*edge {
	if e.path == nil {
		return []*edge{e}
	}
	return e.path
}

func (m *machine) none() region {
	r := make(region, len(m.places))
	for i := range r {
		r[i] = m.store.None(m.space)
	}
	return r
}

func (r region) empty() bool {
	return !slices.ContainsFunc(r, func(x *presburger.Set) bool { return !x.IsEmpty() })
}

func (r region) nodes() (n int) {
	for _, x := range r {
		if !x.IsEmpty() {
			n += x.Nodes()
		}
	}
	return n
}

// each combines two regions place by place.
func each(a, b region, f func(x, y *presburger.Set) *presburger.Set) region {
	out := make(region, len(a))
	for i := range a {
		out[i] = f(a[i], b[i])
	}
	return out
}
