package syntax

import (
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

// expected reports what was expected in the place of the next token, and ends the parse.
func (r *reader) expected(what string) {
	parse.Catch(func() { r.Expected(what) })
	d := r.Errs.All[len(r.Errs.All)-1]
	if r.At(parse.Outside) {
		b := r.bullets[len(r.bullets)-1]
		d.Because(r.Span(b), "the list begins here").
			Suggest("Put an item right of its %s, and the next %[1]s below that one.", b.Kind)
	}
	r.mend(d)
	parse.Bail()
}

// mend adds to an error at the next token what is to be written instead, where that can be guessed.
func (r *reader) mend(d *diag.Diagnostic) {
	line := d.Span.Source.Line(d.Span.Line())
	switch t := r.Peek(); {
	case d.Fix != "" && t.Kind != "==":
	case t.Kind == "!" && r.Ahead(1).Kind == "=":
		d.Suggest("Write # or /= for 'is not equal'.").
			Replace(r.Span(t).To(r.Span(r.Ahead(1))), "#")
	case strings.Contains(line, "//"):
		d.Suggest("A comment begins with \\*, or is written (* .. *).")
	case t.Kind == parse.Word:
		if right := foreign[strings.ToLower(r.Text(t))]; right != "" {
			d.Suggest("Write %s.", right).Replace(r.Span(t), right)
		}
	case slips[t.Kind] != "":
		d.Suggest("%s", slips[t.Kind])
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	if strings.Contains(indent, "\t") && (d.Fix == "" || r.At(parse.Outside)) {
		const tab = " A tab goes to the next of columns 9, 17, ..; write spaces."
		d.Fix = strings.TrimSpace(d.Fix + tab)
	}
}

// slips are what is meant by tokens in a wrong place.
var slips = map[parse.Kind]string{
	"==":       "Write = to compare; == is for definitions.",
	"!":        "Write ~ for 'not'.",
	"|->":      "A function is [x \\in S |-> e], a record [a |-> e], a set of functions [S -> T].",
	"->":       "A function is [x \\in S |-> e], a record [a |-> e], a set of functions [S -> T].",
	"]":        "A set is in braces {a, b}, a sequence in <<a, b>>.",
	"====":     "A module ends here, and what comes before is not complete; == defines.",
	"----":     "A line like this separates units, and what comes before is not complete.",
	parse.EOF:  "End the module with ====, and close what is open.",
	"MODULE":   "A module begins with ---- MODULE Name ----.",
	"VARIABLE": "Declare variables before their use, in a unit of their own.",
	"/\\":      "A list of bullets has them in one column.",
	"\\/":      "A list of bullets has them in one column.",
}

// foreign are words of other languages, and words of TLA+ in another case.
var foreign = func() map[string]string {
	out := map[string]string{"and": "/\\", "or": "\\/", "not": "~", "mod": "%", "forall": "\\A",
		"exists": "\\E", "implies": "=>", "iff": "<=>", "union": "\\union", "extend": "EXTENDS",
		"import": "EXTENDS", "var": "VARIABLE", "const": "CONSTANT", "def": "Name == ..",
		"next": "x' for the value after a step"}
	for w := range reserved {
		if lower := strings.ToLower(w); out[lower] == "" {
			out[lower] = w
		}
	}
	return out
}()

// unequal reports an != before parentheses, which is read as the operator = of a module.
func (r *reader) unequal(sign Name) {
	r.Errs.Errorf(diag.Syntax, sign.Span, "expected two operands of '='").
		Suggest("Write # or /= for 'is not equal'.")
	parse.Bail()
}
