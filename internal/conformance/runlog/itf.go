package runlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"erelong.dev/erelong/internal/itf"
	"erelong.dev/erelong/internal/result"
)

// FirstState is the name of the event that stands for the first state of an ITF trace. It is no
// step.
const FirstState = "#first"

// AnyAction is the name of the event for a step of an ITF trace that does not name its action.
const AnyAction = "#any"

// ReadITF reads an ITF trace as a log: an event for each state, which observes all its variables.
// Lines count states.
func ReadITF(name string, r io.Reader, _ Shape) ([]*Event, error) {
	t, err := itf.Read(r)
	var at *itf.Error
	switch {
	case errors.As(err, &at):
		return nil, &Error{name, at.Line, at.Column, at.Message}
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", name, err)
	case t.Loop >= 0:
		return nil, fmt.Errorf("%s: the trace ends in a loop, and a log is finite", name)
	}
	var out []*Event
	for i, s := range t.Steps {
		e := &Event{Line: i + 1, Name: s.Action}
		switch {
		case i == 0:
			e.Name = FirstState
			observe(e, t.Params)
		case e.Name == "":
			e.Name = AnyAction
		}
		for _, b := range s.Args {
			e.Args = append(e.Args, Field{b.Name, Plain(b.Value)})
		}
		observe(e, s.State)
		e.Args, e.Obs = NewObject(e.Args...), NewObject(e.Obs...)
		e.Whole = NewObject(Field{"event", e.Name}, Field{"args", e.Args}, Field{"obs", e.Obs})
		e.Text = fmt.Sprintf("state %d: %s", i, strings.TrimPrefix(e.Name, "#"))
		out = append(out, e)
	}
	return out, nil
}

// observe adds the values that are known.
func observe(e *Event, values []result.Binding) {
	for _, b := range values {
		if b.Value.Kind != result.NoValue {
			e.Obs = append(e.Obs, Field{b.Name, Plain(b.Value)})
		}
	}
}

// Plain is a value as JSON has it.
func Plain(v result.Value) any {
	switch v.Kind {
	case result.BoolValue:
		return v.Bool
	case result.IntValue:
		return json.Number(v.Text)
	case result.AtomValue:
		return v.Text
	case result.SetValue:
		list := []any{}
		for _, row := range v.Rows {
			tuple := []any{}
			for _, k := range row.Key {
				tuple = append(tuple, Plain(k))
			}
			list = append(list, tuple)
		}
		return list
	case result.MapValue:
		return points(v.Rows, 0)
	case result.VariantValue:
		if v.Text == "some" && len(v.Rows) == 1 {
			return NewObject(Field{"tag", "some"}, Field{"value", Plain(v.Rows[0].Result)})
		}
		return NewObject(Field{"tag", v.Text}, Field{"value", fields(v)})
	case result.RecordValue:
		return fields(v)
	case result.EntriesValue:
		return entries(v)
	case result.ElementsValue, result.SequenceValue, result.TupleValue:
		list := []any{}
		for _, row := range v.Rows {
			list = append(list, Plain(row.Key[0]))
		}
		return list
	}
	return nil
}

func fields(v result.Value) Object {
	var out Object
	for _, row := range v.Rows {
		out = append(out, Field{row.Key[0].Text, Plain(row.Result)})
	}
	return NewObject(out...)
}

// points are the values of a function, by the argument at a position.
func points(rows []result.Row, position int) any {
	var keys []result.Value
	under := map[string][]result.Row{}
	for _, row := range rows {
		k := row.Key[position].String()
		if under[k] == nil {
			keys = append(keys, row.Key[position])
		}
		under[k] = append(under[k], row)
	}
	var values []any
	for _, k := range keys {
		if some := under[k.String()]; position+1 < len(some[0].Key) {
			values = append(values, points(some, position+1))
		} else {
			values = append(values, Plain(some[0].Result))
		}
	}
	return pairs(keys, values)
}

func entries(v result.Value) any {
	var keys []result.Value
	var values []any
	for _, row := range v.Rows {
		keys, values = append(keys, row.Key[0]), append(values, Plain(row.Result))
	}
	return pairs(keys, values)
}

// pairs are keys with values as an object, or as a list of pairs where a key is structured data.
func pairs(keys []result.Value, values []any) any {
	object, list, plain := Object{}, []any{}, true
	for i, k := range keys {
		object = append(object, Field{k.String(), values[i]})
		list = append(list, []any{Plain(k), values[i]})
		plain = plain && !k.Kind.Structured()
	}
	if plain {
		return NewObject(object...)
	}
	return list
}
