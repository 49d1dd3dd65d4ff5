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
	inState := n.Level() > core.Constant || n.Lowest() < n.Binding.Slots[0]
	if !inState {
		s = scope{}
	}
	such := func(e *term) *syntax.Expr { return w.formula(n.Body, w.bound(n.Binding, e, s)) }
	// fits says that a value is one that can be chosen, if there is any.
	fits := func(e *term) *syntax.Expr {
		from := w.set(w.term(n.Binding.Set, s))
		some := from.each(false, n.Binding.Names[0], such)
		return build.Implies(some, build.And(from.has(e), such(e)))
	}
	if inState {
		if !w.stepping || n.Binding.Set == nil {
			w.fail("a CHOOSE that depends on the state is translated in actions, where it has " +
				"a set")
		}
		picking{w}.undetermined(n)
		return picking{w}.pickedBy(w.types.Of(n), fits)
	}
	// A CHOOSE of the same value by the same formula chooses the same.
	key := shown(such(w.stored("the chosen one", w.types.Of(n), nil)))
	for _, c := range w.chosen[n.Span()] {
		if c.by == key && c.term.typ.Same(w.types.Of(n)) {
			return c.term
		}
	}
	t := w.declared(w.name("chosen"), w.types.Of(n), false)
	w.chosen[n.Span()] = append(w.chosen[n.Span()], chosen{key, t})
	if n.Binding.Set != nil {
		w.fact(fits(t))
		return t
	}
	// There is always a value outside of a set; of elements, since their class is not the set.
	if not, ok := core.Strip(n.Body).(*core.Not); ok {
		if in, ok := core.Strip(not.Arg).(*core.In); ok {
			if isSlot(in.Elem, n.Binding.Slots[0]) && w.types.Of(n).Kind() == types.Element {
				w.fact(such(t))
				return t
			}
		}
	}
	w.fail("this CHOOSE without a set is not translated")
	return nil
}
