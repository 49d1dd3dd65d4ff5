package rank

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

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
	conditions []*logic.Term // over the states before and after, the action's parameters and its choices
	// change bounds how much a variable grows in such a step: -1, 0 or 1. Missing where that is not known.
	change    map[*variable]int
	floor     map[*variable]int // the bounds that are worth a try
	looked    map[*variable]int // so many witnesses have been compared with the floor
	witnesses []*witness
	by        []*logic.Term // that it was split by
	// impossible is the proof that there is no such step while the property is pending, nil if there may be one.
	impossible *discharge.Obligation
	halves     []*halving
	number     int // by which it is called, 0 for none
}

// halving is a part in two: where a condition is true, and where it is false.
type halving struct {
	by   *logic.Term
	part [2]*part
}

// String names the part, by its conditions if it has no number.
func (s *part) String() string {
	switch {
	case s.number > 0:
		return fmt.Sprintf("%s case %d", s.step(), s.number)
	case len(s.conditions) > 0:
		return s.step() + " where " + s.where()
	}
	return s.step()
}

func (s *part) step() string {
	return fmt.Sprintf("%s(%s)", s.action.Name, logic.Printer{}.Vars(s.action.Params))
}

func (s *part) where() string {
	var texts []string
	for _, c := range s.conditions {
		texts = append(texts, c.String())
	}
	return strings.Join(texts, " & ")
}

// number numbers the parts of each action of which the conditions are long.
func (s *search) number(tiers []*tier) {
	const long = 120 // characters
	last := map[*system.Action]int{}
	for _, part := range slices.Concat(partsOf(tiers), s.ruledOut(tiers)) {
		if len(part.where()) > long {
			last[part.action]++
			part.number = last[part.action]
		}
	}
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

// ask puts questions about parts, those about the parts of one action one after the other: which of the goals follow?
func (s *search) ask(ctx context.Context, order []*part, questions map[*part]*discharge.Obligation) {
	if s.effort >= s.most {
		return
	}
	s.each(order, func(part *part) {
		o := questions[part]
		if o == nil {
			return
		}
		o.Action, o.Goal = part.action.Name, s.claim(part, o.Goal)
		s.dialogues[part.action].Decide(ctx, o)
	})
	for _, part := range order {
		if o := questions[part]; o != nil {
			s.effort++
			if o.Verdict == verdict.NotInductive {
				s.settled[part] = true // by a step
			}
			if o.Verdict == verdict.Unknown {
				s.effort += effortInVain
			}
		}
	}
}

// each works on parts, at the same time on those of different actions.
func (s *search) each(parts []*part, work func(*part)) {
	byAction := map[*system.Action][]*part{}
	for _, part := range parts {
		s.dialogue(part.action)
		byAction[part.action] = append(byAction[part.action], part)
	}
	var wait sync.WaitGroup
	for _, parts := range byAction {
		wait.Go(func() {
			for _, part := range parts {
				work(part)
			}
		})
	}
	wait.Wait()
}

// worse is the next bound of what a variable grows by when one is refuted, or not proved. The steps that are left to a fair action
// grow without bound where they grow.
func (v *variable) worse(h int) int {
	switch {
	case h < 0:
		return 0
	case h == 0 && v.left == nil:
		return 1
	}
	return unbounded
}

// least gives the smallest bound that no witness refutes, and that was not tried in vain.
func (s *part) least(v *variable) int {
	h, ok := s.floor[v]
	if !ok {
		h = -1
	}
	for ; s.looked[v] < len(s.witnesses); s.looked[v]++ {
		for h < unbounded && s.witnesses[s.looked[v]].refutes(v.grows(h)) {
			h = v.worse(h)
		}
	}
	s.floor[v] = h
	return h
}

// measure finds how much variables grow in parts, as far as that matters to a tier of these parts: a variable that may grow without
// bound in one of them is of no use, and one that decreases in none of them need have no bound. All the bounds that are open are
// one question of each part. A step that refutes some of them makes these worse, until there is none (as in Houdini: Flanagan,
// Leino, FME 2001); then the others are proved, together if possible.
func (s *search) measure(ctx context.Context, parts []*part, vars []*variable) {
	defer s.during(verdict.StageDeltas)()
	for _, part := range parts { // what no symbol of changes
		pre := unroll.Versions{}
		post := pre.Next(s.p.sys, part.action.Modifies, 1)
		for _, v := range vars {
			if v.count == nil && unroll.SameIn(v.term, pre, post) {
				part.change[v], part.floor[v] = 0, 0
			}
		}
	}
	for active := parts; len(active) > 0 && ctx.Err() == nil && s.effort < s.most; {
		open := s.open(parts, vars)
		active = slices.DeleteFunc(slices.Clone(active), func(part *part) bool { return len(open[part]) == 0 })
		found := make([]bool, len(active))
		s.each(active, func(part *part) {
			found[slices.Index(active, part)] = s.counter(ctx, part, part.bounds(open[part]))
		})
		s.effort += len(active)
		var rest []*part
		for i, part := range active {
			if found[i] {
				s.settled[part] = true
				rest = append(rest, part)
			}
		}
		active = rest
	}
	s.confirm(ctx, parts, vars)
}

// open lists the variables of which a bound has to be proved in each part, or refuted.
func (s *search) open(parts []*part, vars []*variable) map[*part][]*variable {
	out := map[*part][]*variable{}
	for _, v := range vars {
		least, most := unbounded, -1
		for _, part := range parts {
			h := part.least(v)
			least, most = min(least, h), max(most, h)
		}
		if most == unbounded || least >= 0 && (most > 0 || !s.splits) {
			continue
		}
		for _, part := range parts {
			if part.least(v) < part.grows(v) {
				out[part] = append(out[part], v)
			}
		}
	}
	return out
}

// bounds says that each of the variables grows by no more than is not refuted.
func (s *part) bounds(vars []*variable) *logic.Term {
	var out []*logic.Term
	for _, v := range vars {
		out = append(out, v.grows(s.least(v)))
	}
	return logic.And(out...)
}

// confirm proves the bounds that are open. What cannot be proved together is halved, and what cannot be proved alone is made worse.
func (s *search) confirm(ctx context.Context, parts []*part, vars []*variable) {
	todo := map[*part][][]*variable{} // the first group of each part is asked about next
	for part, open := range s.open(parts, vars) {
		isCount := func(v *variable) bool { return v.count != nil }
		counts := slices.DeleteFunc(slices.Clone(open), func(v *variable) bool { return !isCount(v) })
		todo[part] = [][]*variable{slices.DeleteFunc(open, isCount), counts}
	}
	for ctx.Err() == nil && s.effort < s.most {
		open := s.open(parts, vars)
		questions := map[*part]*discharge.Obligation{}
		for part, groups := range todo {
			for len(groups) > 0 {
				groups[0] = slices.DeleteFunc(groups[0], func(v *variable) bool { return !slices.Contains(open[part], v) })
				if len(groups[0]) > 0 {
					break
				}
				groups = groups[1:]
			}
			if todo[part] = groups; len(groups) > 0 {
				questions[part] = s.growth(part, groups[0])
			}
		}
		if len(questions) == 0 {
			return
		}
		s.ask(ctx, parts, questions)
		for part, o := range questions {
			group, rest := todo[part][0], todo[part][1:]
			switch {
			case o.Verdict == verdict.Holds:
				for _, v := range group {
					part.change[v] = part.least(v)
				}
			case len(group) > 1:
				half := (len(group) + 1) / 2
				rest = slices.Concat([][]*variable{group[:half], group[half:]}, rest)
			default:
				v := group[0]
				part.floor[v] = v.worse(part.least(v))
				rest = slices.Concat([][]*variable{{v}}, rest)
			}
			todo[part] = rest
		}
	}
}

// growth claims that each of the variables grows by no more than is not refuted.
func (s *search) growth(part *part, vars []*variable) *discharge.Obligation {
	o := s.obligation(fmt.Sprintf("%s: growth of %d variables", part, len(vars)), part.bounds(vars))
	if len(vars) > 1 {
		return o.Glance()
	}
	return o.Probe()
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
			}
		}
		for _, w := range whole.witnesses {
			if !w.refutes(c) {
				half.witnesses = append(half.witnesses, w)
			}
		}
		if len(half.witnesses) > 0 {
			s.settled[half] = true
		}
		out[i] = half
	}
	whole.halves = append(whole.halves, &halving{by, out})
	return out
}

func newPart(a *system.Action) *part {
	return &part{action: a, change: map[*variable]int{}, floor: map[*variable]int{}, looked: map[*variable]int{}}
}

// possible leaves out the parts of which it is proved that there is no such step.
func (s *search) possible(ctx context.Context, parts []*part) []*part {
	defer s.during(verdict.StageContradictions)()
	impossible := func(p *part) bool { return p.impossible != nil }
	var order []*part
	for _, part := range parts {
		if !s.settled[part] {
			order = append(order, part)
		}
	}
	s.each(order, func(part *part) { s.counter(ctx, part, logic.False) })
	questions := map[*part]*discharge.Obligation{}
	for _, part := range order {
		s.settled[part] = true
		s.effort++
		if len(part.witnesses) == 0 {
			questions[part] = s.impossibility(part).Probe()
		}
	}
	s.ask(ctx, order, questions)
	for part, o := range questions {
		if o.Verdict == verdict.Holds {
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
