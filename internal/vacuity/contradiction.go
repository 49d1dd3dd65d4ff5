package vacuity

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
)

// Assumption is a formula of the file that excludes runs.
type Assumption struct {
	Word string // axiom, init, trusted invariant, definition
	Name string // empty when the user gave none
	Span diag.Span
	part any // of the system
}

func (a Assumption) String() string {
	out := a.Word
	if a.Name != "" {
		out += " " + a.Name
	}
	if a.Span.IsZero() {
		return out
	}
	return fmt.Sprintf("%s (%s)", out, a.Span)
}

// assumptions lists the conditions on an initial state. Axioms come last, so that a contradictory
// set consists of axioms if possible.
func assumptions(sys *system.System) (out []Assumption) {
	for _, p := range sys.Properties {
		if p.Kind == system.Trusted {
			out = append(out, Assumption{"trusted invariant", p.Name, p.Span, p})
		}
	}
	for _, f := range sys.Inits {
		out = append(out, Assumption{"init", f.Name, f.Span, f})
	}
	for _, d := range sys.Derived {
		out = append(out, Assumption{"definition of", d.Symbol.Name, d.Symbol.Span, d})
	}
	for _, f := range sys.Axioms {
		a := Assumption{"axiom", f.Name, f.Span, f}
		if name, ok := strings.CutPrefix(f.Name, "range:"); ok {
			a.Word, a.Name = "range of", name
		}
		out = append(out, a)
	}
	return out
}

// without is the system without some of its assumptions.
func without(sys *system.System, left []Assumption) *system.System {
	gone := map[any]bool{}
	for _, a := range left {
		gone[a.part] = true
	}
	c := *sys
	c.Axioms, c.Inits, c.Derived, c.Properties = kept(sys.Axioms, gone), kept(sys.Inits, gone),
		kept(sys.Derived, gone), kept(sys.Properties, gone)
	return &c
}

func kept[T any](all []T, gone map[any]bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(x T) bool { return gone[x] })
}

// Minimise gives a smallest set of contradictory assumptions: without any one of them, the rest is
// not known to be contradictory. Contradictory reports whether a system is known to have no initial
// state; the given system has none. An assumption stays in the set if that is unknown without it.
func Minimise(sys *system.System, contradictory func(*system.System) bool) []Assumption {
	all := assumptions(sys)
	var left, core []Assumption
	drop := func(some []Assumption) bool {
		try := append(slices.Clone(left), some...)
		if len(some) > 0 && contradictory(without(sys, try)) {
			left = try
			return true
		}
		return false
	}
	for len(all) > 0 {
		// Drop many at once as long as possible.
		n := 1
		for n < len(all) && all[n].Word == all[0].Word {
			n++
		}
		if !drop(all[:n]) {
			for _, a := range all[:n] {
				if n == 1 || !drop([]Assumption{a}) {
					core = append(core, a)
				}
			}
		}
		all = all[n:]
	}
	slices.SortStableFunc(core, func(a, b Assumption) int { return a.Span.Start - b.Span.Start })
	return core
}

// effort bounds the interpreter's questions, in thousands of nodes of its search.
const effort = 200

// NoInitialState reports whether an instance is known to have no initial state.
func NoInitialState(ctx context.Context, sys *system.System, inst *system.Instance) bool {
	none, known := initialState(ctx, sys, inst)
	return known && none
}

// HasInitialState reports whether an instance is known to have an initial state.
func HasInitialState(ctx context.Context, sys *system.System, inst *system.Instance) bool {
	none, known := initialState(ctx, sys, inst)
	return known && !none
}

func initialState(
	ctx context.Context, sys *system.System, inst *system.Instance,
) (none, known bool) {
	m, err := interp.NewModel(sys, inst)
	if err != nil {
		return false, false
	}
	none = true
	err = m.Initial(&bounded{Context: ctx, left: effort}, func(interp.State) error {
		none = false
		return interp.ErrStop
	})
	return none, err == nil
}

// bounded is a context that ends after a number of calls of Err: a bound on work that does not
// depend on time.
type bounded struct {
	context.Context
	left int
}

func (b *bounded) Err() error {
	if b.left--; b.left < 0 {
		return context.DeadlineExceeded
	}
	return b.Context.Err()
}

// WhyNoInitialState explains why an instance has no initial state.
func WhyNoInitialState(ctx context.Context, sys *system.System, inst *system.Instance) string {
	if sys.Computed != nil {
		return NoState // it has no formulas that could contradict each other
	}
	return NoState + Exclude(Minimise(sys, func(s *system.System) bool {
		return NoInitialState(ctx, s, inst)
	}), "in this instance")
}

// NoState begins the reason of results that were not checked because there is no initial state.
const NoState = "no initial state"

// Exclude words that assumptions contradict each other.
func Exclude(core []Assumption, where string) string {
	if where != "" {
		where = " " + where
	}
	texts := make([]string, len(core))
	for i, a := range core {
		texts[i] = a.String()
	}
	switch len(core) {
	case 0:
		return ": a declared range has no value" + where
	case 1:
		return fmt.Sprintf(": the %s cannot be true%s", texts[0], where)
	}
	return fmt.Sprintf(": the %s and %s contradict each other%s",
		strings.Join(texts[:len(texts)-1], ", "), texts[len(texts)-1], where)
}
