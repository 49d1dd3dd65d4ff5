package infer

import (
	"testing"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// ledger has a sum in one claim, and keys in another.
const ledger = `
sort account
type transfer = { from: account, to: account, amount: 1..3 }
mutable constant balance: map[account, int]
mutable constant pending: set[transfer]
init balance = [a: 5 for a: account]
init pending = {}
action request(t: transfer) {
  require t.from != t.to;
  pending := pending with t;
}
action apply(t in pending) {
  require balance[t.from] >= t.amount;
  balance[t.from] := balance[t.from] - t.amount;
  balance[t.to] := balance[t.to] + t.amount;
  pending := pending without t;
}
safety [conserved] sum(balance) = 5 * size(account)
`

// Claims without sums are searched for without them: that all keys are there is an invariant of a
// system in which counterexamples to induction mean nothing.
func TestBesidesSums(t *testing.T) {
	sys := testkit.Compile(t, ledger)
	out, err := Find(testkit.Solving(t), sys, options(t))
	if err != nil || !out.Proved {
		t.Fatalf("%v, %+v", err, out)
	}
	if len(out.Lemmas) == 0 || len(out.Kept) > 0 {
		t.Errorf("lemmas %v, kept %v", out.Lemmas, out.Kept)
	}
	for _, r := range out.Results {
		if r.Verdict != result.Holds {
			t.Errorf("%s %s", r.Property, r.Verdict)
		}
	}
}

// What is wrong stays wrong: a transfer that keeps what it takes.
func TestBesidesSumsWrong(t *testing.T) {
	sys := testkit.Compile(t, ledger+"action steal(a: account) { balance[a] := balance[a] - 1; }")
	opts := options(t)
	opts.Effort = 200
	out, err := Find(testkit.Solving(t), sys, opts)
	if err != nil || out.Proved {
		t.Errorf("%v, %+v", err, out)
	}
	for _, r := range out.Results {
		if r.Property == "conserved" && r.Verdict == result.Holds {
			t.Error("proved that a theft conserves the sum")
		}
	}
}
