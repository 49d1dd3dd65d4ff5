package verify

import (
	"cmp"
	"slices"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// sort puts the results in the order of the file, also of its instances, behind the given ones; for
// one property, results for all instances come first. A violation that a glance beside a proof and
// the exploration both show is said once.
func (l *ledger) sort(instances []*system.Instance) {
	order := map[string]int{result.Deadlock: -1}
	for i, p := range l.sys.Properties {
		order[p.Name] = i
	}
	for i, s := range l.sys.Scenarios {
		order[s.Name] = len(l.sys.Properties) + i
	}
	instances = append(instances, l.sys.Instances...)
	scope := map[string]int{result.ScopeAll: -1}
	for i, in := range slices.Backward(instances) {
		scope[in.Name] = i
	}
	place := func(x result.Result) int {
		if i, ok := scope[x.Scope]; ok {
			return i
		}
		return len(instances)
	}
	slices.SortStableFunc(l.results, func(a, b result.Result) int {
		return cmp.Or(order[a.Property]-order[b.Property], place(a)-place(b),
			standing(a)-standing(b), cmp.Compare(a.Engine, b.Engine))
	})
	l.results = violatedOnce(l.results)
}

// standing puts what decides a property before what leaves it open, so that the order of rows does
// not depend on which engine ends first.
func standing(x result.Result) int {
	switch x.Verdict {
	case result.Violated, result.NoRun:
		return 0
	case result.Holds:
		return 1
	}
	return 2
}

// violatedOnce keeps one violation of a property in an instance by an engine: the one that has seen
// most states.
func violatedOnce(results []result.Result) (out []result.Result) {
	type violation struct {
		property, scope, engine string
		line                    int
	}
	at := map[violation]int{}
	for _, x := range results {
		key := violation{x.Property, x.Scope, x.Engine, x.Line}
		i, again := at[key]
		switch {
		case x.Verdict != result.Violated:
			out = append(out, x)
		case !again:
			at[key] = len(out)
			out = append(out, x)
		case x.States > out[i].States:
			out[i] = x
		}
	}
	return out
}
