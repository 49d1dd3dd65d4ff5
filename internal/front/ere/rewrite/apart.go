package rewrite

import (
	"fmt"
	"strings"

	"erelong.dev/erelong/internal/front/ere/syntax"
)

// fields has a variable for each field of a record or tuple.
var fields = Rewrite{Name: "fields", Keeps: States, data: true, apply: func(s *source) error {
	d, err := pick(s, structured(s, syntax.RecordType, syntax.TupleType),
		"variable that is a record without a table")
	if err != nil {
		return err
	}
	t := data(s, d.Result)
	r := &recast{source: s, of: []*syntax.SymbolDecl{d}}
	labels := make([]string, len(t.Parts))
	names, lines := map[string]string{}, []string(nil)
	for i, p := range t.Parts {
		if labels[i] = fmt.Sprint(i + 1); t.Form == syntax.RecordType {
			labels[i] = t.Fields[i].Text
		}
		name := s.fresh(d.Name.Text + "_" + labels[i])
		names[labels[i]] = name
		lines = append(lines, r.declared(name, s.at(p.Span)))
	}
	declare(s, d, lines...)
	r.read = func(x *syntax.Expr) (string, bool) {
		switch {
		case x.Kind == syntax.ExprField && r.applied(x.Args[0]):
			r.said[x.Args[0].Name.Span.Start] = true
			return names[x.Name.Text] + r.point(x.Args[0].Args), true
		case !r.applied(x):
			return "", false
		}
		var values []string
		for _, l := range labels {
			value := names[l] + r.point(x.Args)
			if t.Form == syntax.RecordType {
				value = l + ": " + value
			}
			values = append(values, value)
		}
		if t.Form == syntax.RecordType {
			return "{" + strings.Join(values, ", ") + "}", true
		}
		return "(" + strings.Join(values, ", ") + ")", true
	}
	r.assign = func(st *syntax.AssignStmt) (string, error) {
		root := rootOf(st.Target)
		if root != st.Target {
			value := "*"
			if st.Value != nil {
				value = r.show(st.Value)
			}
			return r.show(st.Target) + " := " + value + ";", nil
		}
		value, text := "", ""
		if st.Value == nil && r.depends(root.Args...) {
			return "", errDepend
		} else if st.Value != nil {
			var err error
			if value, text, err = r.valueOf(st, r.show(st.Value)); err != nil {
				return "", err
			}
		}
		for _, l := range labels {
			part := "*"
			if st.Value != nil {
				part = value + "." + l
			}
			text += names[l] + r.point(root.Args) + " := " + part + "; "
		}
		return strings.TrimSuffix(text, " "), nil
	}
	return r.do()
}}

// relation has a relation in the place of a set. To be outside of a range is an error of another
// kind for an argument than for an element, so there are no numbers in the set.
var relation = Rewrite{Name: "relation", Keeps: States, data: true, apply: func(s *source) error {
	element := func(d *syntax.SymbolDecl) *syntax.SortExpr { return data(s, d.Result).Parts[0] }
	var sets []*syntax.SymbolDecl
	for _, d := range structured(s, syntax.SetType) {
		if !hasNumbers(s, element(d)) {
			sets = append(sets, d)
		}
	}
	d, err := pick(s, sets, "variable that is a set without numbers")
	if err != nil {
		return err
	}
	r := &recast{source: s, of: []*syntax.SymbolDecl{d}}
	sort, direct := s.at(element(d).Span), !hasCollections(s, element(d))
	name, every := s.fresh(d.Name.Text+"_has"), s.fresh("Each")
	declare(s, d, r.declared(name, "bool", sort))
	r.read = func(x *syntax.Expr) (string, bool) {
		switch {
		case direct && x.Kind == syntax.ExprIn && r.applied(x.Args[1]):
			r.said[x.Args[1].Name.Span.Start] = true
			return "(" + name + r.point(x.Args[1].Args, r.show(x.Args[0])) + ")", true
		case !r.applied(x):
			return "", false
		}
		e := s.fresh("each")
		return fmt.Sprintf("{%s for %s: %s if %s}", e, e, sort, name+r.point(x.Args, e)), true
	}
	r.assign = func(st *syntax.AssignStmt) (string, error) {
		args, v := st.Target.Args, st.Value
		if v == nil {
			return name + r.point(args, every) + " := *;", nil
		}
		value := r.show(v)
		if direct && (v.Kind == syntax.ExprWith || v.Kind == syntax.ExprWithout) &&
			r.at(v.Args[0].Span) == r.at(st.Target.Span) {
			return fmt.Sprintf("%s := %v;", name+r.point(args, r.show(v.Args[1])),
				v.Kind == syntax.ExprWith), nil
		}
		return name + r.point(args, every) + " := " + every + " in (" + value + ");", nil
	}
	return r.do()
}}

// mostPlaces is the longest sequence that is written as a function.
const mostPlaces = 4

// function has a function, with values at the first positions only, and a size in the place of a
// sequence with a bound.
var function = Rewrite{Name: "function", Keeps: States, data: true, apply: func(s *source) error {
	var seqs []*syntax.SymbolDecl
	for _, d := range structured(s, syntax.SeqType) {
		b := data(s, d.Result).Bound
		if b != nil && b.Kind == syntax.ExprInt && b.Int.IsInt64() && b.Int.Int64() > 0 &&
			b.Int.Int64() <= mostPlaces {
			seqs = append(seqs, d)
		}
	}
	d, err := pick(s, seqs, "variable that is a sequence with a small bound")
	if err != nil {
		return err
	}
	t := data(s, d.Result)
	r := &recast{source: s, of: []*syntax.SymbolDecl{d}}
	most := t.Bound.Int.Int64()
	size, at := s.fresh(d.Name.Text+"_size"), s.fresh(d.Name.Text+"_at")
	every := s.fresh("Place")
	declare(s, d, r.declared(size, fmt.Sprintf("0..%d", most)),
		r.declared(at, "option["+s.at(t.Parts[0].Span)+"]", fmt.Sprintf("1..%d", most)),
		filled(s, d, size, at, most))
	r.read = func(x *syntax.Expr) (string, bool) {
		switch {
		case x.Kind == syntax.ExprName && x.Name.Text == "size" && len(x.Args) == 1 &&
			r.applied(x.Args[0]) && r.declarationOf(x) == nil:
			r.said[x.Args[0].Name.Span.Start] = true
			return size + r.point(x.Args[0].Args), true
		case !r.applied(x):
			return "", false
		}
		text := ""
		for i := range most {
			p := at + r.point(x.Args, fmt.Sprint(i+1))
			one := "(if " + p + " is some then [" + p + ".value] else [])"
			if text == "" {
				text = one
			} else {
				text = "concat(" + text + ", " + one + ")"
			}
		}
		return text, true
	}
	r.assign = func(st *syntax.AssignStmt) (string, error) {
		if st.Value == nil {
			return "", fmt.Errorf("%w: %s may become any sequence", ErrNothing, d.Name.Text)
		}
		whole, err := r.within(st.Target, r.show(st.Value))
		if err != nil {
			return "", err
		}
		value, text, err := r.valueOf(st, whole)
		if err != nil {
			return "", err
		}
		args := rootOf(st.Target).Args
		return fmt.Sprintf("%s%s := size(%s);\n  %s := if %s <= size(%s) then some(%s[%s]) "+
			"else none;", text, size+r.point(args), value, at+r.point(args, every), every, value,
			value, every), nil
	}
	return r.do()
}}

// filled says that a function begins with values up to the size, and without others.
func filled(s *source, d *syntax.SymbolDecl, size, at string, most int64) string {
	var own []string // variables for the arguments
	place, bound := s.fresh("place"), ""
	for _, a := range d.Args {
		v := s.fresh("point")
		own = append(own, v)
		bound += v + ": " + s.at(a.Span) + ", "
	}
	point := ""
	if len(own) > 0 {
		point = "(" + strings.Join(own, ", ") + ")"
	}
	return fmt.Sprintf("init forall %s%s: 1..%d. %s(%s) is some <-> %s <= %s", bound, place, most,
		at, strings.Join(append(own, place), ", "), place, size+point)
}

// within is the whole of which a part has another value: that of what the target is a part of.
func (r *recast) within(target *syntax.Expr, value string) (string, error) {
	if target.Kind == syntax.ExprName {
		return value, nil
	}
	whole := r.show(target.Args[0])
	switch {
	case target.Kind == syntax.ExprAt:
		return r.within(target.Args[0], "("+whole+" with ["+r.show(target.Args[1])+": "+value+"])")
	case syntax.IsName(target.Name.Text):
		return r.within(target.Args[0], "("+whole+" with {"+target.Name.Text+": "+value+"})")
	}
	return "", fmt.Errorf("%w: a part of a tuple is assigned to", ErrNothing)
}
