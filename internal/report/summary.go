package report

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/result"
)

// summary counts the properties by the joint outcome of their rows. For the properties that hold it
// says for which instances, and under which assumptions; what asks for a run holds by one.
func summary(results []result.Result) string {
	outcomes := result.Outcomes(results)
	if len(outcomes) == 0 {
		return "nothing was checked"
	}
	count := func(is func(o result.Outcome) bool) (n int) {
		for _, o := range outcomes {
			n += btoi(is(o))
		}
		return n
	}
	var parts []string
	for _, c := range []struct {
		coverage result.Coverage
		where    string
	}{{result.ForAll, "for all"}, {result.InInstances, "in the instances explored"}} {
		covered := func(o result.Outcome) bool {
			return o.Coverage == c.coverage && o.Kind != result.Scenario
		}
		n := count(covered)
		assuming := count(func(o result.Outcome) bool {
			return covered(o) && len(o.Assumptions) > 0
		})
		if n > 0 {
			parts = append(parts,
				group(int64(n))+" "+verb(n)+" "+c.where+underAssumptions(assuming, n))
		}
	}
	if n := count(func(o result.Outcome) bool {
		return o.Kind == result.Scenario && o.Verdict == result.Holds
	}); n > 0 {
		parts = append(parts, group(int64(n))+map[bool]string{true: " has", false: " have"}[n == 1]+
			" a run")
	}
	for _, v := range result.All {
		n := count(func(o result.Outcome) bool { return o.Verdict == v })
		word := string(v)
		switch {
		case n == 0 || v == result.Holds:
			continue
		case v == result.HoldsUpTo:
			word = verb(n) + " up to k"
		case v == result.NothingChecked:
			word = "not checked"
		}
		parts = append(parts, group(int64(n))+" "+word)
	}
	return plural(len(outcomes), "property", "properties") + ": " + strings.Join(parts, ", ")
}

func verb(n int) string {
	if n == 1 {
		return "holds"
	}
	return "hold"
}

// underAssumptions says how many of n properties that hold do so under assumptions.
func underAssumptions(assuming, n int) string {
	switch assuming {
	case 0:
		return ""
	case n:
		return " under assumptions"
	}
	return fmt.Sprintf(" (%s under assumptions)", group(int64(assuming)))
}

// spoken is the verdict in words, with the assumptions on which it rests.
func spoken(r *result.Result) string {
	return string(r.Verdict) + assuming(r.Assumptions)
}

// assuming names assumptions; it is empty where there are none.
func assuming(list []result.Assumption) string {
	const shown = 2
	if len(list) == 0 {
		return ""
	}
	var names []string
	for _, a := range list {
		names = append(names, a.Name)
	}
	if more := len(names) - shown; more > 1 {
		names = append(names[:shown], fmt.Sprintf("%d more", more))
	}
	return ", assuming " + strings.Join(names, ", ")
}

// unfinished lists the finished and the open work of an interrupted run.
func unfinished(u *result.Unfinished) (lines []string) {
	if u == nil {
		return nil
	}
	done := "no property is decided"
	if len(u.Done) > 0 {
		done = "decided: " + abbreviate(u.Done)
	}
	if len(u.Open) > 0 {
		done += "; open: " + abbreviate(u.Open)
	}
	lines = append(lines, done)
	if u.Total > 0 {
		line := fmt.Sprintf("%d of %s proved", u.Proved,
			plural(u.Total, "obligation is", "obligations are"))
		if len(u.Left) > 0 {
			line += "; left: " + abbreviate(u.Left)
		}
		lines = append(lines, line)
	}
	return lines
}

// abbreviate joins names, only the first ones of a long list.
func abbreviate(names []string) string { return strings.Join(firstOf(names), ", ") }

// firstOf is the first names of a long list, and how many more there are.
func firstOf(names []string) []string {
	const shown = 8
	if more := len(names) - shown; more > 1 {
		return append(slices.Clone(names[:shown]), fmt.Sprintf("%d more", more))
	}
	return names
}

// assumed lists the assumptions on which some result rests, each with its text and position.
func assumed(results []result.Result) (lines []string) {
	for _, r := range results {
		for _, a := range r.Assumptions {
			line := a.Name + ", a " + string(a.Kind)
			if a.Line > 0 {
				line += fmt.Sprintf(" in line %d", a.Line)
			}
			if a.Text != "" {
				line += ": " + a.Text
			}
			if !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}
