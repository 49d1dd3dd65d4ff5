package itf

import (
	"cmp"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/result"
)

// picks reads Quint's record of choices: each is the variant Some, or None if the action did not
// make it.
func (d *itfReader) picks(n *node) ([]result.Binding, error) {
	if n.kind != objectNode {
		return nil, d.errorf(n, "%s is %s, not an object", nondetPicks, n.kind)
	}
	var args []result.Binding
	for i, name := range n.keys {
		pick := &n.items[i]
		if tag := pick.field("tag"); tag != nil && tag.kind == stringNode {
			switch tag.text {
			case "None":
				continue
			case "Some":
				if pick = pick.field("value"); pick == nil {
					return nil, d.errorf(tag, "the pick %s has no value", name)
				}
			}
		}
		v, err := d.value(d.argData[name], pick)
		if err != nil {
			return nil, err
		}
		args = append(args, result.Binding{Name: name, Value: v})
	}
	return args, nil
}

func (d *itfReader) bindings(n *node, field string) ([]result.Binding, error) {
	if n.kind != arrayNode {
		return nil, d.errorf(n, "%s is %s, not an array", field, n.kind)
	}
	var list []result.Binding
	for i := range n.items {
		item := &n.items[i]
		name, err := d.required(item, "name")
		if err != nil {
			return nil, err
		}
		value := item.field("value")
		if value == nil {
			return nil, d.errorf(item, "%s in %s has no value", name, field)
		}
		data := d.data
		if field == "args" {
			data = d.argData
		}
		v, err := d.value(data[name], value)
		if err != nil {
			return nil, err
		}
		list = append(list, result.Binding{Name: name, Value: v})
	}
	return list, nil
}

// value reads the value of a symbol. A set or a map is a relation or a function, unless #meta says
// that the symbol is structured data.
func (d *itfReader) value(data bool, n *node) (result.Value, error) {
	if !data && n.kind == objectNode && len(n.keys) == 1 {
		switch n.keys[0] {
		case "#set":
			return d.set(&n.items[0], d.key)
		case "#map":
			return d.mapping(&n.items[0], d.key)
		}
	}
	return d.structured(n)
}

// structured reads an expression in which sets and maps are structured data.
func (d *itfReader) structured(n *node) (result.Value, error) {
	switch n.kind {
	case boolNode:
		return result.Bool(n.truth), nil
	case stringNode:
		id, ok := d.atoms[n.text]
		if !ok {
			id = splitAtom(n.text)
		}
		return result.Atom(id.sort, id.name), nil
	case numberNode:
		if text, ok := decimal(n.text); ok {
			return result.Int(text), nil
		}
		return result.Value{}, d.errorf(n, "the number %s is not an integer", n.text)
	case arrayNode:
		return d.list(result.SequenceValue, n.items)
	case objectNode:
		return d.object(n)
	}
	return result.Value{}, d.errorf(n, "%s does not fit here", n.kind)
}

// object reads what ITF writes as an object.
func (d *itfReader) object(n *node) (result.Value, error) {
	if len(n.keys) == 1 {
		of := &n.items[0]
		switch n.keys[0] {
		case "#bigint":
			if text, ok := decimal(of.text); ok && of.kind == stringNode {
				return result.Int(text), nil
			}
			return result.Value{}, d.errorf(of, "a #bigint is a string of decimal digits")
		case "#unserializable":
			if of.kind != stringNode {
				return result.Value{},
					d.errorf(of, "an #unserializable is a string, not %s", of.kind)
			}
			if of.text == "?" {
				return result.Value{Kind: result.NoValue}, nil
			}
			return result.Value{Kind: result.NoValue, Text: of.text}, nil
		case "#tup":
			if of.kind != arrayNode {
				return result.Value{}, d.errorf(of, "a #tup is an array, not %s", of.kind)
			}
			return d.list(result.TupleValue, of.items)
		case "#set":
			v, err := d.set(of, d.element)
			v.Kind = result.ElementsValue
			result.SortElements(v.Rows)
			return v, err
		case "#map":
			v, err := d.mapping(of, d.element)
			v.Kind = result.EntriesValue
			result.SortElements(v.Rows)
			return v, err
		}
	}
	if len(n.keys) == 2 && n.keys[0] == "tag" && n.keys[1] == "value" &&
		n.items[0].kind == stringNode {
		return d.variant(n.items[0].text, &n.items[1])
	}
	v := result.Value{Kind: result.RecordValue}
	for i, name := range n.keys {
		if strings.HasPrefix(name, "#") {
			return result.Value{}, d.errorf(&n.items[i], "%q is no field of a record", name)
		}
		field, err := d.structured(&n.items[i])
		if err != nil {
			return result.Value{}, err
		}
		v.Rows = append(v.Rows, result.Row{Key: []result.Value{result.Atom("", name)},
			Result: field})
	}
	return v, nil
}

// variant reads the value of a constructor: its fields, nothing, or a single value.
func (d *itfReader) variant(tag string, n *node) (result.Value, error) {
	inner, err := d.structured(n)
	if err != nil {
		return result.Value{}, err
	}
	v := result.Value{Kind: result.VariantValue, Text: tag}
	switch {
	case tag != "some" && inner.Kind == result.RecordValue:
		v.Rows = inner.Rows
	case inner.Kind == result.TupleValue && len(inner.Rows) == 0:
	default:
		v.Rows = []result.Row{{Key: []result.Value{result.Atom("", "value")}, Result: inner}}
	}
	return v, nil
}

func (d *itfReader) list(kind result.ValueKind, items []node) (result.Value, error) {
	v := result.Value{Kind: kind}
	for i := range items {
		e, err := d.structured(&items[i])
		if err != nil {
			return result.Value{}, err
		}
		v.Rows = append(v.Rows, result.Row{Key: []result.Value{e}})
	}
	return v, nil
}

func (d *itfReader) set(
	n *node, read func(*node) ([]result.Value, error),
) (result.Value, error) {
	if n.kind != arrayNode {
		return result.Value{}, d.errorf(n, "a #set is an array, not %s", n.kind)
	}
	v := result.Value{Kind: result.SetValue}
	for i := range n.items {
		key, err := read(&n.items[i])
		if err != nil {
			return result.Value{}, err
		}
		v.Rows = append(v.Rows, result.Row{Key: key})
	}
	slices.SortStableFunc(v.Rows, compareRows)
	v.Rows = slices.CompactFunc(v.Rows, func(a, b result.Row) bool {
		return compareRows(a, b) == 0
	})
	return v, nil
}

func (d *itfReader) mapping(
	n *node, read func(*node) ([]result.Value, error),
) (result.Value, error) {
	if n.kind != arrayNode {
		return result.Value{}, d.errorf(n, "a #map is an array, not %s", n.kind)
	}
	v := result.Value{Kind: result.MapValue}
	for i := range n.items {
		pair := &n.items[i]
		if pair.kind != arrayNode || len(pair.items) != 2 {
			return result.Value{},
				d.errorf(pair, "an entry of a #map is an array of two, key and value")
		}
		key, err := read(&pair.items[0])
		if err != nil {
			return result.Value{}, err
		}
		value, err := d.structured(&pair.items[1])
		if err != nil {
			return result.Value{}, err
		}
		v.Rows = append(v.Rows, result.Row{Key: key, Result: value})
	}
	slices.SortStableFunc(v.Rows, compareRows)
	for i := 1; i < len(v.Rows); i++ {
		if compareRows(v.Rows[i-1], v.Rows[i]) == 0 {
			return result.Value{},
				d.errorf(n, "a #map with two values for the key %s", v.Rows[i].KeyString())
		}
	}
	return v, nil
}

// compareRows agrees with SortRows, and distinguishes rows that differ only in the sort.
func compareRows(a, b result.Row) int {
	return cmp.Or(slices.CompareFunc(a.Key, b.Key, result.Value.Compare),
		slices.CompareFunc(a.Key, b.Key, func(v, w result.Value) int {
			return cmp.Compare(v.Sort, w.Sort)
		}))
}

// key reads the arguments of one row: several of them are a #tup.
func (d *itfReader) key(n *node) ([]result.Value, error) {
	tuple := n.field("#tup")
	if tuple == nil || len(n.keys) != 1 {
		return d.element(n)
	}
	v, err := d.structured(n)
	key := make([]result.Value, len(v.Rows))
	for i, r := range v.Rows {
		key[i] = r.Key[0]
	}
	return key, err
}

// element reads an element of a set, or a key of a map.
func (d *itfReader) element(n *node) ([]result.Value, error) {
	v, err := d.structured(n)
	return []result.Value{v}, err
}
