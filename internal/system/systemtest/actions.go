package systemtest

import (
	std "context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// action makes an action without a body.
func (g *generator) action(name string) *system.Action {
	a := &system.Action{Name: name, Fairness: system.Fairness(g.rng.Intn(3))}
	for i := range g.rng.Intn(3) {
		a.Params = append(a.Params, &logic.Var{Name: fmt.Sprintf("p%d", i), Sort: g.domain()})
	}
	return a
}

// imperative makes an action from random code.
func (g *generator) imperative(name string) (*system.Action, error) {
	a := g.action(name)
	a.Imperative = true
	a.Code = g.block(2,
		context{vars: a.Params, steps: []int{logic.Post, logic.Post, logic.Post, logic.Pre}})
	a.Modifies = system.Assigned(a.Code)
	return a, system.RelationOf(std.Background(), g.sys, a)
}

func (g *generator) block(depth int, c context) (out []system.Stmt) {
	for range 1 + g.rng.Intn(3) {
		switch g.rng.Intn(9) {
		case 0:
			out = append(out, system.Require{Cond: g.bool(1, c)})
		case 1:
			s := pick(g, g.mutable())
			vars, args := g.points(s, c)
			cost := 1
			for _, v := range vars {
				cost *= g.size(v.Sort)
			}
			if cost*g.cost(nil, s.Result) <= 3 {
				out = append(out, system.Havoc{Symbol: s, Vars: vars, Args: args})
			}
		case 2:
			v := &logic.Var{Name: "chosen", Sort: g.domain()}
			if g.one(5) {
				v.Sort = logic.Bool
			}
			c = c.with(v)
			out = append(out, system.Choose{Var: v, Such: g.bool(1, c)})
		case 3:
			v := &logic.Var{Name: "named", Sort: g.domain()}
			out = append(out, system.Let{Var: v, Value: g.term(v.Sort, 1, c)})
			c = c.with(v)
		case 4, 5:
			if depth > 0 {
				out = append(out,
					system.If{Cond: g.bool(1, c), Then: g.block(depth-1, c),
						Else: g.block(depth-1, c)})
			}
		default:
			assign := system.Assign{Updates: []system.Update{g.update(pick(g, g.mutable()), c)}}
			if s := pick(g, g.mutable()); g.one(3) && s != assign.Updates[0].Symbol {
				assign.Updates = append(assign.Updates, g.update(s, c))
			}
			out = append(out, assign)
		}
	}
	return out
}

// points picks arguments to write at: for each argument, all values or one value.
func (g *generator) points(s *logic.Symbol, c context) (vars []*logic.Var, args []*logic.Term) {
	for _, sort := range s.Args {
		if g.one(2) {
			v := g.variables([]*logic.Sort{sort})[0]
			vars = append(vars, v)
			args = append(args, logic.Ref(v))
		} else {
			args = append(args, g.argument(sort, 1, c))
		}
	}
	return vars, args
}

func (g *generator) update(s *logic.Symbol, c context) system.Update {
	vars, args := g.points(s, c)
	return system.Update{Symbol: s, Vars: vars, Args: args,
		Value: g.term(s.Result, 2, c.with(vars...))}
}

// formula makes an action from a random two-state formula.
func (g *generator) formula(name string) (*system.Action, error) {
	a := g.action(name)
	all := g.mutable()
	g.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	total := 0
	for _, s := range all[:min(len(all), 1+g.rng.Intn(3))] {
		if c := g.cost(s.Args, s.Result); total+c <= 8 { // few enough to try all new values
			a.Modifies = append(a.Modifies, s)
			total += c
		}
	}
	pre := context{vars: a.Params, steps: []int{logic.Pre}}
	var parts []*logic.Term
	for i, s := range a.Modifies {
		c := pre
		if g.one(3) { // also over the new values of other symbols
			c.steps, c.after = []int{logic.Pre, logic.Post},
				slices.Delete(slices.Clone(a.Modifies), i, i+1)
		}
		parts = append(parts, g.constraints(s, c)...)
	}
	for range g.rng.Intn(3) {
		parts = append(parts, g.bool(2, pre))
	}
	if g.one(3) {
		parts = append(parts,
			g.bool(2, context{vars: a.Params, steps: []int{logic.Pre, logic.Post}}))
	}
	for _, d := range g.sys.Derived {
		if g.one(3) {
			arg := g.term(d.Symbol.Args[0], 0, pre)
			parts = append(parts, logic.Eq(g.bool(0, pre), logic.App(d.Symbol, logic.Post, arg)))
		}
	}
	g.rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	formula := logic.And(parts...)
	if g.opts.OnFormula != nil {
		g.opts.OnFormula(a, formula)
	}
	a.Relation = system.Solve(g.sys, a, formula)
	return a, system.CodeOf(g.sys, a)
}

// constraints states in one of many forms what the new value of a symbol is.
func (g *generator) constraints(s *logic.Symbol, c context) []*logic.Term {
	vars := g.variables(s.Args)
	inner := c.with(vars...)
	after := logic.App(s, logic.Post, logic.Refs(vars)...)
	before := logic.App(s, logic.Pre, logic.Refs(vars)...)
	value := func() *logic.Term { return g.term(s.Result, 1, inner) }
	becomes := func(v *logic.Term) *logic.Term { // either side first
		if g.one(3) {
			return logic.Eq(v, after)
		}
		return logic.Eq(after, v)
	}
	all := func(t *logic.Term) *logic.Term { return logic.Forall(vars, t) }
	cond := g.bool(1, inner)
	// the diagonal only
	if len(vars) == 2 && logic.SameSort(vars[0].Sort, vars[1].Sort) && g.one(4) {
		return []*logic.Term{logic.Forall(vars[:1],
			logic.Eq(logic.App(s, logic.Post, logic.Ref(vars[0]), logic.Ref(vars[0])),
				g.term(s.Result, 1, c.with(vars[0]))))}
	}
	switch g.rng.Intn(9) {
	case 0:
		return []*logic.Term{all(logic.Ite(cond, becomes(value()), becomes(value())))}
	case 1:
		return []*logic.Term{all(logic.Implies(cond, becomes(value()))),
			all(logic.Implies(logic.Not(cond), becomes(before)))}
	case 2, 3: // one point changes, and is sometimes left open
		point := make([]*logic.Term, len(vars))
		var here []*logic.Term
		for i, v := range vars {
			point[i] = g.term(v.Sort, 0, c)
			here = append(here, logic.Eq(logic.Ref(v), point[i]))
		}
		rest := all(logic.Implies(logic.Not(logic.And(here...)), becomes(before)))
		if g.one(3) {
			return []*logic.Term{rest}
		}
		return []*logic.Term{logic.Eq(logic.App(s, logic.Post, point...), g.term(s.Result, 1, c)),
			rest}
	case 4: // not solvable
		return []*logic.Term{all(logic.Implies(cond, becomes(value())))}
	case 5: // chosen
		v := &logic.Var{Name: "E", Sort: g.domain()}
		inner = inner.with(v)
		return []*logic.Term{logic.Exists([]*logic.Var{v},
			logic.And(g.bool(1, c.with(v)), all(becomes(value()))))}
	case 6: // named
		v := &logic.Var{Name: "L", Sort: g.domain()}
		inner = inner.with(v)
		return []*logic.Term{logic.Let(v, g.term(v.Sort, 1, c), all(becomes(value())))}
	}
	return []*logic.Term{all(becomes(value()))}
}
