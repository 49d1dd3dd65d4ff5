// Package itf reads and writes traces in the Informal Trace Format.
//
// In: a result.Trace, or a file. Out: the file, or the trace. A written file is read back as the
// same trace, and a file of another program as far as a trace can hold it. An error in a file is an
// Error with its position.
package itf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"erelong.dev/erelong/internal/result"
)

// Traces are stored in the Informal Trace Format (ITF, Apalache's ADR-015), in files that end in
// .itf.json:
//
//   - params are the immutable symbols, then one set for each uninterpreted sort. Their values
//   stand in the first state.
//   - vars are the mutable symbols, and mbt::actionTaken and mbt::nondetPicks, which Quint's tools
//   read.
//   - An element of an uninterpreted sort is the string NAME_OF_SORT, as Apalache writes it. An
//   enum member is its name.
//   - A relation is a #set, a function a #map. One argument stands alone, several are a #tup.
//   - Of structured data a record is an object, a tuple a #tup, a sequence an array, a set a #set,
//   a map a #map, and a variant {"tag": ..., "value": ...}: the value of some(x) is x, of another
//   constructor the record of its fields, or an empty #tup.
//   - An unknown value is {"#unserializable": "?"}.
//
// ITF has no place for the rest, which is in #meta. The #meta of the trace has kind, instance,
// violates, line, assuming, universe, atoms (the strings that do not show their sort), data (the
// symbols that are sets or maps, and no relations or functions), notation (the language of the
// values, where it is TLA+), hidden (what makes structured data possible), back (the step that
// closes the loop) and fairness. The #meta of a state has index, action, args and described (what
// the file shows in its place). So Read gives back the input of Write, with three exceptions: a
// variable that one state lacks comes back as a NoValue, an empty slice as nil, and symbols that
// hold the parts of structured data as what they make up (Trace.Shown, whose inverse is
// Trace.Flat).

const (
	itfDescription = "https://apalache-mc.org/docs/adr/015adr-trace.html"
	actionTaken    = "mbt::actionTaken"
	nondetPicks    = "mbt::nondetPicks"
	ofSort         = "_OF_"
)

// Write writes a trace as JSON, one state a line.
func Write(w io.Writer, t *result.Trace) error {
	t = t.Shown()
	e := &itfWriter{strings: map[atomID]string{}, taken: map[string]bool{},
		uninterpreted: map[string]bool{}}
	for _, u := range t.Universe {
		e.uninterpreted[u.Sort] = true
	}
	if err := e.trace(t); err != nil {
		return fmt.Errorf("writing a trace as ITF: %w", err)
	}
	if _, err := w.Write(e.Bytes()); err != nil {
		return fmt.Errorf("writing a trace as ITF: %w", err)
	}
	return nil
}

// atomID identifies an atom.
type atomID struct{ sort, name string }

// itfWriter collects the text. The first error is kept, so that the writing functions need not
// return one.
type itfWriter struct {
	bytes.Buffer
	uninterpreted map[string]bool
	strings       map[atomID]string // the string of an atom
	taken         map[string]bool
	special       []atomID // atoms whose string does not show the sort, in the order of appearance
	err           error
}

func (e *itfWriter) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

func (e *itfWriter) trace(t *result.Trace) error {
	params, err := names("parameter", [][]result.Binding{t.Params})
	if err != nil {
		return err
	}
	states := make([][]result.Binding, len(t.Steps))
	for i, s := range t.Steps {
		states[i] = s.State
	}
	vars, err := names("variable", states)
	if err != nil {
		return err
	}
	for _, v := range vars {
		if slices.Contains(params, v) {
			return fmt.Errorf("%s is both a parameter and a variable", v)
		}
	}
	if len(t.Steps) > 0 && t.Loop >= len(t.Steps) {
		return fmt.Errorf("the loop starts at state %d, but there are only %d states", t.Loop,
			len(t.Steps))
	}
	sets := universeParams(t.Universe, append(slices.Clone(params), vars...))

	// The states and the loop come first, because #meta lists the atoms that occur in them.
	e.loop(t)
	e.hidden(t.Hidden)
	loop := slices.Clone(e.Bytes())
	e.Reset()
	lines := make([][]byte, len(t.Steps))
	for i := range t.Steps {
		e.state(t, i, vars, sets)
		lines[i] = slices.Clone(e.Bytes())
		e.Reset()
	}
	var loose []byte // values of the parameters, if there is no state for them
	if len(t.Steps) == 0 {
		e.bindings(t.Params)
		loose = slices.Clone(e.Bytes())
		e.Reset()
	}

	e.WriteString("{\n  \"#meta\": ")
	e.meta(t, vars, sets, loose, loop)
	if len(params)+len(sets) > 0 {
		e.WriteString(",\n  \"params\": ")
		e.list(append(params, sets...))
	}
	e.WriteString(",\n  \"vars\": ")
	e.list(append(vars, actionTaken, nondetPicks))
	e.WriteString(",\n  \"states\": [")
	for i, line := range lines {
		if i > 0 {
			e.WriteByte(',')
		}
		e.WriteString("\n    ")
		e.Write(line)
	}
	e.WriteString("\n  ]")
	if t.Loop >= 0 && len(t.Steps) > 0 {
		fmt.Fprintf(e, ",\n  \"loop\": %d", t.Loop)
	}
	e.WriteString("\n}\n")
	return e.err
}

// names lists the bound names, in the order of first appearance.
func names(what string, all [][]result.Binding) ([]string, error) {
	var list []string
	seen := map[string]bool{}
	for i, bindings := range all {
		here := map[string]bool{}
		for _, b := range bindings {
			if err := checkName(b.Name); err != nil {
				return nil, fmt.Errorf("%s %q: %w", what, b.Name, err)
			}
			if here[b.Name] {
				return nil, fmt.Errorf("%s %s has two values in state %d", what, b.Name, i)
			}
			here[b.Name] = true
			if !seen[b.Name] {
				seen[b.Name] = true
				list = append(list, b.Name)
			}
		}
	}
	return list, nil
}

// checkName refuses names with another meaning in a state of ITF.
func checkName(name string) error {
	if strings.HasPrefix(name, "#") || name == actionTaken || name == nondetPicks {
		return errors.New("the name is reserved in ITF")
	}
	return nil
}

// universeParams chooses a parameter for the set of elements of each sort: its own name, or a
// longer one if a symbol has this name.
func universeParams(universe []result.Universe, used []string) []string {
	params := make([]string, len(universe))
	for i, u := range universe {
		name := u.Sort
		for slices.Contains(used, name) || checkName(name) != nil {
			name = "universe_" + name
		}
		params[i] = name
		used = append(used, name)
	}
	return params
}

// loop writes the fields of #meta on the closing step of a loop and on fairness.
func (e *itfWriter) loop(t *result.Trace) {
	if t.Back.Action != "" {
		e.WriteString(`,"back":{"action":`)
		e.quote(t.Back.Action)
		if len(t.Back.Args) > 0 {
			e.WriteString(`,"args":`)
			e.bindings(t.Back.Args)
		}
		e.WriteByte('}')
	}
	if len(t.Fairness) == 0 {
		return
	}
	e.WriteString(`,"fairness":[`)
	for i, f := range t.Fairness {
		e.comma(i)
		fmt.Fprintf(e, `{"strong":%t,"action":`, f.Strong)
		e.quote(f.Action)
		e.WriteString(`,"args":`)
		e.bindings(f.Args)
		e.WriteString(`,"why":`)
		e.quote(string(f.Why))
		fmt.Fprintf(e, `,"at":%d}`, f.At)
	}
	e.WriteByte(']')
}

// hidden writes the field of #meta on symbols and sorts that the user did not declare.
func (e *itfWriter) hidden(h *result.Hidden) {
	if h == nil {
		return
	}
	for _, u := range h.Universe {
		e.uninterpreted[u.Sort] = true
	}
	e.WriteString(`,"hidden":{"universe":[`)
	for i, u := range h.Universe {
		e.comma(i)
		e.WriteString(`{"sort":`)
		e.quote(u.Sort)
		e.WriteString(`,"elements":`)
		e.list(u.Elements)
		e.WriteByte('}')
	}
	e.WriteString(`],"params":`)
	e.bindings(h.Params)
	e.WriteByte('}')
}

// notation is the notation of the values of a trace: they have the same one.
func notation(t *result.Trace) result.Notation {
	for _, s := range t.Steps {
		for _, b := range s.State {
			return b.Value.Notation
		}
	}
	return result.Own
}

// data writes the fields of #meta on symbols, and on arguments of steps, that are sets or maps of
// structured data.
func (e *itfWriter) data(t *result.Trace) {
	lists, args := [][]result.Binding{t.Params}, [][]result.Binding{t.Back.Args}
	for _, s := range t.Steps {
		lists, args = append(lists, s.State), append(args, s.Args)
	}
	for _, f := range t.Fairness {
		args = append(args, f.Args)
	}
	e.collections("data", lists)
	e.collections("argumentData", args)
}

func (e *itfWriter) collections(field string, lists [][]result.Binding) {
	var names []string
	for _, b := range slices.Concat(lists...) {
		if (b.Value.Kind == result.ElementsValue || b.Value.Kind == result.EntriesValue) &&
			!slices.Contains(names, b.Name) {
			names = append(names, b.Name)
		}
	}
	if len(names) > 0 {
		e.WriteString(`,"` + field + `":`)
		e.list(names)
	}
}

func (e *itfWriter) meta(t *result.Trace, vars, sets []string, loose, loop []byte) {
	e.WriteString(`{"format":"ITF","format-description":"` + itfDescription + `","description":`)
	e.quote(strings.TrimSpace("A " + string(t.Kind) + " of erelong"))
	e.WriteString(`,"kind":`)
	e.quote(string(t.Kind))
	for _, field := range []struct{ key, value string }{{"instance", t.Instance},
		{"violates", t.Violates}} {
		if field.value != "" {
			e.WriteString(`,"` + field.key + `":`)
			e.quote(field.value)
		}
	}
	if t.Line != 0 {
		fmt.Fprintf(e, `,"line":%d`, t.Line)
	}
	if len(t.Assuming) > 0 {
		e.WriteString(`,"assuming":`)
		e.list(t.Assuming)
	}
	e.WriteString(`,"universe":[`)
	for i, u := range t.Universe {
		e.comma(i)
		e.WriteString(`{"sort":`)
		e.quote(u.Sort)
		e.WriteString(`,"param":`)
		e.quote(sets[i])
		e.WriteString(`,"elements":`)
		e.list(u.Elements)
		e.WriteByte('}')
	}
	e.WriteByte(']')
	e.data(t)
	if n := notation(t); n != result.Own {
		e.WriteString(`,"notation":`)
		e.quote(n.String())
	}
	e.WriteString(`,"varTypes":{`)
	for i, typed := range e.types(t, vars) {
		e.comma(i)
		e.quote(typed[0])
		e.WriteByte(':')
		e.quote(typed[1])
	}
	e.WriteByte('}')
	if loose != nil {
		e.WriteString(`,"params":`)
		e.Write(loose)
	}
	e.Write(loop)
	if len(e.special) > 0 {
		e.WriteString(`,"atoms":{`)
		for i, id := range e.special {
			e.comma(i)
			e.quote(e.strings[id])
			e.WriteString(`:{"sort":`)
			e.quote(id.sort)
			e.WriteString(`,"name":`)
			e.quote(id.name)
			e.WriteByte('}')
		}
		e.WriteByte('}')
	}
	e.WriteByte('}')
}

func (e *itfWriter) state(t *result.Trace, i int, vars, sets []string) {
	s := t.Steps[i]
	fmt.Fprintf(e, `{"#meta":{"index":%d`, i)
	if s.Action != "" {
		e.WriteString(`,"action":`)
		e.quote(s.Action)
	}
	if len(s.Args) > 0 {
		e.WriteString(`,"args":`)
		e.bindings(s.Args)
	}
	if s.Described != nil {
		e.WriteString(`,"described":`)
		e.bindings(s.Described)
	}
	e.WriteByte('}')
	if i == 0 {
		for _, b := range t.Params {
			e.field(b)
		}
		for j, u := range t.Universe {
			rows := make([]result.Row, len(u.Elements))
			for k, name := range u.Elements {
				rows[k].Key = []result.Value{result.Atom(u.Sort, name)}
			}
			e.field(result.Binding{Name: sets[j],
				Value: result.Value{Kind: result.SetValue, Rows: rows}})
		}
	}
	for _, v := range vars {
		b := result.Binding{Name: v, Value: result.Value{Kind: result.NoValue}}
		if at := slices.IndexFunc(s.State,
			func(b result.Binding) bool { return b.Name == v }); at >= 0 {
			b = s.State[at]
		}
		e.field(b)
	}

	action := s.Action
	if action == "" && i == 0 {
		action = "init" // as Quint calls it
	}
	e.WriteString(`,"` + actionTaken + `":`)
	e.quote(action)
	e.WriteString(`,"` + nondetPicks + `":{`)
	for j, b := range s.Args {
		if slices.ContainsFunc(s.Args[:j],
			func(a result.Binding) bool { return a.Name == b.Name }) {
			continue
		}
		e.comma(j)
		e.quote(b.Name)
		e.WriteString(`:{"tag":"Some","value":`)
		e.value(b)
		e.WriteByte('}')
	}
	e.WriteString("}}")
}

func (e *itfWriter) comma(i int) {
	if i > 0 {
		e.WriteByte(',')
	}
}

func (e *itfWriter) list(items []string) {
	e.WriteByte('[')
	for i, s := range items {
		e.comma(i)
		e.quote(s)
	}
	e.WriteByte(']')
}

func (e *itfWriter) quote(s string) {
	if !utf8.ValidString(s) {
		e.fail("%q is not valid UTF-8", s)
	}
	encoder := json.NewEncoder(&e.Buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		e.fail("%q: %w", s, err)
	}
	e.Truncate(e.Len() - 1) // the newline that Encode adds
}
