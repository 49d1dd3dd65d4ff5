package infer

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

const views = `
sort node
sort quorum
immutable relation member(node, quorum)
axiom forall Q1, Q2. exists N. member(N, Q1) & member(N, Q2)
mutable function at(node): int
mutable relation voted(node, int, node)
mutable relation leads(node, int)
init at(N) = 0 & !voted(N, V, L) & !leads(N, V)
action vote(n: node, v: int, l: node) { require v > at(n); at(n) := v; voted(n, v, l) := true; }
action next(n: node, l: node) { at(n) := at(n) + 1; voted(n, at(n), l) := true; }
action lead(l: node, v: int, q: quorum) {
  require forall N. member(N, q) -> voted(N, v, l);
  leads(l, v) := true;
}
`

// Integers that are only compared become elements in order: a sum is any element beyond.
func TestOrderOnly(t *testing.T) {
	abstraction := func(text string) *orderOnly { return newOrderOnly(safetyOf(t, text)) }
	o := abstraction(views + "safety leads(N, V) & leads(M, V) -> N = M")
	if o == nil {
		t.Fatal("no abstraction")
	}
	for _, sym := range o.sys.Symbols {
		for _, s := range append(sym.Args, sym.Result) {
			if s.Base() == logic.Int {
				t.Errorf("%s has integers", sym)
			}
		}
	}
	var next *system.Action
	for _, a := range o.sys.Actions {
		if a.Name == "next" {
			next = a
		}
	}
	if got := logic.And(next.Relation.Guard...).String(); len(next.Relation.Choices) != 1 ||
		got != "!le(beyond1, at(n))" {
		t.Errorf("the sum becomes any of %v with %s", next.Relation.Choices, got)
	}
	v := &logic.Var{Name: "V", Sort: o.numbers}
	lemma := logic.Forall([]*logic.Var{v}, logic.Or(logic.Not(o.upTo(logic.Ref(v),
		logic.App(o.literals[0].symbol, logic.Pre))), o.upTo(logic.Ref(v), logic.Ref(v))))
	if got := o.lift(lemma).String(); got != "forall V:int. 0 < V | V <= V" {
		t.Errorf("a lemma becomes %s", got)
	}
	for name, text := range map[string]string{
		"no integers of elements": "mutable constant n: int\ninit n = 0\n" +
			"action a() { n := n + 1; }\nsafety n >= 0",
		"two ranges":            views + "mutable constant few: 0..3\nsafety leads(N, V) -> few = V",
		"a sum in the property": views + "safety leads(N, V) & leads(M, V + 1) -> N = M",
		"a sum for each element": views +
			"action all() { at(N) := at(N) + 1; }\nsafety at(N) >= 0",
		"a value from outside": views + "action take(n: node) { at(n) := *; }\nsafety at(N) >= 0",
	} {
		if abstraction(text) != nil {
			t.Errorf("%s: there is an abstraction", name)
		}
	}
}

// What is found about elements in order is proved about integers, and about a range.
func TestFoundInOrder(t *testing.T) {
	testkit.InCI(t)
	ctx := testkit.Solving(t)
	for _, integers := range []string{"0..9", "int"} {
		text := strings.NewReplacer(": int", ": "+integers, ", int", ", "+integers,
			"{ at(n) := at(n) + 1;", "{ require at(n) < 9; at(n) := at(n) + 1;").Replace(views)
		sys := testkit.Compile(t, text+"safety [one] leads(N, V) & leads(M, V) -> N = M")
		out, err := Find(ctx, sys, Options{Effort: longerSearch})
		if err != nil {
			t.Fatal(err)
		}
		if !out.Proved {
			t.Errorf("of %s: %s", integers, out.Reason.Text)
		}
	}
}

// A property with a sum beside it keeps no property from its proof, and has its own.
func TestFoundBesideASum(t *testing.T) {
	testkit.InCI(t)
	sys := testkit.Compile(t, views+"safety [one] leads(N, V) & leads(M, V) -> N = M\n"+
		"safety [counted] voted(N, V, L) -> V + 1 > 0")
	out, err := Find(testkit.Solving(t), sys, Options{Effort: longerSearch})
	if err != nil {
		t.Fatal(err)
	}
	if !out.Proved {
		t.Errorf("%s", out.Reason.Text)
	}
}
