package oracletest

import (
	"maps"
	"slices"
	"strconv"

	"erelong.dev/erelong/internal/front/ere/syntax"
)

// Step is a successor with the values of the parameters that lead to it.
type Step struct {
	Action string
	Params []string // texts
	To     State
}

// Steps lists the successors of a state, each once for its action and parameters. Ok is false if
// some step is an error.
func (m *Machine) Steps(s State) (out []Step, ok bool) {
	_, ok = attempt(func() any {
		for _, a := range m.actions {
			r := &run{m: m, start: s}
			e := &evaluator{m, s, s}
			e.bind(a.Params, nil, func(params *scope) {
				var texts []string
				for _, b := range a.Params {
					texts = append(texts, Text(params.find(b.Name.Text).value()))
				}
				seen := map[string]bool{}
				r.block(a.Body, params, s, func(_ *scope, to State) {
					if k := to.Key(); !seen[k] {
						seen[k] = true
						m.overflow = m.overflow || !m.inside(to)
						out = append(out, Step{a.Name.Text, texts, to})
					}
				})
			})
		}
		return nil
	})
	return out, ok
}

// inside reports whether all values keep to the ranges and bounds of their types.
func (m *Machine) inside(s State) bool {
	for _, name := range m.names {
		d := m.symbols[name]
		for _, args := range m.points(d) {
			if !m.fits(s[point(name, args)], resultOf(d)) {
				return false
			}
		}
	}
	return true
}

// run executes an action from a state.
type run struct {
	m     *Machine
	start State
}

// block executes statements in all ways, and calls a function with each outcome.
func (r *run) block(stmts []syntax.Stmt, s *scope, now State, then func(*scope, State)) {
	if len(stmts) == 0 {
		then(s, now)
		return
	}
	outer := s
	rest := func(s *scope, now State) { r.block(stmts[1:], s, now, then) }
	// What a block binds is not in scope behind it.
	inside := func(_ *scope, now State) { rest(outer, now) }
	e := &evaluator{r.m, now, r.start}
	switch x := stmts[0].(type) {
	case *syntax.RequireStmt:
		if e.closed(x.Cond, s) {
			rest(s, now)
		}
	case *syntax.IfStmt:
		if e.closed(x.Cond, s) {
			r.block(x.Then, s, now, inside)
		} else {
			r.block(x.Else, s, now, inside)
		}
	case *syntax.LetStmt:
		rest(s.lazily(x.Binder.Name.Text, func() Value { return e.eval(x.Value, s) }), now)
	case *syntax.ChooseStmt:
		var chosen []*scope
		for _, v := range e.values(x.Binder, s) {
			inner := s.with(x.Binder.Name.Text, v)
			if x.Such == nil || e.closed(x.Such, inner) {
				chosen = append(chosen, inner)
			}
		}
		for _, inner := range chosen {
			if x.Block {
				r.block(x.Body, inner, now, inside)
			} else {
				rest(inner, now)
			}
		}
	case *syntax.MatchStmt:
		e.match(e.eval(x.Value, s), x.Arms, s, func(a *syntax.Arm, s *scope) Value {
			r.block(a.Body, s, now, inside)
			return nil
		})
	case *syntax.AssignStmt:
		if x.Value != nil {
			rest(s, r.assign(x, s, e))
			return
		}
		for _, v := range r.m.domain(r.m.partSort(x.Target)) {
			anyway := *x
			rest(s, r.assignValue(&anyway, s, e, func(*scope) Value { return v }))
		}
	default:
		panic("oracletest: a statement")
	}
}

// assign is the state after an assignment.
func (r *run) assign(x *syntax.AssignStmt, s *scope, e *evaluator) State {
	return r.assignValue(x, s, e, func(s *scope) Value { return e.eval(x.Value, s) })
}

// partSort is the type of what a target leads to.
func (m *Machine) partSort(x *syntax.Expr) *syntax.SortExpr {
	if x.Kind == syntax.ExprName {
		return resultOf(m.symbols[x.Name.Text])
	}
	of := m.partSort(x.Args[0])
	for of.Data == nil {
		of = m.types[of.Name]
	}
	switch d := of.Data; {
	case x.Kind == syntax.ExprAt:
		return d.Parts[len(d.Parts)-1]
	case d.Form == syntax.TupleType:
		i, _ := strconv.Atoi(x.Name.Text)
		return d.Parts[i-1]
	default:
		return d.Parts[slices.IndexFunc(d.Fields, func(n syntax.Name) bool {
			return n.Text == x.Name.Text
		})]
	}
}

func (r *run) assignValue(
	x *syntax.AssignStmt, s *scope, e *evaluator, value func(*scope) Value,
) State {
	root := x.Target
	for root.Kind != syntax.ExprName {
		root = root.Args[0]
	}
	d := r.m.symbols[root.Name.Text]
	var every []*syntax.Binder
	for i, a := range root.Args {
		if a.Kind == syntax.ExprName && syntax.IsCapital(a.Name.Text) &&
			s.find(a.Name.Text) == nil {
			every = append(every, &syntax.Binder{Name: a.Name, Sort: d.Args[i]})
		}
	}
	to := maps.Clone(e.now)
	e.bind(every, s, func(s *scope) {
		p := e.pointOf(d, e.all(root.Args, s))
		v := e.replaced(x.Target, e.now[p], s, func() Value { return value(s) })
		if !r.m.fits(v, resultOf(d)) {
			r.m.passing = true
		}
		to[p] = v
	})
	return to
}

// replaced is the value of the symbol of a target in which the part that the target leads to is
// another one.
func (e *evaluator) replaced(target *syntax.Expr, v Value, s *scope, part func() Value) Value {
	var path []*syntax.Expr
	for x := target; x.Kind != syntax.ExprName; x = x.Args[0] {
		path = append(path, x)
	}
	var put func(v Value, n int) Value
	put = func(v Value, n int) Value {
		if n == 0 {
			return part()
		}
		x := path[n-1]
		if x.Kind == syntax.ExprField {
			return v.(Record).with(x.Name.Text, put(v.(Record).field(x.Name.Text), n-1))
		}
		i := e.eval(x.Args[1], s)
		if q, ok := v.(Seq); ok {
			q = added(nil, q...)
			*position(q, i) = put(*position(q, i), n-1)
			return q
		}
		old, has := v.(Map)[Text(i)]
		if !has && n > 1 {
			panic(noValue{"no key " + Text(i)})
		}
		return v.(Map).with(i, put(old.Value, n-1))
	}
	return put(v, len(path))
}
