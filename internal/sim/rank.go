package sim

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
)

// RankRow is a ranking function along a run, for one choice of the variables of its property.
type RankRow struct {
	For      string   `json:"for"` // the choice, as in C = client0; empty where there is none
	Function string   `json:"function"`
	Values   []string `json:"values"` // in each state; empty where the property is not pending
}

// mostRankRows bounds the choices that are shown.
const mostRankRows = 64

var identifier = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

// Ranks evaluates the ranking functions of a proof in the states of a run. A function with
// prophecies is left out: no state has its value.
func (x *Explorer) Ranks(
	ctx context.Context, a Address, r *result.Ranking,
) (out []RankRow, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.follow(ctx, a); err != nil {
		return nil, err
	}
	for _, choice := range x.walk.bindings(r.Pending, nil) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		pending, err := x.walk.formula(choice.in(r.Pending))
		if err != nil {
			continue // the variables have other sorts
		}
		for _, tier := range r.Tiers {
			if tier.Prophecy {
				continue
			}
			if len(out) == mostRankRows {
				return out, nil
			}
			row := RankRow{For: choice.String(), Function: tier.Function}
			some := false
			for _, m := range x.walk.run {
				value := ""
				if holds, err := x.walk.model.Holds(pending, m.state); err == nil && holds {
					value = x.walk.rank(choice, r.Choices, tier.Function, m)
					some = true
				}
				row.Values = append(row.Values, value)
			}
			if some {
				out = append(out, row)
			}
		}
	}
	return out, nil
}

// rank is the value of a function in a state, with the values that the hints choose there.
func (w *walk) rank(
	choice substitution, hints []result.Choice, function string, m position,
) string {
	for _, hint := range hints {
		for _, more := range w.bindings("", []string{hint.Name}) {
			both := append(slices.Clone(choice), more...)
			t, err := w.formula(both.in(hint.Condition))
			if err != nil {
				continue
			}
			if holds, err := w.model.Holds(t, m.state); err == nil && holds {
				choice = both
				break
			}
		}
	}
	t, err := w.expression(choice.in(function))
	if err != nil {
		return "?"
	}
	v, err := w.eval(t, m.state)
	if err != nil {
		return "?"
	}
	return w.value(t.Sort, v).String()
}

// substitution gives elements to variables.
type substitution [][2]string

func (u substitution) String() string {
	var parts []string
	for _, p := range u {
		parts = append(parts, p[0]+" = "+p[1])
	}
	return strings.Join(parts, ", ")
}

// in replaces the variables of a text.
func (u substitution) in(text string) string {
	return identifier.ReplaceAllStringFunc(text, func(word string) string {
		for _, p := range u {
			if p[0] == word {
				return p[1]
			}
		}
		return word
	})
}

// bindings lists the ways to give elements to the variables of a text: the capital letters that no
// declaration has, or the given names.
func (w *walk) bindings(text string, variables []string) (out []substitution) {
	if variables == nil {
		for _, word := range identifier.FindAllString(text, -1) {
			symbol := slices.ContainsFunc(w.sys.Symbols, func(y *logic.Symbol) bool {
				return y.Name == word
			})
			if word[0] >= 'A' && word[0] <= 'Z' && !symbol && !slices.Contains(variables, word) {
				variables = append(variables, word)
			}
		}
	}
	out = []substitution{nil}
	var elements []string
	for _, u := range w.model.TraceOf(w.state()).Universe {
		elements = append(elements, u.Elements...)
	}
	for _, v := range variables {
		var longer []substitution
		for _, u := range out {
			for _, e := range elements {
				longer = append(longer, append(slices.Clone(u), [2]string{v, e}))
			}
		}
		out = longer
		if len(out) > 4096 {
			return out[:4096]
		}
	}
	return out
}
