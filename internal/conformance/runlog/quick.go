package runlog

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// quick reads the JSON object of a line as programs usually write it: texts without escapes and
// numbers without fractions. Texts are parts of the line, so they cost no memory of their own.
type quick struct {
	text string
	at   int
	// fields of the objects that are being read, the ones of inner objects last
	fields []Field
}

// quickly reads a line; false if it has anything else, or is wrong. Then decode reads it.
func (q *quick) quickly(text string) (Object, bool) {
	q.text, q.at, q.fields = text, 0, q.fields[:0]
	if !utf8.ValidString(text) {
		return nil, false
	}
	q.blanks()
	if q.at == len(q.text) || q.text[q.at] != '{' {
		return nil, false
	}
	object, ok := q.object(0)
	q.blanks()
	return object, ok && q.at == len(q.text)
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
		return s, ok
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
			return q.closed(first)
		}
		if !q.sign(',') {
			return nil, false
		}
	}
}

// closed is the object of the fields from a place on; false if a name occurs twice.
func (q *quick) closed(first int) (Object, bool) {
	object := Object(slices.Clone(q.fields[first:]))
	q.fields = q.fields[:first]
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
	for i := q.at + 1; i < len(q.text); i++ {
		switch c := q.text[i]; {
		case c == '"':
			s := q.text[q.at+1 : i]
			q.at = i + 1
			return s, true
		case c == '\\' || c < ' ':
			return "", false
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
	return json.Number(q.text[begin:q.at]), true
}
