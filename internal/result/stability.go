package result

import (
	"cmp"
	"slices"
)

// Stability compares runs of the same proofs that differ in the seeds of the solvers.
type Stability struct {
	Runs       int
	Properties []Steadiness // in the order of the first run
	// Obligations are the obligations of the last round of each run, in the order of their first
	// appearance.
	Obligations []Steadiness
}

// Steadiness describes a property or an obligation in all runs.
type Steadiness struct {
	Name     string
	Property string
	Conjunct int // of an obligation
	Line     int
	Verdicts []Verdict // one for each run; empty where a run did not get to it
	// Resources of the solvers in a run, if known.
	Min, Median, Max int64
}

// Brittle reports whether the verdict depends on the seed.
func (s *Steadiness) Brittle() bool {
	return slices.ContainsFunc(s.Verdicts, func(v Verdict) bool { return v != s.Verdicts[0] })
}

// Brittle lists the obligations, or if there are none the properties, whose verdict depends on the
// seed.
func (s *Stability) Brittle() (out []Steadiness) {
	for _, list := range [][]Steadiness{s.Obligations, s.Properties} {
		for _, x := range list {
			if x.Brittle() {
				out = append(out, x)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// Compare collects the verdicts of each property and each obligation.
func Compare(runs [][]Result) *Stability {
	s := &Stability{Runs: len(runs)}
	properties, obligations := gathering{runs: len(runs)}, gathering{runs: len(runs)}
	for i, results := range runs {
		for _, r := range results {
			if r.Evidence == nil {
				continue // no proof was tried
			}
			var spent int64
			for _, o := range r.Evidence.Obligations {
				spent += o.Rlimit
				obligations.add(i,
					Steadiness{Name: o.Name, Property: o.Property, Conjunct: o.Conjunct,
						Line: o.Line}, o.Verdict, o.Rlimit)
			}
			properties.add(i, Steadiness{Name: r.Property, Property: r.Property, Line: r.Line},
				r.Verdict, spent)
		}
	}
	s.Properties, s.Obligations = properties.sum(), obligations.sum()
	return s
}

// gathering collects by name.
type gathering struct {
	runs  int
	index map[gatheringKey]int
	all   []Steadiness
	spent [][]int64
}

type gatheringKey struct {
	name     string
	conjunct int
}

func (g *gathering) add(run int, x Steadiness, v Verdict, rlimit int64) {
	k := gatheringKey{x.Name, x.Conjunct}
	i, ok := g.index[k]
	if !ok {
		if g.index == nil {
			g.index = map[gatheringKey]int{}
		}
		i = len(g.all)
		g.index[k] = i
		x.Verdicts = make([]Verdict, g.runs)
		g.all, g.spent = append(g.all, x), append(g.spent, nil)
	}
	g.all[i].Verdicts[run] = v
	g.spent[i] = append(g.spent[i], rlimit)
}

func (g *gathering) sum() []Steadiness {
	for i, spent := range g.spent {
		slices.SortFunc(spent, cmp.Compare)
		x := &g.all[i]
		x.Min, x.Median, x.Max = spent[0], spent[len(spent)/2], spent[len(spent)-1]
	}
	return g.all
}
