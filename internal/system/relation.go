package system

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"

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

type executor struct {
	ctx     context.Context
	sys     *System
	action  *Action
	rel     *Relation
	choices map[string]bool // names of parameters and choices

	vars      map[*logic.Symbol][]*logic.Var // for the arguments of a symbol, in all its values
	identity  *logic.Identity
	replacer  *logic.Replacer
	sizes     logic.Sizes
	binders   map[*logic.Term]bool // whether a term has binders
	expanding map[expansion]bool

	needs  *logic.Symbol // whose arguments are watched, nil for none
	events []event       // in the order of the code
}

func newExecutor(ctx context.Context, sys *System, a *Action) *executor {
	e := &executor{ctx: ctx, sys: sys, action: a, rel: &Relation{},
		choices:   map[string]bool{},
		expanding: map[expansion]bool{}, vars: map[*logic.Symbol][]*logic.Var{},
		identity: logic.NewIdentity(), replacer: logic.NewReplacer(), sizes: logic.Sizes{},
		binders: map[*logic.Term]bool{}}
	for _, v := range a.Params {
		e.choices[v.Name] = true
	}
	return e
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

// block runs statements and gives the state after them. Path is the path condition; env gives the
// values of variables bound by let, and the new names of choices.
func (e *executor) block(
	code []Stmt, now *state, env map[*logic.Var]*logic.Term, path *logic.Term,
) (*state, error) {
	env = maps.Clone(env)
	// A statement reads the state before it.
	read := func(t *logic.Term) (*logic.Term, error) { return e.read(t, now, env) }
	for _, stmt := range code {
		if err := e.ctx.Err(); err != nil {
			return nil, err
		}
		if _, ok := stmt.(Choose); !ok {
			if err := e.need(stmt, now, env, path); err != nil {
				return nil, err
			}
		}
		switch s := stmt.(type) {
		case Require:
			cond, err := read(s.Cond)
			if err != nil {
				return nil, err
			}
			e.guard(path, cond, s.Span)
		case Assign:
			next := map[*logic.Symbol]*function{}
			for _, u := range s.Updates {
				if err := e.writable(u.Symbol); err != nil {
					return nil, err
				}
				p, err := e.points(u.Symbol, u.Vars, u.Args, read)
				if err != nil {
					return nil, err
				}
				v, err := e.written(u, now, p.with(env))
				if err != nil {
					return nil, err
				}
				old := e.value(now, u.Symbol)
				if f, ok := next[u.Symbol]; ok {
					old = f // a later update of the same point wins
				}
				next[u.Symbol] = &function{symbol: u.Symbol, cond: p.cond, yes: v,
					no:    value{function: old},
					names: p.names, span: u.Span}
			}
			now = now.with(next)
		case Havoc:
			if err := e.writable(s.Symbol); err != nil {
				return nil, err
			}
			p, err := e.points(s.Symbol, s.Vars, s.Args, read)
			if err != nil {
				return nil, err
			}
			in := e.input(s)
			f := &function{symbol: s.Symbol, cond: p.cond,
				no: value{function: e.value(now, s.Symbol)}, names: p.names, span: s.Span}
			f.yes.term = logic.App(in, logic.Pre, logic.Refs(e.argumentsOf(s.Symbol))...)
			if r := s.Symbol.Result; r.Kind == logic.KindRange {
				vars, args := e.display(f)
				m := map[*logic.Var]*logic.Term{}
				for i, v := range e.argumentsOf(s.Symbol) {
					m[v] = args[i]
				}
				chosen := logic.App(in, logic.Pre, args...)
				e.guard(path,
					logic.Forall(vars,
						logic.Implies(e.replacer.Replace(p.cond, m), logic.InSort(r, chosen))),
					s.Span)
			}
			now = now.with(map[*logic.Symbol]*function{s.Symbol: f})
		case Choose:
			v := e.choice(s, path)
			env[s.Var] = logic.Ref(v)
			in := inSortUnless(s.Var.Sort, v)
			if err := e.need(s, now, env, conjoin(path, in)); err != nil {
				return nil, err
			}
			such, err := read(s.Such)
			if err != nil {
				return nil, err
			}
			e.guard(path, logic.And(in, such), s.Span)
		case Let:
			v, err := read(s.Value)
			if err != nil {
				return nil, err
			}
			env[s.Var] = v
		case If:
			cond, err := read(s.Cond)
			if err != nil {
				return nil, err
			}
			yes, err := e.block(s.Then, now, env, conjoin(path, cond))
			if err != nil {
				return nil, err
			}
			no, err := e.block(s.Else, now, env, conjoin(path, logic.Not(cond)))
			if err != nil {
				return nil, err
			}
			joined := map[*logic.Symbol]*function{}
			for _, sym := range e.changed(now, yes, no) {
				a, b := e.value(yes, sym), e.value(no, sym)
				f := &function{symbol: sym, cond: cond, yes: value{function: a},
					no: value{function: b}, names: a.names, span: a.span}
				if f.names == nil {
					f.names = b.names
				}
				if f.span.IsZero() {
					f.span = b.span
				}
				joined[sym] = f
			}
			now = now.with(joined)
		default:
			return nil, fmt.Errorf("relation of code: statement %T is not supported", stmt)
		}
	}
	return now, nil
}

// written is the value that an update gives. A value that depends on the arguments is read anew for
// each list of arguments, so that it shares sub-terms with other values at the same arguments.
func (e *executor) written(u Update, now *state, env map[*logic.Var]*logic.Term) (value, error) {
	term := logic.Rename(u.Value)
	v, err := e.readAt(term, now, env, nil)
	if err != nil || len(u.Vars) == 0 {
		return value{term: v}, err
	}
	vars := e.argumentsOf(u.Symbol)
	return value{read: func(args []*logic.Term) (*logic.Term, error) {
		at := maps.Clone(env)
		same := true
		for i, arg := range u.Args {
			if arg.Op == logic.OpVar && slices.Contains(u.Vars, arg.Var) &&
				env[arg.Var].Var == vars[i] {
				at[arg.Var] = args[i]
				same = same && args[i].Op == logic.OpVar && args[i].Var == vars[i]
			}
		}
		if same {
			return v, nil
		}
		return e.readAt(term, now, at, args)
	}}, nil
}

// changed lists the symbols that a branch has written, in the order of the action's Modifies.
func (e *executor) changed(now, yes, no *state) []*logic.Symbol {
	var out []*logic.Symbol
	for _, sym := range e.action.Modifies {
		if before := now.values[sym]; yes.values[sym] != before || no.values[sym] != before {
			out = append(out, sym)
		}
	}
	return out
}

// longPath is the number of conditions from which on a path is kept as one term: the paths of
// nested branches then share it.
const longPath = 32

// conjoin adds a condition to a path.
func conjoin(path, cond *logic.Term) *logic.Term {
	if path.Op == logic.OpAnd && len(path.Args) >= longPath {
		return &logic.Term{Op: logic.OpAnd, Sort: logic.Bool, Args: []*logic.Term{path, cond}}
	}
	return logic.And(path, cond)
}

func (e *executor) writable(sym *logic.Symbol) error {
	if !slices.Contains(e.action.Modifies, sym) {
		return fmt.Errorf("relation of code: %s is written but not among the modified symbols", sym)
	}
	return nil
}

// Small guards stay as the user wrote them.
const (
	largeGuard  = 2000   // nodes from which on a requirement is not split into conjuncts
	smallGuard  = 50     // nodes up to which a guard at the start stays by itself
	largeGuards = 20_000 // nodes of all guards from which on they are joined
)

// guard adds the conjuncts of a requirement, each with its own position if that is within the
// statement.
func (e *executor) guard(path, cond *logic.Term, span diag.Span) {
	g := logic.Implies(path, cond)
	e.events = append(e.events, event{guard: g})
	parts := []*logic.Term{g}
	if e.sizes.Of(g) < largeGuard {
		parts = logic.Conjuncts(g)
	}
	for _, g := range parts {
		if !within(g.Span, span) {
			g = g.At(span)
		}
		e.rel.Guard = append(e.rel.Guard, g)
	}
}

// joinGuards joins large guards into one, so that common sub-terms get names once.
func (e *executor) joinGuards() {
	total := 0
	for _, g := range e.rel.Guard {
		total += e.sizes.Of(g)
	}
	if total < largeGuards {
		return
	}
	first := slices.IndexFunc(e.rel.Guard, func(g *logic.Term) bool {
		return e.sizes.Of(g) > smallGuard
	})
	if first < 0 {
		return
	}
	rest := &logic.Term{Op: logic.OpAnd, Sort: logic.Bool, Args: slices.Clone(e.rel.Guard[first:]),
		Span: e.action.Span}
	if joined := logic.Share(rest); joined != rest {
		e.rel.Guard = append(e.rel.Guard[:first], joined)
	}
}

func within(inner, outer diag.Span) bool {
	return inner.Source != nil && inner.Source == outer.Source && inner.Start >= outer.Start &&
		inner.End <= outer.End
}

// points describes the arguments that a statement writes: cond holds of the executor's variables
// for them. Rename gives the values of the statement's own variables there.
type points struct {
	cond   *logic.Term
	rename map[*logic.Var]*logic.Term
	names  []string
}

// with adds the statement's variables to an environment.
func (p points) with(env map[*logic.Var]*logic.Term) map[*logic.Var]*logic.Term {
	if len(p.rename) == 0 {
		return env
	}
	out := maps.Clone(env)
	maps.Copy(out, p.rename)
	return out
}

func (e *executor) points(sym *logic.Symbol, vars []*logic.Var, args []*logic.Term,
	read func(*logic.Term) (*logic.Term, error)) (points, error) {
	p := points{rename: map[*logic.Var]*logic.Term{}}
	var conds []*logic.Term
	for i, v := range e.argumentsOf(sym) {
		arg := args[i]
		p.names = append(p.names, argumentName(sym.Args[i]))
		if arg.Op == logic.OpVar && slices.Contains(vars, arg.Var) {
			if first, ok := p.rename[arg.Var]; ok {
				conds = append(conds, logic.Eq(logic.Ref(v), first))
				continue
			}
			p.names[i] = arg.Var.Name
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
			return p, fmt.Errorf("relation of code: %s is written for all %s, which is not "+
				"among its arguments", sym, v)
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
	for i := 1; e.taken(in.Name); i++ {
		in.Name = base + strconv.Itoa(i)
	}
	e.rel.Inputs = append(e.rel.Inputs, &in)
	return &in
}

// taken reports whether a symbol or an input has a name.
func (e *executor) taken(name string) bool {
	has := func(s *logic.Symbol) bool { return s.Name == name }
	return slices.ContainsFunc(e.sys.Symbols, has) || slices.ContainsFunc(e.rel.Inputs, has) ||
		slices.ContainsFunc(e.sys.Actions, func(b *Action) bool {
			return b.Relation != nil && b != e.action && slices.ContainsFunc(b.Relation.Inputs, has)
		})
}

// choice makes a choice of the relation for a choice in the code. A range may be empty, and a
// choice on a path that is not taken must not block the action. On such a path the choice is from a
// range that is never empty.
func (e *executor) choice(s Choose, path *logic.Term) *logic.Var {
	v := *s.Var
	if r := v.Sort; r.Kind == logic.KindRange && !path.IsTrue() {
		v.Sort = nonEmpty(r)
	}
	for i := 1; e.choices[v.Name]; i++ {
		v.Name = s.Var.Name + strconv.Itoa(i)
	}
	e.choices[v.Name] = true
	e.rel.Choices = append(e.rel.Choices, &v)
	e.events = append(e.events, event{choice: &v})
	return &v
}

// nonEmpty is a range with the values of another one, or with one value where that is empty.
func nonEmpty(r *logic.Sort) *logic.Sort {
	hi := logic.Ite(logic.Le(r.Lo, r.Hi), r.Hi, r.Lo)
	s := &logic.Sort{Kind: logic.KindRange, Lo: r.Lo, Hi: hi, Span: r.Span}
	s.Name = logic.SortText(s)
	return s
}

// inSortUnless constrains a choice to its declared sort, unless its own sort implies it.
func inSortUnless(declared *logic.Sort, v *logic.Var) *logic.Term {
	if v.Sort == declared {
		return logic.True
	}
	return logic.InSort(declared, logic.Ref(v))
}
