package system

import (
	"context"
	"errors"
	"fmt"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
)

// Computation is a system whose states and steps the front end computes, since no term can say
// them. Its mutable symbols have an interned sort and no arguments. Its actions have a name and
// parameters of interned sorts, and neither rendering. What is claimed of states and of runs is a
// formula over computed predicates, which are derived symbols without arguments: see Predicate.
type Computation struct {
	Computed
	// Boundary bounds the states that are explored. Where one of the formulas is false of a state,
	// or of the step to it, the invariants are checked in the state, and that is all: it is not
	// counted as a state, and its own steps are not taken.
	Boundary []*Formula
	// Stutters says that a run may stay in each state for as long as it likes, also for ever.
	Stutters bool
	// Deadlock says that a state without a step is a violation.
	Deadlock   bool
	Conditions []*FairnessCondition
	// Unbounded says that files of the language often have endlessly many states, so that an
	// exploration ends at a limit unless it is asked otherwise.
	Unbounded bool
	// Postconditions are claims about a whole exploration, for a Concluding.
	Postconditions []*Postcondition
}

// Postcondition is a claim about an exploration that found all states.
type Postcondition struct {
	Name   string
	Number int
	Span   diag.Span
}

// Explored is what a postcondition may speak of.
type Explored struct{ Initial, Distinct, Generated, Depth int64 }

// FairnessCondition asks for steps for which Taken is true. If it is weak, they are taken again and
// again in a run in which Enabled is true from some time on; if it is strong, in a run in which
// Enabled is true again and again. Both are formulas over computed predicates.
type FairnessCondition struct {
	Name    string
	Strong  bool
	Enabled *logic.Term // of states
	Taken   *logic.Term // of steps
	Span    diag.Span
}

// Predicate is a formula that a front end computes: of a state, or of a step. An application of its
// symbol at Pre is about that state, or about the step from there.
type Predicate struct {
	Number int
	OfStep bool
	// Moves says that the formula can be told from the steps: it is true of a step that changes the
	// state, or of a state from which there is such a step.
	Moves bool
}

// Computed is what the front end of a system computes itself: the values of its language are
// numbers in a table of values seen, so equal values have equal numbers. A state is the values of
// the mutable symbols in their order, without the derived ones.
//
// It is safe for concurrent use.
type Computed interface {
	// Language is what a file of the front end is called, as in "a TLA+ model".
	Language() string
	// Computer is for one goroutine. It remembers what it computed. What it computes ends with an
	// error soon after the context, and what a call computes after the context of the call.
	Computer(ctx context.Context) Computer
	// Plain is a Computer that remembers nothing, and takes no state for another one. It is the
	// oracle of the others.
	Plain() Computer
	// Show is a value of a sort as results show it. Different values are shown differently.
	Show(sort *logic.Sort, value int64) result.Value
	// Read is the inverse of Show. It reports whether there is such a value.
	Read(sort *logic.Sort, v result.Value) (value int64, ok bool)
	// Universe lists the sets of atoms that the file declares, for what draws processes.
	Universe() []result.Universe
}

// Bounding is a Computed that may leave out steps, where a choice has too many of them to list.
type Bounding interface {
	Computed
	// Bound says which steps were left out until now, empty for none.
	Bound() string
}

// Representing is a Computed that explores one of several states that are alike, because of a
// symmetry or of a view. Its Computers are Standing.
type Representing interface {
	Computed
	// Representative is the state that stands for a state.
	Representative(state []int64) []int64
	// Whole is the Computed in which each state stands for itself, with the same numbers. It is not
	// finite where there may be endlessly many states that are alike.
	Whole() (c Computed, finite bool)
	// Symmetric reports whether predicates are seen to be true of all states, or steps, that are
	// alike where they are true of one.
	Symmetric(predicates []int) bool
}

// Standing is a Computer that tells which state stands for others.
type Standing interface {
	Computer
	// Stand is the state that stands for a state, in a slice that is valid until the next call. It
	// may be asked while the Computer yields.
	Stand(state []int64) ([]int64, error)
}

// ErrForm says that a value does not fit into a form of packed states. The next form that is asked
// for has room for it.
var ErrForm = errors.New("a value does not fit into the form of packed states")

// Packing is a Computed whose steps are also found as changes of packed states.
type Packing interface {
	Computed
	// Form is a form of packed states; nil where steps are not found faster with it.
	Form(ctx context.Context) Form
}

// Form is a form of packed states: each state has one packed form. It is safe for concurrent use.
type Form interface {
	Words() int
	Packer() Packer
	// Computer is for one goroutine, as the Computer of states is.
	Computer(ctx context.Context) PackedComputer
}

// Packer packs states for one goroutine.
type Packer interface {
	// Pack appends a packed state; the error is ErrForm.
	Pack(state []int64, out []uint64) ([]uint64, error)
	// Unpack is its inverse.
	Unpack(packed []uint64, state []int64)
}

// PackedComputer is a Computer of packed states. An error may be ErrForm, too.
type PackedComputer interface {
	Steps(ctx context.Context, packed []uint64,
		yield func(action int, next []uint64) error) error
	// Holds is the truth of a predicate of states.
	Holds(predicate int, packed []uint64) (bool, error)
}

// Settling is a Computed that knows of some formulas of steps that they depend on nothing but which
// variables a step changes.
type Settling interface {
	Computed
	// Settled is the truth of a predicate of the steps that change some variables; known where that
	// alone tells it.
	Settled(predicate int, moves []bool) (truth, known bool)
}

// Describing is a Computed whose file says what a counterexample shows in place of a state.
type Describing interface {
	Computed
	// Describe gives the values to show of a state of a run and the next one, nil for the state's
	// own. The place of the state in the run counts from 1.
	Describe(state, next []int64, place int) []result.Binding
}

// Concluding is a Computed that evaluates postconditions.
type Concluding interface {
	Computed
	// Conclude is the truth of the postcondition with a number, and what it prints. An error of
	// evaluation is a *ComputedError.
	Conclude(number int, e Explored) (truth bool, printed []string, err error)
}

// Computer computes states. It does not change the slices that it is given. The slices that it
// yields are valid during the call, and not changed; it is asked nothing else during the call. An
// error of evaluation is a *ComputedError. An error of yield ends the enumeration, which returns
// it.
type Computer interface {
	// Initial yields the initial states, possibly one more than once.
	Initial(ctx context.Context, yield func(state []int64) error) error
	// Steps yields the steps from a state, in the order of the system's actions, with the values of
	// the action's parameters. It may yield a step more than once.
	Steps(ctx context.Context, state []int64,
		yield func(action int, args, next []int64) error) error
	// Holds is the truth of a predicate of states, or of steps; next is nil for a predicate of
	// states.
	Holds(predicate int, state, next []int64) (bool, error)
}

// ComputedError says that an expression has no value.
type ComputedError struct {
	Span    diag.Span
	Message string
}

func (e *ComputedError) Error() string { return e.Message }

// NeedsFormulasError says what is not possible with a computed system.
type NeedsFormulasError struct {
	Language string
	What     string // a verb with what follows, as in "be compiled"
}

func (e *NeedsFormulasError) Error() string {
	return fmt.Sprintf("%s cannot %s: its steps are computed, and no formula says what they do",
		e.Language, e.What)
}

// NeedsFormulas gives the error that a system cannot be used in a way, if it is a computed one.
func (s *System) NeedsFormulas(what string) error {
	if s.Computed == nil {
		return nil
	}
	return &NeedsFormulasError{s.Computed.Language(), what}
}

// OfStep reports whether a formula is about a step that the front end computes.
func (s *System) OfStep(t *logic.Term) bool {
	if s.Computed == nil {
		return false
	}
	for app := range logic.Applications(t) {
		if d := s.DerivedOf(app.Symbol); d != nil && d.Predicate != nil && d.Predicate.OfStep {
			return true
		}
	}
	return false
}

// PredicatesOf lists the numbers of the computed predicates that a formula is made of.
func (s *System) PredicatesOf(t *logic.Term) (numbers []int) {
	for app := range logic.Applications(t) {
		if d := s.DerivedOf(app.Symbol); d != nil && d.Predicate != nil {
			numbers = append(numbers, d.Predicate.Number)
		}
	}
	return numbers
}

func (p *Predicate) kind() string {
	if p.OfStep {
		return "step"
	}
	return "state"
}

// computation prints what is special of a computed system. There is no syntax for it.
func (d *dump) computation(c *Computation) {
	d.section()
	d.line("# computed: %s", c.Language())
	for _, f := range c.Boundary {
		d.line("# boundary %s%s", label(f.Name), f.Term)
	}
	if c.Stutters {
		d.line("# a run may stay in each state")
	}
	if c.Deadlock {
		d.line("# a deadlock is a violation")
	}
	for _, f := range c.Conditions {
		word := "weak"
		if f.Strong {
			word = "strong"
		}
		d.line("# %s fairness %s: enabled %s, taken %s", word, f.Name, f.Enabled, f.Taken)
	}
}
