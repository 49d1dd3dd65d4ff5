package system

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// read turns a term of the code, over the current values, into a term over the old state. Its
// binders get fresh variables.
func (e *executor) read(
	t *logic.Term, now *state, env map[*logic.Var]*logic.Term,
) (*logic.Term, error) {
	r := &reader{executor: e, now: now, env: env}
	out := r.term(t)
	return out, r.err
}

// readAt is read for a term whose binders occur in no other state. The binders keep their variables
// when the term is read for different arguments, so that results within them are shared. If an
// argument has binders, which may be the same ones, they get fresh variables.
func (e *executor) readAt(
	t *logic.Term, now *state, env map[*logic.Var]*logic.Term, args []*logic.Term,
) (*logic.Term, error) {
	r := &reader{executor: e, now: now, env: env, keep: !slices.ContainsFunc(args, e.hasBinder)}
	out := r.term(t)
	return out, r.err
}

func (e *executor) hasBinder(t *logic.Term) bool {
	if len(t.Args) == 0 {
		return false
	}
	has, ok := e.binders[t]
	if !ok {
		has = len(t.Vars) > 0 || slices.ContainsFunc(t.Args, e.hasBinder)
		e.binders[t] = has
	}
	return has
}

type reader struct {
	*executor
	keep bool // binders keep their variables
	now  *state
	env  map[*logic.Var]*logic.Term // values of variables in scope
	err  error
}

func (r *reader) term(t *logic.Term) *logic.Term {
	if t.Op == logic.OpVar {
		if v, ok := r.env[t.Var]; ok {
			return v
		}
		return t
	}
	if r.err != nil || len(t.Args) == 0 && t.Op != logic.OpApp {
		return t
	}
	c := *t
	c.Args = make([]*logic.Term, len(t.Args))
	last := len(t.Args) - 1
	for i, a := range t.Args {
		if i < last || len(t.Vars) == 0 {
			c.Args[i] = r.term(a)
			continue
		}
		if r.keep {
			c.Args[i] = r.term(a)
			continue
		}
		c.Vars = make([]*logic.Var, len(t.Vars))
		outer := make([]*logic.Term, len(t.Vars))
		for j, v := range t.Vars {
			fresh := *v
			c.Vars[j] = &fresh
			outer[j] = r.env[v]
			r.env[v] = logic.Ref(&fresh)
		}
		c.Args[i] = r.term(a)
		for j, v := range t.Vars {
			if delete(r.env, v); outer[j] != nil {
				r.env[v] = outer[j]
			}
		}
	}
	if t.Op != logic.OpApp || t.Step != logic.Post {
		if (r.keep || len(t.Vars) == 0) && slices.Equal(c.Args, t.Args) {
			return t
		}
		return &c
	}
	c.Step = logic.Pre
	if t.Symbol.Derived {
		if d := r.derived(&c, r.now); d != nil {
			return d.At(t.Span)
		}
	} else if f, ok := r.now.values[t.Symbol]; ok {
		v, err := r.apply(f, c.Args)
		if err != nil {
			r.err = err
			return t
		}
		return v.At(t.Span)
	}
	return &c
}

// derived gives the current value of a derived symbol. It is its definition's value when a symbol
// that it depends on was written; otherwise it is nil, for the old value.
func (r *reader) derived(t *logic.Term, now *state) *logic.Term {
	if !r.dependsOn(t.Symbol, now, map[*logic.Symbol]bool{}) {
		return nil
	}
	d := r.sys.DerivedOf(t.Symbol)
	switch {
	case (d == nil || d.Body == nil) && r.needs != nil:
		return r.anyOf(t)
	case d == nil || d.Body == nil:
		r.err = fmt.Errorf("relation of code: the value of %s after a change is not known, "+
			"because its axiom does "+
			"not say for all arguments what %s is equivalent to", t.Symbol, t.Symbol)
		return t
	case r.expanding[expansion{d, now}]:
		r.err = fmt.Errorf("relation of code: the definition of %s is circular", t.Symbol)
		return t
	}
	key := fmt.Sprintf("%p %s", d, r.key(t.Args))
	if v := now.derived[key]; v != nil {
		return v
	}
	r.expanding[expansion{d, now}] = true
	defer delete(r.expanding, expansion{d, now})
	with := map[*logic.Var]*logic.Term{}
	for i, v := range d.Vars {
		with[v] = t.Args[i]
	}
	if now.derived == nil {
		now.derived, now.bodies = map[string]*logic.Term{}, map[*Derived]*logic.Term{}
	}
	if now.bodies[d] == nil {
		now.bodies[d] = logic.Rename(logic.Shift(d.Body, 1))
	}
	out, err := r.readAt(now.bodies[d], now, with, t.Args)
	if err != nil {
		r.err = err
		return t
	}
	now.derived[key] = out
	return out
}

// anyOf is an arbitrary value in the place of the application of a symbol.
func (e *executor) anyOf(t *logic.Term) *logic.Term {
	in := *t.Symbol
	in.Mutable, in.Derived = false, false
	e.rel.Inputs = append(e.rel.Inputs, &in)
	return logic.App(&in, logic.Pre, t.Args...)
}

func (e *executor) dependsOn(sym *logic.Symbol, now *state, seen map[*logic.Symbol]bool) bool {
	if _, written := now.values[sym]; written {
		return true
	}
	d := e.sys.DerivedOf(sym)
	if d == nil || seen[sym] {
		return false
	}
	seen[sym] = true
	definition := d.Body
	if definition == nil {
		definition = d.Axiom
	}
	return logic.Has(definition, func(t *logic.Term) bool {
		return t.Op == logic.OpApp && e.dependsOn(t.Symbol, now, seen)
	})
}
