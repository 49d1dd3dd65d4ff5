package synth

import (
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// problem is the question about the first liveness property of a system. Its actions choose
// nothing, so a guard says when one can be taken.
func problem(t *testing.T, text string) *Problem {
	t.Helper()
	sys := testkit.Compile(t, text)
	i := slices.IndexFunc(sys.Properties, func(p *system.Property) bool {
		return p.Kind == system.Liveness
	})
	p := &Problem{System: sys, Property: sys.Properties[i], Instances: sys.Instances,
		Enabled: map[*system.Action]*logic.Term{}}
	for _, a := range sys.Actions {
		p.Enabled[a] = logic.And(a.Relation.Guard...)
	}
	p.Due = p.Enabled
	return p
}

// Whoever waits is served when all who came before have been, in a shop with one clerk.
const shop = `
	sort client
	mutable relation waits(client), served(client), before(client, client)
	init !waits(C) & !served(C) & !before(C, D)
	action come(c: client) {
		require !waits(c) & !served(c);
		before(D, c) := waits(D);
		waits(c) := true;
	}
	fair action serve(c: client) {
		require waits(c) & (forall D. waits(D) -> !before(D, c));
		waits(c) := false;
		served(c) := true;
		before(c, D) := false;
	}
	action forget(c: client) { require served(c); served(c) := false; }
	action rest() { require true; }
	liveness [l] waits(C) ~> served(C)
	instance two { client = 2 }
	`

func TestSearch(t *testing.T) {
	p := problem(t, shop)
	found, err := Search(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if found == nil {
		t.Fatal("nothing fits")
	}
	got := p.System.HintText(found)
	for _, part := range []string{"pending waits(C);", "count (X1:client) with before(X1, C);",
		"await (X1:client) serve(X1);"} {
		if !strings.Contains(got, part) {
			t.Errorf("%s is missing in\n%s", part, got)
		}
	}
	again, err := Search(t.Context(), problem(t, shop))
	if err != nil || p.System.HintText(again) != got {
		t.Errorf("the search finds something else again: %v", err)
	}
}

// Without what makes a property true, nothing fits.
func TestNothingFits(t *testing.T) {
	for _, change := range [][2]string{
		{"fair action serve", "action serve"},
		{"before(D, c) := waits(D);", "before(c, D) := waits(D);"}, // who comes late is served first
		{"served(c) := true;", ""},
	} {
		text := strings.Replace(shop, change[0], change[1], 1)
		found, err := Search(t.Context(), problem(t, text))
		if err != nil {
			t.Fatal(err)
		}
		if found != nil {
			t.Errorf("without %q something fits", change[0])
		}
	}
}
