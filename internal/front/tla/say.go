package tla

import (
	"context"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/syntax"
)

// Definition is a formula as a definition for a module.
type Definition struct {
	Name string // one that the module does not have
	Text string
	Why  string // the formula cannot be said, empty where it can
}

// Say writes formulas about the translation of a module as definitions for the module. The names
// are the ones that are wanted, with a capital letter, or similar ones.
func Say(
	name, text string, files Files, names, formulas []string,
) (out []Definition, err error) {
	errs := &diag.List{}
	ctx := context.Background()
	ended, end := context.WithCancel(ctx)
	end() // no value is needed
	t, err := translated(ctx, ended, diag.NewSource(name, text), files, false, errs)
	if err != nil {
		return nil, err
	}
	words := map[string]bool{}
	for _, src := range t.Read {
		for w := range syntax.Words(src, false) {
			words[w] = true
		}
	}
	used := map[string]bool{} // a bound name of the module can stand for something else
	for _, src := range t.Read {
		for _, m := range syntax.Parse(src, errs) {
			declared(m, used)
		}
	}
	for i, formula := range formulas {
		d := Definition{Name: strings.ToUpper(names[i][:1]) + names[i][1:]}
		for words[d.Name] {
			d.Name += "_"
		}
		words[d.Name], used[d.Name] = true, true
		if d.Text, err = t.TLA(formula, func(name string) bool { return used[name] }); err != nil {
			d.Text, d.Why = "", err.Error()
		}
		out = append(out, d)
	}
	return out, nil
}

// declared notes the names that a module declares or defines for all of its formulas.
func declared(m *syntax.Module, names map[string]bool) {
	for _, u := range m.Units {
		switch u := u.(type) {
		case *syntax.Constants:
			for _, d := range u.Decls {
				names[d.Name.Text] = true
			}
		case *syntax.Variables:
			for _, n := range u.Names {
				names[n.Text] = true
			}
		case *syntax.Definition:
			names[u.Name.Text] = true
		case *syntax.FunctionDefinition:
			names[u.Name.Text] = true
		case *syntax.InstanceDefinition:
			names[u.Name.Text] = true
		case *syntax.Assume:
			names[u.Name.Text] = true
		case *syntax.Theorem:
			names[u.Name.Text] = true
		case *syntax.Inner:
			declared(u.Module, names)
		}
	}
}
