package discharge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/vc"
)

// asker asks solvers about the obligations of one group. Only one goroutine may use it.
type asker struct {
	modeller

	labelled map[vc.Rendering]labelled
	leads    map[method]*smt.Session // of attempts that share a process

	wholeKey, hintKey baseKey

	linearized bool
	linear     *asker // of the group without products; nil when there are none

	exact []exactFrame // nil before the first
}

// processes are the running solvers that are asked about a group.
type processes struct {
	in       *Discharger
	group    *Group
	scripts  map[vc.Rendering]*smt.Script
	sessions map[sessionKey]*smt.Session
	limits
	large bool // the steps of the group
}

type sessionKey struct {
	driver    int
	rendering vc.Rendering
	models    bool
}

func newProcesses(d *Discharger, g *Group) *processes {
	large := isLarge(g.Theory)
	return &processes{in: d, group: g, limits: d.limits(large), large: large,
		scripts: map[vc.Rendering]*smt.Script{}, sessions: map[sessionKey]*smt.Session{}}
}

func newAsker(d *Discharger, g *Group) *asker {
	a := &asker{modeller: modeller{newProcesses(d, g)}, labelled: map[vc.Rendering]labelled{},
		leads: map[method]*smt.Session{}}
	if d.opts.Lead == 0 && a.byModels() {
		a.lead = a.quick // see patient
	}
	return a
}

func (p *processes) close() {
	for _, s := range p.sessions {
		s.Close()
	}
}

func (a *asker) close() {
	a.processes.close()
	for _, s := range a.leads {
		s.Close()
	}
	if a.linear != nil {
		a.linear.close()
	}
	for _, f := range a.exact {
		f.models.close()
	}
}

// lowRlimit is a limit too low to try a tenth of it first.
const lowRlimit = DefaultRlimit / 30

// decide asks about an obligation and sets its verdict. All methods are tried at a tenth of the
// limit first: often one of them is quick where the others are stuck. Then some are tried with
// other seeds, then small models, then the parts of the obligation, and then the full limit. A low
// limit is spent in one round: processes that start only to give up cost more than they find.
// Before each of the limits, proofs without the meaning of products are tried. Without integers
// the usual options of one solver have more patience.
func (a *asker) decide(ctx context.Context, o *Obligation) {
	began := time.Now()
	defer func() { o.Elapsed = time.Since(began) }()
	if a.in.opts.Split && !o.quick && (a.splitAsBefore(ctx, o) || a.split(ctx, o)) {
		return
	}
	if o.effort != everything {
		a.spare(ctx, o)
		return
	}
	attempts := a.attempts()
	if o.firstOnly {
		a.try(ctx, o, attempts[:1], a.quick)
		return
	}
	if reason := a.in.givenUp.Load(); reason != nil && !o.quick &&
		a.group.Path.Kind != result.Witness {
		if !a.try(ctx, o, attempts[:1], a.quick) {
			o.Reason = result.Because(result.NotProved, *reason)
		}
		return
	}
	if a.group.Expected && !o.quick {
		if a.showsSmall(ctx, o, a.glance()) || a.try(ctx, o, attempts[:1], a.lead) ||
			a.showsSmall(ctx, o) {
			return
		}
	}
	if a.large || a.in.approximate {
		attempts = a.eachOnce(attempts)
	}
	if a.provesWithLikely(ctx, o) {
		return
	}
	attempts[0].scope = a.leadScope(o)
	if a.full <= lowRlimit && !o.quick {
		if !a.provesLinearly(ctx, o, a.full) {
			a.tryNarrower(ctx, o, attempts, a.full)
		}
		return
	}
	var usual []*attempt
	if a.byModels() && !o.quick {
		attempts, usual = patient(attempts)
		if a.try(ctx, o, attempts[:1], a.quick) || a.provesNarrowly(ctx, o, attempts[0]) {
			return
		}
		if a.try(ctx, o, []*attempt{attempts[0], usual[0]}, a.full/3) {
			return
		}
	}
	if a.provesLinearly(ctx, o, a.quick) {
		return
	}
	attempts, done := a.tryNarrower(ctx, o, attempts, a.quick)
	if done || o.quick || a.in.approximate && a.tryFewLaws(ctx, o, attempts) {
		return
	}
	if reason := a.tooHard(ctx, true); reason != "" {
		o.Reason = result.Because(result.NotProved, reason)
		return
	}
	for _, at := range usual {
		if a.try(ctx, o, []*attempt{attempts[0], at}, a.full/2) {
			return
		}
	}
	if a.try(ctx, o, restarts(attempts), a.quick/2) {
		return
	}
	if !a.group.Expected && a.showsSmall(ctx, o) {
		return
	}
	if a.split(ctx, o) {
		return
	}
	if !a.provesLinearly(ctx, o, a.full) {
		a.try(ctx, o, append(attempts, usual...), a.full)
	}
}

// mayBeEasy reports whether an obligation is worth a first look. Next to products a solver may not
// count what it spends.
func (a *asker) mayBeEasy(o *Obligation) bool {
	return !o.quick && !o.firstOnly && !o.Bounded && !a.large && !a.group.Expected &&
		a.products() == nil && a.full > lowRlimit
}

// easyLimit is the share of the limit of each question of the first look. Each solver has the share
// firstLook of that before one has all of it: often one is quick where another one is stuck.
const easyLimit, firstLook = 60, 8

// moderateLimit is the share of the limit of the first round that each method has in the second
// look.
const moderateLimit = 6

// spare asks about an obligation with little effort. What is not proved has no verdict yet.
func (a *asker) spare(ctx context.Context, o *Obligation) {
	if o.effort == easy {
		limit := max(a.full/easyLimit, 1)
		a.provesAtOnce(ctx, o, limit)
		if o.Verdict == "" {
			a.provesAsBefore(ctx, o, limit)
		}
		return
	}
	attempts := a.eachOnce(a.attempts())
	attempts[0].scope = a.leadScope(o)
	a.tryNarrower(ctx, o, attempts, max(a.quick/moderateLimit, 1))
	if o.Verdict == result.Unknown {
		o.Verdict, o.Reason = "", result.Reason{}
	}
}

// provesAtOnce asks each solver once, in a process that other obligations use, too. What none
// proves has no verdict yet.
func (a *asker) provesAtOnce(ctx context.Context, o *Obligation, limit int64) {
	p := part{goal: o.Goal}
	var asked []*attempt
	for _, at := range a.attempts() {
		if at.strategy == "" && !slices.ContainsFunc(asked, func(other *attempt) bool {
			return other.driver == at.driver
		}) {
			asked = append(asked, &attempt{method: at.method})
		}
	}
	a.in.preferences.order(o, asked)
	for i, at := range slices.Concat(asked, asked) {
		at.scope = a.leadScope(o)
		within := limit
		if i < len(asked) {
			within = max(limit/firstLook, 1)
		}
		r := a.start(ctx, o, p, at, within)()
		a.book(o, r)
		if r.err == nil && r.Status == smt.Unsat {
			o.Verdict, o.provers = result.Holds, []string{a.label(at)}
			o.Needs = a.needs(ctx, o, p, r)
			return
		}
	}
}

// Shares of the limit of the first attempt: where likely hypotheses are known, for an attempt with
// all hypotheses before; and for each of the attempts with the likely ones alone, which have
// different seeds.
const easyShare, likelyShare = 4, 3

// provesWithLikely tries to prove an obligation with the hypotheses that probably suffice, unless
// it is easy with all of them, and reports whether nothing is left to do. What is hard is mostly
// easier with few hypotheses; what is easy costs less in a process that has read all of them.
func (a *asker) provesWithLikely(ctx context.Context, o *Obligation) bool {
	if o.Likely == nil || o.Bounded || a.large || o.quick ||
		len(o.Likely) >= named(a.group.Theory) {
		return false
	}
	try := func(with attempt, limit int64) bool {
		one := func(a *asker) []*attempt {
			lead := a.attempts()[0]
			lead.scope, lead.seed = with.scope, with.seed
			lead.fresh, lead.core = with.seed > 0, true
			return []*attempt{lead}
		}
		return a.provesLinearlyBy(ctx, o, limit, one) || a.try(ctx, o, one(a), limit)
	}
	if try(attempt{method: method{scope: a.leadScope(o)}}, a.lead/easyShare) {
		return true
	}
	for seed := range likelyShare {
		if try(attempt{method: method{scope: likely}, seed: seed}, a.lead/likelyShare) {
			return true
		}
	}
	return false
}

// named is the number of hypotheses that have a name.
func named(t *vc.Theory) (n int) {
	for _, h := range t.Hypotheses {
		if h.Name != "" {
			n++
		}
	}
	return n
}

// showsSmall decides an obligation by a small model.
func (a *asker) showsSmall(ctx context.Context, o *Obligation, limits ...int64) bool {
	if a.in.approximate {
		return false
	}
	tr := a.smallModel(ctx, o, limits...)
	if tr != nil {
		o.Verdict, o.Reason, o.Trace = result.NotInductive, result.Reason{}, tr
	}
	return tr != nil
}

// tooHard gives the reason to stop, empty to go on. A scenario is not affected by violations.
func (a *asker) tooHard(ctx context.Context, failed bool) string {
	if a.in.opts.Hard == nil || a.group.Path.Kind == result.Witness {
		return ""
	}
	reason := a.in.opts.Hard(ctx, failed)
	if reason != "" {
		a.in.givenUp.Store(&reason)
	}
	return reason
}

// narrower lists the methods with fewer hypotheses: the hypotheses of the last proof, and the
// hypotheses related to the goal.
func (a *asker) narrower(o *Obligation) (out []*attempt) {
	if o.quick || a.large {
		return nil
	}
	var scopes []scope
	if o.hint != nil {
		scopes = append(scopes, needed)
	}
	if a.in.approximate {
		scopes = append(scopes, singly, ordered)
	}
	if r := relatedTo(a.group.Theory, o.Goal); len(r.Hypotheses)+len(r.Updates) <
		len(a.group.Theory.Hypotheses)+len(a.group.Theory.Updates) {
		scopes = append(scopes, related)
	}
	for _, s := range scopes {
		seen := map[int]bool{}
		for _, at := range a.attempts()[1:] {
			if !seen[at.driver] {
				seen[at.driver] = true
				w := at.method
				w.scope = s
				out = append(out, &attempt{method: w, fresh: true})
			}
		}
	}
	return out
}

// provesNarrowly tries fewer hypotheses at half the limit of the first attempt, which has failed.
// Once that has found nothing, it is not tried again.
func (a *asker) provesNarrowly(ctx context.Context, o *Obligation, first *attempt) bool {
	narrow := a.narrower(o)
	if len(narrow) == 0 || a.in.preferences.narrowingFailed.Load() {
		return false
	}
	done := a.try(ctx, o, append([]*attempt{first}, narrow...), a.quick/2)
	if !done {
		a.in.preferences.narrowingFailed.Store(true)
	}
	return done
}

// tryNarrower tries the first attempt, which mostly decides, then the cases of what held before the
// step, then the other attempts with the narrower ones before them, which it adds.
func (a *asker) tryNarrower(
	ctx context.Context, o *Obligation, attempts []*attempt, limit int64,
) (all []*attempt, done bool) {
	if a.try(ctx, o, attempts[:1], limit) || limit >= a.quick && a.splitAsBefore(ctx, o) ||
		a.in.approximate && a.exactly(ctx, o, a.glance()) {
		return attempts, true
	}
	all = slices.Insert(attempts, 1, a.narrower(o)...)
	return all, a.try(ctx, o, all, limit)
}

// fewLawsLimit is the share of the limit that an attempt with few laws has.
const fewLawsLimit = 3

// tryFewLaws spends more on an obligation next to sizes and sums that somebody claims, by the
// methods that leave most laws out: with all laws, more effort hardly helps. Nothing is left to do
// then, since nothing shows that a goal is false.
func (a *asker) tryFewLaws(ctx context.Context, o *Obligation, attempts []*attempt) (done bool) {
	if o.Modest || a.in.hard != nil && !o.alone {
		return true
	}
	few := attempts[:1:1] // it is not tried again
	for _, at := range attempts[1:] {
		if at.scope == singly || at.scope == ordered {
			few = append(few, at)
		}
	}
	a.try(ctx, o, few, a.full/fewLawsLimit)
	return true
}

// try asks by all the methods, and reports whether nothing is left to do.
func (a *asker) try(ctx context.Context, o *Obligation, attempts []*attempt, limit int64) bool {
	o.Verdict = result.Unknown
	p := part{goal: o.Goal}
	r, err := a.ask(ctx, o, p, attempts, limit)
	switch {
	case err != nil:
		o.Reason = result.Because(result.NotProved, err.Error())
		return true
	case r == nil && ctx.Err() != nil:
		o.Reason = result.Ended(ctx, "")
		return true
	case r == nil:
		o.Reason = result.Because(result.NotProved, a.reasons(attempts))
		return false
	case r.Status == smt.Unsat:
		o.Verdict, o.Reason, o.provers, o.Needs = result.Holds, result.Reason{},
			[]string{a.label(r.attempt)}, a.needs(ctx, o, p, r)
		return true
	}
	a.hasModel(ctx, o)
	return true
}

// hasModel settles an obligation that a solver has a model against, and looks for a small one.
func (a *asker) hasModel(ctx context.Context, o *Obligation) {
	if a.in.approximate && a.exactly(ctx, o, a.quick) {
		return
	}
	if a.refuted(o); o.quick || o.effort == moderate || o.Verdict == result.Unknown {
		return
	}
	if suspect := a.in.opts.Suspect; suspect != nil && a.group.isStep() {
		suspect(ctx)
	}
	if a.in.Violated(o.Property) == "" {
		o.Trace = a.smallModel(ctx, o)
	}
}

// refuted gives an obligation that a solver has a model against its verdict.
func (a *asker) refuted(o *Obligation) {
	o.Verdict, o.Reason = result.NotInductive, result.Reason{}
	if a.in.approximate {
		o.Verdict = result.Unknown
		o.Reason = result.Because(result.NotProved, "it does not follow from what proofs know of "+
			"sizes, sums and greatest values, which is not all that is true of them")
	}
}

// reasons states why each solver gave no answer.
func (a *asker) reasons(attempts []*attempt) string {
	var parts []string
	for _, at := range attempts {
		text := at.reason
		if label := a.label(at); !strings.HasPrefix(text, label) {
			text = label + ": " + text
		}
		if at.scope == whole && at.reason != "" && !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if a.large {
		parts = append(parts, largeLimit)
	}
	return strings.Join(parts, "; ")
}

// script gives the theory in a rendering.
func (p *processes) script(r vc.Rendering) (*smt.Script, error) {
	if s, ok := p.scripts[r]; ok {
		return s, nil
	}
	s, err := p.group.Theory.Script(r)
	if err != nil {
		return nil, fmt.Errorf("this cannot be given to a solver: %w", err)
	}
	p.scripts[r] = s
	return s, nil
}

func (p *processes) session(k sessionKey) *smt.Session {
	s, ok := p.sessions[k]
	if !ok {
		opts := p.in.opts
		s = smt.NewSession(p.in.drivers[k.driver],
			smt.Config{Seed: opts.Seed, Models: k.models, Large: p.large, Wall: opts.Wall,
				LogDir: opts.LogDir})
		p.sessions[k] = s
	}
	return s
}

// check asks one query and books its cost on the obligation.
func (p *processes) check(
	ctx context.Context, o *Obligation, k sessionKey, body *smt.Script, limit int64,
) (smt.Answer, error) {
	if err := p.in.health.check(k.driver); err != nil {
		return smt.Answer{}, err
	}
	q := smt.Query{Name: o.Name, Base: p.scripts[k.rendering].Lines(), Body: body.Lines(),
		Rlimit: limit, Wall: p.wall(limit)}
	answer, err := p.session(k).Check(ctx, q)
	p.in.health.book(k.driver, err)
	o.Queries++
	o.Rlimit += answer.Rlimit
	if err == nil {
		o.Solver = solverOf(p.in.drivers[k.driver])
	}
	return answer, err
}
