package explain

import (
	"slices"
	"strings"
	"unicode"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
)

// Tree renders a tree in the user's names. In a file with structured data, a term stands for an
// expression of the file, whose text is shown: a map is no term, so an equation of two maps is a
// formula about a key. What such a formula is made of is left out.
//
// That a claim has a value is no formula of the file. Of it only the condition is shown that fails.
func Tree(m *interp.Model, n *Node) *result.Why {
	r := &renderer{model: m, state: n.State, structured: m.System.View != nil}
	if !r.structured || r.inFile(n.Term.Span) {
		return r.tree(n)
	}
	r.structured = false
	failed, witness := innermost(n)
	w := r.tree(failed)
	if len(witness) == 0 {
		return w
	}
	outer := *w
	outer.Witness, outer.Subformulas = interp.ShownArgs(r.model, r.state, witness), []*result.Why{w}
	return &outer
}

// innermost is the part of a false formula that alone makes it false, with the values of variables
// for which it does.
func innermost(n *Node) (*Node, []interp.Arg) {
	var reason *Node
	for _, p := range n.Subformulas {
		if p.Term.Sort == logic.Bool && p.Value == 0 {
			if reason != nil {
				return n, nil
			}
			reason = p
		}
	}
	if n.Term.Sort != logic.Bool || n.Value != 0 || reason == nil {
		return n, nil
	}
	failed, witness := innermost(reason)
	return failed, slices.Concat(n.Witness, witness)
}

type renderer struct {
	model      *interp.Model
	state      interp.State
	structured bool
}

func (r *renderer) tree(n *Node) *result.Why {
	w := &result.Why{Text: logic.Printer{Style: logic.Stateless}.Term(n.Term)}
	w.Value = interp.ShownArgs(r.model, r.state, []interp.Arg{{Var: &logic.Var{Sort: n.Term.Sort},
		Value: n.Value}})[0].Value
	if span := n.Term.Span; r.inFile(span) {
		var endLine int
		w.Line, w.Column = span.Source.Position(span.Start)
		endLine, w.End = span.Source.Position(span.End)
		if endLine != w.Line {
			w.End = 0
		}
		if r.structured && !isRange(n.Term) && !isWord(n.Term) {
			w.Text = strings.Join(strings.Fields(span.Text()), " ")
		}
	}
	parts, witness := r.parts(n, n)
	w.Witness = interp.ShownArgs(r.model, r.state, slices.Concat(n.Witness, witness))
	for _, p := range parts {
		part := r.tree(p)
		known := slices.ContainsFunc(w.Subformulas, func(o *result.Why) bool {
			return r.structured && o.Text == part.Text && o.Line == part.Line &&
				o.Column == part.Column
		})
		// p0 is p0
		if !known && (part.Text != part.Value.String() || len(part.Subformulas) > 0) {
			w.Subformulas = append(w.Subformulas, part)
		}
	}
	return w
}

// parts are the parts of a node that the file has. A part with the place of the whole is how the
// whole is said in terms: its own parts take its place, but for the ones of a definition that the
// whole calls.
func (r *renderer) parts(n, whole *Node) (out []*Node, witness []interp.Arg) {
	if !r.structured || isRange(whole.Term) {
		return n.Subformulas, nil
	}
	around := whole.Term.Span
	for _, p := range n.Subformulas {
		span := p.Term.Span
		switch {
		case span == around || !r.inFile(span):
			inner, more := r.parts(p, whole)
			out = append(out, inner...)
			witness = slices.Concat(witness, p.Witness, more)
		case n == whole || around.Start <= span.Start && span.End <= around.End:
			out = append(out, p)
		}
	}
	return out, witness
}

// isRange reports whether a term is about the range of a declared symbol: its place is the name in
// the declaration, so the file has no text for it.
func isRange(t *logic.Term) bool {
	return t.Sort == logic.Bool && len(t.Args) > 0 && t.Op != logic.OpApp && atName(t)
}

// isWord reports whether a term is a fact about processes of a protocol, such as who has crashed:
// its place is the name of the protocol.
func isWord(t *logic.Term) bool {
	return t.Sort == logic.Bool && len(t.Args) > 0 && t.Op == logic.OpApp && atName(t) &&
		t.Span.Text() != t.Symbol.Name
}

// atName reports whether the place of a term is a name.
func atName(t *logic.Term) bool {
	return !strings.ContainsFunc(t.Span.Text(), func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

func (r *renderer) inFile(span diag.Span) bool {
	return !span.IsZero() && span.Source == r.model.System.Source
}
