package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Sums and greatest values of integers, which package flat makes of sizes and of functions of sets.
//
// While a file is read, `sum of e for x with c` is a term total(exists x. each(c, e)) over two
// marks, so the quantifier binds the variables as any other one. Once all sorts are known, it
// becomes the application of a derived symbol to the variables that are free in it: see
// system.Fold.

// each is the mark around the condition and the value.
var each = &logic.Symbol{Name: "each", Kind: logic.Relation,
	Args: []*logic.Sort{logic.Bool, logic.Int}, Result: logic.Bool}

// totals are the marks around the quantifier.
var totals = map[system.FoldKind]*logic.Symbol{
	system.FoldSum: total("sum"), system.FoldMax: total("max"), system.FoldMin: total("min"),
}

func total(name string) *logic.Symbol {
	return &logic.Symbol{Name: name, Kind: logic.Function, Args: []*logic.Sort{logic.Bool},
		Result: logic.Int}
}

// fold elaborates a sum or a greatest value.
func (e *elaborator) fold(x *syntax.Expr) (*logic.Term, *cell) {
	some := node(logic.OpExists, x.Span, logic.Bool)
	e.bind(x.Binders, func(vars []*logic.Var) {
		cond := e.expect(x.Args[0], known(logic.Bool), "")
		value := e.expect(x.Args[1], known(logic.Int),
			"what is added up, or compared, is a number")
		some.Vars = vars
		some.Args = []*logic.Term{logic.App(each, logic.Pre, cond, value)}
	})
	for _, v := range some.Vars {
		e.pend = append(e.pend, &logic.Term{Op: logic.OpVar, Var: v})
	}
	mark := totals[system.FoldKind(x.Name.Text)]
	return logic.App(mark, logic.Pre, some).At(x.Span), known(logic.Int)
}

// defineFolds makes derived symbols of sums, greatest and least values.
func defineFolds(c *checker) {
	if c.folds && c.errs.Err() == nil {
		d := newFolder(c)
		system.Rewrite(c.sys, d.rewrite)
		for _, u := range d.uses {
			u.of.Fold.Given = append(u.of.Fold.Given, slices.Clone(u.args))
		}
		for _, a := range c.sys.Actions {
			if a.Relation != nil {
				guardFolds(a.Relation)
			}
		}
	}
}

// guardFolds makes conditions of updates that read a fold of the new state: an update reads new
// values that earlier updates give.
func guardFolds(r *system.Relation) {
	moved := map[*logic.Symbol]bool{}
	r.Updates = slices.DeleteFunc(r.Updates, func(u system.Update) bool {
		if !logic.Has(u.Value, func(t *logic.Term) bool {
			return t.Op == logic.OpApp && t.Step == logic.Post &&
				(moved[t.Symbol] || t.Symbol.Derived && t.Symbol.Kind != logic.Relation)
		}) {
			return false
		}
		moved[u.Symbol] = true
		after := logic.App(u.Symbol, logic.Post, u.Args...)
		same := logic.Iff(after, u.Value)
		if u.Symbol.Result != logic.Bool {
			same = logic.Eq(after, u.Value)
		}
		r.Guard = append(r.Guard, logic.Forall(u.Vars, same).At(u.Span))
		return true
	})
}

// knownFolds is a term in which the sums and greatest values are the ones of the file.
func knownFolds(c *checker, t *logic.Term) *logic.Term {
	n := len(c.sys.Derived)
	d := newFolder(c)
	t = d.rewrite(t)
	known := len(c.sys.Derived) == n
	for _, u := range d.uses {
		known = known && u.of.Covers(u.args)
	}
	if !known {
		c.errs.Errorf(diag.Unsupported, t.Span, "this speaks of a size or sum of which the file "+
			"does not speak").Suggest("Write a definition with it into the file.")
		return nil
	}
	return t
}

// folder makes derived symbols. Equal terms share one.
type folder struct {
	c      *checker
	byText map[string]*system.Derived
	done   map[*logic.Term]*logic.Term
	uses   []use
}

// use is one place that speaks of a fold.
type use struct {
	of   *system.Derived
	args []*logic.Term
}

func newFolder(c *checker) *folder {
	d := &folder{c: c, byText: map[string]*system.Derived{}, done: map[*logic.Term]*logic.Term{}}
	for _, def := range c.sys.Folds() {
		d.byText[textOf(def.Fold, def.Vars)] = def
	}
	return d
}

// textOf tells folds apart.
func textOf(f *system.Fold, vars []*logic.Var) string {
	return fmt.Sprint(f.Kind, sortsOf(vars),
		logic.Exists(f.Over, logic.App(each, logic.Pre, f.Cond, f.Value)))
}

func (d *folder) rewrite(t *logic.Term) *logic.Term {
	if out, ok := d.done[t]; ok {
		return out
	}
	out := t
	if t.Op == logic.OpLet && logic.Has(t, isMark) {
		// What folds have in common was named: a mark stands directly inside its quantifier.
		out = d.rewrite(logic.Subst(t.Args[1], map[*logic.Var]*logic.Term{t.Vars[0]: t.Args[0]}))
	} else if len(t.Args) > 0 {
		c := *t
		c.Args = make([]*logic.Term, len(t.Args))
		changed := false
		for i, a := range t.Args {
			c.Args[i] = d.rewrite(a)
			changed = changed || c.Args[i] != a
		}
		if changed {
			out = &c
		}
	}
	for kind, mark := range totals {
		if out.Op == logic.OpApp && out.Symbol == mark {
			out = d.define(kind, out)
		}
	}
	d.done[t] = out
	return out
}

// isMark reports whether a term is one of the marks of folds.
func isMark(t *logic.Term) bool {
	return t.Op == logic.OpApp && (t.Symbol == each || t.Symbol == totals[system.FoldSum] ||
		t.Symbol == totals[system.FoldMax] || t.Symbol == totals[system.FoldMin])
}

// define gives the application of a derived symbol that stands for a sum or a greatest value.
func (d *folder) define(kind system.FoldKind, t *logic.Term) *logic.Term {
	fold := &system.Fold{Kind: kind}
	inner := t.Args[0]
	for inner.Op == logic.OpExists {
		fold.Over, inner = append(fold.Over, inner.Vars...), inner.Args[0]
	}
	step, ok := stepOf(inner)
	if !ok {
		d.c.errs.Errorf(diag.Unsupported, t.Span, "this speaks of two states").
			Suggest("Say new(..), or old(..), of all that it is about.")
		return logic.IntLit(0)
	}
	inner = logic.Shift(inner, -step)
	inner = plainEnds(fold.Over, inner)
	inner, named := nameParts(fold.Over, inner, d.c.sys.Exists)
	with := map[*logic.Var]*logic.Term{}
	var args []*logic.Term
	var vars []*logic.Var
	for i, v := range logic.FreeVars(logic.Exists(fold.Over, inner)) {
		own := &logic.Var{Name: fmt.Sprintf("X%d", i+1), Sort: v.Sort, Span: v.Span}
		arg := logic.Ref(v)
		if end := named[v]; end != nil {
			arg = logic.Shift(end, step)
		}
		vars, args = append(vars, own), append(args, arg)
		with[v] = logic.Ref(own)
	}
	inner = logic.Subst(inner, with)
	fold.Cond, fold.Value = inner.Args[0], inner.Args[1]
	if !fold.Finite() {
		d.c.errs.Errorf(diag.Unsupported, t.Span, "these values have no range, so they cannot be "+
			"listed").Suggest("Let the type of the elements be a range, such as 0..9, say " +
			"between which numbers they are, as in {k for k: int if 1 <= k & k < n & p(k)}, or " +
			"take them from a sequence: sum(e for x in s).")
		return logic.IntLit(0)
	}
	def := d.definition(t.Span, fold, vars, args)
	d.uses = append(d.uses, use{def, args})
	return logic.App(def.Symbol, step, args...).At(t.Span)
}

// nameParts puts variables in the place of what does not depend on the variables of a fold over
// integers. So a sum up to one number and the sum up to another one are the same fold for two
// arguments: where the numbers are equal, the sums are, too. Each end has a variable of its own,
// for another sum may have other numbers there. What has a value under a condition only keeps its
// condition in the fold, since an argument has to have a value.
func nameParts(
	over []*logic.Var, inner *logic.Term, exists *logic.Symbol,
) (out *logic.Term, named map[*logic.Var]*logic.Term) {
	named = map[*logic.Var]*logic.Term{}
	if !slices.ContainsFunc(over, func(v *logic.Var) bool { return v.Sort.Base() == logic.Int }) {
		return inner, named
	}
	inRanges := !slices.ContainsFunc(over, func(v *logic.Var) bool { return v.Sort == logic.Int })
	identity, known := logic.NewIdentity(), map[int]*logic.Var{}
	var visit func(t *logic.Term, bound []*logic.Var, end bool) *logic.Term
	visit = func(t *logic.Term, bound []*logic.Var, end bool) *logic.Term {
		fixed := end && inRanges && t.Sort == logic.Int // no instance needs it
		if t.Op == logic.OpVar || len(t.Args) == 0 && t.Op != logic.OpApp && !fixed {
			return t
		}
		depends := slices.ContainsFunc(logic.FreeVars(t), func(v *logic.Var) bool {
			return slices.Contains(bound, v)
		})
		if !depends && t.Sort != logic.Bool && (varies(t) || fixed) && !needs(t, exists) {
			n := identity.Of(t)
			v := known[n]
			if v == nil || end {
				v = &logic.Var{Name: "part", Sort: t.Sort.Base(), Span: t.Span}
				known[n], named[v] = v, t
			}
			return logic.Ref(v)
		}
		c := *t
		c.Args = make([]*logic.Term, len(t.Args))
		for i, a := range t.Args {
			c.Args[i] = visit(a, append(bound[:len(bound):len(bound)], t.Vars...),
				t.Op == logic.OpLe || t.Op == logic.OpLt)
		}
		return &c
	}
	return visit(inner, over, false), named
}

// needs reports whether a part of a term has a value under a condition only.
func needs(t *logic.Term, exists *logic.Symbol) bool {
	return exists != nil && logic.Has(t, func(t *logic.Term) bool {
		return t.Op == logic.OpApp && t.Symbol == exists
	})
}

// plainEnds says of integers that they are at least and at most other ones, and leaves out that
// they lie in their ranges.
func plainEnds(over []*logic.Var, inner *logic.Term) *logic.Term {
	is := func(t *logic.Term) bool {
		return t.Op == logic.OpVar && t.Sort.Base() == logic.Int && slices.Contains(over, t.Var)
	}
	var conds []*logic.Term
	for _, c := range logic.Conjuncts(inner.Args[0]) {
		switch {
		case c.Op != logic.OpLt || is(c.Args[0]) == is(c.Args[1]):
		case is(c.Args[0]):
			c = logic.Le(c.Args[0], logic.Sub(c.Args[1], logic.IntLit(1))).At(c.Span)
		default:
			c = logic.Le(logic.Add(c.Args[0], logic.IntLit(1)), c.Args[1]).At(c.Span)
		}
		implied := false
		for _, v := range over {
			at := logic.Ref(v)
			implied = implied || v.Sort.Kind == logic.KindRange &&
				(logic.Equal(c, logic.Le(v.Sort.Lo, at)) || logic.Equal(c, logic.Le(at, v.Sort.Hi)))
		}
		if !implied {
			conds = append(conds, c)
		}
	}
	return logic.App(each, logic.Pre, logic.And(conds...), inner.Args[1])
}

// varies reports whether a term may have several values in an instance.
func varies(t *logic.Term) bool {
	return len(logic.FreeVars(t)) > 0 || logic.Has(t, func(t *logic.Term) bool {
		return t.Op == logic.OpApp && t.Symbol.Mutable
	})
}

// stepOf is the state that a term is about. It reports whether there is only one.
func stepOf(t *logic.Term) (step int, ok bool) {
	step = -1
	ok = true
	logic.Walk(t, func(t *logic.Term) bool {
		if t.Op == logic.OpApp && t.Symbol.Mutable {
			ok = ok && (step < 0 || step == t.Step)
			step = t.Step
		}
		return true
	})
	return max(step, logic.Pre), ok
}

// definition is the derived symbol of a sum or a greatest value, with what defines it.
func (d *folder) definition(
	span diag.Span, fold *system.Fold, vars []*logic.Var, args []*logic.Term,
) *system.Derived {
	whole := logic.Exists(fold.Over, logic.App(each, logic.Pre, fold.Cond, fold.Value))
	key := textOf(fold, vars)
	if def := d.byText[key]; def != nil {
		return def
	}
	s := &logic.Symbol{Kind: logic.Function, Result: logic.Int, Derived: true, Span: span,
		Mutable: logic.Has(whole, func(t *logic.Term) bool {
			return t.Op == logic.OpApp && t.Symbol.Mutable
		})}
	if len(vars) == 0 {
		s.Kind = logic.Constant
	}
	for _, v := range vars {
		s.Args = append(s.Args, v.Sort)
	}
	for i := 1; s.Name == ""; i++ {
		wanted := fmt.Sprintf("%s_%d", fold.Kind, i)
		if d.c.globals[wanted] == nil && !slices.ContainsFunc(d.c.sys.Symbols,
			func(o *logic.Symbol) bool { return o.Name == wanted }) {
			s.Name = wanted
		}
	}
	s.Notation = notation(s, args, span)
	def := &system.Derived{Symbol: s, Vars: vars, Fold: fold}
	def.Axiom = def.Bound()
	d.byText[key] = def
	d.c.sys.Symbols = append(d.c.sys.Symbols, s)
	d.c.sys.Derived = append(d.c.sys.Derived, def)
	return def
}

// notation is how the file writes a fold, where that names its arguments; otherwise nil.
func notation(s *logic.Symbol, args []*logic.Term, span diag.Span) *logic.Notation {
	if span.Source == nil || strings.ContainsAny(span.Text(), "\n$") {
		return nil
	}
	text := span.Text()
	for i, a := range args {
		name := ""
		if a.Op == logic.OpVar {
			name = a.Var.Name
		} else if a.Span.Source != nil {
			name = a.Span.Text()
		}
		if name == "" || len(name) == len(text) {
			return nil
		}
		word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
		if !word.MatchString(text) {
			return nil
		}
		text = word.ReplaceAllLiteralString(text, fmt.Sprintf("$%d", i+1))
	}
	return &logic.Notation{Name: s.Name, Text: text, Arity: len(args)}
}

func sortsOf(vars []*logic.Var) string {
	var out []string
	for _, v := range vars {
		out = append(out, v.Sort.String())
	}
	return strings.Join(out, ",")
}
