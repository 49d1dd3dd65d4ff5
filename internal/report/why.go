package report

import (
	"strings"

	"erelong.dev/erelong/internal/result"
)

// falseConjunct finds, in the explanation of a false formula, the false operand of a conjunction
// within universal quantifiers. It descends while a false part has exactly one part, which is
// false. It gives nil when the operand has no position on one line of the file.
func falseConjunct(w *result.Why) *result.Why {
	if w == nil {
		return nil
	}
	for len(w.Subformulas) == 1 && isFalse(w) && isFalse(w.Subformulas[0]) &&
		w.Subformulas[0].End > 0 {
		w = w.Subformulas[0]
	}
	if w.End == 0 {
		return nil
	}
	return w
}

func isFalse(w *result.Why) bool { return w.Value.Kind == result.BoolValue && !w.Value.Bool }

func isTrue(w *result.Why) bool { return w.Value.Kind == result.BoolValue && w.Value.Bool }

// why writes the explanation below the snippet, which shows the formula at the root.
func (v *traceView) why() {
	w := v.trace.Why
	if w == nil {
		return
	}
	for _, l := range Explanation(w) {
		v.line(l.Indent, span{plain, cut(l.Text, longest)})
	}
}

// Line is a line of an explanation.
type Line struct {
	Indent int
	Text   string
}

// Explanation gives the lines below a formula whose text and value are shown already: the values of
// the variables that it binds, and the parts that decide its value.
func Explanation(w *result.Why) (lines []Line) {
	var add func(w *result.Why, indent int)
	add = func(w *result.Why, indent int) {
		lines = append(lines, Line{indent, Reason(w)})
		for _, p := range Reasons(w) {
			add(p, indent+2)
		}
	}
	if len(w.Witness) == 0 {
		add(w, 2)
		return lines
	}
	lines = append(lines, Line{2, "for " + assignment(w.Witness)})
	for _, p := range w.Subformulas {
		add(p, 4)
	}
	return lines
}

// Reason is a part of a formula, its value, and the values of the variables that it binds.
func Reason(w *result.Why) string {
	text := oneLine(w.Text) + " is " + w.Value.String()
	if len(w.Witness) > 0 {
		text += " for " + assignment(w.Witness)
	}
	return text
}

// Reasons are the parts of a part, without the obvious ones: the operand of a negation where it
// binds no variables, and the operands of a true formula when all are true and none has an
// explanation.
func Reasons(w *result.Why) []*result.Why {
	if len(w.Subformulas) == 1 && len(w.Subformulas[0].Witness) == 0 {
		if text := oneLine(w.Subformulas[0].Text); oneLine(w.Text) == "!"+text ||
			oneLine(w.Text) == "!("+text+")" {
			return Reasons(w.Subformulas[0])
		}
	}
	obvious := isTrue(w) && len(w.Subformulas) > 1
	for _, p := range w.Subformulas {
		obvious = obvious && isTrue(p) && len(Reasons(p)) == 0 && len(p.Witness) == 0
	}
	if obvious {
		return nil
	}
	return w.Subformulas
}

func assignment(bindings []result.Binding) string {
	parts := make([]string, len(bindings))
	for i, b := range bindings {
		parts[i] = b.Name + " = " + b.Value.String()
	}
	return strings.Join(parts, ", ")
}

// diagnosis writes the analysis of the first state of a counterexample to induction.
func (v *traceView) diagnosis() {
	d := v.trace.Diagnosis
	if d == nil {
		return
	}
	v.WriteByte('\n')
	v.line(0, span{bold, Finding(v.trace)})
	if len(d.Candidates) == 0 {
		return
	}
	v.line(0, span{plain, Exclusion(d)})
	for _, c := range d.Candidates {
		v.line(2, span{green, c.Formula})
		v.line(4, span{dim, Worth(c, v.trace.Violates)})
	}
}

// Finding says whether the first state of a counterexample to induction is reachable.
func Finding(t *result.Trace) string {
	d := t.Diagnosis
	states, with := plural(int(d.States), "state", "states"), ""
	if d.Instance != "" {
		with = " with " + d.Instance
	}
	switch d.Finding {
	case result.Reachable:
		return t.Violates + " is really violated: there is a run" + with
	case result.Unreachable:
		text := "state 0 is not reachable" + with + " (" + states + ")"
		switch {
		case d.Looked != "":
			return text + ", and no violation was found in " + d.Looked +
				": an invariant is missing"
		case d.Instance != "":
			return text +
				"; bigger instances were not looked at: an invariant is missing, or the " +
				"violation needs a bigger one"
		}
		return text + ": an invariant is missing"
	case result.NotFound:
		return "state 0 may be reachable: the search" + with + " ended after " + states +
			", without a violation"
	}
	return "state 0 may be reachable: the instance" + with + " was not explored: " +
		oneLine(d.Reason)
}

// Exclusion introduces the candidates.
func Exclusion(d *result.Diagnosis) string {
	them := "These invariants would exclude state 0. They are"
	if len(d.Candidates) == 1 {
		them = "This invariant would exclude state 0. It is"
	}
	if d.Where == "" {
		return them + " true in all reachable states."
	}
	return them + " true in the reachable states of small instances, " + d.Where +
		", which proves nothing."
}

// Worth words the solvers' results about a candidate.
func Worth(c result.Candidate, property string) string {
	switch {
	case c.Inductive && c.Suffices:
		return "inductive with the invariants of the file, and with it " + property +
			" is inductive"
	case c.Inductive:
		return "inductive with the invariants of the file, but " + property + " needs more than it"
	case c.Suffices:
		return "with it " + property + " is inductive, but it is not inductive itself"
	}
	return "not inductive with the invariants of the file"
}
