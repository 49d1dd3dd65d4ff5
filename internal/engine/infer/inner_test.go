package infer

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/testkit"
)

// The claims depend on what a step reads where it changes what they depend on, not on what is only
// written down. Atoms with an inner quantifier are not about that; it is a literal as it stands.
func TestCone(t *testing.T) {
	sys := testkit.Compile(t, `
sort node
sort value
mutable relation vote(node, value), asked(node), decided(value)
mutable relation log(node, value), logged(node)
derived relation some(node): some(N) <-> exists V. vote(N, V)
init !vote(N, V) & !asked(N) & !decided(V) & !log(N, V) & !logged(N)
action ask(n: node) { asked(n) := true; }
action cast(n: node, v: value) {
  require asked(n);
  vote(n, v) := true;
  log(n, v) := asked(n);
}
action note(n: node) { require exists V. log(n, V); logged(n) := true; }
action decide(v: value, n: node) { require some(n) & vote(n, v); decided(v) := true; }
safety decided(V) & decided(W) -> V = W
`)
	var names []string
	for sym := range maps.Keys(cone(sys, []*logic.Term{sys.Properties[0].Term})) {
		names = append(names, sym.Name)
	}
	slices.Sort(names)
	if got := fmt.Sprint(names); got != "[asked decided some vote]" {
		t.Errorf("the cone is %s", got)
	}
	v := &vocabulary{sys: sys, inner: true, shapes: map[string]int{},
		claims: []*logic.Term{sys.Properties[0].Term}}
	var atoms []string
	for _, form := range v.templates(1) {
		for _, a := range form.atoms {
			atoms = append(atoms, a.term.String())
		}
	}
	for atom, want := range map[string]bool{
		"logged(Node)": true,
		"exists Some_value:value. vote(Node, Some_value)": true,
		"exists Some_value:value. log(Node, Some_value)":  false,
	} {
		if slices.Contains(atoms, atom) != want {
			t.Errorf("%s is an atom: %t, among %q", atom, !want, atoms)
		}
	}
}

// Of too many atoms the simplest stay, in their order.
func TestSimplest(t *testing.T) {
	node := &logic.Sort{Name: "node", Kind: logic.KindUninterpreted}
	on := &logic.Symbol{Name: "on", Args: []*logic.Sort{node, node}, Result: logic.Bool}
	x, y := &logic.Var{Name: "X", Sort: node}, &logic.Var{Name: "Y", Sort: node}
	about := func(a, b *logic.Var) *logic.Term {
		return logic.App(on, logic.Pre, logic.Ref(a), logic.Ref(b))
	}
	atoms := []inner{{about(x, y), 5}, {about(x, x), 5}, {about(y, x), 4}}
	if got := simplest(slices.Clone(atoms)); !slices.Equal(got, atoms) {
		t.Errorf("of three atoms %v stay", got)
	}
	for range maxInner - 2 {
		atoms = append(atoms, inner{about(y, y), 5})
	}
	if got := simplest(slices.Clone(atoms)); !slices.Equal(got, atoms[1:]) {
		t.Errorf("%d atoms stay, without the one about two variables %t", len(got),
			got[0] == atoms[1])
	}
}
