package conformance

import (
	"fmt"
	"io"
	"strings"

	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
)

// Context names what a result is about.
type Context struct {
	Spec, Log, Instance string
	// Snippet gives a line of the specification, if it is there.
	Snippet func(line int) string
}

const (
	tailSteps  = 3 // steps that are shown before the end of a run
	maxKept    = 5
	maxLine    = 400 // characters of a line of the log
	maxChanges = 12
)

// WriteText prints a result.
func WriteText(w io.Writer, r *Result, c Context) error {
	var b strings.Builder
	about := fmt.Sprintf("%s, instance %s", c.Spec, c.Instance)
	switch r.Answer {
	case Accepted:
		fmt.Fprintf(&b, "accepted: the %s of %s are a run of %s\n", plural(r.Events, "event"),
			c.Log, about)
	case NotAccepted:
		fmt.Fprintf(&b, "not accepted: %s is no run of %s%s\n", c.Log, about, bound(r))
		fmt.Fprintf(&b, "  the first %d of %s are the beginning of a run, and no more\n", r.Prefix,
			plural(r.Events, "event"))
	default:
		fmt.Fprintf(&b, "unknown: %s\n", r.Reason)
		fmt.Fprintf(&b, "  at least the first %d of %s of %s are the beginning of a run of %s\n",
			r.Prefix, plural(r.Events, "event"), c.Log, about)
	}
	fmt.Fprintf(&b, "  order of events: %s\n", orderText(r.Order))
	r.stuck(&b, c)
	if len(r.DeadEnds) > 0 && r.Steps > 0 {
		r.tail(&b)
	}
	for _, s := range r.DeadEnds {
		s.write(&b, c)
	}
	r.coverage(&b)
	r.mutants(&b)
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// bound says what a run that was searched for may not do.
func bound(r *Result) string {
	var parts []string
	if r.SilentMost >= 0 {
		parts = append(parts, fmt.Sprintf("at most %s between two events",
			plural(r.SilentMost, "silent step")))
	}
	if r.SequenceMost > 0 {
		parts = append(parts, "sequences of at most "+plural(int(r.SequenceMost), "element"))
	}
	if len(parts) == 0 {
		return ""
	}
	return " with " + strings.Join(parts, " and ")
}

func orderText(o observe.Order) string {
	switch o {
	case observe.ByFile:
		return "as in the file"
	case observe.ByNode:
		return "known for each node only, and between the sending and the reception of a message"
	}
	return "known for each node, and between events whose times do not overlap"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// stuck shows for each node an event at which runs end.
func (r *Result) stuck(b *strings.Builder, c Context) {
	if len(r.Stuck) > 0 {
		fmt.Fprintf(b, "the events at which the runs that were tried end, one of each node:\n")
	}
	for _, s := range r.Stuck {
		fmt.Fprintf(b, "node %s, %s, after %s: %s\n", s.Node, s.Event.Place(),
			plural(s.Before, "event"), clip(s.Event.Text))
		s.write(b, c)
	}
}

// write shows why a longest run goes no further.
func (s DeadEnd) write(b *strings.Builder, c Context) {
	for i, x := range s.Candidates {
		if i == 0 || x.Event != s.Candidates[i-1].Event {
			fmt.Fprintf(b, "%s: %s\n", x.Event.Place(), clip(x.Event.Text))
		}
		x.write(b, c)
	}
}

// write shows why an event is no step in one way.
func (x Candidate) write(b *strings.Builder, c Context) {
	switch {
	case len(x.Differs) > 0:
		fmt.Fprintf(b, "  %s is possible, but the log has another state after it:\n", x.Call)
		for _, d := range x.Differs {
			if d.Expected == "" {
				fmt.Fprintf(b, "    %s is false\n", d.What)
			} else {
				fmt.Fprintf(b, "    %s is %s in the log, and %s in the model\n", d.What, d.Seen,
					d.Expected)
			}
		}
	case len(x.Blocks) > 0:
		fmt.Fprintf(b, "  %s is not possible:\n", x.Call)
		for _, k := range x.Blocks {
			k.write(b, c)
		}
	default:
		fmt.Fprintf(b, "  %s: %s\n", x.Call, x.Why)
	}
}

func (k Block) write(b *strings.Builder, c Context) {
	if k.Line > 0 {
		fmt.Fprintf(b, "    %s:%d", c.Spec, k.Line)
		if c.Snippet != nil {
			fmt.Fprintf(b, " | %s", strings.TrimSpace(c.Snippet(k.Line)))
		}
		b.WriteByte('\n')
	}
	for _, l := range report.Explanation(k.Why) {
		fmt.Fprintf(b, "    %*s%s\n", l.Indent, "", clip(l.Text))
	}
}

// tail shows the last steps of a run, with what each changes.
func (r *Result) tail(b *strings.Builder) {
	var steps []Step
	for _, s := range r.Run.Steps {
		if s.Action != nil {
			steps = append(steps, s)
		}
	}
	skipped := max(len(steps)-tailSteps, 0)
	before := r.Run.First.Clone()
	for _, s := range steps[:skipped] {
		s.apply(before)
	}
	fmt.Fprintf(b, "the end of the run:\n")
	view := r.Run.Model.System.View
	symbols, points := r.Run.Model.SlotSymbols(), r.Run.Model.SlotArguments()
	name := func(slot int) string {
		var args []string
		for i, x := range points[slot] {
			args = append(args, show(r.Run.Model, symbols[slot].Args[i], x))
		}
		if len(args) == 0 {
			return symbols[slot].Name
		}
		return symbols[slot].Name + "(" + strings.Join(args, ", ") + ")"
	}
	for _, s := range steps[skipped:] {
		from := "no event"
		if s.Event != nil {
			from = s.Event.Place()
		}
		action, args := interp.ShownCall(r.Run.Model, before, s.Action.Name,
			r.Run.Model.ArgBindings(s.Args))
		fmt.Fprintf(b, "  %s: %s\n", from, report.Call(result.Step{Action: action, Args: args}))
		if view != nil {
			after := before.Clone()
			s.apply(after)
			shownChanges(b, report.Changes(r.Run.Model.Shown(before, true),
				r.Run.Model.Shown(after, true)))
			before = after
			continue
		}
		for i, ch := range s.changes {
			if i == maxChanges {
				fmt.Fprintf(b, "    and %d more changes\n", len(s.changes)-i)
				break
			}
			sort := symbols[ch.Slot].Result
			fmt.Fprintf(b, "    %s: %s -> %s\n", name(ch.Slot), show(r.Run.Model, sort, ch.From),
				show(r.Run.Model, sort, ch.To))
		}
	}
}

// shownChanges writes changes of structured data.
func shownChanges(b *strings.Builder, changes []report.Change) {
	for i, c := range changes {
		if i == maxChanges {
			fmt.Fprintf(b, "    and %d more changes\n", len(changes)-i)
			return
		}
		fmt.Fprintf(b, "    %s\n", clip(c.String()))
	}
}

func (r *Result) coverage(b *strings.Builder) {
	if r.Answer != Accepted {
		return
	}
	var taken, never []string
	for _, t := range r.Coverage.Taken {
		if t.N > 0 {
			taken = append(taken, fmt.Sprintf("%s %d", t.Name, t.N))
		} else {
			never = append(never, t.Name)
		}
	}
	fmt.Fprintf(b, "  steps: %d", r.Steps)
	if r.Coverage.Silent > 0 {
		fmt.Fprintf(b, ", of which %d silent (at most %d between two events)", r.Coverage.Silent,
			r.SilentMost)
	}
	if r.Ignored > 0 {
		fmt.Fprintf(b, "; %s ignored", plural(r.Ignored, "event"))
	}
	fmt.Fprintf(b, "\n  actions taken: %s\n", strings.Join(taken, ", "))
	if len(never) > 0 {
		fmt.Fprintf(b, "  never taken: %s\n", strings.Join(never, ", "))
	}
	fmt.Fprintf(b, "  observations made: %d\n", r.Coverage.Made)
	for _, o := range r.Coverage.Observations {
		if o.N == 0 {
			fmt.Fprintf(b, "  never made: %s\n", o.Name)
		}
	}
	fmt.Fprintf(b,
		"  excluded in the search, here and in changed logs: %d times by an observation, %d by "+
			"a requirement\n",
		r.Coverage.DecisiveObservations, r.Coverage.DecisiveRequirements)
}

func (r *Result) mutants(b *strings.Builder) {
	m := r.Mutants
	if m == nil {
		return
	}
	where := ""
	switch {
	case m.Of > m.Within:
		where = fmt.Sprintf(" (of the first %d events as a log, changed among the first %d)", m.Of,
			m.Within)
	case m.Of > 0:
		where = fmt.Sprintf(" (of the first %d events as a log)", m.Of)
	case m.Within < r.Events:
		where = fmt.Sprintf(" (changed among the first %d events)", m.Within)
	}
	if m.Tried == 0 && m.Undecided == 0 {
		fmt.Fprintf(b, "  changed logs: none could be tried\n")
		return
	}
	fmt.Fprintf(b, "  changed logs: %d of %d rejected%s", m.Rejected, m.Tried-m.Same, where)
	if m.Same > 0 {
		fmt.Fprintf(b, "; %d more lead to the same state, since what was changed has no effect",
			m.Same)
	}
	if m.Undecided > 0 {
		fmt.Fprintf(b, "; a limit ended the search of %d others", m.Undecided)
	}
	b.WriteByte('\n')
	for i, k := range m.Kept {
		if i == maxKept {
			fmt.Fprintf(b, "    and %d more that are accepted\n", len(m.Kept)-i)
			break
		}
		fmt.Fprintf(b, "    accepted: %s: %s\n", k.Event.Place(), k.What)
	}
	if m.Rejected == 0 && m.Undecided == 0 {
		fmt.Fprintf(b,
			"warning: no changed log was rejected: the log constrains next to nothing, and that "+
				"it is accepted shows next to nothing\n")
	}
}

func clip(text string) string {
	if len(text) <= maxLine {
		return text
	}
	return strings.ToValidUTF8(text[:maxLine], "") + "..."
}
