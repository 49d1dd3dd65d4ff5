package system

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// Sets and maps of integers have no bound. Where each state has finitely many elements and keys, an
// exploration keeps the ones within a window: outside of it a relation is false, and a function
// that gives the values of keys has its usual value. A step that leaves the window has no
// successor, so what is explored is everything only where no step does.

// Sparse lists the symbols with integers as arguments that count at finitely many points. It is
// empty where some symbol may count everywhere.
func Sparse(s *System) (out []*logic.Symbol) {
	for _, sym := range s.Symbols {
		if sym.Derived || !slices.Contains(sym.Args, logic.Int) {
			continue
		}
		if !sym.Mutable || sym.Result != logic.Bool && !sym.Keyed {
			return nil
		}
		out = append(out, sym)
	}
	return out
}

// Narrowed is a system whose sparse symbols have the points of a window.
type Narrowed struct {
	System *System
	// Below and Above claim that no step needs integers below or above the window.
	Below, Above *Property
	// Start is the system with empty sets and maps, and without initial conditions about them. If
	// Within is true in its initial states, no initial state needs integers outside.
	Start  *System
	Within *logic.Term
	narrow *narrower
}

// Term is a term of the system as one of the narrowed one.
func (n *Narrowed) Term(t *logic.Term) *logic.Term { return n.narrow.term(t) }

// NarrowError says why a system has no narrowed one.
type NarrowError struct {
	Symbol *logic.Symbol
	Why    string
}

func (e *NarrowError) Error() string {
	return fmt.Sprintf("%s: %s", e.Symbol.Declaration(), e.Why)
}

// narrower makes the terms of a narrowed system.
type narrower struct {
	sort    *logic.Sort // the window
	symbols map[*logic.Symbol]*logic.Symbol
	usual   map[*logic.Symbol]*logic.Term // what a symbol is outside
	fits    [2]*logic.Symbol              // around conditions on the lower and the upper end
	err     error
}

// Narrow is a system with the integers of a window in its sparse symbols.
func Narrow(ctx context.Context, sys *System, w Window) (*Narrowed, error) {
	apart := *sys
	apart.Inits = nil
	for _, f := range sys.Inits {
		for _, t := range spread(f.Term, nil) {
			c := *f
			c.Term = t
			apart.Inits = append(apart.Inits, &c)
		}
	}
	sys = &apart
	n := &narrower{symbols: map[*logic.Symbol]*logic.Symbol{},
		usual: map[*logic.Symbol]*logic.Term{},
		sort: &logic.Sort{Kind: logic.KindRange, Name: fmt.Sprintf("%d..%d", w.Lo, w.Hi),
			Lo: logic.IntLit(w.Lo), Hi: logic.IntLit(w.Hi)}}
	for i := range n.fits {
		n.fits[i] = &logic.Symbol{Name: "within", Kind: logic.Relation,
			Args: []*logic.Sort{logic.Bool}, Result: logic.Bool}
	}
	for _, sym := range Sparse(sys) {
		c := *sym
		c.Args = slices.Clone(sym.Args)
		for i, a := range c.Args {
			if a == logic.Int {
				c.Args[i] = n.sort
			}
		}
		n.symbols[sym], n.usual[sym] = &c, usualOf(sys, sym.Result)
	}
	out := &Narrowed{narrow: n}
	start, within, err := n.start(sys)
	if err != nil {
		return nil, err
	}
	out.Start, out.Within = start, within
	if out.System, err = n.system(ctx, sys, &out.Below, &out.Above); err != nil {
		return nil, err
	}
	return out, n.err
}

// spread lists formulas that say the same together, each for all values of the variables that it
// needs: what is said beside a sparse symbol would else be said for each of all integers. A range
// may be empty, so a variable of one stays.
func spread(t *logic.Term, vars []*logic.Var) (out []*logic.Term) {
	switch t.Op {
	case logic.OpAnd:
		for _, a := range t.Args {
			out = append(out, spread(a, vars)...)
		}
		return out
	case logic.OpForall:
		return spread(t.Args[0], append(slices.Clone(vars), t.Vars...))
	}
	free := logic.FreeVars(t)
	needed := slices.DeleteFunc(slices.Clone(vars), func(v *logic.Var) bool {
		return v.Sort.Kind != logic.KindRange && !slices.Contains(free, v)
	})
	return []*logic.Term{logic.Forall(needed, t).At(t.Span)}
}

// usualOf is the value that stands where structured data has no part.
func usualOf(s *System, sort *logic.Sort) *logic.Term {
	switch sort.Kind {
	case logic.KindBool:
		return logic.False
	case logic.KindInt:
		return logic.IntLit(0)
	case logic.KindRange:
		return sort.Lo
	case logic.KindUninterpreted:
		for _, sym := range s.Symbols {
			if sym.Usual != nil && sym.Result == sort && !sym.Grows {
				return logic.App(sym, logic.Pre)
			}
		}
	}
	return logic.Member(sort, 0)
}

// system rewrites a copy of a system, and states when its steps stay within the window.
func (n *narrower) system(
	ctx context.Context, sys *System, below, above **Property,
) (*System, error) {
	out := n.declared(sys)
	actions := map[*Action]*Action{}
	for _, a := range sys.Actions {
		c, err := n.action(a)
		if err != nil {
			return nil, err
		}
		actions[a] = c
		out.Actions = append(out.Actions, c)
	}
	for _, s := range sys.Scenarios {
		out.Scenarios = append(out.Scenarios, n.scenario(s, actions))
	}
	first := len(out.Rooms)
	for _, fits := range n.fits {
		out.Rooms = append(out.Rooms, &Room{Fits: fits})
	}
	if err := claimRoom(ctx, out, out.Rooms[first:]); err != nil {
		return nil, err
	}
	for i, p := range []**Property{below, above} {
		*p = &Property{Name: []string{RoomBelow, RoomAbove}[i], Kind: Range,
			Term: n.unmarked(out.Rooms[first+i].Suffices)}
	}
	out.Rooms = out.Rooms[:first]
	for _, a := range out.Actions {
		rewriteCode(a.Code, n.unmarked)
		if a.Imperative {
			if err := RelationOf(ctx, out, a); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// declared is a system with all that is no step.
func (n *narrower) declared(sys *System) *System {
	out := *sys
	out.Actions, out.Scenarios, out.Rankings, out.Fbiis = nil, nil, nil, nil
	out.Symbols = slices.Clone(sys.Symbols)
	for i, sym := range out.Symbols {
		out.Symbols[i] = n.symbol(sym)
	}
	formulas := func(list []*Formula) (out []*Formula) {
		for _, f := range list {
			c := *f
			c.Term = n.term(f.Term)
			out = append(out, &c)
		}
		return out
	}
	out.Axioms, out.Inits = formulas(sys.Axioms), formulas(sys.Inits)
	out.Derived = nil
	for _, d := range sys.Derived {
		c := *d
		c.Axiom = n.term(d.Axiom)
		if d.Body != nil {
			c.Body = n.term(d.Body)
		}
		if d.Fold != nil {
			f := *d.Fold
			f.Cond, f.Value = n.term(f.Cond), n.term(f.Value)
			c.Fold = &f
		}
		out.Derived = append(out.Derived, &c)
	}
	out.Properties = nil
	for _, p := range sys.Properties {
		c := *p
		c.Term = n.term(p.Term)
		out.Properties = append(out.Properties, &c)
	}
	out.Rooms = nil
	for _, r := range sys.Rooms {
		out.Rooms = append(out.Rooms, &Room{Places: r.Places, Suffices: n.term(r.Suffices)})
	}
	return &out
}

func (n *narrower) symbol(sym *logic.Symbol) *logic.Symbol {
	if c := n.symbols[sym]; c != nil {
		return c
	}
	return sym
}

func (n *narrower) scenario(s *Scenario, actions map[*Action]*Action) *Scenario {
	out := *s
	out.Components = nil
	for _, c := range s.Components {
		if c.Assert != nil {
			c.Assert = n.term(c.Assert)
		}
		calls := c.Calls
		c.Calls = nil
		for _, call := range calls {
			call.Action = actions[call.Action]
			call.Args = slices.Clone(call.Args)
			rewriteAll(call.Args, n.term)
			c.Calls = append(c.Calls, call)
		}
		out.Components = append(out.Components, c)
	}
	return &out
}

// action is an action whose parameters take the values of the window where others are not possible.
func (n *narrower) action(a *Action) (*Action, error) {
	out := *a
	out.Modifies = slices.Clone(a.Modifies)
	for i, sym := range out.Modifies {
		if out.Modifies[i] = n.symbol(sym); out.Modifies[i] != sym && !a.Imperative {
			return nil, &NarrowError{sym, "a transition changes it, and only of an action is " +
				"seen which steps need more of them"}
		}
	}
	m := map[*logic.Var]*logic.Term{}
	out.Params = slices.Clone(a.Params)
	for i, v := range a.Params {
		out.Params[i] = n.restricted(v, logic.And(a.Requirements()...), logic.False, m)
	}
	if a.FairIf != nil {
		out.FairIf = n.term(logic.Subst(a.FairIf, m))
	}
	out.Code = n.block(a.Code, m)
	if !a.Imperative && a.Relation != nil {
		r := *a.Relation
		r.Guard, r.Updates = slices.Clone(r.Guard), slices.Clone(r.Updates)
		rewriteAll(r.Guard, n.term)
		for i, u := range r.Updates {
			r.Updates[i].Args = slices.Clone(u.Args)
		}
		rewriteUpdates(r.Updates, n.term)
		out.Relation = &r
	}
	return &out, n.err
}

// restricted is a variable that takes the values of the window, if a formula is neutral for the
// others. It is entered into a substitution.
func (n *narrower) restricted(
	v *logic.Var, body, neutral *logic.Term, m map[*logic.Var]*logic.Term,
) *logic.Var {
	if v.Sort != logic.Int || n.outside(v, body).Op != neutral.Op {
		return v
	}
	return n.windowed(v, m)
}

func (n *narrower) windowed(v *logic.Var, m map[*logic.Var]*logic.Term) *logic.Var {
	c := *v
	c.Sort = n.sort
	m[v] = logic.Ref(&c)
	return &c
}

// outside is a formula for a value of a variable outside of the window.
func (n *narrower) outside(v *logic.Var, body *logic.Term) *logic.Term {
	return logic.Map(body, func(t *logic.Term) *logic.Term {
		usual := n.usual[t.Symbol]
		if t.Op == logic.OpApp && usual != nil && slices.ContainsFunc(t.Args,
			func(a *logic.Term) bool { return a.Op == logic.OpVar && a.Var == v }) {
			return usual
		}
		return ofRuns(logic.Simplified(t))
	})
}

// ofRuns simplifies a temporal formula about what is true or false in all states.
func ofRuns(t *logic.Term) *logic.Term {
	switch {
	case t.Op == logic.OpAlways && t.Args[0].IsTrue(),
		t.Op == logic.OpLeadsTo && (t.Args[0].IsFalse() || t.Args[1].IsTrue()):
		return logic.True
	case t.Op == logic.OpEventually && t.Args[0].IsFalse():
		return logic.False
	}
	return t
}

// term is a term about the symbols of the window.
func (n *narrower) term(t *logic.Term) *logic.Term {
	if t == nil {
		return nil
	}
	t = logic.Map(t, func(t *logic.Term) *logic.Term {
		if !t.IsQuantifier() {
			return t
		}
		m := map[*logic.Var]*logic.Term{}
		vars := slices.Clone(t.Vars)
		neutral := logic.BoolLit(t.Op == logic.OpForall)
		for i, v := range vars {
			vars[i] = n.restricted(v, t.Args[0], neutral, m)
		}
		if len(m) == 0 {
			return t
		}
		c := *t
		c.Vars, c.Args = vars, []*logic.Term{logic.Subst(t.Args[0], m)}
		return &c
	})
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Op != logic.OpApp || n.symbols[t.Symbol] == nil {
			return t
		}
		return n.read(t)
	})
}

// read is the value of a symbol at a point that may lie outside of the window.
func (n *narrower) read(t *logic.Term) *logic.Term {
	c := *t
	c.Symbol = n.symbols[t.Symbol]
	c.Args = slices.Clone(t.Args)
	in := logic.True
	wrap := func(t *logic.Term) *logic.Term { return t }
	for i, sort := range t.Symbol.Args {
		if sort != logic.Int {
			continue
		}
		if a := c.Args[i]; a.Op != logic.OpVar && a.Op != logic.OpInt && len(a.Args) > 0 {
			v, outer := &logic.Var{Name: "at", Sort: logic.Int, Span: a.Span}, wrap
			wrap = func(t *logic.Term) *logic.Term { return outer(logic.Let(v, a, t)) }
			c.Args[i] = logic.Ref(v)
		}
		in = logic.And(in, n.end(0, c.Args[i]), n.end(1, c.Args[i]))
	}
	if c.Sort == logic.Bool {
		return wrap(logic.And(in, &c).At(t.Span))
	}
	return wrap(logic.Ite(in, &c, n.usual[t.Symbol]).At(t.Span))
}

// end says that an integer lies on the right side of an end of the window.
func (n *narrower) end(i int, x *logic.Term) *logic.Term {
	switch {
	case x.Op == logic.OpVar && x.Var.Sort == n.sort:
		return logic.True
	case x.Op == logic.OpInt && i == 0:
		return logic.BoolLit(n.sort.Lo.Int.Cmp(x.Int) <= 0)
	case x.Op == logic.OpInt:
		return logic.BoolLit(x.Int.Cmp(n.sort.Hi.Int) <= 0)
	case i == 0:
		return logic.Le(n.sort.Lo, x).At(x.Span)
	}
	return logic.Le(x, n.sort.Hi).At(x.Span)
}

// unmarked takes the symbols away that are around conditions on the ends.
func (n *narrower) unmarked(t *logic.Term) *logic.Term {
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Op == logic.OpApp && slices.Contains(n.fits[:], t.Symbol) {
			return t.Args[0]
		}
		return t
	})
}
