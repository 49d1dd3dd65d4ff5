package result

import (
	"cmp"
	"slices"
	"strings"
)

// TraceKind is the kind of a trace.
type TraceKind string

const (
	// a run from an initial state to a violation
	Counterexample TraceKind = "counterexample"
	ToInduction    TraceKind = "counterexample to induction" // two states, possibly unreachable
	// A run that exists, as a scenario asks.
	Witness TraceKind = "witness"
)

// Trace is a run, in the user's names.
type Trace struct {
	Kind     TraceKind
	Instance string
	Universe []Universe // the finite sorts, in the order of declaration
	Params   []Binding  // values of the immutable symbols
	Steps    []Step     // Steps[0] is the first state and has no action
	Loop     int        // index of the state to which the run returns after the last, -1 for none
	// with a loop: the step that closes it, without State; no Action if the last state has no
	// successor
	Back     Step
	Fairness []Fairness // with a loop: why the run is fair
	Violates string     // name of the property that the last state violates, empty for a witness
	Line     int        // of the violated conjunct, 0 for none
	Shows    string     // the meaning of a witness, beyond its existence
	Assuming []string   // names of the assumptions that every state and step obeys
	// Why the last state violates it, or the witness shows it; nil if unknown, and in traces that
	// were read.
	Why *Why
	// Diagnosis is the analysis of a counterexample to induction; nil without one.
	Diagnosis *Diagnosis
	// Of a system derived from an algorithm; nil for other systems, and for a trace that is not a
	// run.
	Story *Story
	// View says how the values make up the structured data of the file; nil if there is none. See
	// Shown.
	View *View
	// Hidden is what Shown left out: the values of symbols that the user did not declare. See Flat.
	Hidden *Hidden
}

// Hidden are values of symbols and the elements of sorts that make structured data possible.
type Hidden struct {
	Params   []Binding
	Universe []Universe
}

// Diagnosis says whether the first state of a counterexample to induction is reachable in a small
// instance, and which invariants exclude it.
type Diagnosis struct {
	// such as "node = 2": the sizes and parameters of the counterexample; empty if there are none
	Instance string
	States   int64 // explored states
	Finding  Finding
	Reason   string // for NotExplored
	// Looked lists, for Unreachable, the other instances that were examined for a violation; empty
	// if none of them is larger.
	Looked string
	// invariants that the first state violates; none unless it is unreachable
	Candidates []Candidate
	// Where lists the instances in whose reachable states the candidates are true, such as "all 12
	// with node = 2". It is empty when there is only one instance.
	Where string
}

// Finding is the result of exploration for the first state.
type Finding string

const (
	// or the property is violated in another way: there is a run to a violation
	Reachable   Finding = "reachable"
	Unreachable Finding = "unreachable" // all reachable states were found
	NotFound    Finding = "not found"   // within the limits
	NotExplored Finding = "not explored"
)

// Candidate is a formula that is true in all examined reachable states. It is a hint, and proves
// nothing.
type Candidate struct {
	Formula string // as a declaration of the language
	// it is initially true, and every action preserves it where the invariants of the file hold
	// before
	Inductive bool
	Suffices  bool // with it, every action preserves the property
}

// Why is a part of a formula with its value in a state, and the parts that determine the value.
type Why struct {
	Text   string
	Value  Value
	Line   int // of the part in the file, 0 for none
	Column int // of its first character
	End    int // the column after its last one, 0 when that is on another line
	// Values of the variables that a quantifier or definition binds; Parts are for these values.
	Witness     []Binding
	Subformulas []*Why
}

// Universe is the set of elements of one uninterpreted sort.
type Universe struct {
	Sort     string
	Elements []string
}

// Step is a state and the action that leads to it.
type Step struct {
	Action string
	Args   []Binding // parameters of the action and its choices
	State  []Binding // mutable symbols in the order of declaration
	// Described is what the file says to show in place of the state; nil for the state.
	Described []Binding
	// In a network of timed automata; nil for other systems, and in traces that were read.
	Sync *Sync
}

// Sync gives the time and the processes of a step of a network of timed automata.
type Sync struct {
	Time      string   // since the start of the run
	Channel   string   // empty if there is none
	Processes []string // the sender comes first; none when only time passes
}

// Stutter is the action of a step with which a run only stays in its state, where the states before
// and after such steps matter.
const Stutter = "(stuttering)"

// Fairness says why a run that ends in a loop satisfies the fairness condition of an action with
// given parameters.
type Fairness struct {
	Strong bool
	Action string
	Args   []Binding
	Why    FairnessReason
	// Taken: the state of the loop to which the step leads; Disabled, Excused: the state; else 0
	At int
}

// FairnessReason is the reason why a loop satisfies a fairness condition.
type FairnessReason string

const (
	Taken FairnessReason = "taken" // in a step of the loop
	// in a state of the loop, which satisfies a weak condition
	Disabled     FairnessReason = "disabled"
	NeverEnabled FairnessReason = "never enabled" // on the loop, which satisfies a strong condition
	// Of an action that is fair under a condition: the condition is false in a state of the loop,
	// where the action is enabled; or in all of these.
	Excused  FairnessReason = "excused"
	NeverDue FairnessReason = "never due"
)

// Binding names a value.
type Binding struct {
	Name  string
	Value Value
}

// ValueKind distinguishes the kinds of values.
type ValueKind int

const (
	BoolValue ValueKind = iota
	IntValue            // decimal digits in Text
	// an element of an uninterpreted sort or a member of an enum: Text, and Sort
	AtomValue
	SetValue // a relation with arguments: the tuples for which it holds
	MapValue // a function with arguments
	NoValue  // unknown, as in a partial model of a solver
	// Structured data; see Trace.Shown. A row has one value as its key.
	ElementsValue // a set: its elements
	EntriesValue  // a map: its keys, with their values
	RecordValue   // the names of its fields, with their values
	TupleValue    // its parts
	SequenceValue // its elements
	VariantValue  // Text is the constructor; the rest is as of a record
)

// Value is a value of a symbol or of a parameter.
type Value struct {
	Kind ValueKind
	Bool bool
	Text string
	Sort string
	Rows []Row // of a relation or function, sorted by Key (see SortRows); of structured data
	// Notation is how String writes the value. Equal values may differ in it.
	Notation Notation
}

// Row is one tuple of arguments; for a map with its result.
type Row struct {
	Key    []Value
	Result Value // of a function, and of structured data with two values a row
}

func Bool(b bool) Value         { return Value{Kind: BoolValue, Bool: b} }
func Int(digits string) Value   { return Value{Kind: IntValue, Text: digits} }
func Atom(sort, n string) Value { return Value{Kind: AtomValue, Sort: sort, Text: n} }

// String prints a value on one line: {a, b}, {(a, 1), (b, 2)}, {a: 1, b: 2}.
func (v Value) String() string {
	if v.Notation == TLA && v.Kind != NoValue {
		return v.tla()
	}
	switch v.Kind {
	case BoolValue:
		if v.Bool {
			return "true"
		}
		return "false"
	case NoValue:
		if v.Text != "" {
			return v.Text // why it has none
		}
		return "?"
	case SetValue, MapValue:
		parts := make([]string, len(v.Rows))
		for i, r := range v.Rows {
			parts[i] = r.KeyString()
			if v.Kind == MapValue {
				parts[i] += ": " + r.Result.String()
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	if v.Kind.Structured() {
		return v.data()
	}
	return v.Text
}

// KeyString prints the arguments: a for one, (a, b) for several.
func (r Row) KeyString() string {
	if len(r.Key) == 1 {
		return r.Key[0].String()
	}
	parts := make([]string, len(r.Key))
	for i, k := range r.Key {
		parts[i] = k.String()
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// Equal compares two values. Rows must be sorted.
func (v Value) Equal(w Value) bool {
	return v.Kind == w.Kind && v.Bool == w.Bool && v.Text == w.Text && v.Sort == w.Sort &&
		slices.EqualFunc(v.Rows, w.Rows, func(a, b Row) bool {
			return slices.EqualFunc(a.Key, b.Key, Value.Equal) && a.Result.Equal(b.Result)
		})
}

// Compare orders values of one sort: integers by size, others by text with numbers inside compared
// as numbers.
func (v Value) Compare(w Value) int {
	if v.Kind != w.Kind {
		return cmp.Compare(v.Kind, w.Kind)
	}
	switch v.Kind {
	case BoolValue:
		return cmp.Compare(boolRank(v.Bool), boolRank(w.Bool))
	case IntValue:
		return compareDecimal(v.Text, w.Text)
	}
	if v.Kind.Structured() {
		return compareNatural(v.String(), w.String())
	}
	return compareNatural(v.Text, w.Text)
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

func compareDecimal(a, b string) int {
	an, bn := strings.HasPrefix(a, "-"), strings.HasPrefix(b, "-")
	switch {
	case an && bn:
		return compareDecimal(b[1:], a[1:])
	case an:
		return -1
	case bn:
		return 1
	}
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return cmp.Compare(a, b)
}

// compareNatural puts node2 before node10.
func compareNatural(a, b string) int {
	pa, na := splitNumber(a)
	pb, nb := splitNumber(b)
	if pa == pb && na != "" && nb != "" {
		if c := compareDecimal(na, nb); c != 0 {
			return c
		}
	}
	return cmp.Compare(a, b)
}

func splitNumber(s string) (prefix, digits string) {
	i := len(s)
	for i > 0 && s[i-1] >= '0' && s[i-1] <= '9' {
		i--
	}
	return s[:i], strings.TrimLeft(s[i:], "0")
}

// SortRows puts the rows in the order of their keys.
func SortRows(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int {
		return slices.CompareFunc(a.Key, b.Key, Value.Compare)
	})
}
