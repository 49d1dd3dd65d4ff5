package report

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/result"
)

// writeBounds writes how many steps it takes at most until what is good happens, and how many it
// took in the instances.
func writeBounds(b *strings.Builder, r *Report, o Options) {
	var done []string
	for _, x := range r.Results {
		if x.Kind != result.Liveness && x.Kind != result.Temporal ||
			slices.Contains(done, x.Property) {
			continue
		}
		done = append(done, x.Property)
		lines := boundLines(x.Property, r.Results)
		b.WriteString(o.wrap("", span{bold, x.Property + ": "}, span{plain, lines[0]}))
		for _, line := range lines[1:] {
			b.WriteString(o.wrap("  ", span{plain, line}))
		}
	}
	for _, note := range r.Notes {
		b.WriteString(o.wrap("", span{yellow, "note: "}, span{plain, oneLine(note)}))
	}
}

// boundLines are the lines about one property.
func boundLines(property string, results []result.Result) []string {
	why := "no bound, since it is not proved by ranking functions"
	for _, x := range results {
		switch {
		case x.Property != property:
		case x.Verdict == result.Violated:
			return []string{"no bound, since it is violated in " + clean(x.Scope) +
				": erelong live shows a run"}
		case x.Evidence != nil && x.Evidence.Ranking != nil:
			return rankedLines(x.Evidence.Ranking)
		case x.Scope == result.ScopeAll && x.Reason.Given():
			why = "no bound, since it is not proved: " + oneLine(x.Reason.Text)
		}
	}
	return []string{why}
}

// rankedLines are the bounds of a proof, and what was observed.
func rankedLines(r *result.Ranking) (lines []string) {
	head := "no bound on all steps, since a function below the first has no limit"
	if r.Steps != "" {
		head = "at most " + r.Steps + " steps"
	}
	if waits(r) {
		head += ", where M_a bounds left_a: the steps, while it is possible, until the fair " +
			"action a is taken"
	}
	lines = append(lines, head)
	for _, x := range r.Fewer {
		lines = append(lines, fmt.Sprintf("of %s: at most %s", strings.Join(x.Actions, ", "),
			x.Steps))
	}
	for _, x := range r.Observed {
		lines = append(lines, observedLine(r, x))
	}
	if len(r.Observed) == 0 {
		lines = append(lines, "no instance was compared, since the file has none")
	}
	return lines
}

// observedLine says what was observed in an instance.
func observedLine(r *result.Ranking, x result.Observed) string {
	if x.Why != "" {
		return fmt.Sprintf("%s: nothing to compare: %s", clean(x.Instance), oneLine(x.Why))
	}
	line := fmt.Sprintf("%s: the longest takes %s, at most %s", clean(x.Instance),
		plural(int(x.Steps), "step", "steps"), count(x.Bound))
	for i, c := range x.Fewer {
		line += fmt.Sprintf("; of %s %d, at most %s", strings.Join(r.Fewer[i].Actions, ", "),
			c.Steps, count(c.Bound))
	}
	if x.Waits > 0 {
		line += fmt.Sprintf("; with M_a = %d for each fair action", x.Waits)
	}
	return line
}
