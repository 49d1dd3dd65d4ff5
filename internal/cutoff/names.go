package cutoff

import (
	"fmt"
	"reflect"

	"erelong/internal/lang/syntax"
)

// names gives the names that a derived system has beside those of the file. None of them is written anywhere in what the
// file says outside of blocks about derived systems: so nothing generated captures what the user wrote, and nothing of the
// user captures what is generated. What would be called like something of the file gets a number.
type names struct {
	taken map[string]bool
	given map[string]name
}

func newNames(file *syntax.File) *names {
	n := &names{taken: map[string]bool{}, given: map[string]name{}}
	for _, d := range file.Decls {
		about, ok := d.(*syntax.AboutDecl)
		if !ok {
			n.collect(reflect.ValueOf(d))
			continue
		}
		for _, d := range about.Decls {
			if name := declared(d); name != nil { // it names something in the derived system
				n.taken[name.Text] = true
			}
		}
	}
	return n
}

// of gives the name for something generated; for one thing it is always the same.
func (n *names) of(wanted string) name {
	if got, ok := n.given[wanted]; ok {
		return got
	}
	got := wanted
	for i := 1; n.taken[got]; i++ {
		got = fmt.Sprintf("%s_%d", wanted, i)
	}
	n.taken[got], n.given[wanted] = true, name(got)
	return name(got)
}

// collect takes all names that occur in a tree.
func (n *names) collect(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			n.collect(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			n.collect(v.Index(i))
		}
	case reflect.Struct:
		switch x := v.Interface().(type) {
		case syntax.Name:
			n.taken[x.Text] = true
			return
		case syntax.SortExpr:
			n.taken[x.Name] = true
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				n.collect(v.Field(i))
			}
		}
	}
}

// declared is the name that a declaration introduces, nil when it has none.
func declared(d syntax.Decl) *syntax.Name {
	switch d := d.(type) {
	case *syntax.SortDecl:
		return &d.Name
	case *syntax.EnumDecl:
		return &d.Name
	case *syntax.TypeDecl:
		return &d.Name
	case *syntax.SymbolDecl:
		return &d.Name
	case *syntax.DefinitionDecl:
		return &d.Name
	case *syntax.FormulaDecl:
		if d.Name.Text != "" {
			return &d.Name
		}
	}
	return nil
}
