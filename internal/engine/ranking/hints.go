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
	from   *part // that these steps are proved to be absent from; nil for none
}

// hints are what the user's ranking says about a problem, beside what stays true and the choices.
type hints struct {
	given    *system.Ranking // as the file says it; nil if it says nothing
	named    []*variable     // the variables of its lines
	measures []*variable     // the ones for its measures, in their order
	limits   []*limited
	cases    []*distinction
	never    []*never
}

// distinction is a hint that a formula tells cases apart.
type distinction struct {
	*hint
	when *logic.Term
}

// read reads the hints, if there are some.
func (c *candidates) read(given *system.Ranking) {
	if c.given = given; given == nil {
		return
	}
	var counts []*variable
	for _, m := range given.Measures {
		v := c.measure(m)
		if v == nil {
			continue
		}
		v.hint = hintIn(m.Span, "%s", m)
		c.measures = append(c.measures, v)
		if m.Number != nil {
			c.named = append(c.named, v)
		} else {
			counts = append(counts, v)
		}
	}
	for _, t := range given.Bounds {
		low, high := c.p.meaning(t.Args[0]), c.p.meaning(t.Args[1])
		rest := &variable{term: high, hint: &hint{t.Span.Line(), "bound " + t.String()}}
		if low.Op != logic.OpInt || low.Int.Sign() != 0 {
			rest.term = logic.Sub(high, low)
		}
		c.limits = append(c.limits, &limited{low, high, rest})
		c.named = append(c.named, rest)
	}
	c.named = append(c.named, counts...)
	for _, t := range given.Cases {
		c.cases = append(c.cases, &distinction{hintIn(t.Span, "case %s", t), c.p.meaning(t)})
	}
	for _, n := range given.Never {
		a := c.p.sys.Actions[slices.Index(c.p.original.Actions, n.Action)]
		such := instantiate(c.p.meaning(n.Such), n.Vars, logic.Refs(a.Params))
		c.never = append(c.never, &never{&hint{n.Span.Line(), n.String()}, a, such, nil})
	}
}

// measure is the variable for a measure; nil if an instance may have infinitely many of its values.
func (c *candidates) measure(m *system.Measure) *variable {
	switch {
	case m.Number != nil:
		return &variable{term: c.p.meaning(m.Number)}
	case m.Order != "":
		if !finiteRange(m.Vars[0].Sort) {
			return nil
		}
		return c.lexicographic(&lexicographic{place: m.Vars[0], such: c.p.meaning(m.Such),
			downwards: m.Order == system.Downwards})
	case m.Action == nil:
		return c.counting(m.Vars, c.p.meaning(m.Such))
	}
	args := make([]*logic.Term, len(m.Args))
	for i, t := range m.Args {
		args[i] = c.p.meaning(t)
	}
	return c.awaiting(m.Vars, c.p.meaning(m.Such), m.Action, args)
}

// meaning reads a term of the hints, in which the variables of the property and the choices are
// constants.
func (p *problem) meaning(t *logic.Term) *logic.Term { return logic.Subst(t, p.constants) }

// exclude proves the hints about steps that are never taken, and removes these steps from the
// search.
func (s *search) exclude(ctx context.Context) {
	ctx, done := s.steps.stages.during(ctx, result.StageContradictions)
	defer done()
	p := s.c.p
	for _, n := range s.c.never {
		for i, whole := range s.start {
			if whole.action != n.action {
				continue
			}
			h := whole.split(s.parts.intern(n.such))
			_, open := s.steps.decide(ctx, func() []*discharge.Group {
				t, picture := p.stepOf(h[0])
				o := p.impossibility(h[0])
				h[0].impossible = o
				return []*discharge.Group{{Theory: t, Path: picture,
					Obligations: []*discharge.Obligation{o}}}
			})
			if open != nil {
				h[0].impossible = nil
				s.notes.refuse(ctx, n.hint)
				continue
			}
			h[0].settled = true
			s.start[i], n.from = h[1], whole
		}
	}
}

// useless tells the user which hints a proof does not need.
func (s *search) useless(ctx context.Context, found *proof) {
	vars := used(found.tiers)
	limits := slices.Clone(vars)
	for _, l := range s.c.limits { // the first tier needs no limit
		if slices.ContainsFunc(below(found.tiers), func(v *variable) bool {
			return v.limit == l.high
		}) {
			limits = append(limits, l.rest)
		}
	}
	for _, v := range s.c.named {
		if !slices.ContainsFunc(limits, func(u *variable) bool { // an order has the hint of a count
			return u == v || u.lexicographic != nil && u.hint == v.hint
		}) {
			s.notes.unused(v.hint)
		}
	}
	mentioned := found.mentioned()
	for _, c := range slices.Backward(s.c.p.choices) {
		if !slices.Contains(mentioned, c) {
			s.notes.unused(c.hint)
		}
	}
	for _, d := range s.c.cases {
		if !s.distinguishes(d.hint, found.tiers) {
			s.notes.unused(d.hint)
		}
	}
	for _, n := range s.c.never {
		if n.from == nil {
			continue
		}
		s.deltas.measure(ctx, []*part{n.from}, vars)
		if n.from.belongs(found.tiers) != nil {
			s.notes.unused(n.hint)
		}
	}
}

// distinguishes reports whether a proof tells steps apart by a case of the hints, or has it in its
// functions. The formula of the case need not occur as it is: a conjunction is merged with others.
func (s *search) distinguishes(h *hint, tiers []*tier) bool {
	if slices.ContainsFunc(used(tiers), func(v *variable) bool { return v.byCase == h }) {
		return true
	}
	for _, v := range s.c.vars {
		for _, part := range partsOf(tiers) {
			if v.byCase == h && slices.Contains(part.by, s.parts.mayDecrease(part.action, v)) {
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
		switch sum := t.growth(p); {
		case sum == nil || sum.Sign() > 0:
			return nil
		case sum.Sign() < 0:
			return t
		}
	}
	return nil
}

// notes tell the user of hints of the file, of each the same once.
type notes struct {
	property string
	tell     func(string) // may be nil
	told     []string
}

// refuse says that a hint is not proved, unless the search was interrupted.
func (n *notes) refuse(ctx context.Context, h *hint) {
	if ctx.Err() == nil {
		n.report(h, "is not proved")
	}
}

func (n *notes) unused(h *hint) { n.report(h, "is not used") }

func (n *notes) report(h *hint, what string) {
	if h == nil || n.tell == nil {
		return
	}
	text := fmt.Sprintf("%s: the hint in line %d %s: %s", n.property, h.line, what, h.text)
	if !slices.Contains(n.told, text) {
		n.told = append(n.told, text)
		n.tell(text)
	}
}
