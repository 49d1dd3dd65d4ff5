package report

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/result"
)

// cached says how many of the proofs come from earlier runs, empty if none do.
func cached(results []result.Result) string {
	proved, old := 0, 0
	for _, r := range results {
		if r.Evidence == nil {
			continue
		}
		for _, o := range r.Evidence.Obligations {
			// some need no solver
			proved += btoi(o.Verdict == result.Holds && (o.Queries > 0 || o.Cached))
			old += btoi(o.Cached)
		}
	}
	if old == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s, by earlier runs", group(int64(old)),
		plural(proved, "obligation", "obligations"))
}

// writeStability says for each property whether all runs agree, and names the obligations with
// different verdicts.
func writeStability(b *strings.Builder, s *result.Stability, o Options) {
	for _, p := range s.Properties {
		b.WriteString(o.wrap("", span{dim, "stability: "},
			span{plain, p.Name + ": " + verdicts(p) + resources(p)}))
	}
	brittle := s.Brittle()
	for _, x := range brittle {
		b.WriteString(o.wrap("", span{red, "brittle: "},
			span{plain, obligationName(x) + ": " + verdicts(x) + resources(x)}))
	}
	if len(brittle) == 0 {
		b.WriteString(o.wrap("",
			span{bold, fmt.Sprintf("stable: the same verdicts in all %d runs, for %s", s.Runs,
				plural(len(s.Obligations), "obligation", "obligations"))}))
	}
}

func obligationName(x result.Steadiness) string {
	if x.Conjunct > 0 {
		return fmt.Sprintf("%s, conjunct %d", x.Name, x.Conjunct+1)
	}
	return x.Name
}

// verdicts counts the verdicts of the runs.
func verdicts(x result.Steadiness) string {
	var parts []string
	for _, v := range append(slices.Clone(result.All), "") {
		n := 0
		for _, w := range x.Verdicts {
			n += btoi(v == w)
		}
		word := string(v)
		if v == "" {
			word = "not asked"
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d of %d", word, n, len(x.Verdicts)))
		}
	}
	return strings.Join(parts, ", ")
}

func resources(x result.Steadiness) string {
	if x.Max == 0 {
		return ""
	}
	return fmt.Sprintf("; resources %s to %s, median %s", group(x.Min), group(x.Max),
		group(x.Median))
}

type jsonStability struct {
	Runs        int              `json:"runs"`
	Stable      bool             `json:"stable"`
	Properties  []jsonSteadiness `json:"properties"`
	Obligations []jsonSteadiness `json:"obligations"`
}

type jsonSteadiness struct {
	Name     string           `json:"name"`
	Property string           `json:"property"`
	Conjunct int              `json:"conjunct"`
	Line     int              `json:"line"`
	Brittle  bool             `json:"brittle"`
	Verdicts []result.Verdict `json:"verdicts"`
	Min      int64            `json:"rlimit_min"`
	Median   int64            `json:"rlimit_median"`
	Max      int64            `json:"rlimit_max"`
}

func stability(s *result.Stability) *jsonStability {
	list := func(xs []result.Steadiness) []jsonSteadiness {
		out := []jsonSteadiness{}
		for _, x := range xs {
			out = append(out,
				jsonSteadiness{x.Name, x.Property, x.Conjunct, x.Line, x.Brittle(), x.Verdicts,
					x.Min, x.Median, x.Max})
		}
		return out
	}
	return &jsonStability{s.Runs, len(s.Brittle()) == 0, list(s.Properties), list(s.Obligations)}
}
