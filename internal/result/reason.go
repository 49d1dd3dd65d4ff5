package result

// Reason explains a result. Programs use the code; the text is for people.
type Reason struct {
	Code Code
	Text string
}

// Code is the kind of a reason.
type Code string

const (
	Interrupted Code = "interrupted" // the user ended the run
	// A limit of time for the whole run, or for the program's own choices.
	OutOfTime         Code = "time-limit"
	PropertyOutOfTime Code = "property-time-limit" // a limit of time for each property
	// A bound on states, depth or steps, or a search that may miss states.
	Bounded         Code = "bound"
	Machine         Code = "machine"           // memory or disk of the machine that did the work
	NotProved       Code = "not-proved"        // no solver and no search gave an answer
	RestsOnUnproved Code = "rests-on-unproved" // it rests on a property that is not proved
	NoInitialState  Code = "no-initial-state"  // nothing was checked
	// Assumptions contradict each other, so nothing was checked.
	Contradictory Code = "contradictory"
	// It cannot be evaluated, or the engine does not support it.
	Unsupported Code = "unsupported"
	// An error of the file: a symbol is applied outside of the range of an argument.
	OutsideOfRange Code = "outside-of-range"
	NotAsked       Code = "not-asked" // none of the requested engines can check it
	NoSolver       Code = "no-solver"
	Alarm          Code = "alarm"  // results contradict each other
	Remark         Code = "remark" // there is an answer, and the text says more
)

// Because makes a reason.
func Because(code Code, text string) Reason { return Reason{code, text} }

// Ended reports whether the user, or a limit of time by the user, ended the work early.
func (r Reason) Ended() bool {
	return r.Code == Interrupted || r.Code == OutOfTime || r.Code == PropertyOutOfTime
}

// Given reports whether there is a reason.
func (r Reason) Given() bool { return r != Reason{} }

// Then appends to the text.
func (r Reason) Then(more string) Reason { return Reason{r.Code, r.Text + more} }

// Of puts a subject before the text.
func (r Reason) Of(what string) Reason { return Reason{r.Code, what + ": " + r.Text} }

func (r Reason) String() string { return r.Text }
