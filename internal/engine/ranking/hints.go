package ranking

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// hint is a line of the user's ranking. A hint is tried and not trusted: the user is told when it
// is wrong or not used.
type hint struct {
	line int
	text string
}

// hintIn is a hint of the file; nil if it stands nowhere, because the search has found it.
func hintIn(at diag.Span, text string, args ...any) *hint {
	if at.Source == nil {
		return nil
	}
	return &hint{at.Line(), fmt.Sprintf(text, args...)}
}

// limited is a hint that one integer is at most another. Their difference is a variable; the upper
// one is a limit of the lower one if no step changes it.
type limited struct {
	low, high *logic.Term
	rest      *variable // high - low
}

// limits reports whether the upper integer is a limit of a variable, if it is one.
func (l *limited) limits(v *variable) bool {
	return logic.MaxStep(l.high) < 0 && logic.Equal(v.term, l.low)
}

// never is a hint that an action has no step that satisfies a condition over its parameters.
type never struct {
	*hint
	action *system.Action // of the extended system
	such   *logic.Term
}

// hinted makes the variables that the user named.
func (p *problem) hinted(hints *system.Ranking) (out []*variable) {
	if hints == nil {
		return nil
	}
	var counts []*variable
	for _, m := range hints.Measures {
		v := p.measure(m)
		if v == nil {
			continue
		}
		v.hint = hintIn(m.Span, "%s", m)
		p.measures = append(p.measures, v)
		if m.Number != nil {
			out = append(out, v)
		} else {
			counts = append(counts, v)
		}
	}
	for _, t := range hints.Bounds {
		low, high := p.meaning(t.Args[0]), p.meaning(t.Args[1])
		rest := &variable{term: high, hint: &hint{t.Span.Line(), "bound " + t.String()}}
		if low.Op != logic.OpInt || low.Int.Sign() != 0 {
			rest.term = logic.Sub(high, low)
		}
		p.limits = append(p.limits, &limited{low, high, rest})
		out = append(out, rest)
	}
	return append(out, counts...)
}

// measure is the variable for a measure; nil if an instance may have infinitely many of its values.
func (p *problem) measure(m *system.Measure) *variable {
	switch {
	case m.Number != nil:
		return &variable{term: p.meaning(m.Number)}
	case m.Order != "":
		if !finiteRange(m.Vars[0].Sort) {
			return nil
		}
		return p.lexicographic(&lexicographic{place: m.Vars[0], such: p.meaning(m.Such),
			downwards: m.Order == system.Downwards})
	case m.Action == nil:
		return p.counting(m.Vars, p.meaning(m.Such))
	}
	args := make([]*logic.Term, len(m.Args))
	for i, t := range m.Args {
		args[i] = p.meaning(t)
	}
	return p.awaiting(m.Vars, p.meaning(m.Such), m.Action, args)
}

// meaning reads a term of the hints, in which the variables of the property and the choices are
// constants.
func (p *problem) meaning(t *logic.Term) *logic.Term { return logic.Subst(t, p.constants) }

// exclude proves the hints about steps that are never taken, and removes these steps from the
// search.
func (s *search) exclude(ctx context.Context) {
	ctx, done := s.during(ctx, result.StageContradictions)
	defer done()
	for _, n := range s.p.never {
		for i, whole := range s.start {
			if whole.action != n.action {
				continue
			}
			h := s.split(whole, s.intern(n.such))
			_, open := s.decide(ctx, func() []*discharge.Group {
				t, picture := s.p.stepOf(h[0])
				o := s.impossibility(h[0])
				h[0].impossible = o
				return []*discharge.Group{{Theory: t, Path: picture,
					Obligations: []*discharge.Obligation{o}}}
			})
			if open != nil {
				h[0].impossible = nil
				s.refuse(ctx, n.hint)
				continue
			}
			s.settled[h[0]] = true
			s.start[i] = h[1]
			s.excluded = append(s.excluded, exclusion{n.hint, whole})
		}
	}
}

// exclusion is a part that was split by a hint, one half of which is proved to have no step.
type exclusion struct {
	*hint
	whole *part
}

// useless tells the user which hints the proof does not need.
func (s *search) useless(ctx context.Context, tiers []*tier) {
	vars := used(tiers)
	limits := slices.Clone(vars)
	for _, l := range s.p.limits { // the first tier needs no limit
		if slices.ContainsFunc(used(tiers[min(1, len(tiers)):]), func(v *variable) bool {
			return v.limit == l.high
		}) {
			limits = append(limits, l.rest)
		}
	}
	for _, v := range s.named {
		if !slices.ContainsFunc(limits, func(u *variable) bool { // an order has the hint of a count
			return u == v || u.lexicographic != nil && u.hint == v.hint
		}) {
			s.report(v.hint, "is not used")
		}
	}
	mentioned := s.mentioned(tiers)
	for _, c := range slices.Backward(s.p.choices) {
		if !slices.Contains(mentioned, c) {
			s.report(c.hint, "is not used")
		}
	}
	for _, h := range s.p.caseHints {
		if !s.distinguishes(h, tiers) {
			s.report(h, "is not used")
		}
	}
	for _, x := range s.excluded {
		s.measure(ctx, []*part{x.whole}, vars)
		if x.whole.belongs(tiers) != nil {
			s.report(x.hint, "is not used")
		}
	}
}

// mentioned lists the choices that a proof mentions: in its functions, in the conditions on its
// steps, in a step that is left out, or in a later choice that it mentions.
func (s *search) mentioned(tiers []*tier) (out []*choice) {
	var terms []*logic.Term
	for _, v := range used(tiers) {
		terms = append(terms, v.term)
		if v.count != nil {
			terms = append(terms, v.count.such)
		}
		if l := v.lexicographic; l != nil {
			terms = append(append(terms, l.such), l.args...)
		}
	}
	for _, part := range partsOf(tiers) {
		terms = append(terms, part.conditions...)
	}
	for _, n := range s.p.never {
		terms = append(terms, n.such)
	}
	for _, c := range slices.Backward(s.p.choices) {
		if slices.ContainsFunc(terms, func(t *logic.Term) bool {
			return logic.Occurs(t, c.symbol, logic.Pre)
		}) {
			out, terms = append(out, c), append(terms, c.such)
		}
	}
	return out
}

// distinguishes reports whether a proof tells steps apart by a case of the hints, or has it in its
// functions. The formula of the case need not occur as it is: a conjunction is merged with others.
func (s *search) distinguishes(h *hint, tiers []*tier) bool {
	if slices.ContainsFunc(used(tiers), func(v *variable) bool { return v.byCase == h }) {
		return true
	}
	for _, v := range slices.Concat(s.p.indicators(), s.p.prophecies()) {
		for _, part := range partsOf(tiers) {
			if v.byCase == h && slices.Contains(part.by, s.mayDecrease(part.action, v)) {
				return true
			}
		}
	}
	return false
}

// belongs gives the first of the functions that changes in a part, if it decreases there; nil if it
// may grow.
func (p *part) belongs(tiers []*tier) *tier {
	for _, t := range tiers {
		sum := int64(0)
		for i, v := range t.vars {
			g := p.grows(v)
			if g == unbounded || !t.factors[i].IsInt64() {
				return nil
			}
			sum += t.factors[i].Int64() * int64(g)
		}
		if sum < 0 {
			return t
		}
		if sum > 0 {
			return nil
		}
	}
	return nil
}

// refuse reports a hint that is not proved, unless the search was interrupted.
func (s *search) refuse(ctx context.Context, h *hint) {
	if ctx.Err() == nil {
		s.report(h, "is not proved")
	}
}

// report reports a hint of the file once.
func (s *search) report(h *hint, what string) {
	if h == nil {
		return
	}
	text := fmt.Sprintf("%s: the hint in line %d %s: %s", s.property, h.line, what, h.text)
	if s.note != nil && !slices.Contains(s.reported, text) {
		s.reported = append(s.reported, text)
		s.note(text)
	}
}
