package infer

import (
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/testkit"
)

// A request is in one of five places as long as its client waits. No shorter clause excludes that
// it is in none.
const places = `
	sort client
	mutable relation waits(client), asked(client), noted(client), booked(client), sent(client)
	mutable relation back(client), lost
	init !lost & !waits(C) & !asked(C) & !noted(C) & !booked(C) & !sent(C) & !back(C)
	action ask(c: client) { require !waits(c); waits(c) := true; asked(c) := true; }
	action note(c: client) { require asked(c); asked(c) := false; noted(c) := true; }
	action book(c: client) { require noted(c); noted(c) := false; booked(c) := true; }
	action send(c: client) { require booked(c); booked(c) := false; sent(c) := true; }
	action reply(c: client) { require sent(c); sent(c) := false; back(c) := true; }
	action end(c: client) { require back(c); back(c) := false; waits(c) := false; }
	action complain(c: client) {
		require waits(c) & !asked(c) & !noted(c) & !booked(c) & !sent(c) & !back(c);
		lost := true;
	}
	safety [kept] !lost
	`

func TestLongClause(t *testing.T) {
	out, err := Find(t.Context(), testkit.Compile(t, places), options(t))
	if err != nil {
		t.Fatal(err)
	}
	if !out.Proved {
		t.Fatal(out.Reason)
	}
	longest := 0
	for _, l := range out.Lemmas {
		literals := 0
		logic.Walk(l.Term, func(u *logic.Term) bool {
			if u.Op == logic.OpApp {
				literals++
			}
			return true
		})
		longest = max(longest, literals)
	}
	if longest < 6 {
		t.Errorf("no lemma has more than %d literals: %v", longest, out.Lemmas)
	}
}
