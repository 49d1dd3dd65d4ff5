package report

import (
	"slices"
	"strings"

	"erelong.dev/erelong/internal/result"
)

// reduced lists, for each derived system that some result rests on, the properties and the passes
// of the derivation.
func reduced(results []result.Result) (lines []string) {
	type derivation struct {
		properties []string
		text       string
	}
	var ways []*derivation
	for _, r := range results {
		if r.Evidence == nil || len(r.Evidence.Reductions) == 0 {
			continue
		}
		var parts []string
		for _, x := range r.Evidence.Reductions {
			parts = append(parts, x.Name+" ("+x.Theorem+")")
		}
		text := strings.Join(parts, "; ")
		i := slices.IndexFunc(ways, func(w *derivation) bool {
			return w.text == text ||
				slices.Contains(w.properties, r.Property) && strings.HasPrefix(w.text, text)
		})
		switch {
		case i < 0:
			ways = append(ways, &derivation{[]string{r.Property}, text})
		case !slices.Contains(ways[i].properties, r.Property):
			ways[i].properties = append(ways[i].properties, r.Property)
		}
	}
	for _, w := range ways {
		lines = append(lines, strings.Join(w.properties, ", ")+", by "+w.text)
	}
	return lines
}
