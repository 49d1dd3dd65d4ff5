package derive

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/result"
)

// A property `eventually always body` follows from properties of states in two ways (section 8).
//
// Within e, for a body that requires the peer to have crashed. A ghost counts the rounds since the
// crash, which is for ever, as far as e + 1; e is the same in all states of a run. If body holds
// whenever the ghost exceeds e, then body holds from some time on; and if the peer does not crash,
// body holds always.
//
// By x until g, for a body that requires both processes to be correct, and a g that is the same in
// all states. Four things are shown of all states and steps: (a) x never decreases; (b) if a
// message arrives while body is false, x increases; (c) body becomes true only when a message
// arrives; (d) where x >= g, body holds. Suppose that body is false again and again. Then x < g
// always, by (a) and (d), so x is constant from some time on. Let body be false after that: it
// stays so until a message arrives, by (c), and one does: the sender sends again and again and the
// receiver receives again and again (PS2), and what is Delta old arrives at the next receive (PS1).
// Then x increases, by (b): a contradiction.
//
// With a stabilisation time, (d) may fail before it, and mistakes made then may last until a
// message arrives. So (d) is asked only once a ghost, calm, is true: a message has arrived at a
// time with bounded delays at which x >= g. Calm becomes true, and stays so: suppose that body is
// false again and again. By (c), it stays false until a message arrives, and messages keep
// arriving once the bounds hold. So messages arrive again and again while body is false, and by
// (a) and (b) x exceeds every number. The first message after that, at a time with bounded delays,
// makes calm true, and body holds from then on, by (d): a contradiction.
type ghosts struct {
	w     *oneWay
	props []*property
}

// parts names the properties of states that imply the property of runs.
func (p *property) parts() []string {
	switch {
	case p.within == nil:
		return nil
	case p.within.Within != nil:
		return []string{p.Name.Text + ":within"}
	}
	n := p.Name.Text
	return []string{n + ":monotone", n + ":grows", n + ":stays", n + ":enough"}
}

// safety states the rule by which the property follows from its parts.
func (p *property) safety(a *algorithm) result.Reduction {
	switch {
	case p.within.Within != nil:
		return result.Reduction{Name: "safety", Theorem: "section 8.2",
			Detail: "it holds within a bounded number of rounds after the crash, which is for ever"}
	case a.gst != "":
		return result.Reduction{Name: "safety",
			Theorem: "section 8.1 for bounds from a given round on",
			Detail: fmt.Sprintf("%s grows with every mistake, and once it is large and a message "+
				"has arrived with bounded delays there are none", p.within.By.Text)}
	}
	return result.Reduction{Name: "safety", Theorem: "section 8.1",
		Detail: fmt.Sprintf("%s grows with every mistake, and with a large one there are none",
			p.within.By.Text)}
}

// enough is the condition under which the property holds for ever, where it is reduced by a
// variable that grows.
func (g *ghosts) enough(p *property) expr {
	if g.w.alg.gst != "" {
		return expr(g.name(p, "calm"))
	}
	return g.large(p)
}

// large is the condition that the variable is as large as the reduction asks for.
func (g *ghosts) large(p *property) expr {
	return exprOf("%s >= %s", name(p.within.By.Text), g.w.hole(p.within.Until))
}

// name is the name of a ghost of a property.
func (g *ghosts) name(p *property, what string) name { return g.w.name(p.Name.Text + "_" + what) }

// check reports why a reduction cannot be used.
func (p *property) check(a *algorithm, errs *diag.List) {
	r := p.within
	switch {
	case r == nil:
	case !a.timing.aged():
		errs.Errorf(diag.AlgorithmForm, r.Span, "a reduction to states is for partial synchrony")
	case p.shape != eventuallyAlways:
		errs.Errorf(diag.AlgorithmForm, r.Span,
			"a reduction to states is for properties of the form eventually always e").
			Because(p.Span, "the property is declared here")
	case !p.oneWay:
		errs.Errorf(diag.AlgorithmForm, r.Span,
			"a reduction to states is for properties of one process's variables about one peer").
			Because(p.Span, "the property is declared here")
	case r.Until == nil && !p.requires(crashedWord, p.peer):
		errs.Errorf(diag.AlgorithmForm, r.Span,
			"this reduction is for properties that require the peer to have crashed").
			Because(p.Span, "the property is declared here")
	case r.Until == nil:
		constant(a, r.Within, nil, errs)
	case !p.requires(correctWord, p.owner) || !p.requires(correctWord, p.peer):
		errs.Errorf(diag.AlgorithmForm, r.Span,
			"this reduction is for properties that require both processes to be correct").
			Because(p.Span, "the property is declared here")
	case a.variable(r.By.Text) == nil || a.variable(r.By.Text).Sort.Name == "bool":
		errs.Errorf(diag.AlgorithmForm, r.By.Span,
			"'%s' is not an integer variable of the algorithm", r.By.Text)
	case !a.recurs("send") || !a.recurs("receive"):
		errs.Errorf(diag.AlgorithmForm, r.Span,
			"this reduction needs messages that keep arriving, but the tasks that recur do not "+
				"both send and receive")
	default:
		constant(a, r.Until, nil, errs)
	}
}

// constant reports a bound that may have different values in the states of a run.
func constant(a *algorithm, x *syntax.Expr, bound []string, errs *diag.List) {
	for _, b := range x.Binders {
		bound = append(slices.Clone(bound), b.Name.Text)
	}
	if n := x.Name.Text; x.Kind == syntax.ExprName && !slices.Contains(bound, n) {
		switch {
		case a.variable(n) != nil || n == correctWord || n == crashedWord:
			errs.Errorf(diag.AlgorithmForm, x.Span,
				"a bound is the same in all states, but '%s' is a variable", n)
		case a.globals[n] == nil:
			errs.Errorf(diag.AlgorithmForm, x.Span,
				"a bound is one value, but '%s' stands for every value", n)
		}
	}
	for _, y := range x.Args {
		constant(a, y, bound, errs)
	}
}

// declare writes the ghosts and the claims about them.
func (g *ghosts) declare() {
	w := g.w
	for _, p := range g.props {
		switch {
		case p.within == nil:
		case p.within.Within != nil:
			since := g.name(p, "since")
			w.line("ghost constant %s: int", since)
			w.line("init %s = -1", since)
			w.line("safety [%s] %s", w.label(p.parts()[0], p.within.Span),
				exprOf("%s > %s -> %s", since, w.hole(p.within.Within),
					w.hole(w.inTerms(p, p.body))))
		default:
			for i, what := range []string{"fell", "kept", "healed"} {
				w.line("ghost relation %s", g.name(p, what))
				w.line("init !%s", g.name(p, what))
				w.line("safety [%s] !%s", w.label(p.parts()[i], p.within.Span), g.name(p, what))
			}
			if w.alg.gst != "" {
				w.line("ghost relation %s", g.name(p, "calm"))
				w.line("init !%s", g.name(p, "calm"))
			}
			w.line("safety [%s] %s", w.label(p.parts()[3], p.within.Span),
				exprOf("%s -> %s", g.enough(p), w.hole(w.inTerms(p, p.body))))
		}
	}
}

// crash updates the ghosts once it is decided whether the sender crashes in this round. They count
// no further than needed.
func (g *ghosts) crash(indent name) {
	for _, p := range g.props {
		if p.within != nil && p.within.Within != nil {
			since, down := g.name(p, "since"), g.w.down(sender)
			g.w.line("%s%s := if !%s then -1 else if !old(%s) then 0 else if %s > %s then %s "+
				"else %s + 1;", indent, since, down, down,
				since, g.w.hole(p.within.Within), since, since)
		}
	}
}

// task updates the ghosts after a task of the receiver; arrived says whether a message has arrived.
func (g *ghosts) task(indent name, arrived expr) {
	w := g.w
	for _, p := range g.props {
		if p.within == nil || p.within.Until == nil {
			continue
		}
		x := name(p.within.By.Text)
		body := w.inTerms(p, p.body)
		before, now := w.hole(atStart(w.alg, body)), w.hole(body)
		note := func(what string, cond expr) {
			w.line("%s%s := %s | %s;", indent, g.name(p, what), g.name(p, what), cond)
		}
		note("fell", exprOf("%s < old(%s)", x, x))
		if arrived != no {
			note("kept", exprOf("%s & !%s & %s <= old(%s)", arrived, before, x, x))
		}
		if arrived != yes {
			note("healed", exprOf("!%s & !%s & %s", arrived, before, now))
		}
		if arrived != no && w.alg.gst != "" {
			note("calm", conjunction(arrived, exprOf("!%s", w.delayed(w.alg.limits)), g.large(p)))
		}
	}
}

// atStart reads the variables of an expression at the start of the action.
func atStart(a *algorithm, x *syntax.Expr) *syntax.Expr {
	return replace(x, func(x *syntax.Expr) *syntax.Expr {
		if a.variable(x.Name.Text) != nil {
			return &syntax.Expr{Kind: syntax.ExprOld, Span: x.Span, Args: []*syntax.Expr{x}}
		}
		return nil
	})
}
