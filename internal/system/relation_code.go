package system

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
)

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

// block runs statements and gives the state after them. Path is the path condition; env gives the
// values of variables bound by let, and the new names of choices.
func (e *executor) block(
	code []Stmt, now *state, env map[*logic.Var]*logic.Term, path *logic.Term,
) (*state, error) {
	env = maps.Clone(env)
	for _, stmt := range code {
		if err := e.ctx.Err(); err != nil {
			return nil, err
		}
		if _, ok := stmt.(Choose); !ok {
			if err := e.need(stmt, now, env, path); err != nil {
				return nil, err
			}
		}
		var err error
		switch s := stmt.(type) {
		case Require:
			var cond *logic.Term
			if cond, err = e.read(s.Cond, now, env); err == nil {
				e.guard(path, cond, s.Span)
			}
		case Assign:
			now, err = e.assign(s, now, env)
		case Havoc:
			now, err = e.havoc(s, now, env, path)
		case Choose:
			err = e.choose(s, now, env, path)
		case Let:
			env[s.Var], err = e.read(s.Value, now, env)
		case If:
			now, err = e.branch(s, now, env, path)
		default:
			err = fmt.Errorf("relation of code: statement %T is not supported", stmt)
		}
		if err != nil {
			return nil, err
		}
	}
	return now, nil
}

// assign gives the state after an assignment. All its updates read the state before it.
func (e *executor) assign(
	s Assign, now *state, env map[*logic.Var]*logic.Term,
) (*state, error) {
	next := map[*logic.Symbol]*function{}
	for _, u := range s.Updates {
		p, err := e.points(u.Symbol, u.Vars, u.Args, now, env)
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
			no: value{function: old}, names: p.names, span: u.Span}
	}
	return now.with(next), nil
}

// havoc gives the state after a symbol got the values of a new input.
func (e *executor) havoc(
	s Havoc, now *state, env map[*logic.Var]*logic.Term, path *logic.Term,
) (*state, error) {
	p, err := e.points(s.Symbol, s.Vars, s.Args, now, env)
	if err != nil {
		return nil, err
	}
	in := e.input(s)
	own := e.argumentsOf(s.Symbol)
	f := &function{symbol: s.Symbol, cond: p.cond,
		yes: value{term: logic.App(in, logic.Pre, logic.Refs(own)...)},
		no:  value{function: e.value(now, s.Symbol)}, names: p.names, span: s.Span}
	if r := s.Symbol.Result; r.Kind == logic.KindRange {
		vars, args := e.display(f)
		m := map[*logic.Var]*logic.Term{}
		for i, v := range own {
			m[v] = args[i]
		}
		within := logic.InSort(r, logic.App(in, logic.Pre, args...))
		cond := logic.Implies(e.replacer.Replace(p.cond, m), within)
		e.guard(path, logic.Forall(vars, cond), s.Span)
	}
	return now.with(map[*logic.Symbol]*function{s.Symbol: f}), nil
}

// choose gives the variable of a choice its new name in env.
func (e *executor) choose(
	s Choose, now *state, env map[*logic.Var]*logic.Term, path *logic.Term,
) error {
	v := e.choice(s, path)
	env[s.Var] = logic.Ref(v)
	in := inSortUnless(s.Var.Sort, v)
	if err := e.need(s, now, env, conjoin(path, in)); err != nil {
		return err
	}
	such, err := e.read(s.Such, now, env)
	if err != nil {
		return err
	}
	e.guard(path, logic.And(in, such), s.Span)
	return nil
}

// branch gives the state after a branching: a symbol that a branch writes has its value.
func (e *executor) branch(
	s If, now *state, env map[*logic.Var]*logic.Term, path *logic.Term,
) (*state, error) {
	cond, err := e.read(s.Cond, now, env)
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
	return now.with(joined), nil
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

// points reads the arguments that a statement writes in a state.
func (e *executor) points(
	sym *logic.Symbol, vars []*logic.Var, args []*logic.Term, now *state,
	env map[*logic.Var]*logic.Term,
) (points, error) {
	p := points{rename: map[*logic.Var]*logic.Term{}}
	if !slices.Contains(e.action.Modifies, sym) {
		return p, fmt.Errorf("relation of code: %s is written but not among the modified symbols",
			sym)
	}
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
		t, err := e.read(arg, now, env)
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
