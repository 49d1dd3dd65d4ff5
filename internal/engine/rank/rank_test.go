package rank

import (
	"testing"

	"erelong/internal/lang"
	"erelong/internal/verdict"
)

func TestTicketLock(t *testing.T) {
	sys, _, err := lang.Load("../../../examples/liveness/ticket_lock.ere")
	if err != nil {
		t.Fatal(err)
	}
	results, err := Prove(t.Context(), sys, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := results[0]
	if r.Verdict != verdict.Holds {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	t.Logf("%+v", r.Evidence.Ranking)
	for _, o := range r.Evidence.Obligations {
		t.Logf("%s: %s %v %s", o.Name, o.Verdict, o.Elapsed, o.Reason)
	}
}
