package syntax

import (
	"reflect"

	"erelong.dev/erelong/internal/diag"
)

// AddNames adds all names that occur in a tree, or in a list of trees, to a set.
func AddNames(tree any, to map[string]bool) { addNames(reflect.ValueOf(tree), to) }

func addNames(v reflect.Value, to map[string]bool) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			addNames(v.Elem(), to)
		}
	case reflect.Slice:
		for i := range v.Len() {
			addNames(v.Index(i), to)
		}
	case reflect.Struct:
		switch x := v.Interface().(type) {
		case diag.Span:
			return
		case Name:
			to[x.Text] = true
			return
		case SortExpr:
			to[x.Name] = true
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				addNames(v.Field(i), to)
			}
		}
	}
}
