package vacuity_test

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/vacuity"
)

func TestSigns(t *testing.T) {
	sys, _, err := ere.Compile("x.ere", `
sort s
immutable relation fixed(s)
mutable relation a(s), b(s)
action set(x: s) { a(x) := true; }
safety [one] a(X) & b(Y) -> X = Y
safety [two] (forall X. a(X) -> b(X)) & (b(Z) -> a(Z) -> fixed(Z))
invariant [three] fixed(X) -> a(X)
invariant [four] !a(X) | b(X)
liveness [five] a(X) & !b(X) ~> b(X)
temporal [six] a(X) -> eventually b(X)
temporal [seven] always (forall Y. a(Y) -> eventually b(Y))
temporal [eight] (always eventually a(X)) -> eventually b(X)
temporal [nine] always ((b(X) ~> a(X)) & (b(X) -> always b(X)))
`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range vacuity.Signs(sys) {
		got = append(got, s.Term.String()+" @ "+s.String())
	}
	want := []string{
		"exists X:s, Y:s. a(X) & b(Y) @ the antecedent of one in line 6 is never true: a(X) & b(Y)",
		"exists Z:s, X:s. a(X) @ the antecedent of two in line 7 is never true: a(X)",
		"exists Z:s. b(Z) @ the antecedent of two in line 7 is never true: b(Z)",
		"exists X:s. fixed(X) @ the antecedent of three in line 8 is never true: fixed(X)",
		"exists X:s. a(X) & !b(X) @ the trigger of five in line 10 is never true: a(X) & !b(X)",
		"exists X:s. a(X) @ the antecedent of six in line 11 is never true at the beginning of a run: a(X)",
		"exists Y:s. a(Y) @ the trigger of seven in line 12 is never true: a(Y)",
		"exists X:s. b(X) @ the trigger of nine in line 14 is never true: b(X)",
		"exists X:s. b(X) @ the antecedent of nine in line 14 is never true: b(X)",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
