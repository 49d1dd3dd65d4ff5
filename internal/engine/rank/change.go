package rank

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"erelong/internal/discharge"
	"erelong/internal/logic"
	"erelong/internal/system"
	"erelong/internal/unroll"
	"erelong/internal/verdict"
)

// unbounded is the change of a variable of which no bound is known.
const unbounded = verdict.Unbounded

// part is the steps of one action that satisfy conditions. It is either as it is, or split in two by one more condition.
type part struct {
	action     *system.Action
	conditions []*logic.Term // over state Pre, the action's parameters and its choices
	// change bounds how much a variable grows in such a step: -1, 0, 1 or unbounded. Missing where it was not asked.
	change map[*variable]int
	proofs map[*variable][]*discharge.Obligation
	by     []*logic.Term // that it was split by
	// impossible is the proof that there is no such step while the property is pending, nil if there may be one.
	impossible *discharge.Obligation
	halves     []*halving
}

// halving is a part in two: where a condition is true, and where it is false.
type halving struct {
	by   *logic.Term
	part [2]*part
}

func (s *part) String() string {
	var texts []string
	for _, c := range s.conditions {
		texts = append(texts, c.String())
	}
	name := logic.Printer{}.Vars(s.action.Params)
	name = s.action.Name + "(" + name + ")"
	if len(texts) == 0 {
		return name
	}
	return name + " where " + strings.Join(texts, " & ")
}

// grows bounds how much a variable grows; what was not asked may be anything.
func (s *part) grows(v *variable) int {
	if h, ok := s.change[v]; ok {
		return h
	}
	return unbounded
}

// stepOf gives the theory of the part's steps between states in which the property is pending.
func (p *problem) stepOf(s *part) (*unroll.Theory, unroll.Picture) {
	t, picture := p.step(s.action, true)
	for _, c := range s.conditions {
		t.Assume(unroll.In(c, picture.States...))
	}
	return t, picture
}

// grows is a formula of two states from which it follows that the variable grows by at most h. Of finitely many values that are
// counted: none are added, or one in place of another.
func (v *variable) grows(h int) *logic.Term {
	if v.count == nil {
		return logic.Le(logic.Shift(v.term, 1), logic.Add(v.term, logic.IntLit(int64(h))))
	}
	among := func(vars []*logic.Var, t *logic.Term) (*logic.Term, []*logic.Var) {
		fresh := make([]*logic.Var, len(vars))
		for i, x := range vars {
			fresh[i] = &logic.Var{Name: x.Name, Sort: x.Sort}
		}
		return at(t, vars, logic.Refs(fresh)), fresh
	}
	before, vars := among(v.count.vars, v.count.such)
	now := logic.Shift(before, 1)
	added := logic.And(now, logic.Not(before))
	none := logic.Forall(vars, logic.Not(added))
	lost := logic.Exists(vars, logic.And(before, logic.Not(now)))
	other, others := among(vars, added)
	same := logic.True
	for i := range vars {
		same = logic.And(same, logic.Eq(logic.Ref(vars[i]), logic.Ref(others[i])))
	}
	one := logic.Forall(append(slices.Clone(vars), others...), logic.Implies(logic.And(added, other), same))
	switch h {
	case -1:
		return logic.And(none, lost)
	case 0:
		return logic.Or(none, logic.And(one, lost))
	}
	return one
}

// A search ends when its effort exceeds a bound: the number of questions, where one without an answer counts as many, because the
// solvers tried until their limit.
const (
	maxEffort    = 10_000
	effortInVain = 50
)

// ask puts questions about parts, many at the same time: which of the goals follow?
func (s *search) ask(ctx context.Context, questions map[*part][]*discharge.Obligation, order []*part) {
	var groups []*discharge.Group
	var about []*part
	for _, part := range order {
		if len(questions[part]) == 0 || s.effort >= s.most {
			continue
		}
		s.effort += len(questions[part])
		t, picture := s.p.stepOf(part)
		for _, o := range questions[part] {
			o.Action = part.action.Name
			o.Goal = unroll.In(o.Goal, picture.States...)
		}
		groups = append(groups, &discharge.Group{Theory: t, Picture: picture, Obligations: questions[part]})
		about = append(about, part)
	}
	s.quick.All(ctx, groups)
	for i, g := range groups {
		for _, o := range g.Obligations {
			if o.Verdict == verdict.NotInductive {
				s.settled[about[i]] = true // by a step
			}
			if o.Verdict == verdict.Unknown {
				s.effort += effortInVain
			}
		}
	}
}

// measure finds the changes of variables in parts, as far as they matter to a tier of these parts: a variable that may grow without
// bound in one of them is of no use, and one that decreases in none of them need have no bound. Unless all is set, one variable that
// decreases in a part is enough.
func (s *search) measure(ctx context.Context, parts []*part, vars []*variable, all bool) {
	defer s.during(verdict.StageDeltas)()
	open := func(part *part, h int) (out []*variable) {
		for _, v := range vars {
			known, ok := part.change[v]
			if !ok && h == 0 || ok && known == unbounded && h == 1 && !s.exhausted[key{part, v}] {
				out = append(out, v)
			}
		}
		return out
	}
	for _, part := range parts { // what no symbol of changes
		pre := unroll.Versions{}
		post := pre.Next(s.p.sys, part.action.Modifies, 1)
		for _, v := range vars {
			if v.count == nil && unroll.SameIn(v.term, pre, post) {
				part.change[v] = 0
				s.exhausted[key{part, v}] = true
			}
		}
	}
	useless := func(v *variable, h int) bool {
		decreases := false
		for _, part := range parts {
			if part.change[v] == unbounded && (v.left != nil || s.exhausted[key{part, v}]) {
				return true
			}
			decreases = decreases || part.grows(v) < 0
		}
		return h == 1 && !decreases
	}
	for _, h := range []int{0, -1, 1} {
		helpless := map[*variable]bool{}
		for _, v := range vars {
			helpless[v] = useless(v, h)
		}
		if h < 0 {
			s.decreasing(ctx, parts, slices.DeleteFunc(slices.Clone(vars), func(v *variable) bool { return helpless[v] }), all)
			continue
		}
		questions := map[*part][]*discharge.Obligation{}
		asked := map[*discharge.Obligation]key{}
		for _, part := range parts {
			for _, v := range open(part, h) {
				if helpless[v] {
					continue
				}
				o := s.growth(part, h, v)
				questions[part] = append(questions[part], o)
				asked[o] = key{part, v}
			}
		}
		s.ask(ctx, questions, parts)
		for _, part := range parts {
			for _, o := range questions[part] {
				k := asked[o]
				switch {
				case o.Verdict == verdict.Holds:
					part.change[k.v] = h
					part.proofs[k.v] = []*discharge.Obligation{o}
				case h == 0:
					part.change[k.v] = unbounded
				default:
					s.exhausted[k] = true
				}
			}
		}
	}
}

// decreasing finds the variables that decrease in each part, or one of them. A question is about several variables: in most parts
// there is a step in which none of them decreases.
func (s *search) decreasing(ctx context.Context, parts []*part, vars []*variable, all bool) {
	open := map[*part][][]*variable{} // the first group of each part is asked about next
	for _, part := range parts {
		var some []*variable
		for _, v := range vars {
			if part.grows(v) == 0 && !s.exhausted[key{part, v}] {
				some = append(some, v)
			}
		}
		known := slices.ContainsFunc(vars, func(v *variable) bool { return part.grows(v) < 0 })
		if len(some) > 0 && (all || !known) {
			open[part] = [][]*variable{some}
		}
	}
	for len(open) > 0 && ctx.Err() == nil {
		questions := map[*part][]*discharge.Obligation{}
		for part, groups := range open {
			questions[part] = []*discharge.Obligation{s.growth(part, -1, groups[0]...)}
		}
		s.ask(ctx, questions, parts)
		for part, groups := range open {
			group, rest := groups[0], groups[1:]
			o := questions[part][0]
			switch {
			case o.Verdict == "": // the search has taken too long
				rest = nil
			case o.Verdict != verdict.NotInductive && len(group) > 1:
				half := (len(group) + 1) / 2
				rest = slices.Concat([][]*variable{group[:half], group[half:]}, rest)
			case o.Verdict == verdict.Holds:
				part.change[group[0]] = -1
				part.proofs[group[0]] = []*discharge.Obligation{o}
				if !all {
					rest = nil
				}
			default:
				for _, v := range group {
					s.exhausted[key{part, v}] = true
				}
			}
			open[part] = rest
			if len(rest) == 0 {
				delete(open, part)
			}
		}
	}
}

// growth claims that one of the variables grows by at most h.
func (s *search) growth(part *part, h int, vars ...*variable) *discharge.Obligation {
	var names []string
	var goals []*logic.Term
	for _, v := range vars {
		names, goals = append(names, v.String()), append(goals, v.grows(h))
	}
	return s.obligation(fmt.Sprintf("%s: %s grows by at most %d", part, strings.Join(names, " or "), h), logic.Or(goals...)).Probe()
}

// key is a variable in a part.
type key struct {
	part *part
	v    *variable
}

// split gives the two halves of a part. What does not grow in the whole does not in each half; it may decrease there.
func (s *search) split(whole *part, by *logic.Term) [2]*part {
	for _, h := range whole.halves {
		if h.by == by {
			return h.part
		}
	}
	var out [2]*part
	for i, c := range []*logic.Term{by, logic.Not(by)} {
		half := newPart(whole.action)
		half.conditions = append(slices.Clone(whole.conditions), c)
		half.by = append(slices.Clone(whole.by), by)
		for v, h := range whole.change {
			if h <= 0 {
				half.change[v] = h
				half.proofs[v] = whole.proofs[v]
			}
		}
		out[i] = half
	}
	whole.halves = append(whole.halves, &halving{by, out})
	return out
}

func newPart(a *system.Action) *part {
	return &part{action: a, change: map[*variable]int{}, proofs: map[*variable][]*discharge.Obligation{}}
}

// possible leaves out the parts of which it is proved that there is no such step.
func (s *search) possible(ctx context.Context, parts []*part) []*part {
	defer s.during(verdict.StageContradictions)()
	impossible := func(p *part) bool { return p.impossible != nil }
	questions := map[*part][]*discharge.Obligation{}
	var order []*part
	for _, part := range parts {
		if s.settled[part] {
			continue
		}
		s.settled[part] = true
		order = append(order, part)
		questions[part] = []*discharge.Obligation{s.impossibility(part).Probe()}
	}
	s.ask(ctx, maps.Clone(questions), order)
	for _, part := range order {
		if o := questions[part][0]; o.Verdict == verdict.Holds {
			part.impossible = o
		}
	}
	return slices.DeleteFunc(slices.Clone(parts), impossible)
}

// impossibility claims that there is no step of a part while the property is pending.
func (s *search) impossibility(p *part) *discharge.Obligation {
	o := s.obligation(fmt.Sprintf("%s: not while it is pending", p), logic.False)
	o.Action = p.action.Name
	return o
}
