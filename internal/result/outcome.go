package result

import "slices"

// Outcome is the joint outcome of all rows about one property.
type Outcome struct {
	Property    string
	Kind        Kind
	Verdict     Verdict
	Coverage    Coverage     // for Holds; otherwise empty
	Assumptions []Assumption // of the rows on which Holds rests; otherwise none
}

// Coverage is the set of instances for which a property holds.
type Coverage string

const (
	ForAll      Coverage = "all"       // proved for all, or explored where there is only one
	InInstances Coverage = "instances" // in the explored ones; others are open
)

// Outcomes sums up the rows of each property, in the order of first appearance.
//
// A violation comes first, since its trace was replayed. Next comes an instance in which nothing
// was checked: it has no initial state. Next comes `holds` for ScopeAll, which covers the
// instances, too. Otherwise each scope counts by its best row, and the property by its worst scope:
// a property that is not inductive in general and holds in an instance is not inductive.
func Outcomes(results []Result) []Outcome {
	type key struct {
		property string
		kind     Kind
	}
	var order []key
	rows := map[key][]Result{}
	for _, r := range results {
		k := key{r.Property, r.Kind}
		if rows[k] == nil {
			order = append(order, k)
		}
		rows[k] = append(rows[k], r)
	}
	outcomes := make([]Outcome, len(order))
	for i, k := range order {
		outcomes[i] = Outcome{Property: k.property, Kind: k.kind, Verdict: sumUp(rows[k])}
		if outcomes[i].Verdict == Holds {
			outcomes[i].ground(rows[k])
		}
	}
	return outcomes
}

// ground finds the rows on which Holds rests: a proof for all instances if there is one, with as
// few assumptions as possible; otherwise all explorations.
func (o *Outcome) ground(rows []Result) {
	o.Coverage = InInstances
	for _, r := range rows {
		if r.Verdict != Holds {
			continue
		}
		switch general := r.ForAll(); {
		case general && (o.Coverage == InInstances || len(r.Assumptions) < len(o.Assumptions)):
			o.Coverage, o.Assumptions = ForAll, r.Assumptions
		case !general && o.Coverage == InInstances:
			o.Assumptions = union(o.Assumptions, r.Assumptions)
		}
	}
}

// The row that represents a scope, and the scope that represents a property: the first of these
// that occurs.
var (
	rowOrder = []Verdict{NoRun, Holds, NotInductive, HoldsUpTo, HoldsInitially, Unknown,
		NothingChecked}
	scopeOrder = []Verdict{NoRun, NotInductive, Unknown, HoldsInitially, HoldsUpTo, NothingChecked,
		Holds}
)

func sumUp(rows []Result) Verdict {
	scopes := map[string][]Verdict{}
	for _, r := range rows {
		switch {
		case r.Verdict == Violated:
			return Violated
		case !slices.Contains(rowOrder, r.Verdict):
			return Unknown // a word that is not a verdict must not count as one
		}
		scopes[r.Scope] = append(scopes[r.Scope], r.Verdict)
	}
	var spoken []Verdict
	proved := false
	for scope, verdicts := range scopes {
		v := firstOf(rowOrder, verdicts)
		proved = proved || scope == ScopeAll && v == Holds
		spoken = append(spoken, v)
	}
	if proved && !slices.Contains(spoken, NothingChecked) {
		return Holds
	}
	return firstOf(scopeOrder, spoken)
}

func firstOf(order, present []Verdict) Verdict {
	for _, v := range order {
		if slices.Contains(present, v) {
			return v
		}
	}
	return Unknown
}
