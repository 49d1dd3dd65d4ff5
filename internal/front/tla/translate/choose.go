package translate

import (
	"fmt"

	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/types"
)

// chosen is a constant that stands for a CHOOSE, and the formula by which it is chosen.
type chosen struct {
	by   string
	term *term
}

// shown is an expression as a text by which expressions can be compared.
func shown(x *syntax.Expr) string {
	text := fmt.Sprint(x.Kind, " ", x.Name.Text, " ", x.Int)
	for _, f := range x.Fields {
		text += " ." + f.Text
	}
	for _, b := range x.Binders {
		text += " " + b.Name.Text
		if b.Sort != nil {
			text += ":" + b.Sort.Name
			if b.Sort.Lo != nil {
				text += shown(b.Sort.Lo) + ".." + shown(b.Sort.Hi)
			}
		}
		if b.In != nil {
			text += " in " + shown(b.In)
		}
	}
	for _, a := range x.Args {
		text += "(" + shown(a) + ")"
	}
	return text
}

// noCondition is by what the value of a CASE is chosen of which no condition is true.
const noCondition = "no condition"

// unspecified is the value of a CASE of which no condition is true: a constant of which nothing is
// known.
func unspecified(w *writer, n *core.Case) *term {
	for _, c := range w.chosen[n.Span()] {
		if c.by == noCondition && c.term.typ.Same(w.types.Of(n)) {
			return c.term
		}
	}
	t := w.declared(w.name("unspecified"), w.types.Of(n), false)
	w.chosen[n.Span()] = append(w.chosen[n.Span()], chosen{noCondition, t})
	return t
}

// choose is a value that is chosen: a constant, of which is known what it is chosen by.
func (w *writer) choose(n *core.Choose, s scope) *term {
	if n.Level() > core.Constant || n.Lowest() < n.Binding.Slots[0] {
		if !w.stepping || n.Binding.Set == nil {
			w.fail("a CHOOSE that depends on the state is translated in actions, where it has " +
				"a set")
		}
		from := w.set(w.term(n.Binding.Set, s))
		such := func(e *term) *syntax.Expr {
			return w.formula(n.Body, w.bound(n.Binding, e, s))
		}
		picking{w}.undetermined(n)
		return picking{w}.pickedBy(w.types.Of(n), func(e *term) *syntax.Expr {
			return build.Implies(from.each(false, n.Binding.Names[0], such),
				build.And(from.has(e), such(e)))
		})
	}
	such := func(e *term) *syntax.Expr {
		return w.formula(n.Body, w.bound(n.Binding, e, scope{}))
	}
	// A CHOOSE of the same value by the same formula chooses the same.
	key := shown(such(w.of(w.types.Of(n), build.Ref("the chosen one"))))
	for _, c := range w.chosen[n.Span()] {
		if c.by == key && c.term.typ.Same(w.types.Of(n)) {
			return c.term
		}
	}
	t := w.declared(w.name("chosen"), w.types.Of(n), false)
	w.chosen[n.Span()] = append(w.chosen[n.Span()], chosen{key, t})
	if n.Binding.Set != nil {
		from := w.set(w.term(n.Binding.Set, scope{}))
		some := from.each(false, n.Binding.Names[0], such)
		w.fact(build.Implies(some, build.And(from.has(t), such(t))))
		return t
	}
	// There is always a value outside of a set; of elements, since their class is not the set.
	if not, ok := strip(n.Body).(*core.Not); ok {
		if in, ok := strip(not.Arg).(*core.In); ok {
			if slot, ok := strip(in.Elem).(*core.Slot); ok && slot.Slot == n.Binding.Slots[0] &&
				w.types.Of(n).Kind() == types.Element {
				w.fact(such(t))
				return t
			}
		}
	}
	w.fail("this CHOOSE without a set is not translated")
	return nil
}
