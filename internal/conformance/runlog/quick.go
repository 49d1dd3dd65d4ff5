package runlog

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"erelong.dev/erelong/internal/slab"
)

// quick reads the JSON object of a line as programs usually write it: texts without escapes and
// numbers without fractions. Texts are parts of the line, so they cost no memory of their own.
type quick struct {
	text string
	at   int
	// fields of the objects that are being read, the ones of inner objects last
	fields []Field
	// What objects are made of is allocated many at a time: an event lives about as long as the one
	// before it. All of an event is in one allocation, or the next one would keep this one.
	room   []Field
	events slab.Of[Event]
	// Texts and numbers that were met before, by their hashes: programs write the same names in
	// most lines.
	texts, numbers [boxes]any
	places         places
}

const (
	roomAtOnce = 512 // fields
	roomOfLine = 32
	boxes      = 512
	// A text that is kept keeps its line, so long lines are left out.
	longestKept = 1 << 12
)

// boxed is a text as a value.
func (q *quick) boxed(s string) any {
	if len(q.text) > longestKept {
		return s
	}
	at := &q.texts[place(s)]
	if known, ok := (*at).(string); !ok || known != s {
		*at = s
	}
	return *at
}

// boxedNumber is a number as a value.
func (q *quick) boxedNumber(s string) any {
	if len(q.text) > longestKept {
		return json.Number(s)
	}
	at := &q.numbers[place(s)]
	if known, ok := (*at).(json.Number); !ok || string(known) != s {
		*at = json.Number(s)
	}
	return *at
}

// place is the place of a text among the kept ones: a hash of its end, which tells names apart that
// programs count.
func place(s string) int {
	h := uint32(len(s))
	for i := max(0, len(s)-8); i < len(s); i++ {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return int(h>>8) % boxes
}

// kept is a copy of fields.
func (q *quick) kept(fields []Field) Object {
	n := len(fields)
	if len(q.room) < n {
		return slices.Clone(fields)
	}
	out := q.room[:n:n]
	q.room = q.room[n:]
	copy(out, fields)
	return out
}

// quickly reads a line; false if it has anything else, or is wrong. Then decode reads it. The
// object is valid until the next line is read, but not what its fields hold.
func (q *quick) quickly(text string) (Object, bool) {
	q.text, q.at, q.fields = text, 0, q.fields[:0]
	q.places.now = nil
	if len(q.room) < roomOfLine {
		q.room = make([]Field, roomAtOnce)
	}
	q.blanks()
	if q.at == len(q.text) || q.text[q.at] != '{' {
		return nil, false
	}
	object, ok := q.object(0)
	if q.blanks(); !ok || q.at < len(q.text) {
		q.places.now = nil
		return nil, false
	}
	return object, true
}

func (q *quick) blanks() {
	for q.at < len(q.text) {
		switch q.text[q.at] {
		case ' ', '\t', '\r', '\n':
			q.at++
		default:
			return
		}
	}
}

// sign reads a character after blanks.
func (q *quick) sign(c byte) bool {
	q.blanks()
	if q.at == len(q.text) || q.text[q.at] != c {
		return false
	}
	q.at++
	return true
}

func (q *quick) value(depth int) (any, bool) {
	q.blanks()
	if q.at == len(q.text) || depth == maxDepth {
		return nil, false
	}
	switch c := q.text[q.at]; {
	case c == '{':
		return q.object(depth)
	case c == '[':
		return q.list(depth)
	case c == '"':
		s, ok := q.string()
		if !ok {
			return nil, false
		}
		return q.boxed(s), true
	case c == '-' || c >= '0' && c <= '9':
		return q.number()
	}
	switch rest := q.text[q.at:]; {
	case strings.HasPrefix(rest, "true"):
		q.at += len("true")
		return true, true
	case strings.HasPrefix(rest, "false"):
		q.at += len("false")
		return false, true
	case strings.HasPrefix(rest, "null"):
		q.at += len("null")
		return nil, true
	}
	return nil, false
}

func (q *quick) object(depth int) (Object, bool) {
	q.at++
	first := len(q.fields)
	if q.sign('}') {
		return Object{}, true
	}
	for {
		q.blanks()
		name, ok := q.string()
		if !ok || !q.sign(':') {
			return nil, false
		}
		v, ok := q.value(depth + 1)
		if !ok {
			return nil, false
		}
		if q.fields = append(q.fields, Field{name, v}); q.sign('}') {
			return q.closed(first, depth)
		}
		if !q.sign(',') {
			return nil, false
		}
	}
}

// closed is the object of the fields from a place on; false if a name occurs twice. The record
// itself is not copied, and one of few fields is left in its order.
func (q *quick) closed(first, depth int) (Object, bool) {
	object := Object(q.fields[first:])
	if depth == 0 && len(object) <= fewFields {
		return object, q.places.take(object)
	}
	if depth > 0 {
		object = q.kept(object)
		q.fields = q.fields[:first]
	}
	for i := 1; i < len(object); i++ {
		if object[i-1].Name >= object[i].Name {
			slices.SortFunc(object, byName)
			break
		}
	}
	for i := 1; i < len(object); i++ {
		if object[i-1].Name == object[i].Name {
			return nil, false
		}
	}
	return object, true
}

func (q *quick) list(depth int) (any, bool) {
	q.at++
	list := []any{}
	if q.sign(']') {
		return list, true
	}
	for {
		v, ok := q.value(depth + 1)
		if !ok {
			return nil, false
		}
		list = append(list, v)
		if q.sign(']') {
			return list, true
		}
		if !q.sign(',') {
			return nil, false
		}
	}
}

func (q *quick) string() (string, bool) {
	if q.at == len(q.text) || q.text[q.at] != '"' {
		return "", false
	}
	var all byte
	for i := q.at + 1; i < len(q.text); i++ {
		switch c := q.text[i]; {
		case c == '"':
			s := q.text[q.at+1 : i]
			q.at = i + 1
			return s, all < utf8.RuneSelf || utf8.ValidString(s)
		case c == '\\' || c < ' ':
			return "", false
		default:
			all |= c
		}
	}
	return "", false
}

func (q *quick) number() (any, bool) {
	begin := q.at
	if q.text[q.at] == '-' {
		q.at++
	}
	digits := q.at
	for q.at < len(q.text) && q.text[q.at] >= '0' && q.text[q.at] <= '9' {
		q.at++
	}
	if q.at == digits || q.text[digits] == '0' && q.at > digits+1 {
		return nil, false
	}
	if q.at < len(q.text) {
		switch q.text[q.at] {
		case '.', 'e', 'E':
			return nil, false
		}
	}
	return q.boxedNumber(q.text[begin:q.at]), true
}
