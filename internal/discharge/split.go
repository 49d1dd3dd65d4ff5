package discharge

import (
	"cmp"
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
	maxParts = 24   // open questions about the parts of one obligation
	maxDepth = 3    // nested case distinctions
	maxCases = 6    // members of one case distinction
	maxNodes = 5000 // of a new value whose branches give cases
)

// split proves an obligation by parts, where it is too hard as a whole: along the form of the goal,
// and where a part is still too hard, by cases. It reports whether the obligation is decided. All
// parts must be proved; a model of one part is a model of the whole.
func (a *asker) split(ctx context.Context, o *Obligation) (decided bool) {
	s := &splitting{asker: a, about: "parts", left: maxParts}
	s.ask = s.askingBy(ctx, o, a.attempts, a.quick)
	return s.decide(ctx, o, part{goal: o.Goal})
}

// splitting is a proof of an obligation by parts.
type splitting struct {
	*asker
	ask         func(part) (smt.Status, error) // whether the negation of a part can be
	about       string                         // what the questions are about, for the evidence
	guesses     bool                           // the disjunct that holds
	left, asked int                            // questions that may stay open, and all so far
	provers     []string
	refuted     bool // a part that is no guess is false
	err         error
}

// askingBy has each question asked by some attempts.
func (s *splitting) askingBy(
	ctx context.Context, o *Obligation, attempts func() []*attempt, limit int64,
) func(part) (smt.Status, error) {
	return func(p part) (smt.Status, error) {
		r, err := s.asker.ask(ctx, o, p, attempts(), limit)
		if r == nil {
			return smt.Unknown, cmp.Or(err, ctx.Err())
		}
		if by := s.label(r.attempt); r.Status == smt.Unsat && !slices.Contains(s.provers, by) {
			s.provers = append(s.provers, by)
		}
		return r.Status, err
	}
}

// decide decides an obligation by a part that is the whole of it.
func (s *splitting) decide(ctx context.Context, o *Obligation, whole part) (decided bool) {
	switch proved := s.proves(whole); {
	case ctx.Err() != nil:
		return false
	case s.err != nil:
		o.Verdict, o.Reason = result.Unknown, result.Because(result.NotProved, s.err.Error())
	case s.refuted:
		s.hasModel(ctx, o)
	case proved:
		o.Verdict, o.Reason, o.provers, o.Needs = result.Holds, result.Reason{}, s.provers, nil
		o.Method += fmt.Sprintf(", the last of %d questions about %s", s.asked, s.about)
	default:
		return false
	}
	return true
}

// proves proves all parts of a part.
func (s *splitting) proves(p part) bool {
	return !slices.ContainsFunc(p.parts(), func(p part) bool { return !s.provesOne(p) })
}

// provesOne proves a part that has no parts, by cases where it is too hard.
func (s *splitting) provesOne(p part) bool {
	if s.guesses && p.goal.Op == logic.OpOr {
		return s.byDisjuncts(p)
	}
	if s.follows(p) {
		return true
	}
	if s.guesses {
		return s.byWitness(p)
	}
	cases := s.cases(p)
	return len(cases) > 0 && !slices.ContainsFunc(cases, func(p part) bool { return !s.proves(p) })
}

// follows asks about a part as it is.
func (s *splitting) follows(p part) bool {
	if s.left <= 0 || s.asked >= mostAsked || s.refuted || s.err != nil {
		return false
	}
	s.asked++
	status, err := s.ask(p)
	switch {
	case err != nil:
		s.err = err
	case status == smt.Unknown:
		s.left--
	case status == smt.Sat:
		s.refuted = !p.guessed
	}
	return err == nil && status == smt.Unsat
}

// cases distinguishes exhaustive cases of a part. It gives none when there is nothing to
// distinguish.
func (s *splitting) cases(p part) []part {
	if p.depth >= maxDepth {
		return nil
	}
	p.depth++
	for _, d := range slices.Concat(s.disjunctions(p), s.branches(p), values(p.consts),
		values(s.group.Theory.Consts)) {
		if len(d) > maxCases || p.settles(d) {
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

// settles reports whether one of some cases is assumed already.
func (p part) settles(cases []*logic.Term) bool {
	return slices.ContainsFunc(cases, func(t *logic.Term) bool {
		return slices.ContainsFunc(p.assume, func(u *logic.Term) bool { return logic.Equal(t, u) })
	})
}

// disjunctions lists the disjunctions in the guard of the action and in the assumptions of the
// part.
func (s *splitting) disjunctions(p part) (out [][]*logic.Term) {
	var all []*logic.Term
	for _, h := range s.group.Theory.Hypotheses {
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
func (s *splitting) branches(p part) (out [][]*logic.Term) {
	add := func(c *logic.Term, bound []*logic.Var) {
		free := logic.FreeVars(c)
		if c.Sort == logic.Bool && !slices.ContainsFunc(free, func(v *logic.Var) bool {
			return slices.Contains(bound, v)
		}) {
			out = append(out, []*logic.Term{c, logic.Not(c)})
		}
	}
	for _, t := range append(slices.Clip(p.assume), p.goal) {
		s.inNewValues(t, func(t *logic.Term, bound []*logic.Var) {
			switch t.Op {
			case logic.OpIte:
				add(t.Args[0], bound)
			case logic.OpEq:
				add(t, bound)
			}
		})
	}
	return out
}

// inNewValues visits the sub-terms of the new values of which a term speaks, with the variables
// that are bound there.
func (s *splitting) inNewValues(t *logic.Term, visit func(*logic.Term, []*logic.Var)) {
	updates := map[symbolCopy]vc.Update{}
	for _, u := range s.group.Theory.Updates {
		if logic.Size(u.Value) > maxNodes {
			continue // too many cases for a question each
		}
		updates[symbolCopy{u.Symbol, u.Version}] = u
	}
	walk(t, nil, func(app *logic.Term, bound []*logic.Var) {
		if app.Op != logic.OpApp {
			return
		}
		u, ok := updates[symbolCopy{app.Symbol, app.Step}]
		if !ok {
			return
		}
		with := map[*logic.Var]*logic.Term{}
		for i, v := range u.Vars {
			with[v] = app.Args[i]
		}
		walk(logic.Subst(u.Value, with), bound, visit)
	})
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
