package verdict

import (
	"fmt"
	"slices"
)

// Contradiction is a pair of results that cannot both be right: one says that a property holds, and the other shows that it
// does not, or that something does not on which the first rests.
type Contradiction struct {
	Claim, Against int // their places among the results
	Text           string
}

// Contradictions looks for results that cannot both be right. There is one for each claim that is wrong if the other is
// right.
//
// A claim for all instances is contradicted by a violation in any, and a claim for one by a violation in that one; a claim
// that rests on an invariant, by a violation of that. A claim by plain induction is contradicted by a counterexample to
// induction in an instance too, since that satisfies all that any proof by plain induction assumes.
func Contradictions(results []Result) (out []Contradiction) {
	for i := range results {
		for j := range results {
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
	case same && other.Verdict == NotInductive && other.Scope != ScopeAll && proof && claim.Evidence.Induction == 1:
		return fmt.Sprintf("%s is proved by induction (by %s), and it is not inductive (scope %s, by %s)",
			claim.Property, claim.Engine, other.Scope, other.Engine)
	case !same && other.Verdict == Violated && proof && slices.Contains(claim.Evidence.Invariant, other.Property):
		return fmt.Sprintf("%s holds (scope %s, by %s), which rests on %s, and that is violated (scope %s, by %s)",
			claim.Property, claim.Scope, claim.Engine, other.Property, other.Scope, other.Engine)
	}
	return ""
}

// Void takes back the claims that are contradicted: a violation was replayed, so the claim is wrong, or the replay is. Each
// becomes unknown, and has an Alarm.
func Void(results []Result) {
	for _, c := range Contradictions(results) {
		r := &results[c.Claim]
		r.Verdict, r.Alarm = Unknown, c.Text
		r.Reason = Because(Alarm, "erelong contradicts itself, so nothing is said: "+c.Text)
	}
}

// Alarms lists the contradictions among the results, those of claims that were taken back included.
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
