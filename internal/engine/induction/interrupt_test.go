package induction_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// An interrupted proof proves nothing, since each obligation may rest on properties with open
// obligations. The result gives the number of proved obligations of a property, and marks each of
// them.
func TestInterruptedProofSaysWhatIsDone(t *testing.T) {
	sys := testkit.Compile(t, `
mutable constant x: int
mutable constant y: int
init x = 0 & y = 0
action up() { x := x + 1; }
action right() { y := y + 1; }
safety [a] x >= 0
safety [b] y >= 0
`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began := 0
	results, err := induction.Prove(ctx, sys,
		induction.Options{Satisfiable: true, Options: discharge.Options{Jobs: 1,
			Begin: func(string) { began++ },
			Progress: func(int, int, result.Obligation) {
				if began == 3 {
					cancel()
				}
			}}})
	if err != nil {
		t.Skip(err)
	}
	if began != 3 {
		t.Errorf("%d obligations were asked about before the end, want 3", began)
	}
	for _, r := range results {
		if r.Verdict != result.Unknown || !strings.HasPrefix(r.Reason.Text, "interrupted; ") ||
			!strings.Contains(r.Reason.Text, " of its 3 obligations are proved") {
			t.Errorf("%s: %s, %s", r.Property, r.Verdict, r.Reason)
		}
	}
	if u := result.UnfinishedOf(results, nil); u == nil || u.Total != 6 ||
		u.Proved+len(u.Left) != 6 ||
		u.Proved < 3 || len(u.Left) < 1 || len(u.Done) != 0 {
		t.Errorf("%+v", u)
	}
}

// A claim that takes all of the time does not hold up what is proved without it. What holds names
// an invariant without the claim.
func TestHardClaimLeavesTimeForOthers(t *testing.T) {
	sys := testkit.Compile(t, `
mutable function f(int): int
mutable constant n: int
init n = 0 & forall x: int. f(x) = x
action twice() {
  f(X) := f(f(X) + f(X + 1));
  n := n + 1;
}
safety [hard] forall x: int. exists y: int. f(y) > x
safety [easy] n >= 0
`)
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second)
	defer cancel()
	results, err := induction.Prove(ctx, sys, induction.Options{Satisfiable: true,
		Options: discharge.Options{Jobs: 1, Wall: time.Second}})
	if err != nil {
		t.Skip(err)
	}
	for _, r := range results {
		want := map[string]result.Verdict{"hard": result.Unknown, "easy": result.Holds}[r.Property]
		if r.Verdict != want {
			t.Errorf("%s: %s, %s", r.Property, r.Verdict, r.Reason)
		}
		if r.Property == "easy" && !slices.Equal(r.Evidence.Invariant, []string{"easy"}) {
			t.Errorf("easy rests on %q", r.Evidence.Invariant)
		}
	}
}
