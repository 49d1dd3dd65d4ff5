package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// literals writes structured data of a log in the language of the specification.
//
// A log writes it as JSON does: a record is an object, a tuple, a sequence or a set a list, a map
// an object or a list of pairs. A variant is {"tag": ..., "value": ...}, as in ITF, an object with
// the tag beside the fields, or the name of a constructor without fields. An option may be null, or
// the value itself.
type literals struct {
	sys   *system.System
	names map[string]string // of constructors in the log
	value func(*logic.Sort, any) (int64, error)
	show  func(*logic.Sort, int64) string
}

func (c *Checker) literals() literals {
	return literals{c.spec.System, c.names.any, c.value, c.coder.shown}
}

// argSort is the sort of an argument of the symbols that hold the parts of a value.
func (w literals) argSort(p *result.SymbolPart, i int) *logic.Sort {
	return w.sortsOf(firstLeaf(p.Value))[i]
}

func (w literals) sortsOf(leaf string) []*logic.Sort {
	return system.SymbolOf(w.sys, leaf).Args
}

// firstLeaf is a symbol that holds a part.
func firstLeaf(s *result.Shape) string {
	switch {
	case s.Leaf != "":
		return s.Leaf
	case len(s.Elems) > 0:
		return s.Elems[0].Leaf
	}
	return firstLeaf(s.Parts[0])
}

func widthOf(keys []*result.Key) (n int) {
	for _, k := range keys {
		n += k.Width()
	}
	return n
}

// entriesOf lists the keys of an object or of a list of pairs, with their values.
func entriesOf(v any) (out [][2]any, err error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case runlog.Object:
		for _, f := range v {
			out = append(out, [2]any{f.Name, f.Value})
		}
		return out, nil
	case []any:
		for _, item := range v {
			pair, ok := item.([]any)
			if !ok || len(pair) != 2 {
				return nil, errors.New("an entry of a list is a pair")
			}
			out = append(out, [2]any{pair[0], pair[1]})
		}
		return out, nil
	}
	return nil, errors.New("its value is an object of arguments and values, or a list of pairs")
}

// single writes a value of a sort.
func (w literals) single(s *logic.Sort, v any) (string, error) {
	x, err := w.value(s, v)
	if err != nil {
		return "", err
	}
	if x < 0 && s.Base() == logic.Int {
		return fmt.Sprintf("(%d)", x), nil
	}
	return w.show(s, x), nil
}

// literal writes a value as the language of the specification does.
func (w literals) literal(s *result.Shape, v any) (string, error) {
	switch s.Form {
	case result.Record:
		values, err := fieldsOfRecord(v, s.Names)
		if err != nil {
			return "", err
		}
		return w.several("{", "}", s.Parts, s.Names, values)
	case result.Tuple:
		list, ok := v.([]any)
		if !ok || len(list) != len(s.Parts) {
			return "", fmt.Errorf("a tuple is a list of %d values", len(s.Parts))
		}
		return w.several("(", ")", s.Parts, nil, list)
	case result.Option:
		tag, payload := constructor(v, "none", "some")
		if tag == "none" {
			return "none", nil
		}
		return w.several("some(", ")", s.Parts, nil, []any{payload})
	case result.Variant:
		return w.variant(s, v)
	case result.Seq:
		list, err := listOf(v)
		if err != nil {
			return "", fmt.Errorf("a sequence is a list: %w", err)
		}
		shapes := slices.Repeat(s.Parts, len(list))
		return w.several("[", "]", shapes, nil, list)
	case result.Set, result.Map:
		return w.elementsOf(s, v)
	}
	sym := system.SymbolOf(w.sys, s.Leaf)
	return w.single(sym.Result, v)
}

func (w literals) several(
	begin, end string, shapes []*result.Shape, names []string, values []any,
) (string, error) {
	texts := make([]string, len(values))
	for i, v := range values {
		text, err := w.literal(shapes[i], v)
		if err != nil {
			return "", err
		}
		if texts[i] = text; names != nil {
			texts[i] = names[i] + ": " + text
		}
	}
	return begin + strings.Join(texts, ", ") + end, nil
}

func (w literals) variant(s *result.Shape, v any) (string, error) {
	var names []string
	for _, k := range s.Cases {
		names = append(names, k.Name)
	}
	tag, payload := constructor(w.translated(v), names...)
	i := slices.Index(names, tag)
	if i < 0 {
		return "", fmt.Errorf("a value has one of the constructors %s: {\"tag\": %q, ...}",
			strings.Join(names, ", "), names[0])
	}
	k := s.Cases[i]
	if len(k.Parts) == 0 {
		return tag, nil
	}
	values, err := fieldsOfRecord(payload, k.Names)
	if err != nil {
		return "", err
	}
	return w.several(tag+"(", ")", k.Parts, nil, values)
}

// translated is a value with the declared name of its constructor.
func (w literals) translated(v any) any {
	switch v := v.(type) {
	case string:
		if named, ok := w.names[v]; ok {
			return named
		}
	case runlog.Object:
		if tag, ok := tagOf(v); ok && w.names[tag] != "" {
			return v.With("tag", w.names[tag])
		}
	}
	return v
}

// tagOf is the constructor that an object names.
func tagOf(v runlog.Object) (string, bool) {
	tag, _ := v.Get("tag")
	text, ok := tag.(string)
	return text, ok
}

// constructor finds the constructor of a value, and what it is applied to. Of an option the value
// may stand alone; "" stands for none of the names.
func constructor(v any, names ...string) (tag string, payload any) {
	switch v := v.(type) {
	case string:
		if slices.Contains(names, v) {
			return v, nil
		}
	case runlog.Object:
		tag, ok := tagOf(v)
		if !ok || !slices.Contains(names, tag) {
			break
		}
		if value, ok := v.Get("value"); ok && len(v) == 2 {
			return tag, value
		}
		return tag, v.Without("tag")
	}
	switch option := slices.Contains(names, "some"); {
	case v == nil && slices.Contains(names, "none"):
		return "none", nil
	case v != nil && option:
		return "some", v
	}
	return "", nil
}

// fieldsOfRecord lists the fields of an object in an order. A single field may stand alone.
func fieldsOfRecord(v any, names []string) ([]any, error) {
	object, ok := v.(runlog.Object)
	if len(names) == 1 {
		if only, _ := object.Get(names[0]); only == nil {
			return []any{v}, nil
		}
	}
	if !ok {
		return nil, fmt.Errorf("a record is an object with the fields %s",
			strings.Join(names, ", "))
	}
	out := make([]any, len(names))
	for i, name := range names {
		value, ok := object.Get(name)
		if !ok {
			return nil, fmt.Errorf("the field %q is missing", name)
		}
		out[i] = value
	}
	for _, f := range object {
		if !slices.Contains(names, f.Name) {
			return nil, fmt.Errorf("there is no field %q: the fields are %s", f.Name,
				strings.Join(names, ", "))
		}
	}
	return out, nil
}

// listOf is a list; null, which Go writes for an empty slice, is an empty one.
func listOf(v any) ([]any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		return v, nil
	}
	return nil, errors.New("here is none")
}

// elementsOf writes a set or a map. A set may be an object whose values say what is in it.
func (w literals) elementsOf(s *result.Shape, v any) (string, error) {
	object, isObject := v.(runlog.Object)
	var entries [][2]any
	var err error
	switch {
	case s.Form == result.Map:
		entries, err = entriesOf(v)
	case isObject:
		for _, f := range object {
			if in, ok := f.Value.(bool); !ok {
				return "", fmt.Errorf("a set is a list, or an object of true and false")
			} else if in {
				entries = append(entries, [2]any{f.Name, nil})
			}
		}
	default:
		var list []any
		list, err = listOf(v)
		for _, item := range list {
			entries = append(entries, [2]any{item, nil})
		}
	}
	if err != nil {
		return "", err
	}
	var texts []string
	for _, entry := range entries {
		text, err := w.entry(s, entry)
		if err != nil {
			return "", err
		}
		texts = append(texts, text)
	}
	slices.Sort(texts) // so that equal values have one text
	texts = slices.Compact(texts)
	switch {
	case s.Form == result.Set:
		return "{" + strings.Join(texts, ", ") + "}", nil
	case len(texts) == 0:
		return "[:]", nil
	}
	return "[" + strings.Join(texts, ", ") + "]", nil
}

// entry writes an element of a set, or an entry of a map.
func (w literals) entry(s *result.Shape, entry [2]any) (string, error) {
	for _, e := range s.Elems {
		sorts := w.sortsOf(e.Leaf)
		text, fits, err := w.key(e.Key, sorts[len(sorts)-e.Key.Width():], entry[0])
		switch {
		case err != nil:
			return "", err
		case !fits:
			continue
		case s.Form == result.Set:
			return text, nil
		}
		value, err := w.literal(e.Value, entry[1])
		return text + ": " + value, err
	}
	return "", fmt.Errorf("%v is no element", entry[0])
}

// key writes a value without collections. It reports whether the value has the constructors of the
// key.
func (w literals) key(
	k *result.Key, sorts []*logic.Sort, v any,
) (text string, fits bool, err error) {
	values, fits, err := w.row(k, v)
	if !fits || err != nil {
		return "", fits, err
	}
	if k.Form == result.Plain {
		text, err = w.single(sorts[0], v)
		return text, true, err
	}
	texts, fits, err := w.keys(k.Parts, sorts, values)
	if !fits || err != nil {
		return "", fits, err
	}
	switch k.Form {
	case result.Record:
		for i := range texts {
			texts[i] = k.Names[i] + ": " + texts[i]
		}
		return "{" + strings.Join(texts, ", ") + "}", true, nil
	case result.Tuple:
		return "(" + strings.Join(texts, ", ") + ")", true, nil
	}
	if len(texts) == 0 {
		return k.Name, true, nil
	}
	return k.Name + "(" + strings.Join(texts, ", ") + ")", true, nil
}

func (w literals) keys(
	ks []*result.Key, sorts []*logic.Sort, values []any,
) (texts []string, fits bool, err error) {
	for i, k := range ks {
		text, fits, err := w.key(k, sorts, values[i])
		if !fits || err != nil {
			return nil, fits, err
		}
		texts = append(texts, text)
		sorts = sorts[k.Width():]
	}
	return texts, true, nil
}

// row lists the parts of a value. It reports whether the value has the constructor of the key.
func (w literals) row(k *result.Key, v any) (values []any, fits bool, err error) {
	switch k.Form {
	case result.Plain:
		if slices.ContainsFunc(w.sys.Coded, func(s *logic.Sort) bool { return s.Name == k.Sort }) {
			return []any{v}, true, nil
		}
		switch v.(type) {
		case string, bool, json.Number:
			return []any{v}, true, nil
		}
		return nil, false, nil
	case result.Record:
		values, err = fieldsOfRecord(v, k.Names)
		return values, true, err
	case result.Tuple:
		list, ok := v.([]any)
		return list, ok && len(list) == len(k.Parts), nil
	}
	names := []string{k.Name}
	if k.Name == "some" || k.Name == "none" {
		names = []string{"none", "some"}
	}
	tag, payload := constructor(w.translated(v), names...)
	if tag != k.Name {
		return nil, false, nil
	}
	switch {
	case k.Name == "some" && len(k.Parts) == 1:
		values = []any{payload}
	case len(k.Parts) > 0:
		values, err = fieldsOfRecord(payload, k.Names)
	}
	return values, true, err
}

// flatRow lists the single values that a value is made of.
func (w literals) flatRow(k *result.Key, v any) (out []any, fits bool, err error) {
	values, fits, err := w.row(k, v)
	if !fits || err != nil || k.Form == result.Plain {
		return values, fits, err
	}
	for i, p := range k.Parts {
		inner, fits, err := w.flatRow(p, values[i])
		if !fits || err != nil {
			return nil, fits, err
		}
		out = append(out, inner...)
	}
	return out, true, nil
}
