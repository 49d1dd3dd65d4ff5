package system

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"erelong/internal/diag"
	"erelong/internal/logic"
)

// RelationOf sets the relation of an action that was written as code, by symbolic execution: it carries, for every
// symbol that was written so far, its value now as a term over the state in which the action began. Requirements become
// guards under the condition of the path on which they stand; chosen values become Choices, and havocked symbols read
// fresh Inputs. Guards and updates speak of the old state only.
func RelationOf(sys *System, a *Action) error {
	e := &executor{sys: sys, action: a, rel: &Relation{}, names: map[string]bool{}, choices: map[string]bool{},
		expanding: map[*Derived]bool{}}
	for _, s := range sys.Symbols {
		e.names[s.Name] = true
	}
	for _, b := range sys.Actions {
		if b.Relation != nil && b != a {
			for _, in := range b.Relation.Inputs {
				e.names[in.Name] = true
			}
		}
	}
	for _, v := range a.Params {
		e.choices[v.Name] = true
	}
	now := state{}
	if err := e.block(a.Code, now, map[*logic.Var]*logic.Term{}, logic.True); err != nil {
		return fmt.Errorf("action %s: %w", a.Name, err)
	}
	for _, sym := range a.Modifies {
		v := now.value(sym)
		e.rel.Updates = append(e.rel.Updates,
			Update{Symbol: sym, Vars: v.vars, Args: logic.Refs(v.vars), Value: v.term, Span: v.span})
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

// function is the value of a symbol: symbol(vars) is term.
type function struct {
	vars []*logic.Var
	term *logic.Term
	span diag.Span // of what wrote it last
}

// at applies the function. The result has bound variables of its own, so that a value may be used within itself.
func (f function) at(args []*logic.Term) *logic.Term {
	m := map[*logic.Var]*logic.Term{{}: nil} // not empty, so that Subst renames also when there are no arguments
	for i, v := range f.vars {
		m[v] = args[i]
	}
	return logic.Subst(f.term, m)
}

// state holds the symbols that were written.
type state map[*logic.Symbol]function

func (s state) value(sym *logic.Symbol) function {
	if f, ok := s[sym]; ok {
		return f
	}
	vars := arguments(sym)
	return function{vars: vars, term: logic.App(sym, logic.Pre, logic.Refs(vars)...)}
}

type executor struct {
	sys     *System
	action  *Action
	rel     *Relation
	names   map[string]bool // of symbols and inputs
	choices map[string]bool // names of parameters and choices

	expanding map[*Derived]bool
}

// block runs statements. Path is the condition on which they run; env gives the values of variables bound by let, and the
// new names of choices. The state is changed in place.
func (e *executor) block(code []Stmt, now state, env map[*logic.Var]*logic.Term, path *logic.Term) error {
	env = maps.Clone(env)
	read := func(t *logic.Term) (*logic.Term, error) { return e.read(logic.Subst(t, env), now) }
	for _, stmt := range code {
		switch s := stmt.(type) {
		case Require:
			cond, err := read(s.Cond)
			if err != nil {
				return err
			}
			e.guard(path, cond, s.Span)
		case Assign:
			next := state{}
			for _, u := range s.Updates {
				if err := e.writable(u.Symbol); err != nil {
					return err
				}
				value, err := read(u.Value)
				if err != nil {
					return err
				}
				old := now.value(u.Symbol)
				if f, ok := next[u.Symbol]; ok {
					old = f // a later update of the same point wins
				}
				p, err := e.points(u.Symbol, u.Vars, u.Args, read)
				if err != nil {
					return err
				}
				next[u.Symbol] = function{p.vars, ite(p.cond, logic.Subst(value, p.rename), old.at(logic.Refs(p.vars))), u.Span}
			}
			maps.Copy(now, next)
		case Havoc:
			if err := e.writable(s.Symbol); err != nil {
				return err
			}
			p, err := e.points(s.Symbol, s.Vars, s.Args, read)
			if err != nil {
				return err
			}
			in := e.input(s)
			chosen := logic.App(in, logic.Pre, logic.Refs(p.vars)...)
			if r := s.Symbol.Result; r.Kind == logic.KindRange {
				e.guard(path, logic.Forall(p.vars, logic.Implies(p.cond, logic.InSort(r, chosen))), s.Span)
			}
			now[s.Symbol] = function{p.vars, ite(p.cond, chosen, now.value(s.Symbol).at(logic.Refs(p.vars))), s.Span}
		case Choose:
			v := e.choice(s, path)
			env[s.Var] = logic.Ref(v)
			such, err := read(s.Such)
			if err != nil {
				return err
			}
			e.guard(path, logic.And(inSortUnless(s.Var.Sort, v), such), s.Span)
		case Let:
			value, err := read(s.Value)
			if err != nil {
				return err
			}
			env[s.Var] = value
		case If:
			cond, err := read(s.Cond)
			if err != nil {
				return err
			}
			yes, no := maps.Clone(now), maps.Clone(now)
			if err := e.block(s.Then, yes, env, logic.And(path, cond)); err != nil {
				return err
			}
			if err := e.block(s.Else, no, env, logic.And(path, logic.Not(cond))); err != nil {
				return err
			}
			for _, sym := range Assigned([]Stmt{s}) {
				a, b := yes.value(sym), no.value(sym)
				span := a.span
				if span.IsZero() {
					span = b.span
				}
				now[sym] = function{a.vars, ite(cond, a.term, b.at(logic.Refs(a.vars))), span}
			}
		default:
			return fmt.Errorf("relation of code: statement %T is not supported", stmt)
		}
	}
	return nil
}

func (e *executor) writable(sym *logic.Symbol) error {
	if !slices.Contains(e.action.Modifies, sym) {
		return fmt.Errorf("relation of code: %s is written but not among the modified symbols", sym)
	}
	return nil
}

// guard adds the conjuncts of a requirement, each at its own place if that is within the statement.
func (e *executor) guard(path, cond *logic.Term, span diag.Span) {
	for _, g := range logic.Conjuncts(logic.Implies(path, cond)) {
		if !within(g.Span, span) {
			g = g.At(span)
		}
		e.rel.Guard = append(e.rel.Guard, g)
	}
}

func within(inner, outer diag.Span) bool {
	return inner.Source != nil && inner.Source == outer.Source && inner.Start >= outer.Start && inner.End <= outer.End
}

// read turns a term of the code, over the values now, into one over the old state.
func (e *executor) read(t *logic.Term, now state) (*logic.Term, error) {
	var failed error
	out := logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Op != logic.OpApp || t.Step != logic.Post || failed != nil {
			return t
		}
		if t.Symbol.Derived {
			d, err := e.derived(t, now)
			if err != nil {
				failed = err
				return t
			}
			return d.At(t.Span)
		}
		if f, ok := now[t.Symbol]; ok {
			return f.at(t.Args).At(t.Span)
		}
		c := *t
		c.Step = logic.Pre
		return &c
	})
	return out, failed
}

// derived gives the value now of a derived symbol: its old value when nothing that it depends on was written, else by
// its definition.
func (e *executor) derived(t *logic.Term, now state) (*logic.Term, error) {
	if !e.dependsOn(t.Symbol, now, map[*logic.Symbol]bool{}) {
		c := *t
		c.Step = logic.Pre
		return &c, nil
	}
	d := e.sys.DerivedOf(t.Symbol)
	if d == nil || d.Body == nil {
		return nil, fmt.Errorf("relation of code: the value of %s after a change is not known, because its axiom does "+
			"not say for all arguments what %s is equivalent to", t.Symbol, t.Symbol)
	}
	if e.expanding[d] {
		return nil, fmt.Errorf("relation of code: the definition of %s is circular", t.Symbol)
	}
	e.expanding[d] = true
	defer delete(e.expanding, d)
	body, err := e.read(logic.Shift(d.Body, 1), now)
	if err != nil {
		return nil, err
	}
	return function{vars: d.Vars, term: body}.at(t.Args), nil
}

func (e *executor) dependsOn(sym *logic.Symbol, now state, seen map[*logic.Symbol]bool) bool {
	if _, written := now[sym]; written {
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
	found := false
	logic.Walk(definition, func(t *logic.Term) bool {
		found = found || t.Op == logic.OpApp && e.dependsOn(t.Symbol, now, seen)
		return !found
	})
	return found
}

// points describes the arguments that a statement writes: those for which cond holds of vars. Rename gives the values of
// the statement's own variables there.
type points struct {
	vars   []*logic.Var
	cond   *logic.Term
	rename map[*logic.Var]*logic.Term
}

func (e *executor) points(sym *logic.Symbol, vars []*logic.Var, args []*logic.Term,
	read func(*logic.Term) (*logic.Term, error)) (points, error) {
	p := points{vars: arguments(sym), rename: map[*logic.Var]*logic.Term{}}
	var conds []*logic.Term
	for i, arg := range args {
		v := p.vars[i]
		if arg.Op == logic.OpVar && slices.Contains(vars, arg.Var) {
			if first, ok := p.rename[arg.Var]; ok {
				conds = append(conds, logic.Eq(logic.Ref(v), first))
				continue
			}
			v.Name = arg.Var.Name
			p.rename[arg.Var] = logic.Ref(v)
			if !logic.SameSort(arg.Var.Sort, sym.Args[i]) {
				conds = append(conds, logic.InSort(arg.Var.Sort, logic.Ref(v)))
			}
			continue
		}
		t, err := read(arg)
		if err != nil {
			return p, err
		}
		conds = append(conds, logic.Eq(logic.Ref(v), t))
	}
	for _, v := range vars {
		if p.rename[v] == nil {
			return p, fmt.Errorf("relation of code: %s is written for all %s, which is not among its arguments", sym, v)
		}
	}
	p.cond = logic.And(conds...)
	return p, nil
}

// input makes a fresh function with the signature of a havocked symbol.
func (e *executor) input(h Havoc) *logic.Symbol {
	in := *h.Symbol
	in.Mutable, in.Derived, in.Ghost, in.Span = false, false, false, h.Span
	base := e.action.Name + "_any_" + h.Symbol.Name
	in.Name = base
	for i := 1; e.names[in.Name]; i++ {
		in.Name = base + strconv.Itoa(i)
	}
	e.names[in.Name] = true
	e.rel.Inputs = append(e.rel.Inputs, &in)
	return &in
}

// choice makes a choice of the relation for one in the code. A range may be empty, and a choice on a path that is not
// taken must not block the action; so there the choice is from a range that is never empty.
func (e *executor) choice(s Choose, path *logic.Term) *logic.Var {
	v := *s.Var
	if r := v.Sort; r.Kind == logic.KindRange && !path.IsTrue() {
		hi := logic.Ite(logic.Le(r.Lo, r.Hi), r.Hi, r.Lo)
		v.Sort = &logic.Sort{Kind: logic.KindRange, Lo: r.Lo, Hi: hi, Span: r.Span}
		v.Sort.Name = logic.SortText(v.Sort)
	}
	for i := 1; e.choices[v.Name]; i++ {
		v.Name = s.Var.Name + strconv.Itoa(i)
	}
	e.choices[v.Name] = true
	e.rel.Choices = append(e.rel.Choices, &v)
	return &v
}

// inSortUnless says that a choice lies in the sort that it was declared with, unless its own sort says so.
func inSortUnless(declared *logic.Sort, v *logic.Var) *logic.Term {
	if v.Sort == declared {
		return logic.True
	}
	return logic.InSort(declared, logic.Ref(v))
}
