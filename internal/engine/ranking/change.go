package ranking

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// unbounded is the change of a variable that has no known bound.
const unbounded = result.Unbounded

// grows bounds the growth of a variable. A bound that was not asked for is unbounded.
func (p *part) grows(v *variable) int {
	if h, ok := p.change[v]; ok {
		return h
	}
	return unbounded
}

// stepOf gives the theory of the part's steps between states in which the property is pending.
func (p *problem) stepOf(of *part) (*vc.Theory, vc.Path) {
	t, picture := p.step(of.action, true)
	for _, c := range of.conditions {
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
func (p *part) least(v *variable) int {
	h, ok := p.floor[v]
	if !ok {
		h = -1
	}
	for ; p.checked[v] < len(p.witnesses); p.checked[v]++ {
		for h < unbounded && p.witnesses[p.checked[v]].refutes(v.grows(p.action, h)) {
			h = v.worse(h)
		}
	}
	p.floor[v] = h
	return h
}

// deltas bounds how much variables grow in the steps of parts (Algorithm 2).
type deltas struct {
	*steps
	splits   bool // tiers may split parts by where a variable decreases
	monotone bool // variables are measured only where they grow in no part
	// The bounds of single variables are likely to hold, as the user chose and ordered these.
	likely bool
}

// measure bounds the growth of variables in parts, as far as a tier of these parts needs it. A
// variable that may grow without bound in one part is of no use to the tier. A variable that
// decreases in no part needs no bound. All open bounds of a part are one question; a step that
// refutes some of them weakens these, until no such step is found (as in Houdini: Flanagan, Leino,
// FME 2001). The remaining bounds are proved, together if possible. Where bounds are likely, proofs
// are tried first.
func (d *deltas) measure(ctx context.Context, parts []*part, vars []*variable) {
	ctx, done := d.stages.during(ctx, result.StageDeltas)
	defer done()
	for _, part := range parts { // a variable over unmodified symbols does not change
		pre, post := d.p.versions(part.action)
		for _, v := range vars {
			if !v.opaque() && vc.SameIn(v.term, pre, post) {
				same := &discharge.Obligation{}
				same.Unmodified()
				part.change[v], part.floor[v], part.proofs[v] = 0, 0, same
			}
		}
	}
	if d.likely && len(vars) == 1 {
		d.prove(ctx, parts, vars[0])
	}
	for active := parts; len(active) > 0 && ctx.Err() == nil && !d.exhausted(); {
		open := d.open(parts, vars)
		active = slices.DeleteFunc(slices.Clone(active), func(part *part) bool {
			return len(open[part]) == 0
		})
		found := make([]bool, len(active))
		d.each(active, func(part *part) {
			found[slices.Index(active, part)] = d.counter(ctx, part, part.bounds(open[part]))
		})
		d.effort += len(active)
		var rest []*part
		for i, part := range active {
			if found[i] {
				part.settled = true
				rest = append(rest, part)
			}
		}
		active = rest
	}
	d.confirm(ctx, parts, vars)
}

// prove tries to prove the open bounds of one variable, each by one attempt. A bound that the
// solver refutes is weakened.
func (d *deltas) prove(ctx context.Context, parts []*part, v *variable) {
	questions := map[*part]*discharge.Obligation{}
	for part := range d.open(parts, []*variable{v}) {
		questions[part] = d.growth(part, []*variable{v}).FirstAttempt()
	}
	d.ask(ctx, parts, questions)
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
func (d *deltas) open(parts []*part, vars []*variable) map[*part][]*variable {
	out := map[*part][]*variable{}
	for _, v := range vars {
		least, most := unbounded, -1
		for _, part := range parts {
			h := part.least(v)
			least, most = min(least, h), max(most, h)
		}
		if most == unbounded || most > 0 && d.monotone || least >= 0 && (most > 0 || !d.splits) {
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
func (p *part) bounds(vars []*variable) *logic.Term {
	var out []*logic.Term
	for _, v := range vars {
		out = append(out, v.grows(p.action, p.least(v)))
	}
	return logic.And(out...)
}

// confirm proves the open bounds. A group that cannot be proved is halved; a single bound that
// cannot be proved is weakened.
func (d *deltas) confirm(ctx context.Context, parts []*part, vars []*variable) {
	todo := map[*part][][]*variable{} // groups to prove; the first of each part is next
	for part, open := range d.open(parts, vars) {
		opaque := slices.DeleteFunc(slices.Clone(open), func(v *variable) bool {
			return !v.opaque()
		})
		todo[part] = [][]*variable{slices.DeleteFunc(open, (*variable).opaque), opaque}
	}
	for ctx.Err() == nil && !d.exhausted() {
		open := d.open(parts, vars)
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
				questions[part] = d.growth(part, groups[0])
			}
		}
		if len(questions) == 0 {
			return
		}
		d.ask(ctx, parts, questions)
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
			case group[0].lexicographic != nil && d.confirmOrder(ctx, part, group[0]):
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
func (d *deltas) confirmOrder(ctx context.Context, part *part, v *variable) bool {
	d.effort += effortInVain
	t, picture := d.p.stepOf(part)
	o := d.p.counted(part, v, part.least(v))
	o.Goal = vc.In(o.Goal, picture.States...)
	d.full.All(ctx, []*discharge.Group{{Theory: t, Path: picture,
		Obligations: []*discharge.Obligation{o}}})
	if o.Verdict != result.Holds {
		return false
	}
	part.change[v], part.proofs[v] = part.least(v), o
	return true
}

// growth is the obligation that each variable grows by at most its smallest bound that is not
// refuted.
func (d *deltas) growth(part *part, vars []*variable) *discharge.Obligation {
	o := d.p.obligation(fmt.Sprintf("%s: growth of %d variables", part, len(vars)),
		part.bounds(vars))
	if len(vars) > 1 {
		return o.FirstAttempt()
	}
	return o.Probe()
}
