package system

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// Ends are bounds of an integer: it is none of the values of a fold if it is below one of Lo or
// above one of Hi.
type Ends struct{ Lo, Hi []*logic.Term }

// Ends are the bounds that the condition gives to a variable of the fold. They speak of no variable
// of the fold but the ones before it.
func (f *Fold) Ends(i int) (out Ends) {
	one := logic.IntLit(1)
	later := f.Over[i:]
	is := func(t *logic.Term) bool { return t.Op == logic.OpVar && t.Var == f.Over[i] }
	free := func(t *logic.Term) bool {
		return !slices.ContainsFunc(logic.FreeVars(t), func(v *logic.Var) bool {
			return slices.Contains(later, v)
		})
	}
	bound := func(a, b *logic.Term, strict bool) { // a <= b, or a < b
		switch {
		case is(b) && free(a) && strict:
			out.Lo = append(out.Lo, logic.Add(a, one))
		case is(b) && free(a):
			out.Lo = append(out.Lo, a)
		case is(a) && free(b) && strict:
			out.Hi = append(out.Hi, logic.Sub(b, one))
		case is(a) && free(b):
			out.Hi = append(out.Hi, b)
		}
	}
	for _, c := range logic.Conjuncts(f.Cond) {
		switch c.Op {
		case logic.OpLe:
			bound(c.Args[0], c.Args[1], false)
		case logic.OpLt:
			bound(c.Args[0], c.Args[1], true)
		case logic.OpEq, logic.OpOr:
			if lo, hi, ok := listed(c, is); ok {
				out.Lo = append(out.Lo, logic.IntLit(lo))
				out.Hi = append(out.Hi, logic.IntLit(hi))
			}
		}
	}
	return out
}

// listed are the least and the greatest number that a variable is said to be one of.
func listed(t *logic.Term, is func(*logic.Term) bool) (lo, hi int64, ok bool) {
	switch {
	case t.Op == logic.OpOr:
		for i, c := range t.Args {
			l, h, some := listed(c, is)
			if !some {
				return 0, 0, false
			}
			if i == 0 {
				lo, hi = l, h
			}
			lo, hi = min(lo, l), max(hi, h)
		}
		return lo, hi, len(t.Args) > 0
	case t.Op == logic.OpAnd:
		for _, c := range t.Args {
			if lo, hi, ok = listed(c, is); ok {
				return lo, hi, true
			}
		}
	case t.Op == logic.OpEq:
		x, n := t.Args[0], t.Args[1]
		if is(n) {
			x, n = n, x
		}
		if is(x) && n.Op == logic.OpInt && n.Int.IsInt64() {
			return n.Int.Int64(), n.Int.Int64(), true
		}
	}
	return 0, 0, false
}

// Finite reports whether the condition is seen to be true of finitely many values: every integer
// without a range has ends.
func (f *Fold) Finite() bool {
	for i, v := range f.Over {
		if v.Sort.Kind != logic.KindInt {
			continue
		}
		if e := f.Ends(i); len(e.Lo) == 0 || len(e.Hi) == 0 {
			return false
		}
	}
	return true
}

// window are the least and the greatest value that a variable of the fold can have in an instance,
// by the ends that are made of constants, and of what lies in ranges between them.
func (d *Derived) window(i int, inst *Instance) (lo, hi int64, err error) {
	e := d.Fold.Ends(i)
	w := windows{inst: inst, known: map[*logic.Var][2]int64{}}
	d.boundArguments(w)
	for j, v := range d.Fold.Over[:i] {
		if v.Sort.Kind != logic.KindInt {
			continue
		}
		low, high, err := d.window(j, inst)
		if err != nil {
			return 0, 0, err
		}
		w.known[v] = [2]int64{low, high}
	}
	lo, _, known := w.tightest(e.Lo, func(a, b [2]int64) bool { return a[0] > b[0] })
	_, hi, also := w.tightest(e.Hi, func(a, b [2]int64) bool { return a[1] < b[1] })
	if !known || !also {
		return 0, 0, fmt.Errorf("between which constants %[1]s lies over which something is "+
			"added up is not said, so no instance can be explored: add both, as in 0 <= %[1]s & "+
			"%[1]s <= 9, or give the end a range", d.Fold.Over[i])
	}
	return lo, hi, nil
}

// boundArguments gives the variables of the definition the windows of all that stands for them.
func (d *Derived) boundArguments(w windows) {
	for i, v := range d.Vars {
		var all [2]int64
		bounded := v.Sort.Kind == logic.KindInt
		for j, args := range d.Fold.Given {
			x, ok := w.of(args[i])
			if j == 0 {
				all = x
			}
			all, bounded = [2]int64{min(all[0], x[0]), max(all[1], x[1])}, bounded && ok
		}
		if bounded && len(d.Fold.Given) > 0 {
			w.known[v] = all
		}
	}
}

// Covers reports whether what an instance lists of a fold suffices for some arguments: the
// file has the same ones, or the ends are not among them.
func (d *Derived) Covers(args []*logic.Term) bool {
	same := func(given []*logic.Term) bool { return slices.EqualFunc(given, args, logic.Equal) }
	return !d.argumentsBound() || slices.ContainsFunc(d.Fold.Given, same)
}

// argumentsBound reports whether the window of a variable of the fold depends on the arguments.
func (d *Derived) argumentsBound() bool {
	closed := func(t *logic.Term) bool {
		return !slices.ContainsFunc(logic.FreeVars(t), func(v *logic.Var) bool {
			return v.Sort.Kind == logic.KindInt && slices.Contains(d.Vars, v)
		})
	}
	for i, v := range d.Fold.Over {
		e := d.Fold.Ends(i)
		if v.Sort.Kind == logic.KindInt &&
			!(slices.ContainsFunc(e.Lo, closed) && slices.ContainsFunc(e.Hi, closed)) {
			return true
		}
	}
	return false
}

// windows computes between which numbers terms lie in an instance.
type windows struct {
	inst  *Instance
	known map[*logic.Var][2]int64
}

// tightest is the tightest window of some terms; false where none has one.
func (w windows) tightest(
	ts []*logic.Term, better func(a, b [2]int64) bool,
) (lo, hi int64, ok bool) {
	var best [2]int64
	for _, t := range ts {
		if x, known := w.of(t); known && (!ok || better(x, best)) {
			best, ok = x, true
		}
	}
	return best[0], best[1], ok
}

// of is between which numbers a term lies; false where nothing says so.
func (w windows) of(t *logic.Term) (out [2]int64, ok bool) {
	if x, fixed := fixedValue(t, w.inst); fixed {
		return [2]int64{x, x}, true
	}
	switch {
	case t.Op == logic.OpVar && t.Var.Sort.Kind == logic.KindInt:
		out, ok = w.known[t.Var]
		return out, ok
	case t.Op == logic.OpVar:
		return w.sort(t.Var.Sort)
	case t.Op == logic.OpApp:
		return w.sort(t.Symbol.Result)
	case t.Op == logic.OpIte:
		a, ok1 := w.of(t.Args[1])
		b, ok2 := w.of(t.Args[2])
		return [2]int64{min(a[0], b[0]), max(a[1], b[1])}, ok1 && ok2
	case t.Op != logic.OpAdd && t.Op != logic.OpSub && t.Op != logic.OpNeg:
		return out, false
	}
	for i, a := range t.Args {
		x, known := w.of(a)
		if !known {
			return out, false
		}
		var ok1, ok2 bool
		lo, hi := x[0], x[1]
		if t.Op == logic.OpNeg || t.Op == logic.OpSub && i > 0 {
			lo, hi = hi, lo
		}
		out[0], ok1 = logic.Calculate(t.Op, i, out[0], lo)
		out[1], ok2 = logic.Calculate(t.Op, i, out[1], hi)
		if !ok1 || !ok2 {
			return out, false
		}
	}
	return out, true
}

// sort is between which numbers the values of a range lie in the instance.
func (w windows) sort(s *logic.Sort) (out [2]int64, ok bool) {
	if s.Kind != logic.KindRange {
		return out, false
	}
	lo, ok1 := w.of(s.Lo)
	hi, ok2 := w.of(s.Hi)
	return [2]int64{lo[0], hi[1]}, ok1 && ok2
}
