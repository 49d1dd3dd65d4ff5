package core

import (
	"strconv"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/syntax"
)

// part is a part of a definition, as its path beyond some qualifiers selects it: an item of a
// conjunction or disjunction, or an argument, by its number, or what a label stands for; `:` is the
// whole.
func (e *elaborator) part(op *operator, x *syntax.Apply, from int) meaning {
	body := op.body
	names := []syntax.Name{}
	for _, q := range x.Path[from:] {
		names = append(names, q.Name)
	}
	for _, n := range append(names, x.Name) {
		if n.Text == ":" {
			continue
		}
		if l := labelled(body, n.Text); l != nil {
			body = l.Body
			continue
		}
		k, err := strconv.Atoi(n.Text)
		parts := []syntax.Expr{}
		if err == nil {
			Children(body, func(y syntax.Expr) bool { parts = append(parts, y); return true })
		}
		if err != nil || k < 1 || k > len(parts) {
			e.fail(diag.Unsupported, n.Span,
				"the part !%s of the definition of %s is not supported",
				n.Text, op.name)
		}
		body = parts[k-1]
	}
	return &operator{name: op.name, body: body, scope: op.scope}
}

// labelled is the expression with a label in another one; nil for none. One within quantifiers or a
// LET, whose names it may have, is not looked for, and one within another label is a part of that.
func labelled(x syntax.Expr, label string) (found *syntax.Label) {
	switch l := x.(type) {
	case *syntax.Label:
		if l.Name.Text == label && len(l.Params) == 0 {
			return l
		}
		return nil
	case *syntax.Let:
		return nil
	}
	Children(x, func(y syntax.Expr) bool {
		if found == nil {
			found = labelled(y, label)
		}
		return true
	})
	return found
}
