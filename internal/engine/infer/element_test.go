package infer

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// monitor suspects nodes whose heartbeats stay away.
const monitor = `
	sort node
	immutable constant period: int
	immutable constant delay: int
	axiom period >= 1 & delay >= 0
	mutable function unsent(node): int
	mutable function age(node): int
	mutable relation flying(node), suspected(node), crashed(node)
	mutable function silent(node): int
	mutable relation alarm
	init unsent(N) = 0 & age(N) = 0 & !flying(N) & silent(N) = 0 & !suspected(N) & !crashed(N)
	init !alarm
	action send(n: node) {
		require !crashed(n) & !flying(n);
		flying(n) := true;
		age(n) := 0;
		unsent(n) := 0;
	}
	action arrive(n: node) { require flying(n); flying(n) := false; silent(n) := 0; }
	action crash(n: node) { crashed(n) := true; }
	action suspect(n: node) {
		require silent(n) > period + delay;
		suspected(n) := true;
		alarm := exists M:node. M != n & suspected(M);
	}
	action tick() {
		require forall N:node.
			(!crashed(N) & !flying(N) -> unsent(N) < period) & (flying(N) -> age(N) < delay);
		unsent(N) := unsent(N) + 1;
		age(N) := if flying(N) then age(N) + 1 else 0;
		silent(N) := silent(N) + 1;
	}
	`

// A property about each element is proved with lemmas about one.
func TestOneElement(t *testing.T) {
	ctx := testkit.Solving(t)
	out, err := Find(ctx, testkit.Compile(t, monitor+"safety [accuracy] suspected(N) -> crashed(N)"),
		Options{})
	if err != nil || !out.Proved {
		t.Fatalf("%+v %v", out, err)
	}
	for _, l := range out.Lemmas {
		if !strings.HasPrefix(l.Term.String(), "forall Node:node.") {
			t.Errorf("%s is not about all nodes", l.Term)
		}
	}
}

// The projection has each action for the element and for another one, which may have any effect on
// what they share, and none on what belongs to the element.
func TestProjectionOntoOne(t *testing.T) {
	projected := func(text string) *element { return newElement(safetyOf(t, text)) }
	p := projected(monitor + "safety suspected(N) -> crashed(N)")
	if p == nil {
		t.Fatal("no projection")
	}
	var got []string
	for _, a := range p.sys.Actions {
		var names []string
		for _, sym := range a.Modifies {
			names = append(names, sym.Name)
		}
		got = append(got, a.Name+": "+strings.Join(names, " "))
	}
	want := "send 1: flying age unsent; arrive 1: flying silent; crash 1: crashed; " +
		"suspect 1: suspected alarm; suspect 2: alarm; tick 1: unsent age silent"
	if strings.Join(got, "; ") != want {
		t.Errorf("the actions are\n%s\ninstead of\n%s", strings.Join(got, "; "), want)
	}
	for _, a := range p.sys.Actions {
		for _, u := range a.Relation.Updates {
			if u.Symbol.Name == "alarm" {
				t.Errorf("%s: alarm depends on other elements, and becomes %s", a.Name, u.Value)
			}
		}
	}
	if tick := p.sys.Actions[len(p.sys.Actions)-1]; len(tick.Relation.Guard) == 0 ||
		logic.Has(tick.Relation.Guard[0], func(t *logic.Term) bool { return len(t.Vars) > 0 }) {
		t.Errorf("the guard of a tick is %v", tick.Relation.Guard)
	}
	for name, text := range map[string]string{
		"two elements":          monitor + "safety suspected(N) & suspected(M) -> N = M | alarm",
		"an element is a value": monitor + "immutable constant first: node\nsafety suspected(first)",
		"two sorts":             monitor + "sort other\nsafety suspected(N) -> crashed(N)",
		"no integers": "sort node\nmutable relation a(node)\ninit !a(N)\n" +
			"action set(n: node) { a(n) := true; }\nsafety !a(N) | a(N)",
	} {
		if projected(text) != nil {
			t.Errorf("%s: there is a projection", name)
		}
	}
}

// safetyOf is a system with its safety properties as goals.
func safetyOf(t *testing.T, text string) (sys *system.System, goals []*goal) {
	t.Helper()
	sys = testkit.Compile(t, text)
	for _, p := range sys.Properties {
		if p.Kind == system.Safety {
			goals = append(goals, &goal{property: p, term: p.Term})
		}
	}
	return sys, goals
}
