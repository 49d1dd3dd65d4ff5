package report

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/result"
)

// Change is one place where two states differ, such as log(n2, 3).
type Change struct {
	Path     string
	Old, New result.Value
}

// String prints a change on one line.
func (c Change) String() string { return c.Path + ": " + c.Old.String() + " -> " + c.New.String() }

// Changes lists where two states differ, in the order of the variables and of the rows. A tuple
// that enters or leaves a relation changes between false and true. A value that one state does not
// give is a NoValue there.
func Changes(before, after []result.Binding) []Change {
	var all []Change
	old := index(before)
	for _, b := range after {
		was, ok := old[b.Name]
		if !ok {
			was = result.Value{Kind: result.NoValue}
		}
		delete(old, b.Name)
		all = changes(all, b.Name, was, b.Value)
	}
	for _, b := range before {
		if was, ok := old[b.Name]; ok {
			all = changes(all, b.Name, was, result.Value{Kind: result.NoValue})
		}
	}
	return all
}

func index(bindings []result.Binding) map[string]result.Value {
	m := make(map[string]result.Value, len(bindings))
	for _, b := range bindings {
		m[b.Name] = b.Value
	}
	return m
}

func changes(all []Change, path string, old, new result.Value) []Change {
	if new.Notation == result.TLA && old.Kind == new.Kind {
		if parts := partsOf(path, old, new); parts != nil {
			for i, part := range parts {
				all = changes(all, part, partAt(old, i), partAt(new, i))
			}
			return all
		}
	}
	if old.Kind != new.Kind || old.Kind != result.SetValue && old.Kind != result.MapValue &&
		old.Kind != result.ElementsValue {
		if old.Kind == new.Kind && (old.Kind == result.NoValue || old.Equal(new)) {
			return all
		}
		return append(all, Change{path, old, new})
	}
	if old.Kind == result.ElementsValue && new.Notation == result.TLA {
		return members(all, path, old, new)
	}
	// The rows of both sides, merged in order. A key occurs at most once on each side.
	type sides struct{ old, new *result.Row }
	byKey := map[string]*sides{}
	var rows []result.Row
	side := func(key result.Row) *sides {
		k := key.KeyString()
		if byKey[k] == nil {
			byKey[k] = &sides{}
			rows = append(rows, key)
		}
		return byKey[k]
	}
	for i := range old.Rows {
		side(old.Rows[i]).old = &old.Rows[i]
	}
	for i := range new.Rows {
		side(new.Rows[i]).new = &new.Rows[i]
	}
	result.SortRows(rows)
	for _, row := range rows {
		s := byKey[row.KeyString()]
		keys := make([]string, len(row.Key))
		for i, k := range row.Key {
			keys[i] = k.String()
		}
		at := path + "(" + strings.Join(keys, ", ") + ")"
		if old.Kind == result.ElementsValue {
			all = changes(all, row.KeyString()+" in "+path, result.Bool(s.old != nil),
				result.Bool(s.new != nil))
			continue
		}
		if old.Kind == result.SetValue {
			all = changes(all, at, result.Bool(s.old != nil), result.Bool(s.new != nil))
			continue
		}
		all = changes(all, at, valueOf(s.old), valueOf(s.new))
	}
	return all
}

// valueOf is the value of a row of a map, or NoValue if there is no such row.
func valueOf(r *result.Row) result.Value {
	if r == nil {
		return result.Value{Kind: result.NoValue}
	}
	return r.Result
}

// partsOf names the parts of values of TLA+ whose parts change one by one: functions with equal
// domains, and records with equal fields. It gives nil for other values.
func partsOf(path string, old, new result.Value) (paths []string) {
	if len(old.Rows) != len(new.Rows) {
		return nil
	}
	for i, r := range new.Rows {
		switch new.Kind {
		case result.SequenceValue, result.TupleValue:
			paths = append(paths, fmt.Sprintf("%s[%d]", path, i+1))
		case result.RecordValue, result.EntriesValue:
			switch key := r.Key[0]; {
			case !key.Equal(old.Rows[i].Key[0]):
				return nil
			case new.Kind == result.RecordValue:
				paths = append(paths, path+"."+key.Text)
			default:
				paths = append(paths, path+"["+key.String()+"]")
			}
		}
	}
	return paths
}

// partAt is a part of a function, record, sequence or tuple.
func partAt(v result.Value, i int) result.Value {
	if v.Kind == result.SequenceValue || v.Kind == result.TupleValue {
		return v.Rows[i].Key[0]
	}
	return v.Rows[i].Result
}

// members lists what leaves a set of TLA+, and what enters it.
func members(all []Change, path string, old, new result.Value) []Change {
	for _, side := range []struct {
		in, others []result.Row
		enters     bool
	}{{old.Rows, new.Rows, false}, {new.Rows, old.Rows, true}} {
		for _, r := range side.in {
			if !slices.ContainsFunc(side.others, func(o result.Row) bool {
				return o.Key[0].Equal(r.Key[0])
			}) {
				all = append(all, Change{r.KeyString() + ` \in ` + path,
					result.Bool(!side.enters).In(result.TLA),
					result.Bool(side.enters).In(result.TLA)})
			}
		}
	}
	return all
}
