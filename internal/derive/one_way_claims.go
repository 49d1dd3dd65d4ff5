package derive

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/result"
)

// state translates a property to the symbols of the system.
func (w *oneWay) state(p *property) syntax.Decl {
	d := *p.FormulaDecl
	d.Expr = w.inTerms(p, p.Expr)
	return &d
}

// inTerms translates an expression of a property: the owner of the variables is the receiver, and
// the peer the sender.
func (w *oneWay) inTerms(p *property, x *syntax.Expr) *syntax.Expr {
	x = distinct(p.withoutProcesses(x), p)
	return replace(x, func(x *syntax.Expr) *syntax.Expr {
		n := x.Name.Text
		switch {
		case (n == correctWord || n == crashedWord) && len(x.Args) == 1:
			who := receiver
			if x.Args[0].Name.Text == p.peer {
				who = sender
			}
			return alive(x, slices.Contains(w.crashing(), who), w.down(who))
		case w.alg.variable(n) != nil:
			return &syntax.Expr{Kind: syntax.ExprName, Span: x.Span, Name: x.Name}
		}
		return nil
	})
}

// distinct adds the condition that the two processes of a property differ.
func distinct(x *syntax.Expr, p *property) *syntax.Expr {
	if x.Kind == syntax.ExprNe && len(x.Args[0].Args)+len(x.Args[1].Args) == 0 {
		a, b := x.Args[0].Name.Text, x.Args[1].Name.Text
		if a == p.owner && b == p.peer || a == p.peer && b == p.owner {
			return &syntax.Expr{Kind: syntax.ExprTrue, Span: x.Span}
		}
	}
	c := *x
	c.Args = slices.Clone(x.Args)
	for i, a := range c.Args {
		c.Args[i] = distinct(a, p)
	}
	return &c
}

// alive translates correct(..) and crashed(..); relation holds the crashed processes if there are
// crashes.
func alive(x *syntax.Expr, crashes bool, relation name) *syntax.Expr {
	correct := x.Name.Text == correctWord
	if !crashes {
		kind := syntax.ExprFalse
		if correct {
			kind = syntax.ExprTrue
		}
		return &syntax.Expr{Kind: kind, Span: x.Span}
	}
	down := variable(relation, x.Span)
	if correct {
		return &syntax.Expr{Kind: syntax.ExprNot, Span: x.Span, Args: []*syntax.Expr{down}}
	}
	return down
}

// withoutProcesses removes the quantifiers over the processes of the property.
func (p *property) withoutProcesses(x *syntax.Expr) *syntax.Expr {
	c := *x
	c.Args = slices.Clone(x.Args)
	for i, a := range c.Args {
		c.Args[i] = p.withoutProcesses(a)
	}
	if x.Kind != syntax.ExprForall {
		return &c
	}
	c.Binders = slices.DeleteFunc(slices.Clone(x.Binders), func(b *syntax.Binder) bool {
		return b.Name.Text == p.owner || b.Name.Text == p.peer ||
			b.Sort != nil && b.Sort.Name == ProcessSort
	})
	if len(c.Binders) == 0 {
		return c.Args[0]
	}
	return &c
}

// assumptions lists the file's assumptions about one sender and one receiver.
func (a *algorithm) assumptions() []result.Assumption {
	if a.senderStart == a.start {
		return nil
	}
	n := a.decl.SenderStart
	return []result.Assumption{{Name: "sender starts " + n.Text, Kind: "chosen start",
		Line: n.Span.Line(),
		Text: fmt.Sprintf("the sender starts at %s and the receiver at %s", n.Text,
			a.tasks[a.start].Location.Text)}}
}

// reductions lists the theorems on which the one-way system rests.
func (w *oneWay) reductions() []result.Reduction {
	const inStep = fromTwo + "; one process alone is a run of these two in step"
	cut := result.Reduction{Name: "cutoff", Theorem: "Theorem 6.2", Detail: inStep}
	if w.alg.gst != "" {
		cut = stabilising(inStep)
	}
	out := []result.Reduction{
		cut,
		{Name: OneWay, Theorem: "section 7.1",
			Detail: "the peer only sends, the owner of the variables only receives"},
		{Name: "timers", Theorem: "section 7.3", Detail: "PS2 by a timer for each process"},
	}
	if w.plan.counter {
		out = append(out,
			result.Reduction{Name: "counter", Theorem: "section 7.2.2",
				Detail: "the messages in transit as the bits of a number"})
	} else {
		out = append(out,
			result.Reduction{Name: "predicate", Theorem: "section 7.2.1",
				Detail: "the messages in transit as a predicate over their ages"})
	}
	switch {
	case w.plan.keepOld:
	case w.alg.gst != "":
		out = append(out,
			result.Reduction{Name: "old_messages", Theorem: "section 7.2.3 once delays are bounded",
				Detail: "then one message " +
					"that is Delta old stands for all older ones, which arrive at the same " +
					"receive; before, ages are exact"})
	default:
		out = append(out,
			result.Reduction{Name: "old_messages", Theorem: "section 7.2.3",
				Detail: "one message that is Delta old stands for all older ones"})
	}
	if w.plan.bigSteps {
		out = append(out,
			result.Reduction{Name: "rounds", Theorem: "a round is one step",
				Detail: "the properties do not speak of what lies within a round"})
	}
	if !w.plan.senderCrashes || !w.plan.receiverCrashes {
		out = append(out,
			result.Reduction{Name: "crashes",
				Theorem: "a process that the property requires to be correct need not crash",
				Detail:  "runs in which it does satisfy the property from then on"})
	}
	if w.alg.senderStart != w.alg.start {
		out = append(out,
			result.Reduction{Name: "sender_start", Assumed: true,
				Theorem: fmt.Sprintf("assumed by the file: the sender starts at %s, the "+
					"receiver at %s; so nothing is said of a process and itself",
					w.alg.tasks[w.alg.senderStart].Location.Text,
					w.alg.tasks[w.alg.start].Location.Text)})
	}
	return out
}
