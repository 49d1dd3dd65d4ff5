package ranking

import (
	"context"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

const ticketLock = `
	sort client
	immutable relation ends
	immutable constant last: int
	mutable relation idle(client)
	mutable relation waiting(client)
	mutable relation inside(client)
	mutable constant now: int
	mutable constant next: int
	mutable function ticket(client): int
	init idle(C) & !waiting(C) & !inside(C) & now = 0 & next = 0 & ticket(C) = 0
	action get(c: client) {
		require idle(c) & (ends -> next < last);
		idle(c) := false; waiting(c) := true; ticket(c) := next; next := next + 1;
	}
	fair action enter(c: client) {
		require waiting(c) & ticket(c) = now;
		waiting(c) := false; inside(c) := true;
	}
	fair action leave(c: client) {
		require inside(c);
		inside(c) := false; idle(c) := true; now := now + 1;
	}
	liveness [served] waiting(C) ~> inside(C)
	instance two { client = 2, ends = true, last = 4 }`

// Of a ticket lock it is found that each ticket from the one that is served up to the next one has
// a holder, although there are integers without end. Where a ticket is left out or handed out
// again, that is not found.
func TestNumbered(t *testing.T) {
	const (
		holders = "forall N:int. now <= N & N < next -> " +
			"exists V1:client. !idle(V1) & ticket(V1) = N"
		own = "forall V1:client, W1:client. " +
			"!idle(V1) & !idle(W1) & ticket(V1) = ticket(W1) -> V1 = W1"
		places = "forall V1:client. idle(V1) | waiting(V1) | inside(V1)"
	)
	for _, test := range []struct {
		name, old, changed string
		want, not          []string
	}{
		{name: "as it is", want: []string{holders, own, places}},
		{"left out", "next := next + 1", "next := next + 2", []string{own, places},
			[]string{holders}},
		{"handed out twice", "next := next + 1", "next := if now = next then next + 1 else next",
			[]string{places}, []string{own}},
		// Two clients never have three tickets: the states that are looked at show nothing.
		{"left out behind two", "next := next + 1",
			"next := if next < now + 2 then next + 1 else next + 2",
			[]string{own, places}, []string{holders}},
	} {
		t.Run(test.name, func(t *testing.T) {
			sys := testkit.Compile(t, strings.Replace(ticketLock, test.old, test.changed, 1))
			compareFound(t, found(t, Simple, sys, "served"), test.want, test.not)
		})
	}
}

// found is what a search for invariants finds for a property.
func found(
	t *testing.T, search func(context.Context, *system.System, *system.Property,
		[]*system.Instance, discharge.Options) ([]*system.Property, error),
	sys *system.System, property string,
) (all []string) {
	t.Helper()
	out, err := search(t.Context(), sys, sys.Property(property), sys.Instances,
		options(t).Options)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range out {
		all = append(all, p.Term.String())
	}
	return all
}

// compareFound compares what was found with what has to be there, and what must not.
func compareFound(t *testing.T, all, want, not []string) {
	t.Helper()
	for _, w := range want {
		if !slices.Contains(all, w) {
			t.Errorf("not found: %s; found:\n%s", w, strings.Join(all, "\n"))
		}
	}
	for _, w := range not {
		if slices.Contains(all, w) {
			t.Errorf("found: %s", w)
		}
	}
}
