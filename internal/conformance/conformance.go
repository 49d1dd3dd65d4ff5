// Package conformance decides whether a recorded run of a program is a run of a specification.
//
// In: a specification, an instance of it, a log (package runlog), and declarations that relate the
// two (package observe). Out: a Result. The log is accepted if there is a run of the specification
// in which each event is a step as declared, in an order that agrees with what is known of the
// order of the events, and every observation is true after its event. Then the run is given, and
// each step has been computed by the interpreter. Otherwise the Result has a longest prefix of the
// log that is a run, and says for each way in which the next event could have been a step why it is
// none.
//
// The search is depth-first over pairs of positions in the log and states of the model (Kuppe et
// al., Validating traces of distributed programs against TLA+ specifications, 2024), which finds a
// run in linear time where the log leaves little open. Pairs are kept, as hashes of 128 bits, so
// that none is examined twice. What the log leaves open is enumerated: initial states, arguments
// that are not recorded, choices of actions, orders of events, and up to a bound actions that leave
// no event.
package conformance

import (
	"context"
	"errors"
	"fmt"

	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Options of a check. Limits that are 0 have the default.
type Options struct {
	// actions without an event between two events; negative for the declared bound, else 3
	SilentMost int
	MaxStates  int // pairs of positions and states that the search may examine
	Mutants    int // mutated logs that are tried; negative for none
	Seed       uint64
	// Places is the number of elements that a sequence without a bound may have; see PlacesFor.
	Places int64
}

const (
	defaultSilent    = 3
	defaultMaxStates = 5_000_000
	defaultMutants   = 40
)

// Answer says whether a log is a run.
type Answer string

const (
	Accepted    Answer = "accepted"
	NotAccepted Answer = "not accepted"
	Unknown     Answer = "unknown" // a limit was reached: Reason says which
)

// Result is what is known of a log.
type Result struct {
	Answer     Answer
	Reason     string // of Unknown
	Order      observe.Order
	Events     int // that are not ignored
	Ignored    int
	SilentMost int // negative where no action is silent
	// SequenceMost is the number of elements that sequences without a bound may have; 0 if there
	// are none.
	SequenceMost int64
	States       int // pairs that were examined
	// Prefix is the number of events that the run explains: all of an accepted log.
	Prefix   int
	Steps    int       // of the model in the run
	Run      *Run      // the run, or a longest one; nil where a Stream does not keep it
	DeadEnds []DeadEnd // where no longer run goes on; none for an accepted log
	// Stuck has for each node an event at which a run ends, if the order between nodes is open: the
	// longest run need not end at the node that is at fault.
	Stuck []StuckNode
	Notes []string
	// Coverage of the run and of the search.
	Coverage Coverage
	Mutants  *Mutants // nil where none were tried
}

// Run is a run of the model, and the events that its steps are.
type Run struct {
	Model *interp.Model
	First interp.State
	Steps []Step
}

// Step is a step of a run. An event of several actions is several steps.
type Step struct {
	Event   *runlog.Event // nil for a silent action
	Action  *system.Action
	Args    []interp.Arg
	changes []interp.Change
}

// Trace is a run in the user's names.
func (r *Run) Trace() *result.Trace {
	var steps []interp.Step
	state := r.First.Clone()
	for _, s := range r.Steps {
		s.apply(state)
		if s.Action != nil {
			steps = append(steps, interp.Step{Action: s.Action, Args: s.Args, State: state.Clone()})
		}
	}
	t := r.Model.TraceOf(r.First, steps...)
	t.Kind = result.Witness
	return t
}

// Length is the number of steps of the model.
func (r *Run) Length() (n int) {
	for _, s := range r.Steps {
		if s.Action != nil {
			n++
		}
	}
	return n
}

// apply makes the changes of a step.
func (s Step) apply(state interp.State) {
	for _, c := range s.changes {
		state[c.Slot] = c.To
	}
}

// DeadEnd is a state in which no event of the log goes on.
type DeadEnd struct {
	State      interp.State
	Candidates []Candidate
}

// StuckNode is a node with an event at which a run that was tried ends.
type StuckNode struct {
	Node   string
	Before int // events of all nodes in the run
	// Candidate says why the event is no step: if there is such a run, one after which the step is
	// possible and only what is observed differs.
	Candidate
}

// Candidate is one way in which an event could have been a step, and why it is none.
type Candidate struct {
	Event *runlog.Event
	Call  string // the steps, in the words of the declarations, with values
	// Blocks are false requirements of the action; none if an observation excludes it.
	Blocks []Block
	// Differs lists observations that are false after the step, of the possible step with the
	// fewest.
	Differs []Difference
	Why     string // another reason
}

// Block is a requirement that is false.
type Block struct {
	Line int // in the specification, 0 for none
	Why  *result.Why
}

// Difference is an observation that is false.
type Difference struct {
	What           string
	Expected, Seen string // by the model, and in the log; empty for a formula
}

// Coverage says what of the specification and the declarations the log has exercised.
type Coverage struct {
	Taken        []Count // for each action, the steps of the run
	Silent       int     // steps of the run without an event
	Observations []Count // for each observation, how often it was made in the run
	Made         int     // observations in the run
	// Decisive counts observations and requirements that excluded a step in the search, with the
	// mutated logs.
	DecisiveObservations, DecisiveRequirements int
}

// Count is a name and a number.
type Count struct {
	Name string
	N    int
}

// Checker relates logs to an instance of a specification.
type Checker struct {
	spec       *ere.Specification
	model      *interp.Model
	file       *observe.File
	o          Options
	elements   map[string]*logic.Term
	names      names
	actions    map[string][]*system.Action // by the name that the system has for one
	silent     []*system.Action
	terms      map[string]*partial // expressions that were read
	remembered *remembered
	coder      *coder
	places     int64 // of sequences without a bound, 0 if there are none
}

// partial is an expression with the condition under which it has a value.
type partial struct{ term, needs *logic.Term }

// PlacesFor is a number of elements of a sequence that is enough for a log whose steps make it
// longer by one element: the greatest one that the log shows, and one for each event.
func PlacesFor(events []*runlog.Event) int64 {
	most := 0
	var look func(v any)
	look = func(v any) {
		switch v := v.(type) {
		case runlog.Object:
			for _, f := range v {
				look(f.Value)
			}
		case []any:
			most = max(most, len(v))
			for _, x := range v {
				look(x)
			}
		}
	}
	for _, e := range events {
		look(e.Record())
	}
	return int64(most + len(events) + 1)
}

// New binds declarations to an instance.
func New(
	spec *ere.Specification, inst *system.Instance, file *observe.File, o Options,
) (*Checker, error) {
	var places int64
	if len(spec.System.Growing(inst)) > 0 {
		if o.Places <= 0 {
			return nil, errors.New(spec.System.Unbounded(inst))
		}
		places = o.Places
		inst = spec.System.Placed(inst, places)
	}
	if err := spec.System.NeedsFormulas("be compared with a log"); err != nil {
		return nil, err
	}
	m, err := interp.NewModel(spec.System, inst)
	if err != nil {
		return nil, err
	}
	c := &Checker{
		spec: spec, model: m, file: file, o: o, actions: map[string][]*system.Action{},
		terms: map[string]*partial{}, remembered: newRemembered(),
		places: places,
	}
	c.coder = &coder{c, map[*logic.Sort]*codes{}}
	for _, a := range spec.System.Actions {
		c.actions[a.Name] = []*system.Action{a}
	}
	c.nameElements()
	if err := c.bind(); err != nil {
		return nil, err
	}
	return c, nil
}

// Model is the model that the log is compared with.
func (c *Checker) Model() *interp.Model { return c.model }

// Check decides whether a log is a run. Errors are about the log or the declarations.
func (c *Checker) Check(ctx context.Context, name string, events []*runlog.Event) (*Result, error) {
	under := *c
	under.model = c.model.Under(ctx)
	return under.check(ctx, name, events)
}

func (c *Checker) check(ctx context.Context, name string, events []*runlog.Event) (*Result, error) {
	if err := c.used(name, events); err != nil {
		return nil, err
	}
	p, err := c.problem(name, events)
	if err != nil {
		return nil, err
	}
	if len(p.events) == 0 {
		return nil, errNothing
	}
	s := newSearch(c, p)
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	r, err := s.result(ctx)
	if err != nil {
		return nil, err
	}
	if r.Answer == Accepted {
		if err := r.Run.replay(ctx); err != nil {
			return nil, &DefectError{fmt.Errorf("the interpreter does not replay the run that "+
				"was found: %w", err)}
		}
		violated, err := r.Run.violations(ctx)
		if err != nil {
			return nil, err
		}
		r.Notes = append(r.Notes, violated...)
		if c.o.Mutants >= 0 {
			if err := s.mutate(ctx, r); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// DefectError is a defect of the program, and not of its input.
type DefectError struct{ Err error }

func (e *DefectError) Error() string { return "internal error: " + e.Err.Error() }
func (e *DefectError) Unwrap() error { return e.Err }

var errNothing = errors.New("the log has no event that is a step")

// ErrNothing reports whether an error says that a log has nothing to check.
func ErrNothing(err error) bool { return errors.Is(err, errNothing) }
