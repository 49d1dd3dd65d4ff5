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
	used := func(name string) bool { return words[name] }
	for i, formula := range formulas {
		d := Definition{Name: strings.ToUpper(names[i][:1]) + names[i][1:]}
		for used(d.Name) {
			d.Name += "_"
		}
		words[d.Name] = true
		if d.Text, err = t.TLA(formula, used); err != nil {
			d.Text, d.Why = "", err.Error()
		}
		out = append(out, d)
	}
	return out, nil
}
