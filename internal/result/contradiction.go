package result

import (
	"fmt"
	"slices"
)

// Contradiction is a pair of results that cannot both be right: one claims that a property holds,
// and the other shows that this property, or one on which the claim rests, does not hold.
type Contradiction struct {
	Claim, Against int // indices of the results
	Text           string
}

// Contradictions lists the results that cannot both be right, once for each claim that is wrong if
// the other result is right.
//
// A claim for all instances is contradicted by a violation in any instance, a claim for one by a
// violation in that instance, and a claim that rests on an invariant by a violation of the
// invariant. A claim by plain induction is also contradicted by a counterexample to induction in an
// instance, since that satisfies every assumption of any proof by plain induction.
func Contradictions(results []Result) (out []Contradiction) {
	var against []int
	for j, r := range results {
		if r.Verdict == Violated || r.Verdict == NotInductive {
			against = append(against, j)
		}
	}
	for i := range results {
		for _, j := range against {
			if text := contradicts(&results[i], &results[j]); text != "" {
				out = append(out, Contradiction{i, j, text})
				break
			}
		}
	}
	return out
}

// contradicts says how a result contradicts the claim of another, if it does.
func contradicts(claim, other *Result) string {
	if claim.Verdict != Holds {
		return ""
	}
	proof := claim.Evidence != nil && claim.Scope == ScopeAll
	same := claim.Property == other.Property && claim.Kind == other.Kind
	switch {
	case same && other.Verdict == Violated && (claim.ForAll() || claim.Scope == other.Scope):
		return fmt.Sprintf("%s holds (scope %s, by %s), and it is violated (scope %s, by %s)",
			claim.Property, claim.Scope, claim.Engine, other.Scope, other.Engine)
	case same && other.Verdict == NotInductive && other.Scope != ScopeAll && proof &&
		claim.Evidence.Induction == 1:
		return fmt.Sprintf("%s is proved by induction (by %s), and it is not inductive (scope "+
			"%s, by %s)",
			claim.Property, claim.Engine, other.Scope, other.Engine)
	case !same && other.Verdict == Violated && proof &&
		slices.Contains(claim.Evidence.Invariant, other.Property):
		return fmt.Sprintf("%s holds (scope %s, by %s), which rests on %s, and that is violated "+
			"(scope %s, by %s)",
			claim.Property, claim.Scope, claim.Engine, other.Property, other.Scope, other.Engine)
	}
	return ""
}

// Void takes back the contradicted claims: a violation was replayed, so the claim is wrong, or the
// replay is. Each becomes unknown, and has an Alarm.
func Void(results []Result) {
	for _, c := range Contradictions(results) {
		r := &results[c.Claim]
		r.Verdict, r.Alarm = Unknown, c.Text
		r.Reason = Because(Alarm, "erelong contradicts itself, so nothing is said: "+c.Text)
	}
}

// Alarms lists the contradictions among the results, including the claims that were taken back.
func Alarms(results []Result) (out []string) {
	for _, r := range results {
		if r.Alarm != "" {
			out = append(out, r.Alarm)
		}
	}
	for _, c := range Contradictions(results) {
		out = append(out, c.Text)
	}
	return out
}
