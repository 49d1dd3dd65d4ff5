package report

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/result"
)

// writeRankings writes the ranking functions of liveness proofs, and with all set the searches for
// them.
func writeRankings(b *strings.Builder, results []result.Result, all bool, o Options) {
	for _, r := range results {
		if r.Evidence == nil {
			continue
		}
		if all {
			writeSearch(b, r, o)
		}
		if r.Evidence.Ranking == nil {
			continue
		}
		for i, line := range rankingLines(r.Property, r.Evidence.Ranking, o.Brief) {
			if i == 0 {
				b.WriteString(o.wrap("", span{dim, "rank: "}, span{plain, line}))
			} else {
				b.WriteString(o.wrap("  ", span{plain, line}))
			}
		}
		if p := r.Evidence.Ranking.Proof; all && p != nil && p.Hints != "" {
			b.WriteString(o.wrap("", span{dim, "found: "},
				span{plain, "a rank; in the file, it takes the place of the search"}))
			for line := range strings.Lines(p.Hints) {
				b.WriteString("  " + clean(strings.TrimSuffix(line, "\n")) + "\n")
			}
		}
	}
}

// What a brief text shows of a proof: lists are longer in proofs with many measures.
const (
	briefLines = 40  // of each part of a search
	briefBound = 400 // bytes of a bound
)

// rankingLines typesets ranking functions. Where it is to be brief, it has the first ones only of
// many steps, and no bound that nobody reads.
func rankingLines(property string, r *result.Ranking, brief bool) []string {
	head := property + ", while " + r.Pending
	for _, c := range r.Choices {
		head += "; " + c.String()
	}
	if len(r.Finite) > 0 {
		head += "; where these are finite: " + strings.Join(r.Finite, ", ")
	}
	if len(r.Unfair) > 0 {
		head += "; assumes that a run goes on as long as an action is enabled, though these are " +
			"not fair: " + strings.Join(r.Unfair, ", ")
	}
	lines := []string{head}
	for i, t := range r.Tiers {
		steps := t.Steps
		if brief {
			steps = firstOf(steps)
		}
		lines = append(lines,
			fmt.Sprintf("%d. %s decreases in %s", i+1, t.Function, strings.Join(steps, "; ")))
	}
	switch {
	case r.Steps == "":
	case brief && len(r.Steps) > briefBound:
		lines = append(lines, "the bound on the steps is long: erelong live --bound prints it")
	default:
		line := "at most " + r.Steps + " steps"
		if waits(r) {
			line += ", where M_a bounds left_a: the steps, while it is possible, until the fair " +
				"action a is taken"
		}
		lines = append(lines, line)
	}
	return lines
}

// waits reports whether the bound on the steps mentions how long fair actions are waited for: the
// bounds of all functions but the first are part of it.
func waits(r *result.Ranking) bool {
	return len(r.Tiers) > 1 &&
		slices.ContainsFunc(r.Tiers[1:], func(t result.Tier) bool { return t.Prophecy })
}

// writeSearch writes the variables and steps of a search, and the obligations with their times.
func writeSearch(b *strings.Builder, r result.Result, o Options) {
	if r.Evidence.Search == nil {
		return
	}
	section := func(head string, lines []string) {
		if len(lines) == 0 {
			return
		}
		b.WriteString(o.wrap("", span{dim, head + ": "}, span{plain, r.Property}))
		if n := len(lines); o.Brief && n > briefLines {
			lines = []string{plural(n, "line", "lines") + ", which --all shows"}
		}
		for _, line := range lines {
			b.WriteString(o.wrap("  ", span{plain, line}))
		}
	}
	section("variables", variableLines(r.Evidence.Search))
	section("steps", stepLines(r.Evidence.Search))
	section("time", []string{stageLine(r.Evidence.Search)})
	var lines []string
	for _, ob := range r.Evidence.Obligations {
		lines = append(lines, fmt.Sprintf("%s: %s, %s", ob.Name, ob.Verdict, duration(ob.Elapsed)))
	}
	section("obligations", lines)
}

// decreasing lists the indices of the variables that decrease in some step: a ranking function
// needs no others.
func decreasing(s *result.Search) (out []int) {
	for i := range s.Variables {
		if slices.ContainsFunc(s.Steps, func(x result.RankStep) bool {
			return !x.Impossible && x.Grows[i] < 0
		}) {
			out = append(out, i)
		}
	}
	return out
}

// variableLines numbers the variables, with their bounds.
func variableLines(s *result.Search) (lines []string) {
	shown := decreasing(s)
	for n, i := range shown {
		v := s.Variables[i]
		line := fmt.Sprintf("v%d = %s, at least 0", n+1, v.Name)
		if v.Limit != "" {
			line += ", at most " + v.Limit
		}
		lines = append(lines, line)
	}
	if n := len(s.Variables) - len(shown); n > 0 {
		lines = append(lines,
			plural(n, "variable that decreases nowhere", "variables that decrease nowhere"))
	}
	return lines
}

// stepLines states how the variables change in each step. It omits a variable that does not grow
// and is not known to decrease.
func stepLines(s *result.Search) (lines []string) {
	for _, x := range s.Steps {
		if x.Impossible {
			lines = append(lines, x.Step+": impossible")
			continue
		}
		var parts []string
		for n, i := range decreasing(s) {
			switch g := x.Grows[i]; {
			case g == result.Unbounded:
				parts = append(parts, fmt.Sprintf("v%d by any", n+1))
			case g != 0:
				parts = append(parts, fmt.Sprintf("v%d by %+d at most", n+1, g))
			}
		}
		if len(parts) == 0 {
			parts = []string{"none grows or decreases"}
		}
		lines = append(lines, x.Step+": "+strings.Join(parts, ", "))
	}
	return lines
}

// stageLine gives the time of each stage.
func stageLine(s *result.Search) string {
	var parts []string
	for _, x := range s.Stages {
		text := x.Name + " " + duration(x.Elapsed)
		if x.Name == result.StageSynthesis && s.Constraints > 0 {
			text += " with " + plural(s.Constraints, "constraint", "constraints")
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

type jsonSearch struct {
	Variables   []jsonVariable `json:"variables"`
	Steps       []jsonStep     `json:"steps"`
	Constraints int            `json:"constraints"`
	Stages      []jsonStage    `json:"stages"`
}

type jsonVariable struct {
	Name  string `json:"name"`
	Limit string `json:"limit,omitempty"`
}

type jsonStep struct {
	Step       string `json:"step"`
	Impossible bool   `json:"impossible"`
	Grows      []any  `json:"grows"`
}

type jsonStage struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

func jsonSearchOf(s *result.Search) *jsonSearch {
	if s == nil {
		return nil
	}
	out := &jsonSearch{Variables: []jsonVariable{}, Steps: []jsonStep{}, Constraints: s.Constraints,
		Stages: []jsonStage{}}
	for _, v := range s.Variables {
		out.Variables = append(out.Variables, jsonVariable(v))
	}
	for _, x := range s.Steps {
		step := jsonStep{Step: x.Step, Impossible: x.Impossible, Grows: []any{}}
		for _, g := range x.Grows {
			if g == result.Unbounded {
				step.Grows = append(step.Grows, "any")
			} else {
				step.Grows = append(step.Grows, g)
			}
		}
		out.Steps = append(out.Steps, step)
	}
	for _, x := range s.Stages {
		out.Stages = append(out.Stages, jsonStage{x.Name, x.Elapsed.Seconds()})
	}
	return out
}

type jsonRanking struct {
	Pending string     `json:"pending"`
	Choices []string   `json:"choices"`
	Finite  []string   `json:"finite"`
	Unfair  []string   `json:"unfair,omitempty"`
	Tiers   []jsonTier `json:"tiers"`
	Steps   string     `json:"steps,omitempty"`

	Fewer    []jsonActionBound `json:"fewer,omitempty"`
	Observed []jsonObserved    `json:"observed,omitempty"`
}

type jsonActionBound struct {
	Actions []string `json:"actions"`
	Steps   string   `json:"steps"`
}

type jsonObserved struct {
	Instance string      `json:"instance"`
	Waits    int         `json:"waits"`
	States   int         `json:"states"`
	Steps    int64       `json:"steps"`
	Bound    int64       `json:"bound"`
	Fewer    []jsonCount `json:"fewer,omitempty"`
	Why      string      `json:"why,omitempty"`
}

type jsonCount struct {
	Steps int64 `json:"steps"`
	Bound int64 `json:"bound"`
}

type jsonTier struct {
	Function string   `json:"function"`
	Steps    []string `json:"steps"`
	Prophecy bool     `json:"prophecy,omitempty"`
}

func jsonRankingOf(r *result.Ranking) *jsonRanking {
	if r == nil {
		return nil
	}
	out := &jsonRanking{Pending: r.Pending, Choices: []string{}, Finite: list(r.Finite),
		Unfair: r.Unfair, Tiers: []jsonTier{}, Steps: r.Steps}
	for _, c := range r.Choices {
		out.Choices = append(out.Choices, c.String())
	}
	for _, t := range r.Tiers {
		out.Tiers = append(out.Tiers, jsonTier{t.Function, list(t.Steps), t.Prophecy})
	}
	for _, x := range r.Fewer {
		out.Fewer = append(out.Fewer, jsonActionBound(x))
	}
	for _, x := range r.Observed {
		seen := jsonObserved{Instance: x.Instance, Waits: x.Waits, States: x.States,
			Steps: x.Steps, Bound: x.Bound, Why: x.Why}
		for _, c := range x.Fewer {
			seen.Fewer = append(seen.Fewer, jsonCount(c))
		}
		out.Observed = append(out.Observed, seen)
	}
	return out
}
