package infer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// A counter often counts something: readers that are inside, votes for a candidate, credits that
// are under way. The file has the counter and what it counts, and nowhere that they are equal. The
// search looks for the sums and sizes with which the integers of the state have a linear equation
// in all explored states. The system with these as derived symbols has the vocabulary for it. An
// equation is about the whole state, or about each element of a sort.

// totals are the sums and sizes that a system does not have itself.
type totals struct {
	*quantities
	folds map[*logic.Symbol]*system.Derived // of columns
	known map[string]bool                   // the folds of the system
}

// mostTotals bounds the quantities among which equations are searched for.
const mostTotals = 24

// mostRows bounds the states of an instance from which equations come.
const mostRows = 300

// totals is the system with sums and sizes, nil where there are none or they are left out.
func (s *search) totals() *system.System {
	if s.opts.NoTotals {
		return nil
	}
	return withTotals(s.sys, s.samples.worlds)
}

// counted searches in the system with sums and sizes, if there are some. Done means that there is a
// proof, which is one of the system without them, too.
func (s *search) counted(ctx context.Context, with *system.System, most int64) (done bool) {
	if with == nil {
		return false
	}
	opts := s.opts
	opts.Effort = most
	s.note("with %d sums and sizes", len(with.Derived)-len(s.sys.Derived))
	ctx, ended := effort.Begin(ctx, "sums and sizes")
	defer ended()
	out, err := Find(ctx, with, opts)
	if err != nil || !out.Proved {
		return false // the search goes on without it
	}
	for i := range out.Lemmas {
		l := &out.Lemmas[i]
		for _, d := range with.Derived[len(s.sys.Derived):] {
			if mentions(l.Term, func(sym *logic.Symbol) bool { return sym == d.Symbol }) {
				l.Folds = append(l.Folds, d)
			}
		}
	}
	out.Queries += s.out.Queries
	s.out = out
	return true
}

// withTotals is a system with the sums and sizes that are in an equation with a changing integer in
// all explored states; nil if there are none.
func withTotals(sys *system.System, worlds []*world) *system.System {
	if len(worlds) == 0 || sys.Computed != nil || sys.Uncountable() != nil {
		return nil
	}
	out := *sys
	for _, of := range subjects(sys) {
		t := newTotals(sys, of)
		if t == nil {
			continue
		}
		for _, e := range t.equations(worlds, mostRows, t.inInstance) {
			if !t.relates(e) {
				continue
			}
			for app := range logic.Applications(e) {
				if d := t.folds[app.Symbol]; d != nil && !slices.Contains(out.Derived, d) {
					d.Symbol.Name = unusedName(&out, d.Symbol.Name)
					out.Derived = append(slices.Clip(out.Derived), d)
					out.Symbols = append(slices.Clip(out.Symbols), d.Symbol)
				}
			}
		}
	}
	if len(out.Derived) == len(sys.Derived) {
		return nil
	}
	return &out
}

// newTotals are the quantities of a subject, nil if no changing integer is among them.
func newTotals(sys *system.System, of []*logic.Var) *totals {
	t := &totals{quantities: quantitiesOf(sys, of), known: map[string]bool{},
		folds: map[*logic.Symbol]*system.Derived{}}
	for _, d := range sys.Folds() {
		t.known[textOf(d)] = true
	}
	if !t.counter {
		return nil
	}
	for _, sym := range sys.Symbols {
		if sym.Mutable && !sym.Derived && len(sym.Args) > 0 && len(t.columns) < mostTotals {
			t.count(sym)
		}
	}
	if len(t.folds) == 0 {
		return nil
	}
	return t
}

// count adds the totals of a relation or function: over all its points, or the ones of the element.
func (t *totals) count(sym *logic.Symbol) {
	var over []*logic.Var
	for i, s := range sym.Args {
		// What is counted is assumed to be finite: nothing is said of a sort that is not.
		if s.Kind != logic.KindUninterpreted && s.Kind != logic.KindEnum ||
			s.Extent == logic.Infinite {
			return
		}
		over = append(over, &logic.Var{Name: fmt.Sprintf("x%d", i+1), Sort: s})
	}
	at := logic.App(sym, logic.Pre, logic.Refs(over)...)
	whole := func(over []*logic.Var, with map[*logic.Var]*logic.Term) {
		if len(over) == 0 {
			return
		}
		term := logic.Subst(at, with)
		switch r := sym.Result; {
		case r == logic.Bool:
			t.add(over, term, logic.IntLit(1))
		case r.Base() == logic.Int:
			t.add(over, logic.True, term)
		case r.Kind == logic.KindEnum:
			for k := range r.Members {
				t.add(over, logic.Eq(term, logic.Member(r, k)), logic.IntLit(1))
			}
		case len(t.of) > 0 && r == t.of[0].Sort && len(with) == 0:
			t.add(over, logic.Eq(term, logic.Ref(t.of[0])), logic.IntLit(1))
		}
	}
	if len(t.of) == 0 {
		whole(over, nil)
		return
	}
	for i, v := range over {
		if v.Sort == t.of[0].Sort {
			whole(slices.Delete(slices.Clone(over), i, i+1),
				map[*logic.Var]*logic.Term{v: logic.Ref(t.of[0])})
		}
	}
	if sym.Result == t.of[0].Sort {
		whole(over, nil)
	}
}

// add makes a column of a sum.
func (t *totals) add(over []*logic.Var, cond, value *logic.Term) {
	sum := &system.Fold{Kind: system.FoldSum, Over: over, Cond: cond, Value: value}
	d := &system.Derived{Vars: t.of, Fold: sum}
	if t.known[textOf(d)] {
		return
	}
	word := "sum"
	if value.Op == logic.OpInt {
		word = "size"
	}
	d.Symbol = &logic.Symbol{Name: fmt.Sprintf("%s_%d", word, len(t.folds)+1), Kind: logic.Constant,
		Result: logic.Int, Derived: true, Mutable: true}
	for _, v := range t.of {
		d.Symbol.Kind, d.Symbol.Args = logic.Function, []*logic.Sort{v.Sort}
	}
	d.Symbol.Notation = &logic.Notation{Name: d.Symbol.Name, Text: written(d),
		Arity: len(t.of)}
	d.Axiom = d.Bound()
	t.folds[d.Symbol] = d
	t.columns = append(t.columns, logic.App(d.Symbol, logic.Pre, logic.Refs(t.of)...))
}

// textOf tells folds apart, whatever their variables are called.
func textOf(d *system.Derived) string {
	whole := logic.And(d.Fold.Cond, logic.Eq(d.Fold.Value, logic.IntLit(0)))
	vars := slices.Concat(d.Vars, d.Fold.Over)
	sorts := make([]string, len(vars))
	for i, v := range vars {
		sorts[i] = v.Sort.String()
	}
	return fmt.Sprint(d.Fold.Kind, len(d.Vars), sorts, renamed(whole, vars))
}

// written is how the language writes a fold, with $1 for its argument.
func written(d *system.Derived) string {
	with := map[*logic.Var]*logic.Term{}
	var names, binders []string
	for i, v := range d.Fold.Over {
		name := fmt.Sprintf("%c%d", strings.ToLower(v.Sort.Name)[0], i+1)
		own := &logic.Var{Name: name, Sort: v.Sort}
		with[v] = logic.Ref(own)
		names, binders = append(names, name), append(binders, name+": "+v.Sort.Name)
	}
	for _, v := range d.Vars {
		with[v] = logic.Ref(&logic.Var{Name: "$1", Sort: v.Sort})
	}
	cond, value := logic.Subst(d.Fold.Cond, with), logic.Subst(d.Fold.Value, with)
	if value.Op == logic.OpInt {
		what := strings.Join(names, ", ")
		if len(names) > 1 {
			what = "(" + what + ")"
		}
		return fmt.Sprintf("size({%s for %s if %s})", what, strings.Join(binders, ", "), cond)
	}
	return fmt.Sprintf("sum(%s for %s)", value, strings.Join(binders, ", "))
}

// relates reports whether an equation is about a total and a changing integer.
func (t *totals) relates(e *logic.Term) bool {
	is := func(of func(*logic.Symbol) bool) bool {
		return logic.Has(e, func(x *logic.Term) bool { return x.Op == logic.OpApp && of(x.Symbol) })
	}
	return is(func(s *logic.Symbol) bool { return t.folds[s] != nil }) &&
		is(func(s *logic.Symbol) bool { return s.Mutable && !s.Derived })
}

// inInstance are the columns in an instance, nil where one cannot be listed.
func (t *totals) inInstance(w *world) (out []*logic.Term) {
	for _, c := range t.columns {
		d := t.folds[c.Symbol]
		if d == nil {
			out = append(out, c)
			continue
		}
		value, err := d.Listed(func(i int) (values []*logic.Term, err error) {
			s := d.Fold.Over[i].Sort
			for k := range w.domain(s).n {
				values = append(values, logic.Literal(s, k))
			}
			return values, nil
		})
		if err != nil {
			return nil
		}
		out = append(out, value)
	}
	return out
}
