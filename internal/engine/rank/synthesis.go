package rank

import (
	"context"
	"math/big"
	"slices"

	"erelong/internal/discharge"
	"erelong/internal/logic"
	"erelong/internal/system"
	"erelong/internal/verdict"
)

// search looks for tiers of ranking functions. Nothing that it says is trusted.
type search struct {
	p         *problem
	quick     *discharge.Discharger // for questions of which the answer may stay open
	sure      *discharge.Discharger
	property  string
	line      int
	roots     []*part                                // one for each action
	start     []*part                                // what is left of them after the steps that the user said there are not
	excluded  []exclusion                            // those
	named     []*variable                            // by the user
	dialogues map[*system.Action]*discharge.Dialogue // about the steps of each action
	settled   map[*part]bool                         // it was asked whether there are such steps
	effort    int                                    // so far
	most      int                                    // effort
	cases     bool                                   // parts may be split
	only      []*logic.Term                          // if not nil, the conditions by which they are
	seen      []*logic.Term                          // conditions
	stages    []verdict.Stage
	note      func(string) // nil for nobody
	told      []string
}

func (s *search) obligation(name string, goal *logic.Term) *discharge.Obligation {
	return &discharge.Obligation{Obligation: verdict.Obligation{Name: name, Property: s.property, Line: s.line}, Goal: goal}
}

// tier is a ranking function, the sum of variables with positive factors, with the steps in which it decreases.
type tier struct {
	factors []*big.Int
	vars    []*variable
	parts   []*part
	// constraints is the number of inequalities: each part must not grow, each factor not be negative.
	constraints int
}

// term is the ranking function.
func (t *tier) term() *logic.Term {
	var sum []*logic.Term
	for i, v := range t.vars {
		term := v.term
		if t.factors[i].Cmp(big.NewInt(1)) != 0 {
			term = logic.Mul(logic.BigLit(t.factors[i]), term)
		}
		sum = append(sum, term)
	}
	return logic.Add(sum...)
}

// maxSplits bounds how often parts are split before a tier is found.
const maxSplits = 3

// tiers synthesises tier by tier (Theorem 3). Each ranking function decreases in as many of the parts that are left as
// possible, and grows in none of them. What is left at the end could not be made to decrease.
func (s *search) tiers(ctx context.Context, vars []*variable) (found []*tier, left []*part) {
	left = s.possible(ctx, s.start)
	for len(left) > 0 && ctx.Err() == nil {
		s.measure(ctx, left, vars)
		t := s.tier(left, vars)
		if t == nil {
			if !s.cases {
				return found, left
			}
			if left, t = s.splitting(ctx, left, vars); t == nil {
				return found, left
			}
		}
		found = append(found, t)
		left = slices.DeleteFunc(left, func(p *part) bool { return slices.Contains(t.parts, p) })
	}
	return found, left
}

// splitting splits the parts by one condition, so that a tier is found, or else by several. Of variables that grow in no part one
// need only know where they decrease, so they come first, and before all conditions those that are made for them.
func (s *search) splitting(ctx context.Context, left []*part, vars []*variable) ([]*part, *tier) {
	steady := slices.DeleteFunc(slices.Clone(vars), func(v *variable) bool {
		return slices.ContainsFunc(left, func(part *part) bool { return part.grows(v) > 0 })
	})
	conditions := s.conditions(left)
	try := func(from []*part, by condition, vars []*variable) ([]*part, *tier) {
		var parts []*part
		for _, part := range from {
			if by.action != nil && by.action != part.action || slices.Contains(part.by, by.term) {
				parts = append(parts, part)
				continue
			}
			h := s.split(part, by.term)
			parts = append(parts, h[0], h[1])
		}
		parts = s.possible(ctx, parts)
		s.measure(ctx, parts, vars)
		return parts, s.tier(parts, vars)
	}
	for _, stage := range []struct {
		conditions []condition
		vars       []*variable
	}{{s.decreases(left, steady), steady}, {conditions, steady}, {conditions, vars}} {
		for _, c := range stage.conditions {
			if s.only != nil && !slices.Contains(s.only, c.term) {
				continue
			}
			vars := stage.vars
			if c.of != nil {
				vars = []*variable{c.of}
			}
			if parts, t := try(left, c, vars); t != nil {
				return parts, t
			}
		}
	}
	if s.only != nil {
		return left, nil
	}
	parts := left
	for _, c := range conditions[:min(len(conditions), maxSplits)] {
		var t *tier
		if parts, t = try(parts, c, vars); t != nil {
			return parts, t
		}
	}
	return left, nil
}

// condition is one by which parts are split: those of one action, or all.
type condition struct {
	action *system.Action
	term   *logic.Term
	of     *variable // that may decrease where it is true, nil if it is made for none
}

// tier solves for the factors. The factor of a variable that may grow without bound in some part is 0. The first aim is to
// decrease in many parts, the second are small factors.
func (s *search) tier(parts []*part, vars []*variable) *tier {
	defer s.during(verdict.StageSynthesis)()
	usable := slices.DeleteFunc(slices.Clone(vars), func(v *variable) bool {
		decreases := false
		for _, part := range parts {
			if part.grows(v) == unbounded {
				return true
			}
			decreases = decreases || part.grows(v) < 0
		}
		return !decreases
	})
	if len(usable) == 0 {
		return nil
	}
	const worth = 1 << 16 // of a part, in factors
	n, m := len(usable), len(parts)
	objective := make([]int64, n+m)
	for i := range n {
		objective[i] = -1
	}
	var rows [][]int64
	var bounds []int64
	for j, part := range parts {
		objective[n+j] = worth
		row, most := make([]int64, n+m), make([]int64, n+m)
		for i, v := range usable {
			row[i] = int64(part.grows(v))
		}
		row[n+j], most[n+j] = 1, 1
		rows, bounds = append(rows, row, most), append(bounds, 0, 1)
	}
	solution := maximise(objective, rows, bounds)
	t := &tier{constraints: n + m}
	for j, part := range parts {
		if solution[n+j].Sign() > 0 {
			t.parts = append(t.parts, part)
		}
	}
	if len(t.parts) == 0 {
		return nil
	}
	for i, f := range integers(solution[:n]) {
		if f.Sign() > 0 {
			t.factors, t.vars = append(t.factors, f), append(t.vars, usable[i])
		}
	}
	return t
}

// used lists the variables of tiers.
func used(tiers []*tier) (out []*variable) {
	for _, t := range tiers {
		for _, v := range t.vars {
			if !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	return out
}

// smaller leaves out variables as long as tiers are found without them, the last first, and joins tiers. It splits parts
// by nothing new.
func (s *search) smaller(ctx context.Context, tiers []*tier) []*tier {
	s.only = []*logic.Term{}
	for _, t := range tiers {
		for _, part := range t.parts {
			s.only = append(s.only, part.by...)
		}
	}
	for tried := map[*variable]bool{}; ; {
		vars := used(tiers)
		i := len(vars) - 1
		for i >= 0 && tried[vars[i]] {
			i--
		}
		if i < 0 || ctx.Err() != nil {
			break
		}
		tried[vars[i]] = true
		if found, left := s.tiers(ctx, slices.Delete(slices.Clone(vars), i, i+1)); len(left) == 0 && len(found) <= len(tiers) {
			tiers = found
		}
	}
	for i := 0; i+1 < len(tiers); {
		var parts []*part
		for _, t := range tiers[i:] {
			parts = append(parts, t.parts...)
		}
		joined := s.tier(parts, used(tiers[i:i+2]))
		if joined == nil || !joined.has(tiers[i].parts) || !joined.has(tiers[i+1].parts) {
			i++
			continue
		}
		for _, t := range tiers[i+2:] {
			t.parts = slices.DeleteFunc(t.parts, func(p *part) bool { return slices.Contains(joined.parts, p) })
		}
		tiers = slices.DeleteFunc(slices.Replace(tiers, i, i+2, joined), func(t *tier) bool { return len(t.parts) == 0 })
	}
	return tiers
}

func (t *tier) has(parts []*part) bool {
	return !slices.ContainsFunc(parts, func(p *part) bool { return !slices.Contains(t.parts, p) })
}

// conditions are those by which the parts may be split: whether a fair action can be taken with known values, whether a
// parameter is a known value, and the branches of the actions.
func (s *search) conditions(parts []*part) (out []condition) {
	for _, c := range s.p.cases {
		out = append(out, condition{term: s.memo(c)})
	}
	for _, f := range s.p.fair {
		for _, args := range s.p.tuples(f.left.Args) {
			out = append(out, condition{term: s.memo(at(f.enabled, f.action.Params, args))})
		}
	}
	seen := map[*system.Action]bool{}
	for _, part := range parts {
		a := part.action
		if seen[a] {
			continue
		}
		seen[a] = true
		add := func(t *logic.Term) {
			if t = s.memo(t); !slices.ContainsFunc(out, func(c condition) bool { return c.term == t }) {
				out = append(out, condition{action: a, term: t})
			}
		}
		for _, v := range slices.Concat(a.Params, a.Relation.Choices) {
			for _, value := range s.p.values(v.Sort) {
				add(logic.Eq(logic.Ref(v), value))
			}
		}
		for _, u := range a.Relation.Updates {
			logic.Walk(u.Value, func(t *logic.Term) bool {
				if t.Op == logic.OpIte && logic.MaxStep(t.Args[0]) <= logic.Pre && !readsInput(a.Relation, t.Args[0]) && speaksOf(a, t.Args[0]) {
					add(t.Args[0])
				}
				return true
			})
		}
	}
	return out
}

// decreases are conditions under which variables may decrease: that a fair action can be taken, or that a step by one action
// makes a truth value change, or takes a branch.
func (s *search) decreases(parts []*part, vars []*variable) (out []condition) {
	var actions []*system.Action
	for _, part := range parts {
		if !slices.Contains(actions, part.action) {
			actions = append(actions, part.action)
		}
	}
	for _, v := range vars {
		if v.left != nil && v.term.Op == logic.OpApp {
			out = append(out, condition{nil, s.memo(at(v.left.enabled, v.left.action.Params, v.term.Args)), v})
		}
	}
	for _, a := range actions {
		for _, v := range vars {
			if v.left != nil || v.count != nil {
				continue
			}
			then := after(s.p.original, s.p.originals[a], v.term)
			if then == nil || logic.Equal(then, v.term) {
				continue
			}
			if t := v.term; t.Op == logic.OpIte && t.Args[1].Op == logic.OpInt && t.Args[2].Op == logic.OpInt {
				was, is := t.Args[0], after(s.p.original, s.p.originals[a], t.Args[0])
				change := logic.And(was, logic.Not(is))
				if t.Args[1].Int.Cmp(t.Args[2].Int) < 0 {
					change = logic.And(logic.Not(was), without(is, was))
				}
				out = append(out, condition{a, s.memo(change), v})
				continue
			}
			logic.Walk(then, func(t *logic.Term) bool {
				if t.Op == logic.OpIte && speaksOf(a, t.Args[0]) {
					out = append(out, condition{a, s.memo(t.Args[0]), v})
				}
				return true
			})
		}
	}
	return out
}

// speaksOf reports whether the only variables of t are the action's.
func speaksOf(a *system.Action, t *logic.Term) bool {
	known := slices.Concat(a.Params, a.Relation.Choices)
	return !slices.ContainsFunc(logic.FreeVars(t), func(v *logic.Var) bool { return !slices.Contains(known, v) })
}

// without says the same as t where the disjunct is false.
func without(t, disjunct *logic.Term) *logic.Term {
	if t.Op != logic.OpOr {
		return t
	}
	return logic.Or(slices.DeleteFunc(slices.Clone(t.Args), func(d *logic.Term) bool { return logic.Equal(d, disjunct) })...)
}

// memo gives equal conditions one term, so that parts remember their halves.
func (s *search) memo(t *logic.Term) *logic.Term {
	for _, m := range s.seen {
		if logic.Equal(m, t) {
			return m
		}
	}
	s.seen = append(s.seen, t)
	return t
}
