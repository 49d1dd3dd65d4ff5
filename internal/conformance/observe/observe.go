// Package observe reads the declarations that relate the events of a log to a specification.
//
// In: a text, one declaration a line; a line that begins with a blank continues the one before.
// Out: the declarations as they are written, with their lines. Package conformance says whether
// they fit a specification and a log.
//
//	# comments
//	instance three                          # the instance that the log is of
//	field event = event.name                # where a record has its name, if elsewhere
//	order file                              # file, node or time: which order is known
//	names node = n1, n2, n3                 # what the log calls the elements of a sort
//	name StateLeader = leader               # what the log calls one value
//	ignore Ready, Heartbeat                 # events that say nothing of the model
//	silent lose, tick                       # actions that leave no event
//	silent at most 3                        # of them between two events
//	event Become if {role} = Leader is lead(n = {node}, t = {term}) then send(n = {node})
//	observe term({node}) = {state.term}     # after every event with a field state.term
//	observe after Commit: commit({node}) = {state.commit}
//	send Send = {node}-{to}-{number}        # a message: its sending precedes its reception
//	receive Receive = {from}-{node}-{number}
//	step Wake                               # for bounds: a process steps, and receives
//	round 1000000                           # the length of a round, in the unit of times
//	theorem 11 >= 3 * Phi + Delta           # a timeout, and the bound that suffices
//	interval suspected                      # for the picture: a relation, true for a while
//
// A path in braces stands for the value that the record has there, {node} for the node, and
// {len PATH} for the length of a list. Everything else is in the language of the specification.
package observe

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/conformance/runlog"
)

// File holds all declarations of a text.
type File struct {
	Name         string
	Instance     string // empty for none
	InstanceLine int
	Shape        runlog.Shape
	Fields       []Field // of the shape that are declared
	Order        Order   // empty for the usual one
	Names        []Names
	Ignored      []Ignore
	Silent       []Word
	SilentMost   int // negative if it is not given
	Events       []*Event
	Observations []*Observation
	Timing       Timing
}

// Timing says what package bounds measures.
type Timing struct {
	Steps    []string // events in which a process takes a step, and receives what has arrived
	Sends    []Message
	Receives []Message
	Round    int64 // the length of a round in units of time; 0 for the usual one
	Theorem  *Theorem
	// Intervals are relations that a picture shows while they are true, in the lane of their first
	// argument.
	Intervals []Word
}

// Message names the message of an event.
type Message struct {
	Event string
	Name  Template // of values of the record
	Line  int
}

// Theorem says which timeout suffices, in rounds: Timeout >= Phi * PHI + Delta * DELTA.
type Theorem struct{ Timeout, Phi, Delta int64 }

// Need is the timeout that suffices for given bounds.
func (t *Theorem) Need(phi, delta int64) int64 { return t.Phi*phi + t.Delta*delta }

// Order is what is known of the order of events.
type Order string

const (
	ByFile Order = "file" // as the lines stand
	// the events of a node as their numbers say, and sendings before receptions
	ByNode Order = "node"
	ByTime Order = "time" // and what certainly ends before another event begins comes before it
)

// Field is a declared field of the shape.
type Field struct {
	Path runlog.Path
	Line int
}

// Word is a name with its line.
type Word struct {
	Text string
	Line int
}

// Names says what the log calls values of the specification.
type Names struct {
	Sort   string // empty for any value
	Log    []string
	Values []string // the values, if Sort is empty; else the elements in their order are meant
	Line   int
}

// Ignore names events that are no steps.
type Ignore struct {
	Events []string
	If     Condition
	Line   int
}

// Event says of which steps an event with this name consists.
type Event struct {
	Name  string
	If    Condition
	Calls []Call // in their order; none for an event without a step
	Line  int
	Text  string
}

// Call is a step of an action.
type Call struct {
	Action string
	Args   []Arg
	Column int
}

// Arg is the value of a parameter or choice; without a name it counts by its position.
type Arg struct {
	Name  string
	Value Template
}

// Observation is a statement about the state after an event.
type Observation struct {
	After []string // names of events; none for all
	If    Condition
	// Left = Right where Right is one value of the record; otherwise Left is a formula and Right
	// nil.
	Left  Template
	Right *Reference
	Line  int
	Text  string
}

// Condition is a conjunction of statements about a record.
type Condition []Atom

// Atom compares a value of a record.
type Atom struct {
	Field Reference
	Not   bool
	// with Value or Other; else whether there is a value other than null and false
	Compare bool
	Value   string     // as text
	Other   *Reference // another value of the record; nil for Value
}

// Default is what holds without a text: events are actions, in the usual fields.
func Default() *File { return &File{Shape: runlog.Standard(), SilentMost: -1} }

// Parse reads a text. The error is a *runlog.Error.
func Parse(name, text string) (*File, error) {
	f := Default()
	f.Name, f.Shape.Open = name, true
	seen := map[string]int{} // the lines of what can be declared once
	for _, d := range declarations(text) {
		p := &parser{text: d.text, line: d.line}
		err := p.declaration(f)
		if line, twice := seen[p.only]; err == nil && p.only != "" && twice {
			err = fmt.Errorf("%s is declared in line %d already", p.only, line)
		}
		seen[p.only] = d.line
		if err != nil {
			return nil, &runlog.Error{File: name, Line: d.line, Column: p.column(),
				Message: err.Error()}
		}
	}
	return f, nil
}

// mark begins a line of a specification that is a declaration. To the specification it is a
// comment.
const mark = "#:"

// Embedded gives the declarations that stand in a specification, in the lines that begin with #:,
// as a text in which they have the lines that they have there; false if there are none.
func Embedded(specification string) (string, bool) {
	lines := strings.Split(specification, "\n")
	found := false
	for i, line := range lines {
		declaration, ok := strings.CutPrefix(line, mark)
		if !ok {
			declaration = ""
		}
		found = found || ok
		lines[i] = strings.TrimPrefix(declaration, " ")
	}
	return strings.Join(lines, "\n"), found
}

type declaration struct {
	text string
	line int
}

// declarations joins continued lines, and leaves out comments.
func declarations(text string) (out []declaration) {
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(uncomment(line), " \t\r")
		switch {
		case strings.TrimSpace(line) == "":
		case (line[0] == ' ' || line[0] == '\t') && len(out) > 0:
			out[len(out)-1].text += " " + strings.TrimSpace(line)
		default:
			out = append(out, declaration{strings.TrimSpace(line), i + 1})
		}
	}
	return out
}

// uncomment cuts a comment off: from a # outside of quotes.
func uncomment(line string) string {
	quoted := false
	for i, c := range line {
		switch {
		case c == '"':
			quoted = !quoted
		case c == '#' && !quoted:
			return line[:i]
		}
	}
	return line
}

func (o Order) valid() bool { return o == ByFile || o == ByNode || o == ByTime }

func (p *parser) declaration(f *File) error {
	switch word := p.word(); word {
	case "instance":
		p.only = "the instance"
		f.Instance, f.InstanceLine = p.rest(), p.line
		if f.Instance == "" {
			return fmt.Errorf("`instance` needs a name, or sizes as in node = 3")
		}
		return nil
	case "field":
		return p.field(f)
	case "order":
		p.only = "the order"
		if f.Order = Order(p.word()); !f.Order.valid() {
			return fmt.Errorf("the order is file, node or time")
		}
	case "names", "name":
		return p.names(f, word == "names")
	case "ignore":
		return p.ignore(f)
	case "silent":
		return p.silent(f)
	case "event":
		return p.event(f)
	case "observe":
		return p.observe(f)
	case "step":
		words, err := p.list()
		f.Timing.Steps = append(f.Timing.Steps, words...)
		return err
	case "interval":
		words, err := p.list()
		for _, w := range words {
			f.Timing.Intervals = append(f.Timing.Intervals, Word{w, p.line})
		}
		return err
	case "send", "receive":
		return p.message(&f.Timing, word == "send")
	case "round":
		p.only = "the length of a round"
		n, err := p.number()
		if f.Timing.Round = int64(n); err != nil || n == 0 {
			return fmt.Errorf("the length of a round is a number of units of time, at least 1")
		}
	case "theorem":
		p.only = "the theorem"
		return p.theorem(&f.Timing)
	default:
		p.at = 0
		return fmt.Errorf("%q begins no declaration: instance, field, order, names, name, "+
			"ignore, silent, event, observe, step, send, receive, round, theorem or interval "+
			"is expected", word)
	}
	return p.end()
}

func (p *parser) field(f *File) error {
	fields := map[string]*runlog.Path{
		"event": &f.Shape.Event, "node": &f.Shape.Node, "inc": &f.Shape.Inc, "seq": &f.Shape.Seq,
		"time": &f.Shape.Time,
		"args": &f.Shape.Args, "obs": &f.Shape.Obs, "send": &f.Shape.Send,
		"receive": &f.Shape.Receive,
	}
	name := p.word()
	to := fields[name]
	if to == nil {
		return fmt.Errorf("a field is event, node, inc, seq, time, args, obs, send or receive")
	}
	if err := p.expect("="); err != nil {
		return err
	}
	path := p.rest()
	if path == "" || strings.ContainsAny(path, " \t{}") {
		return fmt.Errorf("a path such as msg.from is expected")
	}
	*to = runlog.ParsePath(path)
	f.Fields = append(f.Fields, Field{*to, p.line})
	p.only = "the field " + name
	return nil
}

func (p *parser) names(f *File, sort bool) error {
	n := Names{Line: p.line}
	if sort {
		if n.Sort = p.word(); n.Sort == "" {
			return fmt.Errorf("the name of a sort is expected, as in names client = alice, bob")
		}
		if err := p.expect("="); err != nil {
			return err
		}
		list, err := p.list()
		n.Log = list
		f.Names = append(f.Names, n)
		return err
	}
	n.Log = []string{p.word()}
	if err := p.expect("="); err != nil {
		return err
	}
	n.Values = []string{p.word()}
	if n.Log[0] == "" || n.Values[0] == "" {
		return fmt.Errorf("a name and a value are expected, as in name StateLeader = leader")
	}
	f.Names = append(f.Names, n)
	return p.end()
}

func (p *parser) ignore(f *File) error {
	words, err := p.words()
	if err != nil {
		return err
	}
	i := Ignore{Events: words, Line: p.line}
	if p.keyword("if") {
		if i.If, err = p.condition(p.rest()); err != nil {
			return err
		}
	}
	f.Ignored = append(f.Ignored, i)
	return p.end()
}

func (p *parser) silent(f *File) error {
	if p.keyword("at most") {
		p.only = "the number of silent actions"
		n, err := p.number()
		f.SilentMost = n
		if err != nil {
			return err
		}
		return p.end()
	}
	words, err := p.list()
	for _, w := range words {
		f.Silent = append(f.Silent, Word{w, p.line})
	}
	return err
}

func (p *parser) event(f *File) error {
	e := &Event{Name: p.word(), Line: p.line, Text: p.text}
	if e.Name == "" {
		return fmt.Errorf("the name of an event is expected")
	}
	condition, steps, ok := cutWord(p.rest(), "is")
	if !ok {
		return fmt.Errorf("`is` is expected: event NAME is ACTION(PARAMETER = {PATH}), or " +
			"`event NAME is nothing`")
	}
	if text, ok := strings.CutPrefix(condition, "if "); ok {
		var err error
		if e.If, err = p.condition(text); err != nil {
			return err
		}
	} else if condition != "" {
		return fmt.Errorf("`if` or `is` is expected in place of %q", condition)
	}
	if steps == "nothing" {
		f.Events = append(f.Events, e)
		return nil
	}
	for more := true; more; {
		var text string
		text, steps, more = cutWord(steps, "then")
		c, err := p.call(text)
		if err != nil {
			return err
		}
		e.Calls = append(e.Calls, c)
	}
	f.Events = append(f.Events, e)
	return nil
}

func (p *parser) observe(f *File) error {
	o := &Observation{Line: p.line, Text: strings.TrimSpace(strings.TrimPrefix(p.text, "observe"))}
	if p.keyword("after") {
		head, body, ok := cutOutside(p.rest(), ':')
		if !ok {
			return fmt.Errorf("`:` is expected after the names of events")
		}
		names, condition, has := cutWord(head, "if")
		q := &parser{text: names, line: p.line}
		var err error
		if o.After, err = q.list(); err != nil {
			return err
		}
		if has {
			if o.If, err = p.condition(condition); err != nil {
				return err
			}
		}
		p.text, p.at = body, 0
	}
	body := p.rest()
	left, right, isEquation := cutLastEquals(body)
	if isEquation {
		t, err := p.template(right)
		if err != nil {
			return err
		}
		if only, ok := t.Only(); ok {
			o.Right, body = &only, left
		}
	}
	var err error
	if o.Left, err = p.template(body); err != nil {
		return err
	}
	if len(o.Left.Segments) == 0 {
		return fmt.Errorf("an expression is expected, as in observe term({node}) = {state.term}")
	}
	f.Observations = append(f.Observations, o)
	return nil
}

// Applies reports whether an observation is made after events of this name.
func (o *Observation) Applies(event string) bool {
	return len(o.After) == 0 || slices.Contains(o.After, event)
}
