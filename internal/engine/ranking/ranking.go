// Package ranking proves liveness for all instances by ranking functions (Yao, Tao, Gu, Nieh:
// Mostly automated verification of liveness properties for distributed protocols with ranking
// functions, POPL 2024; here: the paper).
//
// In: a system with liveness properties forall V. trigger ~> good, perhaps with hints. Out: Holds
// with the ranking functions, or Unknown with the steps in which no function decreases, and a run
// of an instance that takes such a step.
//
// # Why it is right
//
// Assume a fair run with a state where the trigger is true, after which good is never true. Then
// the property is pending for ever, by the obligations of wellFormed (Eq. 12). Some action can
// always be taken (Eq. 11), so the run is infinite. Each of its steps belongs to a part. In the
// part, the ranking function of the part's tier decreases, and the functions of the tiers before do
// not grow. The functions are integers and never negative, so this cannot go on for ever (Theorem
// 3). The parts cover all steps, because each split is by a condition and its negation. Solvers
// discharge every one of these obligations; soundness does not depend on how the functions were
// found.
//
// Fairness is prophecy (section 7): each fair action has, for all values of its parameters, the
// number of steps that are left until it is taken. No bound on these numbers is assumed, so `holds`
// is about all fair runs. The bound of section 2 only serves to say how long a run takes. The
// paper's fairness-free protocol is the system as it is written, since it does not read the
// numbers: invariants are proved of it (Theorem 2).
//
// Every variable is an integer that is not negative, so factors are not negative either, and only
// the upper bounds among the deltas of Algorithm 2 matter. The search finds the tiers: each
// decreases in as many parts as possible. Factors are numbers; the polynomials of the paper arise
// when tiers are joined into one function (bound.go).
//
// A lexicographic order (lexicographic.go) is an ordinal in place of an integer, and decreases only
// finitely often, too.
//
// Counts are of finitely many values: an uninterpreted sort whose values are counted is finite, as
// it is in every instance.
package ranking

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Name is the engine's name in results.
const Name = "rank"

// Options are the settings of a proof.
type Options struct {
	discharge.Options
	Only      []string           // names of the properties; none means all liveness properties
	Proved    []result.Result    // results for this system; invariants without one are proved
	Instances []*system.Instance // searched for runs that take a step in which nothing decreases
	// Bounds the questions about cases of a property without hints, which then have a tenth of the
	// limit of resources; 0 means a search of minutes.
	Effort int
	// Observe has the bounds compared with the runs of the instances. Rounds, if it is not empty,
	// is the action whose steps are counted apart from the others.
	Observe  bool
	Rounds   string
	Sink     engine.Sink    // for the progress of the search
	track    *tracker       // of the property that is proved
	possible []*possibility // found once for all properties
	walks    []*walk        // of the instances, once for all properties
	guessing bool           // with hints that the search has guessed
	most     int            // bounds the questions about cases where Effort does not
}

// Prove gives a result for each liveness property. An error means that the proof could not be
// attempted.
func Prove(ctx context.Context, sys *system.System, opts Options) ([]result.Result, error) {
	var wanted []*system.Property
	var invariants []string
	for _, p := range sys.Properties {
		switch {
		case p.Kind == system.Liveness &&
			(len(opts.Only) == 0 || slices.Contains(opts.Only, p.Name)):
			wanted = append(wanted, p)
		case p.IsInvariant():
			invariants = append(invariants, p.Name)
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	proved, why, err := prove(ctx, sys, invariants, opts)
	if err != nil {
		return nil, fmt.Errorf("proving liveness of %s: %w", sys.Name, err)
	}
	if opts.possible, err = provedPossible(ctx, sys, proved, opts.Options); err != nil {
		return nil, fmt.Errorf("proving liveness of %s: %w", sys.Name, err)
	}
	opts.walks = walks(ctx, sys, opts.Instances, mostWalked)
	var out []result.Result
	for _, prop := range wanted {
		began := time.Now()
		r := result.Result{Property: prop.Name, Kind: prop.Kind, Line: prop.Span.Line(),
			Scope:  result.ScopeAll,
			Engine: Name, Verdict: result.Unknown, Reason: why, Evidence: &result.Evidence{}}
		within, cancel := opts.Each.Bound(ctx)
		if why.Code == result.NoInitialState {
			r.Verdict = result.NothingChecked
		}
		if !why.Given() {
			opts.track = &tracker{to: opts.Sink, property: prop.Name}
			opts.Begin, opts.Progress = opts.track.begin, nil
			if err := live(within, sys, prop, proved, opts, &r); err != nil && within.Err() == nil {
				cancel()
				return nil, fmt.Errorf("proving %s: %w", prop.Name, err)
			}
		}
		if ended := result.Over(within); ended.Given() && r.Verdict != result.Holds {
			if opts.track != nil {
				ended = ended.Then("; the proof had come to: " + opts.track.at())
			}
			r.Verdict, r.Reason = result.Unknown, ended
		}
		cancel()
		r.Elapsed = time.Since(began)
		out = append(out, r)
	}
	return out, nil
}

// prove proves the invariants that the obligations assume. Why is the reason when liveness cannot
// be proved at all.
func prove(
	ctx context.Context, sys *system.System, names []string, opts Options,
) (proved []*system.Property, why result.Reason, err error) {
	if len(names) == 0 {
		return nil, result.Reason{}, nil
	}
	var all []result.Result // of the inductions
	verdicts := func(results []result.Result) map[string]result.Verdict {
		all = slices.DeleteFunc(slices.Clone(results), func(r result.Result) bool {
			return r.Engine != induction.Name || r.Scope != result.ScopeAll
		})
		out := map[string]result.Verdict{}
		for _, r := range all {
			out[r.Property] = r.Verdict
		}
		return out
	}
	known := verdicts(opts.Proved)
	if slices.ContainsFunc(names, func(name string) bool { return known[name] == "" }) {
		results, err := induction.Prove(ctx, sys,
			induction.Options{Options: opts.Options, Only: names})
		if err != nil {
			return nil, result.Reason{}, err
		}
		known = verdicts(results)
	}
	for _, name := range names {
		p := sys.Property(name)
		switch {
		case known[name] == result.Holds:
			proved = append(proved, p)
		case known[name] == result.NothingChecked:
			return nil, result.Because(result.NoInitialState, "no initial state"), nil
		case p.Kind == system.Range:
			// A step out of a range is a violation and does not end the run, so a proof that
			// assumes the ranges would ignore the rest of the run.
			why = result.Because(result.RestsOnUnproved,
				fmt.Sprintf("liveness is proved of systems that keep to their ranges, and %s is "+
					"%s%s", name, known[name], lost(sys, name, all)))
		}
	}
	return proved, why, nil
}

// lost says why a range is not proved: the reason of its result, and the invariants that are no
// more assumed because they failed themselves.
func lost(sys *system.System, name string, all []result.Result) string {
	text := ""
	var failed []string
	for _, r := range all {
		switch p := sys.Property(r.Property); {
		case r.Property == name && r.Reason.Given():
			text = ": " + r.Reason.Text
		case r.Property != name && p != nil && p.Kind != system.Range &&
			(r.Verdict == result.NotInductive || r.Verdict == result.Violated):
			failed = append(failed, fmt.Sprintf("%s, which is %s", r.Property, r.Verdict))
		}
	}
	if text == "" && len(failed) > 0 {
		text = "; its proof may not assume " + strings.Join(failed, ", nor ")
	}
	return text
}

// plainEffort bounds the questions about cases where the search may guess hints afterwards.
const plainEffort = 1_000

// live proves one property, and writes the verdict to r. Where the hints of the file do not
// suffice, it goes on with guesses beside them. Without a proof, the first attempt says why.
func live(ctx context.Context, sys *system.System, prop *system.Property,
	invariants []*system.Property, given Options, r *result.Result) error {
	if reason := tooMany(sys); reason != "" {
		r.Reason = result.Because(result.NotProved, reason)
		return nil
	}
	hints := sys.RankingOf(prop)
	guessed := guesses(sys, prop, hints)
	if len(guessed) == 0 {
		return attempt(ctx, sys, prop, hints, invariants, given, r)
	}
	notes := func(o *Options) *[]string { // kept until it is known which attempt counts
		var kept []string
		o.Note = func(text string) { kept = append(kept, text) }
		return &kept
	}
	tell := func(kept *[]string) {
		for _, n := range *kept {
			if given.Note != nil {
				given.Note(n)
			}
		}
	}
	first, plain := *r, given
	first.Evidence, plain.most = &result.Evidence{}, plainEffort
	said := notes(&plain)
	err := attempt(ctx, sys, prop, hints, invariants, plain, &first)
	for i, hints := range guessed {
		if err != nil || first.Verdict != result.Unknown || ctx.Err() != nil {
			break
		}
		next, more := *r, given
		next.Evidence, more.guessing = &result.Evidence{}, true
		saidThen := notes(&more)
		var names []string
		if names, err = sure(ctx, sys, prop, hints, invariants, more); err != nil {
			break
		}
		hints, _ = certain(hints, names)
		err = attempt(ctx, sys, prop, hints, invariants, more, &next)
		first.Queries += next.Queries
		if next.Verdict == result.Holds {
			next.Queries = first.Queries
			proof := next.Evidence.Ranking.Proof
			proof.Guessed, proof.Guesses, proof.Sure = true, i, names
			*r = next
			tell(saidThen)
			return err
		}
	}
	*r = first
	tell(said)
	return err
}

// attempt proves one property with given hints, which may be nil.
func attempt(ctx context.Context, sys *system.System, prop *system.Property,
	hints *system.Ranking, invariants []*system.Property, given Options, r *result.Result) error {
	opts, own := given.Options, hints != nil && !given.guessing
	opts.Constants = true
	if given.Effort > 0 && !own {
		opts.Rlimit = max(cmp.Or(opts.Rlimit, discharge.DefaultRlimit)/10, 1)
	}
	p := newProblem(sys, prop, hints, invariants, given.possible...)
	named, vars, whole, single := p.candidates(hints)
	sure, err := discharge.New(ctx, p.sys, opts)
	if err != nil {
		return err
	}
	if sure.Contradictory(ctx, "an initial state", p.initial()) {
		r.Verdict, r.Reason = result.NothingChecked,
			result.Because(result.NoInitialState, "no initial state")
		return nil
	}
	share := int64(20)
	if own { // hints are few, and worth more than guesses
		share = 4
	}
	opts.Rlimit = lower(opts.Rlimit, share)
	quick, err := discharge.New(ctx, p.sys, opts)
	if err != nil {
		return err
	}
	s := newSearch(p, prop)
	s.quick, s.full, s.named, s.note, s.effortLimit = quick, sure, named, given.Note, maxEffort
	s.track = given.track
	s.samples = p.sampled(given.walks)
	defer s.close()
	distances := p.distances(s.orders(ctx))
	if err := system.Validate(p.sys); err != nil {
		return fmt.Errorf("internal error: the extended system: %w", err)
	}
	s.start = slices.Clone(s.roots)
	for _, inv := range invariants {
		r.Evidence.Invariant = append(r.Evidence.Invariant, inv.Name)
	}
	for _, t := range p.trusted {
		r.Evidence.Trusted = append(r.Evidence.Trusted, t.Name)
	}
	book := func(os ...*discharge.Obligation) {
		for _, o := range os {
			r.Queries += o.Queries
			r.Evidence.Obligations = append(r.Evidence.Obligations, o.Obligation)
		}
	}

	if hints == nil || hints.Pending == nil {
		if _, o := s.decide(ctx, s.persists); o != nil {
			p.pending = logic.True // pending is then every state that is not good
		}
	}
	stop := s.during(result.StageGoodEnd)
	formed, o := s.decide(ctx, s.wellFormed)
	stop()
	book(formed...)
	if o != nil {
		r.Reason = result.Because(result.NotProved, "not proved: "+o.Name)
		for _, c := range p.choices {
			if o.Name == c.exists() {
				s.refuse(ctx, c.hint)
			}
		}
		return nil
	}
	stop = s.during(result.StageNoDeadlock)
	claim, weakest := s.progress(ctx)
	if claim == nil {
		s.noProgress(ctx, weakest, given.Effort == 0, r)
		stop()
		return nil
	}
	stop()
	book(claim)
	p.progresses(claim.Goal)

	s.exclude(ctx)
	all, tiers, left := s.find(ctx, hints, given, vars, p.turns(), whole, distances, single)
	if ctx.Err() != nil {
		return ctx.Err() // what is not known by now is not known to be so
	}
	r.Evidence.Search = &result.Search{}
	if len(left) > 0 {
		s.number(append(slices.Clone(tiers), &tier{parts: left}))
		s.record(r.Evidence.Search, all, tiers, left)
		r.Reason = result.Because(result.NotProved,
			"no ranking function was found that decreases in "+list(left))
		if s.effort >= s.effortLimit {
			r.Reason.Text = "the search was cut short, and so far " + r.Reason.Text
		}
		if given.guessing {
			return nil // the attempt without guesses says what is missing
		}
		trace, remark, err := s.explain(ctx, sys, left, given.Instances)
		if remark != "" {
			r.Reason = r.Reason.Then("; " + remark)
		}
		r.Trace = trace
		if err == nil && remark == "" {
			r.Reason = r.Reason.Then("; " + s.missing(left[0]))
			if given.Effort == 0 && hints == nil && given.Note != nil {
				given.Note(s.skeleton(left[0]))
			}
		}
		return err
	}
	tiers = s.minimise(ctx, tiers)
	s.number(tiers)
	rests, err := s.check(ctx, tiers, r)
	book(rests...)
	if err != nil || r.Verdict != result.Holds {
		return err
	}
	r.Evidence.Ranking = s.ranking(tiers, claim.Goal)
	r.Evidence.Ranking.Unfair = s.unfair(claim.Name)
	r.Evidence.Ranking.Proof = s.proof(claim.Name, tiers)
	bound, limits := s.timeBound(ctx, tiers)
	if bound != nil {
		book(limits...)
		r.Evidence.Ranking.Steps = bound.String()
		r.Evidence.Ranking.Proof.Bound = written(bound, tiers)
	}
	if given.Observe {
		limits, err := s.watch(ctx, bound, tiers, given, r.Evidence.Ranking)
		book(limits...)
		if err != nil {
			return err
		}
	}
	s.useless(ctx, tiers)
	s.record(r.Evidence.Search, used(tiers), tiers, nil)
	return nil
}

// lower is the limit of questions that may stay open: a share of the default limit, but no more
// than the user's, if there is one.
func lower(limit, share int64) int64 {
	return min(cmp.Or(limit, discharge.DefaultRlimit), discharge.DefaultRlimit/share)
}

// find looks for tiers among variables: with few of them first, and without splitting the actions.
// It gives the variables that were tried, the tiers, and the parts in which nothing decreases.
func (s *search) find(ctx context.Context, hints *system.Ranking, given Options,
	vars, turns, whole, distances, single []*variable,
) (all []*variable, tiers []*tier, left []*part) {
	own := func(vars []*variable) []*variable {
		return s.p.fromCoarse(slices.DeleteFunc(slices.Clone(vars), func(v *variable) bool {
			return v.hint == nil && v.left == nil
		}))
	}
	if hints != nil && len(hints.Counts) > 0 && !given.guessing {
		// Who says what to count may leave other sorts infinite, such as the slots of a log.
		all, s.splits = s.bounded(ctx, own(slices.Concat(vars, turns))), true
		if tiers, left = s.descent(ctx, s.start, all); len(left) == 0 {
			return all, tiers, nil
		}
		s.splits = false
	}
	if few := s.certainly(vars); given.guessing && len(few) > 0 {
		all = s.bounded(ctx, few)
		if tiers, left = s.tiers(ctx, s.start, all); len(left) == 0 {
			return all, tiers, nil
		}
	}
	vars = s.bounded(ctx, vars)
	all = slices.Concat(vars, whole, s.bounded(ctx, distances), single)
	plain, counts, most := all[:len(vars)], all[:len(vars)+len(whole)], all[:len(all)-len(single)]
	// A bound on a count in all steps of an action costs less than splitting the action into parts.
	for _, try := range []struct {
		vars   []*variable
		splits bool
	}{{plain, false}, {counts, false}, {most, false}, {own(vars), true}, {counts, true},
		{all, true}} {
		most := cmp.Or(given.Effort, given.most)
		if try.splits && !s.splits && (hints == nil || given.guessing) && most > 0 {
			s.effortLimit = min(s.effortLimit, s.effort+most)
		}
		search := s.tiers
		if s.splits = try.splits; s.splits {
			search = s.descent
		}
		if tiers, left = search(ctx, s.start, try.vars); len(left) == 0 {
			break
		}
	}
	return all, tiers, left
}

// fromCoarse sorts variables from coarse to fine. What speaks of no choice comes first, then what
// speaks of the first choice, and so on; a choice may only stay the same while what is before it
// does. The hints of the file come in their order. The number of steps that are left to one weakly
// fair action may rise again whenever the action becomes possible: such numbers come after all
// others.
func (p *problem) fromCoarse(vars []*variable) []*variable {
	level := func(v *variable) int {
		level := 0
		for i, c := range p.choices {
			if logic.Occurs(v.inside(), c.symbol, logic.Pre) {
				level = i + 1
			}
		}
		if len(v.left) == 1 && v.left[0].action.Fairness == system.Weak {
			level += len(p.choices) + 1
		}
		return level
	}
	out := slices.Clone(vars)
	line := func(v *variable) int {
		switch {
		case v.hint != nil:
			return v.hint.line
		case len(v.left) > 1:
			return math.MaxInt - 1
		}
		return math.MaxInt
	}
	slices.SortStableFunc(out, func(a, b *variable) int {
		return cmp.Or(cmp.Compare(level(a), level(b)), cmp.Compare(line(a), line(b)))
	})
	return out
}

// mostNumbers bounds the numbers of steps that are left to fair actions, one in each action: each
// step changes each of them.
const mostNumbers = 20_000

// tooMany says that the search has too many numbers to bound; it is empty where it has not.
func tooMany(sys *system.System) string {
	fair := 0
	for _, a := range sys.Actions {
		if a.Fairness != system.Unfair {
			fair++
		}
	}
	if n := fair * len(sys.Actions); n > mostNumbers {
		return fmt.Sprintf("%d fair actions have %d numbers of steps that are left, one for each "+
			"of %d actions, and the limit is %d", fair, n, len(sys.Actions), mostNumbers)
	}
	return ""
}

// candidates lists the variables to try, except distances. The variables that the user named are
// among vars.
func (p *problem) candidates(hints *system.Ranking) (named, vars, whole, single []*variable) {
	named = p.hinted(hints)
	vars = slices.Concat(named, p.integers(), p.cyclic(), p.indicators(), p.prophecies(),
		p.inOrder(named))
	whole, single = p.counts()
	return named, vars, whole, single
}

// bounded keeps the variables that are proved not to be negative (Algorithm 1). A variable that the
// user named gets more effort.
func (s *search) bounded(ctx context.Context, vars []*variable) []*variable {
	defer s.during(result.StageBounds)()
	notNegative := func(v *variable) *logic.Term { return logic.Le(logic.IntLit(0), v.term) }
	state := func(vs ...*variable) []*discharge.Group {
		g := s.here()
		for _, v := range vs {
			g.Obligations = append(g.Obligations,
				s.obligation(v.String()+" is not negative", notNegative(v)).FirstAttempt())
		}
		return []*discharge.Group{g}
	}
	open := slices.DeleteFunc(slices.Clone(vars), func(v *variable) bool {
		return v.nonNegative || v.hint == nil && s.refuted(notNegative(v))
	})
	groups := state(open...)
	s.quick.All(ctx, groups)
	for i, o := range groups[0].Obligations {
		v := open[i]
		v.nonNegative = o.Verdict == result.Holds
		if v.nonNegative || v.hint == nil {
			continue
		}
		if _, o := s.decide(ctx, func() []*discharge.Group { return state(v) }); o != nil {
			s.refuse(ctx, v.hint)
			s.named = slices.DeleteFunc(s.named, func(u *variable) bool { return u == v })
			continue
		}
		v.nonNegative = true
	}
	for _, l := range s.p.limits {
		for _, v := range vars {
			if l.rest.nonNegative && l.limits(v) {
				v.limit = l.high
			}
		}
	}
	var counted []*variable
	var idle []*discharge.Obligation
	for _, v := range vars {
		if v.empty != nil && !s.refuted(v.empty) {
			counted, idle = append(counted, v),
				append(idle, s.obligation(v.String()+" is 0", v.empty).Probe())
		}
	}
	if len(idle) > 0 {
		groups[0].Obligations = idle
		s.quick.All(ctx, groups)
	}
	return slices.DeleteFunc(slices.Clone(vars), func(v *variable) bool {
		i := slices.Index(counted, v)
		return !v.nonNegative || i >= 0 && idle[i].Verdict == result.Holds
	})
}

func list(parts []*part) string { return strings.Join(names(parts), "; ") }

// names lists the names of parts. The numbers of parts of one action are joined.
func names(parts []*part) (out []string) {
	at := map[*system.Action]int{}
	for _, p := range parts {
		switch i, ok := at[p.action]; {
		case p.number == 0:
			out = append(out, p.String())
		case ok:
			out[i] = strings.Replace(out[i], " case ", " cases ", 1) + fmt.Sprintf(", %d", p.number)
		default:
			at[p.action] = len(out)
			out = append(out, p.String())
		}
	}
	return out
}

// ranking writes down the ranking functions, with the claim that some action can be taken.
func (s *search) ranking(tiers []*tier, claim *logic.Term) *result.Ranking {
	out := &result.Ranking{Pending: s.p.prerequisite().String()}
	mentioned := s.mentioned(tiers)
	for _, c := range s.p.choices {
		if c.hint != nil || slices.Contains(mentioned, c) {
			out.Choices = append(out.Choices, result.Choice{Name: c.symbol.Name,
				Condition: c.fits(logic.Pre, logic.Pre).String()})
		}
	}
	out.Finite = s.finite(tiers, claim)
	for _, t := range tiers {
		out.Tiers = append(out.Tiers, result.Tier{Function: t.term().String(),
			Steps: names(t.parts), Prophecy: slices.ContainsFunc(t.vars, func(v *variable) bool {
				return v.left != nil
			})})
	}
	return out
}

// finite names the uninterpreted sorts that must be finite: their values are counted, or a first
// value is assumed to exist.
func (s *search) finite(tiers []*tier, claim *logic.Term) (names []string) {
	_, sorts := extrema(claim)
	for _, c := range s.p.possible {
		_, of := extrema(c.chosen)
		sorts = append(sorts, of...)
	}
	for _, c := range s.p.choices {
		_, of := extrema(c.some())
		sorts = append(sorts, of...)
	}
	for _, v := range used(tiers) {
		if v.count != nil {
			for _, x := range v.count.vars {
				sorts = append(sorts, x.Sort)
			}
		}
	}
	for _, sort := range sorts {
		if sort.Kind == logic.KindUninterpreted && !slices.Contains(names, sort.Name) {
			names = append(names, sort.Name)
		}
	}
	return names
}

// unfair names the actions that a run may neglect, where the proof rests on some action being taken
// as long as one can be, fair or not.
func (s *search) unfair(claim string) (names []string) {
	if claim == fairAhead || claim == fairKnown || claim == fairAny {
		return nil
	}
	for _, a := range s.p.original.Actions {
		if a.Fairness == system.Unfair || a.FairIf != nil {
			names = append(names, a.Name)
		}
	}
	return names
}
