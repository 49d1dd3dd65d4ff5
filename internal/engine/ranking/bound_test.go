package ranking

import (
	"fmt"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// bounded is the ticket lock where enter and leave are taken in one of the M steps after they
// become possible. One of left_enter and left_leave is 0. The lock counts the steps that a client
// waits, and keeps the value of the proof's formula from the moment when the client begins to wait.
// TestTicketLock holds the formula fixed.
const bounded = `
	sort client
	immutable constant last: int
	immutable constant M: int
	axiom last >= 0 & M >= 1
	type number = 0..last
	enum place { idle, waiting, entered }
	mutable function at(client): place
	mutable constant now: number
	mutable constant next: number
	mutable function ticket(client): number
	mutable constant since: int
	mutable function waited(client): int
	mutable function promised(client): int
	init at(C) = idle & now = 0 & next = 0 & ticket(C) = 0 & since = 0 & waited(C) = 0 & promised(C) = 0

	action get(c: client) {
		require at(c) = idle & next < last;
		since := if exists C. at(C) = entered | at(C) = waiting & ticket(C) = now then since + 1 else 0;
		waited(C) := if at(C) = waiting then waited(C) + 1 else 0;
		at(c) := waiting;
		ticket(c) := next;
		next := next + 1;
		promised(c) := (2 * M + 1) * (2 * (ticket(c) - now) + (if exists C. at(C) = waiting & ticket(C) = now then 1 else 0)) + (M - since) + 1;
	}
	action fail(c: client) {
		require at(c) = waiting & ticket(c) != now;
		since := if exists C. at(C) = entered | at(C) = waiting & ticket(C) = now then since + 1 else 0;
		waited(C) := if at(C) = waiting then waited(C) + 1 else 0;
	}
	action enter(c: client) {
		require at(c) = waiting & ticket(c) = now;
		since := 0;
		waited(C) := if at(C) = waiting & C != c then waited(C) + 1 else 0;
		at(c) := entered;
	}
	action execute(c: client) {
		require at(c) = entered;
		since := since + 1;
		waited(C) := if at(C) = waiting then waited(C) + 1 else 0;
	}
	action leave(c: client) {
		require at(c) = entered;
		since := 0;
		waited(C) := if at(C) = waiting then waited(C) + 1 else 0;
		at(c) := idle;
		now := now + 1;
	}
	trusted invariant since < M
	safety [kept] at(C) = waiting -> waited(C) + 1 <= promised(C)
	`

// In all runs of instances, a wait takes at most the proved number of steps.
func TestStepsAreBounded(t *testing.T) {
	for _, c := range []struct{ clients, last, m int64 }{{2, 3, 2}, {2, 3, 3}, {3, 3, 2}} {
		longest := int64(0)
		for {
			text := bounded + fmt.Sprintf("\nsafety [longest] at(C) = waiting -> waited(C) + 1 <= %d\n", longest)
			sys := testkit.Compile(t, strings.ReplaceAll(text, "\t", " "))
			in := &system.Instance{Name: "i", Sizes: map[*logic.Sort]int{},
				Values: map[*logic.Symbol]*logic.Term{}}
			for _, s := range sys.Sorts {
				if s.Kind == logic.KindUninterpreted {
					in.Sizes[s] = int(c.clients)
				}
			}
			for _, s := range sys.Symbols {
				switch s.Name {
				case "last":
					in.Values[s] = logic.IntLit(c.last)
				case "M":
					in.Values[s] = logic.IntLit(c.m)
				}
			}
			results, err := explicit.Check(t.Context(), sys, in, explicit.Options{})
			if err != nil {
				t.Fatal(err)
			}
			holds := map[string]result.Verdict{}
			for _, r := range results {
				holds[r.Property] = r.Verdict
			}
			if holds["kept"] == result.Violated {
				t.Fatalf("%v: a client waits for longer than was proved", c)
			}
			if holds["longest"] != result.Violated {
				if holds["kept"] != result.Holds {
					t.Fatalf("%v: %v", c, holds)
				}
				break
			}
			longest++
		}
		// A client with one other client before it waits for two clients to leave.
		t.Logf("%d clients, %d tickets, M = %d: the longest wait takes %d steps", c.clients, c.last,
			c.m, longest)
		if longest < 2*c.m {
			t.Errorf("%v: nobody waits for longer than %d steps", c, longest)
		}
	}
}

func TestRangeSize(t *testing.T) {
	for _, c := range []struct{ of, want string }{
		{"0..n", "n + 1"}, {"0..n - 1", "n"}, {"1..n", "n"}, {"2..n", "n - 1"}, {"m..n", "n - m + 1"},
		{"m..n - 1", "n - m"}, {"0..3", "4"},
	} {
		sys := testkit.Compile(t, "immutable constant m: int\nimmutable constant n: int\n"+
			"mutable constant x: "+c.of)
		sort := sys.Symbols[len(sys.Symbols)-1].Result
		if got := rangeSize(sort.Lo, sort.Hi).String(); got != c.want {
			t.Errorf("%s has %s values, not %s", c.of, got, c.want)
		}
	}
}
