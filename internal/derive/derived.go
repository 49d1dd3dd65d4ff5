package derive

import (
	"context"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
)

// Derived is a system that was derived from an algorithm, or the system of a file without one.
type Derived struct {
	Name       string // of the last pass
	Spec       *ere.Specification
	Properties []string // properties of the file that this system decides
	// Early says that it is decided before the others, since it takes little.
	Early bool
	// Sufficient are the properties of states that imply a property of runs, and Safety is the
	// reason.
	Sufficient map[string][]string
	Safety     map[string]result.Reduction
	Reductions []result.Reduction
	// Assumptions are the file's assumptions about this system beyond the algorithm, other than its
	// trusted invariants.
	Assumptions []result.Assumption

	// InRounds derives the system in which a whole round is one step, for the properties that it
	// decides, too, and for the ones that it decides anyway; nil where there is none. A proof there
	// often needs fewer invariants.
	InRounds func(context.Context) (*Derived, error)
	// Untimed derives the system of a protocol without time, in which what is proved of states
	// holds with any bounds; nil where there is none.
	Untimed func(context.Context) (*Derived, error)

	// Open gives the specification for all values of its constants, where Spec has their values;
	// nil where Spec is that already, or there is no such thing.
	Open func(context.Context) (*Derived, error)

	legend    legend    // nil for a file without an algorithm
	variables []string  // of the algorithm
	assumed   diag.Span // of a protocol: an assumption about messages; zero without one
}

// Reported is the name under which a property of the system is reported. A property of a derived
// system that is not the file's has the system's name in front.
func (d *Derived) Reported(property string) string {
	if d.Name == "" || slices.Contains(d.Properties, property) {
		return property
	}
	return d.Name + "/" + property
}

// Own is the system's own name for a reported property; false if the property is not this system's.
func (d *Derived) Own(reported string) (property string, ok bool) {
	if d.Name == "" || slices.Contains(d.Properties, reported) {
		return reported, true
	}
	return strings.CutPrefix(reported, d.Name+"/")
}

// Claims are the reported names of the system's results about the file's properties, in their
// order.
func (d *Derived) Claims() []string {
	if d.Name != "" {
		return d.Properties
	}
	var names []string
	for _, p := range d.Spec.System.Properties {
		names = append(names, p.Name)
	}
	for _, s := range d.Spec.System.Scenarios {
		names = append(names, s.Name)
	}
	return names
}

// OneWay is the name of the system with one sender and one receiver, without crashes, in sub-rounds
// and with the messages as a predicate. Other systems have longer names that state the difference.
const OneWay = "one_way"
