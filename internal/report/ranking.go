package report

import (
	"fmt"
	"strings"

	"erelong/internal/verdict"
)

// writeRankings writes the ranking functions of proofs of liveness.
func writeRankings(b *strings.Builder, results []verdict.Result, o Options) {
	for _, r := range results {
		if r.Evidence == nil || r.Evidence.Ranking == nil {
			continue
		}
		for i, line := range rankingLines(r.Property, r.Evidence.Ranking) {
			if i == 0 {
				b.WriteString(o.wrap("", span{dim, "rank: "}, span{plain, line}))
			} else {
				b.WriteString(o.wrap("  ", span{plain, line}))
			}
		}
	}
}

// rankingLines typesets ranking functions.
func rankingLines(property string, r *verdict.Ranking) []string {
	head := property + ", while " + r.Pending
	for _, c := range r.Choices {
		head += "; " + c
	}
	if len(r.Finite) > 0 {
		head += "; where these are finite: " + strings.Join(r.Finite, ", ")
	}
	lines := []string{head}
	for i, t := range r.Tiers {
		lines = append(lines, fmt.Sprintf("%d. %s decreases in %s", i+1, t.Function, strings.Join(t.Steps, "; ")))
	}
	if r.Steps != "" {
		line := "at most " + r.Steps + " steps"
		if strings.Contains(r.Steps, "M_") {
			line += ", where M_a bounds left_a: the steps, while it is possible, until the fair action a is taken"
		}
		lines = append(lines, line)
	}
	return lines
}

type jsonRanking struct {
	Pending string     `json:"pending"`
	Choices []string   `json:"choices"`
	Finite  []string   `json:"finite"`
	Tiers   []jsonTier `json:"tiers"`
	Steps   string     `json:"steps,omitempty"`
}

type jsonTier struct {
	Function string   `json:"function"`
	Steps    []string `json:"steps"`
}

func jsonRankingOf(r *verdict.Ranking) *jsonRanking {
	if r == nil {
		return nil
	}
	out := &jsonRanking{Pending: r.Pending, Choices: list(r.Choices), Finite: list(r.Finite), Tiers: []jsonTier{}, Steps: r.Steps}
	for _, t := range r.Tiers {
		out.Tiers = append(out.Tiers, jsonTier{t.Function, list(t.Steps)})
	}
	return out
}
