package system

import (
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
)

// CodeOf derives the code of an action that was written as a formula from its relation. Guards over
// the state in which the action begins come as early as their choices allow. Then come the updates.
// Then each modified symbol without an update gets an arbitrary value, followed by the guards on
// that value.
func CodeOf(_ *System, a *Action) error {
	rel := a.Relation
	switch {
	case rel == nil:
		return fmt.Errorf("action %s: code of a relation: there is none", a.Name)
	case len(rel.Inputs) > 0:
		return fmt.Errorf("action %s: code of a relation: it has the input %s", a.Name,
			rel.Inputs[0])
	}
	pre, post, err := schedule(rel)
	if err != nil {
		return fmt.Errorf("action %s: %w", a.Name, err)
	}
	var code []Stmt
	for _, g := range pre[0] {
		code = append(code, Require{g, g.Span})
	}
	for i, v := range rel.Choices {
		span := v.Span
		if span.IsZero() {
			span = a.Span
		}
		such := logic.And(pre[i+1]...)
		if len(pre[i+1]) > 0 {
			such = such.At(pre[i+1][0].Span.To(pre[i+1][len(pre[i+1])-1].Span))
		}
		code = append(code, Choose{v, such, span})
	}
	updated := map[*logic.Symbol]bool{}
	for _, batch := range batches(rel.Updates) {
		code = append(code, Assign{batch})
		for _, u := range batch {
			updated[u.Symbol] = true
		}
	}
	require := func() { // the guards whose new values are known by now, in order
		for len(post) > 0 && settled(post[0], updated, a.Modifies) {
			code = append(code, Require{post[0], post[0].Span})
			post = post[1:]
		}
		post = slices.DeleteFunc(post, func(g *logic.Term) bool {
			ok := !logic.MayReadOutside(g) && settled(g, updated, a.Modifies)
			if ok {
				code = append(code, Require{g, g.Span})
			}
			return ok
		})
	}
	require()
	for _, sym := range a.Modifies {
		if updated[sym] {
			continue
		}
		vars := arguments(sym)
		code = append(code, Havoc{sym, vars, logic.Refs(vars), spanOf(sym, post, a)})
		updated[sym] = true
		// Drop guards that the sort implies.
		post = slices.DeleteFunc(post, func(g *logic.Term) bool {
			in := resultInRange(sym, sym, logic.Post)
			return !in.IsTrue() && logic.Equal(g, in)
		})
		require()
	}
	a.Code = code
	return nil
}

// schedule places the guards over the old state: pre[0] before all choices, pre[i] with the i-th
// choice. The other guards are in post. A guard that may read outside a range stays after the
// guards before it, which may protect it.
func schedule(rel *Relation) (pre [][]*logic.Term, post []*logic.Term, err error) {
	pre = make([][]*logic.Term, len(rel.Choices)+1)
	highest := 0
	for _, g := range rel.Guard {
		level := 0
		for _, v := range logic.FreeVars(g) {
			level = max(level, slices.Index(rel.Choices, v)+1)
		}
		if logic.MayReadOutside(g) {
			level = max(level, highest)
		}
		switch {
		case logic.MaxStep(g) > logic.Post:
			return nil, nil, errors.New("a guard speaks of a state after the next")
		case logic.MaxStep(g) == logic.Post, logic.MayReadOutside(g) && len(post) > 0:
			post = append(post, g)
		default:
			pre[level] = append(pre[level], g)
			highest = max(highest, level)
		}
	}
	return pre, post, nil
}

// batches groups updates: first all updates that read the old state only, at once, then the others
// one by one.
func batches(updates []Update) [][]Update {
	var first []Update
	var out [][]Update
	for _, u := range updates {
		if logic.MaxStep(u.Value) < logic.Post {
			first = append(first, u)
		} else {
			out = append(out, []Update{u})
		}
	}
	if first != nil {
		out = slices.Insert(out, 0, first)
	}
	return out
}

// settled reports whether all new values in a guard are known. A derived symbol may depend on all
// others.
func settled(g *logic.Term, updated map[*logic.Symbol]bool, modified []*logic.Symbol) bool {
	for app := range logic.Applications(g) {
		known := updated[app.Symbol] || !slices.Contains(modified, app.Symbol)
		if app.Symbol.Derived {
			known = len(updated) == len(modified)
		}
		if app.Step == logic.Post && !known {
			return false
		}
	}
	return true
}

// spanOf finds the span of the first guard that constrains a symbol's new values, or else of the
// action.
func spanOf(sym *logic.Symbol, guards []*logic.Term, a *Action) diag.Span {
	for _, g := range guards {
		if logic.Occurs(g, sym, logic.Post) && !g.Span.IsZero() {
			return g.Span
		}
	}
	return a.Span
}
