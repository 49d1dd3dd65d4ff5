// Package timed holds networks of timed automata: the form that front ends produce and the zone
// engine reads.
//
// In: processes over shared cells, clocks and channels, with data expressions as compiled
// functions. Out: the discrete steps of a network in the semantics of UPPAAL (Behrmann, David,
// Larsen: A Tutorial on UPPAAL, section 2), and the check of a timed run with exact delays. The
// semantics of time is the standard one (Alur, Dill: A theory of timed automata).
package timed

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/diag"
)

// Memory is the memory that data expressions read and updates write.
type Memory struct {
	Cells  []int32
	Resets []Reset // clock assignments of the update, in their order
	Fault  *Fault  // the first error of the model since it was cleared

	Done  <-chan struct{} // of a context: nil for none
	spent int             // rounds since Begin
	total int             // rounds in all
}

// maxRounds bounds the rounds of all loops of one step.
const maxRounds = 1 << 24

// Begin restarts the count of rounds, for every state that is examined.
func (m *Memory) Begin() { m.spent = 0 }

// Round counts a round of a loop, or a call. It gives false when the loop has to end: after a
// fault, which a step that takes too long also causes, or when the answer is not needed any more.
func (m *Memory) Round(span diag.Span) bool {
	m.spent++
	m.total++
	switch {
	case m.Fault != nil:
		return false
	case m.spent > maxRounds:
		m.Fail(span, "one step takes more than %d rounds of loops", maxRounds)
	case m.total&(1<<12-1) == 0 && m.Done != nil:
		select {
		case <-m.Done:
			m.Fail(span, "interrupted")
		default:
		}
	}
	return m.Fault == nil
}

// Reset is a clock and its new value.
type Reset struct {
	Clock int
	Value int32
}

// Fault is an error of the model in a run, such as a value outside its declared range.
type Fault struct {
	Span    diag.Span
	Message string
}

func (f *Fault) Error() string { return fmt.Sprintf("%s: %s", f.Span, f.Message) }

// Fail records a fault; the first one counts.
func (m *Memory) Fail(span diag.Span, format string, args ...any) {
	if m.Fault == nil {
		m.Fault = &Fault{span, fmt.Sprintf(format, args...)}
	}
}

// Eval computes a value from the cells.
type Eval func(m *Memory) int32

// Number is an integer expression with the interval in which its value lies.
type Number struct {
	Eval   Eval
	Lo, Hi int64
}

// Clock is a reference to one of the clocks Lo..Hi; the index is known when they are equal.
type Clock struct {
	Lo, Hi int
	At     Eval
}

// Index is the clock's number in a state.
func (c Clock) Index(m *Memory) int {
	if c.Lo == c.Hi {
		return c.Lo
	}
	return int(c.At(m))
}

// Constraint says I - J <= Bound, or < if Strict, in the states where Cond holds. Clock 0 is always
// zero.
type Constraint struct {
	Span   diag.Span
	Cond   Eval // nil for always
	I, J   Clock
	Strict bool
	Bound  Number
}

// Rate says how fast a clock runs in the states where Cond holds: with rate 0 it stands still. A
// clock without a rate runs with rate 1.
type Rate struct {
	Span  diag.Span
	Cond  Eval // nil for always
	Clock Clock
	Value Number
}

// Channel is one channel, after the expansion of arrays.
type Channel struct {
	Name              string
	Broadcast, Urgent bool
	Priority          int // 0 by default; a larger one is higher
}

// Sync is the direction of a synchronisation.
type Sync int

const (
	Internal Sync = iota
	Send
	Receive
)

// Select is a variable bound by an edge.
type Select struct {
	Name   string
	Cell   int
	Lo, Hi int32
	Set    int // scalar set of its values, 0 for none
}

// Edge is an edge of a process. Guard, constraints, channel and bounds are evaluated before any
// update of the step.
type Edge struct {
	Source, Target int
	Selects        []Select
	Guard          Eval // nil for true
	Clocks         []Constraint
	Sync           Sync
	Channel        Number // of Send and Receive
	Key            *Key   // nil if more than one select, or something else, decides the channel
	Update         func(m *Memory)
	Resets         []int // clocks that Update assigns in every case
	Span           diag.Span
}

// Key is the select whose value alone decides the channel of an edge: it is the value and First.
type Key struct {
	Select int
	First  int64
}

// Location is a location of a process.
type Location struct {
	Name              string
	Urgent, Committed bool
	Data              Eval // the part of the invariant without clocks, nil for true
	Clocks            []Constraint
	Rates             []Rate
	Out               []*Edge
}

// Process is one automaton.
type Process struct {
	Name      string
	Locations []*Location
	Initial   int
	Priority  int // a larger one is higher
	Member    Member
}

// Variable is a cell that is part of the state.
type Variable struct {
	Name   string
	Cell   int
	Bool   bool
	Set    int // scalar set of its values, 0 for none
	Member Member
}

// Scalars is a scalar set. A permutation of its elements, in values and positions alike, maps runs
// of the network to runs, unless the model can distinguish the elements.
type Scalars struct {
	Size  int32
	Apart string // how it can, empty if it cannot
}

// Element is an element of the scalar set with this number.
type Element struct {
	Set   int
	Value int32
}

// Member distinguishes processes, variables or clocks that are instances of the same text, their
// family, for different elements.
type Member struct {
	Family string
	At     []Element
}

// Network is a network of timed automata. Cell i holds the location of process i, for each process.
type Network struct {
	Source       *diag.Source
	Init         []int32 // all cells: state, constants, and the locals of functions
	Variables    []Variable
	Clocks       []string  // Clocks[0] is the clock that is always zero
	ClockMembers []Member  // of the clocks
	Scalars      []Scalars // Scalars[0] is none
	Channels     []Channel
	Processes    []*Process
	Queries      []*Query
	Notes        []string // what a front end has to say of how it read the model

	// Updates of each step, before and after the updates of its edges; nil for none.
	Before, After func(m *Memory)
}

// QueryKind is the temporal form of a query.
type QueryKind int

const (
	Invariantly QueryKind = iota // A[]
	Possibly                     // E<>
	Inevitably                   // A<>
	Always                       // E[]
	LeadsTo                      // -->
	Supremum                     // sup
	Infimum                      // inf
)

// Measure is what Supremum and Infimum speak of: a number, or a clock minus another one.
type Measure struct {
	Text   string
	Clocks *[2]Clock // nil for a number
	Number Number
}

// Query is a property with the verdict that a file records for it.
type Query struct {
	Text     string
	Span     diag.Span
	Kind     QueryKind
	Formula  *Formula  // the states that Supremum and Infimum consider
	Then     *Formula  // the right side of LeadsTo
	Measures []Measure // of Supremum and Infimum
	Value    string    // that the file records for them
	Recorded string    // "satisfied", "not satisfied", or empty
	Named    []Element // which elements of scalar sets the query speaks of
	// why the query cannot be checked; the other fields but Text and Span are then empty
	Refused string
}

// Op is the operator of a formula.
type Op int

const (
	And Op = iota
	Or
	Data     // Eval is not zero
	Timing   // Constraint
	Deadlock // no step is possible, now or after any delay
	Alive    // the negation of Deadlock
	Rated    // Rate, in invariants only
)

// Formula is a state formula in negation normal form.
type Formula struct {
	Op         Op
	Args       []*Formula
	Eval       Eval
	Constraint Constraint
	Rate       Rate
}

// Speaks reports whether a part of the formula has this operator.
func (f *Formula) Speaks(op Op) (speaks bool) {
	f.Walk(func(g *Formula) { speaks = speaks || g.Op == op })
	return speaks
}

// Holds evaluates a formula whose parts without And and Or have the given truths.
func (f *Formula) Holds(truth func(*Formula) bool) bool {
	switch f.Op {
	case And:
		return !slices.ContainsFunc(f.Args, func(g *Formula) bool { return !g.Holds(truth) })
	case Or:
		return slices.ContainsFunc(f.Args, func(g *Formula) bool { return g.Holds(truth) })
	}
	return truth(f)
}

// Not negates a formula without rates.
func Not(f *Formula) *Formula {
	out := &Formula{}
	switch f.Op {
	case And, Or:
		out.Op = Or
		if f.Op == Or {
			out.Op = And
		}
		for _, p := range f.Args {
			out.Args = append(out.Args, Not(p))
		}
	case Data:
		eval := f.Eval
		out.Op, out.Eval = Data, func(m *Memory) int32 { return b2i(eval(m) == 0) }
	case Timing:
		c := f.Constraint
		bound := c.Bound.Eval
		out.Op = Timing
		out.Constraint = Constraint{Span: c.Span, I: c.J, J: c.I, Strict: !c.Strict,
			Bound: Number{func(m *Memory) int32 { return -bound(m) }, -c.Bound.Hi, -c.Bound.Lo}}
	case Deadlock:
		out.Op = Alive
	case Alive:
		out.Op = Deadlock
	}
	return out
}

// Walk calls visit for f and all its parts.
func (f *Formula) Walk(visit func(*Formula)) {
	visit(f)
	for _, p := range f.Args {
		p.Walk(visit)
	}
}

func b2i(b bool) int32 {
	if b {
		return 1
	}
	return 0
}
