package system

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
)

// RelationOf derives the relation of an action that was written as code, by symbolic execution. For
// every symbol written so far, it carries the current value as a term over the state in which the
// action began. Requirements become guards under their path condition; chosen values become
// Choices; havocked symbols read fresh Inputs. Guards and updates are over the old state only.
//
// Values share common sub-terms, and in the end sub-terms of large values get names: see
// logic.Share. So the relation is about as long as the code, however often the code reads values
// that it wrote.
func RelationOf(ctx context.Context, sys *System, a *Action) error {
	e := newExecutor(ctx, sys, a)
	now := &state{values: map[*logic.Symbol]*function{}}
	now, err := e.block(a.Code, now, map[*logic.Var]*logic.Term{}, logic.True)
	if err != nil {
		return fmt.Errorf("action %s: %w", a.Name, err)
	}
	if e.joinGuards(); logic.Size(logic.And(e.rel.Guard...)) > logic.MaxNodes {
		return fmt.Errorf("action %s: its requirements are too large: as a formula they have "+
			"more than %d parts", a.Name, logic.MaxNodes)
	}
	for _, sym := range a.Modifies {
		f := e.value(now, sym)
		vars, args := e.display(f)
		value, err := e.apply(f, args)
		if err != nil {
			return fmt.Errorf("action %s: %w", a.Name, err)
		}
		value = logic.Share(value)
		if logic.Size(value) > logic.MaxNodes {
			return fmt.Errorf("action %s: the new value of %s is too large: as a formula it has "+
				"more than %d parts", a.Name, sym, logic.MaxNodes)
		}
		e.rel.Updates = append(e.rel.Updates,
			Update{Symbol: sym, Vars: vars, Args: args, Value: value, Span: f.span})
	}
	a.Relation = e.rel
	return nil
}

// Assigned lists the symbols that code assigns or havocs, in the order of their first occurrence.
func Assigned(code []Stmt) []*logic.Symbol {
	var out []*logic.Symbol
	add := func(s *logic.Symbol) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	var walk func([]Stmt)
	walk = func(code []Stmt) {
		for _, s := range code {
			switch s := s.(type) {
			case Assign:
				for _, u := range s.Updates {
					add(u.Symbol)
				}
			case Havoc:
				add(s.Symbol)
			case If:
				walk(s.Then)
				walk(s.Else)
			}
		}
	}
	walk(code)
	return out
}

// function is the value of a symbol: at arguments for which cond is true that of yes, elsewhere
// that of no. Without cond it is the value in the old state.
type function struct {
	symbol  *logic.Symbol
	cond    *logic.Term // over the variables that the executor has for the symbol
	yes, no value
	names   []string  // of the arguments, for display
	span    diag.Span // of the last write
	applied map[string]*logic.Term
}

// value is a function, a term, or a term of the code that is read for given arguments.
type value struct {
	function *function
	term     *logic.Term
	read     func(args []*logic.Term) (*logic.Term, error)
}

// state holds the written symbols. It is immutable, except for the memory of the values of derived
// symbols.
type state struct {
	values  map[*logic.Symbol]*function
	derived map[string]*logic.Term
	bodies  map[*Derived]*logic.Term // with binders of their own
}

// with is the state after changes to the values of some symbols.
func (s *state) with(changes map[*logic.Symbol]*function) *state {
	out := &state{values: maps.Clone(s.values)}
	maps.Copy(out.values, changes)
	return out
}

// expansion is one use of a definition in a state.
type expansion struct {
	of  *Derived
	now *state
}

func (e *executor) argumentsOf(sym *logic.Symbol) []*logic.Var {
	vars, ok := e.vars[sym]
	if !ok {
		vars = arguments(sym)
		e.vars[sym] = vars
	}
	return vars
}

func (e *executor) value(now *state, sym *logic.Symbol) *function {
	if f, ok := now.values[sym]; ok {
		return f
	}
	return &function{symbol: sym}
}

// display makes variables for an update, with names from the code.
func (e *executor) display(f *function) ([]*logic.Var, []*logic.Term) {
	vars := arguments(f.symbol)
	for i, name := range f.names {
		vars[i].Name = name
	}
	return vars, logic.Refs(vars)
}

// key identifies a list of arguments.
func (e *executor) key(args []*logic.Term) string {
	var key []byte
	for _, a := range args {
		key = binary.AppendUvarint(key, uint64(e.identity.Of(a)))
	}
	return string(key)
}

// apply applies a function. Two applications to the same arguments share their value. Binders
// around an argument are renamed for each list of arguments, so that a value may be used within
// itself.
func (e *executor) apply(f *function, args []*logic.Term) (*logic.Term, error) {
	if f.cond == nil {
		return logic.App(f.symbol, logic.Pre, args...), nil
	}
	key := e.key(args)
	if t, ok := f.applied[key]; ok {
		return t, nil
	}
	if err := e.ctx.Err(); err != nil {
		return nil, err
	}
	m := map[*logic.Var]*logic.Term{}
	for i, v := range e.argumentsOf(f.symbol) {
		if args[i].Op != logic.OpVar || args[i].Var != v {
			m[v] = args[i]
		}
	}
	part := func(v value) (*logic.Term, error) {
		switch {
		case v.function != nil:
			return e.apply(v.function, args)
		case v.read != nil:
			return v.read(args)
		}
		return e.replacer.Replace(v.term, m), nil
	}
	out, err := part(f.yes)
	if err != nil {
		return nil, err
	}
	if cond := e.replacer.Replace(f.cond, m); !cond.IsTrue() {
		no, err := part(f.no)
		if err != nil {
			return nil, err
		}
		out = ite(cond, out, no)
	}
	if f.applied == nil {
		f.applied = map[string]*logic.Term{}
	}
	f.applied[key] = out
	return out, nil
}
