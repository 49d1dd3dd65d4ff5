package induction_test

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// climbed has a recursive relation that grows with the limit, which an induction shows.
const climbed = `
mutable constant limit: int
mutable constant top: int
derived relation ok(int): forall x: int. 0 <= x -> (ok(x) <-> x = 0 | ok(x - 1) & x <= limit)
init limit = 0 & top = 0
action move() { limit := limit + 1; }
action take(x: int) { require 0 <= x & ok(x); top := x; }
safety [taken] 0 <= top & ok(top)
`

// What is in a recursive relation stays in it, where its definition says so step by step; and does
// not where it does not.
func TestRecursiveRelations(t *testing.T) {
	for text, want := range map[string]result.Verdict{
		climbed: result.Holds,
		strings.Replace(climbed, "limit + 1", "limit - 1", 1): result.NotInductive,
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
