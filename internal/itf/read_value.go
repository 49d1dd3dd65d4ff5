package itf

import (
	"cmp"
	"slices"

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
		v, err := d.value(pick)
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
		v, err := d.value(value)
		if err != nil {
			return nil, err
		}
		list = append(list, result.Binding{Name: name, Value: v})
	}
	return list, nil
}

// value reads an expression.
func (d *itfReader) value(n *node) (result.Value, error) {
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
	case objectNode:
		if len(n.keys) != 1 {
			break
		}
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
		case "#set":
			return d.set(of)
		case "#map":
			return d.mapping(of)
		}
	}
	what := n.kind.String()
	switch {
	case n.kind == arrayNode:
		what = "a list"
	case n.kind == objectNode && len(n.keys) == 1 && n.keys[0] == "#tup":
		what = "a tuple"
	case n.kind == objectNode && len(n.keys) == 2 && n.field("tag") != nil &&
		n.field("value") != nil:
		what = "a variant"
	case n.kind == objectNode:
		what = "a record"
	}
	return result.Value{},
		d.errorf(n, "%s does not fit here; values are booleans, integers, strings, and sets and "+
			"maps of them", what)
}

func (d *itfReader) set(n *node) (result.Value, error) {
	if n.kind != arrayNode {
		return result.Value{}, d.errorf(n, "a #set is an array, not %s", n.kind)
	}
	v := result.Value{Kind: result.SetValue}
	for i := range n.items {
		key, err := d.key(&n.items[i])
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

func (d *itfReader) mapping(n *node) (result.Value, error) {
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
		key, err := d.key(&pair.items[0])
		if err != nil {
			return result.Value{}, err
		}
		value, err := d.value(&pair.items[1])
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

// key reads the arguments of one row.
func (d *itfReader) key(n *node) ([]result.Value, error) {
	parts := []node{*n}
	if tuple := n.field("#tup"); tuple != nil && len(n.keys) == 1 {
		if tuple.kind != arrayNode {
			return nil, d.errorf(tuple, "a #tup is an array, not %s", tuple.kind)
		}
		parts = tuple.items
	}
	key := make([]result.Value, len(parts))
	for i := range parts {
		v, err := d.value(&parts[i])
		if err != nil {
			return nil, err
		}
		if !isScalar(v.Kind) {
			return nil, d.errorf(&parts[i],
				"the members of a set and the keys of a map are booleans, integers, strings and "+
					"tuples of them")
		}
		key[i] = v
	}
	return key, nil
}
