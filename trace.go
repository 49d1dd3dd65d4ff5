package erelong

import (
	"io"
	"math/big"
	"strings"

	"erelong.dev/erelong/internal/itf"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
)

// TraceKind is the kind of a [Trace].
type TraceKind string

// The kinds of traces.
const (
	Counterexample TraceKind = "counterexample" // a run from an initial state to a violation
	// one step that does not preserve a property, from a state that may be unreachable
	CounterexampleToInduction TraceKind = "counterexample to induction"
	Witness                   TraceKind = "witness" // a run that a property asks for
)

// Trace is a run, in the names of the specification.
type Trace struct {
	Kind     TraceKind
	Instance string
	// Sorts gives the elements of each sort, and Constants the values of the immutable symbols.
	Sorts     map[string][]string
	Constants []Binding
	Steps     []Step // Steps[0] is the first state, and has no action
	// Loop is the index of the state to which the run returns after the last one, and Back the
	// step that takes it there, without its state. Without a loop they are -1 and nil. Back has no
	// action where the run stays in its last state.
	Loop  int
	Back  *Step
	trace *result.Trace
}

// Step is a state, and the action that leads to it.
type Step struct {
	Action    string
	Arguments []Binding // parameters and choices of the action
	State     []Binding // the mutable symbols, in the order of declaration
	Time      *big.Rat  // of timed automata: since the start of the run; otherwise nil
}

// Get returns the value of a symbol in the state. It is unknown where there is no such symbol.
func (s *Step) Get(symbol string) Value { return find(s.State, symbol) }

// Argument returns the value of a parameter or a choice of the action.
func (s *Step) Argument(name string) Value { return find(s.Arguments, name) }

func find(list []Binding, name string) Value {
	for _, b := range list {
		if b.Name == name {
			return b.Value
		}
	}
	return Value{}
}

// Binding is a name with its value.
type Binding struct {
	Name  string
	Value Value
}

// String prints a binding as in c = client0.
func (b Binding) String() string { return b.Name + " = " + b.Value.String() }

// String prints the run like `erelong verify`: the first state, then each action with its changes.
func (t *Trace) String() string {
	var b strings.Builder
	if err := report.WriteTrace(&b, t.trace, report.Options{}); err != nil {
		return err.Error()
	}
	return b.String()
}

// WriteITF writes the run in the Informal Trace Format, which Apalache and its tools read.
func (t *Trace) WriteITF(w io.Writer) error { return itf.Write(w, t.trace) }

func newTrace(t *result.Trace) *Trace {
	if t == nil {
		return nil
	}
	c := &values{elements: map[string]bool{}}
	t = t.Shown()
	out := &Trace{Kind: TraceKind(t.Kind), Instance: t.Instance, Loop: t.Loop, trace: t,
		Sorts: map[string][]string{}}
	for _, u := range t.Universe {
		c.elements[u.Sort] = true
		out.Sorts[u.Sort] = u.Elements
	}
	for i := range t.Steps {
		c.timed = c.timed || t.Steps[i].Sync != nil
	}
	out.Constants = c.bindings(t.Params)
	for i := range t.Steps {
		out.Steps = append(out.Steps, c.step(&t.Steps[i]))
	}
	if t.Loop >= 0 {
		back := c.step(&t.Back)
		out.Back = &back
	}
	return out
}

func (c *values) step(s *result.Step) Step {
	out := Step{Action: s.Action, Arguments: c.bindings(s.Args), State: c.bindings(s.State)}
	if s.Sync != nil {
		out.Time = number(s.Sync.Time)
	}
	return out
}

func (c *values) bindings(list []result.Binding) (out []Binding) {
	for _, b := range list {
		out = append(out, Binding{b.Name, c.value(b.Value)})
	}
	return out
}
