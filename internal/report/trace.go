package report

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"erelong.dev/erelong/internal/diagram"
	"erelong.dev/erelong/internal/result"
)

// longest is the number of characters of a value that a terminal shows. JSON and HTML have all of
// them.
const longest = 400

// WriteTrace writes a trace for a terminal: the first state in full, then the actions with their
// changes. The states of a loop have a bar in the margin. The last line says what is violated, with
// its position in the file.
func WriteTrace(w io.Writer, t *result.Trace, o Options) error {
	t = t.Told()
	if err := checkHidden(t, o.Hide); err != nil {
		return err
	}
	v := traceView{trace: t, Options: o.about(t.Violates)}
	v.headline()
	again := slices.IndexFunc(o.Above, func(x *result.Trace) bool {
		return sameStates(x.Shown(), t)
	})
	var chart *diagram.Chart
	if again < 0 {
		v.parameters()
		chart = chartOf(t, o)
	}
	switch {
	case again >= 0:
		title, _ := Headline(o.Above[again])
		v.line(0, span{plain, "Its states are those of an earlier one: " + title + "."})
	case chart != nil:
		v.chart(chart)
	case v.hasStory():
		v.story()
	default:
		for i := range t.Steps {
			v.step(i)
		}
	}
	v.ending()
	if _, err := io.WriteString(w, v.String()); err != nil {
		return fmt.Errorf("writing a trace: %w", err)
	}
	return nil
}

// sameStates reports whether two runs of an instance have the same actions and states.
func sameStates(a, b *result.Trace) bool {
	return a.Kind != result.ToInduction && b.Kind != result.ToInduction &&
		a.Instance == b.Instance && a.Loop == b.Loop && reflect.DeepEqual(a.Params, b.Params) &&
		slices.EqualFunc(a.Steps, b.Steps, func(x, y result.Step) bool {
			return x.Action == y.Action && reflect.DeepEqual(x.Args, y.Args) &&
				reflect.DeepEqual(x.State, y.State)
		})
}

// checkHidden refuses the name of a variable that does not exist, so that a typing error is
// noticed.
func checkHidden(t *result.Trace, hide []string) error {
	for _, name := range hide {
		named := func(b result.Binding) bool { return b.Name == name }
		if len(t.Steps) > 0 && !slices.ContainsFunc(t.Steps[0].State, named) &&
			!slices.ContainsFunc(t.Params, named) {
			return fmt.Errorf("cannot hide %q: the trace has no such variable", name)
		}
	}
	return nil
}

type traceView struct {
	strings.Builder
	Options
	trace  *result.Trace
	margin string
}

func (v *traceView) line(indent int, spans ...span) {
	v.WriteString(v.wrap(v.margin+strings.Repeat(" ", indent), spans...))
}

func (v *traceView) headline() {
	title, remark := Headline(v.trace)
	v.line(0, span{bold, title})
	if remark != "" {
		v.line(0, span{yellow, remark})
	}
	if text := obeyed(v.trace); text != "" {
		v.line(0, span{dim, text})
	}
	v.WriteByte('\n')
}

// obeyed names the assumptions in force.
func obeyed(t *result.Trace) string {
	if len(t.Assuming) == 0 {
		return ""
	}
	return "it obeys the assumptions " + strings.Join(t.Assuming, ", ")
}

// Headline says what a trace is. A second sentence, if there is one, says how to read it.
func Headline(t *result.Trace) (title, remark string) {
	switch {
	case t.Kind == result.ToInduction:
		title = "counterexample to induction"
		if n := len(t.Steps); n == 2 && t.Steps[1].Action != "" && t.Violates != "" {
			title += ": " + t.Steps[1].Action + " does not preserve " + t.Violates
		} else if t.Violates != "" {
			title += " of " + t.Violates
		}
		remark = "This is not a bug report: no run need reach state 0. It shows what the " +
			"invariant does not yet exclude."
	case t.Kind == result.Witness:
		title = "a run of " + plural(max(len(t.Steps)-1, 0), "step", "steps")
	case t.Violates == "deadlock":
		title = "a run into a deadlock, " + plural(len(t.Steps), "state", "states")
	case t.Violates == "" && t.Loop < 0: // no property is violated: the state cannot be evaluated
		title = "a run to what cannot be evaluated, " + plural(len(t.Steps), "state", "states")
	case t.Violates == "":
		title = "counterexample of " + plural(len(t.Steps), "state", "states")
	default:
		title = "counterexample to " + t.Violates + ", " + plural(len(t.Steps), "state", "states")
	}
	if t.Instance != "" {
		title += ", instance " + t.Instance
	}
	return title, remark
}

// Conclusion says what the last state violates, without the position.
func Conclusion(t *result.Trace) string {
	last := len(t.Steps) - 1
	switch {
	case last < 0:
		return "the trace has no states"
	case t.Shows != "":
		return oneLine(t.Shows)
	case t.Kind == result.Witness || t.Violates == "":
		if t.Loop >= 0 {
			return "the states of the loop repeat for ever"
		}
		if t.Kind == result.Counterexample {
			return fmt.Sprintf("in state %d something cannot be evaluated: the table says what",
				last)
		}
		return fmt.Sprintf("the run ends in state %d", last)
	case t.Loop == last:
		return fmt.Sprintf("%s is violated: state %d repeats for ever", t.Violates, last)
	case t.Loop >= 0:
		return fmt.Sprintf("%s is violated: states %d to %d repeat for ever", t.Violates, t.Loop,
			last)
	case t.Kind == result.ToInduction:
		return fmt.Sprintf("%s is false in state %d", t.Violates, last)
	case t.Violates == "deadlock":
		return fmt.Sprintf("deadlock: state %d has no successor", last)
	}
	return fmt.Sprintf("%s is violated in state %d", t.Violates, last)
}

func (v *traceView) parameters() {
	if len(v.trace.Universe)+len(v.trace.Params) == 0 {
		return
	}
	for _, u := range v.trace.Universe {
		v.line(0, span{plain, cut(u.Sort+" = {"+strings.Join(u.Elements, ", ")+"}", longest)})
	}
	for _, p := range v.visible(v.trace.Params) {
		v.line(0, equation(p)...)
	}
	v.WriteByte('\n')
}

// visible gives the bindings that are not hidden.
func (o Options) visible(bindings []result.Binding) []result.Binding {
	return slices.DeleteFunc(slices.Clone(bindings), func(b result.Binding) bool {
		return slices.Contains(o.Hide, b.Name)
	})
}

func equation(b result.Binding) []span {
	return []span{{plain, b.Name + " = "}, {plain, cut(b.Value.String(), longest)}}
}

// Call prints the action of a step with its arguments, empty for an initial state.
func Call(s result.Step) string { return call(s, 0) }

func call(s result.Step, limit int) string {
	if len(s.Args) == 0 {
		return s.Action
	}
	args := make([]string, len(s.Args))
	for i, a := range s.Args {
		args[i] = a.Name + " = " + cut(a.Value.String(), limit)
	}
	return s.Action + "(" + strings.Join(args, ", ") + ")"
}

func (v *traceView) step(i int) {
	t := v.trace
	if t.Loop >= 0 {
		v.margin = "  "
		if i >= t.Loop {
			v.margin = "│ "
		}
	}
	head := fmt.Sprintf("state %d", i)
	if c := call(t.Steps[i], longest); c != "" {
		v.line(0, span{dim, head + ": "}, span{bold, c})
	} else {
		v.line(0, span{dim, head})
	}
	switch {
	case i == 0:
		for _, b := range v.visible(t.Steps[0].State) {
			v.line(2, equation(b)...)
		}
	case v.Full:
		old := index(t.Steps[i-1].State)
		for _, b := range v.visible(t.Steps[i].State) {
			mark := "  "
			if was, ok := old[b.Name]; !ok || !was.Equal(b.Value) {
				mark = "* "
			}
			v.WriteString(v.wrap(v.margin+mark, equation(b)...))
		}
	default:
		v.changes(t.Steps[i-1].State, t.Steps[i].State, 2)
	}
}

func (v *traceView) changes(before, after []result.Binding, indent int) {
	list := Changes(v.visible(before), v.visible(after))
	for _, c := range list {
		v.line(indent, c.spans()...)
	}
	if len(list) == 0 {
		what := "(nothing changes)"
		if len(Changes(before, after)) > 0 {
			what = "(only hidden variables change)"
		}
		v.line(indent, span{dim, what})
	}
}

func (c Change) spans() []span {
	return []span{{plain, c.Path + ": "}, {red, cut(c.Old.String(), longest)}, {plain, " -> "},
		{green, cut(c.New.String(), longest)}}
}

func (v *traceView) ending() {
	t := v.trace
	v.margin = ""
	if t.Loop >= 0 && t.Loop < len(t.Steps) {
		if v.hasStory() {
			v.line(0, span{bold, fmt.Sprintf("└ and so on from state %d, for ever", t.Loop)})
		} else {
			v.line(0, span{bold, "└ " + closing(t, longest)})
			v.changes(t.Steps[len(t.Steps)-1].State, t.Steps[t.Loop].State, 4)
		}
		v.fairness()
	}
	if len(v.Hide) > 0 {
		v.line(0, span{dim, "hidden: " + strings.Join(v.Hide, ", ")})
	}
	if len(t.Steps) > 0 {
		v.WriteByte('\n')
	}
	s := red
	if t.Kind != result.Counterexample {
		s = bold
	}
	line, before, marked, after := v.marked(t)
	v.line(0, span{s, Conclusion(t)}, span{plain, v.position(line)})
	v.snippet(line, before, marked, after)
	v.why()
	v.diagnosis()
}

// closing says how the loop of a trace closes.
func closing(t *result.Trace, limit int) string {
	text := fmt.Sprintf("loop back to state %d", t.Loop)
	switch {
	case t.Back.Action != "":
		text += ": " + call(t.Back, limit)
	case t.Loop == len(t.Steps)-1:
		text += ": no action can be taken"
	}
	return text
}

// mostConditions is the number of fairness conditions that a terminal shows.
const mostConditions = 12

// fairness says why the loop is fair.
func (v *traceView) fairness() {
	if len(v.trace.Fairness) == 0 {
		return
	}
	v.line(0, span{dim, "the loop is fair:"})
	for i, f := range v.trace.Fairness {
		if i == mostConditions {
			v.line(2, span{dim, fmt.Sprintf("and %d more conditions", len(v.trace.Fairness)-i)})
			break
		}
		v.line(2, span{dim, condition(f, longest)})
	}
}

// condition says why a loop satisfies a fairness condition.
func condition(f result.Fairness, limit int) string {
	text := "fair " + call(result.Step{Action: f.Action, Args: f.Args}, limit)
	if f.Strong {
		text = "strong " + text
	}
	switch f.Why {
	case result.Taken:
		return fmt.Sprintf("%s is taken to state %d", text, f.At)
	case result.Disabled:
		return fmt.Sprintf("%s is disabled in state %d", text, f.At)
	case result.NeverEnabled:
		return text + " is never enabled on the loop"
	case result.Excused:
		return fmt.Sprintf("%s need not be taken in state %d: its condition is false", text, f.At)
	case result.NeverDue:
		return text + " need not be taken on the loop: its condition is false where it is enabled"
	}
	return text + ": " + string(f.Why)
}

func (v *traceView) position(line int) string {
	switch {
	case line == 0:
		return ""
	case v.File == "":
		return fmt.Sprintf(" (line %d)", line)
	}
	return fmt.Sprintf(" (%s:%d)", v.File, line)
}

// marked gives the source line of the violated property in three parts. The middle part is the
// false conjunct, or the whole line when the conjunct's position is unknown.
func (o Options) marked(t *result.Trace) (line int, before, marked, after string) {
	line = t.Line
	w := falseConjunct(t.Why)
	if w != nil {
		line = w.Line
	}
	if line == 0 || o.Snippet == nil {
		return line, "", "", ""
	}
	text := strings.ReplaceAll(o.Snippet(line), "\t", " ")
	source := []rune(text)
	if w == nil || w.Column >= w.End || w.End > len(source)+1 {
		return line, "", strings.TrimSpace(text), ""
	}
	from, to := w.Column-1, w.End-1
	return line, strings.TrimLeft(string(source[:from]), " "), string(source[from:to]),
		strings.TrimRight(string(source[to:]), " ")
}

// snippet shows a source line with a part of it underlined.
func (v *traceView) snippet(line int, before, marked, after string) {
	if marked == "" {
		return
	}
	number := fmt.Sprintf("  %d | ", line)
	text := clean(before + marked + after)
	if v.Width > 0 {
		text = cut(text, max(v.Width-len(number), 1))
	}
	from := utf8.RuneCountInString(before)
	to := min(from+utf8.RuneCountInString(marked), utf8.RuneCountInString(text))
	v.WriteString(v.paint(dim, number) + text + "\n")
	if from < to {
		v.WriteString(v.paint(dim, strings.Repeat(" ", len(number)-2)+"| ") +
			strings.Repeat(" ", from) + v.paint(red, strings.Repeat("^", to-from)) + "\n")
	}
}
