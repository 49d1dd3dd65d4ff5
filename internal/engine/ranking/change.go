package ranking

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// unbounded is the change of a variable that has no known bound.
const unbounded = result.Unbounded

// part is the set of steps of one action that satisfy conditions. A further condition may split it
// into two halves.
type part struct {
	action *system.Action
	// over the states before and after, the action's parameters and its choices
	conditions []*logic.Term
	// change is a proved bound on the growth of a variable in such a step: -1, 0 or 1. A variable
	// without a known bound is missing.
	change map[*variable]int
	// The proofs of the bounds in change. A bound that a written proof states has none.
	proofs    map[*variable]*discharge.Obligation
	floor     map[*variable]int // the smallest bound on the growth that is still to be tried
	checked   map[*variable]int // how many witnesses the floor takes into account
	witnesses []*witness
	by        []*logic.Term // the conditions that split it off, each as it is in its halving
	// impossible is the proof that the part has no step while the property is pending; nil if it
	// may have one.
	impossible *discharge.Obligation
	halves     []*halving
	number     int // in its name; 0 for none
}

// halving splits a part in two: the steps where a condition is true, and the steps where it is
// false.
type halving struct {
	by   *logic.Term
	part [2]*part
}

// String names the part by its number, or else by its conditions.
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

// number gives a number to each part whose conditions are long, counting from 1 for each action.
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

// grows bounds the growth of a variable. A bound that was not asked for is unbounded.
func (s *part) grows(v *variable) int {
	if h, ok := s.change[v]; ok {
		return h
	}
	return unbounded
}

// stepOf gives the theory of the part's steps between states in which the property is pending.
func (p *problem) stepOf(s *part) (*vc.Theory, vc.Path) {
	t, picture := p.step(s.action, true)
	for _, c := range s.conditions {
		t.Assume(vc.In(c, picture.States...))
	}
	return t, picture
}

// grows is a formula over the two states of a step by an action which implies that the variable
// grows by at most h. A count grows by at most h when few enough values are added: none for -1 and
// 0, or one in place of another for 0, or one for 1.
func (v *variable) grows(by *system.Action, h int) *logic.Term {
	switch {
	case v.lexicographic != nil:
		return v.lexicographic.grows(by, h)
	case v.left != nil:
		return v.passes(by, h)
	case v.count == nil:
		return logic.Le(logic.Shift(v.term, 1), logic.Add(v.term, logic.IntLit(int64(h))))
	}
	among := func(vars []*logic.Var, t *logic.Term) (*logic.Term, []*logic.Var) {
		fresh := make([]*logic.Var, len(vars))
		for i, x := range vars {
			fresh[i] = &logic.Var{Name: x.Name, Sort: x.Sort}
		}
		return instantiate(t, vars, logic.Refs(fresh)), fresh
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
	one := logic.Forall(append(slices.Clone(vars), others...),
		logic.Implies(logic.And(added, other), same))
	switch h {
	case -1:
		return logic.And(none, lost)
	case 0:
		return logic.Or(none, logic.And(one, lost))
	}
	return one
}

// maxEffort bounds the effort of a search, in questions to solvers. A question that stays open
// counts as effortInVain, because the solvers try until their limit.
const (
	maxEffort    = 10_000
	effortInVain = 50
)

// ask decides the goals about parts. The questions about one action go to its dialogue, one after
// the other.
func (s *search) ask(
	ctx context.Context, order []*part, questions map[*part]*discharge.Obligation,
) {
	if s.effort >= s.effortLimit {
		return
	}
	if s.fitted {
		for _, o := range questions {
			s.effort++
			o.Verdict = result.Holds
		}
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
			if o.Verdict == result.NotInductive {
				s.settled[part] = true // there is a step
			}
			if o.Verdict == result.Unknown {
				s.effort += effortInVain
			}
		}
	}
}

// mostDialogues bounds the dialogues with running processes. Where there are more actions, each
// dialogue ends its processes when the parts of its action are done.
const mostDialogues = 64

// each works on parts: on parts of one action in sequence, on different actions in parallel.
func (s *search) each(parts []*part, work func(*part)) {
	byAction := map[*system.Action][]*part{}
	for _, part := range parts {
		s.dialogue(part.action)
		byAction[part.action] = append(byAction[part.action], part)
	}
	var wait sync.WaitGroup
	running := make(chan struct{}, mostDialogues)
	for action, parts := range byAction {
		running <- struct{}{}
		wait.Go(func() {
			defer func() { <-running }()
			for _, part := range parts {
				work(part)
			}
			if len(s.p.sys.Actions) > mostDialogues {
				s.dialogues[action].Close()
			}
		})
	}
	wait.Wait()
}

// worse is the next weaker bound on the growth of a variable, after a bound h that is refuted or
// not proved. The number of steps that are left to a fair action has no bound of 1: where it grows,
// it grows without bound.
func (v *variable) worse(h int) int {
	switch {
	case h < 0:
		return 0
	case h == 0 && v.left == nil && v.lexicographic == nil:
		return 1
	}
	return unbounded
}

// least gives the smallest bound that no witness refutes and that has not been tried in vain.
func (s *part) least(v *variable) int {
	h, ok := s.floor[v]
	if !ok {
		h = -1
	}
	for ; s.checked[v] < len(s.witnesses); s.checked[v]++ {
		for h < unbounded && s.witnesses[s.checked[v]].refutes(v.grows(s.action, h)) {
			h = v.worse(h)
		}
	}
	s.floor[v] = h
	return h
}

// measure bounds the growth of variables in parts, as far as a tier of these parts needs it. A
// variable that may grow without bound in one part is of no use to the tier. A variable that
// decreases in no part needs no bound. All open bounds of a part are one question; a step that
// refutes some of them weakens these, until no such step is found (as in Houdini: Flanagan, Leino,
// FME 2001). The remaining bounds are proved, together if possible. Where bounds are likely, proofs
// are tried first.
func (s *search) measure(ctx context.Context, parts []*part, vars []*variable) {
	ctx, done := s.during(ctx, result.StageDeltas)
	defer done()
	for _, part := range parts { // a variable over unmodified symbols does not change
		pre, post := s.p.versions(part.action)
		for _, v := range vars {
			if !v.opaque() && vc.SameIn(v.term, pre, post) {
				same := &discharge.Obligation{}
				same.Unmodified()
				part.change[v], part.floor[v], part.proofs[v] = 0, 0, same
			}
		}
	}
	if s.likely && len(vars) == 1 {
		s.prove(ctx, parts, vars[0])
	}
	for active := parts; len(active) > 0 && ctx.Err() == nil && s.effort < s.effortLimit; {
		open := s.open(parts, vars)
		active = slices.DeleteFunc(slices.Clone(active), func(part *part) bool {
			return len(open[part]) == 0
		})
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

// prove tries to prove the open bounds of one variable, each by one attempt. A bound that the
// solver refutes is weakened.
func (s *search) prove(ctx context.Context, parts []*part, v *variable) {
	questions := map[*part]*discharge.Obligation{}
	for part := range s.open(parts, []*variable{v}) {
		questions[part] = s.growth(part, []*variable{v}).FirstAttempt()
	}
	s.ask(ctx, parts, questions)
	for part, o := range questions {
		switch o.Verdict {
		case result.Holds:
			part.change[v], part.proofs[v] = part.least(v), o
		case result.NotInductive:
			part.floor[v] = v.worse(part.least(v))
		}
	}
}

// open lists, for each part, the variables that need a bound there which is not proved yet.
func (s *search) open(parts []*part, vars []*variable) map[*part][]*variable {
	out := map[*part][]*variable{}
	for _, v := range vars {
		least, most := unbounded, -1
		for _, part := range parts {
			h := part.least(v)
			least, most = min(least, h), max(most, h)
		}
		if most == unbounded || most > 0 && s.monotone || least >= 0 && (most > 0 || !s.splits) {
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

// bounds says that each variable grows by at most its smallest bound that is not refuted.
func (s *part) bounds(vars []*variable) *logic.Term {
	var out []*logic.Term
	for _, v := range vars {
		out = append(out, v.grows(s.action, s.least(v)))
	}
	return logic.And(out...)
}

// confirm proves the open bounds. A group that cannot be proved is halved; a single bound that
// cannot be proved is weakened.
func (s *search) confirm(ctx context.Context, parts []*part, vars []*variable) {
	todo := map[*part][][]*variable{} // groups to prove; the first of each part is next
	for part, open := range s.open(parts, vars) {
		opaque := slices.DeleteFunc(slices.Clone(open), func(v *variable) bool {
			return !v.opaque()
		})
		todo[part] = [][]*variable{slices.DeleteFunc(open, (*variable).opaque), opaque}
	}
	for ctx.Err() == nil && s.effort < s.effortLimit {
		open := s.open(parts, vars)
		questions := map[*part]*discharge.Obligation{}
		for part, groups := range todo {
			for len(groups) > 0 {
				groups[0] = slices.DeleteFunc(groups[0], func(v *variable) bool {
					return !slices.Contains(open[part], v)
				})
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
			case o.Verdict == result.Holds:
				for _, v := range group {
					part.change[v], part.proofs[v] = part.least(v), o
				}
			case len(group) > 1:
				half := (len(group) + 1) / 2
				rest = slices.Concat([][]*variable{group[:half], group[half:]}, rest)
			case group[0].lexicographic != nil && s.confirmOrder(ctx, part, group[0]):
			default:
				v := group[0]
				part.floor[v] = v.worse(part.least(v))
				rest = slices.Concat([][]*variable{{v}}, rest)
			}
			todo[part] = rest
		}
	}
}

// confirmOrder proves the open bound of a lexicographic order at the full limit. Such a bound has
// quantifiers of both kinds, and there are few of them.
func (s *search) confirmOrder(ctx context.Context, part *part, v *variable) bool {
	s.effort += effortInVain
	t, picture := s.p.stepOf(part)
	o := s.counted(part, v, part.least(v))
	o.Goal = vc.In(o.Goal, picture.States...)
	s.full.All(ctx, []*discharge.Group{{Theory: t, Path: picture,
		Obligations: []*discharge.Obligation{o}}})
	if o.Verdict != result.Holds {
		return false
	}
	part.change[v], part.proofs[v] = part.least(v), o
	return true
}

// growth is the obligation that each variable grows by at most its smallest bound that is not
// refuted.
func (s *search) growth(part *part, vars []*variable) *discharge.Obligation {
	o := s.obligation(fmt.Sprintf("%s: growth of %d variables", part, len(vars)), part.bounds(vars))
	if len(vars) > 1 {
		return o.FirstAttempt()
	}
	return o.Probe()
}

// split gives the two halves of a part. A variable that does not grow in the part does not grow in
// its halves, and may decrease there.
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
				half.change[v], half.proofs[v] = h, whole.proofs[v]
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
	return &part{action: a, change: map[*variable]int{}, floor: map[*variable]int{},
		checked: map[*variable]int{}, proofs: map[*variable]*discharge.Obligation{}}
}
