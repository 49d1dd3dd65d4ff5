package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"erelong.dev/erelong/internal/value"
)

// Files reads a file that a specification names.
type Files func(name string) ([]byte, error)

// reader reads JSON as TLC's module Json does: an object is a record, an array a tuple, and
// what is behind the point of a number is cut off. Null is no value here.
type reader struct {
	space *value.Space
	name  string
}

func (r *reader) fail(format string, args ...any) {
	panic(&value.Error{Message: fmt.Sprintf("%s: "+format, append([]any{r.name}, args...)...)})
}

// jsonFile is the value in a file; jsonLines is the sequence of the values in it.
func jsonFile(m *Machine, name *value.Value) *value.Value {
	r, all := readJSON(m, name)
	if len(all) != 1 {
		r.fail("the file has %d values instead of one", len(all))
	}
	return all[0]
}

func jsonLines(m *Machine, name *value.Value) *value.Value {
	_, all := readJSON(m, name)
	return value.TupleOf(all...)
}

func readJSON(m *Machine, name *value.Value) (*reader, []*value.Value) {
	r := &reader{m.Space, name.Text()}
	if m.Files == nil {
		r.fail("no files can be read here")
	}
	text, err := m.Files(r.name)
	if err != nil {
		panic(&value.Error{Message: fmt.Sprintf("reading JSON: %v", err)})
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var all []*value.Value
	for {
		var x any
		switch err := d.Decode(&x); {
		case errors.Is(err, io.EOF):
			return r, all
		case err != nil:
			line := 1 + bytes.Count(text[:min(int(d.InputOffset()), len(text))], []byte("\n"))
			r.fail("the value that begins in line %d is not JSON: %v", line, err)
		}
		all = append(all, r.value(x))
	}
}

func (r *reader) value(x any) *value.Value {
	switch x := x.(type) {
	case bool:
		return r.space.Bool(x)
	case string:
		return r.space.String(x)
	case json.Number:
		return r.number(x)
	case []any:
		out := make([]*value.Value, len(x))
		for i, e := range x {
			out[i] = r.value(e)
		}
		return value.TupleOf(out...)
	case map[string]any:
		return r.record(x)
	}
	r.fail("null is no value of TLA+")
	return nil
}

func (r *reader) record(x map[string]any) *value.Value {
	if len(x) == 0 {
		return r.space.EmptyTuple // the function without arguments
	}
	var names []string
	for name := range x {
		names = append(names, name)
	}
	f := r.space.Fields(names...)
	values := make([]*value.Value, len(f.Names))
	for i, name := range f.Names {
		values[i] = r.value(x[name])
	}
	return value.RecordOf(f, values...)
}

func (r *reader) number(x json.Number) *value.Value {
	if n, err := strconv.ParseInt(x.String(), 10, 64); err == nil {
		return r.space.Int(n)
	}
	f, err := x.Float64()
	if err != nil || math.Abs(f) >= 1<<63 {
		r.fail("%s is no number of 64 bits", x)
	}
	return r.space.Int(int64(f))
}

// number is the integer that a string writes.
func number(m *Machine, text *value.Value) *value.Value {
	n, err := strconv.ParseInt(text.Text(), 10, 64)
	if err != nil {
		panic(&value.Error{Message: fmt.Sprintf("%s is no integer", text)})
	}
	return m.Space.Int(n)
}
