package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/front/ere/syntax"
)

// record has a record in the place of two variables.
var record = Rewrite{Name: "record", Keeps: States, data: true, apply: func(s *source) error {
	all := variables(s, func(*syntax.SymbolDecl) bool { return true })
	args := func(d *syntax.SymbolDecl) string {
		return fmt.Sprint(d.Ghost, texts(s, d.Args))
	}
	var pairs [][2]*syntax.SymbolDecl
	for i, a := range all {
		for _, b := range all[:i] {
			if args(a) == args(b) && a.Span.Start != b.Span.Start {
				pairs = append(pairs, [2]*syntax.SymbolDecl{b, a})
			}
		}
	}
	pair, err := pick(s, pairs, "pair of variables with the same arguments")
	if err != nil {
		return err
	}
	r := &recast{source: s, of: pair[:]}
	name := s.fresh(pair[0].Name.Text + "_and_" + pair[1].Name.Text)
	var types []string
	for _, d := range pair {
		sort := "bool"
		if d.Result != nil {
			sort = s.at(d.Result.Span)
		}
		types = append(types, d.Name.Text+": "+sort)
	}
	declare(s, pair[0], r.declared(name, "{ "+strings.Join(types, ", ")+" }"))
	declare(s, pair[1])
	r.read = func(x *syntax.Expr) (string, bool) {
		if !r.applied(x) {
			return "", false
		}
		return name + r.point(x.Args) + "." + x.Name.Text, true
	}
	r.assign = func(st *syntax.AssignStmt) (string, error) {
		value := "*"
		if st.Value != nil {
			value = r.show(st.Value)
		}
		return r.show(st.Target) + " := " + value + ";", nil
	}
	return r.do()
}}

func texts(s *source, sorts []*syntax.SortExpr) (out []string) {
	for _, a := range sorts {
		out = append(out, s.at(a.Span))
	}
	return out
}

// set has a set in the place of the last argument of a relation.
var set = Rewrite{Name: "set", Keeps: States, data: true, apply: func(s *source) error {
	d, err := pick(s, variables(s, func(d *syntax.SymbolDecl) bool {
		n := len(d.Args)
		return d.Word == "relation" && n > 0 && !hasNumbers(s, d.Args[n-1]) &&
			!hasCollections(s, d.Args[n-1])
	}), "relation without numbers")
	if err != nil {
		return err
	}
	r := &recast{source: s, of: []*syntax.SymbolDecl{d}}
	name, last := s.fresh(d.Name.Text+"_set"), len(d.Args)-1
	sort := s.at(d.Args[last].Span)
	fewer := *d
	fewer.Args = d.Args[:last]
	declare(s, d, (&recast{source: s, of: []*syntax.SymbolDecl{&fewer}}).declared(name,
		"set["+sort+"]"))
	r.read = func(x *syntax.Expr) (string, bool) {
		if !r.applied(x) {
			return "", false
		}
		return "(" + r.show(x.Args[last]) + " in " + name + r.point(x.Args[:last]) + ")", true
	}
	r.assign = func(st *syntax.AssignStmt) (string, error) {
		element := st.Target.Args[last]
		to := name + r.point(st.Target.Args[:last])
		value := "*"
		if st.Value != nil {
			value = r.show(st.Value)
		}
		x := r.show(element)
		switch every := r.isPoint(element); {
		case every && slices.ContainsFunc(st.Target.Args[:last], func(a *syntax.Expr) bool {
			return r.at(a.Span) == x
		}), !every && st.Value == nil:
			return "", fmt.Errorf("%w: not all elements are assigned to", ErrNothing)
		case every && st.Value == nil:
			return to + " := *;", nil
		case every:
			return fmt.Sprintf("%s := {%s for %s: %s if %s};", to, x, x, sort, value), nil
		case value == "true":
			return fmt.Sprintf("%s := %s with (%s);", to, to, x), nil
		default:
			return fmt.Sprintf("%s := if %s then %s with (%s) else %s without (%s);", to, value, to,
				x, to, x), nil
		}
	}
	return r.do()
}}
