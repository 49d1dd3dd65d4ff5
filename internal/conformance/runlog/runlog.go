// Package runlog reads recorded runs of programs.
//
// In: a file of newline-delimited JSON, one event a line, and the names of its fields. Out: the
// events, each with its node, its place in the order of the node, its time as far as it is known,
// and the whole record. Nothing is guessed and nothing is left out: what cannot be read is an Error
// with its line and column.
package runlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxLine bounds the length of a line, so that a file of another kind gives a message instead of
// filling the memory.
const MaxLine = 16 << 20

// Shape names the fields of a record by their paths. An optional field that is not in a record is
// not known.
type Shape struct {
	Event, Node, Inc, Seq, Time, Args, Obs Path
	// Send and Receive identify a message: its sending comes before its reception.
	Send, Receive Path
	// Open allows fields that the shape does not name: declarations may read them.
	Open bool
}

// Standard is the shape {node, inc, seq, t, event, args, obs, send, receive}.
func Standard() Shape {
	return Shape{
		Event: Path{"event"}, Node: Path{"node"}, Inc: Path{"inc"}, Seq: Path{"seq"},
		Time: Path{"t"}, Args: Path{"args"}, Obs: Path{"obs"},
		Send: Path{"send"}, Receive: Path{"receive"},
	}
}

// Event is one line of a log.
type Event struct {
	File   string // that the event stands in; empty if there is one file only
	Line   int    // counted from 1
	Name   string
	Node   string // empty if the record names none
	Inc    int64  // the incarnation of the node: greater after a restart
	Seq    int64  // within the incarnation
	HasSeq bool
	// Since and Until bound the time of the event.
	Since, Until int64
	HasTime      bool
	Send         string // the message that it sends; empty for none
	Receive      string // the message that it receives; empty for none
	Args         Object
	Obs          Object
	Whole        Object // the record, where declarations may read it; see Record
	Text         string // of the line
}

// Record is the whole record of an event. It is read again from the text of the line where it was
// not kept.
func (e *Event) Record() Object {
	if e.Whole != nil {
		return e.Whole
	}
	record, err := line{text: []byte(e.Text)}.decode()
	if err != nil { // the line was read before
		return nil
	}
	return record
}

// Place names the line of an event.
func (e *Event) Place() string {
	if e.File == "" {
		return fmt.Sprintf("line %d", e.Line)
	}
	return fmt.Sprintf("line %d of %s", e.Line, e.File)
}

// Error is a defect of a file.
type Error struct {
	File         string
	Line, Column int // counted from 1
	Message      string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// Read reads all events of a log.
func Read(name string, r io.Reader, shape Shape) ([]*Event, error) {
	in := NewReader(name, r, shape)
	var events []*Event
	for {
		e, err := in.Next()
		switch {
		case errors.Is(err, io.EOF):
			return events, nil
		case err != nil:
			return nil, err
		}
		events = append(events, e)
	}
}

// Reader reads the events of a log one after the other.
type Reader struct {
	name   string
	in     *bufio.Reader
	shape  Shape
	number int // of the last line
	quick  quick
}

// NewReader begins to read a log.
func NewReader(name string, r io.Reader, shape Shape) *Reader {
	return &Reader{name: name, in: bufio.NewReaderSize(r, 1<<16), shape: shape}
}

// Next reads the next event. After the last one the error is io.EOF.
func (r *Reader) Next() (*Event, error) {
	for {
		line, err := readLine(r.in)
		r.number++
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil, io.EOF
		case errors.Is(err, errLong):
			return nil, &Error{r.name, r.number, 1,
				fmt.Sprintf("the line is longer than %d bytes: a log has one event a line",
					MaxLine)}
		case err != nil && !errors.Is(err, io.EOF):
			return nil, fmt.Errorf("reading %s: %w", r.name, err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		e, err := parse(line, r.number, r.shape, &r.quick)
		if err != nil { // before a variable that costs memory
			var at *Error
			if errors.As(err, &at) {
				at.File = r.name
			}
		}
		return e, err
	}
}

var errLong = errors.New("the line is too long")

// readLine reads a line without its end, which is valid until the next one is read. At the end of
// the file the error is io.EOF.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if line == nil && err == nil {
			return bytes.TrimRight(part, "\r\n"), nil
		}
		line = append(line, part...)
		switch {
		case len(line) > MaxLine:
			return nil, errLong
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		}
		return bytes.TrimRight(line, "\r\n"), err
	}
}

// line is a line that is being read.
type line struct {
	number int
	text   []byte
	fields *places
}

func (l line) errorf(offset int, format string, args ...any) *Error {
	return &Error{Line: l.number, Column: offset + 1, Message: fmt.Sprintf(format, args...)}
}

// errorAt is an error about a field, at its last name where the line has it.
func (l line) errorAt(p Path, format string, args ...any) *Error {
	offset := 0
	if len(p) > 0 {
		offset = max(bytes.Index(l.text, []byte(strconv.Quote(p[len(p)-1]))), 0)
	}
	return l.errorf(offset, format, args...)
}

func parse(text []byte, number int, shape Shape, q *quick) (*Event, error) {
	l := line{number, text, &q.places}
	e := q.events.New()
	e.Line, e.Text = number, string(text)
	record, ok := q.quickly(e.Text)
	var err error
	if !ok {
		if record, err = l.decode(); err != nil {
			return nil, err
		}
	}
	if e.Name, err = l.name(record, atEvent, shape.Event); err != nil {
		return nil, err
	}
	if e.Name == "" {
		return nil, l.errorAt(shape.Event, "the record has no event: the field %q is missing",
			shape.Event)
	}
	for _, f := range []struct {
		at   int
		path Path
		to   *string
	}{{atNode, shape.Node, &e.Node}, {atSend, shape.Send, &e.Send},
		{atReceive, shape.Receive, &e.Receive}} {
		if *f.to, err = l.name(record, f.at, f.path); err != nil {
			return nil, err
		}
	}
	if e.Inc, _, err = l.integer(record, atInc, shape.Inc); err != nil {
		return nil, err
	}
	if e.Seq, e.HasSeq, err = l.integer(record, atSeq, shape.Seq); err != nil {
		return nil, err
	}
	if v, ok := l.find(atTime, shape.Time, record); ok {
		if err := l.time(e, shape.Time, v); err != nil {
			return nil, err
		}
	}
	for _, f := range []struct {
		at   int
		path Path
		to   *Object
	}{{atArgs, shape.Args, &e.Args}, {atObs, shape.Obs, &e.Obs}} {
		v, ok := l.find(f.at, f.path, record)
		if !ok || v == nil {
			continue
		}
		m, isObject := v.(Object)
		if !isObject {
			return nil, l.errorAt(f.path, "%q must be an object of names and values", f.path)
		}
		*f.to = m
	}
	if !shape.Open {
		return e, l.onlyKnown(record, shape)
	}
	e.Whole = q.kept(record)
	return e, nil
}

// onlyKnown refuses fields that nothing reads.
func (l line) onlyKnown(record Object, s Shape) error {
	if now := l.fields.now; now != nil && now.known {
		return nil
	}
	known := []string{s.Event[0], s.Node[0], s.Inc[0], s.Seq[0], s.Time[0], s.Args[0], s.Obs[0],
		s.Send[0], s.Receive[0]}
	first, unknown := "", false
	for _, f := range record {
		if !slices.Contains(known, f.Name) && (!unknown || f.Name < first) {
			first, unknown = f.Name, true
		}
	}
	if !unknown {
		if l.fields.now != nil {
			l.fields.now.known = true
		}
		return nil
	}
	return l.errorAt(Path{first},
		"nothing reads the field %q: an event has the fields %s, and others need a file "+
			"of observe declarations",
		first, strings.Join(known, ", "))
}

// integer reads an optional field that is an integer.
func (l line) integer(record Object, which int, p Path) (int64, bool, error) {
	v, ok := l.find(which, p, record)
	if !ok {
		return 0, false, nil
	}
	n, isNumber := v.(json.Number)
	x, err := n.Int64()
	if !isNumber || err != nil {
		return 0, false, l.errorAt(p, "%q must be an integer", p)
	}
	return x, true, nil
}

// name reads an optional field that is a name: a string or a number.
func (l line) name(record Object, which int, p Path) (string, error) {
	v, ok := l.find(which, p, record)
	if !ok || v == nil {
		return "", nil
	}
	switch v := v.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	}
	return "", l.errorAt(p, "%q must be a string or a number", p)
}

// time reads a moment, or the two ends of an interval that contains it.
func (l line) time(e *Event, p Path, v any) error {
	ends := []any{v, v}
	if list, ok := v.([]any); ok {
		if len(list) != 2 {
			return l.errorAt(p, "%q must be a time, or two times [earliest, latest]", p)
		}
		ends = list
	}
	var at [2]int64
	for i, x := range ends {
		switch x := x.(type) {
		case json.Number:
			n, err := x.Int64()
			if err != nil {
				return l.errorAt(p,
					"the time %s is not an integer of 64 bits: use a smaller unit, such as "+
						"nanoseconds", x)
			}
			at[i] = n
		case string:
			t, err := time.Parse(time.RFC3339Nano, x)
			if err != nil {
				return l.errorAt(p,
					"the time %q is neither an integer nor of the form "+
						"2006-01-02T15:04:05.999999999Z", x)
			}
			at[i] = t.UnixNano()
		default:
			return l.errorAt(p, "%q must be a time, or two times [earliest, latest]", p)
		}
	}
	if at[0] > at[1] {
		return l.errorAt(p, "the interval of %q ends before it begins", p)
	}
	e.Since, e.Until, e.HasTime = at[0], at[1], true
	return nil
}

// decode reads the one JSON object of a line. It refuses a name that occurs twice: one of the
// values would be lost.
func (l line) decode() (Object, error) {
	if i := invalidUTF8(l.text); i >= 0 {
		return nil, l.errorf(i, "the line is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(l.text))
	d.UseNumber()
	v, err := l.value(d, 0)
	if err != nil {
		var at *Error
		if errors.As(err, &at) {
			return nil, at
		}
		return nil, l.jsonError(err)
	}
	m, ok := v.(Object)
	if !ok {
		return nil, l.errorf(0,
			"the line is not a JSON object: an event is {\"node\": ..., \"event\": ...}")
	}
	rest := int(d.InputOffset())
	if extra := bytes.TrimSpace(l.text[rest:]); len(extra) > 0 {
		return nil, l.errorf(rest+bytes.Index(l.text[rest:], extra),
			"there is text after the event: an event is one line")
	}
	return m, nil
}

func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

func (l line) jsonError(err error) *Error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return l.errorf(max(int(syntax.Offset)-1, 0), "this is not JSON: %v", err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return l.errorf(len(l.text),
			"the line ends within the event; the program may have ended while it wrote it")
	}
	return l.errorf(0, "this is not JSON: %v", err)
}

// maxDepth bounds the nesting of a record.
const maxDepth = 100

func (l line) value(d *json.Decoder, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return t, nil
	}
	if depth == maxDepth {
		return nil, l.errorf(int(d.InputOffset())-1, "the record is nested more than %d deep",
			maxDepth)
	}
	if delim == '[' {
		list := []any{}
		for d.More() {
			v, err := l.value(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	}
	object, seen := Object{}, map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name := key.(string)
		if seen[name] {
			return nil, l.errorf(int(d.InputOffset())-1, "the name %q occurs twice", name)
		}
		seen[name] = true
		v, err := l.value(d, depth+1)
		if err != nil {
			return nil, err
		}
		object = append(object, Field{name, v})
	}
	_, err = d.Token()
	return NewObject(object...), err
}
