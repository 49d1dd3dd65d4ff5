package report

import (
	"fmt"
	"slices"
	"time"

	"erelong.dev/erelong/internal/result"
)

// A row counts as slower or faster if its time changed by this factor and by this much: shorter
// times vary with the load of the machine.
const (
	notableFactor = 2
	notableTime   = time.Second
)

// Compare says in what a run differs from an earlier run: properties that are new or gone,
// verdicts, numbers of states, and times. It gives nothing where there is no difference.
func Compare(before, after *Report) (lines []string) {
	old, now := result.Outcomes(before.Results), result.Outcomes(after.Results)
	find := func(list []result.Outcome, o result.Outcome) *result.Outcome {
		i := slices.IndexFunc(list, func(x result.Outcome) bool {
			return x.Property == o.Property && x.Kind == o.Kind
		})
		if i < 0 {
			return nil
		}
		return &list[i]
	}
	for _, o := range now {
		was := find(old, o)
		switch {
		case was == nil:
			lines = append(lines, fmt.Sprintf("%s is new: %s", o.Property, extent(o)))
		case extent(*was) != extent(o):
			lines = append(lines, fmt.Sprintf("%s: %s, before %s", o.Property, extent(o),
				extent(*was)))
		}
	}
	for _, o := range old {
		if find(now, o) == nil {
			lines = append(lines, fmt.Sprintf("%s is gone: it was %s", o.Property, extent(o)))
		}
	}
	for _, r := range after.Results {
		i := slices.IndexFunc(before.Results, func(x result.Result) bool {
			return x.Property == r.Property && x.Kind == r.Kind && x.Scope == r.Scope &&
				x.Engine == r.Engine
		})
		if i < 0 {
			continue
		}
		was := before.Results[i]
		where := fmt.Sprintf("%s, scope %s, by %s", r.Property, r.Scope, r.Engine)
		if was.Verdict == r.Verdict && was.States != r.States {
			lines = append(lines, fmt.Sprintf("%s: %s, before %s", where, plural(int(r.States),
				"state", "states"), group(was.States)))
		}
		if word := pace(was.Elapsed, r.Elapsed); word != "" {
			lines = append(lines, fmt.Sprintf("%s: %s, %s, before %s", where, word,
				duration(r.Elapsed), duration(was.Elapsed)))
		}
	}
	return lines
}

// extent is a verdict with the instances that it is about.
func extent(o result.Outcome) string {
	text := string(o.Verdict)
	switch o.Coverage {
	case result.ForAll:
		text += " for all"
	case result.InInstances:
		text += " in the instances explored"
	}
	if len(o.Assumptions) > 0 {
		text += " under assumptions"
	}
	return text
}

// pace says whether a time is notably longer or shorter than another one.
func pace(before, after time.Duration) string {
	switch {
	case after > notableFactor*before && after-before > notableTime:
		return "slower"
	case before > notableFactor*after && before-after > notableTime:
		return "faster"
	}
	return ""
}
