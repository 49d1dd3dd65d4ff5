package check

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

const maxSize = 1 << 16

// Instance makes the instance of a system that a list of items describes. A missing or wrong item
// goes to errs.
//
// Elements of an uninterpreted sort have the names that traces print: the elements of sort node are
// node0, node1, and so on.
func Instance(sys *system.System, d *syntax.InstanceDecl, errs *diag.List) *system.Instance {
	b := &instanceBuilder{sys: sys, errs: errs, given: map[string]diag.Span{},
		out: &system.Instance{
			Name: d.Name.Text, Sizes: map[*logic.Sort]int{},
			Values: map[*logic.Symbol]*logic.Term{}, Span: d.Span,
		}}
	if !b.begin(d.Base) {
		return b.out
	}
	var values []syntax.InstanceItem // they may name elements, so all sizes come first
	for _, item := range d.Items {
		if before, ok := b.given[item.Name.Text]; ok {
			errs.Errorf(diag.Duplicate, item.Name.Span, "'%s' is given twice",
				item.Name.Text).Because(before, "it is given here").
				Suggest("Delete one of the two.")
			continue
		}
		b.given[item.Name.Text] = item.Name.Span
		if s := uninterpreted(sys, item.Name.Text); s != nil {
			b.out.Sizes[s] = b.size(s, item)
		} else {
			values = append(values, item)
		}
	}
	for _, s := range sys.Sorts {
		if s.Kind == logic.KindUninterpreted && b.out.Sizes[s] == 0 && !sys.IsListed(s) {
			e := errs.Errorf(diag.MissingSize, d.Name.Span,
				"the instance '%s' gives no size for the sort '%s'", d.Name.Text, s.Name)
			if !s.Span.IsZero() {
				e.Because(s.Span, "it is declared here")
			}
			e.Suggest("Add %s = 2, or another size.", s.Name)
			if n := len(d.Items); n > 0 {
				e.Insert(d.Items[n-1].Span, fmt.Sprintf(", %s = 2", s.Name))
			}
			b.out.Sizes[s] = 1
		}
	}
	for _, item := range values {
		b.item(item)
	}
	if d.Base.Text != "" {
		b.outside(d.Base.Span)
	}
	return b.out
}

// begin takes what an instance of the file says, unless it is given otherwise. It reports whether
// there is this instance.
func (b *instanceBuilder) begin(base syntax.Name) bool {
	if base.Text == "" {
		return true
	}
	in := b.sys.Instance(base.Text)
	if in == nil {
		noBase(b.sys, base, "", b.errs)
		return false
	}
	maps.Copy(b.out.Sizes, in.Sizes)
	maps.Copy(b.out.Values, in.Values)
	b.out.Facts = slices.Clone(in.Facts)
	return true
}

// noBase reports that an instance to be changed is not there.
func noBase(sys *system.System, base syntax.Name, where string, errs *diag.List) {
	var names []string
	for _, other := range sys.Instances {
		names = append(names, other.Name)
	}
	e := errs.Errorf(diag.InstanceItem, base.Span, "the file has no instance '%s'%s", base.Text,
		where)
	if near := diag.Closest(base.Text, names); near != "" {
		e.DidYouMean(near)
	} else if len(names) > 0 {
		e.Suggest("It has %s.", strings.Join(names, ", "))
	}
}

// outside reports what the base says of elements that the sizes leave out.
func (b *instanceBuilder) outside(span diag.Span) {
	var values []*system.Formula
	for sym, v := range b.out.Values {
		values = append(values, &system.Formula{Name: sym.Name, Term: v})
	}
	for _, f := range append(values, b.out.Facts...) {
		var missing *logic.Term
		logic.Walk(f.Term, func(t *logic.Term) bool {
			if t.Op == logic.OpMember && t.Sort.Kind == logic.KindUninterpreted &&
				t.Index >= b.out.Sizes[t.Sort] {
				missing = t
			}
			return missing == nil
		})
		if missing != nil {
			b.errs.Errorf(diag.InstanceItem, span, "%s = %d leaves out %s, of which '%s' speaks",
				missing.Sort, b.out.Sizes[missing.Sort],
				logic.MemberName(missing.Sort, missing.Index), f.Name).
				Suggest("Give %s another value, too.", f.Name)
		}
	}
}

// forget drops the table that the base has for a symbol.
func (b *instanceBuilder) forget(name string) {
	b.out.Facts = slices.DeleteFunc(b.out.Facts, func(f *system.Formula) bool {
		return f.Name == name
	})
}

// instanceBuilder is one call of Instance.
type instanceBuilder struct {
	sys   *system.System
	errs  *diag.List
	given map[string]diag.Span // the position of each given name
	out   *system.Instance
}

// size reads the size of a sort: a number, or the set of its elements as in printed traces.
func (b *instanceBuilder) size(s *logic.Sort, item syntax.InstanceItem) int {
	if item.Table != nil {
		for i, r := range item.Table.Rows {
			if r.Value != nil || len(r.Args) != 1 || r.Args[0].Kind != syntax.ExprName ||
				r.Args[0].Name.Text != logic.MemberName(s, i) {
				b.errs.Errorf(diag.BadValue, r.Span,
					"the elements of '%s' are %s, %s, and so on, in this order", s.Name,
					logic.MemberName(s, 0), logic.MemberName(s, 1)).Suggest("Write %s = %d.",
					s.Name, len(item.Table.Rows))
				return 1
			}
		}
		if n := len(item.Table.Rows); n >= 1 && n <= maxSize {
			return n
		}
	} else if v := item.Value; v.Kind == syntax.ExprInt && v.Int.Sign() > 0 && v.Int.IsInt64() &&
		v.Int.Int64() <= maxSize {
		return int(v.Int.Int64())
	}
	b.errs.Errorf(diag.BadValue, item.Span, "the size of '%s' is a number from 1 to %d", s.Name,
		maxSize).Suggest("Write %s = 2, or another number.", s.Name)
	return 1
}

// item reads the value of an immutable symbol.
func (b *instanceBuilder) item(item syntax.InstanceItem) {
	sym := symbol(b.sys, item.Name.Text)
	if sym == nil || sym.Mutable || sym.Derived {
		d := b.errs.Errorf(diag.InstanceItem, item.Name.Span,
			"'%s' is neither an uninterpreted sort nor an immutable symbol, so an instance "+
				"cannot fix it", item.Name.Text)
		if sym != nil && !sym.Span.IsZero() {
			d.Because(sym.Span, "it is declared as a %s here", sym.Kind)
		} else if near := diag.Closest(item.Name.Text, b.names()); near != "" && sym == nil {
			d.DidYouMean(near)
		} else if names := b.names(); sym == nil && len(names) > 0 {
			slices.Sort(names)
			d.Suggest("An instance fixes %s.", strings.Join(names, ", "))
		}
		return
	}
	b.forget(item.Name.Text)
	switch {
	case item.Table != nil:
		b.table(sym, item.Table)
	case len(sym.Args) > 0:
		b.errs.Errorf(diag.BadValue, item.Value.Span, "'%s' has arguments, so its value is a table",
			sym.Name).
			Suggest("Write %s.", tableForm(sym))
	default:
		if v := b.value(item.Value, sym.Result,
			fmt.Sprintf("'%s' is declared with the sort %s", sym.Name, sym.Result)); v != nil {
			b.out.Values[sym] = v
		}
	}
}

// names lists the names that an instance can fix.
func (b *instanceBuilder) names() (out []string) {
	for _, s := range b.sys.Sorts {
		if s.Kind == logic.KindUninterpreted {
			out = append(out, s.Name)
		}
	}
	for _, s := range b.sys.Symbols {
		if !s.Mutable && !s.Derived {
			out = append(out, s.Name)
		}
	}
	return out
}

// tableForm is how a table of a symbol is written.
func tableForm(sym *logic.Symbol) string {
	args := make([]string, len(sym.Args))
	for i, a := range sym.Args {
		args[i] = a.String()
		if a.Kind == logic.KindUninterpreted {
			args[i] = logic.MemberName(a, 0)
		}
	}
	row := strings.Join(args, ", ")
	if len(args) > 1 {
		row = "(" + row + ")"
	}
	if sym.Result != logic.Bool {
		row += ": VALUE"
	}
	return fmt.Sprintf("%s = {%s, ...}", sym.Name, row)
}

// table reads the points where a relation is true, or the values of a function at points. A
// relation is false at all other points. A function may have any value at the other points.
func (b *instanceBuilder) table(sym *logic.Symbol, t *syntax.InstanceTable) {
	relation := sym.Result == logic.Bool
	if len(sym.Args) == 0 {
		b.errs.Errorf(diag.BadValue, t.Span, "'%s' has no arguments, so its value is no table",
			sym.Name).Suggest("Write %s = %s.", sym.Name, b.someValue(sym.Result))
		return
	}
	seen := map[string]diag.Span{}
	var points [][]*logic.Term
	var facts []*logic.Term
	for _, r := range t.Rows {
		if len(r.Args) != len(sym.Args) || relation != (r.Value == nil) {
			b.errs.Errorf(diag.BadValue, r.Span, "this is no point of %s",
				sym.Signature()).Suggest("Write %s.", tableForm(sym))
			return
		}
		args := make([]*logic.Term, len(r.Args))
		for i, a := range r.Args {
			if args[i] = b.value(a, sym.Args[i],
				fmt.Sprintf("argument %d of '%s' has the sort %s", i+1, sym.Name,
					sym.Args[i])); args[i] == nil {
				return
			}
		}
		key := fmt.Sprint(args)
		if before, ok := seen[key]; ok {
			b.errs.Errorf(diag.Duplicate, r.Span, "this point of '%s' is given twice",
				sym.Name).Because(before, "it is given here")
			return
		}
		seen[key] = r.Span
		points = append(points, args)
		if !relation {
			v := b.value(r.Value, sym.Result,
				fmt.Sprintf("'%s' gives values of the sort %s", sym.Name, sym.Result))
			if v == nil {
				return
			}
			facts = append(facts, logic.Eq(logic.App(sym, logic.Pre, args...), v))
		}
	}
	if relation {
		facts = append(facts, exactly(sym, points))
	}
	b.out.Facts = append(b.out.Facts,
		&system.Formula{Name: sym.Name, Term: logic.And(facts...).At(t.Span), Span: t.Span})
}

// exactly is true when a relation is true at the given points and false elsewhere.
func exactly(sym *logic.Symbol, points [][]*logic.Term) *logic.Term {
	vars := make([]*logic.Var, len(sym.Args))
	for i, a := range sym.Args {
		vars[i] = &logic.Var{Name: "X" + strconv.Itoa(i+1), Sort: a}
	}
	var some []*logic.Term
	for _, p := range points {
		var here []*logic.Term
		for i, v := range vars {
			here = append(here, logic.Eq(logic.Ref(v), p[i]))
		}
		some = append(some, logic.And(here...))
	}
	return logic.Forall(vars,
		logic.Iff(logic.App(sym, logic.Pre, logic.Refs(vars)...), logic.Or(some...)))
}

// value reads a literal of a sort. It is nil after an error; because says why this sort is
// expected.
func (b *instanceBuilder) value(x *syntax.Expr, s *logic.Sort, because string) *logic.Term {
	switch {
	case s == logic.Bool && (x.Kind == syntax.ExprTrue || x.Kind == syntax.ExprFalse):
		return logic.BoolLit(x.Kind == syntax.ExprTrue).At(x.Span)
	case s.Base() == logic.Int && x.Kind == syntax.ExprInt:
		return b.fits(x.Int, x.Span)
	case s.Base() == logic.Int && x.Kind == syntax.ExprNeg && x.Args[0].Kind == syntax.ExprInt:
		return b.fits(new(big.Int).Neg(x.Args[0].Int), x.Span)
	case s.Kind == logic.KindEnum && x.Kind == syntax.ExprName:
		if i := slices.Index(s.Members, x.Name.Text); i >= 0 {
			return logic.Member(s, i).At(x.Span)
		}
	case s.Kind == logic.KindUninterpreted && x.Kind == syntax.ExprName:
		for i := range b.out.Sizes[s] {
			if logic.MemberName(s, i) == x.Name.Text {
				return logic.Member(s, i).At(x.Span)
			}
		}
	}
	b.errs.Errorf(diag.BadValue, x.Span, "this is no value of the sort %s: %s", s,
		valuesOf(s, b.out.Sizes[s])).
		Because(x.Span, "%s", because).Suggest("Write %s.", b.someValue(s))
	return nil
}

// someValue is a value of a sort, as an instance says it.
func (b *instanceBuilder) someValue(s *logic.Sort) string {
	switch {
	case s == logic.Bool:
		return "true"
	case s.Base() == logic.Int:
		return "2, or another number"
	case s.Kind == logic.KindEnum:
		return s.Members[0]
	}
	return logic.MemberName(s, 0)
}

// valuesOf describes the values of a sort, for messages.
func valuesOf(s *logic.Sort, size int) string {
	switch {
	case s == logic.Bool:
		return "true or false"
	case s.Base() == logic.Int:
		return "a number"
	case s.Kind == logic.KindEnum:
		return strings.Join(s.Members, ", ")
	case size == 1:
		return logic.MemberName(s, 0)
	}
	return logic.MemberName(s, 0) + " to " + logic.MemberName(s, size-1)
}

func uninterpreted(sys *system.System, name string) *logic.Sort {
	for _, s := range sys.Sorts {
		if s.Name == name && s.Kind == logic.KindUninterpreted {
			return s
		}
	}
	return nil
}

func symbol(sys *system.System, name string) *logic.Symbol {
	for _, s := range sys.Symbols {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// fits makes a number a value. A number beyond 64 bits is an error, since exploration counts with
// 64 bits.
func (b *instanceBuilder) fits(n *big.Int, span diag.Span) *logic.Term {
	if !n.IsInt64() {
		b.errs.Errorf(diag.BadValue, span,
			"a value of an instance lies between -2^63 and 2^63 - 1").
			Suggest("Write a number between them.")
		return nil
	}
	return logic.BigLit(n).At(span)
}
