package induction_test

import (
	"fmt"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// What is in a recursive relation stays in it, where its definition says so step by step; and does
// not where it does not.
func TestRecursiveRelations(t *testing.T) {
	for text, want := range map[string]result.Verdict{
		testkit.Climbed: result.Holds,
		strings.Replace(testkit.Climbed, "limit + 1", "limit - 1", 1): result.NotInductive,
	} {
		results, err := induction.Prove(t.Context(), testkit.Compile(t, text),
			induction.Options{})
		if err != nil {
			t.Skip(err)
		}
		if r := results[0]; r.Property != "taken" || r.Verdict != want {
			t.Errorf("%s: %s, %s; want %s", r.Property, r.Verdict, r.Reason, want)
		}
	}
}

// chained has a recursive relation in which no number is, if there is a least number.
const chained = `
mutable constant c: int
derived relation r(int): forall x: int. %s (r(x) <-> 0 < c & r(x - 1))
init c = 1
action grow() { c := c + 1; }
action shrink() { require c > 1; c := c - 1; }
safety [none] forall x: int. %s r(x) -> false
`

// What is said of a recursive relation is proved by induction over a number.
func TestInductionOverANumber(t *testing.T) {
	const from = "0 <= x ->"
	text := fmt.Sprintf(strings.Replace(chained, "r(x - 1)", "x > 0 & r(x - 1)", 1), from, from)
	results, err := induction.Prove(t.Context(), testkit.Compile(t, text), induction.Options{})
	if err != nil {
		t.Skip(err)
	}
	if r := results[0]; r.Property != "none" || r.Verdict != result.Holds {
		t.Errorf("%s: %s, %s", r.Property, r.Verdict, r.Reason)
	}
}

// Where there is no least number, each one may be in the relation, since the one before it is. So
// there is no induction.
func TestNoLeastNumber(t *testing.T) {
	const from = "0 <= x ->"
	for claimed, want := range map[string]bool{from: true, "x <= 5 ->": false, "": false} {
		sys := testkit.Compile(t, fmt.Sprintf(chained, from, claimed))
		if _, _, ok := sys.ByInduction(sys.Properties[0].Term); ok != want {
			t.Errorf("there is an induction over x with %q: %t", claimed, ok)
		}
	}
}
