package verdict

// Reason says why a result is what it is. Programs decide by the code; the text is for people.
type Reason struct {
	Code Code
	Text string
}

// Code is the kind of a reason.
type Code string

const (
	Interrupted       Code = "interrupted"         // the user ended the run
	OutOfTime         Code = "time-limit"          // a limit of time for the whole run, or for what the program chose to do
	PropertyOutOfTime Code = "property-time-limit" // a limit of time for each property
	Bounded           Code = "bound"               // a bound on states, depth or steps, memory, or a search that cannot see all
	NotProved         Code = "not-proved"          // no solver and no search gave an answer
	RestsOnUnproved   Code = "rests-on-unproved"   // it rests on a property that is not proved
	NoInitialState    Code = "no-initial-state"    // so that nothing was checked
	Contradictory     Code = "contradictory"       // assumptions contradict each other, so that nothing was checked
	Unsupported       Code = "unsupported"         // it cannot be evaluated, or the engine does not do it
	NotAsked          Code = "not-asked"           // no engine that was asked can check it
	NoSolver          Code = "no-solver"
	Alarm             Code = "alarm"  // results contradict each other
	Remark            Code = "remark" // there is an answer, and the text says more
)

// Because makes a reason.
func Because(code Code, text string) Reason { return Reason{code, text} }

// Ended reports whether something was ended before its time, by the user or a limit of time that the user set.
func (r Reason) Ended() bool {
	return r.Code == Interrupted || r.Code == OutOfTime || r.Code == PropertyOutOfTime
}

// Given reports whether there is a reason.
func (r Reason) Given() bool { return r != Reason{} }

// Then adds to the text.
func (r Reason) Then(more string) Reason { return Reason{r.Code, r.Text + more} }

// Of puts in front of the text what it is about.
func (r Reason) Of(what string) Reason { return Reason{r.Code, what + ": " + r.Text} }

func (r Reason) String() string { return r.Text }
