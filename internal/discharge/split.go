package discharge

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/vc"
)

// Limits on splitting. Every question has the quick limit.
const (
	maxParts = 24   // questions about the parts of one obligation
	maxDepth = 3    // nested case distinctions
	maxCases = 6    // members of one case distinction
	maxNodes = 5000 // of a new value whose branches give cases
)

// split proves an obligation by parts, where it is too hard as a whole: along the form of the goal,
// and where a part is still too hard, by cases. It reports whether the obligation is decided. All
// parts must be proved; a model of one part is a model of the whole.
func (a *asker) split(ctx context.Context, o *Obligation) bool {
	todo := part{goal: o.Goal}.parts()
	cases := a.cases
	asked := 0
	var provers []string
	for len(todo) > 0 {
		if len(todo)+asked > maxParts || ctx.Err() != nil {
			return false
		}
		p := todo[0]
		todo = todo[1:]
		asked++
		r, err := a.ask(ctx, o, p, a.attempts(), a.quick)
		switch {
		case err != nil:
			o.Verdict, o.Reason = result.Unknown, result.Because(result.NotProved, err.Error())
			return true
		case r == nil:
			more := cases(p)
			if len(more) == 0 {
				return false
			}
			todo = append(more, todo...)
		case r.Status == smt.Sat:
			if a.refuted(o); o.Verdict == result.NotInductive {
				o.Trace = a.smallModel(ctx, o)
			}
			return true
		default:
			if by := a.label(r.attempt); !slices.Contains(provers, by) {
				provers = append(provers, by)
			}
		}
	}
	o.Verdict, o.Reason, o.provers, o.Needs = result.Holds, result.Reason{}, provers, nil
	o.Method += fmt.Sprintf(", the last of %d questions about parts", asked)
	return true
}

// cases distinguishes exhaustive cases of a part. It gives none when there is nothing to
// distinguish.
func (a *asker) cases(p part) []part {
	if p.depth >= maxDepth {
		return nil
	}
	p.depth++
	for _, d := range slices.Concat(a.disjunctions(p), a.branches(p), values(p.consts),
		values(a.group.Theory.Consts)) {
		settled := func(t *logic.Term) bool {
			return slices.ContainsFunc(p.assume, func(u *logic.Term) bool {
				return logic.Equal(t, u)
			})
		}
		if len(d) > maxCases || slices.ContainsFunc(d, settled) {
			continue
		}
		var out []part
		for _, t := range d {
			out = append(out, p.with(t))
		}
		return out
	}
	return nil
}

// disjunctions lists the disjunctions in the guard of the action and in the assumptions of the
// part.
func (a *asker) disjunctions(p part) (out [][]*logic.Term) {
	var all []*logic.Term
	for _, h := range a.group.Theory.Hypotheses {
		if h.Name == "" {
			all = append(all, h.Term)
		}
	}
	for _, t := range append(all, p.assume...) {
		for _, c := range logic.Conjuncts(t) {
			if c.Op == logic.OpOr {
				out = append(out, c.Args)
			}
		}
	}
	return out
}

// branches lists the conditions in the new values in the part: of an if, and equations.
func (a *asker) branches(p part) (out [][]*logic.Term) {
	updates := map[string]vc.Update{}
	key := func(sym *logic.Symbol, version int) string { return fmt.Sprintf("%p %d", sym, version) }
	for _, u := range a.group.Theory.Updates {
		if logic.Size(u.Value) > maxNodes {
			continue // too many cases for a question each
		}
		updates[key(u.Symbol, u.Version)] = u
	}
	add := func(c *logic.Term, bound []*logic.Var) {
		free := logic.FreeVars(c)
		if c.Sort == logic.Bool && !slices.ContainsFunc(free, func(v *logic.Var) bool {
			return slices.Contains(bound, v)
		}) {
			out = append(out, []*logic.Term{c, logic.Not(c)})
		}
	}
	for _, t := range append(slices.Clip(p.assume), p.goal) {
		walk(t, nil, func(app *logic.Term, bound []*logic.Var) {
			if app.Op != logic.OpApp {
				return
			}
			u, ok := updates[key(app.Symbol, app.Step)]
			if !ok {
				return
			}
			with := map[*logic.Var]*logic.Term{}
			for i, v := range u.Vars {
				with[v] = app.Args[i]
			}
			walk(logic.Subst(u.Value, with), bound, func(t *logic.Term, bound []*logic.Var) {
				switch t.Op {
				case logic.OpIte:
					add(t.Args[0], bound)
				case logic.OpEq:
					add(t, bound)
				}
			})
		})
	}
	return out
}

// walk visits all sub-terms, with the variables that are bound there.
func walk(t *logic.Term, bound []*logic.Var, visit func(*logic.Term, []*logic.Var)) {
	visit(t, bound)
	inner := append(slices.Clip(bound), t.Vars...)
	for _, arg := range t.Args {
		walk(arg, inner, visit)
	}
}

// values lists the case distinctions over constants with few values.
func values(consts []*logic.Var) (out [][]*logic.Term) {
	for _, v := range consts {
		ref := logic.Ref(v)
		switch v.Sort.Kind {
		case logic.KindBool:
			out = append(out, []*logic.Term{ref, logic.Not(ref)})
		case logic.KindEnum:
			var d []*logic.Term
			for i := range v.Sort.Members {
				d = append(d, logic.Eq(ref, logic.Member(v.Sort, i)))
			}
			out = append(out, d)
		}
	}
	return out
}
