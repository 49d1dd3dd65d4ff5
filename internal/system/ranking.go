package system

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
)

// Ranking holds hints for the proof of a liveness property by ranking functions. Its terms are over
// state Pre. They may read the variables of the property's universal quantifiers and the variables
// of all Choices; Pending may not read the latter.
type Ranking struct {
	Property *Property
	Choices  []*Selection  // each a value with its condition, which may read earlier choices
	Measures []*Measure    // in the order in which they decrease, if that is known
	Bounds   []*logic.Term // of the form a <= b, with integers
	Never    []*Never
	Cases    []*logic.Term // conditions that distinguish steps and numbers
	Pending  *logic.Term   // true from the trigger to the good state; nil for the trigger itself
	Span     diag.Span
}

// Measure is an integer that is not negative, of which a ranking function may be made. It is a
// term; or the number of tuples of values that satisfy a condition; or, with an action, the sum
// over these tuples of the steps that are left until the action is taken with the arguments.
type Measure struct {
	Number *logic.Term // nil for the other two
	Vars   []*logic.Var
	Such   *logic.Term   // over Vars
	Action *Action       // fair; nil for a number of tuples
	Args   []*logic.Term // over Vars
	// Order, if there is one, says that instead of being counted, the values of a range are the
	// places of digits, 1 where the condition is true and 0 elsewhere. A text says only that they
	// are counted.
	Order Order
	Span  diag.Span
}

// Order says which place of a number has its first digit: the lowest, or the highest.
type Order string

// The orders of places.
const (
	Upwards   Order = "upwards"
	Downwards Order = "downwards"
)

// Measure is how many tuples a selection has.
func (s *Selection) Measure() *Measure {
	return &Measure{Vars: s.Vars, Such: s.Such, Span: s.Span}
}

// MeasureOf makes the measure that is a term.
func MeasureOf(t *logic.Term) *Measure { return &Measure{Number: t, Span: t.Span} }

func (m *Measure) String() string { return m.text(logic.Printer{}, logic.Printer{}) }

// text writes a measure, with one printer outside of its variables and one for them.
func (m *Measure) text(outer, inner logic.Printer) string {
	if m.Number != nil {
		return "variable " + outer.Term(m.Number)
	}
	if m.Action == nil {
		return fmt.Sprintf("count (%s) with %s", inner.Vars(m.Vars), inner.Term(m.Such))
	}
	args := make([]string, len(m.Args))
	for i, t := range m.Args {
		args[i] = inner.Term(t)
	}
	out := "await "
	if len(m.Vars) > 0 {
		out += "(" + inner.Vars(m.Vars) + ") "
	}
	out += layoutFree(m.Action.Name) + "(" + strings.Join(args, ", ") + ")"
	if m.Such.IsTrue() {
		return out
	}
	return out + " with " + inner.Term(m.Such)
}

// Selection is the set of tuples of values that satisfy a condition.
type Selection struct {
	Vars []*logic.Var
	Such *logic.Term
	Span diag.Span
}

// Never states that an action has no step that satisfies a condition while the property is pending.
type Never struct {
	Action *Action
	Vars   []*logic.Var // for the action's parameters
	Such   *logic.Term
	Span   diag.Span
}

func (n *Never) String() string { return n.text(logic.Printer{}) }

func (n *Never) text(p logic.Printer) string {
	names := make([]string, len(n.Vars))
	for i, v := range n.Vars {
		names[i] = p.Term(logic.Ref(v))
	}
	text := fmt.Sprintf("never %s(%s)", layoutFree(n.Action.Name), strings.Join(names, ", "))
	if n.Such.IsTrue() {
		return text
	}
	return text + " with " + p.Term(n.Such)
}

// RankingOf gives the hints for a property, nil if there are none.
func (s *System) RankingOf(p *Property) *Ranking {
	for _, r := range s.Rankings {
		if r.Property == p {
			return r
		}
	}
	return nil
}

// Outer gives the variables of a formula's outermost universal quantifiers, and the body under
// them.
func Outer(t *logic.Term) (vars []*logic.Var, body *logic.Term) {
	for t.Op == logic.OpForall {
		vars, t = append(vars, t.Vars...), t.Args[0]
	}
	return vars, t
}

// rankings checks the hints.
func (v *validator) rankings() {
	for i, r := range v.sys.Rankings {
		v.at(r.Span, "rank %d", i+1)
		if r.Property == nil || v.sys.Property(r.Property.Name) != r.Property ||
			r.Property.Kind != Liveness {
			v.errorf("not of a liveness property of the system")
			continue
		}
		vars, _ := Outer(r.Property.Term)
		sc := scope{steps: logic.Pre}.with(vars)
		if r.Pending != nil {
			v.formula(r.Pending, sc)
		}
		for _, c := range r.Choices {
			v.variables(c.Vars)
			sc = sc.with(c.Vars)
			v.formula(c.Such, sc)
		}
		for _, m := range r.Measures {
			v.measure(m, sc)
		}
		for _, c := range r.Cases {
			v.formula(c, sc)
		}
		for _, b := range r.Bounds {
			if v.formula(b, sc); b.Op != logic.OpLe {
				v.errorf("a bound is not a comparison with <=")
			}
		}
		for _, n := range r.Never {
			if !slices.Contains(v.sys.Actions, n.Action) ||
				!slices.EqualFunc(n.Vars, n.Action.Params, func(a, b *logic.Var) bool {
					return a.Sort == b.Sort
				}) {
				v.errorf("a hint about steps of no action of the system")
				continue
			}
			v.variables(n.Vars)
			v.formula(n.Such, sc.with(n.Vars))
		}
	}
}

func (v *validator) measure(m *Measure, sc scope) {
	if m.Number != nil {
		if v.term(m.Number, sc) && m.Number.Sort != logic.Int {
			v.errorf("a number has sort %s", m.Number.Sort)
		}
		return
	}
	v.variables(m.Vars)
	sc = sc.with(m.Vars)
	v.formula(m.Such, sc)
	if m.Order != "" && (m.Action != nil || len(m.Vars) != 1 ||
		m.Vars[0].Sort.Kind != logic.KindRange) {
		v.errorf("digits whose places are not the values of one range")
		return
	}
	if m.Action == nil {
		return
	}
	if !slices.Contains(v.sys.Actions, m.Action) || m.Action.Fairness == Unfair ||
		len(m.Args) != len(m.Action.Params) {
		v.errorf("a measure of no fair action of the system")
		return
	}
	for i, t := range m.Args {
		if v.term(t, sc) && t.Sort.Base() != m.Action.Params[i].Sort.Base() {
			v.errorf("an argument has sort %s", t.Sort)
		}
	}
}

// ranking prints hints.
func (d *dump) ranking(r *Ranking) {
	d.line("rank [%s] {", layoutFree(r.Property.Name))
	d.nested(func() {
		vars, _ := Outer(r.Property.Term)
		n := newNaming(d.globals)
		p := n.declare(vars)
		for _, c := range r.Choices {
			p = n.declare(c.Vars)
			d.line("choose %s with %s;", p.Vars(c.Vars), p.Term(c.Such))
		}
		for _, m := range r.Measures {
			d.line("%s;", m.text(p, n.inner().declare(m.Vars)))
		}
		for _, t := range r.Bounds {
			d.line("bound %s;", p.Term(t))
		}
		for _, c := range r.Never {
			d.line("%s;", c.text(n.inner().declare(c.Vars)))
		}
		for _, t := range r.Cases {
			d.line("case %s;", p.Term(t))
		}
		if r.Pending != nil {
			d.line("pending %s;", p.Term(r.Pending))
		}
	})
	d.line("}")
}
